"""The commands as processes: signals, closed streams, readers that leave, odd names."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import default_cases
from support.commands import FIRST, SECOND, SOLVED, run, start
from support.needs import needs_linux, needs_minisat
from support.puzzles import NINE, PATIENCE, TWO, UNIQUE, has_ended, program

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
    """The fake writes its process id, then sleeps."""
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
@pytest.mark.parametrize(
    "how", default_cases([signal.SIGHUP, signal.SIGTERM, signal.SIGINT], signal.SIGTERM)
)
def test_a_signal_leaves_nothing_of_the_copy_of_a_pipe_and_of_an_unfinished_table(
    how, tmp_path, temporary
):
    fake = program(tmp_path / "fake", f"{BOUNDED}; echo > {tmp_path}/fifo; sleep 1000")
    os.mkfifo(tmp_path / "fifo")
    options = ("--table", "t.csv", "--minisat", fake, "--solver", "auto")
    with Path("two.txt").open() as given, start("solve", *options, "-", stdin=given) as process:
        (tmp_path / "fifo").read_text()
        assert [*temporary.iterdir()]
        process.send_signal(how)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (75, "interrupted\n")
    assert [*temporary.iterdir(), *tmp_path.glob("*t.csv*"), *tmp_path.glob(".*t.csv*")] == []


@needs_linux
def test_a_signal_ends_pysat_too(tmp_path):
    """It counts without end; a printed solution shows that it has begun."""
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
    fake.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\n{body}\n")
    fake.chmod(0o755)
    with start("solve", "two.txt", "--minisat", str(fake), "--solver", "auto") as process:
        process.communicate(timeout=PATIENCE)
    assert all(map(has_ended, map(int, (tmp_path / "pids").read_text().split())))
    assert process.returncode != 0
    if "exec" in body:
        assert (process.returncode, list(temporary.iterdir())) == (75, [])


def in_shell(arguments: str, before: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command with redirections."""
    line = f"{before} {sys.executable} -m pipeline {arguments}"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        line, shell=True, env=environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
@pytest.mark.parametrize(
    "solver", ["pysat", pytest.param("minisat", marks=[needs_minisat, pytest.mark.trial])]
)
def test_solve_with_a_closed_stream_does_its_work(closed, solver):
    code, printed, said = in_shell(f"solve --solver {solver} two.txt {closed}")
    assert (code, printed) == (0, f"{FIRST}\n{SECOND}")
    assert said.startswith(
        ""
        if closed == "2>&-"
        else "two.txt: multiple: exactly 2 solutions, proved by exhaustive search\n"
    )


@pytest.mark.parametrize(
    "arguments",
    default_cases(
        ["solve two.txt", "count --json two.txt", "encode two.txt", "--help", "--version"],
        "solve two.txt",
        "--help",
    ),
)
def test_what_cannot_be_printed_because_standard_output_is_closed_is_an_error(arguments):
    code, _, said = in_shell(f"{arguments} >&-")
    assert (code, said.splitlines()[-1]) == (75, "sudoku-pipeline: standard output is closed")
    assert in_shell(f"{arguments} <&- >&- 2>&-")[0] == 75


def test_a_pass_prints_nothing_and_needs_no_standard_output():
    Path("inbox").mkdir()
    Path("inbox/two.txt").write_text(TWO)
    assert in_shell("run --quiet --settle 0 >&-") == (0, "", "")
    assert Path("outbox/two_2.solution").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("solve bad.txt >&- 2>&-", 1, ""),
        ("count --no-such-option six.txt >&- 2>&-", 2, ""),
        ("solve - <&-", 1, "standard input is closed"),
        ("certify unique.txt - <&-", 1, "standard input is closed"),
    ],
)
def test_the_exit_code_is_the_same_with_closed_streams(arguments, code, said):
    found, *output = in_shell(arguments)
    assert (found, said in "".join(output)) == (code, True)


