"""The first minute: puzzles as arguments and from pipes, missing arguments, logs for people."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import for_each
from support.commands import SOLVED, run, start
from support.documents import cells, document, packed, text_of
from support.drop_folders import SMALL, DropFolder, environment, finished
from support.pages import COMMANDS
from support.puzzles import PATIENCE

pytestmark = pytest.mark.usefixtures("puzzle_folder")

LINE = "1.....2..3.....4"
LONG = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
LONG_SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
ONE_LINE = SOLVED.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["solve", LONG], f"{LONG_SOLVED}\n"),
        (["solve", SMALL], SOLVED),
        (["count", LINE], "1\n"),
        (["certify", LINE, ONE_LINE], "valid\n"),
        (["certify", "unique.txt", ONE_LINE], "valid\n"),
        (["dedupe", LONG], f"{LONG}\n"),
        (["sheet", LINE], "sheet.html: 1 puzzle on 1 page, solutions on 1\n"),
    ],
)
def test_an_argument_may_be_the_puzzle_itself(arguments, printed):
    assert run(*arguments)[:2] == (0, printed)


def test_a_puzzle_of_256_cells_is_longer_than_a_files_name_may_be():
    assert run("solve", "." * 255 + "1", "--alphabet", "1-G", "--max-solutions", "1")[0] == 0
    assert run("encode", "--alphabet", "1-G", "." * 256)[0] == 0


def test_several_arguments_are_named_by_how_they_begin():
    printed = run("count", LONG, "unique.txt")[1]
    assert printed == "53..7....6..195.…: 1\nunique.txt: 1\n"


@pytest.mark.parametrize("puzzle", ["-" + LINE[1:].replace(".", "-"), " ".join(LINE)])
def test_a_puzzle_may_begin_with_a_dash_or_have_spaces(puzzle):
    given = Path("given.txt")
    given.write_text(f"{puzzle}\n")
    expected = run("solve", "-q", "--max-solutions", "1", "given.txt")[:2]
    assert expected[0] == 0
    assert run("solve", "-q", puzzle, "--max-solutions", "1")[:2] == expected


def test_a_file_of_that_name_wins():
    Path(LINE).write_text("1.1.\n....\n....\n....\n")
    assert run("solve", LINE)[2].startswith(f"{LINE}: unsolvable: no solution, proved")


@pytest.mark.parametrize("name", ["unque.txt", "a/....................", "x" * 200])
def test_a_mistyped_name_is_no_puzzle(name):
    code, printed, said = run("solve", name)
    assert (code, printed) == (1, "")
    assert said.startswith(f"{name}: cannot be read: ")


def test_a_similar_name_is_suggested():
    said = "unque.txt: cannot be read: No such file or directory; did you mean unique.txt?\n"
    assert run("solve", "unque.txt") == (1, "", said)
    assert run("solve", "nothing-like-it") == (
        *(1, ""),
        "nothing-like-it: cannot be read: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("text", "cells"), [("53..7", "5 cells"), ("1", "1 cell"), ("5 3 . . 7", "5 cells")]
)
def test_too_few_cells_are_counted(text, cells):
    found = f"expected 16, 36, 64 or 81 cells, found {cells}"
    assert run("solve", text) == (1, "", f"{text}: neither a file nor a puzzle: {found}\n")


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/?s={line}",
        "HTTPS://example.org/?s={line}",
        "www.example.org/?s={line}",
        "https://example.org//play/./{line}/",
        "example.org/play/{line}",
        "https://example.org/solo.html#3x3:zzzc,",
        "3x3:a8b2c6c4b5b1_4_7a9c3a3c8c9_6e4_7c9c6a6c1a9_2_5b2b9c8c6b1a",
    ],
)
def test_a_link_or_an_id_is_an_argument(link):
    is_whole = "zzzc" not in link
    code, printed, said = run("solve", link.format(line=LONG))
    assert code == (0 if is_whole else 1)
    assert (printed == "") != is_whole
    assert is_whole or said.startswith("https://example.org/solo.html#3x3:zzzc,:1:")
    assert not is_whole or ": unique: proved by exhaustive search\n" in said


@pytest.mark.parametrize(
    "start", ["https://www.f-puzzles.com/?load=", "sudokupad.app/fpuzzles", ""]
)
def test_a_packed_document_is_an_argument(start):
    held = packed(text_of(document(killercage=[cells("R1C1 R1C2", value="3")])))
    assert ": multiple: " in run("solve", "--max-solutions", "1", f"{start}{held}")[2]


def test_a_file_whose_path_looks_like_a_link_is_read():
    path = Path("a.bc") / ("0" * 81)
    path.parent.mkdir()
    path.write_text(LINE)
    assert run("solve", str(path))[:2] == (0, f"{ONE_LINE}\n")


def test_a_link_that_contains_no_puzzle_is_named_with_what_to_do():
    code, _, said = run("solve", "https://tinyurl.com/2p8kuvjz")
    assert code == 1
    assert said.startswith("https://tinyurl.com/2p8kuvjz:1:1: expected a link that contains")
    assert "open it in a browser" in said


def test_a_mistyped_puzzle_is_told_where_it_is_wrong():
    code, _, said = run("solve", LONG[:-1])
    assert code == 1
    first = "53..7....6..195.…:1:81: expected a line of 16, 36, 64 or 81 cells, found 80 cells\n"
    assert said.startswith(first)
    code, _, said = run("solve", "5x" + LONG[2:])
    assert (code, said) == (
        1,
        (
            "5x..7....6..195.…: neither a file nor a puzzle: expected a digit or '.' in column 2, "
            "found 'x'\n"
        ),
    )


@pytest.mark.parametrize("size", [1, 9])
def test_the_rows_or_the_cells_of_a_puzzle_have_to_be_quoted(size):
    rows = [LONG[start : start + size] for start in range(0, 81, size)]
    said = f"sudoku-pipeline: quote the puzzle: it was split into {len(rows)} arguments\n"
    assert run("solve", *rows) == (2, "", said)
    assert run("solve", "1", "2")[2].startswith("1: neither a file nor a puzzle: expected 16, ")


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (["solve", "--quiet"], SOLVED),
        (["count"], "1\n"),
        (["sheet", "-o", "a.html"], "a.html: 1 puzzle on 1 page, solutions on 1\n"),
        (["encode"], "c Sudoku 4x4, boxes 2x2, encoding extended\n"),
    ],
)
def test_a_pipe_needs_no_name(command, printed):
    with start(*command, stdin=subprocess.PIPE) as process:
        shown, said = process.communicate(SMALL, timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")
    assert shown.startswith(printed)


def test_a_redirected_file_needs_no_name():
    with Path("unique.txt").open() as file, start("count", stdin=file) as process:
        assert process.communicate(timeout=PATIENCE) == ("1\n", "")


def test_what_is_named_is_read_and_not_the_pipe():
    with start("count", "unique.txt", stdin=subprocess.PIPE) as process:
        assert process.communicate("no puzzle", timeout=PATIENCE) == ("1\n", "")


def test_the_help_does_not_require_what_a_pipe_may_give():
    printed = run("solve", "--help")[1]
    assert "[FILES…]" in printed
    assert "[required]" not in printed


USED = """\
sudoku-pipeline: give FILES, or pipe a puzzle to standard input; for example

    sudoku-pipeline solve examples/classic.sudoku
    sudoku-pipeline solve 1.....2..3.....4
    cat examples/line.sdm | sudoku-pipeline solve

