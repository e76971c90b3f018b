"""Many claims that solutions are all: none that is false passes, in either form of the check."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from false_claims import HONEST, Claim, Maker, arrays, by_geometry
from support.cases import for_each
from support.machine_code import Asked
from support.needs import needs_numba
from support.oracle import is_solution, solutions
from support.puzzles import HARD, NINE_SOLVED, PATIENCE, SIX, pattern

from pipeline.certify import many
from pipeline.certify.many import MAX_NODES, PYTHON_SECONDS, Verdict, search, search_all_of_batch
from pipeline.certify.many.search import LANE_COUNT, NO_BRANCH, _choose_branch
from pipeline.certify.many.sweep import BOARD_VECTORS, CHUTE_COUNTS
from pipeline.limits import NEVER
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_puzzle

FORMS = ["one by one", pytest.param("compiled", marks=needs_numba)]
FOUR = Geometry(2, 2)
SOLVED = tuple(map(int, NINE_SOLVED))


@pytest.fixture(params=FORMS)
def form(request, monkeypatch):
    """The form that judges 9×9 puzzles; of other sides the compiled one judges none."""
    if request.param == "compiled":
        request.getfixturevalue("searching")
    else:
        one_by_one(monkeypatch)
    return request.param


def one_by_one(monkeypatch):
    """Have puzzles checked one by one."""
    monkeypatch.setattr("pipeline.certify.many.loader.get", lambda *_, **__: None)


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    return list(islice(Maker(seed=7).claims(), 800))


@pytest.fixture(scope="module")
def of_nine(claims) -> list[Claim]:
    return [claim for claim in claims if claim.puzzle.geometry == NINE_BY_NINE]


def judged(some: list[Claim], **limits):
    """The names of the verdicts, and the nodes."""
    limits = {"seconds": PATIENCE * len(some)} | limits  # they share the seconds
    verdicts, nodes = search_all_of_batch(some[0].puzzle.geometry, *arrays(some), **limits)
    return [Verdict(verdict).name for verdict in verdicts], nodes.tolist()


def true_of(some):
    return [claim.truth for claim in some]


def test_the_claims_are_of_all_kinds_and_what_is_said_of_them_is_so(claims):
    """Brute force, which shares nothing with what made them, agrees."""
    honest = [claim for claim in claims if claim.kind == HONEST]
    assert {len(claim.grids) for claim in honest} == {*range(9)}
    assert {claim.puzzle.geometry.side for claim in honest} == {4, 6, 9, 12}
    assert len({claim.kind for claim in claims}) == 10
    for claim in honest:
        geometry = claim.puzzle.geometry
        grids = [Grid(geometry, values) for values in claim.grids]
        assert all(is_solution(claim.puzzle, grid) for grid in grids)
        if geometry.side < 9:
            assert solutions(claim.puzzle, 9) == grids


def test_no_false_claim_passes_and_every_honest_one_does(form, claims):
    for places in by_geometry(claims).values():
        some = [claims[place] for place in places]
        assert judged(some)[0] == true_of(some)


@needs_numba
def test_the_forms_agree_on_verdicts_whatever_the_masks(searching, monkeypatch):
    """Noise around a grid: masks that clash, are empty, or have bits of no value."""
    generator = np.random.default_rng(5)
    chosen = 1 << (np.array([SOLVED] * 400) - 1)
    noise = generator.integers(0, 1024, chosen.shape)
    masks = np.where(generator.random(chosen.shape) < 0.6, chosen | noise, chosen)
    masks[::4] = np.where(generator.random(masks[::4].shape) < 0.01, noise[::4], masks[::4])
    masks[5, 40], masks[6, 40] = 0, 512
    counts = generator.integers(0, 2, 400)
    grids = np.array([[SOLVED] * 400], np.uint8)
    ours = search_all_of_batch(NINE_BY_NINE, masks.astype(np.uint16), counts, grids, PATIENCE)[0]
    one_by_one(monkeypatch)
    theirs = search_all_of_batch(NINE_BY_NINE, masks.astype(np.uint64), counts, grids, PATIENCE)[0]
    assert ours.tolist() == theirs.tolist()
    assert {*ours.tolist()} == {Verdict.COMPLETE, Verdict.INCOMPLETE, Verdict.WRONG}


def test_a_cell_that_may_hold_nothing_leaves_no_solution(form):
    masks = np.full((2, 81), NINE_BY_NINE.all_values, np.uint16)
    masks[:, 7] = [0, 512]
    grids = np.array([[SOLVED] * 2], np.uint8)
    for count, verdict in ((0, Verdict.COMPLETE), (1, Verdict.WRONG)):
        verdicts, _ = search_all_of_batch(
            NINE_BY_NINE, masks, np.array([count] * 2), grids, PATIENCE
        )
        assert verdicts.tolist() == [verdict] * 2


def test_a_verdict_depends_neither_on_the_neighbours_nor_on_their_order(form, of_nine):
    some = of_nine[:300]
    together = judged(some)
    order = random.Random(3).sample(range(len(some)), len(some))
    mixed = judged([some[place] for place in order])
    for told, other in zip(together, mixed, strict=True):
        assert other == [told[place] for place in order]
    for start, stop in ((0, 1), (1, 8), (8, len(some))):
        for told, part in zip(together, judged(some[start:stop]), strict=True):
            assert part == told[start:stop]


def test_rows_of_grids_beyond_those_that_are_counted_do_not_matter(form, of_nine):
    some = of_nine[:200]
    masks, counts, grids = arrays(some)
    noise = np.random.default_rng(2).integers(0, 256, (12, *masks.shape), dtype=np.uint8)
    beyond = np.arange(12)[:, None] >= counts
    noise[: len(grids)][~beyond[: len(grids)]] = grids[~beyond[: len(grids)]]
    verdicts, _ = search_all_of_batch(NINE_BY_NINE, masks, counts, noise, PATIENCE)
    assert [Verdict(verdict).name for verdict in verdicts] == true_of(some)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_may_lie_in_memory_as_they_like(form, order, of_nine):
    masks, counts, grids = (np.asarray(array, order=order) for array in arrays(of_nine[:50]))
    verdicts, _ = search_all_of_batch(
        NINE_BY_NINE, np.repeat(masks, 2, axis=0)[::2], counts, grids[:, ::-1][:, ::-1], PATIENCE
    )
    assert [Verdict(verdict).name for verdict in verdicts] == true_of(of_nine[:50])


@for_each("geometry", [Geometry(2, 2), Geometry(2, 3), NINE_BY_NINE, Geometry(3, 4)])
@for_each("value", [0, "side + 1", 64, 255])
def test_a_grid_with_a_value_that_there_is_not_is_none(form, geometry, value):
    side = geometry.side
    values = list(pattern(geometry).values)
    values[-1] = side + 1 if value == "side + 1" else value
    for blank in (Puzzle.empty(geometry), Puzzle.of_values(geometry, pattern(geometry).values)):
        claim = Claim("", blank, (tuple(values),), "WRONG")
        assert judged([claim])[0] == ["WRONG"]


def test_too_few_nodes_and_no_time_leave_it_undecided_and_nothing_passes(form, of_nine):
    hard = parse_puzzle(HARD)
    (grid,) = solutions(hard, 2)
    right = Claim(HONEST, hard, (grid.values,), "COMPLETE")
    lie = Claim("none", parse_puzzle("." * 81), (), "INCOMPLETE")
    (full, *_), (needed, *_) = judged([right, right])
    assert full == "COMPLETE"
    assert needed > 1
    assert judged([right], max_nodes=needed)[0] == ["COMPLETE"]
    for fewer in (0, 1, needed - 1):
        told, _ = judged([right, lie], max_nodes=fewer)
        assert told[0] == "UNDECIDED"
        assert told[1] != "COMPLETE"
    some = [right, lie, *of_nine]
    for seconds in (0.0, 1e-4, 1e-2):
        for claim, verdict in zip(some, judged(some, seconds=seconds)[0], strict=True):
            assert verdict in (claim.truth, "UNDECIDED")
    assert {*judged(some, seconds=0.0)[0]} <= {"UNDECIDED", "WRONG"}


def test_sides_that_are_too_large_are_left_undecided():
    geometry = Geometry(1, 50)
    grid = pattern(geometry)
    claim = Claim(HONEST, Puzzle.of_values(geometry, grid.values), (grid.values,), "")
    assert judged([claim] * 2)[0] == ["UNDECIDED"] * 2


def test_what_breaks_while_searching_is_no_verdict(monkeypatch):
    def broken(board, left):
        raise ValueError("of this test")

    monkeypatch.setattr("pipeline.certify.exhaustive._propagate", broken)
    with pytest.raises(ValueError, match="of this test"):
        judged([Claim(HONEST, parse_puzzle(SIX), (), "INCOMPLETE")])


@pytest.mark.parametrize("nodes", [0, 1, 2, 5])
def test_whatever_the_limit_what_is_said_is_true(form, nodes, of_nine):
    for claim, verdict in zip(of_nine, judged(of_nine, max_nodes=nodes)[0], strict=True):
        assert verdict in (claim.truth, "UNDECIDED")


def test_other_shapes_and_counts_are_errors(form):
    masks, counts = np.full((2, 81), 511, np.uint16), np.zeros(2, np.int64)
    grids = np.ones((1, 2, 81), np.uint8)
    good = {
        "geometry": NINE_BY_NINE,
        "masks": masks,
        "counts": counts,
        "grids": grids,
        "seconds": 1.0,
    }
    for bad in (
        {"geometry": Geometry(2, 2)},
        {"masks": masks[:, :80]},
        {"masks": masks[:1]},
        {"masks": masks[0]},
        {"counts": counts[:1]},
        {"counts": counts - 1},
        {"counts": counts + 2},
        {"grids": grids[:, :1]},
        {"grids": grids[:, :, :80]},
        {"grids": grids[0]},
        {"grids": grids.astype(np.int64)},
        {"counts": counts.astype(float)},
        {"masks": masks.astype(np.int16)},
    ):
        with pytest.raises(ValueError, match=r"masks of |counts: expected 0 to"):
            search_all_of_batch(**good | bad)


def test_no_claims_have_no_verdicts(form):
    masks, counts = np.zeros((0, 81), np.uint16), np.zeros(0, np.int64)
    for ranks in (0, 3):
        verdicts, nodes = search_all_of_batch(
            NINE_BY_NINE, masks, counts, np.zeros((ranks, 0, 81), np.uint8), PATIENCE
        )
        assert (len(verdicts), len(nodes)) == (0, 0)


def test_claims_of_no_solution_need_no_grids(form):
    opened = (
        *Puzzle.of_values(NINE_BY_NINE, SOLVED).cells[:40],
        *Puzzle.empty(NINE_BY_NINE).cells[40:],
    )
    masks = np.array([opened, [1] * 81], np.uint16)
    found, _ = search_all_of_batch(
        NINE_BY_NINE, masks, np.zeros(2, np.int64), np.zeros((0, 2, 81), np.uint8), PATIENCE
    )
    assert found.tolist() == [Verdict.INCOMPLETE, Verdict.COMPLETE]


def full_grids(geometry, puzzles):
    """The verdicts on so many full grids."""
    values = np.array([pattern(geometry).values] * puzzles, np.uint8)
    masks, counts = 1 << (values.astype(np.uint64) - np.uint64(1)), np.ones(puzzles, np.int64)
    return search_all_of_batch(geometry, masks, counts, values[None], PATIENCE)[0]


def test_the_machine_code_is_loaded_for_the_work_that_there_is(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(many, "loader", asked)
    assert (full_grids(NINE_BY_NINE, 20) == Verdict.COMPLETE).all()
    assert asked.seconds == [20 * PYTHON_SECONDS]


def test_other_sides_are_checked_one_by_one_and_do_not_count(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(many, "loader", asked)
    assert (full_grids(Geometry(2, 3), 20) == Verdict.COMPLETE).all()
    assert asked.seconds == []


@needs_numba
def test_where_it_is_there_the_slow_forms_do_not_search(checking, monkeypatch):
    asked = Asked(checking)
    monkeypatch.setattr(many, "loader", asked)
    monkeypatch.setattr(many, "check_one_by_one", None)
    assert full_grids(NINE_BY_NINE, 3).tolist() == [Verdict.COMPLETE] * 3


@needs_numba
@pytest.mark.parametrize("said", [Verdict.COMPLETE, Verdict.INCOMPLETE, Verdict.UNDECIDED])
def test_code_that_does_not_search_fails_its_trial(said, checking):
    """It says the same of every claim that has solutions."""

    def step(lanes, masks, counts, grids, verdicts, *rest):
        ended = checking(lanes, masks, counts, grids, verdicts, *rest)
        verdicts[counts > 0] = said
        return ended

    many.try_check(checking)
    with pytest.raises(RuntimeError, match="a verdict is wrong"):
        many.try_check(step)


def test_a_lane_with_nowhere_to_branch_is_given_up():
    """As after a fault; nothing beyond its fields is looked at."""
    fields = np.zeros((BOARD_VECTORS, LANE_COUNT), np.uint16)
    fields[CHUTE_COUNTS:] = 30
    assert _choose_branch(fields, 0) == NO_BRANCH


@needs_numba
def test_plain_python_judges_the_same(checking, of_nine):
    masks, counts, grids = arrays(of_nine[:40])
    ours = many.check_in_parallel(checking, masks, counts, grids, MAX_NODES, NEVER)
    theirs = many.check_in_parallel(search.search, masks, counts, grids, MAX_NODES, NEVER)
    assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]


@needs_numba
@for_each("parts", [1, 7, 1000])
def test_the_parts_of_a_single_puzzle_have_its_verdict(of_nine, parts, checking, monkeypatch):
    monkeypatch.setattr(many, "compiled_check", lambda *_, **__: checking)
    monkeypatch.setattr(many, "MIN_PARTS", parts)
    verdicts, truths = list[Verdict](), list[str]()
    for claim in of_nine[:60]:
        if all(min(values) > 0 and max(values) < 10 for values in claim.grids):
            grids = [Grid(NINE_BY_NINE, values) for values in claim.grids]
            verdicts.append(many.check_puzzle(claim.puzzle, grids, PATIENCE)[0])
            truths.append(claim.truth)
    assert [verdict.name for verdict in verdicts] == truths
    assert {*truths} == {"COMPLETE", "INCOMPLETE", "WRONG"}
