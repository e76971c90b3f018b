"""Read and write files, standard streams and devices."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from itertools import islice
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO

from pipeline.cli.arguments import FEW_CELLS_PATTERN, LINK_PATTERN, PUZZLE_PATTERN
from pipeline.cli.messages import say
from pipeline.errors import InputError, UsageError, counted, is_environmental, listed, printable
from pipeline.files import atomic_file, numbered_paths
from pipeline.outbox import is_listed
from pipeline.outbox.names import DONE, FAILED, shorten_stem
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.archives.walk import is_packed
from pipeline.reading.formats import (
    HEAD_BYTES,
    Layout,
    Parsed,
    filled_grid,
    is_written_as_values,
    oversize_error,
    read_text,
    read_values,
)
from pipeline.service.protocol.folders import WORK_FOLDER
from pipeline.settings import Settings
from pipeline.solving.problem import FormulaProblem, PuzzleProblem, read_problem

if TYPE_CHECKING:
    from msgspec import Struct

    from pipeline.outbox.arrow import RowGroups

STANDARD_INPUT = Path("-")
"""The argument that names standard input."""
_COPY_BYTES = 64 * 1024
"""Number of bytes that are copied at a time."""
_MAX_PUZZLE_SHOWN, _MAX_LINK_SHOWN = 16, 48
"""Maximum number of characters that messages show of a puzzle or a link given as an argument."""
_MAX_NAMES_COMPARED, _MIN_SIMILARITY = 1000, 0.8
"""Maximum number of names with which a mistyped name is compared; minimum ratio of difflib."""
_UNSAFE_CHARACTERS = re.compile(r"[^\w.-]+")
"""Characters that are replaced by `-` in the names of new files."""


@contextmanager
def path_of(file: Path, settings: Settings) -> Iterator[Path]:
    """Context manager: the path of a file or folder, or of a copy of a stream or device.

    The copy is removed on exit. Raises InputError if the file cannot be read, or if the stream
    is longer than the maximum size of a file.
    """
    with ExitStack() as stack:
        with _naming_file(file):
            if names_file(file) and (file.is_file() or file.is_dir()):
                path = file.resolve()
            else:
                stream = stack.enter_context(_open(file))
                copy = stack.enter_context(NamedTemporaryFile())
                _copy(stream, copy, source_name(file), settings)
                path = Path(copy.name)
        yield path


def _copy(stream: BinaryIO, copy: IO[bytes], name: str, settings: Settings) -> None:
    """Copy a stream. Raises InputError if the stream is too long.

    --max-total-bytes applies if it begins like a collection or an archive, else --max-bytes.
    """
    head = stream.read(HEAD_BYTES)
    copy.write(head)
    if len(head) == HEAD_BYTES:
        is_many = is_packed(head) or isinstance(
            read_text(head, False, name, settings.reading), Layout
        )
        max_bytes = settings.max_total_bytes if is_many else settings.max_bytes
        while chunk := stream.read(_COPY_BYTES):
            copy.write(chunk)
            if copy.tell() > max_bytes:
                option = "--max-total-bytes" if is_many else "--max-bytes"
                raise oversize_error(name, max_bytes, "more", option)
    copy.flush()


def check_sources(files: Sequence[Path]) -> None:
    """Raise UsageError if standard input is named twice."""
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input, -, is named twice; it can be read only once")


@contextmanager
def sources_of(files: Sequence[Path], settings: Settings) -> Iterator[list[tuple[Path, str]]]:
    """Context manager: the sources as pairs (path, name for messages).

    Raises InputError, UsageError.
    """
    check_sources(files)
    with ExitStack() as stack:
        yield [(stack.enter_context(path_of(file, settings)), source_name(file)) for file in files]


def read_bytes(file: Path, max_bytes: int) -> bytes:
    """Read at most `max_bytes` + 1 bytes of a file, or of standard input for `-`.

    Raises InputError if it cannot be read.
    """
    with _naming_file(file), _open(file) as stream:
        return stream.read(max_bytes + 1)


def names_file(file: Path) -> bool:
    """Whether an argument is a file name: neither `-`, for standard input, nor a puzzle."""
    return file != STANDARD_INPUT and not _is_puzzle_argument(file)


def _is_puzzle_argument(file: Path) -> bool:
    """Whether an argument is a puzzle rather than the name of an existing file."""
    return bool(PUZZLE_PATTERN.fullmatch(str(file))) and not os.path.lexists(file)


def _wrong_column(file: Path) -> int | None:
    """The column of the first wrong character in an argument that is almost a puzzle.

    Returns None for any other argument.
    """
    text = str(file)
    wrong = [column for column, char in enumerate(text, 1) if char not in "0123456789.*_-"]
    is_near = wrong and len(wrong) <= len(text) // 8 and "/" not in text
    is_long = len(text) >= _MAX_PUZZLE_SHOWN
    return wrong[0] if is_near and is_long and not os.path.lexists(file) else None


def _open(file: Path) -> AbstractContextManager[BinaryIO]:
    """Open a file, standard input, or a puzzle given as an argument."""
    if _is_puzzle_argument(file):
        return io.BytesIO(f"{file}\n".encode())
    if file != STANDARD_INPUT:
        return file.open("rb")
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file")
    if sys.stdin.isatty():
        say("paste a puzzle, then press Enter and Ctrl-D")
    return nullcontext(sys.stdin.buffer)


@contextmanager
def _naming_file(file: Path) -> Iterator[None]:
    """Convert an OSError in the `with` block to an InputError with the name of the file."""
    try:
        yield
    except OSError as error:
        if is_environmental(error):
            raise
        if column := _wrong_column(file):
            wrong = f"expected a digit or '.' in column {column}, "
            wrong += f"found {printable(str(file)[column - 1])!r}"
            raise _no_puzzle(
                f"{source_name(file)}: neither a file nor a puzzle: {wrong}"
            ) from error
        if FEW_CELLS_PATTERN.fullmatch(str(file)) and not os.path.lexists(file):
            cells = counted(len(str(file).replace(" ", "")), "cell")
            wrong = f"expected 16, 36, 64 or 81 cells, found {cells}"
            raise _no_puzzle(f"{file}: neither a file nor a puzzle: {wrong}") from error
        similar = _similar_name(file) if isinstance(error, FileNotFoundError) else ""
        raise InputError(
            f"{source_name(file)}: cannot be read: {error.strerror}{similar}"
        ) from error


def _similar_name(file: Path) -> str:
    """A suggestion for a mistyped file name, from the files in its folder; empty if none fits."""
    from difflib import get_close_matches  # noqa: PLC0415 - rarely needed

    with suppress(OSError), os.scandir(file.parent) as entries:
        names = [entry.name for entry in islice(entries, _MAX_NAMES_COMPARED)]
        name_of = {Path(name).stem: name for name in names}
        if nearest := get_close_matches(file.stem, name_of, 1, _MIN_SIMILARITY):
            return f"; did you mean {printable(str(file.with_name(name_of[nearest[0]])))}?"
    return ""


def _no_puzzle(message: str) -> InputError:
    """Create an InputError with the code `not-a-puzzle`."""
    error = InputError(message)
    error.code = "not-a-puzzle"
    return error


def source_name(file: Path) -> str:
    """The name of a source in messages: the file name, or the start of a puzzle or link."""
    max_shown = _MAX_LINK_SHOWN if LINK_PATTERN.fullmatch(str(file)) else _MAX_PUZZLE_SHOWN
    if len(str(file)) > max_shown and (_is_puzzle_argument(file) or _wrong_column(file)):
        return printable(f"{str(file)[:max_shown]}…")
    return "<stdin>" if file == STANDARD_INPUT else printable(str(file))


def read_file(file: Path, settings: Settings) -> PuzzleProblem | FormulaProblem:
    """Read a puzzle or formula. Raises InputError, LimitReached."""
    data = read_bytes(file, settings.max_bytes)
    return read_problem(data, source_name(file), settings)


def read_puzzle(file: Path, settings: Settings) -> Parsed:
    """Read a puzzle. Raises InputError."""
    problem = read_file(file, settings)
    if isinstance(problem, FormulaProblem):
        raise InputError(f"{source_name(file)}: expected a puzzle, found a formula")
    return problem.parsed


def read_solution(file: Path, parsed: Parsed, settings: Settings) -> Grid:
    """Read a solution of a puzzle, in the notation that is used to write solutions of this puzzle.

    Raises InputError.
    """
    geometry = parsed.puzzle.geometry
    in_numbers = geometry.side > 9 and is_written_as_values(parsed.format, parsed.puzzle)
    if in_numbers or not parsed.puzzle.is_plain:
        return read_values(read_bytes(file, settings.max_bytes), source_name(file), geometry)
    filled = read_puzzle(file, settings).puzzle
    grid = filled_grid(filled, source_name(file))
    # The boxes of the solution are drawn in its file, or assumed by the reader. The boxes of the
    # puzzle replace them.
    is_same_side = filled.is_plain and filled.geometry.side == geometry.side
    return Grid(geometry, grid.values) if is_same_side else grid


def empty_puzzle(size: str) -> Puzzle:
    """Create an empty puzzle with boxes of a size such as `3x3`. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,3})[x×](\d{1,3})", size)
    if not match:
        raise UsageError(f"--empty {size}: expected the height and width of a box, as in 3x3")
    try:
        return Puzzle.empty(Geometry(int(match[1]), int(match[2])))
    except ValueError as error:
        raise UsageError(f"--empty {size}: {error}") from error


