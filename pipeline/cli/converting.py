"""Functions for `convert`: choose the target notation, convert, and write files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pipeline.cli.answers import say_unread
from pipeline.cli.file_access import (
    OutputFolder,
    atomic_output,
    goes_to_terminal,
    sources_of,
)
from pipeline.cli.messages import say
from pipeline.cli.options import Output
from pipeline.errors import UsageError, printable
from pipeline.reading.unread import add_unread, unread_counts, unread_texts
from pipeline.service.converting import NAMES, Converted, NamedSource, convert, endings_of
from pipeline.service.log import Display, Progress
from pipeline.settings import Settings, TargetChoice
from pipeline.solving.items import Item, items_of

_MAX_REPORTED = 20
"""Maximum number of skipped puzzles that are reported one by one."""


def target_notation(to: TargetChoice | None, output: Path) -> str:
    """The notation that --to names, or else the notation of the extension of `output`.

    Raises UsageError.
    """
    if to is not None:
        return to
    matches = [name for name in NAMES if output.suffix.lower() in endings_of(name)]
    if len(matches) == 1:
        return matches[0]
    if output.suffix and not matches:
        raise UsageError(
            f"--output {printable(str(output))}: no notation has the extension "
            f"{printable(output.suffix)}; use another extension, or name one with --to: "
            f"{', '.join(NAMES)}"
        )
    if matches:
        raise UsageError(f"--to: expected {' or '.join(matches)}")
    raise UsageError(
        f"name a file with -o, such as -o a.svg, or a notation with --to: {', '.join(NAMES)}"
    )


def items_of_files(files: Sequence[Path], settings: Settings) -> Iterator[Item]:
    """Yield an Item for each problem in files. Raises InputError, UsageError."""
    with sources_of(files, settings) as sources:
        for source, name in sources:
            yield from items_of(source, name, settings)


def skip_message(where: str, reason: str) -> str:
    """The message about a skipped puzzle: `where: reason`.

    It is only `reason` if that begins with `where`, or if `where` is empty.
    """
    where = printable(where)
    return reason if not where or reason.startswith(where) else f"{where}: {reason}"


class Conversion:
    """Converts the puzzles of sources, and reports skipped puzzles.

    - `to`: the target notation.
    - `solutions`: write the solutions of the puzzles, not the puzzles.
    - `converted_count`, `skipped_count`: the numbers of converted and of skipped puzzles.
    """

    def __init__(
        self, to: str, settings: Settings, out: Output, *, solutions: bool, target: Path
    ) -> None:
        self.to, self.solutions = to, solutions
        self.converted_count = self.skipped_count = 0
        self._settings, self.out = settings, out
        self._unread = defaultdict[str, Counter[str]](Counter)
        bar = not (out.quiet or out.as_json or goes_to_terminal(target))
        self._display = Display(None, bar=bar)

    def convert(
        self, sources: Sequence[NamedSource], output: BinaryIO | None
    ) -> Iterator[Converted]:
        """Yield the converted puzzles, and report the skipped ones.

        `output`: the file to which all puzzles are written; None for one text per puzzle.
        """
        results = convert(sources, self.to, self._settings, solutions=self.solutions, kept=output)
        for result in results:
            if result.reason is None:
                self.converted_count += 1
                self._say_unread(result)
                yield result
            else:
                self.skipped_count += 1
                self._say_skipped(result)
                self.out.row({"source": result.name, "line": result.line, "reason": result.reason})
            done = self.converted_count + self.skipped_count
            self._display.tick("converting", Progress(done, done, None))
        self._display.end()
        say_unread(self._unread, "converted")
        if self.skipped_count > _MAX_REPORTED:
            say(f"and {self.skipped_count - _MAX_REPORTED:,} more puzzles not converted")

    def _say_skipped(self, result: Converted) -> None:
        """Report a skipped puzzle, unless _MAX_REPORTED were reported before."""
        if self.skipped_count <= _MAX_REPORTED:
            self._display.end()
            say(skip_message(result.where, result.reason or ""))

    def _say_unread(self, result: Converted) -> None:
        """Report the parts of a puzzle that were not converted."""
        parts = {"ruleset": "the text of its rules was", "drawings": "its drawings were"}
        for part in (parts[code] for code in result.unread if code in parts):
            self._display.end()
            say(f"{printable(result.where)}: {part} not converted")
        if texts := unread_texts(result.unread):
            add_unread(self._unread[result.name], unread_counts([texts]))


class _NothingWritten(Exception):
    """Raised to discard an unfinished target, so that an existing file is kept."""


def write_file(conversion: Conversion, sources: Sequence[NamedSource], target: Path) -> None:
    """Write all puzzles to one file. If none can be converted, keep an existing file."""
    with suppress(_NothingWritten), atomic_output(target) as file:
        for _ in conversion.convert(sources, file):
            pass
        if not conversion.converted_count:
            raise _NothingWritten
    if conversion.converted_count:
        conversion.out.row({"file": str(target), "puzzles": conversion.converted_count})


def print_objects(conversion: Conversion, sources: Sequence[NamedSource]) -> None:
    """Print each puzzle as a JSON object: its location and its text."""
    for result in conversion.convert(sources, None):
        text = (result.data or b"").decode()
        conversion.out.row({"source": result.name, "line": result.line, "text": text})


def write_folder(
    conversion: Conversion, sources: Sequence[NamedSource], path: Path, *, force: bool
) -> None:
    """Write one file per puzzle to the folder `path`."""
    paths = [source for source, _ in sources if isinstance(source, Path)]
    folder = OutputFolder(path, next(iter(endings_of(conversion.to)), ".txt"), paths, force=force)
    for result in conversion.convert(sources, None):
        target = folder.target_of(result.name, result.line)
        with atomic_output(target) as file:
            file.write(result.data or b"")
        fields = {"file": str(target), "puzzles": 1, "source": result.name, "line": result.line}
        conversion.out.row(fields)
