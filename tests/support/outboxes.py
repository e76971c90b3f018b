"""Outboxes that `run` made, what somebody does to them, and what an audit says of it."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from support.archives import zip_of
from support.commands import run
from support.drop_folders import OTHER_SOLVED, SMALL, DropFolder

from pipeline.certify.formula import Formula, proof_formula, read_formula
from pipeline.certify.lrat import check_lrat, drat_of
from pipeline.outbox.audit import AuditOptions, Finding, audit
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import parse_puzzle

ONE, OTHER_GRID = SMALL, OTHER_SOLVED
SIX_BY_SIX = "...5..\n..5631\n......\n.1.3.5\n.5....\n2.4...\n"
EXAMPLES = Path(__file__).parents[2] / "examples"
packed = partial(zip_of, method=zipfile.ZIP_STORED)
STATUSES = ("unsolvable", "unique", "multiple")
"""The status of a puzzle with no, one and more solutions."""
Tamper = Callable[["Outbox"], object]


def in_a_line(puzzle: str) -> str:
    return "".join(puzzle.split()) + "\n"


@dataclass(frozen=True)
class Outbox:
    """A finished outbox that may be tampered with: by somebody who sees to hashes and logs, too."""

    box: DropFolder
    is_linked: bool = False
    """Whether others have its files, too; whoever asks for the path of one gets one of his own."""

    @property
    def folder(self) -> Path:
        return self.box.outbox

    def findings(self, **terms: Any) -> dict[str, Finding]:
        """What an audit finds, by the names of the jobs."""
        return _findings(self.folder, self.box.inbox, **terms)

    def finding(self, name: str, **terms: Any) -> Finding:
        """What an audit finds of one job, all others left out."""
        with TemporaryDirectory() as folder:
            for path in self.folder.iterdir():
                if path.name == name or path.name.startswith((f"{name}.", f"{name}_")):
                    _copy(path, Path(folder))
            return _findings(Path(folder), self.box.inbox, **terms)[name]

    def problems(self, name: str, **terms: Any) -> tuple[str, ...]:
        """What is wrong with one job."""
        finding = self.finding(name, **terms)
        assert finding.verdict == ("bad" if finding.problems else "ok")
        return finding.problems

    def path(self, name: str) -> Path:
        return self._own(self.folder / name)

    def record(self, stem: str) -> dict[str, Any]:
        return json.loads(self.path(f"{stem}.json").read_bytes())

    def write_record(self, stem: str, record: Mapping[str, Any]) -> None:
        self.path(f"{stem}.json").write_text(json.dumps(record))

    def edit(self, stem: str, **fields: Any) -> None:
        """Change some fields of a record, and what its log says of them."""
        self._write_both(stem, self.record(stem) | fields)

    def forget(self, stem: str, *fields: str) -> None:
        """Remove some fields of a record, and what its log says of them."""
        self._write_both(stem, {k: v for k, v in self.record(stem).items() if k not in fields})

    def _write_both(self, stem: str, record: Mapping[str, Any]) -> None:
        self.write_record(stem, record)
        log = self.path(f"{stem}.log")
        if log.is_file() and log.name in str(record.get("files")):
            *lines, last = log.read_text().splitlines()
            log.write_text("".join(f"{line}\n" for line in (*lines, _last_line(last, record))))
            own = {"name": log.name, "sha256": sha256(log.read_bytes()).hexdigest()}
            files = [own if each["name"] == log.name else each for each in record["files"]]
            self.write_record(stem, {**record, "files": files})

    def edit_in(self, stem: str, field: str, **fields: Any) -> None:
        """Change some fields of an object in a record."""
        self.edit(stem, **{field: self.record(stem)[field] | fields})

    def certify(self, stem: str, **fields: Any) -> None:
        """Change some fields of a certificate."""
        self.edit_in(stem, "certificate", **fields)

    def list(self, stem: str, *more: str) -> None:
        """Have the record list what is there of its names, and more, with their hashes."""
        names = dict.fromkeys((*(each["name"] for each in self.record(stem)["files"]), *more))
        there = {name: self.path(stem).with_name(name) for name in names}
        hashes = {n: sha256(p.read_bytes()).hexdigest() for n, p in there.items() if p.exists()}
        files = [{"name": n, "sha256": h} for n, h in hashes.items()]
        self.write_record(stem, self.record(stem) | {"files": files})

    def write(self, name: str, content: str | bytes, stem: str = "") -> None:
        """Write a file of a job's set, a new one perhaps, and see to it that it is listed."""
        self.path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        self.list(stem or _stem(name), Path(name).name)

    def change(self, name: str, stem: str, change: Callable[[str], str]) -> None:
        """Change the text of a file of a job's set, so that it differs."""
        before = self.path(name).read_text()
        after = change(before)
        assert after != before
        self.write(name, after, stem)

    def change_line(self, name: str, stem: str, number: int, line: str) -> None:
        """Put another line in place of one of a file; they count from 1."""
        lines = self.path(name).read_text().splitlines()
        lines[number - 1] = line
        self.write(name, "\n".join(lines) + "\n", stem)

    def set_row(self, name: str, stem: str, number: int, **fields: str) -> None:
        """Change some fields of a row of a table."""
        rows = self.rows(name)
        for column, value in fields.items():
            assert rows[number][rows[0].index(column)] != value
            rows[number][rows[0].index(column)] = value
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self.write(name, text.getvalue(), stem)

    def rows(self, name: str) -> list[list[str]]:
        return [*csv.reader(io.StringIO(self.path(name).read_text()))]

    def remove(self, name: str, stem: str) -> None:
        """Remove a file of a job's set, and what the record says of it."""
        self.path(name).unlink()
        self.list(stem)

    def leave_out(self, stem: str) -> None:
        """Leave out the last solution of one problem, as if there were one less."""
        record = self.record(stem)
        left = record["solutions"] - 1
        self.remove(f"{stem}_{left + 1}.solution", stem)
        if left < 2:
            self.forget(stem, "difference")
        if left == 0 and record["format"] != "cnf":
            self.edit(stem, conflict=None, conflict_minimal=None)
        self.edit(stem, solutions=left, status=STATUSES[min(left, 2)])

    def leave_out_of_row(self, stem: str, number: int) -> None:
        """Leave out the last solution of a row, as if there were one less; all counts say so."""
        header, *rows = self.rows(f"{stem}.csv")
        row = dict(zip(header, rows[number - 1], strict=True))
        left = int(row["solutions"]) - 1
        name, status = f"{stem}_{left + 1}.solution", STATUSES[min(left, 2)]
        cells = len(self.path(name).read_text().splitlines()[number - 1])
        self.change_line(name, stem, number, "." * cells)
        fields = {"status": status, "solution": row["solution"] if left else ""}
        changed = {name: value for name, value in fields.items() if value != row[name]}
        self.set_row(f"{stem}.csv", stem, number, solutions=str(left), **changed)
        totals = Counter(self.record(stem)["totals"])
        totals[row["status"]] -= 1
        totals[status] += 1
        self.edit(stem, totals=totals)

    def original(self, name: str) -> Path:
        return self._own(self.box.inbox / "done" / name)

    def _own(self, path: Path) -> Path:
        if self.is_linked and path.is_file() and path.stat().st_nlink > 1:
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content)
        return path

    def exchange(self, name: str, content: str | bytes, stem: str = "") -> None:
        """Put another original in place of one; the record has its hash."""
        data = content.encode() if isinstance(content, str) else content
        self.original(name).write_bytes(data)
        self.edit(stem or _stem(name), sha256=sha256(data).hexdigest(), bytes=len(data))

    def formula(self, stem: str) -> Formula:
        """What a proof of one puzzle should refute."""
        record = self.record(stem)
        names = (f"{stem}_{number}.solution" for number in range(1, record["solutions"] + 1))
        puzzles = [parse_puzzle(self.path(name).read_text()) for name in names]
        grids = [Grid(p.geometry, tuple(value for _, value in p.givens())) for p in puzzles]
        return proof_formula(parse_puzzle(self.original(record["source"]).read_bytes()), grids)

    def write_formula(self, stem: str, *clauses: tuple[int, ...]) -> None:
        """Put a formula with these clauses in place of the one that was refuted."""
        text = "".join(Formula(self.formula(stem).variables, clauses).text())
        self.write(f"{stem}.proof.cnf", text, stem)


