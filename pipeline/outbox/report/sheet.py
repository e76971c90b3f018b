"""Lay out sheets to print: pages of puzzles, of their rules, of their solutions and their steps.

This module distributes puzzles over pages and writes the HTML file; `sheet_pdf` writes a PDF.
Lengths are in millimetres. Pages fit A4 and Letter with margins of 12 mm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from pipeline.errors import counted
from pipeline.outbox.report.assets import content_policy, read_asset, template
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.published_jobs import shorten
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, SHAPES_STYLE
from pipeline.outbox.report.step_shapes import STEP_STYLE, legend_svg
from pipeline.outbox.report.worked import Worked, WorkedPage, distribute_panels, guide_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import LineRule
from pipeline.puzzle.rules.meaning import sentences
from pipeline.reading.unread import caveat, unread_texts
from pipeline.version import __version__

MAX_SHEET_PUZZLES: Final = 1_000
"""Maximum number of puzzles on a sheet: a browser keeps the whole sheet in memory."""


_LAYOUTS: Final = {
    1: (1, 1, 162),
    2: (1, 2, 102),
    4: (2, 2, 86),
    6: (2, 3, 64),
    9: (3, 3, 56),
    12: (3, 4, 45),
    16: (4, 4, 42),
    30: (5, 6, 32),
}
"""Maps the number of boards on a page to the columns, the rows and the size of a board."""

PER_PAGE: Final = (1, 2, 4, 6, 9, 12)
"""The possible numbers of puzzles on a page."""

_SOLUTIONS_PER_PAGE: Final = (16, 30)
"""Maximum numbers of solutions on a page: the first, unless the second saves pages."""

_MAX_NOTED_SOLUTIONS = 16
"""Maximum number of solutions on a page that has room for notes below them."""

_MIN_CELL_SIZE, _MIN_VARIANT_CELL_SIZE = 5.0, 7.0
"""The minimum size of a cell: in a puzzle, and in a variant, which has small texts."""

_MIN_SOLUTION_CELL_SIZE, _MIN_DIGIT_CELL_SIZE = 4.0, 3.5
"""The minimum size of a cell in a solution, and in a solution whose values are single digits."""

_MAX_DIGIT = 9

_MAX_NOTE_CHARACTERS = 160
"""Maximum length of a sentence below a board."""

_MAX_HEAD_CHARACTERS = 80
"""Maximum length of each text at the top of the first page."""

_PAGE_LINES, _LINE_CHARACTERS = 44, 80
"""Number of lines on a page of rules, including the gaps between rules, and characters per line."""

_GUIDE_LINES, _GUIDE_CHARACTERS, _LEGEND_LINES = 52, 100, 5
"""Number of lines on a page about how to read steps, characters per line, and lines of the legend
on the first of these pages."""


@dataclass(frozen=True, slots=True)
class Head:
    """The texts at the top of the first page. Empty texts are omitted."""

    title: str = ""
    author: str = ""
    difficulty: str = ""

    @property
    def name(self) -> str:
        return shorten(self.title, _MAX_HEAD_CHARACTERS)

    @property
    def subtitle(self) -> str:
        """The text next to the title."""
        texts = (shorten(text, _MAX_HEAD_CHARACTERS) for text in (self.difficulty, self.author))
        return " · ".join(filter(None, texts))


@dataclass(frozen=True, slots=True)
class SheetPuzzle:
    """A puzzle on a sheet.

    - `name`: the puzzle's source, which is printed if there is no title.
    - `board`: the puzzle and, if it is known, its solution.
    - `status`: the result; empty if the puzzle was not solved.
    - `message`: why there is no solution.
    - `where`: the source and the line of the puzzle, for error messages.
    - `level`: the difficulty to print; empty to print none.
    - `title`: the title of the puzzle in the source.
    - `worked`: its steps; None to print none.
    """

    name: str
    board: Board
    status: str = ""
    message: str = ""
    where: str = ""
    level: str = ""
    title: str = ""
    worked: Worked | None = None

    @property
    def puzzle_note(self) -> str:
        """The text below the puzzle: its rules, its unread parts, and what its marks mean."""
        board = self.board
        rule_names = _rule_names(board.puzzle) if board.puzzle else ()
        texts = unread_texts(board.unread)
        notes = [
            _sentence(f"Rules: {', '.join(rule_names)}") if rule_names else "",
            "The text of its rules was not read." if "ruleset" in board.unread else "",
            "Drawings were not read." if "drawings" in board.unread else "",
            _sentence(f"Not read: {', '.join(texts)}") if texts else "",
            _marks_note(board),
            {"multiple": "More than one solution.", "unsolvable": "No solution."}.get(self.status),
        ]
        return " ".join(filter(None, notes))

    @property
    def solution_note(self) -> str:
        """The text below the solution: why it is missing, or a warning about unread parts."""
        remark = caveat(self.status, self.board.unread)
        sentence = _sentence(remark[0].upper() + remark[1:]) if remark else ""
        if self.status == "multiple":
            differs = "; they differ in the dashed cells" if self.board.difference else ""
            return f"One of several solutions{differs}. {sentence}".rstrip()
        if self.status == "unsolvable":
            return _sentence(f"No solution: {self.message}" if self.message else "No solution")
        if self.board.grid:
            return sentence
        return _sentence(f"No solution is known: {self.message or self.status}")


def _marks_note(board: Board) -> str:
    """A sentence that explains the marks of even and odd cells."""
    if not board.even_cells():
        return "Grey discs are odd." if board.odd_cells() else ""
    if board.odd_cells():
        return "Grey squares are even, grey discs are odd."
    return (
        "Grey cells are even, white cells are odd."
        if board.is_parity_known
        else "Grey cells are even."
    )


def _rule_names(puzzle: Puzzle) -> Iterable[str]:
    """The names of a puzzle's rules.

    A line has its position after its name if lines of another kind are drawn in the same way.
    """
    geometry = puzzle.geometry
    drawn_kinds = [
        (type(rule), *(shape.kind for shape in rule.draw(geometry))) for rule in puzzle.rules
    ]
    titles = defaultdict[tuple[object, ...], set[str]](set)
    for rule, kinds in zip(puzzle.rules, drawn_kinds, strict=True):
        titles[kinds].add(rule.title())
    return dict.fromkeys(
        rule.describe(geometry)
        if isinstance(rule, LineRule) and len(titles[kinds]) > 1
        else rule.caption()
        for rule, kinds in zip(puzzle.rules, drawn_kinds, strict=True)
    )


def _sentence(text: str) -> str:
    """Shorten a text to _MAX_NOTE_CHARACTERS, and end it with a full stop."""
    return shorten(text, _MAX_NOTE_CHARACTERS).rstrip(".") + "."


def _describe_rules(puzzles: Iterable[Puzzle]) -> list[tuple[str, str]]:
    """Describe the rules of all puzzles. Returns names of rules with their descriptions."""
    puzzles = [*puzzles]
    rules = dict.fromkeys(rule for puzzle in puzzles for rule in puzzle.rules)
    paragraphs = [
        (f"{names[:1].upper()}{names[1:]}", sentence) for names, sentence in sentences(rules)
    ]
    boxes = {puzzle.geometry.has_boxes for puzzle in puzzles if not puzzle.geometry.free_grid}
    if not paragraphs or not boxes:
        return paragraphs
    units = "row, column and box" if all(boxes) else "row and column"
    units += ", and each box where there are boxes," if len(boxes) > 1 else ""
    return [("Sudoku", f"Each {units} has each value once."), *paragraphs]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place on a page for a puzzle or its solution. `number`: the puzzle's number, from 1."""

    number: int
    puzzle: SheetPuzzle
    is_solution: bool

    @property
    def name(self) -> str:
        return shorten(self.puzzle.title or self.puzzle.name)

    @property
    def note(self) -> str:
        puzzle = self.puzzle
        return puzzle.solution_note if self.is_solution else puzzle.puzzle_note

    @property
    def level(self) -> str:
        return "" if self.is_solution else self.puzzle.level

    @property
    def title(self) -> str:
        return f"{'Solution' if self.is_solution else 'Puzzle'} {self.number}"

    @property
    def board(self) -> Board | None:
        """The board to draw; None for a puzzle whose solution and conflict are both unknown."""
        board = self.puzzle.board
        if not self.is_solution:
            return Board(board.puzzle, symbols=board.symbols)
        is_known = board.grid or board.conflict or board.rules_in_conflict
        return board if is_known else None

    @property
    def svg(self) -> str:
        """The drawing of the board; empty without a board."""
        board = self.board
        return (
            board_svg(board, self.title, f"{self.title[0].lower()}{self.number}") if board else ""
        )

    def boards_per_page(self, max_boards: int) -> int:
        """The number of such boards that fit on a page in a legible size, up to `max_boards`."""
        board = self.puzzle.board
        if self.is_solution and self.note:
            max_boards = min(max_boards, _MAX_NOTED_SOLUTIONS)
        if self.is_solution:
            is_digit = board.geometry.side <= _MAX_DIGIT
            min_cell = _MIN_DIGIT_CELL_SIZE if is_digit else _MIN_SOLUTION_CELL_SIZE
        else:
            is_variant = board.puzzle and board.puzzle.rules
            min_cell = _MIN_VARIANT_CELL_SIZE if is_variant else _MIN_CELL_SIZE
        minimum = min_cell * board.span
        return max(
            (n for n, (*_, size) in _LAYOUTS.items() if n <= max_boards and size >= minimum),
            default=1,
        )


