"""Plain lines, found all at once, are read as any other line is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.parsers import layout_of
from support.strategies import examples

from pipeline.reading.formats import TextChunk
from pipeline.reading.formats.plain import plain_lines
from pipeline.settings import Reading

DOTS = "1" + "." * 79 + "2"
ZEROS = DOTS.replace(".", "0")
PLAIN = [DOTS, ZEROS, "12345678" + "." * 73, "123456789" * 9]
ODD = ["", "# no", DOTS.replace("2", "0"), DOTS[1:], f"{DOTS}.", f"{DOTS[:-1]}x", f"{DOTS} "]
LINES = layout_of(f"{DOTS}\n{DOTS}\n".encode(), True, Reading(format="lines"))
CASES = st.sampled_from([PLAIN[:1], PLAIN[1:2], PLAIN, [*PLAIN, *ODD]]).flatmap(
    lambda choice: st.lists(st.sampled_from(choice), max_size=6)
)


@examples(100)
@given(CASES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.integers(1, 10**6))
def test_a_piece_has_the_same_entries_line_by_line_and_all_at_once(lines, end, ended, first):
    text = end.join(lines) + (end if ended else "")
    chunk = TextChunk(first, text.encode())
    contents = LINES.contents(chunk, Reading())
    found = [contents.entry(place) for place in range(len(contents))]
    assert found == LINES.entries(chunk, Reading())


@for_each("end", ["\n", "\r\n"])
@for_each("blank", [".", "0"])
def test_lines_that_are_all_alike_are_all_plain(end, blank):
    lines = [line.replace(".", blank) for line in (DOTS, *PLAIN[2:])]
    found = plain_lines(TextChunk(7, "".join(line + end for line in lines).encode()))
    assert (found.numbers.tolist(), found.remaining) == ([7, 8, 9], [])
    assert [cells.tobytes().decode() for cells in found.cells] == [DOTS, *PLAIN[2:]]
