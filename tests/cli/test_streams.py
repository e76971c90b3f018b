"""The commands as processes: signals, closed streams, readers that leave, odd names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import FIRST, SECOND, SOLVED, run, start
from support.needs import needs_linux, needs_minisat
from support.solving import PATIENCE, UNIQUE, has_ended, program

pytestmark = pytest.mark.usefixtures("puzzle_folder")

BOUNDED = "until [ $(ulimit -f) != unlimited ]; do :; done"
"""Shell: wait until the child is bounded, so until its start is over."""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where the commands make their temporary folders."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@needs_linux
@pytest.mark.parametrize(("command", "how"), [("solve", signal.SIGINT), ("count", signal.SIGTERM)])
def test_a_signal_ends_the_command_and_its_solver_and_leaves_no_temporary_folder(
    command, how, tmp_path, temporary
):
    """The fake tells its number, then sleeps."""
    fake = program(tmp_path / "fake", f"{BOUNDED}; echo $$ > {tmp_path}/fifo; sleep 1000")
    os.mkfifo(tmp_path / "fifo")
    with start(command, "two.txt", "--minisat", fake, "--solver", "auto") as process:
        pid = int((tmp_path / "fifo").read_text())
        process.send_signal(how)
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed, said) == (75, "", "interrupted\n")
    assert has_ended(pid)
    assert list(temporary.iterdir()) == []


@needs_linux
def test_a_signal_ends_pysat_too(tmp_path):
    """It counts without end; that it prints tells that it has begun."""
    Path("empty").write_text(("." * 6 + "\n") * 6)
    options = ["--print", "--max-solutions", "1000000000", "--solver", "pysat"]
    with start("count", *options, "empty") as process:
        process.stdout.readline()
        (pid,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (75, "interrupted\n")
    assert has_ended(int(pid))


@needs_linux
@pytest.mark.parametrize(
    "body",
    ["kill -INT $PPID; exec sleep 1000", "while :; do kill -INT $PPID; done"],
    ids=["once", "without end"],
)
def test_an_interrupt_while_a_child_starts_leaves_no_orphan(body, tmp_path, temporary):
    fake = tmp_path / "fake"
    fake.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{body}\n")
    fake.chmod(0o755)
    with start("solve", "two.txt", "--minisat", str(fake), "--solver", "auto") as process:
        process.communicate(timeout=PATIENCE)
    assert has_ended(int((tmp_path / "pid").read_text()))
    assert process.returncode != 0
    if "exec" in body:
        assert process.returncode == 75
        assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("closed", "solver"),
    [
        ("<&- >&- 2>&-", "pysat"),
        *(pytest.param(each, "minisat", marks=needs_minisat) for each in ("<&-", ">&-", "2>&-")),
    ],
)
def test_solve_with_a_closed_stream_does_its_work_without_a_traceback(closed, solver):
    line = f"{sys.executable} -m pipeline solve --solver {solver} two.txt {closed}"
    finished = in_shell(line)
    assert finished.returncode == 0
    whole = f"multiple: all 2 solutions\n{FIRST}\n{SECOND}"
    assert finished.stdout == ("" if ">&-" in closed.split() else whole)
    said = "two.txt: they differ in 8 cells; adding 3 in row 1, column 3 leaves one of them\n"
    said = "" if "2>&-" in closed.split() else said
    assert finished.stderr.startswith(said)
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("solve bad.txt", 1),
        ("count --no-such-option six.txt", 2),
        ("certify unique.txt wrong.txt", 1),
        ("--help", 0),
    ],
)
def test_the_exit_code_is_the_same_with_closed_streams(arguments, code):
    finished = in_shell(f"{sys.executable} -m pipeline {arguments} >&- 2>&-")
    assert finished.returncode == code


def test_a_closed_standard_input_that_is_to_be_read_is_an_error_in_words():
    for command in ("solve -", "certify unique.txt -"):
        finished = in_shell(f"{sys.executable} -m pipeline {command} <&-")
        assert finished.returncode == 1
        assert "standard input is closed" in finished.stdout + finished.stderr
        assert "Traceback" not in finished.stderr


def in_shell(line: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        line, shell=True, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", [["count", "two.txt"], ["encode", "--empty", "4x4"]])
def test_a_reader_that_has_seen_enough_is_no_error(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    with start(*arguments, stdout=writing) as command:
        os.close(writing)
        _, said = command.communicate(timeout=PATIENCE)
    assert (command.returncode, said) == (0, "")


NAME, SHOWN = "a\x1b[31m\n\udcff.txt", r"a\x1b[31m\n\udcff.txt"


def test_a_name_with_escapes_is_printed_escaped(tmp_path):
    (tmp_path / NAME).write_text(UNIQUE)
    (tmp_path / f"b{NAME}").write_text("1q")
    code, printed, said = run("solve", "--times", NAME, f"b{NAME}", f"no{NAME}")
    assert code == 1
    assert printed.startswith(f"{SHOWN}: unique\n{SOLVED}")
    assert said == (
        f"b{SHOWN}:1:2: expected a digit or a blank, found 'q'\n    1q\n     ^\n"
        f"no{SHOWN}: cannot be read: No such file or directory\n"
    )
    assert "\x1b" not in printed + said
    assert printed.count(SHOWN) == 4


@pytest.mark.parametrize("command", [["count"], ["encode"], ["certify", "unique.txt"]])
def test_a_name_with_escapes_is_escaped_in_messages(command, tmp_path):
    (tmp_path / NAME).write_text("1...\n..2.\n.3q.\n...4\n")
    code, printed, said = run(*command, NAME)
    assert code == 1
    assert f"{SHOWN}:3:3: expected a digit or a blank, found 'q'" in printed + said
    assert "\x1b" not in printed + said


def test_certify_prints_a_name_with_escapes_escaped(tmp_path):
    (tmp_path / NAME).write_text(SOLVED)
    assert run("certify", "unique.txt", NAME, "solved.txt")[:2] == (
        0,
        f"{SHOWN}: valid\nsolved.txt: valid\n",
    )


def test_a_path_with_escapes_that_cannot_be_written_is_escaped():
    code, _, said = run("encode", "two.txt", "-o", f"no/{NAME}")
    assert (code, said.split(": ")[:3]) == (2, ["sudoku-pipeline", "--output", f"no/{SHOWN}"])


def test_a_name_that_no_terminal_can_show_is_printed_by_a_process_too(tmp_path):
    (tmp_path / NAME).write_text(UNIQUE)
    with start("solve", "--quiet", "none.txt", NAME, stdin=subprocess.DEVNULL) as process:
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")
    assert printed.startswith("none.txt: unsolvable\n")
    assert printed.endswith(f"{SHOWN}: unique\n{SOLVED}")
