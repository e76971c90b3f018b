"""Puzzles → one HTML file to print: so many a page, and behind them their solutions, smaller.

Lengths are in millimetres. What stands on a page fits A4 and Letter within margins of 12 mm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from pipeline.errors import counted
from pipeline.outbox.report.board import BOARD_STYLE, Board, board_svg
from pipeline.outbox.report.page import own_text, policy, template
from pipeline.outbox.report.records import shortened
from pipeline.outbox.report.styles import SHAPES_STYLE
from pipeline.solving.facts import caveat
from pipeline.version import __version__

MOST_PRINTED: Final = 1_000
"""Puzzles of a sheet, which lies in the memory of a browser as a whole."""


@dataclass(frozen=True, slots=True)
class _PageLayout:
    """A page of columns × rows boards of a size."""

    columns: int
    rows: int
    board: int


_LAYOUTS: Final = {
    1: _PageLayout(1, 1, 162),
    2: _PageLayout(1, 2, 102),
    4: _PageLayout(2, 2, 86),
    6: _PageLayout(2, 3, 64),
    9: _PageLayout(3, 3, 56),
    12: _PageLayout(3, 4, 46),
    16: _PageLayout(4, 4, 42),
}
"""By the number of boards."""

PER_PAGE: Final = (1, 2, 4, 6, 9, 12)
"""How many puzzles may stand on a page."""

_SOLUTIONS = 16
_TO_WRITE_IN, _WITH_RULES, _TO_READ = 5.0, 7.0, 4.0
"""The smallest cells of puzzles, of those with rules, which stand in smaller print, and to read."""

_LONGEST_NOTE = 160


@dataclass(frozen=True, slots=True)
class Printed:
    """A puzzle for a sheet, and what is known of it.

    `board` has the puzzle, and a solution if there is one. `status` is empty if it was not asked
    for; `message` says why there is no solution. `where` it stands is told in messages.
    """

    name: str
    board: Board
    status: str = ""
    message: str = ""
    where: str = ""

    @property
    def puzzle_note(self) -> str:
        """Hints for the person who solves it."""
        notes = {"multiple": "More than one solution.", "unsolvable": "No solution."}
        legend = "Grey cells are even, white ones odd." if self.board.even_cells() else ""
        unread = "Its rules text says more." if "ruleset" in self.board.unread else ""
        return " ".join(filter(None, (self._rules, unread, legend, notes.get(self.status))))

    @property
    def _rules(self) -> str:
        """The names of the rules, some of which the board cannot show."""
        rules = self.board.puzzle.rules if self.board.puzzle else ()
        names = dict.fromkeys(rule.name for rule in rules)
        return _sentence(f"Rules: {', '.join(names)}") if names else ""

    @property
    def solution_note(self) -> str:
        match self.status:
            case "multiple":
                differ = (
                    ": the dashed cells are not the same in all" if self.board.difference else ""
                )
                return " ".join(filter(None, (f"One of several solutions{differ}.", self._caveat)))
            case "unsolvable":
                return _sentence(f"No solution: {self.message}" if self.message else "No solution")
        if self.board.grid:
            return self._caveat
        return _sentence(f"No solution is known: {self.message or self.status}")

    @property
    def _caveat(self) -> str:
        """What the solution does not take into account."""
        told = caveat(self.status, self.board.unread)
        return _sentence(told[0].upper() + told[1:]) if told else ""


def _sentence(text: str) -> str:
    return shortened(text, _LONGEST_NOTE).rstrip(".") + "."


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place on a page: a puzzle, or its solution, with its number."""

    number: int
    printed: Printed
    is_solution: bool

    @property
    def name(self) -> str:
        return shortened(self.printed.name)

    @property
    def note(self) -> str:
        printed = self.printed
        return printed.solution_note if self.is_solution else printed.puzzle_note

    @property
    def svg(self) -> str:
        """The board; empty if there is neither a solution nor a conflict to show."""
        board, what = self.printed.board, "Solution" if self.is_solution else "Puzzle"
        if not self.is_solution:
            board = Board(board.puzzle, signs=board.signs)
        elif not (board.grid or board.conflict or board.rules_in_conflict):
            return ""
        return board_svg(board, f"{what} {self.number}", f"{what[0].lower()}{self.number}")


