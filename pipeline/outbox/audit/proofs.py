"""Proofs: check that the formula of each is the right one, and that every step holds.

One result's proof has a file of its own, those of a collection share one file with an index.
"""

from __future__ import annotations

import io
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

from pipeline.certify.formula import Clause, Formula, read_formula
from pipeline.certify.proof import MAX_CHARACTERS, ProofRejected, ProofTimeout, check_refutation
from pipeline.errors import InputError, PipelineError, in_words
from pipeline.files import descriptor_of, read_regular
from pipeline.outbox.audit.sets import One, Report, Terms
from pipeline.outbox.schema import PuzzleRecord, or_none
from pipeline.outbox.tables import ProofRow, rows_in
from pipeline.puzzle.puzzle import Geometry
from pipeline.version import __version__

_MEMORY = 64 * 1024 * 1024
_PIECE = 64 * 1024
_LONGEST = 1024 * 1024 * 1024
"""Bytes of an unpacked stream; ours hold a piece of a collection's proofs."""
_FIELDS = {
    ("proved", "exhaustion"): {"nodes"},
    ("proved", "drat"): {"solver", "checker", "steps"},
    ("claimed", None): set(),
    ("no", None): set(),
}
"""What a certificate tells, by its `complete` and `by`, besides a reason."""
_ALL_FIELDS = sorted(set().union(*_FIELDS.values()))
_SLACK = 1024 * 1024
_LONGEST_SHOWN = 12

MakeFormula = Callable[[], Formula]
"""Makes the formula to be refuted. Raises ValueError or PipelineError if it is not known."""


def audit_certificate(record: PuzzleRecord, report: Report) -> str:
    """Check that a certificate's fields fit together, and the rest of the record.

    Return its `proved`, `claimed` or `no`.
    """
    report, told = report.within("certificate"), or_none(record.certificate)
    word, by = (told.complete or "no", told.by) if told else ("no", None)
    if all(word != complete for complete, _ in _FIELDS):
        report.bad(f"complete is {word[:40]!r}")
        return "no"
    if (word == "no") == bool(record.complete):
        said = str(record.complete).lower()
        report.bad(f"complete is {word!r}, where the record says {said}")
    fields = _FIELDS.get((word, by))
    if fields is None:
        report.bad(f"complete is {word!r}, by {'nothing' if by is None else repr(by[:40])}")
        return word
    what = f"{word} by {by}" if by else word
    for name in _ALL_FIELDS:
        if (getattr(told, name, None) is not None) != (name in fields):
            is_told = "is not told" if name in fields else "is told"
            report.bad(f"{name} {is_told}, where the solutions are {what} to be all")
    return word


def audit_proof(
    published: One,
    make: MakeFormula | None,
    geometry: Geometry | None,
    terms: Terms,
    report: Report,
) -> bool:
    """Check the proof of a result, if it has one; whether that shows its solutions to be all.

    `make` is None if the puzzle is not known.
    """
    told = or_none(published.record.certificate)
    word = (told.by or told.complete or "no") if told else "no"
    formula_name = f"{published.stem}.proof.cnf"
    names = [f"{published.stem}.proof.drat", f"{published.stem}.proof.drat.xz"]
    there = [name for name in (formula_name, *names) if name in published.files]
    if word != "drat":
        for name in there:
            report.bad(f"{name} is listed, where the certificate says {word[:40]!r}")
        return False
    if formula_name not in there or len(there) != 2:
        listed = " and ".join(there) or "nothing"
        report.bad(f"proved by {formula_name} and {names[0]}, but {listed} is listed")
        return False
    if make is None:
        return False
    try:
        formula = make()
    except (ValueError, PipelineError) as error:
        report.bad(f"{formula_name}: cannot be made again: {error}")
        return False
    record = published.record
    fault = _compared(published.beside(formula_name), formula, geometry)
    if fault and or_none(record.rules) and record.version != __version__:
        report.note(f"{formula_name}: {fault}: version {record.version} states rules otherwise")
        return False
    if fault:
        report.bad(f"{formula_name}: {fault}")
    return _check(published, there[-1], formula, terms, report)


def _compared(path: Path, formula: Formula, geometry: Geometry | None) -> str | None:
    """What is wrong with a file that is to hold the formula; None if it does, or is missing."""
    expected = "".join(formula.text())
    most = 2 * len(expected) + _SLACK
    try:
        data = read_regular(path, most)
    except OSError as error:
        is_reported = isinstance(error, FileNotFoundError)
        return None if is_reported else f"cannot be read: {in_words(error)}"
    if data == expected.encode("ascii"):
        return None
    if len(data) > most:
        return f"has more than {most} bytes; its formula has {len(expected)}"
    try:
        found = read_formula(data.decode("ascii", errors="backslashreplace"))
    except ValueError as error:
        return str(error)
    return _difference(formula, found, geometry) or "it is written otherwise"