def _last_line(line: str, record: Mapping[str, Any]) -> str:
    """The last line of a log, with what a record says."""
    told = json.loads(line)
    told |= {name: value for name, value in record.items() if name in told and name != "seconds"}
    if isinstance(known := record.get("certificate", {}), dict):
        if "totals" in told:
            told |= {how: known.get(how, 0) for how in ("proved", "unverified")}
        elif told.get("complete"):
            told["certificate"] = known.get("by") or known.get("complete") or "unverified"
        else:
            told["certificate"] = None
    return json.dumps(told)


def _findings(outbox: Path, inbox: Path, **terms: Any) -> dict[str, Finding]:
    return {each.name: each for each in audit(outbox, [inbox / "done"], AuditOptions(**terms))}


def _copy(path: Path, folder: Path) -> None:
    """Copy a file, a folder, a link or a pipe as it is."""
    if path.is_symlink() or path.is_file():
        shutil.copy(path, folder, follow_symlinks=False)
    elif path.is_dir():
        shutil.copytree(path, folder / path.name, symlinks=True)


def call(outbox: Outbox, *options: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    return run("audit", str(outbox.folder), "--inbox", str(outbox.box.inbox), *options)


def dropped(folder: Path, files: Mapping[str, str | bytes], *options: str) -> Outbox:
    """The outbox of these files; a name with a slash is that of one in a folder."""
    box = DropFolder.within(folder)
    for name, content in files.items():
        (box.inbox / name).parent.mkdir(parents=True, exist_ok=True)
        box.drop(name, content)
    result = box.run("--settle", "0", *options)
    assert result.returncode in (0, 1), result.stderr
    assert not box.waiting()
    return Outbox(box)


def made(folder: Path, files: Mapping[str, str | bytes], *options: str) -> Outbox:
    """The outbox of these files, every claim proved."""
    return dropped(folder, files, "--prove", "always", *options)


def _outbox_in(folder: Path) -> Outbox:
    return Outbox(DropFolder(folder / "inbox", folder / "outbox"))


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that whoever comes first fills for all workers; to be read only."""
    top = factory.getbasetemp()
    folder = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            make(folder)
            (folder / "made").touch()
    return folder


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Outbox:
    """The outbox that was made for all workers; to be read only."""
    return _outbox_in(made_once(factory, name, make))


def copied(outbox: Outbox, folder: Path) -> Outbox:
    """The same outbox once more, to do with it what one likes."""
    for path in (outbox.box.inbox, outbox.folder):
        shutil.copytree(path, folder / path.name)
    return _outbox_in(folder)


def linked(outbox: Outbox, folder: Path) -> Outbox:
    """The same outbox once more, with links to its files, to be changed by its methods only.

    Each test changes a few of a hundred files, and to write so many takes longer than an audit.
    Hidden ones are copied: a command takes locks there, and writes to them.
    """

    def link(source: str, target: str) -> None:
        (shutil.copy if "/." in source else os.link)(source, target)

    for path in (outbox.box.inbox, outbox.folder):
        shutil.copytree(path, folder / path.name, copy_function=link)
    return Outbox(_outbox_in(folder).box, is_linked=True)


def changes_in(outbox: Outbox) -> dict[Path, int]:
    """When each file of an outbox was last written, to see that nobody writes to shared files."""
    folders = (outbox.box.inbox, outbox.folder)
    paths = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: path.stat().st_mtime_ns for path in paths}


def _stem(name: str) -> str:
    """The job of a file, where neither a dot nor a bar is in its stem."""
    return name.partition(".")[0].partition("_")[0]


def unlink(name: str) -> Tamper:
    return lambda outbox: outbox.path(name).unlink()


def put(name: str, text: str) -> Tamper:
    return lambda outbox: outbox.path(name).write_text(text)


def remove(*names: str) -> Tamper:
    return lambda outbox: [outbox.remove(name, _stem(name)) for name in names]


def _later(method: Callable[..., None]) -> Callable[..., Tamper]:
    return lambda *values, **fields: lambda outbox: method(outbox, *values, **fields)


write, exchange = _later(Outbox.write), _later(Outbox.exchange)
edit, certify = _later(Outbox.edit), _later(Outbox.certify)


def change(name: str, old: str, new: str, times: int = -1) -> Tamper:
    """Put some text in place of other text, in its last places if only some `times`."""
    return lambda outbox: outbox.change(
        name, _stem(name), lambda text: new.join(text.rsplit(old, times))
    )


def append(name: str, more: str) -> Tamper:
    return lambda outbox: outbox.change(name, _stem(name), lambda text: text + more)


def formula_in(folder: Path, stem: str) -> Formula:
    return read_formula((folder / f"{stem}.proof.cnf").read_text("ascii"))


def checked(folder: Path, stem: str) -> int:
    """The steps of a proof as it was written, which holds, and is the same in both notations."""
    lrat = (folder / f"{stem}.proof.lrat").read_text("ascii")
    assert (folder / f"{stem}.proof.drat").read_text("ascii") == drat_of(lrat)
    return check_lrat(formula_in(folder, stem), lrat)
