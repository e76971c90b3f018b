"""The commands of --on-done and --on-bad: real programs, for jobs that end in every way."""

from __future__ import annotations

import json
import shlex
import signal
from pathlib import Path

import pytest
from support.claims import claimed
from support.drop_folders import SMALL, DropFolder, events_in, record_text, wait_for
from support.logs import KeptLog
from support.puzzles import has_ended

from pipeline.service.hooks import Commands
from pipeline.service.jobs import EndedJob
from pipeline.service.processing import MAX_ATTEMPTS
from pipeline.settings import Settings

BAD = "1...\n..2.\n.3q.\n...4\n"
IMPOSSIBLE = "1.1.\n....\n....\n....\n"
ROWS = f"{'.' * 80}1\n{'.' * 80}x\n{'.' * 79}12\n"


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


def program(folder: Path, body: str) -> Path:
    """A program that a user might write."""
    path = folder / "told me.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def command(folder: Path, body: str, *arguments: str) -> str:
    return shlex.join([str(program(folder, body)), *arguments])


def commands(box, body, **options):
    """The commands of a run, and its log; no signal has come."""
    log = KeptLog()
    on_done = command(box.inbox.parent, body)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, on_done=on_done)
    return Commands(settings, log, lambda: False, **options), log


def ended(box, name="a.txt", status="unique", message=None):
    claim = claimed(box, name)
    claim.close()
    return EndedJob(claim.manifest, status, {status: 1}, message)


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_a_command_gets_the_record_and_what_the_docs_promise(box, tmp_path):
    body = 'printf "%s|" "$@" "$SUDOKU_JOB_SOURCE" "$SUDOKU_JOB_STATUS" "$SUDOKU_JOB_MESSAGE" '
    body += f'"$SUDOKU_JOB_RECORD" > {tmp_path}/got; cat "$SUDOKU_JOB_RECORD" > {tmp_path}/record'
    box.drop("a.txt", BAD)
    argument = "$(touch x) ; * 'b'"
    done = box.run("--on-done", command(tmp_path, body, "-x", argument))
    record = f"{box.outbox.absolute()}/a.json"
    message = "a.txt:3:3: expected a digit or a blank, found 'q'"
    got = (tmp_path / "got").read_text().split("|")
    assert got == ["-x", argument, record, "a.txt", "invalid", message, record, ""]
    assert json.loads((tmp_path / "record").read_text())["status"] == "invalid"
    assert done.returncode == 1


def test_a_strangers_name_is_an_argument_to_nobody_and_arrives_as_it_was(box, tmp_path):
    name = "-rf \x1b[31m\n$(id)"
    box.drop(name)
    body = f'printf "%s" "$SUDOKU_JOB_SOURCE" > {tmp_path}/name; printf "%s" "$1" > {tmp_path}/path'
    assert box.run("--on-done", command(tmp_path, body)).returncode == 0
    assert (tmp_path / "name").read_text() == name
    path = Path((tmp_path / "path").read_text())
    assert path.is_absolute()
    assert json.loads(path.read_text())["source"] == name


def test_on_bad_is_for_jobs_that_make_run_exit_with_1_and_on_done_for_all(box, tmp_path):
    box.drop("good.txt")
    box.drop("bad.txt", BAD)
    box.drop("impossible.txt", IMPOSSIBLE)
    box.drop("rows.txt", ROWS)
    told = program(tmp_path, f'echo "$SUDOKU_JOB_SOURCE" >> {tmp_path}/$1')
    done, bad = (shlex.join([str(told), name]) for name in ("done", "bad"))
    assert box.run("--on-done", done, "--on-bad", bad).returncode == 1
    assert sorted(lines(tmp_path / "bad")) == ["bad.txt", "rows.txt"]
    every = ["bad.txt", "good.txt", "impossible.txt", "rows.txt"]
    assert sorted(lines(tmp_path / "done")) == every


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_file_that_is_given_up_is_bad_however_the_log_is_shown(box, tmp_path, form):
    claim = claimed(box)
    for _ in range(MAX_ATTEMPTS):
        claim.count_attempt()
    claim.close()
    body = f'echo "$SUDOKU_JOB_STATUS" >> {tmp_path}/told'
    done = box.call("run", "--log-format", form, "--on-bad", command(tmp_path, body))
    assert (done.returncode, lines(tmp_path / "told")) == (1, ["failed"])
    assert "given up after 3 attempts" in done.stderr


