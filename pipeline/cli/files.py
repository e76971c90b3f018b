"""What the commands read and write: files, standard streams, devices."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

import typer

from pipeline.errors import InputError, UsageError, is_environmental, printable
from pipeline.files import replacing, write_whole
from pipeline.outbox import ENDING, file_names, read_record
from pipeline.puzzle.puzzle import Geometry, Grid, Puzzle
from pipeline.reading.formats import Parsed, oversize
from pipeline.settings import Settings
from pipeline.solving.problem import FormulaProblem, PuzzleProblem, read_problem

STANDARD_INPUT = Path("-")
_AT_ONCE = 64 * 1024


@contextmanager
def path_of(file: Path, most: int) -> Iterator[Path]:
    """The path of a file or a folder; of standard input and of pipes that of a copy.

    Raises InputError where it cannot be read, and for a stream of more than `most` bytes.
    """
    with ExitStack() as stack:
        try:
            if file == STANDARD_INPUT:
                path = stack.enter_context(_copied(standard_input(), file, most))
            elif file.is_file() or file.is_dir():
                path = file.resolve()
            else:
                stream = stack.enter_context(file.open("rb"))
                path = stack.enter_context(_copied(stream, file, most))
        except OSError as error:
            if is_environmental(error):
                raise
            raise InputError(f"{source_name(file)}: cannot be read: {error.strerror}") from error
        yield path


@contextmanager
def _copied(stream: BinaryIO, file: Path, most: int) -> Iterator[Path]:
    with NamedTemporaryFile() as copy:
        while some := stream.read(_AT_ONCE):
            copy.write(some)
            if copy.tell() > most:
                raise oversize(source_name(file), most, "more")
        copy.flush()
        yield Path(copy.name)


def lines_in(path: Path) -> int | None:
    """How many lines a text has; None for a file with other bytes, such as a compressed one."""
    lines = 0
    with path.open("rb") as file:
        while block := file.read(_AT_ONCE):
            if b"\0" in block:
                return None
            lines += block.count(b"\n")
    return lines


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises InputError if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed")
    return sys.stdin.buffer


def read_bytes(file: Path, most: int) -> bytes:
    """Read at most `most` + 1 bytes of a file, or of standard input for `-`.

    Raises InputError if it cannot be read.
    """
    if file == STANDARD_INPUT:
        return standard_input().read(most + 1)
    try:
        with file.open("rb") as stream:
            return stream.read(most + 1)
    except OSError as error:
        raise InputError(f"{source_name(file)}: cannot be read: {error.strerror}") from error


def source_name(file: Path) -> str:
    return "<stdin>" if file == STANDARD_INPUT else printable(str(file))


def read_file(file: Path, settings: Settings) -> PuzzleProblem | FormulaProblem:
    """The puzzle, or the formula, in a file. Raises InputError, LimitReached."""
    data = read_bytes(file, settings.max_bytes)
    return read_problem(data, source_name(file), settings)


def read_puzzle(file: Path, settings: Settings) -> Parsed:
    """The puzzle in a file. Raises InputError."""
    problem = read_file(file, settings)
    if isinstance(problem, FormulaProblem):
        raise InputError(f"{source_name(file)}: expected a puzzle, found a formula")
    return problem.parsed


def read_grid(file: Path, settings: Settings) -> Grid:
    """The grid in a filled puzzle file. Raises InputError, also for a blank cell."""
    puzzle = read_puzzle(file, settings).puzzle
    values = [0] * len(puzzle.cells)
    for cell, value in puzzle.givens():
        values[cell] = value
    if 0 in values:
        row, column = puzzle.geometry.place(values.index(0))
        raise InputError(f"{source_name(file)}: row {row}, column {column} is not filled")
    return Grid(puzzle.geometry, tuple(values))


def empty_puzzle(size: str) -> Puzzle:
    """The puzzle without givens with boxes of a size such as `3x3`. Raises BadParameter."""
    match = re.fullmatch(r"(\d{1,3})[x×](\d{1,3})", size)
    if not match:
        raise typer.BadParameter(f"--empty {size}: expected height x width of a box, as in 3x3")
    try:
        return Puzzle.empty(Geometry(int(match[1]), int(match[2])))
    except ValueError as error:
        raise typer.BadParameter(f"--empty {size}: {error}") from error


STANDARD_OUTPUT = Path("-")


def check_target(
    option: str, target: Path, inputs: Sequence[Path] = (), *, force: bool = False
) -> None:
    """Raise UsageError if the target cannot be written, or is there and must not be replaced.

    `force` lets a file be replaced, but never an input or a file of a published set.
    """
    if target == STANDARD_OUTPUT:
        return
    shown = f"{option}: {printable(str(target))}"
    try:
        target.resolve()
    except RuntimeError:  # of Python before 3.13
        raise UsageError(f"{shown} is a link to itself") from None
    if target.is_dir():
        raise UsageError(f"{shown} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise UsageError(f"{shown}: the folder is not there; make it first")
    if any(_are_one(target, given) for given in inputs):
        raise UsageError(f"{shown} is the file that is read; name another")
    if any(_is_within(target, given) for given in inputs):
        raise UsageError(f"{shown} is in the folder that is read; name one elsewhere")
    if target.is_file() and _is_published(target.resolve()):
        raise UsageError(f"{shown} is part of published results; name another")
    if target.is_file() and not force:
        raise UsageError(f"{shown} exists; name another, or replace it with --force")


def _are_one(target: Path, given: Path) -> bool:
    return target.is_file() and given.is_file() and target.samefile(given)


def _is_within(target: Path, given: Path) -> bool:
    return given.is_dir() and target.resolve().is_relative_to(given.resolve())


def _is_published(target: Path) -> bool:
    """Whether a file is a record, or is listed in a record beside it."""
    name = target.name
    for end in range(1, len(name) + 1):
        path = target.with_name(name[:end] + ENDING)
        record = read_record(path) if path.is_file() else None
        if record and name in (path.name, *file_names(record)):
            return True
    return False


def unused(name: str) -> Path:
    """The path of that name in this folder; if it is taken, with a number: `sheet-2.html`."""
    path = first = Path(name)
    number = 1
    while os.path.lexists(path):
        number += 1
        path = first.with_stem(f"{first.stem}-{number}")
    return path


@contextmanager
def growing(target: Path) -> Iterator[BinaryIO]:
    """A stream to a checked target, a file that gets its name when all is written."""
    if target == STANDARD_OUTPUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if target.exists() and not target.is_file():
        with target.open("wb") as device:
            yield device
        return
    with replacing(target.resolve()) as file:
        yield file


def write_to(target: Path, pieces: Iterable[str]) -> None:
    """Write a text to a checked target: a device is written to, not replaced by a file."""
    if target == STANDARD_OUTPUT:
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece.encode(errors="backslashreplace"))
        sys.stdout.buffer.flush()
    elif target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", errors="backslashreplace") as device:
            device.writelines(pieces)
    else:
        write_whole(target.resolve(), pieces)
