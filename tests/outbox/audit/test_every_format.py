"""Every example of the reference of formats, dropped together, passes an audit."""

from __future__ import annotations

from support.outboxes import made
from support.pages import BLOCKS
from support.parsers import grid
from support.puzzles import NINE_SOLVED

EXAMPLES = {
    f"{number}-{block.title.split()[0]}.txt": block.text
    for number, block in enumerate(BLOCKS)
    if block.page == "docs/reference/formats.md" and block.title
}
CANDIDATES = "".join(
    f"{' '.join({'1': '12', '2': '12'}.get(value, value) for value in row)}\n"
    for row in grid(NINE_SOLVED).split()
)
TWELVE = ["1234|5678|9ABC", "5678|9ABC|1234", "9ABC|1234|....", *["....|....|...."] * 9]
EXAMPLES |= {
    "candidates.txt": f"Puzzle 1\n{CANDIDATES}Puzzle 2\n{CANDIDATES}",
    "twelve.txt": "\n".join(TWELVE),
}


def test_every_example_of_the_reference_is_solved_and_audited(tmp_path):
    outbox = made(tmp_path, EXAMPLES)
    findings = outbox.findings()
    assert {name: finding.problems for name, finding in findings.items()} == {
        name.removesuffix(".txt"): () for name in EXAMPLES
    }
    assert {finding.verdict for finding in findings.values()} == {"ok"}
