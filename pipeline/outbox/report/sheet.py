"""Puzzles → one HTML file to print: so many a page, and behind them their solutions, smaller.

Lengths are in millimetres. What stands on a page fits A4 and Letter within margins of 12 mm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from pipeline.errors import counted
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.page import own_text, policy, template
from pipeline.outbox.report.records import shortened
from pipeline.outbox.report.shaped import BOARD_STYLE, SHAPES_STYLE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import Along
from pipeline.solving import caveat
from pipeline.version import __version__

MOST_PRINTED: Final = 1_000
"""Puzzles of a sheet, which lies in the memory of a browser as a whole."""


_LAYOUTS: Final = {
    1: (1, 1, 162),
    2: (1, 2, 102),
    4: (2, 2, 86),
    6: (2, 3, 64),
    9: (3, 3, 56),
    12: (3, 4, 46),
    16: (4, 4, 42),
}
"""Columns, rows and the size of a board, by the number of boards on a page."""

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
        """Hints for the person who solves it; the board cannot show some rules."""
        board = self.board
        captions = _captions(board.puzzle) if board.puzzle else ()
        notes = [
            _sentence(f"Rules: {', '.join(captions)}") if captions else "",
            "Its rules text says more." if "ruleset" in board.unread else "",
            "Grey cells are even, white ones odd." if board.even_cells() else "",
            {"multiple": "More than one solution.", "unsolvable": "No solution."}.get(self.status),
        ]
        return " ".join(filter(None, notes))

    @property
    def solution_note(self) -> str:
        """Why there is no solution, or what this one does not take into account."""
        told = caveat(self.status, self.board.unread)
        said = _sentence(told[0].upper() + told[1:]) if told else ""
        if self.status == "multiple":
            where = ": the dashed cells are not the same in all" if self.board.difference else ""
            return f"One of several solutions{where}. {said}".rstrip()
        if self.status == "unsolvable":
            return _sentence(f"No solution: {self.message}" if self.message else "No solution")
        if self.board.grid:
            return said
        return _sentence(f"No solution is known: {self.message or self.status}")


def _captions(puzzle: Puzzle) -> Iterable[str]:
    """The names of the rules; lines that look alike but have several titles, with their places."""
    geometry = puzzle.geometry
    looks = [(type(rule), *(each.kind for each in rule.draw(geometry))) for rule in puzzle.rules]
    titles = defaultdict[tuple[object, ...], set[str]](set)
    for rule, look in zip(puzzle.rules, looks, strict=True):
        titles[look].add(rule.title())
    return dict.fromkeys(
        rule.describe(geometry)
        if isinstance(rule, Along) and len(titles[look]) > 1
        else rule.caption()
        for rule, look in zip(puzzle.rules, looks, strict=True)
    )


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

    def fitting(self, most: int) -> int:
        """How many boards of that size fit a page so that one can write in them, or read them."""
        board = self.printed.board
        to_solve = _WITH_RULES if board.puzzle and board.puzzle.rules else _TO_WRITE_IN
        least = (_TO_READ if self.is_solution else to_solve) * board.span
        return max(
            (n for n, (*_, size) in _LAYOUTS.items() if n <= most and size >= least), default=1
        )


@dataclass(frozen=True, slots=True)
class _Page:
    boards: int
    slots: Sequence[_Slot]

    @property
    def first(self) -> int:
        return self.slots[0].number

    @property
    def last(self) -> int:
        return self.slots[-1].number

    @property
    def numbers(self) -> str:
        return _span(self.first, self.last)


def _span(first: int, last: int) -> str:
    """`1`, or `1–4`."""
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
        puzzles, behind = (
            [_Slot(number, each, is_solution) for number, each in enumerate(printed, 1)]
            for is_solution in (False, True)
        )
        return cls(_pages(puzzles, per_page), _pages(behind, _SOLUTIONS) if solutions else ())

    @property
    def said(self) -> str:
        """How much it is."""
        puzzles = counted(self.puzzles[-1].last, "puzzle")
        said = f"{puzzles} on {counted(len(self.puzzles), 'page')}"
        return f"{said}, solutions on {len(self.solutions)}" if self.solutions else said

    def pieces(self) -> Iterator[str]:
        """Yield the text of the HTML file."""
        layouts = (
            f".of-{n} {{ --columns: {columns}; --rows: {rows}; --board: {size}mm; }}\n"
            for n, (columns, rows, size) in _LAYOUTS.items()
        )
        style = BOARD_STYLE + SHAPES_STYLE + own_text("sheet.css") + "".join(layouts)
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
        found = [
            number
            for number, each in enumerate(self.solutions, len(self.puzzles) + 1)
            if each.first <= page.last and page.first <= each.last
        ]
        return f"page{'s' if len(found) > 1 else ''} {_span(found[0], found[-1])}"


def _pages(slots: Sequence[_Slot], most: int) -> list[_Page]:
    """Fill pages with up to so many boards each, and no more than the largest of them allows."""
    pages: list[_Page] = []
    for slot in slots:
        boards = slot.fitting(most)
        if pages and len(pages[-1].slots) < min(boards, pages[-1].boards):
            last = pages.pop()
            pages.append(_Page(min(boards, last.boards), [*last.slots, slot]))
        else:
            pages.append(_Page(boards, [slot]))
    return pages
