"""Command lines: how values are read, how mistakes are told, and what is loaded before."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from typing import get_args

import pytest
from support.cases import for_each
from support.commands import run
from support.drop_folders import environment
from support.puzzles import UNIQUE

from pipeline.cli.commands import COMMANDS
from pipeline.reading.formats import FORMAT_NAMES
from pipeline.reading.formats.targets import TARGETS
from pipeline.settings import FormatChoice, NotationChoice
from pipeline.version import __version__

SLOW = {"jinja2", "msgspec", "numpy", "pydantic", "pysat", "rich", "structlog", "watchdog"}

ODD = ("0", "nan", "inf", "1e300", "1e-300", "9" * 400, "9" * 5000, "-1")


@for_each(
    ("line", "said"),
    [
        ("runn", "No such command 'runn'; did you mean run[?]"),
        ("overlaps", "'overlaps'; see `sudoku-pipeline -h`"),
        ("frobnicate", "'frobnicate'; see `sudoku-pipeline -h`"),
        ("run --timout 3", "--timout.* --timeout"),
        ("run --frobnicate", "--frobnicate"),
        ("solve --pace a.txt", "--pace; see `solve --help`"),
        ("--outbox a run", "--outbox: put it after the command"),
        ("--json solve a.txt", "--json: put it after the command"),
        ("run --json", "--json; use --log-format json, or `status --json`"),
        ("watch --json", "--json; use --log-format json, or `status --json`"),
        ("steps", "'steps'; did you mean `solve --steps`[?]"),
        ("run --rate", "--rate; use `solve --traits rating FILE`"),
        (
            "run --timeout x",
            (
                "--timeout: expected a number of seconds from .* to .*, "
                "or a value with a unit such as 5m, found 'x'"
            ),
        ),
        ("run --timeout", "--timeout.* requires an argument"),
        ("run --timeout 0", "--timeout: expected a number of seconds from 0.001 to 1,000,000"),
        ("run --workers 1.5", "--workers: expected a whole number from 0 to 1,024, found '1.5'"),
        *((f"count x --timeout {text}", "--timeout: expected a number") for text in ODD),
        *((f"count x --max-bytes {text}", "--max-bytes: expected a whole") for text in ODD),
        *(
            (
                f"{command} --settle={text}",
                "--settle: expected a number of seconds from 0 to 1,000,000",
            )
            for command in ("run", "watch")
            for text in ("nan", "-1")
        ),
        ("run --memory-limit 63", "--memory-limit: expected a whole number of megabytes from 64"),
        ("run --quiet=3", "--quiet.* not take a value"),
        ("run --solver foo", "--solver: expected one of auto, minisat, .*, found 'foo'"),
        ("solve", "give FILES, or pipe a puzzle to standard input"),
        ("solve ", "FILES: expected a path, found ''"),
        ("run --inbox ", "--inbox: expected a path, found ''"),
        ("count", "give FILES, or pipe a puzzle to standard input"),
        ("certify two.txt", "argument SOLUTIONS is missing"),
        ("sheet --title --force a.txt", "--title: expected a value, found the option --force"),
        ("sheet --title -o week.html a.txt", "--title: expected a value, found the option -o"),
        ("run --outbox --quiet", "--outbox: expected a value, found the option --quiet"),
        ("prune", "option --older-than is missing"),
        ("proof a.csv 1 two", "INDEX: expected a whole number, found 'two'"),
        ("\x1b[2J", r"\\x1b"),
        ("run --\x1b[2J", r"\\x1b"),
        ("run \x1b[2J", r"\\x1b"),
    ],
)
def test_a_mistake_is_told_in_one_line(line, said):
    code, printed, told = run(*line.split(" "))
    assert (code, printed) == (2, "")
    assert re.fullmatch(f"sudoku-pipeline: .*{said}.*\n", told)
    assert "\x1b" not in told


def test_the_help_is_shown_if_asked_for_and_without_a_command():
    code, printed, said = run()
    assert (code, said) == (2, "")
    assert printed.lstrip().startswith("Usage: ")
    assert run("help") == run("--help")
    assert run("help", "solve") == run("solve", "--help")
    assert run("-V") == run("--version") == (0, f"sudoku-pipeline {__version__}\n", "")


def test_settings_may_stand_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(UNIQUE)
    monkeypatch.setenv("SUDOKU_PIPELINE_SOLVER", "pysat")
    monkeypatch.setenv("SUDOKU_PIPELINE_TRUST_SOLVER", "yes")
    assert run("solve", "a.txt")[2] == "a.txt: unique: unverified: --trust-solver\n"
    monkeypatch.setenv("SUDOKU_PIPELINE_TRUST_SOLVER", "off")
    assert run("solve", "a.txt")[2] == "a.txt: unique: proved by exhaustive search\n"


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        (
            "TIMEOUT",
            "x",
            2,
            (
                "expected a number of seconds from 0.001 to 1,000,000, "
                "or a value with a unit such as 5m, found 'x'"
            ),
        ),
        ("QUIET", "perhaps", 2, "expected true or false, found 'perhaps'"),
        ("MAX_SOLUTIONS", "0", 2, "expected a whole number from 1 to 1,000,000,000, found '0'"),
        ("TIMOUT", "3", 0, "unknown setting, ignored; did you mean SUDOKU_PIPELINE_TIMEOUT?"),
    ],
)
def test_a_mistake_in_the_environment_is_named_after_its_variable(
    name, value, code, said, monkeypatch
):
    variable = f"SUDOKU_PIPELINE_{name}"
    monkeypatch.setenv(variable, value)
    found, _, told = run("count", "-", "--solver", "pysat", given=UNIQUE)
    assert (found, told) == (code, f"sudoku-pipeline: {variable}: {said}\n")


def after(line: list[str], first: str, variables: dict[str, str]) -> list[str]:
    """The words that a fresh process prints which runs `first` and then a command line."""
    code = f"import sys; {first}; sys.argv = {line}; from pipeline.cli import main; main()"
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    return (ended.stdout + ended.stderr).split()


AT_EXIT = "import atexit; atexit.register(lambda: print(*sys.modules))"
EACH = """for name in {names}:
    try: application(name)([name, "--help"])
    except SystemExit: pass"""


def test_help_loads_only_the_command_line():
    """One process shows the help of each command, as one does of which this is the only one."""
    code = "import sys; from pipeline.cli import application\n"
    code += EACH.format(names=["", *COMMANDS]) + "\nprint(*sys.modules)"
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    loaded = ended.stdout.splitlines()[-1].split()
    own = {name for name in loaded if name.startswith("pipeline.")}
    parts = ("arguments", "completion", "config", "guesses", "messages", "options", "program")
    parts = ("cli", *(f"cli.{part}" for part in parts))
    parts += ("errors", "option", "quantities", "service", "service.signals", "settings", "version")
    expected = {f"pipeline.{part}" for part in parts}
    assert {name for name in own if not name.startswith("pipeline.cli.commands")} == expected
    assert not (SLOW - {"rich"}) & {*loaded}


def test_the_formats_of_the_help_are_those_of_the_parsers():
    assert get_args(FormatChoice) == ("auto", *FORMAT_NAMES)
    assert get_args(NotationChoice) == (*TARGETS, "svg")


def test_a_run_without_files_loads_no_parser_and_no_solver(tmp_path):
    (tmp_path / "inbox").mkdir()
    line = ["", "run", "--inbox", f"{tmp_path}/inbox", "--outbox", f"{tmp_path}/outbox"]
    loaded = after([*line, "--solver", "pysat", "--quiet"], AT_EXIT, environment())
    assert "pipeline.service.loop" in loaded
    rooms = ("catalogue", "certify", "puzzle.rules", "native", "reading.formats")
    parts = ("cnf", "encode", "explain", "many", "one", "problem", "solvers.minisat")
    others = ("reading.archives.walk", "service.jobs.collection")
    for part in (*rooms, *(f"solving.{part}" for part in parts), *others):
        assert importlib.util.find_spec(f"pipeline.{part}"), "the layout has changed"
        assert f"pipeline.{part}" not in loaded
    slow = {*SLOW, "concurrent.futures", "multiprocessing.connection"} - {"msgspec"}
    assert not slow & {*loaded}
