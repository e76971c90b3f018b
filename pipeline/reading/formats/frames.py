"""Parse puzzles in two steps: a frame splits a text into tokens, and an alphabet reads the tokens.

    text ─ frame ─▶ Frame: a token for each cell ─ alphabet ─▶ masks ─▶ Puzzle

All formats in which each cell is a token use `puzzle_of_frame`, directly or as
`parser(frame, alphabets)`. Errors are reported in this order: a token that is not a cell of any
puzzle, a faulty frame, a token that is not a cell of this puzzle, and lines that do not draw boxes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, islice
from typing import NamedTuple, Self

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.reading.formats.alphabets import Alphabet, AlphabetsFor, digits
from pipeline.reading.formats.borders import boxes_of
from pipeline.reading.formats.cells import ALL_GEOMETRIES, DIGITS, SIDES
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, Word, join_with_or, quote
from pipeline.reading.formats.variants import given_masks
from pipeline.settings import Reading

_WORD = re.compile(r"[^\s|]+")
"""A number or another word, which ends at a space or a bar."""


class Frame(NamedTuple):
    """The tokens of the cells, row by row.

    - `words`: returns the tokens with their positions, for messages.
    - `lines`: the rows and borders, which may draw boxes.
    - `fault`: the error of a text with wrong rows, or None.
    - `geometry`: the geometry, if the text states it.
    - `cells`: the cell of each token, if some cells have several tokens.
    - `rules`: the rules that the text states.
    """

    tokens: Sequence[str]
    words: Callable[[], Iterable[Word]]
    side: int
    lines: Sequence[TextLine] = ()
    fault: InvalidPuzzle | None = None
    geometry: Geometry | None = None
    cells: Sequence[int] = ()
    rules: Sequence[Rule] = ()

    @classmethod
    def of_words(
        cls, words: Sequence[Word], geometry: Geometry, fault: InvalidPuzzle | None = None
    ) -> Self:
        """The frame of a text that states its geometry."""
        tokens = [word.text for word in words]
        return cls(tokens, lambda: words, geometry.side, fault=fault, geometry=geometry)


def parser(
    frame: Callable[[Text], Frame], alphabets: AlphabetsFor
) -> Callable[[Text, Reading], Parsed]:
    """The `Format.parse` that reads a frame with the first alphabet that fits."""
    return lambda text, reading: puzzle_of_frame(text, frame(text), alphabets, reading)


def puzzle_of_frame(
    text: Text,
    frame: Frame,
    alphabets: AlphabetsFor,
    reading: Reading,
    choose: Callable[[Sequence[Alphabet]], Alphabet] = lambda fitting: fitting[0],
) -> Parsed:
    """The puzzle in a frame; `choose` decides between several alphabets that fit.

    Raises InvalidPuzzle.
    """
    alphabet = choose(_fitting_alphabets(text, frame, alphabets(frame.tokens, frame.side, reading)))
    geometry = boxes_of(text, frame.lines, frame.side, reading, frame.geometry)
    masks, rules = alphabet.masks_of(frame.tokens, geometry.all_values), [*frame.rules]
    if frame.cells:
        masks, contradictions = given_masks(geometry, zip(frame.cells, masks, strict=True))
        rules += contradictions
    puzzle = Puzzle(geometry, masks, tuple(rules))
    return Parsed(puzzle, alphabet.name, variant=alphabet.variant if puzzle.is_plain else "rules")


def _fitting_alphabets(
    text: Text, frame: Frame, alphabets: Sequence[Alphabet]
) -> Sequence[Alphabet]:
    """The alphabets that all tokens fit. Raises InvalidPuzzle."""
    tokens = {*frame.tokens}
    fitting = [alphabet for alphabet in alphabets if alphabet.fits(tokens)]
    if not fitting:
        raise _misfit_error(text, frame, alphabets)
    if frame.fault:
        raise frame.fault
    return fitting


def _misfit_error(text: Text, frame: Frame, alphabets: Sequence[Alphabet]) -> InvalidPuzzle:
    """The error for tokens that do not all fit one alphabet.

    A faulty frame is reported before a value that is too large, because the side may be wrong.
    """
    tokens = [*dict.fromkeys(frame.tokens)]
    remaining, count = _best_fitting(tokens, alphabets, is_strict=False)
    if count == len(tokens):
        if frame.fault:
            return frame.fault
        remaining, count = _best_fitting(tokens, alphabets, is_strict=True)
    wrong = next(word for word in frame.words() if word.text == tokens[count])
    expected = _describe_expected(tokens, wrong.text, remaining)
    return text.at_word(wrong, expected, _quoted(wrong.text), code="wrong-cell")


def _best_fitting(
    tokens: Sequence[str], alphabets: Sequence[Alphabet], *, is_strict: bool
) -> tuple[Sequence[Alphabet], int]:
    """The alphabets that fit the most tokens from the start, and the number of these tokens."""
    counts = [alphabet.count_fitting(tokens, is_strict=is_strict) for alphabet in alphabets]
    best = max(counts)
    return [
        alphabet for alphabet, count in zip(alphabets, counts, strict=True) if count == best
    ], best


def _describe_expected(
    tokens: Sequence[str], wrong_token: str, alphabets: Sequence[Alphabet]
) -> str:
    """Describe the tokens that the alphabets accept, for the error about `wrong_token`."""
    first = alphabets[0]
    if first.fold(wrong_token) in first.blanks:
        blank = next(token for token in tokens if first.fold(token) in first.blanks)
        return f"one symbol for all blanks, {_quoted(blank)} as before"
    if first.expected_in_range and wrong_token in {*DIGITS}:
        return first.expected_in_range
    names = dict.fromkeys(alphabet.name.upper() for alphabet in alphabets)
    return first.expected.format(join_with_or(names))


def _quoted(token: str) -> str:
    return quote(token) if token else "an empty cell"


class TokenRow(NamedTuple):
    """A row of tokens with their positions, for messages.

    `line` is the number of its line, `end` the column after it, and `width` the number of its
    tokens. If a row is too long, `words` may lack its last tokens.
    """

    words: Sequence[Word]
    line: int
    end: int
    width: int

    @property
    def tokens(self) -> list[str]:
        return [word.text for word in self.words]

    @classmethod
    def of_words(cls, words: Iterable[Word], line: TextLine) -> Self:
        words = [*words]
        return cls(words, line.number, len(line.text) + 1, len(words))


def frame_of_rows(
    text: Text,
    tokens: Sequence[Sequence[str]],
    rows: Callable[[], Iterable[TokenRow]],
    sides: Collection[int],
    lines: Sequence[TextLine] = (),
    noun: str = "cell",
) -> Frame:
    """The frame of n rows of n tokens, where n is one of `sides`; messages call a token `noun`.

    `rows` returns the rows with the positions of their tokens; it is only called for errors.
    """
    widths = [*map(len, tokens)]
    side = side_of_rows(widths, sides)
    fault = None
    if side is None:
        first = next(iter(rows()), TokenRow((), text.lines[0].number, 1, 0))
        lengths = join_with_or(side for side in sides if side in ALL_GEOMETRIES)
        found = counted(first.width, noun)
        fault = text.error(first.line, 1, f"a row of {lengths} {noun}s", found, code="wrong-shape")
        side = NINE_BY_NINE.side if NINE_BY_NINE.side in sides else max(sides)
    elif widths != [side] * side:
        fault = _rows_fault(text, rows(), widths, side, noun)
    all_tokens = [*chain.from_iterable(tokens)]
    return Frame(
        all_tokens, lambda: (word for row in rows() for word in row.words), side, lines, fault
    )


def frame_of_cells(
    text: Text, rows: Sequence[TextLine], sides: Collection[int], lines: Sequence[TextLine]
) -> Frame:
    """The frame of n rows of n characters."""
    tokens = [row.cells for row in rows]
    return frame_of_rows(
        text,
        tokens,
        lambda: (TokenRow.of_words(row.placed_cells(), row) for row in rows),
        sides,
        lines,
    )


def side_of_rows(lengths: Sequence[int], sides: Collection[int]) -> int | None:
    """The side of a grid, given the lengths of its rows, or None.

    If `sides` has only one side, that is the result. Otherwise the result is the most frequent
    length that is in `sides` or, without such a length, the number of rows if that is in `sides`.
    """
    if len(sides) == 1:
        return next(iter(sides))
    by_frequency = [length for length, _ in Counter(lengths).most_common() if length in sides]
    if by_frequency:
        return by_frequency[0]
    return len(lengths) if len(lengths) in sides else None


def _rows_fault(
    text: Text, rows: Iterable[TokenRow], widths: Sequence[int], side: int, noun: str
) -> InvalidPuzzle:
    """The error for rows that are not n rows of n tokens."""
    wrong = next((index for index, width in enumerate(widths[:side]) if width != side), side)
    if wrong >= len(widths):
        return text.at_end(f"{side} rows", counted(len(widths), "row"), code="wrong-shape")
    row = next(islice(rows, wrong, None))
    columns = [word.column for word in row.words]
    if wrong == side:
        column = columns[0] if columns else 1
        found = counted(len(widths), "row")
        return text.error(row.line, column, f"{side} rows", found, code="wrong-shape")
    column = columns[side] if row.width > side else row.end
    expected, found = f"a row of {side} {noun}s", counted(row.width, noun)
    return text.error(row.line, column, expected, found, code="wrong-shape")


def frame_of_numbers(text: Text, lines: Sequence[TextLine], sides: Collection[int]) -> Frame:
    """The frame of n rows of n words, with or without bars and borders around boxes."""
    rows = [line for line in lines if not line.is_border]
    tokens = [_WORD.findall(row.text) for row in rows]
    box_lines = [
        line if line.is_border else TextLine.of_text(line.number, _WORD.sub(".", line.text))
        for line in lines
    ]
    return frame_of_rows(
        text,
        tokens,
        lambda: (TokenRow.of_words(row.words(_WORD), row) for row in rows),
        sides,
        box_lines,
    )


def frame_of_line(
    text: Text, line: TextLine, sides: Collection[int], expected: str, noun: str = "cell"
) -> Frame:
    """The frame of n² characters in one line, where n is one of `sides`.

    `expected` and `noun` are for the error about another length: the expected line, and the word
    for a character.
    """
    side = SIDES.get(len(line.cells), 0)
    fault = None
    if side not in sides:
        found = counted(len(line.cells), noun)
        side, fault = max(sides), text.after_line(line, expected, found, code="wrong-shape")
    return Frame(line.cells, line.placed_cells, side, (line,), fault)


def puzzle_of_81_cells(text: Text, line: TextLine, expected: str, reading: Reading) -> Parsed:
    """The puzzle of the 81 cells in a line. Raises InvalidPuzzle."""
    return puzzle_of_frame(
        text, frame_of_line(text, line, (NINE_BY_NINE.side,), expected), digits, reading
    )