More: sudoku-pipeline solve --help
"""


def told_on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Exit code, and what a person without input reads."""
    primary, replica = pty.openpty()
    command = [sys.executable, "-m", "pipeline", *arguments]
    process = subprocess.Popen(command, stdin=replica, stderr=replica, env=environment())
    code = process.wait(PATIENCE)
    os.close(replica)
    shown = os.read(primary, 65536).decode().replace("\r\n", "\n")
    os.close(primary)
    return code, shown


def test_a_command_that_lacks_an_argument_shows_a_person_how_it_is_used():
    assert told_on_a_terminal("solve") == (2, USED)
    for command in ("encode", "retry", "sheet"):
        code, shown = told_on_a_terminal(command)
        assert "; for example\n\n    sudoku-pipeline " + command in shown
    code, shown = told_on_a_terminal("prune")
    assert (code, "sudoku-pipeline prune --older-than 30d\n" in shown) == (2, True)


@for_each("command", COMMANDS)
def test_help_shows_examples_as_one_list_behind_the_first_sentence(command):
    first, second, *_ = COMMANDS[command].help.split("\n\n")
    assert "\n" not in first
    assert second.splitlines() == COMMANDS[command].examples


@for_each("command", COMMANDS)
def test_help_shows_options_of_a_command_before_those_that_others_share(command):
    code, printed, _ = run(command, "--help")
    panels = [line.split()[1] for line in printed.splitlines() if line.startswith("╭─")]
    own = [each for each in panels if each in ("Arguments", "Options")]
    assert (code, panels[: len(own)], panels[-1]) == (0, own, "Output")
    assert "list[" not in printed


