"""Formula: any SAT problem in DIMACS CNF, as in SATLIB and the SAT competitions.

    c a comment
    p cnf 3 2
    1 -3 0 2 3
    -1 0

Lines that begin with `c` are comments, also after the header, and may contain any bytes. Literals
are separated by white space. A clause ends with 0, not at the end of a line. A line `%`, followed
by a 0, ends the formula, as in the random formulas of SATLIB (uf20, uuf50).

The header gives the numbers of variables and clauses. As in minisat, it may be missing or wrong;
then `ParsedFormula.unread` says so, and all clauses in the file are used. If there are fewer than
declared, the file may be cut off. With `strict`, a missing or wrong header is refused.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from pipeline.errors import InputError, InvalidPuzzle, counted
from pipeline.limits import NEVER, Deadline
from pipeline.puzzle.clauses import PackedClauses
from pipeline.reading.formats.cells import SIDES
from pipeline.reading.formats.text import END_OF_FILE, LINE_END, oversize_error, quote
from pipeline.reading.unread import HEADER_PREFIX
from pipeline.settings import MAX_BYTES

CNF_FORMAT = "cnf"
FORMULA_REFUSED = "a formula is not a puzzle"
MAX_VARIABLES = 10_000_000
NO_HEADER = f"{HEADER_PREFIX}missing"
"""The entry in `ParsedFormula.unread` for a missing header.

Entries for a wrong header also begin with HEADER_PREFIX.
"""

_MAX_CLAUSES = _MAX_LITERAL = 2**31 - 1
_MAX_NUMBER_DIGITS = 10
_MAX_HEADER_BYTES = 200
"""Number of bytes of the first line that are examined, and of a wrong word that messages quote."""

_BLOCK_BYTES = 1 << 18
"""Number of bytes that are parsed at a time. The words of an invalid block are examined singly."""

_BEFORE_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?+(?:[ \t]*+(?:c[^\r\n]*+)?+[\r\n]++)*+[ \t]*+")
_HEADER = re.compile(rb"p[ \t]+(?:[A-Za-z]{2}|c?\Z)")
_HEADER_WORDS = (
    "a header, 'p cnf VARIABLES CLAUSES'",
    "'cnf'",
    f"a number of variables, 0 to {MAX_VARIABLES}",
    f"a number of clauses, 0 to {_MAX_CLAUSES}",
    "the end of the header",
)
_WHITE_SPACE = b" \t\n"
_CTRL_Z = END_OF_FILE.encode()
_WORD = re.compile(rb"[^ \t\n]+")
_SPACE = re.compile(rb"[ \t\n]")
_COMMENT = re.compile(rb"(?m)^[ \t]*+c.*")
_TRAILER = re.compile(rb"(?m)^[ \t]*+(%)[ \t]*$")
_NUMBER = re.compile(rb"0|[1-9][0-9]*")
_LITERAL = re.compile(rb"-?[1-9][0-9]*|0")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_BODY_CHARACTERS = b"0123456789- \t\n"
_TO_CHARACTER_CLASSES = bytes.maketrans(b"23456789\t\n", b"11111111  ")
"""Translates the digits 2 to 9 to 1, and other white space to spaces."""

_MISPLACED_ZEROS = (b"-0", b" 00", b" 01")
"""Zeros that are not part of a valid number, as translated by `_TO_CHARACTER_CLASSES`."""

_CLAUSE = re.compile(rb"[ \t]*+(?:-?[1-9][0-9]{0,9}[ \t]++)++0[ \t]*+")
_ROW_LENGTHS = {*SIDES.values(), 10, 12}
"""The numbers of cells in a row of a grid.

