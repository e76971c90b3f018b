"""`proof` on many seeded puzzles and formulas, and on puzzles with rules in every notation."""

from __future__ import annotations

import csv
import random
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from support.cases import default_cases
from support.commands import run
from support.lrat_check import verify
from support.needs import needs_drat_trim
from support.notations import FPUZZLES, KILLER, WITH_RULES
from support.outboxes import (
    EXAMPLES,
    checked,
    copied,
    dropped,
    formula_in,
    made_once,
    packed,
    shared,
)
from support.puzzles import pattern
from support.refutations import steps_of

from pipeline import solve
from pipeline.certify.formula import Formula, proof_formula
from pipeline.certify.lrat import ProofRejected, check_lrat
from pipeline.certify.proof import TRIVIAL_PROOF
from pipeline.limits import Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.complete import prove_formula
from pipeline.solving.solvers import Satisfiable, Solvers

SIZES = (Geometry(2, 2), Geometry(2, 3), Geometry(3, 3))
MOST = 12
"""Solutions that are asked for: those of a puzzle that has more are not all."""

_OPEN = {(4, False): 9, (6, False): 20, (9, False): 47, (4, True): 12, (6, True): 24, (9, True): 58}
"""Cells that are opened, by side and whether they are marked: with few solutions left."""


def puzzle_line(seed: int) -> str:
    """A puzzle in one line; every third one has a given that its pattern does not have."""
    chance = random.Random(seed)
    geometry, marked = chance.choice(SIZES), chance.random() < 0.4
    n, values = geometry.side, pattern(geometry).values
    names = chance.sample("123456789"[:n], n)
    cells = [names[value - 1] for value in values]
    blank = chance.sample(range(n * n), _OPEN[n, marked])
    for cell in blank:
        cells[cell] = ".*"[int(cells[cell]) % 2 == 0] if marked else "."
    if seed % 3 == 0:
        cells[blank[0]] = chance.choice("123456789"[:n])
    return "".join(cells)


def collection(count: int) -> str:
    return "".join(puzzle_line(seed) + "\n" for seed in range(count))


def formula_text(seed: int) -> str:
    """A random formula of 3-clauses, of which about half have a model."""
    chance = random.Random(seed)
    variables = chance.randint(5, 12)
    count = round(variables * 5)
    clauses = (chance.sample(range(1, variables + 1), 3) for _ in range(count))
    lines = (" ".join(str(chance.choice((-v, v))) for v in clause) for clause in clauses)
    return f"p cnf {variables} {count}\n" + "".join(f"{line} 0\n" for line in lines)


def formulas(count: int) -> bytes:
    """A zip of so many formulas."""
    return packed(*((f"f{seed}.cnf", formula_text(seed)) for seed in range(count)))


def models(formula: Formula) -> set[tuple[int, ...]]:
    """All models of a small formula, by trying everything."""
    signs = product((-1, 1), repeat=formula.variables)
    assigned = (tuple(sign * v for v, sign in enumerate(each, 1)) for each in signs)
    return {
        model
        for model in assigned
        if all(not {*model}.isdisjoint(clause) for clause in formula.clauses)
    }


@pytest.fixture(scope="module")
def expanded(tmp_path_factory):
    """The proofs of many seeded puzzles and formulas, and the outbox."""
    folder = made_once(tmp_path_factory, "expanded", _expand)
    return folder / "proofs", folder / "outbox"


def _expand(folder):
    files = {"top.txt": collection(60), "set.zip": formulas(12)}
    dropped(folder, files, "--max-solutions", str(MOST), "--solver", "pysat")
    where = ("--inbox", str(folder / "inbox"), "-o", str(folder / "proofs"), "--quiet")
    records = sorted((folder / "outbox" / "set").glob("*.json"))
    for path in (folder / "outbox" / "top.csv", *records):
        code, printed, said = run("proof", str(path), *where)
        assert (code, printed, said) == (0, "", "")


def stems(folder: Path) -> list[str]:
    return [path.name.removesuffix(".proof.cnf") for path in folder.glob("*.proof.cnf")]


