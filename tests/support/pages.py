"""The pages that people read, and a desk at which their examples are run."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main
from support.commands import run

from pipeline.cli import application

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")))
}
MADE = {f"docs/reference/{name}.md" for name in ("commands", "settings", "published", "api")}
"""Pages that docs/reference.py makes; their examples are those of --help."""

COMMANDS = {
    name: command
    for name, command in typer.main.get_command(application()).commands.items()
    if not command.hidden
}
SHELL = ("sh", "console")

_FENCE = re.compile(r'```(\w*)(?: title="([^"]*)")?')
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
_EXIT_CODE = re.compile(r"#.*\bexit code (\d+)")
_OF_A_SHELL = re.compile(r"[|&;<>*?$`]")
_OURS = re.compile(r"(\| |^|[\s/])sudoku-pipeline ((?:[a-z]+)(?: [^|&;<>#\n]*)?)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code: its kind is the word after the fence, or `sh` if it is indented.

    `not_run` is why its commands are not run, from a comment before it.
    """

    page: str
    line: int
    kind: str
    title: str | None
    text: str
    not_run: str | None

    def steps(self) -> list[tuple[str, str | None]]:
        """The commands, each with the answer that a transcript shows.

        A command is a line, or the whole block if a line goes on in the next.
        """
        if self.kind == "console":
            return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", self.text, re.MULTILINE)
        whole = "<<" in self.text or "\\\n" in self.text
        return [(each, None) for each in ([self.text] if whole else self.text.splitlines())]

    def ours(self) -> list[list[str]]:
        """The arguments of each `sudoku-pipeline` in it, with `-` for what comes by a pipe."""
        found = _OURS.findall(self.text)
        return [[*shlex.split(each), *["-"] * (before == "| ")] for before, each in found]


def blocks_of(page: str) -> Iterator[Block]:
    """The blocks of code on a page, fenced or indented."""
    lines = iter(enumerate(PAGES[page].splitlines(), 1))
    not_run, before = None, ""
    for number, line in lines:
        fence = _FENCE.fullmatch(line)
        indented = line.startswith("    ") and not before.strip()
        if fence or indented:
            kind, title = fence.groups() if fence else ("sh", None)
            ends = "```" if fence else ""
            inner = [] if fence else [line[4:]]
            for _, other in lines:
                if other == ends:
                    break
                inner.append(other if fence else other[4:])
            yield Block(page, number, kind, title, "\n".join(inner) + "\n", not_run)
        if reason := _NOT_RUN.fullmatch(line):
            not_run = reason[1]
        elif line.strip():
            not_run = None
        before = "" if fence or indented else line


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


class Desk:
    """A folder with the examples, and with stand-ins for programs that may be missing."""

    def __init__(self, root: Path):
        self.root = root
        shutil.copytree(ROOT / "examples", root / "examples")
        for name in ("inbox/failed", "outbox", "srv/sudoku/in", "srv/sudoku/out", "bin"):
            (root / name).mkdir(parents=True)
        for name in ("in", "out"):
            (root / "mnt/share" / name).mkdir(parents=True)
        self._script("sudoku-pipeline", f'exec {sys.executable} -m pipeline "$@"')
        if shutil.which("jq") is None:
            self._script("jq", "exec cat")
        if shutil.which("minisat") is None:
            code = (
                "import sys; from support.commands import solve_dimacs; solve_dimacs(*sys.argv[1:])"
            )
            self._script("minisat", f'exec {sys.executable} -c "{code}" "$@"')
        kept = {key: value for key, value in os.environ.items() if "SUDOKU_PIPELINE_" not in key}
        self.environment = kept | {
            "LC_ALL": "C.UTF-8",
            "PATH": os.pathsep.join([str(root / "bin"), kept["PATH"]]),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }

    def _script(self, name: str, body: str) -> None:
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def do(self, line: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of a line, here if it needs no shell."""
        line = re.sub(r" /(srv|mnt|run)/", rf" {self.root}/\1/", line)
        words = shlex.split(line, comments=True)
        code = line.partition("#")[0]
        if words[:1] == ["sudoku-pipeline"] and not re.search(rf"{_OF_A_SHELL.pattern}|--cl", code):
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(self.root)
                for name in os.environ.keys() - self.environment.keys():
                    patch.delenv(name)
                patch.setenv("PATH", self.environment["PATH"])
                return run(*words[1:])
        finished = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return finished.returncode, finished.stdout, finished.stderr

    def do_on_a_terminal(self, line: str) -> tuple[int, str]:
        """Exit code, and what a terminal of 80 columns without colours shows."""
        ours, its = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=self.root,
            env=self.environment | {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            stdout=its,
            stderr=its,
        )
        os.close(its)
        shown = bytearray()
        with suppress(OSError):  # Linux says EIO when the last writer is gone
            while chunk := os.read(ours, 65536):
                shown += chunk
        os.close(ours)
        return process.wait(), shown.decode().replace("\r\n", "\n")

    def follow(self, line: str, shown: str | None = None) -> None:
        """Do what a page says: it must end as it says, and show that on a terminal."""
        told = _EXIT_CODE.search(line)
        expected = {int(told[1])} if told else {0}
        if "sudoku-pipeline doctor" in line:
            expected = {0, 1}  # depends on the machine
        if line.startswith("minisat "):
            expected = {0, 10, 20}
        if shown is None:
            code, _, said = self.do(line)
        else:
            code, said = self.do_on_a_terminal(line)
            assert without_times(said) == without_times(shown), line
        assert code in expected, f"{line}: {code}: {said}"
        assert "Traceback" not in said


def without_times(shown: str) -> str:
    """The words that a terminal shows, with … for every time and rate, on which wraps depend."""
    return " ".join(re.sub(r"\b\d[\d.,]*(?: (?:ms|µs|s)|/s)(?!\w)", "…", shown).split())


def check_options(arguments: list[str]) -> None:
    """Parse a command without running it: its name, options and their values must be right."""
    command, *rest = arguments
    with suppress(typer.Exit):  # after --help
        COMMANDS[command].make_context(command, rest)
