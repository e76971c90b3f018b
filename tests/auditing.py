"""Outboxes that `run` made, what somebody does to them, and what an audit says of it."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import typer
from dropping import DropFolder
from support.packing import zip_of
from typer.testing import CliRunner

from pipeline.audit import Finding, Terms, audit
from pipeline.certify.formula import Formula, proof_formula
from pipeline.cli.auditing import audit as audit_command
from pipeline.cli.outcome import accounted
from pipeline.parse import parse_puzzle
from pipeline.puzzle import Grid

ONE = "1...\n..2.\n.3..\n...4\n"
SIX_BY_SIX = "...5..\n..5631\n......\n.1.3.5\n.5....\n2.4...\n"
EXAMPLES = Path(__file__).parents[1] / "examples"
NO_RECORD = "no record"
"""What an original claims whose record cannot be read."""


def in_a_line(puzzle: str) -> str:
    return "".join(puzzle.split()) + "\n"


@dataclass(frozen=True)
class Outbox:
    """A finished outbox that may be tampered with: by somebody who sees to the hashes, too."""

    box: DropFolder

    @property
    def folder(self) -> Path:
        return self.box.outbox

    def findings(self, **terms: Any) -> dict[str, Finding]:
        """What an audit finds, by the names of the jobs."""
        done = [self.box.inbox / "done"]
        return {each.name: each for each in audit(self.folder, done, Terms(**terms))}

    def problems(self, name: str, **terms: Any) -> tuple[str, ...]:
        """What is wrong with one job. Nothing else may be wrong."""
        findings = self.findings(**terms)
        others = [each for each in findings.values() if each.name != name]
        others = [each for each in others if each.claim != NO_RECORD]
        assert {each.verdict for each in others} <= {"ok"}, others
        assert findings[name].verdict == ("bad" if findings[name].problems else "ok")
        return findings[name].problems

    def record(self, stem: str) -> dict[str, Any]:
        return json.loads((self.folder / f"{stem}.json").read_bytes())

    def edit(self, stem: str, **fields: Any) -> None:
        """Change some fields of a record."""
        path = self.folder / f"{stem}.json"
        path.write_text(json.dumps(self.record(stem) | fields))

    def certify(self, stem: str, **fields: Any) -> None:
        """Change some fields of a certificate."""
        self.edit(stem, certificate=self.record(stem)["certificate"] | fields)

    def rehash(self, stem: str) -> None:
        """Have the record list what is there of its names, with the hashes that this has."""
        top = (self.folder / stem).parent
        listed = {each["name"]: top / each["name"] for each in self.record(stem)["files"]}
        there = {name: path for name, path in listed.items() if path.exists()}
        self.list(stem, there)

    def list(self, stem: str, files: Mapping[str, Path]) -> None:
        hashes = {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
        self.edit(stem, files=[{"name": n, "sha256": h} for n, h in hashes.items()])

    def write(self, name: str, content: str | bytes, stem: str) -> None:
        """Write a file of a job's set, a new one perhaps, and see to it that it is listed."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        top = (self.folder / stem).parent
        names = [each["name"] for each in self.record(stem)["files"]]
        self.list(stem, {each: top / each for each in dict.fromkeys((*names, path.name))})

    def change(self, name: str, stem: str, change: Callable[[str], str]) -> None:
        """Change the text of a file of a job's set, so that it differs."""
        before = (self.folder / name).read_text()
        after = change(before)
        assert after != before
        self.write(name, after, stem)

    def remove(self, name: str, stem: str) -> None:
        """Remove a file of a job's set, and what the record says of it."""
        (self.folder / name).unlink()
        self.rehash(stem)

    def original(self, name: str) -> Path:
        return self.box.inbox / "done" / name

    def exchange(self, name: str, content: str | bytes, stem: str) -> None:
        """Put another original in place of one; the record has its hash."""
        data = content.encode() if isinstance(content, str) else content
        self.original(name).write_bytes(data)
        self.edit(stem, sha256=sha256(data).hexdigest(), bytes=len(data))

    def grids(self, stem: str) -> list[Grid]:
        """The published grids of one puzzle."""
        count = self.record(stem)["solutions"]
        texts = [(self.folder / f"{stem}_{n}.solution").read_text() for n in range(1, count + 1)]
        puzzles = map(parse_puzzle, texts)
        return [Grid(p.geometry, tuple(v for _, v in p.givens())) for p in puzzles]

    def formula(self, stem: str) -> Formula:
        """What a proof of one puzzle should refute."""
        puzzle = parse_puzzle(self.original(self.record(stem)["source"]).read_bytes())
        return proof_formula(puzzle, self.grids(stem))

    def proof(self, stem: str) -> str:
        return (self.folder / f"{stem}.proof.drat").read_text()

    def write_formula(self, stem: str, *clauses: tuple[int, ...]) -> None:
        """Put a formula with these clauses in place of the one that was refuted."""
        text = "".join(Formula(self.formula(stem).variables, clauses).text())
        self.write(f"{stem}.proof.cnf", text, stem)


APP = typer.Typer()
APP.command()(accounted(audit_command))


def call(outbox: Outbox, *options: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    arguments = [str(outbox.folder), "--inbox", str(outbox.box.inbox), *options]
    result = CliRunner().invoke(APP, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def made(folder: Path, files: Mapping[str, str | bytes], *options: str) -> Outbox:
    """The outbox of these files, every claim proved."""
    box = DropFolder.within(folder)
    for name, content in files.items():
        box.drop(name, content)
    result = box.run("--prove", "always", "--settle", "0", *options)
    assert result.returncode in (0, 1), result.stderr
    assert not box.waiting()
    return Outbox(box)


def copied(outbox: Outbox, folder: Path) -> Outbox:
    """The same outbox once more, to do with it what one likes."""
    shutil.copytree(outbox.box.inbox.parent, folder, dirs_exist_ok=True)
    return Outbox(DropFolder(folder / "inbox", folder / "outbox"))


def packed(*entries: tuple[str, str]) -> bytes:
    return zip_of(*((name, text.encode()) for name, text in entries))


def repacked(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """What is in one stream of xz, changed and packed again."""
    return lzma.compress(change(lzma.decompress(data)))