@dataclass(frozen=True, slots=True)
class SheetPage:
    """A page of puzzles or solutions. `boards`: the number of boards for which it has room."""

    boards: int
    slots: Sequence[Slot]

    @property
    def layout(self) -> tuple[int, int, int]:
        """The number of columns, the number of rows, and the size of a board."""
        return _LAYOUTS[self.boards]

    @property
    def has_rules(self) -> bool:
        boards = (slot.puzzle.board for slot in self.slots)
        return any(board.puzzle and board.puzzle.rules for board in boards)

    @property
    def first(self) -> int:
        return self.slots[0].number

    @property
    def last(self) -> int:
        return self.slots[-1].number

    @property
    def numbers(self) -> str:
        return _range_text(self.first, self.last)


def _range_text(first: int, last: int) -> str:
    """Format a range of numbers: `1` or `1–4`."""
    return str(first) if first == last else f"{first}–{last}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pages of puzzles, of rules, of solutions and of steps.

    - `puzzles`, `solutions`: the pages of puzzles, and the pages of solutions.
    - `rules`: for each page of rules, pairs of names of rules and their description.
    - `head`: the texts at the top of the first page.
    - `guide`: for each page on how to read steps, pairs of headings and sentences.
    - `worked`: the pages of steps.
    """

    puzzles: Sequence[SheetPage]
    rules: Sequence[Sequence[tuple[str, str]]]
    solutions: Sequence[SheetPage]
    head: Head
    guide: Sequence[Sequence[tuple[str, str]]] = ()
    worked: Sequence[WorkedPage] = ()

    @classmethod
    def of(
        cls,
        puzzles: Sequence[SheetPuzzle],
        per_page: int = 4,
        *,
        solutions: bool = True,
        head: Head = Head(),
    ) -> Self:
        """Lay out puzzles, at most `per_page` (one of PER_PAGE) on a page.

        Pages with large puzzles have fewer. Raises ValueError if `per_page` is not one of PER_PAGE,
        if there are no puzzles or more than MAX_SHEET_PUZZLES, or if a board has no puzzle or is
        too large.
        """
        if per_page not in PER_PAGE:
            raise ValueError(f"per_page: expected one of {PER_PAGE}")
        if not 1 <= len(puzzles) <= MAX_SHEET_PUZZLES:
            raise ValueError(f"a sheet has 1 to {MAX_SHEET_PUZZLES:,} puzzles")
        if not all(puzzle.board.puzzle and puzzle.board.is_drawable for puzzle in puzzles):
            raise ValueError("every board needs a puzzle that can be drawn")
        puzzle_slots, solution_slots = (
            [Slot(number, puzzle, is_solution) for number, puzzle in enumerate(puzzles, 1)]
            for is_solution in (False, True)
        )
        rules = _describe_rules(puzzle.board.puzzle for puzzle in puzzles if puzzle.board.puzzle)
        pages = _distribute_solutions(solution_slots) if solutions else []
        all_worked = [puzzle.worked for puzzle in puzzles if puzzle.worked]
        guide = guide_of(all_worked) if all_worked else []
        worked = [
            page
            for slot in puzzle_slots
            if slot.puzzle.worked
            for page in distribute_panels(slot.number, slot.name, slot.level, slot.puzzle.worked)
        ]
        return cls(
            _distribute_slots(puzzle_slots, per_page),
            _distribute_rules(rules),
            pages,
            head,
            _distribute_guide(guide),
            worked,
        )

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of puzzles, and of pages of puzzles, rules, solutions and steps."""
        other_pages = {"rules": len(self.rules), "solutions": len(self.solutions)}
        other_pages["steps"] = len(self.guide) + len(self.worked)
        return {"puzzles": self.puzzles[-1].last, "pages": len(self.puzzles), **other_pages}

    @property
    def summary(self) -> str:
        """The counts in words: `4 puzzles on 1 page, solutions on 1`."""
        counts = self.counts
        text = f"{counted(counts['puzzles'], 'puzzle')} on {counted(counts['pages'], 'page')}"
        return text + "".join(f", {x} on {counts[x]}" for x in tuple(counts)[2:] if counts[x])

    @property
    def total(self) -> int:
        """The number of all pages."""
        return sum(self.counts.values()) - self.counts["puzzles"]

    @property
    def legend(self) -> str:
        """The legend of the marks of steps."""
        return legend_svg()

    def chunks(self) -> Iterator[str]:
        """Yield the text of the HTML file."""
        layouts = (
            f".of-{n} {{ --columns: {columns}; --rows: {rows}; --board: {size}mm; }}\n"
            for n, (columns, rows, size) in _LAYOUTS.items()
        )
        style = BOARD_STYLE + SHAPES_STYLE + read_asset("sheet.css") + "".join(layouts)
        style += STEP_STYLE if self.worked else ""
        yield from template("sheet.html.j2").generate(
            policy=content_policy(style),
            style=style,
            version=__version__,
            sheet=self,
        )

    def footer(self, page: SheetPage) -> str:
        """The footer of a page of puzzles or solutions.

        For puzzles, it names the pages of their rules, solutions and steps. For solutions, the
        pages after the first have no header, so their footer is a title.
        """
        if page.slots[0].is_solution:
            return "" if page is self.solutions[0] else f"Solutions {page.numbers}"
        first = len(self.puzzles) + 1
        rules = range(first, first + len(self.rules)) if page.has_rules else ()
        solutions = [
            number
            for number, solution_page in enumerate(self.solutions, first + len(self.rules))
            if solution_page.first <= page.last and page.first <= solution_page.last
        ]
        steps = [
            number
            for number, worked in enumerate(self.worked, self.total - len(self.worked) + 1)
            if page.first <= worked.number <= page.last
        ]
        parts = ("Rules", rules), ("Solutions", solutions), ("Steps", steps)
        return " · ".join(
            f"{title}: page{'s' if len(pages) > 1 else ''} {_range_text(pages[0], pages[-1])}"
            for title, pages in parts
            if pages
        )