def _check(published: One, name: str, formula: Formula, terms: Terms, report: Report) -> bool:
    """Whether a file holds a proof of the formula; with as many steps as the record says."""
    try:
        text = _read_proof(published.beside(name))
    except FileNotFoundError:
        return False
    except OSError as error:
        report.bad(f"{name}: cannot be read: {in_words(error)}")
        return False
    except (lzma.LZMAError, EOFError) as error:
        report.bad(f"{name}: {error}")
        return False
    told = or_none(published.record.certificate)
    steps = told.steps if told else None
    return check_steps(formula, text, steps, terms, report.within(name))


def _read_proof(path: Path) -> str:
    """The text of a proof, unpacked: at most one character more than is allowed.

    Raises OSError, LZMAError, and EOFError unless a packed file is one whole stream of xz.
    """
    if path.suffix != ".xz":
        data = read_regular(path, MAX_CHARACTERS)
    else:
        with io.FileIO(descriptor_of(path)) as file:
            stream = XzStream(file, 0)
            data = stream.rest(MAX_CHARACTERS + 1)
            if stream.end() != os.fstat(file.fileno()).st_size:
                raise EOFError("it goes on behind the stream of xz that holds the proof")
    return data.decode("ascii", errors="backslashreplace")


def check_steps(
    formula: Formula, text: str, steps: int | None, terms: Terms, report: Report
) -> bool:
    """Whether a text refutes the formula; report it if not, or not in that many steps."""
    try:
        checked = check_refutation(formula, text, terms.seconds)
    except ProofRejected as error:
        report.bad(str(error))
    except ProofTimeout as error:
        report.gap(f"{error}; --timeout gives it longer")
    else:
        if checked.steps != steps:
            report.bad(f"the proof has {checked.steps} steps, where {steps} are told")
        return True
    return False


def _difference(expected: Formula, found: Formula, geometry: Geometry | None) -> str | None:
    """The first clause that differs, is missing or is added, numbered from 1; None if none.

    With a `geometry`, a clause that excludes a whole grid is described as that grid.
    """
    if expected.variables != found.variables:
        return f"it has {found.variables} variables instead of {expected.variables}"
    ours, theirs = expected.clauses, found.clauses
    if ours == theirs:
        return None
    least = min(len(ours), len(theirs))
    shared = zip(ours, theirs, strict=False)
    place = next((at for at, (one, other) in enumerate(shared) if one != other), least)
    missing = _unless_in(ours, theirs, place)
    added = _unless_in(theirs, ours, place)
    return f"clause {place + 1} {_fault(missing, added, geometry)}"


def _fault(missing: Clause | None, added: Clause | None, geometry: Geometry | None) -> str:
    """Describe the difference at a place where a clause is missing, or added, or both."""
    if added is not None and (grid := _grid_of(added, geometry)):
        return f"blocks a grid that was not published: {grid}"
    if added is not None:
        instead = "" if missing is None else f", instead of {_clause(missing)}"
        return f"is added: {_clause(added)}{instead}"
    if missing is not None and (grid := _grid_of(missing, geometry)):
        return f"is missing, which blocks the published grid {grid}"
    if missing is not None:
        return f"is missing: {_clause(missing)}"
    return "is not in its place"


def _unless_in(
    clauses: tuple[Clause, ...], others: tuple[Clause, ...], place: int
) -> Clause | None:
    """The clause at a place, unless the others have it from there on; None if there is none."""
    if place >= len(clauses):
        return None
    clause = clauses[place]
    return None if clause in others[place:] else clause


def _grid_of(clause: Clause, geometry: Geometry | None) -> str | None:
    """The grid that a clause excludes, in one line; None if it excludes something else."""
    if geometry is None or len(clause) != geometry.size or max(clause) > 0:
        return None
    side = geometry.side
    places = [divmod(-literal - 1, side) for literal in clause]
    if [cell for cell, _ in places] != [*range(geometry.size)]:
        return None
    return ("" if side <= 9 else " ").join(str(value + 1) for _, value in places)


