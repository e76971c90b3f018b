"""Seeded puzzles and formulas whose claims the command `proof` expands, and a look at its files."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

from support.auditing import packed
from support.dropping import DropFolder
from support.solving import pattern

from pipeline.certify.formula import Formula, read_formula
from pipeline.certify.lrat import check_lrat, drat_of
from pipeline.puzzle.geometry import Geometry

SIZES = (Geometry(2, 2), Geometry(2, 3), Geometry(3, 3))
MOST = 12
"""Solutions that are asked for: those of a puzzle that has more are not all."""

_OPEN = {(4, False): 9, (6, False): 20, (9, False): 47, (4, True): 12, (6, True): 24, (9, True): 58}
"""Cells that are opened, by side and whether they are marked: with few solutions left."""


def dropped(folder: Path, files: dict[str, str | bytes], *options: str) -> None:
    """Drop these files, and have them solved; a name with a slash is that of one in a folder."""
    box = DropFolder.within(folder)
    for name, content in files.items():
        (box.inbox / name).parent.mkdir(parents=True, exist_ok=True)
        box.drop(name, content)
    result = box.run("--settle", "0", *options)
    assert result.returncode in (0, 1), result.stderr


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


def formula_in(folder: Path, stem: str) -> Formula:
    return read_formula((folder / f"{stem}.proof.cnf").read_text("ascii"))


def checked(folder: Path, stem: str) -> int:
    """The steps of a proof as it was written, which holds, and is the same in both notations."""
    lrat = (folder / f"{stem}.proof.lrat").read_text("ascii")
    assert (folder / f"{stem}.proof.drat").read_text("ascii") == drat_of(lrat)
    return check_lrat(formula_in(folder, stem), lrat)


def without_last(formula: Formula) -> Formula:
    """The formula that leaves its last solution free."""
    return Formula(formula.variables, formula.clauses[:-1])


def models(formula: Formula) -> set[tuple[int, ...]]:
    """All models of a small formula, by trying everything."""
    signs = product((-1, 1), repeat=formula.variables)
    assigned = (tuple(sign * v for v, sign in enumerate(each, 1)) for each in signs)
    return {
        model
        for model in assigned
        if all(not {*model}.isdisjoint(clause) for clause in formula.clauses)
    }
