"""Base types of the formats: Format for single puzzles, ManyFormat for collections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, BinaryIO

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.parsed import Entry, Parsed, TextChunk
from pipeline.reading.formats.records import Reader
from pipeline.reading.formats.text import Text, is_border, is_significant, iterate_lines
from pipeline.settings import Reading

Details = Any
"""The properties of a collection that its format uses to read it; each format has its own type."""

MAX_LINES_EXAMINED = 600
"""Maximum number of lines to examine in order to recognise a collection."""

_SAMPLE_BYTES = 256 * 1024
"""Size of the beginning of a source from which `SourceHead.lines` are taken."""


@dataclass(frozen=True, slots=True)
class Format:
    """A notation for puzzles.

    - `recognise`: returns the reason why a text is in this format, or None.
    - `parse`: reads a text. Raises InvalidPuzzle.
    - `render`: writes a puzzle, even a filled one, so that `parse` can read it. Its second argument
      names the notation, as `Parsed.format` does; the default is "". Raises ValueError
      with a noun phrase for the first property that the format cannot express. None if the format
      is only read.
    - `has_solutions`: published solutions are filled puzzles in the same notation, not rows of
      values.
    - `begins`: matches the keywords or the header at the beginning of a text in this format, even a
      damaged one; None if the format has none.
    - `many`: the format of collections in the same notation.
    - `has_other_text`: a text may contain lines or fields that are not cells, so all its lines are
      searched for names of rules. Not for formats whose cells may be letters.
    - `states_boxes`: a text states the size of a box, so a filled puzzle with unusual boxes can be
      read back.
    """

    name: str
    recognise: Callable[[Text], str | None]
    parse: Callable[[Text, Reading], Parsed]
    render: Callable[[Puzzle, str], str] | None = None
    begins: re.Pattern[str] | None = None
    many: ManyFormat | None = None
    has_solutions: bool = False
    has_other_text: bool = False
    states_boxes: bool = False

    def recognises_line(self, text: Text) -> bool:
        """Whether a text of one line is in this format, and has its keywords if it has any."""
        has_keywords = self.begins is None or self.begins.match(text.lines[0].text)
        return bool(has_keywords) and self.recognise(text) is not None


@dataclass(frozen=True)
class SourceHead:
    """The beginning of a source, or all of it if `is_complete`.

    - `is_declared`: the user named the format, so only its layout must be detected.
    - `reads_as_one`: decides whether a source is one puzzle, perhaps a damaged one.
    - `is_variant`: decides whether a line is a variant.
    - `minimum`: the minimum number of puzzles in a collection; 1 if the source cannot be a single
      puzzle.
    """

    data: bytes
    is_complete: bool
    is_declared: bool
    reads_as_one: Callable[[SourceHead], bool]
    is_variant: Callable[[str], bool]
    minimum: int = 2

    @cached_property
    def sample(self) -> bytes:
        """The whole lines of the first 256 KiB."""
        if self.is_complete and len(self.data) <= _SAMPLE_BYTES:
            return self.data
        beginning = self.data[:_SAMPLE_BYTES]
        last_feed, last_return = beginning.rfind(b"\n"), beginning.rfind(b"\r", 0, -1)
        return beginning[: max(last_feed, last_return) + 1]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that are neither empty nor comments nor borders."""
        text = self.sample.decode("utf-8-sig", errors="replace")
        lines = filter(is_significant, iterate_lines(text))
        without_borders = (line for line in lines if not is_border(line))
        return tuple(islice(without_borders, MAX_LINES_EXAMINED))

    @property
    def has_all_lines(self) -> bool:
        """Whether `lines` contains all significant lines of the source."""
        return (
            self.is_complete and self.sample == self.data and len(self.lines) < MAX_LINES_EXAMINED
        )

    @cached_property
    def is_single(self) -> bool:
        """Whether to read the source as one puzzle; False if the user named the format."""
        return not self.is_declared and self.reads_as_one(self)


def _takes_no_plain_lines(_layout: Details) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ManyFormat:
    """A notation for many puzzles.

    - `recognise`: returns the details of a source and the reason why it is in this format. Returns
      None for other sources, unless the format is declared.
    - `chunks`: cuts a stream into chunks of about `size` bytes, in bounded memory. The ends of
      chunks depend only on the input and on `size`. The data of a chunk can be cut again,
      into smaller chunks.
    - `entries`: reads a chunk; an invalid record becomes an entry with an error.
    - `takes_plain_lines`: decides from the details whether each line of 81 cells is a puzzle.
    - `has_variants`: the puzzles are variants, which take longer to solve.
    """

    name: str
    recognise: Callable[[SourceHead], tuple[Details, str] | None]
    chunks: Callable[[BinaryIO, Details, int], Iterator[TextChunk]]
    entries: Callable[[TextChunk, Details, Reader], list[Entry]]
    takes_plain_lines: Callable[[Details], bool] = _takes_no_plain_lines
    has_variants: bool = False