STANDARD_OUTPUT = Path("-")
"""The target that names standard output."""
TABLES = (".csv", ".parquet", ".txt")
COLLECTIONS = (".txt", ".sdm", ".iss", ".csv", ".sudoku")
GENERATED = (*COLLECTIONS, ".parquet")
"""Extensions of tables, of collections, and of the files that `generate` writes. A name without an
extension is also allowed."""


def goes_to_terminal(target: Path) -> bool:
    """Whether output to this target appears on the terminal, where a bar would disturb it."""
    return target == STANDARD_OUTPUT and sys.stdout.isatty()


def check_target(
    option: str, target: Path, inputs: Sequence[Path] = (), *, force: bool = False
) -> None:
    """Raise UsageError if a target cannot be written, or is a file that must not be replaced.

    - `option`: the option that names the target, for messages.
    - `force`: allow replacing a file, unless it is an input, an original in an inbox or a published
      file.
    """
    if target == STANDARD_OUTPUT:
        return
    shown = f"{option}: {printable(str(target))}"
    inputs = [given for given in inputs if names_file(given)]
    try:
        whole = target.resolve()
    except RuntimeError:  # before Python 3.13
        raise UsageError(f"{shown} is a link to itself; name another file") from None
    if target.is_symlink() and not target.exists():
        there = printable(str(target.readlink()))
        raise UsageError(f"{shown} is a link to {there}, which does not exist; name another file")
    if target.is_dir():
        raise UsageError(f"{shown} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise UsageError(f"{shown}: its folder does not exist; create it first")
    if any(given.is_dir() and whole.is_relative_to(given.resolve()) for given in inputs):
        raise UsageError(f"{shown} is inside an input folder; name a file elsewhere")
    if target.is_file() and (why := _why_protected(whole, inputs, force=force)):
        raise UsageError(f"{shown} {why}")


def _why_protected(target: Path, inputs: Sequence[Path], *, force: bool) -> str | None:
    """Why a file must not be replaced, as a predicate such as `exists`; None if it may be."""
    if any(given.is_file() and target.samefile(given) for given in inputs):
        return "is an input file; name another file"
    if is_listed(target):
        return "belongs to published results; name another file"
    if any(map(_is_inbox, target.parents)):
        return "is an original in an inbox; name another file"
    return None if force else "exists; name another file, or overwrite it with --force"


def _is_inbox(folder: Path) -> bool:
    """Whether a folder is an inbox: it contains `.work`, `done` and `failed`."""
    return all((folder / name).is_dir() for name in (WORK_FOLDER, DONE, FAILED))


def check_targets(
    targets: Mapping[str, Path | None], sources: Sequence[Path], *, force: bool
) -> None:
    """Check each target as `check_target` does, and check that the targets are different files.

    `targets`: option → target.
    """
    named = {option: target for option, target in targets.items() if target}
    for option, target in named.items():
        check_target(option, target, sources, force=force)
    if len({target.resolve() for target in named.values()}) < len(named):
        raise UsageError(f"{' and '.join(named)} are the same file; give them different names")


_PAGES = (".pdf", ".html", ".docx")
"""Extensions of pages to print."""


def is_parquet(target: Path) -> bool:
    """Whether a table with this name is written as Parquet."""
    return target.suffix.lower() == ".parquet"


def check_ending(option: str, target: Path, endings: Sequence[str]) -> None:
    """Raise UsageError for an unexpected extension, or for Parquet without pyarrow."""
    if target.suffix.lower() not in ("", *endings):
        is_page = {*COLLECTIONS} <= {*endings} and target.suffix.lower() in _PAGES
        hint = "; `sudoku-pipeline sheet` makes pages to print" if is_page else ""
        shown = printable(str(target))
        raise UsageError(
            f"{option}: {shown}: expected a name that ends in {listed(endings, 'or')}{hint}"
        )
    if is_parquet(target):
        from pipeline.outbox import arrow  # noqa: PLC0415 - loads numpy

        arrow.check_arrow()


def unused_path(name: str) -> Path:
    """An unused path in the current folder: `name`, or with a number, as in `sheet-2.html`."""
    return next(path for path in numbered_paths(Path(name)) if not os.path.lexists(path))


@contextmanager
def atomic_output(target: Path) -> Iterator[BinaryIO]:
    """Context manager: open a target for writing. A file gets its name only when it is complete.

    The target must have been checked. Devices and pipes are written directly.
    """
    if target == STANDARD_OUTPUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif target.exists() and not target.is_file():
        with target.open("wb") as device:
            yield device
    else:
        with atomic_file(target.resolve()) as file:
            yield file


@contextmanager
def atomic_table(
    target: Path, row_type: type[Struct], trait_names: Iterable[str] = ()
) -> Iterator[RowGroups | BinaryIO]:
    """Context manager: open a target for a table in Parquet or CSV, and write the header.

    `row_type`: the type of the rows, whose fields are the columns. The target must have been
    checked.
    """
    if is_parquet(target):
        from pipeline.outbox import arrow  # noqa: PLC0415 - loads numpy

        with (
            atomic_output(target) as file,
            arrow.parquet_writer(file, row_type, trait_names) as writer,
        ):
            yield writer
    else:
        from pipeline.outbox.tables import header  # noqa: PLC0415 - few write tables

        with atomic_output(target) as file:
            file.write(header(row_type, trait_names))
            yield file


def write_to(target: Path, chunks: Iterable[str]) -> None:
    """Write chunks of text to a target, as `atomic_output` does."""
    with atomic_output(target) as file:
        file.writelines(chunk.encode(errors="backslashreplace") for chunk in chunks)


class OutputFolder:
    """A folder for one file per puzzle, named after its source and, in a collection, its line.

    Raises UsageError if the path cannot be a folder.
    """

    def __init__(self, path: Path, ending: str, inputs: Sequence[Path], *, force: bool) -> None:
        if not path.parent.is_dir() or (os.path.lexists(path) and not path.is_dir()):
            raise UsageError(
                f"--output: {printable(str(path))}: expected a folder, found a file, or its parent "
                "folder is missing; name another folder"
            )
        self._path, self._ending, self._inputs, self._force = path, ending, inputs, force
        self._used_names = set[str]()

    def target_of(self, source: str, line: int | None) -> Path:
        """The path for the file of a puzzle. Raises UsageError if it must not be replaced."""
        self._path.mkdir(exist_ok=True)
        target = self._path / self._name_of(source, line)
        check_target("--output", target, self._inputs, force=self._force)
        return target

    def _name_of(self, source: str, line: int | None) -> str:
        """A name for the file of a puzzle, different from all earlier names."""
        stem = shorten_stem(
            _UNSAFE_CHARACTERS.sub("-", PurePath(source).stem).strip("-.") or "puzzle"
        )
        path = Path(f"{stem}-{line}{self._ending}" if line else f"{stem}{self._ending}")
        name = next(file.name for file in numbered_paths(path) if file.name not in self._used_names)
        self._used_names.add(name)
        return name