@pytest.mark.parametrize("arguments", [["count", "two.txt"], ["encode", "--empty", "4x4"]])
def test_a_reader_that_has_seen_enough_is_no_error(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    with start(*arguments, stdout=writing) as command:
        os.close(writing)
        _, said = command.communicate(timeout=PATIENCE)
    assert (command.returncode, said) == (0, "")


@pytest.mark.parametrize(
    "command", default_cases(["solve", "convert --to lines", "sheet", "encode -o cnf/"], "solve")
)
def test_an_endless_device_is_read_up_to_the_size_of_a_puzzle(command):
    code, printed, said = in_shell(f"{command} --max-bytes 2M /dev/zero")
    assert (
        code,
        "/dev/zero: expected at most 2097152 bytes (--max-bytes), found more" in said,
    ) == (
        1,
        True,
    )
    assert printed == ""


@pytest.mark.parametrize(
    "source", default_cases(["many.txt", "- < many.txt", "- < many.txt.gz"], "- < many.txt.gz")
)
def test_a_collection_that_is_larger_than_one_puzzle_may_be_is_read_from_a_pipe_too(source):
    """Up to 1 MiB are read before the collection is recognised."""
    data = NINE.encode() + b"\n"
    data *= 2**20 // len(data) + 200
    Path("many.txt").write_bytes(data)
    Path("many.txt.gz").write_bytes(gzip.compress(data, 1))
    code, printed, said = in_shell(f"convert --to lines --max-bytes 1000 {source}")
    assert (code, said) == (0, "")
    assert printed.encode() == data


def test_an_endless_collection_is_read_up_to_the_total():
    line = "yes 1.....2..3.....4 |"
    done = in_shell("convert --to lines --max-total-bytes 3M -", line)
    why = "<stdin>: expected at most 3145728 bytes (--max-total-bytes), found more\n"
    assert done == (1, "", why)


NAME, SHOWN = "a\x1b[31m\n\udcff.txt", r"a\x1b[31m\n\udcff.txt"


def test_a_name_with_escapes_is_printed_escaped(tmp_path):
    (tmp_path / NAME).write_text(UNIQUE)
    (tmp_path / f"b{NAME}").write_text("1q")
    code, printed, said = run("solve", "--times", NAME, f"b{NAME}", f"no{NAME}")
    assert (code, printed.count(SHOWN)) == (1, 4)
    assert printed.startswith(f"{SHOWN}: unique: proved by exhaustive search\n{SOLVED}")
    assert said == (
        f"b{SHOWN}:1:2: expected a digit or a blank, found 'q'\n    1q\n     ^\n"
        "    read as grid: no other format fits\n"
        f"no{SHOWN}: cannot be read: No such file or directory; did you mean {SHOWN}?\n"
    )
    assert "\x1b" not in printed + said
    with start("solve", "--quiet", "none.txt", NAME, stdin=subprocess.DEVNULL) as process:
        printed, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")
    assert printed.startswith("none.txt: unsolvable: no solution, proved by ")
    assert printed.endswith(f"{SHOWN}: unique: proved by exhaustive search\n{SOLVED}")


def test_a_name_with_escapes_is_escaped_in_messages(tmp_path):
    (tmp_path / NAME).write_text("1...\n..2.\n.3q.\n...4\n")
    for command in (["count"], ["encode"], ["certify", "unique.txt"]):
        code, printed, said = run(*command, NAME)
        assert code == 1
        assert f"{SHOWN}:3:3: expected a digit or a blank, found 'q'" in printed + said
        assert "\x1b" not in printed + said
    (tmp_path / NAME).write_text(SOLVED)
    valid = f"{SHOWN}: valid\nsolved.txt: valid\n"
    assert run("certify", "unique.txt", NAME, "solved.txt")[:2] == (0, valid)
    code, _, said = run("encode", "two.txt", "-o", f"no/{NAME}")
    assert (code, said.split(": ")[:3]) == (2, ["sudoku-pipeline", "--output", f"no/{SHOWN}"])