10 and 12 are the sides of tables that declare their boxes.
"""

_NO_HEADER_SAMPLE_BYTES = 4096
"""Number of bytes of a source without a header in which every line must be a clause."""

Model = tuple[int, ...]
"""A literal, v or -v, for each variable v = 1, 2, … of a formula, in this order."""


@dataclass(frozen=True, slots=True)
class ParsedFormula:
    """A formula, with its clauses as `written` and normalised.

    - `variables`: the number of variables in the header, or the largest variable if that is larger.
    - `clauses`: the written clauses, in order, without tautologies and repeated literals; the same
      object as `written` if nothing is removed.
    - `tautologies`: the number of removed clauses, which contained a literal and its negation.
    - `duplicates`: the number of removed literals, which their clause already contained.
    - `unread`: what is missing or wrong in the header.
    - `is_short`: the header declares more clauses than the formula has.
    - `reason`: why the source was read as a formula.
    """

    variables: int
    written: PackedClauses
    clauses: PackedClauses
    tautologies: int
    duplicates: int
    unread: tuple[str, ...] = ()
    is_short: bool = False

    @property
    def reason(self) -> str:
        if NO_HEADER in self.unread:
            return "its lines are clauses that end with 0"
        return "it has a header 'p cnf'"


def looks_like_cnf(head: bytes) -> bool:
    """Whether a source begins with a DIMACS header or with clauses.

    Any line `p KIND …` counts as a header, even `p wcnf`, which `parse_formula` then rejects. A row
    of cells such as `p . . a` does not count. Without a header, every line must be a clause, and
    the lines must not all be possible as rows of a grid. `head`: the source, or its first lines.
    """
    before = _BEFORE_HEADER.match(head)
    start = before.end() if before else 0
    line = re.split(rb"[\r\n]", head[start : start + _MAX_HEADER_BYTES], maxsplit=1)[0]
    if _HEADER.match(line) is not None:
        return True
    return _CLAUSE.match(head, start) is not None and _are_clauses(head[start:])


def _are_clauses(head: bytes) -> bool:
    """Whether all lines are clauses, and at least one line cannot be a row of a grid."""
    lines = LINE_END.split(head[:_NO_HEADER_SAMPLE_BYTES])
    if len(head) > _NO_HEADER_SAMPLE_BYTES and len(lines) > 1:
        del lines[-1]
    lines = [line.rstrip(_WHITE_SPACE + _CTRL_Z) for line in lines]
    clauses = [line for line in lines if line and not line.lstrip().startswith(b"c")]
    lengths = {len(line.split()) for line in clauses}
    has_sign = any(b"-" in line for line in clauses)
    are_rows = not has_sign and (len(clauses) < 2 or lengths <= _ROW_LENGTHS)
    return not are_rows and all(_CLAUSE.fullmatch(line) for line in clauses)


def parse_formula(
    data: bytes,
    source: str,
    max_bytes: int = MAX_BYTES,
    deadline: Deadline = NEVER,
    *,
    strict: bool = False,
    block: int = _BLOCK_BYTES,
) -> ParsedFormula:
    """Parse a DIMACS text; `source` names it in messages.

    With `strict`, a formula whose header is missing or wrong is refused. `block` is the number of
    bytes to read at a time. Takes about a second for a million literals.

    Raises InvalidPuzzle with line and column, also for more than `max_bytes` bytes, and
    LimitReached when the deadline has passed.
    """
    if len(data) > max_bytes:
        raise oversize_error(source, max_bytes, "more")
    text = data.removeprefix(codecs.BOM_UTF8)
    if text.endswith(_CTRL_Z) or text.rstrip(_WHITE_SPACE + b"\r").endswith(_CTRL_Z):
        text = text.rstrip(_WHITE_SPACE + b"\r" + _CTRL_Z)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"c" in text.replace(b"cnf", b"", 1):
        text = _COMMENT.sub(lambda comment: b" " * len(comment[0]), text)
    if not text.strip(_WHITE_SPACE):
        found = "only comments and empty lines" if data.strip() else "an empty file"
        raise InvalidPuzzle(source, None, None, _HEADER_WORDS[0], found, truncated=True)
    located = _LocatedText(text, source)
    header = _read_header(located, strict=strict)
    literals, clauses = _read_body(located, header, deadline, block)
    largest = max(max(literals, default=0), -min(literals, default=0))
    variables, faults = max(header.variables, largest), [] if header.is_present else [NO_HEADER]
    if header.is_present and largest > header.variables:
        faults.append(
            f"{HEADER_PREFIX}{counted(header.variables, 'variable')} declared, found {largest}"
        )
    if header.is_present and clauses != header.clauses:
        faults.append(
            f"{HEADER_PREFIX}{counted(header.clauses, 'clause')} declared, found {clauses}"
        )
    parsed = _normalise_clauses(variables, PackedClauses(literals.tobytes()), deadline)
    is_short = header.is_present and clauses < header.clauses
    return replace(parsed, unread=tuple(faults), is_short=is_short)


class _LocatedText(NamedTuple):
    """A text in which comments are replaced by spaces, and lines end in LF."""

    text: bytes
    source: str

    def error(
        self, start: int, stop: int, expected: str, found: str | None = None
    ) -> InvalidPuzzle:
        """The error for the word between two offsets, or for a byte in it that is not ASCII.

        The file may be cut off if the error is in its last line.
        """
        text = self.text
        if wrong_byte := _NOT_ASCII.search(text, start, stop):
            start, found = wrong_byte.start(), f"the byte 0x{wrong_byte[0][0]:02x}"
        line = text.count(b"\n", 0, start) + 1
        column = start - text.rfind(b"\n", 0, start)
        shown = found or quote(text[start : min(stop, start + _MAX_HEADER_BYTES)].decode("ascii"))
        is_last = start > text.rfind(b"\n", 0, len(text.rstrip(_WHITE_SPACE)))
        return InvalidPuzzle(self.source, line, column, expected, shown, is_last)


class _CnfHeader(NamedTuple):
    """The header: the numbers of variables and clauses, and the offset of its end.

    These are 0 if the header is missing. `is_strict`: the formula must agree with the header.
    """

    variables: int
    clauses: int
    end: int
    is_present: bool
    is_strict: bool

    @property
    def max_variable(self) -> int:
        return self.variables if self.is_strict else MAX_VARIABLES

    @property
    def max_clauses(self) -> int:
        return self.clauses if self.is_strict else _MAX_CLAUSES


def _read_header(located: _LocatedText, *, strict: bool) -> _CnfHeader:
    """Read the header: the first line that is neither empty nor a comment. Raises InvalidPuzzle."""
    text = located.text
    first = _WORD.search(text)
    start = first.start() if first else 0
    if not strict and first and _LITERAL.fullmatch(first[0]):
        return _CnfHeader(0, 0, 0, is_present=False, is_strict=False)
    end = text.find(b"\n", start)
    end = len(text) if end < 0 else end
    words = [*islice(_WORD.finditer(text, start, end), len(_HEADER_WORDS))]
    for index, (word, expected) in enumerate(zip(words, _HEADER_WORDS, strict=False)):
        if not _is_header_word(index, word[0]):
            raise located.error(*word.span(), expected)
    header_end = words[-1].end()
    if len(words) < 4:
        expected = _HEADER_WORDS[len(words)]
        raise located.error(header_end, header_end, expected, "the end of the line")
    return _CnfHeader(int(words[2][0]), int(words[3][0]), header_end, True, strict)


def _is_header_word(index: int, word: bytes) -> bool:
    """Whether a word is valid as the word of the header at this index, from 0."""
    if index < 2:
        return word == (b"p", b"cnf")[index]
    if index > 3 or not _NUMBER.fullmatch(word) or len(word) > _MAX_NUMBER_DIGITS:
        return False
    return int(word) <= (MAX_VARIABLES, _MAX_CLAUSES)[index - 2]


def _read_body(
    located: _LocatedText, header: _CnfHeader, deadline: Deadline, block: int
) -> tuple[array[int], int]:
    """Read the formula after the header.

    Returns its literals and zeros, and the number of clauses. A block is parsed as a whole; its
    words are examined one by one only if it is invalid. Raises InvalidPuzzle and LimitReached.
    """
    text, literals, clauses, position = located.text, array("i"), 0, header.end
    trailer = _TRAILER.search(text, position) if b"%" in text else None
    end = trailer.start() if trailer else len(text)
    while position < end:
        deadline.check()
        space = _SPACE.search(text, position + block, end)
        start, position = position, space.start() if space else end
        numbers = _parse_numbers(text[start:position], header.max_variable)
        remaining, is_open = header.max_clauses - clauses, bool(literals) and literals[-1] != 0
        ended = numbers.count(0) if numbers else 0
        is_full = ended == remaining
        if numbers is None or ended > remaining or (numbers and is_full and numbers[-1] != 0):
            raise _first_fault(located, header, start, position, remaining, is_open=is_open)
        literals += numbers
        clauses += ended
    _check_end(located, header, literals, clauses, trailer)
    return literals, clauses


def _parse_numbers(chunk: bytes, variables: int) -> array[int] | None:
    """The literals and zeros in a block; None if one of its words is invalid."""
    classes = b" " + chunk.translate(_TO_CHARACTER_CLASSES)
    if chunk.translate(None, _BODY_CHARACTERS) or any(
        zeros in classes for zeros in _MISPLACED_ZEROS
    ):
        return None
    try:
        numbers = array("i", map(int, chunk.decode("ascii").split()))
    except (ValueError, OverflowError):
        return None
    inside = -variables <= min(numbers, default=0) and max(numbers, default=0) <= variables
    return numbers if inside else None


def _first_fault(
    located: _LocatedText,
    header: _CnfHeader,
    start: int,
    stop: int,
    remaining: int,
    *,
    is_open: bool,
) -> InvalidPuzzle:
    """The error for the first invalid word between two offsets.

    - `remaining`: how many more clauses are allowed.
    - `is_open`: `start` lies inside a clause.
    """
    for word in _WORD.finditer(located.text, start, stop):
        expected = _expected_instead(word[0], header)
        if remaining == 0 and not is_open:
            expected = f"the end after {_declared_clauses_text(header)}"
        if expected:
            found = "a second header" if word[0] == b"p" else None
            return located.error(*word.span(), expected, found)
        is_open = word[0] != b"0"
        remaining -= not is_open
    raise AssertionError("the block is valid")


def _expected_instead(word: bytes, header: _CnfHeader) -> str | None:
    """The expected word, for the error about an invalid word; None if the word is valid."""
    if not _LITERAL.fullmatch(word):
        return "a literal, or 0 to end the clause"
    digits = word.lstrip(b"-")
    if len(digits) > _MAX_NUMBER_DIGITS or int(digits) > _MAX_LITERAL:
        return f"a literal up to {_MAX_LITERAL}"
    if int(digits) > header.max_variable:
        reason = ", as the header says" if header.is_strict else ""
        return f"a variable up to {header.max_variable}{reason}"
    return None


def _declared_clauses_text(header: _CnfHeader) -> str:
    return f"{counted(header.clauses, 'clause')}, as the header says"


def _check_end(
    located: _LocatedText,
    header: _CnfHeader,
    literals: Sequence[int],
    clauses: int,
    trailer: re.Match[bytes] | None,
) -> None:
    """Raise InvalidPuzzle if clauses are missing, or if more than a 0 follows the line `%`."""
    text_end = len(located.text.rstrip(_WHITE_SPACE))
    start, stop = trailer.span(1) if trailer else (text_end, text_end)
    if literals and literals[-1] != 0:
        found = None if trailer else "the end of the file"
        raise located.error(start, stop, "0 to end the clause", found)
    if header.is_strict and clauses < header.clauses:
        raise located.error(start, stop, _declared_clauses_text(header), counted(clauses, "clause"))
    words = _WORD.finditer(located.text, stop) if trailer else iter(())
    for valid_word, word in zip((b"0", b""), words, strict=False):
        if word[0] != valid_word:
            expected = "0 after the line '%'" if valid_word else "the end of the file"
            raise located.error(*word.span(), expected)


def _normalise_clauses(variables: int, written: PackedClauses, deadline: Deadline) -> ParsedFormula:
    """Prepare a formula for proof checkers: remove tautologies and repeated literals."""
    if all(len({*map(abs, clause)}) == len(clause) for clause in deadline.watch(written)):
        return ParsedFormula(variables, written, written, 0, 0)
    normalised, tautologies, duplicates = array("i"), 0, 0
    for clause in deadline.watch(written):
        literals = dict.fromkeys(clause)
        if any(-literal in literals for literal in literals):
            tautologies += 1
            continue
        duplicates += len(clause) - len(literals)
        normalised.extend((*literals, 0))
    clauses = PackedClauses(normalised.tobytes())
    return ParsedFormula(variables, written, clauses, tautologies, duplicates)


def proof_clauses(
    parsed: ParsedFormula, models: Iterable[Sequence[int]] = ()
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """The number of variables and the clauses for a DRAT proof that there are no other models.

    The clauses are the normalised ones and then, for each model, the clause of its negated
    literals.
    """
    blocking = (tuple(-literal for literal in model) for model in models)
    return parsed.variables, (*parsed.clauses, *blocking)


def read_model(data: bytes, variables: int) -> Model:
    """Read a model in the notation of the SAT competitions: a literal for each variable, in order.

    Lines that begin with `c` are comments. Raises InputError.
    """
    lines = [line for line in data.splitlines() if line and not line.startswith(b"c")]
    if lines[:1] != [b"s SATISFIABLE"]:
        raise InputError("expected a line 's SATISFIABLE'")
    words: list[bytes] = []
    for line in lines[1:]:
        kind, *rest = line.split(b" ")
        if kind != b"v":
            raise InputError(f"expected a line 'v …', found {line[:20]!r}")
        words += rest
    try:
        *literals, end = map(int, words)
    except ValueError:
        raise InputError("expected literals and 0 in the lines 'v …'") from None
    if end != 0 or [*map(abs, literals)] != [*range(1, variables + 1)]:
        raise InputError(f"expected a literal for each variable from 1 to {variables}, and 0")
    return tuple(literals)
