"""Puzzles → pages to print, followed by their rules and, smaller, their solutions.

Here is what stands on which page, and the HTML file of it; `sheet_pdf.py` makes a PDF. Lengths are
in millimetres. What stands on a page fits A4 and Letter within margins of 12 mm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from pipeline.errors import counted
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.page import policy, read_asset, template
from pipeline.outbox.report.records import shortened
from pipeline.outbox.report.shaped import BOARD_STYLE, SHAPES_STYLE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import Along
from pipeline.puzzle.rules.meaning import sentences
from pipeline.reading.unread import caveat, unread_texts
from pipeline.version import __version__

MAX_SHEET_PUZZLES: Final = 1_000
"""Puzzles of a sheet, which lies in the memory of a browser as a whole."""


_LAYOUTS: Final = {
    1: (1, 1, 162),
    2: (1, 2, 102),
    4: (2, 2, 86),
    6: (2, 3, 64),
    9: (3, 3, 56),
    12: (3, 4, 45),
    16: (4, 4, 42),
}
"""Columns, rows and the size of a board, by the number of boards on a page."""

PER_PAGE: Final = (1, 2, 4, 6, 9, 12)
"""How many puzzles may stand on a page."""

_SOLUTIONS = 16
_TO_WRITE_IN, _WITH_RULES, _TO_READ = 5.0, 7.0, 4.0
"""The smallest cells of puzzles, of those with rules, which stand in smaller print, and to read."""

_LONGEST_NOTE = 160
_LONGEST_HEAD = 80
_LINES, _LINE = 44, 80
"""Lines of a page of rules, with the gaps between rules, and characters of a line."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of each page; empty fields are omitted."""

    title: str = ""
    author: str = ""
    difficulty: str = ""

    @property
    def name(self) -> str:
        return shortened(self.title, _LONGEST_HEAD)

    @property
    def beside(self) -> str:
        """The text beside the title."""
        texts = (shortened(text, _LONGEST_HEAD) for text in (self.difficulty, self.author))
        return " · ".join(filter(None, texts))


@dataclass(frozen=True, slots=True)
class SheetPuzzle:
    """A puzzle on a sheet: its board, status and source.

    `board` has the puzzle, and a solution if there is one. `status` is empty if it was not asked
    for; `message` says why there is no solution. `where` it stands is told in messages. `level`
    says how difficult it is, if that is to be printed. `title` is its own, which is printed in
    place of the name.
    """

    name: str
    board: Board
    status: str = ""
    message: str = ""
    where: str = ""
    level: str = ""
    title: str = ""

    @property
    def puzzle_note(self) -> str:
        """Hints for the person who solves it; the board cannot show some rules."""
        board = self.board
        captions = _captions(board.puzzle) if board.puzzle else ()
        texts = unread_texts(board.unread)
        notes = [
            _sentence(f"Rules: {', '.join(captions)}") if captions else "",
            "The text of its rules was not read." if "ruleset" in board.unread else "",
            _sentence(f"Not read: {', '.join(texts)}") if texts else "",
            _marks_said(board),
            {"multiple": "More than one solution.", "unsolvable": "No solution."}.get(self.status),
        ]
        return " ".join(filter(None, notes))

    @property
    def solution_note(self) -> str:
        """Why there is no solution, or what this one does not take into account."""
        remark = caveat(self.status, self.board.unread)
        sentence = _sentence(remark[0].upper() + remark[1:]) if remark else ""
        if self.status == "multiple":
            where = "; they differ in the dashed cells" if self.board.difference else ""
            return f"One of several solutions{where}. {sentence}".rstrip()
        if self.status == "unsolvable":
            return _sentence(f"No solution: {self.message}" if self.message else "No solution")
        if self.board.grid:
            return sentence
        return _sentence(f"No solution is known: {self.message or self.status}")