def test_both_checkers_accept_every_proof_as_it_was_written(expanded):
    proofs, outbox = expanded
    with (outbox / "top.csv").open() as file:
        rows = {row["index"]: row for row in csv.DictReader(file) if row["complete"] == "true"}
    found = stems(proofs)
    assert len(found) == len(rows) + 12 >= 60
    assert {stem.removeprefix("top_") for stem in found} >= rows.keys()
    kinds = Counter((row["status"], len(row["puzzle"])) for row in rows.values())
    assert len(kinds) == 9
    assert min(kinds.values()) >= 3
    for stem in found:
        assert checked(proofs, stem) >= 1
        verify(*((proofs / f"{stem}.proof.{kind}").read_text("ascii") for kind in ("cnf", "lrat")))
    for index, row in rows.items():
        formula = formula_in(proofs, f"top_{index}")
        without = proof_formula(parse_puzzle(row["puzzle"]), [])
        assert formula.clauses[: len(without.clauses)] == without.clauses
        assert len(formula.clauses) - len(without.clauses) == int(row["solutions"])


@needs_drat_trim
def test_drat_trim_accepts_every_proof_as_it_was_written(expanded):
    proofs, _ = expanded
    for stem in stems(proofs):
        files = [f"{stem}.proof.{ending}" for ending in ("cnf", "drat")]
        told = subprocess.run(
            ["drat-trim", *files], cwd=proofs, capture_output=True, text=True, check=False
        )
        assert "s VERIFIED" in told.stdout.splitlines()
        assert "WARNING" not in told.stdout


def test_with_one_solution_kept_back_nothing_is_proved(expanded):
    proofs, outbox = expanded
    solved = [stem for stem in stems(proofs) if list(outbox.rglob(f"{stem}_1.solution"))]
    with (outbox / "top.csv").open() as file:
        rows = csv.DictReader(file)
        solved += [f"top_{row['index']}" for row in rows if row["solution"]]
    solved = [stem for stem in solved if stem in stems(proofs)]
    assert len(solved) > 40
    with Solvers("pysat") as solvers:
        for stem in solved[::4]:
            whole = formula_in(proofs, stem)
            formula = Formula(whole.variables, whole.clauses[:-1])
            with pytest.raises(Satisfiable):
                prove_formula(formula, solvers, Limits())
            with pytest.raises(ProofRejected):
                steps_of(formula, TRIVIAL_PROOF)
            with pytest.raises(ProofRejected):
                steps_of(formula, (proofs / f"{stem}.proof.drat").read_text())
            with pytest.raises(ProofRejected):
                check_lrat(formula, (proofs / f"{stem}.proof.lrat").read_text())
            if formula.variables <= 12:
                assert len(models(formula)) == 1


EXAMPLES_OF_ONE = ["constraints.iss", "f-puzzles-link", "jigsaw", "killer-arrows", "killer"]
EXAMPLES_OF_ONE += ["samurai", "solo", "sumocue"]
MEMBERS = {"killer.txt": KILLER, "f.json": FPUZZLES}
TEXTS = {
    **{f"{name}.txt": (EXAMPLES / f"{name}.txt").read_text() for name in EXAMPLES_OF_ONE},
    "f-puzzles.json": (EXAMPLES / "f-puzzles.json").read_text(),
    **{f"ours/{name}.txt": text for name, text in WITH_RULES.items()},
    **{f"set/{name}": text for name, text in MEMBERS.items()},
}


@pytest.fixture(scope="module")
def outbox(tmp_path_factory):
    files = {name: text for name, text in TEXTS.items() if not name.startswith("set/")}
    files["set.zip"] = packed(*MEMBERS.items())
    return shared(tmp_path_factory, "ruled", lambda folder: dropped(folder, files))


@pytest.mark.parametrize(
    "name",
    default_cases(TEXTS, "constraints.iss.txt", "ours/jigsaw.txt", "set/killer.txt", "solo.txt"),
)
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
    assert "killer.json: the grid of killer_1.solution is not a solution: cage" in said
