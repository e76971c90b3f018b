"""`proof` of single puzzles with rules, in every notation that there is an example of."""

from __future__ import annotations

import pytest
from support.auditing import EXAMPLES, copied, packed, shared
from support.commands import run
from support.expanding import checked, dropped, formula_in
from support.ruled import FPUZZLES, KILLER, ONLY_READ

from pipeline import solve
from pipeline.certify.formula import proof_formula

EXAMPLES_OF_ONE = ["constraints.iss", "f-puzzles-link", "jigsaw", "killer-arrows", "killer"]
EXAMPLES_OF_ONE += ["samurai", "solo", "sumocue"]
MEMBERS = {"killer.txt": KILLER, "f.json": FPUZZLES}
TEXTS = {
    **{f"{name}.txt": (EXAMPLES / f"{name}.txt").read_text() for name in EXAMPLES_OF_ONE},
    "f-puzzles.json": (EXAMPLES / "f-puzzles.json").read_text(),
    **{f"ours/{name}.txt": text for name, text in ONLY_READ.items()},
    **{f"set/{name}": text for name, text in MEMBERS.items()},
}


@pytest.fixture(scope="module")
def outbox(tmp_path_factory):
    files = {name: text for name, text in TEXTS.items() if not name.startswith("set/")}
    files["set.zip"] = packed(*MEMBERS.items())
    return shared(tmp_path_factory, "ruled", lambda folder: dropped(folder, files))


@pytest.mark.parametrize("name", TEXTS)
def test_a_puzzle_with_rules_is_proved_in_the_notation_of_its_solutions(name, outbox, tmp_path):
    record = outbox.path(name.rpartition(".")[0] + ".json")
    where = ("--inbox", str(outbox.box.inbox), "-o", str(tmp_path), "--quiet")
    assert run("proof", str(record), *where) == (0, "", "")
    expected = solve(TEXTS[name])
    assert formula_in(tmp_path, record.stem) == proof_formula(
        expected.problem.puzzle, expected.solutions
    )
    checked(tmp_path, record.stem)


def test_a_solution_that_breaks_a_rule_is_not_proved(outbox, tmp_path):
    mine = copied(outbox, tmp_path)
    mine.change("killer_1.solution", "killer", lambda text: text[::-1].strip() + "\n")
    where = ("--inbox", str(mine.box.inbox), "-o", str(tmp_path / "proofs"))
    code, _, said = run("proof", str(mine.path("killer.json")), *where)
    assert (code, [*(tmp_path / "proofs").iterdir()]) == (1, [])
    assert "killer.json: the grid of killer_1.solution is no solution: cage" in said
