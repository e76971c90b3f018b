"""Canonical forms: equal for equivalent puzzles only, and as their definition says."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from support.cases import for_each
from support.machine_code import Asked
from support.needs import needs_numba
from support.oracle import solutions
from support.puzzles import HARD, NINE, NINE_SOLVED, NINE_TWO, STUCK

from pipeline.catalogue import minlex
from pipeline.catalogue.canonical import canonical_forms, lowest_form
from pipeline.catalogue.minlex import MAX_TIED, NO_ROW, PAIRS, tables
from pipeline.catalogue.puzzle_arrays import line_orders, random_symmetries
from pipeline.catalogue.solutions import find_solutions
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle

FOUR = Geometry(2, 2)


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def form(request, monkeypatch):
    """Whether forms of 9×9 puzzles with one solution come from plain or compiled code."""
    step = request.getfixturevalue("forming") if request.param == "compiled" else None
    monkeypatch.setattr(minlex, "loader", Asked(step))
    return request.param


def cells_of(*texts):
    return np.array([[int(c) if c.isdigit() else 0 for c in text] for text in texts], np.uint8)


def solved(puzzles, geometry):
    """Flags of the puzzles with one solution, and the first solution of each puzzle."""
    full = geometry.all_values
    masks = np.where(puzzles > 0, 1 << (puzzles.astype(np.int64) - 1), full).astype(np.uint64)
    found = find_solutions(geometry, masks, 2)
    return found.counts == 1, found.grids[0]


def forms_of(puzzles):
    return canonical_forms(puzzles, *solved(puzzles, Geometry(3, 3)))


@cache
def all_grids():
    return cells_of(*("".join(map(str, g.values)) for g in solutions(Puzzle.empty(FOUR), 300)))


@cache
def uniques():
    """9×9 puzzles with one solution: two with few givens, and both with more and more givens."""
    texts = []
    for puzzle in (NINE, HARD):
        solution = NINE_SOLVED if puzzle == NINE else "".join(map(str, solved_text(HARD)))
        generator = random.Random(7)
        for share in (0.0, 0.1, 0.3, 0.6, 1.0):
            chosen = zip(puzzle, solution, strict=True)
            texts += ["".join(s if generator.random() < share else p for p, s in chosen)]
    return cells_of(*texts)


def solved_text(text):
    return solved(cells_of(text), Geometry(3, 3))[1][0].tolist()


# Brute force: images are made one by one, from lists; nothing is shared with the package.


def orders_of_lines(box: int) -> list[list[int]]:
    """All orders of rows that keep bands together."""
    within = list(permutations(range(box)))
    return [
        [box * band + row for band, order in zip(bands, orders, strict=True) for row in order]
        for bands in within
        for orders in product(within, repeat=box)
    ]


def images(cells: Sequence[int], box: int) -> Iterator[list[int]]:
    """Every image, before relabelling; always in the same order."""
    side = box * box
    grid = [list(cells[start : start + side]) for start in range(0, side * side, side)]
    for turned in (grid, [list(column) for column in zip(*grid, strict=True)]):
        for rows, columns in product(orders_of_lines(box), repeat=2):
            yield [turned[row][column] for row in rows for column in columns]


def labels(cells: Sequence[int]) -> dict[int, int]:
    """The labels that make an image the lowest: values count up as they are met."""
    met = {0: 0}
    for value in cells:
        met.setdefault(value, len(met))
    return met


def lowest_image(cells: Sequence[int], box: int) -> list[int]:
    return min([labels(image)[value] for value in image] for image in images(cells, box))


def test_the_288_grids_of_4_by_4_are_of_two_classes_as_brute_force_finds():
    grids = all_grids()
    assert len(grids) == 288
    forms = [lowest_form(grid, 2).tolist() for grid in grids]
    assert forms == [lowest_image(grid, 2) for grid in grids.tolist()]
    assert len({tuple(form) for form in forms}) == 2


def test_4x4_forms_are_the_lowest_images_of_brute_force():
    generator, grids = random.Random(1), all_grids().tolist()
    for number in range(100):
        share = generator.choice([0.1, 0.3, 0.4])
        cells = [v if generator.random() < share else 0 for v in generator.choice(grids)]
        if number % 3 == 0:
            cells[generator.randrange(16)] = generator.randint(1, 4)
        assert lowest_form(np.array(cells, np.uint8), 2).tolist() == lowest_image(cells, 2)


def test_equivalent_puzzles_have_equal_forms(form):
    puzzles = uniques()
    copies = random_symmetries(3, 60 * len(puzzles), seed=3).images(np.tile(puzzles, (60, 1)))
    forms = forms_of(copies).reshape(60, -1, 81)
    assert (forms == forms_of(puzzles)).all()
    assert len(np.unique(forms[0], axis=0)) == len(puzzles)


def test_images_of_a_grid_with_many_automorphisms_have_equal_forms(form):
    """The lowest of all grids; its automorphism group has order 648."""
    rows = [[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)]
    puzzles = np.repeat(np.array(rows, np.uint8).reshape(1, 81), 20, axis=0)
    puzzles[1:, :40] = 0
    copies = random_symmetries(3, 20, seed=4).images(puzzles)
    unique = np.ones(20, np.bool_)
    grids = random_symmetries(3, 20, seed=4).images(np.repeat(puzzles[:1], 20, axis=0))
    forms = canonical_forms(copies, unique, grids)
    assert (forms[0] == puzzles[0]).all()
    assert len(np.unique(forms[1:], axis=0)) == 1


@for_each("text", [NINE_TWO, STUCK, "." * 81, "1" * 81, "123456789" + "." * 72])
def test_equivalent_puzzles_with_several_or_no_solutions_have_equal_forms(text):
    puzzle = cells_of(text)
    nobody = np.zeros(4, np.bool_)
    copies = random_symmetries(3, 4, seed=5).images(np.repeat(puzzle, 4, axis=0))
    forms = canonical_forms(copies, nobody, np.zeros_like(copies))
    assert (forms == canonical_forms(puzzle, nobody[:1], np.zeros_like(puzzle))).all()


def test_blanks_come_first_in_a_form():
    form = lowest_form(cells_of("...." * 3 + "...3")[0], 2)
    assert "".join(map(str, form)) == "0" * 15 + "1"


def test_inequivalent_puzzles_have_different_forms(form):
    puzzles = np.repeat(cells_of(NINE_SOLVED), 81, axis=0)
    puzzles[np.arange(81), np.arange(81)] = 0
    every = np.ones(81, np.bool_)
    solutions_ = np.repeat(cells_of(NINE_SOLVED), 81, axis=0)
    assert len(np.unique(canonical_forms(puzzles, every, solutions_), axis=0)) == 81


@pytest.mark.parametrize("change", ["a clash", "a hole", "ten"])
def test_solutions_that_break_the_rules_are_refused(form, change):
    puzzle, grid = cells_of(NINE), cells_of(NINE_SOLVED)
    grid[0, 0] = {"a clash": 6, "a hole": 0, "ten": 10}[change]
    with pytest.raises(ValueError, match="breaks the rules"):
        canonical_forms(puzzle, np.ones(1, np.bool_), grid)


def test_other_shapes_and_values_are_refused():
    blank = np.zeros((1, 36), np.uint8)
    with pytest.raises(ValueError, match="shape"):
        canonical_forms(blank, np.zeros(1, np.bool_), blank)
    ten = np.full((1, 81), 10, np.uint8)
    with pytest.raises(ValueError, match="0 to 9"):
        canonical_forms(ten, np.zeros(1, np.bool_), ten)


def test_an_empty_batch_has_no_forms(form):
    nothing = np.zeros((0, 81), np.uint8)
    assert canonical_forms(nothing, np.zeros(0, np.bool_), nothing).shape == (0, 81)


def test_there_are_1296_line_orders_and_seeded_symmetries_never_change():
    assert len(np.unique(line_orders(3), axis=0)) == 1296
    some, more = random_symmetries(3, 2, seed=1), random_symmetries(3, 9, seed=1)
    assert (some.rows == more.rows[:2]).all()
    assert (some.labels == more.labels[:2]).all()
    assert some.labels[0].tolist() == some.labels[0].tolist()


@needs_numba
def test_compiled_code_with_wrong_forms_fails_its_self_test(forming):
    minlex.try_forms(forming)
    with pytest.raises(RuntimeError, match="wrong canonical form"):
        minlex.try_forms(lambda *_: True)


def test_there_are_12096_second_rows_in_15_classes():
    ranks = tables().ranks
    known = ranks[ranks != NO_ROW]
    assert len(known) == 12_096
    assert np.unique(known).tolist() == list(range(15))


def test_compiled_code_has_room_for_all_symmetries_that_can_lead_to_a_lowest_form():
    assert PAIRS * tables().order_counts.max() == MAX_TIED