def _clause(clause: Clause) -> str:
    more = "… " if len(clause) > _LONGEST_SHOWN else ""
    return "'" + "".join(f"{literal} " for literal in clause[:_LONGEST_SHOWN]) + more + "0'"


class ProofsFile:
    """The proofs of a collection, in the order of its puzzles; to be used as a context."""

    def __init__(self, packed: Path, index: Path) -> None:
        self._packed = packed
        self.name = index.name
        self._rows = rows_in(index, ProofRow)
        self._file: io.FileIO | None = None
        self._stream: XzStream | None = None
        self._is_covered = True
        self.next: ProofRow | None = None

    def __enter__(self) -> Self:
        self.advance()
        try:
            self._file = io.FileIO(descriptor_of(self._packed))
        except OSError as error:
            message = f"{self._packed.name}: cannot be read: {in_words(error)}"
            raise InputError(message) from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def advance(self) -> None:
        """Go on to the next line of the index. Raises InputError if it cannot be read."""
        last, self.next = self.next, next(self._rows, None)
        if last and self.next:
            is_later = last.index < self.next.index and last.offset <= self.next.offset
            if not is_later:
                raise InputError(f"{self.name}: row {self.next.index} follows row {last.index}")

    def take(self) -> str:
        """The text of the next proof. Raises InputError if it cannot be read."""
        place, file = self.next, self._file
        assert place is not None and file is not None  # noqa: PT018, S101
        if place.length > MAX_CHARACTERS:
            raise InputError(f"the proof is longer than {MAX_CHARACTERS:,} characters")
        if self._stream is None or self._stream.offset != place.offset:
            self._leave(place.offset)
            self._stream = XzStream(file, place.offset)
        try:
            self._is_covered &= self._stream.position == place.start
            data = self._stream.cut(place.start, place.length)
        except (lzma.LZMAError, EOFError, OSError) as error:
            self._stream = None
            raise InputError(f"{self._packed.name}: {error}") from error
        return data.decode("ascii", errors="backslashreplace")

    def end(self) -> None:
        """Raise InputError if the file holds anything but the proofs that were taken."""
        assert self._file is not None  # noqa: S101
        self._leave(os.fstat(self._file.fileno()).st_size)
        if not self._is_covered:
            raise InputError(f"{self._packed.name}: there is more in it than proofs of rows")

    def _leave(self, offset: int) -> None:
        """Note whether the last proof extends to that offset in the file."""
        try:
            self._is_covered &= (self._stream.end() if self._stream else 0) == offset
        except (lzma.LZMAError, EOFError, OSError):
            self._is_covered = False


class XzStream:
    """One stream of xz, from which parts are cut out in order.

    `position` is how far that has gone in the unpacked stream.
    """

    def __init__(self, file: io.FileIO, offset: int) -> None:
        self.offset = offset
        self._file = file
        self._next = offset
        self._engine = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        self._ahead = b""
        self.position = 0

    def cut(self, start: int, length: int) -> bytes:
        """The bytes from `start` on. Raises LZMAError, EOFError and OSError."""
        if start < self.position or start + length > _LONGEST:
            raise EOFError("a proof does not lie behind the one before it")
        while self.position < start:
            self.position += len(self._some(start - self.position))
        parts = []
        while self.position < start + length:
            parts.append(self._some(start + length - self.position))
            self.position += len(parts[-1])
        return b"".join(parts)

    def rest(self, most: int) -> bytes:
        """What is left, at most so many bytes. Raises LZMAError, EOFError and OSError."""
        parts, left = [], most
        while left and not self._is_at_end():
            parts.append(self._some(left))
            left -= len(parts[-1])
        return b"".join(parts)

    def end(self) -> int:
        """Its end in the file. Raises EOFError if more can be cut, LZMAError, OSError."""
        if not self._is_at_end():
            raise EOFError("there is more in it")
        return self._next - len(self._engine.unused_data)

    def _is_at_end(self) -> bool:
        while not self._ahead and not self._engine.eof:
            self._unpack()
        return not self._ahead

    def _some(self, most: int) -> bytes:
        if self._is_at_end():
            raise EOFError("its stream ends within a proof")
        some, self._ahead = self._ahead[:most], self._ahead[most:]
        return some

    def _unpack(self) -> None:
        """Unpack some more, reading first if necessary."""
        packed = b""
        if self._engine.needs_input:
            self._file.seek(self._next)
            packed = self._file.read(_PIECE) or b""
            self._next += len(packed)
            if not packed:
                raise EOFError("it is cut off")
        self._ahead = self._engine.decompress(packed, _PIECE)
