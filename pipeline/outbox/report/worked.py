"""Lay out worked solutions: the steps through a puzzle as panels, each with a board and its reason.

Singles that follow each other share a panel, on whose board their values are lettered in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pipeline.errors import SolverError, counted, listed
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.published_jobs import rating_text
from pipeline.outbox.report.step_shapes import ordinal
from pipeline.puzzle.puzzle import Puzzle

if TYPE_CHECKING:  # `pipeline.steps` loads numpy
    from pipeline.steps.step import Step

MAX_WORKED_PUZZLES: Final = 100
"""Maximum number of puzzles on a sheet with steps: a browser keeps their boards in memory."""

_MAX_SINGLES = 16
"""Maximum number of singles in a panel."""

SIZE_ABOVE: Final = 74
SIZE_BESIDE: Final = 71
"""Width and height of the board above its texts, and beside them, in millimetres."""

_PAGE_HEIGHT, _GAP, _TITLE_HEIGHT, _LINE_HEIGHT, _LIST_LINE_HEIGHT = 232.0, 4.0, 6.0, 4.0, 3.5
"""The height of a page without head and foot, and of parts of a panel, in millimetres."""

_NOTE_HEIGHT = 7.0
"""The height of the note below the last panel of a puzzle, in millimetres."""

_CONTINUED = ", continued"
"""The end of the title of a panel that continues one on the page before."""

_MAX_TEXT_BELOW = 32.0
"""Maximum height of the texts below a board. Longer texts are beside the board."""

_CHARACTERS_BELOW, _CHARACTERS_BESIDE, _CHARACTERS_IN_LIST = 48, 58, 36
"""Number of characters in a line below a board, beside it, and in a list with two columns."""


@dataclass(frozen=True, slots=True)
class PanelLine:
    """A paragraph of a panel. `depth`: how deep it is nested; 0 for the reason."""

    text: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a worked solution: a step, or several singles.

    - `numbers`: the numbers of its steps, such as `3` or `4–9`.
    - `title`: the technique.
    - `board`: the position with the steps; None if the panel continues one on the page before.
    - `lines`: the steps and their reasons.
    - `is_list`: whether each line is a step, and the lines are printed in two columns.
    - `techniques`: the names of the techniques of its steps.
    """

    numbers: str
    title: str
    board: Board | None
    lines: tuple[PanelLine, ...]
    is_list: bool = False
    techniques: tuple[str, ...] = ()

    def svg(self, key: str) -> str:
        """The drawing, with ids that begin with `key`; empty without a board."""
        title = f"{self.numbers}: {self.title}"
        return board_svg(self.board, title, key) if self.board else ""

    def text_height(self, *, is_below: bool) -> float:
        """The estimated height of the texts below the board, or beside it."""
        characters = _CHARACTERS_BELOW if is_below else _CHARACTERS_BESIDE
        if self.is_list:
            rows = sum(_row_count(line, _CHARACTERS_IN_LIST) for line in self.lines)
            return _LIST_LINE_HEIGHT * (rows // 2 + 1)
        return sum(_LINE_HEIGHT * _row_count(line, characters) for line in self.lines)

    @property
    def fits_below(self) -> bool:
        """Whether the texts fit below the board."""
        return bool(self.board) and self.text_height(is_below=True) <= _MAX_TEXT_BELOW


def _row_count(line: PanelLine, characters: int) -> int:
    """The estimated number of rows of a paragraph."""
    return -(-(len(line.text) + 3 * line.depth) // characters) or 1


def panels_of(puzzle: Puzzle, steps: Iterable[Step], symbols: str = "") -> Iterator[Panel]:
    """Yield the panels of the steps through a puzzle.

    `symbols`: the characters of the values 1, 2, …; empty for numbers.
    """
    singles: list[Step] = []
    has_eliminated, number = False, 0
    for number, step in enumerate(steps, 1):
        if is_single_step(step):
            if len(singles) == _MAX_SINGLES:
                yield _panel_of_singles(puzzle, singles, number, symbols, has_eliminated)
                singles = []
            singles.append(step)
            continue
        if singles:
            yield _panel_of_singles(puzzle, singles, number, symbols, has_eliminated)
            singles = []
        has_eliminated = True
        yield _panel_of_step(puzzle, step, number, symbols)
    if singles:
        yield _panel_of_singles(puzzle, singles, number + 1, symbols, has_eliminated)


def is_single_step(step: Step) -> bool:
    """Whether a step fills a cell by its last candidate, or by the last place of a value."""
    return bool(step.placed) and len(step.cited) == 1 and not step.cited[0].rule


def _panel_of_singles(
    puzzle: Puzzle, singles: Sequence[Step], end: int, symbols: str, has_eliminated: bool
) -> Panel:
    """The panel of singles before the step with the number `end`."""
    if len(singles) == 1 and has_eliminated:
        return _panel_of_step(puzzle, singles[0], end - 1, symbols)
    from pipeline.steps.presentation.picture import Picture, Role  # noqa: PLC0415 - loads numpy

    placed = [candidate for step in singles for candidate in step.placed]
    roles = dict.fromkeys(placed, Role.PLACED)
    picture = Picture(singles[0].before, roles, (), frozenset(), ())
    board = Board(
        puzzle, symbols=symbols, step=picture, order=placed, hides_candidates=not has_eliminated
    )
    first, last = end - len(singles), end - 1
    lines = tuple(PanelLine(f"{ordinal(index)}  {step}") for index, step in enumerate(singles))
    names = tuple(step.technique.name for step in singles)
    numbers = f"{first}–{last}" if first < last else str(first)
    return Panel(
        numbers, counted(len(singles), "single"), board, lines, is_list=True, techniques=names
    )


def _panel_of_step(puzzle: Puzzle, step: Step, number: int, symbols: str) -> Panel:
    from pipeline.steps.presentation.picture import picture_of  # noqa: PLC0415 - loads numpy
    from pipeline.steps.presentation.words import branch_lines  # noqa: PLC0415

    board = Board(puzzle, symbols=symbols, step=picture_of(step))
    name = step.technique.name
    branches = (line for branch in step.branches for line in branch_lines(step.before, branch))
    nested = [_nested_line(line) for line in branches]
    title = f"{name[:1].upper()}{name[1:]}"
    return Panel(
        str(number),
        title,
        board,
        (PanelLine(str(step)), PanelLine(step.reason), *nested),
        techniques=(name,),
    )


def _nested_line(text: str) -> PanelLine:
    """A line of a branch, which is indented by two spaces for each level."""
    words = text.lstrip()
    return PanelLine(words, 1 + (len(text) - len(words)) // 2)


@dataclass(frozen=True, slots=True)
class Hint:
    """The first step in three levels: its technique, where it is, and its panel."""

    technique: str
    place: str
    panel: Panel


@dataclass(frozen=True, slots=True)
class Worked:
    """The worked solution of a puzzle.

    - `panels`: its panels in order.
    - `note`: a sentence after the last panel, such as why there are no further steps.
    - `hint`: the first step; None if there is none.
    - `level`: the rating of a 9×9 puzzle without extra rules, such as `hard, score 1204`.
    """

    panels: Sequence[Panel]
    note: str = ""
    hint: Hint | None = None
    level: str = ""


def worked_of(board: Board, status: str, has_time: Callable[[], bool] = lambda: True) -> Worked:
    """The steps through the puzzle of a board, and a sentence if they do not fill it.

    - `status`: that of the result; techniques that rely on a unique solution need `unique`.
    - `has_time`: called after each step; the search for steps ends once it returns false.
    """
    from pipeline.steps import steps  # noqa: PLC0415 - loads numpy
    from pipeline.steps.variants import has_variant_steps, variant_steps  # noqa: PLC0415

    puzzle = board.puzzle
    if not (puzzle and board.grid):
        return Worked((), "There are no steps, as no solution is known.")
    if all(mask.bit_count() == 1 for mask in puzzle.cells):
        return Worked((), "The grid is full: no step is left.")
    if not has_variant_steps(puzzle):
        return Worked((), "There are no steps: the puzzle is too large, or has the value 0.")
    is_classic = puzzle.is_classic
    found: list[Step] = []
    is_cut = False
    try:
        unique = status == "unique"
        for step in steps(puzzle.cells, unique=unique) if is_classic else variant_steps(puzzle):
            found.append(step.with_symbols(board.symbols))
            if is_cut := not has_time():
                break
    except SolverError as error:
        return Worked((), f"There are no steps: {error}.")
    panels = [*panels_of(puzzle, found, board.symbols)]
    open_cells = sum(not value for value in found[0].before.values) if found else 0
    hint = _hint_of(puzzle, found[0], board.symbols) if found else None
    is_solved = bool(found) and open_cells == sum(len(step.placed) for step in found)
    if is_solved:
        level = _level_of(found) if is_classic and unique else ""
        return Worked(panels, hint=hint, level=level)
    further = "further " if found else ""
    end = "The time limit for steps was reached" if is_cut else f"No {further}step was found"
    note = f"{end}; the solution was found by search."
    return Worked(panels, note, hint)


def _level_of(solving_steps: Sequence[Step]) -> str:
    """The rating, in words, of a puzzle that these steps solve."""
    from pipeline.steps.techniques import level_of  # noqa: PLC0415 - loads numpy

    score = sum(step.technique.score for step in solving_steps)
    hardest = max(step.technique.level for step in solving_steps)
    return rating_text(level_of(hardest, score, is_solved=True), str(score))


def _hint_of(puzzle: Puzzle, step: Step, symbols: str) -> Hint:
    """The hint of a step."""
    from pipeline.steps.presentation.step_objects import place_of  # noqa: PLC0415 - loads numpy
    from pipeline.steps.presentation.words import unit_names  # noqa: PLC0415

    units, cells = place_of(step)
    place = listed(map(step.before.name_of, cells))
    if units:
        place = unit_names(step.before, units)
    name = step.technique.name
    return Hint(_capital(name), _capital(place), _panel_of_step(puzzle, step, 1, symbols))


def _capital(text: str) -> str:
    """The text with a capital first letter, unless it is the name of a cell."""
    return text if text[1:2].isdigit() else text[:1].upper() + text[1:]


GUIDE: Final = {
    "Cells": (
        "r4c7 is the cell in row 4 and column 7. Boxes are numbered from left to right, and from "
        "top to bottom. A unit is a row, a column or a box. Two cells see each other if they are "
        "in the same unit."
    ),
    "Candidates": (
        "Small values in an open cell are its candidates: those that are still possible. Boards "
        "show them once a step needs them. Grey units and framed cells belong to the pattern."
    ),
    "Letters": "Singles that follow each other share a board. Fill them in the order a, b, c.",
    "Links": (
        "A line between two candidates is a link. A solid line is a strong link: at least one of "
        "the two is true. A dashed line is a weak link: at most one of the two is true."
    ),
}
"""How to read worked solutions: headings and sentences."""


def guide_of(puzzles: Iterable[Worked]) -> list[tuple[str, str]]:
    """How to read the steps of puzzles, with a paragraph for each technique that is used."""
    from pipeline.steps.presentation.descriptions import description_of  # noqa: PLC0415 - loads numpy
    from pipeline.steps.techniques import TECHNIQUES  # noqa: PLC0415

    panels = [panel for worked in puzzles for panel in worked.panels]
    names = dict.fromkeys(name for panel in panels for name in panel.techniques)
    has_links = any(panel.board and panel.board.step and panel.board.step.links for panel in panels)
    order = {technique.name: index for index, technique in enumerate(TECHNIQUES)}
    general = [row for row in GUIDE.items() if row[0] != "Links" or has_links]
    return general + [
        (_capital(name), " ".join(description))
        for name in sorted(names, key=lambda name: order.get(name, len(order)))
        if (description := description_of(name))
    ]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of panels: up to two, each with its texts below its board, or one with texts beside."""

    panels: tuple[Panel, ...]
    is_below: bool

    @property
    def board_size(self) -> int:
        """The width and height of its boards, in millimetres."""
        return SIZE_ABOVE if self.is_below else SIZE_BESIDE

    @property
    def height(self) -> float:
        text_height = max(panel.text_height(is_below=self.is_below) for panel in self.panels)
        board = self.board_size if self.panels[0].board else 0
        if self.is_below:
            return _TITLE_HEIGHT + board + text_height + _GAP
        return max(board, _TITLE_HEIGHT + text_height) + _GAP


@dataclass(frozen=True, slots=True)
class WorkedPage:
    """A page of a worked solution.

    - `number`, `name`, `level`: those of the puzzle.
    - `is_first`: whether it is the first page of the puzzle.
    - `note`: a sentence below the panels.
    """

    number: int
    name: str
    level: str
    rows: Sequence[Row]
    is_first: bool
    note: str = ""

    @property
    def subtitle(self) -> str:
        """The text next to the title."""
        return " · ".join(filter(None, (self.name, self.level)))


def distribute_panels(number: int, name: str, level: str, worked: Worked) -> list[WorkedPage]:
    """Distribute the panels of a puzzle over pages. A panel that is too long is continued."""
    pages: list[list[Row]] = [[]]
    left = _PAGE_HEIGHT
    for whole in _rows_of(worked.panels):
        rest: Row | None = whole
        while rest:
            if rest.height > left and pages[-1]:
                pages.append([])
                left = _PAGE_HEIGHT
            part, rest = _cut(rest, left)
            pages[-1].append(part)
            left -= part.height
    if worked.note and left < _NOTE_HEIGHT:
        pages.append([])
    return [
        WorkedPage(number, name, level, rows, index == 0, worked.note if rows is pages[-1] else "")
        for index, rows in enumerate(pages)
    ]


def _rows_of(panels: Sequence[Panel]) -> Iterator[Row]:
    """Put panels into rows."""
    waiting: Panel | None = None
    for panel in panels:
        if waiting and panel.fits_below:
            yield Row((waiting, panel), is_below=True)
            waiting = None
        elif panel.fits_below:
            waiting = panel
        else:
            if waiting:
                yield Row((waiting,), is_below=False)
                waiting = None
            yield Row((panel,), is_below=False)
    if waiting:
        yield Row((waiting,), is_below=False)


def _cut(row: Row, height: float) -> tuple[Row, Row | None]:
    """Cut the texts of a row after the last line that fits; returns both parts."""
    if row.is_below or row.height <= height:
        return row, None
    (panel,) = row.panels
    left, count = height - _GAP - _TITLE_HEIGHT, 0
    for line in panel.lines:
        left -= _LINE_HEIGHT * _row_count(line, _CHARACTERS_BESIDE)
        if left < 0:
            break
        count += 1
    count = max(count, 1)
    first = Row((replace(panel, lines=panel.lines[:count]),), is_below=False)
    if count == len(panel.lines):
        return first, None
    title = panel.title.removesuffix(_CONTINUED) + _CONTINUED
    rest = replace(panel, title=title, board=None, lines=panel.lines[count:])
    return first, Row((rest,), is_below=False)