def _distribute_rules(rules: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Distribute rules over pages."""
    pages, lines_left = list[list[tuple[str, str]]](), 0
    for names, sentence in rules:
        lines = 2 + (len(shorten(names)) + len(sentence)) // _LINE_CHARACTERS
        if lines > lines_left:
            pages.append([])
            lines_left = _PAGE_LINES
        pages[-1].append((names, sentence))
        lines_left -= lines
    return pages


def _distribute_guide(guide: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Distribute the paragraphs on how to read steps over pages."""
    pages, lines_left = list[list[tuple[str, str]]](), 0.0
    for heading, text in guide:
        lines = 1.5 + (len(heading) + len(text)) // _GUIDE_CHARACTERS
        if lines > lines_left:
            lines_left = _GUIDE_LINES - (0 if pages else _LEGEND_LINES)
            pages.append([])
        pages[-1].append((heading, text))
        lines_left -= lines
    return pages


def _distribute_solutions(slots: Sequence[Slot]) -> list[SheetPage]:
    """Distribute solutions over few pages, in the largest size for that number of pages."""
    return min((_distribute_slots(slots, n) for n in _SOLUTIONS_PER_PAGE), key=len)


def _distribute_slots(slots: Sequence[Slot], max_boards: int) -> list[SheetPage]:
    """Distribute slots over pages, at most `max_boards` on each; fewer if boards are large."""
    pages: list[SheetPage] = []
    for slot in slots:
        boards = slot.boards_per_page(max_boards)
        if pages and len(pages[-1].slots) < min(boards, pages[-1].boards):
            last = pages.pop()
            pages.append(SheetPage(min(boards, last.boards), [*last.slots, slot]))
        else:
            pages.append(SheetPage(boards, [slot]))
    return pages