def test_run_ends_when_all_commands_have_run_and_they_run_in_order(box, tmp_path):
    names = [f"{number:02}.txt" for number in range(40)]
    for name in names:
        box.drop(name)
    body = f'echo "$SUDOKU_JOB_SOURCE" >> {tmp_path}/told'
    assert box.run("--on-done", command(tmp_path, body)).returncode == 0
    assert lines(tmp_path / "told") == names


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "echo; echo first; printf 'no \\033[31mred\\n\\n' >&2; exit 3",
            "exit code 3: no \\x1b[31mred",
        ),
        ("exit 4", "exit code 4"),
        ("kill -KILL $$", "killed by signal 9"),
        ("exec /nonexistent", "exit code 127: "),
    ],
)
def test_a_command_that_fails_is_logged_and_changes_nothing_else(box, tmp_path, body, why):
    box.drop("a.txt")
    done = box.run("--quiet", "--on-done", command(tmp_path, body))
    (event,) = events_in(done.stderr)
    assert (event["event"], event["source"]) == ("command.failed", "a.txt")
    assert event["reason"].startswith(f"--on-done: {why}")
    assert (done.returncode, done.stdout, box.kept("done")) == (0, "", {"a.txt"})


def test_a_command_has_nothing_to_read_and_what_it_prints_is_not_shown(box, tmp_path):
    box.drop("a.txt")
    body = f"cat > {tmp_path}/read; i=0; while [ $i -lt 3000 ]; do "
    body += "echo a line of fifty characters, more than a pipe holds; i=$((i+1)); done"
    done = box.run("--quiet", "--on-done", command(tmp_path, body))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "read").read_bytes() == b""


@pytest.mark.parametrize("option", ["--on-done", "--on-bad"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (" ", "expected a command, found an empty text"),
        ("''", "expected a command, found an empty text"),
        ("notify 'a", "no closing quotation; check the quotes"),
        ("notify \\", "no escaped character; check the quotes"),
        ("no\x1bne -x", "program not found: no\\x1bne; install it, or give its path"),
        ("/tmp -x", "program not found: /tmp; install it, or give its path"),
    ],
)
def test_a_command_that_cannot_be_is_refused_before_anything_is_taken(box, option, given, said):
    box.drop("a.txt")
    done = box.run(option, given)
    assert (done.returncode, done.stderr) == (2, f"sudoku-pipeline: {option}: {said}\n")
    assert box.waiting() == {"a.txt"}


def test_a_program_that_has_gone_since_is_a_failure_of_its_own(box, tmp_path):
    told, log = commands(box, "exit 0")
    (tmp_path / "told me.sh").unlink()
    told.run(ended(box))
    ((event, values),) = log.told
    assert (event, values["source"]) == ("command.failed", "a.txt")
    assert values["reason"].endswith("told me.sh: No such file or directory")


@pytest.mark.parametrize(
    ("end", "told"), [("wait", "--on-done: killed after 1 s: waiting"), ("exit 0", None)]
)
def test_a_command_that_hangs_is_killed_and_its_group_with_any(box, tmp_path, end, told):
    body = f"sleep 1000 & echo $! $$ > {tmp_path}/started; echo waiting; {end}"
    told_commands, log = commands(box, body, seconds=1.0)
    told_commands.run(ended(box))
    assert [values["reason"] for _, values in log.told] == ([told] if told else [])
    assert all(has_ended(int(pid)) for pid in (tmp_path / "started").read_text().split())


def test_a_signal_leaves_a_command_the_grace(box, tmp_path):
    body = f"echo $$ >> {tmp_path}/started; sleep 1000"
    with box.watching("--grace", "0.2", "--on-done", command(tmp_path, body)) as watch:
        box.drop("a.txt")
        wait_for(lambda: lines(tmp_path / "started"))
        watch.signal(signal.SIGTERM)
        assert watch.end() == 0
        events = watch.events()
    (pid,) = lines(tmp_path / "started")
    assert has_ended(int(pid))
    (failed,) = (event for event in events if event["event"] == "command.failed")
    assert failed["reason"] == "--on-done: killed at the end of the grace period"


def test_the_command_of_a_job_that_another_process_had_published_is_run(box, tmp_path):
    claim = claimed(box, content=SMALL)
    claim.close()
    told = record_text("a.txt", job=claim.manifest.job, status="unknown", message="too\nlong")
    (box.outbox / f"{claim.manifest.stem}.json").write_text(told)
    body = f'printf "%s\\n" "$SUDOKU_JOB_STATUS" "$SUDOKU_JOB_MESSAGE" "$1" > {tmp_path}/told'
    assert box.run("--on-bad", command(tmp_path, body)).returncode == 1
    record = box.outbox.absolute() / f"{claim.manifest.stem}.json"
    assert lines(tmp_path / "told") == ["unknown", "too\\nlong", str(record)]


def test_a_run_without_jobs_starts_no_command_and_ends(box, tmp_path):
    done = box.run("--on-done", command(tmp_path, f"touch {tmp_path}/told"))
    assert (done.returncode, (tmp_path / "told").exists()) == (0, False)
