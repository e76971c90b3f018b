"""What an audit is based on, and how its findings about a job are collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from pipeline.errors import printable
from pipeline.settings import Reading
from pipeline.unpack import Room

MOST = 100
"""Problems of one job that are listed; the others are counted."""

Verdict = Literal["ok", "unchecked", "bad"]


@dataclass(frozen=True, slots=True)
class Terms:
    """How originals are read, how much they may unpack to, and the seconds for each proof."""

    reading: Reading = field(default_factory=Reading)
    limits: Room = field(default_factory=Room)
    seconds: float = 60.0

    def with_declared(self, declared: Mapping[str, str]) -> Self:
        """The same with what was declared of the notation."""
        return replace(self, reading=self.reading._replace(**declared))  # type: ignore[arg-type] # checked


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one job: `problems` are wrong, `gaps` could not be checked.

    `name` is that of the record without its ending. `claim` is what the job says of itself,
    `notes` are worth knowing but not wrong. All of it is safe to print.
    """

    name: str
    claim: str
    problems: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return "bad" if self.problems else "unchecked" if self.gaps else "ok"


@dataclass(slots=True)
class _Said:
    """Sentences of one kind, of which only the first are kept."""

    kept: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, sentence: str) -> None:
        if len(self.kept) < MOST:
            self.kept.append(printable(sentence))
        else:
            self.left_out += 1

    def all(self) -> tuple[str, ...]:
        more = (f"and {self.left_out} more",) if self.left_out else ()
        return (*self.kept, *more)


@dataclass(frozen=True, slots=True)
class Report:
    """Collects findings about a job. `about` names the part of it that is being checked."""

    about: str = ""
    _problems: _Said = field(default_factory=_Said)
    _gaps: _Said = field(default_factory=_Said)
    _notes: _Said = field(default_factory=_Said)

    def bad(self, what: str) -> None:
        self._problems.add(self.about + what)

    def gap(self, what: str) -> None:
        self._gaps.add(self.about + what)

    def note(self, what: str) -> None:
        self._notes.add(self.about + what)

    def within(self, part: str) -> Report:
        """The same report, for a part of the job."""
        return Report(f"{self.about}{part}: ", self._problems, self._gaps, self._notes)

    @property
    def is_clean(self) -> bool:
        return not self._problems.kept

    def finding(self, name: str, claim: str) -> Finding:
        said = self._problems.all(), self._gaps.all(), self._notes.all()
        return Finding(printable(name), printable(claim), *said)