def test_the_help_of_a_setting_has_its_default_in_the_text():
    shown = [
        " ".join(run(each, "--help")[1].replace("│", "").split()) for each in ("run", "encode")
    ]
    assert all("size of a file with one puzzle. Default: 64M." in each for each in shown)
    assert "reduced. Default: reduced." in shown[0]
    assert "reduced. Default: extended." in shown[1]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_is_as_wide_as_the_terminal(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    printed = run("solve", "--help")[1]
    assert max(map(len, printed.splitlines())) == columns


@pytest.fixture
def dropped(tmp_path) -> DropFolder:
    """A good and a bad file in an inbox."""
    box = DropFolder.within(tmp_path / "dropped")
    box.drop("good.txt")
    box.drop("bad.txt", "1...\n..2.\n.3q.\n...4\n")
    return box


def test_a_run_that_nobody_watches_says_what_failed_and_a_summary(dropped):
    done = dropped.call("run")
    assert (done.returncode, done.stdout) == (1, "")
    bad, why, summary, refused, where = done.stderr.splitlines()
    assert bad.split()[1:3] == ["bad.txt", "invalid"]
    assert why.startswith("    bad.txt:3:3: ")
    assert summary.split()[1:3] == ["2", "puzzles,"]
    assert refused[2:].startswith(f"1 failed file in {dropped.inbox}/failed; ")
    assert "retry --all --inbox" in refused
    assert "results are in" in where
    again = dropped.call("run")
    assert again.returncode == 0
    assert again.stderr == f"· nothing to do: drop files in {dropped.inbox}\n"
    assert dropped.call("run", "--quiet").stderr == "", "cron sends no mail then"


def test_a_run_that_nobody_watches_shows_every_job_if_asked(dropped):
    said = dropped.call("run", "--log-format", "console").stderr
    assert "good.txt" in said
    assert "bad.txt" in said


def test_a_journal_gets_json(dropped, tmp_path):
    log = tmp_path / "journal"
    with log.open("w") as stream:
        status = os.fstat(stream.fileno())
        folders = ["--inbox", str(dropped.inbox), "--outbox", str(dropped.outbox)]
        variables = environment(JOURNAL_STREAM=f"{status.st_dev}:{status.st_ino}")
        line = [sys.executable, "-m", "pipeline", "run", *folders]
        assert subprocess.run(line, stderr=stream, env=variables, check=False).returncode == 1
    events = [json.loads(line) for line in log.read_text().splitlines()]
    ended = {event["source"] for event in events if event["event"] == "job.finished"}
    assert ended == {"good.txt", "bad.txt"}
    dropped.drop("good.txt")
    assert dropped.call("run", JOURNAL_STREAM="1:1").stderr.startswith("· 1 puzzle"), "not this one"


def objects(*arguments: str) -> tuple[int, list[dict], str]:
    """Exit code, the objects of --json, and standard error."""
    code, printed, said = run(*arguments, "--json")
    return code, [json.loads(line) for line in printed.splitlines()], said


def test_json_is_one_object_a_line(tmp_path):
    found = objects("count", "unique.txt", "two.txt", "bad.txt")
    assert [each["solutions"] for each in found[1]] == [1, 2, 0]
    assert (found[0], found[2], found[1][2]["status"]) == (1, "", "invalid")
    code, found, _ = objects("certify", "unique.txt", "solved.txt", "wrong.txt", "bad.txt")
    assert (code, [each["valid"] for each in found]) == (1, [True, False, False])
    assert found[0] == {"source": "solved.txt", "valid": True, "faults": []}
    (fault,) = found[2]["faults"]
    assert fault.startswith("bad.txt:3:3: ")
    Path("copies.txt").write_text(f"{LONG}\n" * 2)
    copy = {"source": "copies.txt", "line": 2, "first_source": "copies.txt", "first_line": 1}
    code, found, said = objects("dedupe", "copies.txt")
    assert (code, found, said) == (0, [copy], "2 puzzles in 1 class\n")
    code, found, said = objects("dedupe", "--against", "copies.txt", LONG)
    assert (code, [each["line"] for each in found]) == (1, [None])
    assert said.startswith("overlap: the 1 puzzle in 53..7")
    assert objects("dedupe", "copies.txt", "-o", "-")[0] == 2


def test_json_of_the_folders(dropped):
    folders = ("--inbox", str(dropped.inbox), "--outbox", str(dropped.outbox))
    assert dropped.call("run").returncode == 1
    (status,) = objects("status", *folders)[1]
    assert [each["name"] for each in status["failed"]] == ["bad.txt"]
    code, found, said = objects("retry", "bad.txt", "good.txt", *folders)
    assert (code, said) == (1, "")
    assert found[0] == {"name": "bad.txt", "retried": True, "reason": None}
    assert found[1] == {
        "name": "good.txt",
        "retried": False,
        "reason": "failed/ contains no file with this name",
    }
    old = str(dropped.inbox / "done" / "good.txt")
    pruned = ["prune", "--older-than", "0s", *folders]
    assert {"path": old, "deleted": False} in objects(*pruned, "--dry-run")[1]
    assert {"path": old, "deleted": True} in objects(*pruned)[1]
    assert not Path(old).exists()


def test_a_proof_in_json_of_a_record_in_the_outbox_names_its_files(dropped):
    dropped.call("run")
    folders = ("--inbox", str(dropped.inbox), "--outbox", str(dropped.outbox))
    code, (found,), said = objects("proof", "good.json", *folders)
    assert (code, said, found["proved"], found["reason"]) == (0, "", True, None)
    assert [Path(each).exists() for each in found["files"]] == [True] * 3


@pytest.mark.parametrize("command", ["audit", "report", "sheet"])
def test_the_outbox_is_an_option_an_argument_or_a_setting(command, dropped, monkeypatch):
    dropped.drop("bad.txt")
    dropped.call("run")
    outbox, inbox = str(dropped.outbox), ("--inbox", str(dropped.inbox))
    by_option = run(command, *inbox, "--outbox", outbox)
    assert by_option[0] == 0
    assert "good" in by_option[1] or Path("sheet.html").exists() or "report.html" in by_option[1]
    extra = ["--output", "other.html"] if command == "sheet" else []
    assert run(command, *inbox, outbox, "--outbox", "nowhere", *extra)[0] == 0
    Path("sudoku-pipeline.toml").write_text("")
    Path("named.toml").write_text(f'outbox = "{outbox}"\n')
    extra = ["--output", "third.html"] if command == "sheet" else []
    assert run(command, *inbox, "--config", "named.toml", *extra)[0] == 0


def test_hints_name_the_program_as_it_was_called(tmp_path):
    program = tmp_path / "bin" / "sudoku-pipeline"
    program.parent.mkdir()
    text = "from pipeline.cli import main; main()"
    program.write_text(f"#!{sys.executable}\n{text}\n")
    program.chmod(0o755)

    def hint(called: str, **variables: str) -> str:
        line = [called, "solve", "--board", LINE]
        told = environment(**variables)
        done = subprocess.run(line, env=told, cwd=tmp_path, capture_output=True, text=True, check=1)
        (line,) = (line for line in done.stderr.splitlines() if " sheet " in line)
        return line.split(" sheet")[0].removeprefix("    a page to print  ")

    assert hint("bin/sudoku-pipeline", PATH="/nonexistent") == "bin/sudoku-pipeline"
    found = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    assert hint("bin/sudoku-pipeline", PATH=found) == "sudoku-pipeline"


def test_a_missing_folder_is_named_and_is_no_reason_to_run_again():
    for command in (["run"], ["watch"], ["status"], ["report"], ["audit"], ["sheet"]):
        done = finished(*command, cwd=Path.cwd())
        assert done.returncode == 1, command
        assert "no such folder" in done.stderr or "No such file or directory" in done.stderr
        if command[0] in ("report", "audit", "sheet"):
            assert "outbox: no such folder; name the outbox with --outbox" in done.stderr
    Path("inbox").mkdir()
    for command in ("run", "watch"):
        done = finished(command, "--outbox", "no/out", cwd=Path.cwd())
        assert (
            done.returncode,
            "no/out: cannot be created: no such folder: no\n" in done.stderr,
        ) == (1, True), command
