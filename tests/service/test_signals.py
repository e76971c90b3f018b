"""How commands end on SIGTERM, SIGINT and SIGHUP: at any moment with the exit code for that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import run, start
from support.puzzles import PATIENCE

from pipeline.service.signals import Stop, raising_stopped

pytestmark = pytest.mark.usefixtures("puzzle_folder")

every_signal = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
both_commands = pytest.mark.parametrize(
    ("command", "code", "number"), [("run", 75, signal.SIGTERM), ("watch", 0, signal.SIGINT)]
)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code of a command, and what it said."""
    with process:
        _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def end_of(*body: str) -> tuple[int, str]:
    """The end of a process in which `run` does this in place of a pass over its folders."""
    lines = [
        "import atexit, os, signal",
        "from pipeline.cli import main",
        "from pipeline.service import loop",
        "def run_once(*_):",
        *(f"    {line}" for line in body),
        "    return 0",
        "loop.run_once = run_once",
        "main()",
    ]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", "\n".join(lines), "run", "--quiet"]
    return ended(subprocess.Popen(argv, env=environment, stderr=subprocess.PIPE, text=True))


def send(number: signal.Signals) -> str:
    """The code that sends that signal to the process that runs it."""
    return f"import os; os.kill(os.getpid(), {number:d})"


@both_commands
def test_a_signal_while_a_command_is_loaded(command, code, number):
    """In place of a module of which every command needs the real one."""
    Path("typer.py").write_text(send(number))
    assert ended(start(command)) == (code, "")


AT_THE_IMPORT = """
import os, sys

class Finder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {number:d})

sys.meta_path.insert(0, Finder())
"""


@every_signal
@pytest.mark.parametrize("name", ["pipeline.errors", "typer"])
@pytest.mark.parametrize(
    "begin", [["-m", "pipeline"], ["-c", "import pipeline.cli as c; c.main()"]]
)
def test_a_signal_before_the_first_slow_import(begin, name, number, tmp_path):
    """Python imports this `sitecustomize` as it starts."""
    text = AT_THE_IMPORT.format(name=name, number=number)
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "sitecustomize.py").write_text(text)
    path = os.pathsep.join([str(tmp_path / "start"), *sys.path])
    environment = os.environ | {"PYTHONPATH": path}
    argv = [sys.executable, *begin, "run"]
    started = subprocess.Popen(argv, env=environment, stderr=subprocess.PIPE, text=True)
    assert ended(started) == (75, "")


@both_commands
def test_a_signal_while_folders_are_not_looked_after_yet(command, code, number, monkeypatch):
    monkeypatch.setattr(
        "pipeline.service.log.LazyLog", lambda *_, **__: signal.raise_signal(number)
    )
    told = run(command, "--log-format", "json")
    assert told == (code, "", "interrupted\n" if code else "")


@every_signal
def test_a_signal_while_more_is_loaded(number):
    """CPython does not forget a KeyboardInterrupt inside an `exec`, though it is caught."""
    Path("jinja2.py").write_text(f"exec({send(number)!r})")
    Path("outbox").mkdir()
    assert ended(start("report")) == (75, "interrupted\n")


def test_a_signal_while_python_ends():
    assert end_of(f"atexit.register(os.kill, os.getpid(), {signal.SIGTERM:d})") == (75, "")


def test_a_signal_while_nothing_is_left_but_the_process():
    """Python clears away the variables of modules last."""
    body = (
        "class Last:",
        f"    def __del__(self, kill=os.kill, pid=os.getpid()): kill(pid, {signal.SIGINT:d})",
        "loop.last = Last()",
    )
    assert end_of(*body) == (0, "")


def test_a_second_signal_does_not_wait_for_what_the_first_lets_end():
    body = (
        "try:",
        "    signal.raise_signal(signal.SIGINT)",
        "finally:",
        "    signal.raise_signal(signal.SIGTERM)",
        "    while True: pass",
    )
    assert end_of(*body) == (75, "")


@every_signal
def test_the_handlers_are_after_a_command_what_they_were_before(number, monkeypatch):
    before = signal.getsignal(number)
    monkeypatch.setattr("pipeline.service.loop.run_once", lambda *_: signal.raise_signal(number))
    assert run("run") == (75, "", "interrupted\n")
    assert signal.getsignal(number) == before


def test_what_is_ignored_at_the_start_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    stop = Stop(60)
    try:
        with raising_stopped(), stop.handling_signals():
            signal.raise_signal(signal.SIGINT)
            assert not stop.is_requested
            signal.raise_signal(signal.SIGTERM)
            assert stop.is_requested
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
