"""Lay out worked solutions: the steps through a puzzle as panels, each with a board and its reason.

Singles that follow each other share a panel, on whose board their values are lettered in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pipeline.errors import counted
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.step_shapes import ordinal
from pipeline.puzzle.puzzle import Puzzle

if TYPE_CHECKING:  # `pipeline.steps` loads numpy
    from pipeline.steps.step import Branch, Cited, Node, Position, Step

MAX_WORKED_PUZZLES: Final = 100
"""Maximum number of puzzles on a sheet with steps: a browser keeps their boards in memory."""

_MAX_SINGLES = 18
"""Maximum number of singles in a panel."""

PANEL_SIZE: Final = 52
"""Width and height of the board of a panel, in millimetres."""

_PAGE_HEIGHT, _PANEL_GAP, _TITLE_HEIGHT, _LINE_HEIGHT = 230.0, 5.0, 6.0, 4.0
"""The height of a page without head and foot, and heights of parts of a panel, in millimetres."""

_LINE_CHARACTERS, _HALF_LINE_CHARACTERS = 66, 31
"""Number of characters in a line of a panel, and in a line of a list with two columns."""


@dataclass(frozen=True, slots=True)
class Line:
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
    """

    numbers: str
    title: str
    board: Board | None
    lines: tuple[Line, ...]
    is_list: bool = False

    @property
    def svg(self) -> str:
        """The drawing; empty without a board."""
        if not self.board:
            return ""
        title = f"{self.numbers}: {self.title}"
        return board_svg(self.board, title, f"w{id(self)}")

    @property
    def text_height(self) -> float:
        """The estimated height of the texts."""
        if self.is_list:
            rows = sum(_row_count(line, _HALF_LINE_CHARACTERS) for line in self.lines)
            return _TITLE_HEIGHT + _LINE_HEIGHT * (rows // 2 + 1)
        return _TITLE_HEIGHT + sum(map(_line_height, self.lines))

    @property
    def height(self) -> float:
        return max(self.text_height, PANEL_SIZE if self.board else 0) + _PANEL_GAP


def _row_count(line: Line, characters: int) -> int:
    return -(-(len(line.text) + 3 * line.depth) // characters) or 1


def _line_height(line: Line) -> float:
    return _LINE_HEIGHT * _row_count(line, _LINE_CHARACTERS)


def panels_of(puzzle: Puzzle, steps: Iterable[Step], signs: str = "") -> Iterator[Panel]:
    """Yield the panels of the steps through a puzzle.

    `signs`: the characters of the values 1, 2, …; empty for numbers.
    """
    singles: list[Step] = []
    has_eliminated, number = False, 0
    for number, step in enumerate(steps, 1):
        if is_single(step):
            if len(singles) == _MAX_SINGLES:
                yield _panel_of_singles(puzzle, singles, number, signs, has_eliminated)
                singles = []
            singles.append(step)
            continue
        if singles:
            yield _panel_of_singles(puzzle, singles, number, signs, has_eliminated)
            singles = []
        has_eliminated = True
        yield _panel_of_step(puzzle, step, number, signs)
    if singles:
        yield _panel_of_singles(puzzle, singles, number + 1, signs, has_eliminated)


def is_single(step: Step) -> bool:
    """Whether a step places a value by a single constraint."""
    return bool(step.placed) and len(step.cited) == 1


def _panel_of_singles(
    puzzle: Puzzle, singles: Sequence[Step], end: int, signs: str, has_eliminated: bool
) -> Panel:
    """The panel of singles before the step with the number `end`."""
    if len(singles) == 1 and has_eliminated:
        return _panel_of_step(puzzle, singles[0], end - 1, signs)
    from pipeline.steps.picture import Picture, Role  # noqa: PLC0415 - loads numpy

    placed = [candidate for step in singles for candidate in step.placed]
    roles = dict.fromkeys(placed, Role.PLACED)
    picture = Picture(singles[0].before, roles, (), frozenset(), ())
    board = Board(
        puzzle, signs=signs, step=picture, order=placed, hides_candidates=not has_eliminated
    )
    first, last = end - len(singles), end - 1
    lines = tuple(Line(f"{ordinal(index)}  {step}") for index, step in enumerate(singles))
    numbers = f"{first}–{last}" if first < last else str(first)
    return Panel(numbers, counted(len(singles), "single"), board, lines, is_list=True)


def _panel_of_step(puzzle: Puzzle, step: Step, number: int, signs: str) -> Panel:
    from pipeline.steps.picture import picture_of  # noqa: PLC0415 - loads numpy

    board = Board(puzzle, signs=signs, step=picture_of(step))
    name = step.technique.name
    lines = (Line(str(step)), Line(step.reason), *branch_lines(step))
    return Panel(str(number), f"{name[:1].upper()}{name[1:]}", board, lines)


def branch_lines(step: Step) -> Iterator[Line]:
    """Yield the branches of a step as paragraphs, nested branches after the outer ones."""
    for branch in step.branches:
        yield from _lines_of_branch(branch, step.before, 1)


def _lines_of_branch(branch: Branch, position: Position, depth: int) -> Iterator[Line]:
    """Yield the paragraph of a branch, which leaves out what cells merely exclude."""
    first, *others = branch.inferences
    texts: list[str] = []
    nested: list[Branch] = []
    for inference in others:
        is_end = inference is others[-1]
        if inference.branches:
            nested += inference.branches
            texts.append(f"{_node_text(inference.node, position)} (see below)")
        elif inference.node.holds and inference.because:
            because = _because_text(inference.because, position)
            texts.append(f"{_node_text(inference.node, position)} ({because})")
        elif is_end and branch.ends == "conclusion":
            texts.append(_node_text(inference.node, position))
        elif is_end:
            texts.append(f"but also {_node_text(inference.node, position)}: a contradiction")
    assumption = _node_text(first.node, position)
    yield Line(f"If {assumption}: {', '.join(texts)}.", depth)
    for inner in nested:
        yield from _lines_of_branch(inner, position, depth + 1)


def _node_text(node: Node, position: Position) -> str:
    """A node such as `r1c2 = 5` or `r1c2 ≠ 5`."""
    cells = " or ".join(map(position.name_of, node.cells))
    if not node.holds:
        cells = cells.replace(" or ", " and ")
    return f"{cells} {'=' if node.holds else '≠'} {node.value}"


def _because_text(cited: Cited, position: Position) -> str:
    """Why a node holds."""
    if cited.rule:
        return cited.rule
    if cited.unit is not None:
        return f"the only place left in {position.unit_names[cited.unit]}"
    return "the only candidate left"


@dataclass(frozen=True, slots=True)
class WorkedPage:
    """A page of a worked solution. `number`: that of the puzzle; `is_first`: of its first page."""

    number: int
    name: str
    level: str
    panels: Sequence[Panel]
    is_first: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Worked:
    """The worked solution of a puzzle on a sheet.

    - `panels`: its panels in order.
    - `note`: a sentence after the last panel, such as why there are no further steps.
    """

    panels: Sequence[Panel]
    note: str = ""


def distribute_panels(number: int, name: str, level: str, worked: Worked) -> list[WorkedPage]:
    """Distribute the panels of a puzzle over pages. A panel that is too long is continued."""
    pages: list[list[Panel]] = [[]]
    left = _PAGE_HEIGHT
    for panel in worked.panels:
        rest: Panel | None = panel
        while rest:
            if rest.height > left and pages[-1]:
                pages.append([])
                left = _PAGE_HEIGHT
            part, rest = _cut(rest, left)
            pages[-1].append(part)
            left -= part.height
    return [
        WorkedPage(
            number, name, level, panels, index == 0, worked.note if panels is pages[-1] else ""
        )
        for index, panels in enumerate(pages)
    ]


def _cut(panel: Panel, height: float) -> tuple[Panel, Panel | None]:
    """Cut a panel after the last line that fits; returns both parts."""
    if panel.height <= height:
        return panel, None
    left, count = height - _PANEL_GAP - _TITLE_HEIGHT, 0
    for line in panel.lines:
        left -= _line_height(line)
        if left < 0:
            break
        count += 1
    count = max(count, 1)
    rest = replace(panel, title=f"{panel.title}, continued", board=None, lines=panel.lines[count:])
    return replace(panel, lines=panel.lines[:count]), rest if rest.lines else None
