"""The options of an audit, its findings, and the sets of files that it checks."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from pipeline.certify.formula import Refuter
from pipeline.errors import counted, in_words, printable
from pipeline.files import digest_of
from pipeline.limits import Deadline
from pipeline.outbox import ENDING
from pipeline.outbox.names import is_of_set, stems_for
from pipeline.outbox.published import Published, PublishedCollection, PublishedPuzzle
from pipeline.settings import Settings
from pipeline.solving import Encoder

_MOST_STEMS = 1000
NOT_LISTED = "is not listed in any record"

MAX_LISTED = 100
"""Maximum number of problems listed per job; further ones are counted."""

_Outcome = Literal["ok", "unchecked", "bad"]


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """How originals are read, and the seconds for each check.

    - `refuter`: asked where an exhaustive search does not decide, or is impossible. Its answers are
      checked. Without it, such assertions stay unchecked.
    - `confirm`: called with a checked refutation in LRAT, for another program to check. Raises
      PipelineError if that rejects it.
    - `encoder`: encodes puzzles again. Without it, sizes of formulas are not compared.
    - `on_rows`: called with the name of a collection, the rows done, and the rows in its record.
    """

    settings: Settings = field(default_factory=Settings)
    seconds: float = 60.0
    refuter: Refuter | None = None
    confirm: Callable[[Iterable[str], str, Deadline], object] = lambda _cnf, _lrat, _deadline: None
    encoder: Encoder | None = None
    on_rows: Callable[[str, int, int], object] = lambda _name, _done, _total: None


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one job: `problems` are faults, `gaps` could not be checked.

    `name` is the name of the record without its extension. `claim` is what the record asserts.
    `notes` are not faults. All texts are safe to print.
    """

    name: str
    claim: str
    problems: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> _Outcome:
        return "bad" if self.problems else "unchecked" if self.gaps else "ok"


@dataclass(frozen=True, slots=True)
class Findings:
    """Collects findings about a job.

    `about` names the part that is being checked. `is_ours`: this build wrote it.
    """

    terms: AuditOptions = field(default_factory=AuditOptions)
    about: str = ""
    is_ours: bool = True
    _kept: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _counts: Counter[str] = field(default_factory=Counter)

    def bad(self, message: str) -> None:
        self._add("problems", message)

    def gap(self, message: str) -> None:
        self._add("gaps", message)

    def note(self, message: str) -> None:
        self._add("notes", message)

    def rewritten(self, message: str) -> None:
        """Report a difference from what this build writes; it is a fault only if `is_ours`."""
        if self.is_ours:
            self.bad(message)
        else:
            self.note(f"{message}: another version wrote it")

    def _add(self, kind: str, message: str) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= MAX_LISTED:
            self._kept[kind].append(printable(self.about + message))

    def without_findings(self, *, is_ours: bool = True) -> Findings:
        """A report without findings, with the same options."""
        return Findings(self.terms, is_ours=is_ours)

    def with_declared(self, declared: Mapping[str, str]) -> Findings:
        """The same findings, with the declared notation."""
        settings = replace(self.terms.settings, **declared)  # type: ignore[arg-type] # checked
        return replace(self, terms=replace(self.terms, settings=settings))

    @property
    def settings(self) -> Settings:
        """How originals are read."""
        return self.terms.settings

    def within(self, part: str) -> Findings:
        """The same report, for a part of the job."""
        return replace(self, about=f"{self.about}{part}: ")

    @property
    def is_clean(self) -> bool:
        return not self._counts["problems"]

    def finding(self, name: str, claim: str) -> Finding:
        for kind, count in self._counts.items():
            if count > MAX_LISTED:
                self._kept[kind][MAX_LISTED:] = [f"and {count - MAX_LISTED} more"]
        messages = {kind: tuple(sentences) for kind, sentences in self._kept.items()}
        return Finding(printable(name), printable(claim), **messages)


@dataclass(frozen=True, slots=True)
class ListedFolder:
    """The content of a folder: its files and its subfolders."""

    path: Path
    names: set[str]
    folders: list[str]

    def records(self) -> list[Path]:
        """The paths of the records, in the order of their stems."""
        stems = (name.removesuffix(ENDING) for name in self.names if name.endswith(ENDING))
        return [self.path / (stem + ENDING) for stem in sorted(stems)]


def folders_in(top: Path) -> Iterator[ListedFolder]:
    """A folder and all folders below it, without following links. Raises OSError."""
    for folder, inner, files in os.walk(top, onerror=_fail):
        inner.sort()
        path = Path(folder)
        links = [name for name in inner if (path / name).is_symlink()]
        names = {name for name in (*files, *links) if not name.startswith(".")}
        yield ListedFolder(path, names, [name for name in inner if name not in links])


def _fail(error: OSError) -> None:
    raise error


def audit_files(published: Published, source: str, report: Findings) -> None:
    """Check that the set is named after its source, and that its files match the record.

    A log may be missing, because old ones are deleted.
    """
    stem, status = published.stem, published.record.status
    if stem not in islice(stems_for(source), _MOST_STEMS):
        preferred = next(stems_for(source))
        report.bad(f"the source is {source!r}: its set would be called {preferred!r}")
    for name in published.strange:
        report.bad(f"{name}: unexpected")
    if isinstance(published, PublishedCollection) and f"{stem}.csv" not in published.files:
        report.bad(f"{stem}.csv is not listed")
    for name, recorded in published.files.items():
        if not is_of_set(name, stem, status):
            report.bad(f"{name} is listed, but a job of this name does not write it")
        elif fault := _fault_in_file(published.beside(name), recorded):
            report.bad(f"{name}{fault}")
    _audit_numbers(published, report)


def _audit_numbers(published: Published, report: Findings) -> None:
    """Check that the solution files are numbered from 1 without gaps, up to the right number."""
    names = published.numbered
    for number, name in enumerate(names, 1):
        if name != (expected := f"{published.stem}_{number}.solution"):
            report.bad(f"{expected} is not listed, but {name} is")
            break
    if isinstance(published, PublishedPuzzle) and published.record.solutions not in (
        None,
        len(names),
    ):
        recorded = counted(published.record.solutions or 0, "solution")
        listed = counted(len(names), "solution file")
        report.bad(f"{recorded} in the record, {listed} listed")


def _fault_in_file(path: Path, recorded: str) -> str | None:
    """The fault of a listed file, in words that follow its name."""
    try:
        hashed = digest_of(path)
    except FileNotFoundError:
        return None if path.suffix == ".log" else " is listed, but missing"
    except OSError as error:
        return f": cannot be read: {in_words(error)}"
    return (
        None
        if hashed == recorded
        else f": its sha256 is {hashed[:12]}…, listed as {recorded[:12]}…"
    )
