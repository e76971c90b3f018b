"""The tree of an archive's answers: for every member what it would have given alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from pipeline.dropbox.folders import digest_of, sync_file, sync_folder, write_new
from pipeline.errors import is_environmental
from pipeline.published import ENDING, read_record
from pipeline.published.names import COUNT, is_output, stems_for
from pipeline.record import (
    Origin,
    Summary,
    digest,
    job_files,
    make_record,
    many_log_text,
    many_record,
    record_text,
    timestamp,
)
from pipeline.result import Result
from pipeline.run.requests import Item


class Tree:
    """A hidden folder in which the answers to a job's members are written."""

    def __init__(self, top: Path, job: str, declared: Mapping[str, str]) -> None:
        self._top = top
        self._job = job
        self._declared = declared
        self._fresh: list[Path] = []

    def make(self) -> None:
        self._top.mkdir(exist_ok=True)

    def stem_for(self, member: str, number: int) -> str:
        """The path, without an ending, under which a member's answers go; its folder is made.

        It is the member's own, or one with its whole name where another has that already.
        `number` tells the member from others: its place in the archive. Raises OSError.
        """
        parts = PurePosixPath(member)
        folder = self._folder(parts.parent)
        for stem in stems_for(parts.name):
            if self._is_free(folder, stem, number):
                return str(folder / stem)
        raise AssertionError("there is always another stem")

    def _is_free(self, folder: PurePosixPath, stem: str, number: int) -> bool:
        """Whether no other member, and no folder, has a name that this stem would take."""
        own = read_record(self._top / folder / f"{stem}{ENDING}")
        if own is not None and own.member == number:  # of a step that was cut off
            return True
        for form in (stem, stem.removesuffix(COUNT), stem + COUNT):
            known = read_record(self._top / folder / f"{form}{ENDING}")
            if known is not None and known.member != number:
                return False
        return True

    def _folder(self, path: PurePosixPath) -> PurePosixPath:
        """Make a folder of the tree, under another name where a file has its own, or may get it."""
        made = PurePosixPath()
        for part in path.parts:
            made = made / part
            while (self._top / made).is_file() or is_output(made.name):
                made = made.with_name(made.name + "~")
        if not (self._top / made).is_dir():
            (self._top / made).mkdir(parents=True)
            self._fresh += [self._top / made, (self._top / made).parent]
        return made

    def write(self, item: Item, number: int, result: Result, *, keep_cnf: bool) -> Result:
        """Write one puzzle's set; what cannot be written under its name is `failed`.

        Raises OSError where all would fail so.
        """
        try:
            self._write(item, number, result, keep_cnf=keep_cnf)
        except OSError as error:
            if is_environmental(error):
                raise
            why = f"it cannot be written: {error.strerror}"
            return replace(result, status="failed", solutions=(), complete=None, message=why)
        return result

    def _write(self, item: Item, number: int, result: Result, *, keep_cnf: bool) -> None:
        assert item.data is not None  # noqa: S101
        now = datetime.now(UTC)
        origin = self.origin(item.name, number, digest(item.data), len(item.data))
        stem = self.stem_for(item.name, number)
        base = PurePosixPath(stem).name
        hashes: dict[str, str] = {}
        for name, pieces in job_files(base, origin, result, (now, now), keep_cnf=keep_cnf):
            hashes[name] = self._put(stem, name, pieces)
        record = make_record(origin, result, hashes, now)
        self._put(stem, base + ENDING, [record_text(record)])

    def _put(self, stem: str, name: str, pieces: Iterable[str | bytes]) -> str:
        path = (self._top / stem).with_name(name)
        path.unlink(missing_ok=True)  # of a step that was cut off
        self._fresh += [path, path.parent]
        return write_new(path, pieces)

    def origin(self, member: str, number: int, hashed: str | None, size: int | None) -> Origin:
        """What a member's record says of the member."""
        return Origin(self._job, member, hashed, size, self._declared, number)

    def write_many(self, stem: str, origin: Origin, summary: Summary, names: Iterable[str]) -> None:
        """Write record and log of a collection, whose other files have grown under a stem."""
        now = datetime.now(UTC)
        base = PurePosixPath(stem).name
        paths = [self._top / name.lstrip("/") for name in names]
        hashes = {path.name: digest_of(path) for path in paths}
        log = many_log_text(origin, summary, timestamp(now), now)
        hashes[f"{base}.log"] = self._put(stem, f"{base}.log", [log])
        record = many_record(origin, summary, hashes, now)
        self._put(stem, base + ENDING, [record_text(record)])
        self.sync()

    def sync(self) -> None:
        """Make everything written since the last time last."""
        for path in dict.fromkeys(self._fresh):
            if path.is_dir():
                sync_folder(path)
            else:
                sync_file(path)
        self._fresh.clear()