@dataclass(frozen=True, slots=True)
class _Page:
    boards: int
    slots: Sequence[_Slot]

    @property
    def numbers(self) -> str:
        """`1`, or `1–4`."""
        return _span(self.slots[0].number, self.slots[-1].number)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Puzzles on pages in their order, and their solutions behind them in the same order."""

    puzzles: Sequence[_Page]
    solutions: Sequence[_Page]

    @classmethod
    def of(cls, printed: Sequence[Printed], per_page: int = 4, *, solutions: bool = True) -> Self:
        """Lay them out, up to `per_page` (one of PER_PAGE) a page; fewer of large boards.

        Raises ValueError for another number, for no puzzle, for more than MOST_PRINTED, and for
        a board without its puzzle or that is too large.
        """
        if per_page not in PER_PAGE:
            raise ValueError(f"per_page: expected one of {PER_PAGE}")
        if not 1 <= len(printed) <= MOST_PRINTED:
            raise ValueError(f"a sheet has 1 to {MOST_PRINTED:,} puzzles")
        if not all(each.board.puzzle and each.board.is_drawable for each in printed):
            raise ValueError("every board needs a puzzle that can be drawn")
        behind = [_Slot(number, each, True) for number, each in enumerate(printed, 1)]
        return cls(
            _pages([_Slot(each.number, each.printed, False) for each in behind], per_page),
            _pages(behind, _SOLUTIONS) if solutions else (),
        )

    @property
    def said(self) -> str:
        """How much it is."""
        puzzles = counted(self.puzzles[-1].slots[-1].number, "puzzle")
        said = f"{puzzles} on {counted(len(self.puzzles), 'page')}"
        return f"{said}, solutions on {len(self.solutions)}" if self.solutions else said

    def pieces(self) -> Iterator[str]:
        """Yield the text of the HTML file."""
        style = BOARD_STYLE + SHAPES_STYLE + own_text("sheet.css") + _layout_rules()
        yield from template("sheet.html.j2").generate(
            policy=policy(style),
            style=style,
            version=__version__,
            sheet=self,
            total=len(self.puzzles) + len(self.solutions),
            behind=self._behind,
        )

    def _behind(self, page: _Page) -> str:
        """On which pages the solutions of a page of puzzles are: `page 7`, or `pages 7–8`."""
        first, last = page.slots[0].number, page.slots[-1].number
        found = [
            number
            for number, each in enumerate(self.solutions, len(self.puzzles) + 1)
            if each.slots[0].number <= last and first <= each.slots[-1].number
        ]
        return f"page{'s' if len(found) > 1 else ''} {_span(found[0], found[-1])}"


def _pages(slots: Sequence[_Slot], most: int) -> list[_Page]:
    """Fill pages with up to so many boards each, and no more than the largest of them allows."""
    pages: list[_Page] = []
    for slot in slots:
        fitting = _fitting(slot, most)
        if pages and len(pages[-1].slots) < min(fitting, pages[-1].boards):
            last = pages.pop()
            pages.append(_Page(min(fitting, last.boards), [*last.slots, slot]))
        else:
            pages.append(_Page(fitting, [slot]))
    return pages


def _fitting(slot: _Slot, most: int) -> int:
    """How many boards of that size fit a page so that one can write in the cells, or read them."""
    board = slot.printed.board
    to_solve = _WITH_RULES if board.shaped else _TO_WRITE_IN
    least = (_TO_READ if slot.is_solution else to_solve) * board.span
    fit = (n for n, layout in _LAYOUTS.items() if n <= most and layout.board >= least)
    return max(fit, default=1)


def _layout_rules() -> str:
    """The size of each layout as CSS."""
    rules = (
        f".of-{n} {{ --columns: {layout.columns}; --rows: {layout.rows}; "
        f"--board: {layout.board}mm; }}\n"
        for n, layout in _LAYOUTS.items()
    )
    return "".join(rules)
