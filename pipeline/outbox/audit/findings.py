"""The options and findings of an audit, and checks of the files of a set."""

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
from pipeline.outbox import RECORD_SUFFIX
from pipeline.outbox.names import is_file_of_set, stem_of, stems_for
from pipeline.outbox.published import Published, PublishedCollection, PublishedPuzzle
from pipeline.settings import Settings, with_declared
from pipeline.solving import Encoder

_MAX_STEMS = 1000
"""Only the first stems of a source, up to this number, are accepted as names of its set."""

NOT_LISTED = "is not listed in any record"
"""The message about a file that no record lists. It follows the name of the file."""

MAX_MESSAGES = 100
"""Maximum number of messages of one kind about one job. Further messages are only counted."""

_Verdict = Literal["ok", "unchecked", "bad"]


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Options of an audit.

    - `settings`: the settings for reading originals.
    - `seconds`: the time limit of each check.
    - `refuter`: decides assertions that an exhaustive search leaves undecided; its answers are
      checked. Without a refuter, such assertions remain unchecked.
    - `confirm`: checks a formula and its LRAT proof a second time, for example with another
      program. Raises PipelineError if the proof is wrong.
    - `encoder`: encodes puzzles again. Without an encoder, the sizes of formulas are not compared.
    - `on_rows`: called with a collection's name, the number of audited rows and the number of rows.
    """

    settings: Settings = field(default_factory=Settings)
    seconds: float = 60.0
    refuter: Refuter | None = None
    confirm: Callable[[Iterable[str], str, Deadline], object] = lambda _cnf, _lrat, _deadline: None
    encoder: Encoder | None = None
    on_rows: Callable[[str, int, int], object] = lambda _name, _done, _total: None


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of the audit of one job. All texts are printable.

    - `name`: the stem of its record.
    - `claim`: the assertion of the job, for example `unique, proved`.
    - `problems`: errors in the results.
    - `gaps`: assertions that could not be checked.
    - `notes`: remarks on results that are not wrong.
    """

    name: str
    claim: str
    problems: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> _Verdict:
        return "bad" if self.problems else "unchecked" if self.gaps else "ok"


@dataclass(frozen=True, slots=True)
class Findings:
    """Collects the findings about a job.

    - `prefix`: the beginning of each message. It names the part of the job that is being checked.
    - `is_current_build`: whether this build wrote the record.
    """

    options: AuditOptions = field(default_factory=AuditOptions)
    prefix: str = ""
    is_current_build: bool = True
    _messages: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _counts: Counter[str] = field(default_factory=Counter)

    def add_problem(self, message: str) -> None:
        self._add("problems", message)

    def add_gap(self, message: str) -> None:
        self._add("gaps", message)

    def add_note(self, message: str) -> None:
        self._add("notes", message)

    def add_difference(self, message: str) -> None:
        """Report a part of the result that this build would write differently.

        The report is a problem if this build wrote the record; otherwise, it is only a note.
        """
        if self.is_current_build:
            self.add_problem(message)
        else:
            self.add_note(f"{message}: another version wrote it")

    def _add(self, kind: str, message: str) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= MAX_MESSAGES:
            self._messages[kind].append(printable(self.prefix + message))

    def empty_copy(self, *, is_current_build: bool = True) -> Findings:
        """Make findings with the same options, but without messages."""
        return Findings(self.options, is_current_build=is_current_build)

    def with_declared(self, declared: Mapping[str, str]) -> Findings:
        """The same findings, with settings for reading originals in the declared notation."""
        settings = with_declared(self.options.settings, declared)
        return replace(self, options=replace(self.options, settings=settings))

    @property
    def settings(self) -> Settings:
        """The settings for reading originals."""
        return self.options.settings

    def section(self, part: str) -> Findings:
        """The same findings; messages added to the copy begin with the name of this part."""
        return replace(self, prefix=f"{self.prefix}{part}: ")

    @property
    def is_clean(self) -> bool:
        """Whether there are no problems."""
        return not self._counts["problems"]

    def finding(self, name: str, claim: str) -> Finding:
        """Make the finding about a job. `name`: its stem. `claim`: its assertion in words."""
        for kind, count in self._counts.items():
            if count > MAX_MESSAGES:
                self._messages[kind][MAX_MESSAGES:] = [f"and {count - MAX_MESSAGES} more"]
        messages = {kind: tuple(texts) for kind, texts in self._messages.items()}
        return Finding(printable(name), printable(claim), **messages)


@dataclass(frozen=True, slots=True)
class ListedFolder:
    """A folder, the names of its files and links, and the names of its subfolders."""

    path: Path
    names: set[str]
    folders: list[str]

    def records(self) -> list[Path]:
        """The paths of the records, in the order of their stems."""
        stems = (
            name.removesuffix(RECORD_SUFFIX) for name in self.names if name.endswith(RECORD_SUFFIX)
        )
        return [self.path / (stem + RECORD_SUFFIX) for stem in sorted(stems)]


def folders_in(top: Path) -> Iterator[ListedFolder]:
    """Yield a folder and its subfolders, at any depth. Does not follow links. Raises OSError."""
    for folder, subfolders, files in os.walk(top, onerror=_raise_error):
        subfolders.sort()
        path = Path(folder)
        links = [name for name in subfolders if (path / name).is_symlink()]
        names = {name for name in (*files, *links) if not name.startswith(".")}
        yield ListedFolder(path, names, [name for name in subfolders if name not in links])


def _raise_error(error: OSError) -> None:
    raise error


def audit_files(published: Published, source: str, report: Findings) -> None:
    """Check the names of a set's files against its source, and the files against the record.

    The log may be missing: users may delete old logs.
    """
    stem, status = published.stem, published.record.status
    # earlier versions used a stem that is reserved now
    if stem not in (stem_of(source), *islice(stems_for(source), _MAX_STEMS)):
        preferred = next(stems_for(source))
        report.add_problem(f"results of source {source!r} should be named {preferred!r}")
    for name in published.unknown_fields:
        report.add_problem(f"{name}: unknown field")
    if isinstance(published, PublishedCollection) and f"{stem}.csv" not in published.files:
        report.add_problem(f"{stem}.csv is not listed")
    for name, recorded in published.files.items():
        if not is_file_of_set(name, stem, status):
            report.add_problem(f"{name} is listed, but is not a file that this job writes")
        elif fault := _fault_in_file(published.sibling(name), recorded):
            report.add_problem(f"{name}{fault}")
    _audit_solution_numbers(published, report)


def _audit_solution_numbers(published: Published, report: Findings) -> None:
    """Check that the solution files are numbered from 1 to the recorded number of solutions."""
    names = published.solution_files
    for number, name in enumerate(names, 1):
        if name != (expected := f"{published.stem}_{number}.solution"):
            report.add_problem(f"{expected} is not listed, but {name} is")
            break
    if isinstance(published, PublishedPuzzle) and published.record.solutions not in (
        None,
        len(names),
    ):
        recorded = counted(published.record.solutions or 0, "solution")
        listed = counted(len(names), "solution file")
        report.add_problem(f"{recorded} in the record, {listed} listed")


def _fault_in_file(path: Path, recorded: str) -> str | None:
    """Check a listed file. Returns the fault, to append to the file's name, or None."""
    try:
        hashed = digest_of(path)
    except FileNotFoundError:
        return None if path.suffix == ".log" else " is listed, but missing"
    except OSError as error:
        return f": cannot be read: {in_words(error)}"
    return (
        None if hashed == recorded else f": its sha256 is {hashed[:12]}…, recorded {recorded[:12]}…"
    )