def _marks_said(board: Board) -> str:
    """A sentence about the marks of even and odd cells."""
    if not board.even_cells():
        return "Grey discs are odd." if board.odd_cells() else ""
    if board.odd_cells():
        return "Grey squares are even, grey discs odd."
    return (
        "Grey cells are even, white ones odd." if board.is_parity_known else "Grey cells are even."
    )


def _captions(puzzle: Puzzle) -> Iterable[str]:
    """The names of the rules; lines that look alike but have several titles, with their places."""
    geometry = puzzle.geometry
    looks = [(type(rule), *(shape.kind for shape in rule.draw(geometry))) for rule in puzzle.rules]
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


def _rules_of(puzzles: Iterable[Puzzle]) -> list[tuple[str, str]]:
    """The names and descriptions of the rules of all puzzles."""
    puzzles = [*puzzles]
    rules = dict.fromkeys(rule for puzzle in puzzles for rule in puzzle.rules)
    paragraphs = [
        (f"{names[:1].upper()}{names[1:]}", sentence) for names, sentence in sentences(rules)
    ]
    boxes = {puzzle.geometry.has_boxes for puzzle in puzzles if not puzzle.geometry.free}
    if not paragraphs or not boxes:
        return paragraphs
    units = "row, column and box" if all(boxes) else "row and column"
    units += ", and each box where there are boxes," if len(boxes) > 1 else ""
    return [("Sudoku", f"Each {units} has each value once."), *paragraphs]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place on a page: a puzzle, or its solution, with its number."""

    number: int
    printed: SheetPuzzle
    is_solution: bool

    @property
    def name(self) -> str:
        return shortened(self.printed.title or self.printed.name)

    @property
    def note(self) -> str:
        printed = self.printed
        return printed.solution_note if self.is_solution else printed.puzzle_note

    @property
    def level(self) -> str:
        return "" if self.is_solution else self.printed.level

    @property
    def title(self) -> str:
        return f"{'Solution' if self.is_solution else 'Puzzle'} {self.number}"

    @property
    def board(self) -> Board | None:
        """The puzzle, or its solution or conflict; None if neither is known."""
        board = self.printed.board
        if not self.is_solution:
            return Board(board.puzzle, signs=board.signs)
        is_seen = board.grid or board.conflict or board.rules_in_conflict
        return board if is_seen else None

    @property
    def svg(self) -> str:
        """The drawing of the board, or nothing."""
        board = self.board
        return (
            board_svg(board, self.title, f"{self.title[0].lower()}{self.number}") if board else ""
        )

    def fitting(self, max_boards: int) -> int:
        """How many boards of that size fit a page so that one can write in them, or read them."""
        board = self.printed.board
        to_solve = _WITH_RULES if board.puzzle and board.puzzle.rules else _TO_WRITE_IN
        minimum = (_TO_READ if self.is_solution else to_solve) * board.span
        return max(
            (n for n, (*_, size) in _LAYOUTS.items() if n <= max_boards and size >= minimum),
            default=1,
        )


@dataclass(frozen=True, slots=True)
class SheetPage:
    boards: int
    slots: Sequence[Slot]

    @property
    def layout(self) -> tuple[int, int, int]:
        """Its columns, its rows, and the size of a board."""
        return _LAYOUTS[self.boards]

    @property
    def has_rules(self) -> bool:
        boards = (slot.printed.board for slot in self.slots)
        return any(board.puzzle and board.puzzle.rules for board in boards)

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
    """Puzzles on pages in their order, their rules, and their solutions in the same order.

    A page of `rules` has their names and descriptions.
    """

    puzzles: Sequence[SheetPage]
    rules: Sequence[Sequence[tuple[str, str]]]
    solutions: Sequence[SheetPage]
    head: Head

    @classmethod
    def of(
        cls,
        printed: Sequence[SheetPuzzle],
        per_page: int = 4,
        *,
        solutions: bool = True,
        head: Head = Head(),
    ) -> Self:
        """Lay them out, up to `per_page` (one of PER_PAGE) a page; fewer of large boards.

        Raises ValueError for another number, for no puzzles or more than MAX_SHEET_PUZZLES, and for
        a board that has no puzzle or is too large.
        """
        if per_page not in PER_PAGE:
            raise ValueError(f"per_page: expected one of {PER_PAGE}")
        if not 1 <= len(printed) <= MAX_SHEET_PUZZLES:
            raise ValueError(f"a sheet has 1 to {MAX_SHEET_PUZZLES:,} puzzles")
        if not all(puzzle.board.puzzle and puzzle.board.is_drawable for puzzle in printed):
            raise ValueError("every board needs a puzzle that can be drawn")
        puzzles, behind = (
            [Slot(number, puzzle, is_solution) for number, puzzle in enumerate(printed, 1)]
            for is_solution in (False, True)
        )
        rules = _rules_of(puzzle.board.puzzle for puzzle in printed if puzzle.board.puzzle)
        pages = _pages(behind, _SOLUTIONS) if solutions else ()
        return cls(_pages(puzzles, per_page), _told_on_pages(rules), pages, head)

    @property
    def counts(self) -> dict[str, int]:
        """How many puzzles it has, and on how many pages they, rules and solutions are."""
        rest = {"rules": len(self.rules), "solutions": len(self.solutions)}
        return {"puzzles": self.puzzles[-1].last, "pages": len(self.puzzles), **rest}

    @property
    def summary(self) -> str:
        """The same in words."""
        counts = self.counts
        text = f"{counted(counts['puzzles'], 'puzzle')} on {counted(counts['pages'], 'page')}"
        return text + "".join(f", {x} on {counts[x]}" for x in ("rules", "solutions") if counts[x])

    @property
    def total(self) -> int:
        """How many pages it has."""
        return len(self.puzzles) + len(self.rules) + len(self.solutions)

    def chunks(self) -> Iterator[str]:
        """Yield the text of the HTML file."""
        layouts = (
            f".of-{n} {{ --columns: {columns}; --rows: {rows}; --board: {size}mm; }}\n"
            for n, (columns, rows, size) in _LAYOUTS.items()
        )
        style = BOARD_STYLE + SHAPES_STYLE + read_asset("sheet.css") + "".join(layouts)
        yield from template("sheet.html.j2").generate(
            policy=policy(style),
            style=style,
            version=__version__,
            sheet=self,
        )

    def foot(self, page: SheetPage) -> str:
        """The pages of the rules and solutions of a page of puzzles: `Solutions: pages 7–8`."""
        begun = len(self.puzzles) + 1
        rules = range(begun, begun + len(self.rules)) if page.has_rules else ()
        solutions = [
            number
            for number, solved in enumerate(self.solutions, begun + len(self.rules))
            if solved.first <= page.last and page.first <= solved.last
        ]
        return " · ".join(
            f"{title}: page{'s' if len(pages) > 1 else ''} {_span(pages[0], pages[-1])}"
            for title, pages in (("Rules", rules), ("Solutions", solutions))
            if pages
        )


def _told_on_pages(rules: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Fill pages with the rules."""
    pages, room = list[list[tuple[str, str]]](), 0
    for names, sentence in rules:
        lines = 2 + (len(shortened(names)) + len(sentence)) // _LINE
        if lines > room:
            pages.append([])
            room = _LINES
        pages[-1].append((names, sentence))
        room -= lines
    return pages


def _pages(slots: Sequence[Slot], max_boards: int) -> list[SheetPage]:
    """Fill pages with up to `max_boards` boards, fewer if the largest needs more room."""
    pages: list[SheetPage] = []
    for slot in slots:
        boards = slot.fitting(max_boards)
        if pages and len(pages[-1].slots) < min(boards, pages[-1].boards):
            last = pages.pop()
            pages.append(SheetPage(min(boards, last.boards), [*last.slots, slot]))
        else:
            pages.append(SheetPage(boards, [slot]))
    return pages
