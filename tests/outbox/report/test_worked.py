"""Worked solutions: which steps share a panel, and which panels a page."""

from __future__ import annotations

import runpy
from dataclasses import replace

import pytest
from support.pages import ROOT
from support.pictures import BEFORE, BOARD, PUZZLE

from pipeline import Grid, parse_puzzle
from pipeline.outbox.report.board import Board
from pipeline.outbox.report.panel_drawing import panels_svg
from pipeline.outbox.report.worked import (
    Panel,
    PanelLine,
    Worked,
    distribute_panels,
    guide_of,
    panels_of,
    worked_of,
)
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.steps import loader
from pipeline.steps.presentation.descriptions import description_of
from pipeline.steps.step import Cited, Step
from pipeline.steps.techniques import BY_RATING, BY_SCORE, TECHNIQUES


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)


def single(cell: int, value: int) -> Step:
    """A step of one constraint, in the grid of `support.pictures`."""
    cited = (Cited((cell,)),)
    return Step(TECHNIQUES[1], ((cell, value),), (), (), (), (), (), (), BEFORE, (), cited)


def other() -> Step:
    """A step that eliminates."""
    return replace(
        single(1, 3), technique=BY_SCORE[7], placed=(), eliminated=((1, 3),), values=(3,)
    )


def panel(characters: int, *, lines: int = 1, is_list: bool = False) -> Panel:
    return Panel("1", "Pair", BOARD, (PanelLine("x" * characters),) * lines, is_list)


def test_singles_that_follow_each_other_share_a_panel_with_letters():
    taken = [single(1, 3), single(2, 4), other(), single(3, 2), single(8, 3), single(9, 4)]
    panels = [*panels_of(PUZZLE, taken)]
    assert [each.numbers for each in panels] == ["1–2", "3", "4–6"]
    assert [each.title for each in panels] == ["2 singles", "Naked pair", "3 singles"]
    assert [line.text.split()[0] for line in panels[0].lines] == ["a", "b"]
    assert panels[0].board.order == [(1, 3), (2, 4)]


def test_a_value_that_a_rule_places_has_a_panel_and_its_reason():
    by_rule = replace(single(1, 3), cited=(Cited((1,), rule="the solution is unique"),))
    panels = [*panels_of(PUZZLE, [single(2, 4), by_rule, single(3, 2)])]
    assert [each.is_list for each in panels] == [True, False, False]


def test_a_note_has_room_on_its_page():
    full = [*[panel(450)] * 2, panel(50, lines=17)]
    (page,) = distribute_panels(1, "", "", Worked(full))
    pages = distribute_panels(1, "", "", Worked(full, "End."))
    assert [each.note for each in pages] == ["", "End."]
    assert pages[0].rows == page.rows


def test_a_full_grid_has_a_note_instead_of_steps():
    full = parse_puzzle("1234341221434321")
    grid = Grid(full.geometry, tuple(mask.bit_length() for mask in full.cells))
    assert worked_of(Board(full, grid), "unique") == Worked(
        (), "The grid is full: no step is left."
    )


def test_candidates_are_drawn_from_the_first_elimination_on():
    before, at, after = panels_of(PUZZLE, [single(1, 3), other(), single(2, 4)])
    shown = [each.board.hides_candidates for each in (before, at, after)]
    assert shown == [True, False, False]


def test_many_singles_take_several_panels():
    panels = [*panels_of(PUZZLE, [single(1, 3)] * 30)]
    assert [each.numbers for each in panels] == ["1–16", "17–30"]
    assert panels[-1].techniques == ("naked single",) * 14


def test_a_chain_has_its_line_its_reason_and_its_branches_below_each_other():
    made = runpy.run_path(str(ROOT / "docs" / "techniques.py"))
    example = made["examples"]()["XY-chain"]
    chain = example.step(made["techniques"]()["XY-chain"])
    (drawn,) = panels_of(Puzzle(NINE_BY_NINE, tuple(example.masks)), [chain])
    assert [each.text for each in drawn.lines[:2]] == [str(chain), chain.reason]
    depths = [each.depth for each in drawn.lines]
    assert depths[:3] == [0, 0, 1]
    assert {*depths[3:]} == {2}


def test_short_texts_are_below_their_boards_two_in_a_row_and_long_ones_beside():
    short, long = panel(60), panel(900)
    (page, after) = distribute_panels(
        1, "", "", Worked([short, short, long, short, long, short], "End.")
    )
    assert [len(row.panels) for row in (*page.rows, *after.rows)] == [2, 1, 1, 1, 1]
    assert [row.is_below for row in (*page.rows, *after.rows)] == [True, *[False] * 4]
    assert (page.is_first, page.note, after.is_first, after.note) == (True, "", False, "End.")


def test_a_panel_that_is_longer_than_a_page_is_continued_without_loss():
    pages = distribute_panels(1, "", "", Worked([panel(100, lines=100)]))
    parts = [each for page in pages for row in page.rows for each in row.panels]
    assert sum(len(each.lines) for each in parts) == 100
    assert [bool(each.board) for each in parts] == [True, *[False] * (len(parts) - 1)]
    assert {each.title for each in parts} == {"Pair", "Pair, continued"}
    huge = distribute_panels(1, "", "", Worked([panel(9_000, lines=2)]))
    assert len(huge) == 2


def test_no_panel_takes_a_page_with_its_note():
    (page,) = distribute_panels(3, "a.txt", "easy", Worked([], "There are no steps."))
    assert (page.rows, page.note, page.subtitle) == ([], "There are no steps.", "a.txt · easy")


def test_the_guide_explains_each_technique_once_easiest_first():
    panels = [*panels_of(PUZZLE, [other(), single(1, 3), other()])]
    headings = [heading for heading, _ in guide_of([Worked(panels)])]
    assert headings[-2:] == ["Naked single", "Naked pair"]
    assert "Links" not in headings


def test_every_technique_has_a_description():
    names = {each.name for order in (TECHNIQUES, BY_SCORE, BY_RATING) for each in order}
    assert [name for name in sorted(names) if not description_of(name)] == []


def test_panels_become_one_drawing():
    svg = panels_svg([*panels_of(PUZZLE, [single(1, 3), other()] * 3)], "<a>")
    assert svg.count('class="board') == 6
    assert "<title>&lt;a&gt;</title>" in svg
    with pytest.raises(ValueError, match="no step"):
        panels_svg([], "a")
