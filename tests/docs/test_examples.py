"""Every example runs: of the README, the pages of docs/ and --help, and those in examples/."""

from __future__ import annotations

import json
import re

import pytest
from support.cases import for_each
from support.commands import run, solve_dimacs
from support.pages import BLOCKS, COMMANDS, MADE, PAGES, ROOT, SHELL, Desk, check_options

import pipeline

KINDS = {*SHELL, "cron", "ini", "json", "python", "text", "toml", "xml", "yaml"}

COLLECTION = ROOT / "examples" / "collection.txt"
FORMULAS = {*(ROOT / "examples").glob("*.cnf")}
EXAMPLES = sorted({*(ROOT / "examples").iterdir()} - {COLLECTION} - FORMULAS)
NEVER_ENDS = ("sudoku-pipeline watch", "sudoku-pipeline serve")
SHOWN = [block for block in BLOCKS if block.page not in MADE]


def example_lines(command: str) -> list[str]:
    """The command lines that a command's --help shows."""
    shown = (line.strip() for line in COMMANDS[command].help.splitlines())
    return [line for line in shown if re.match(r"(cat \S+ \| )?sudoku-pipeline ", line)]


RUNNABLE = [
    line
    for command in COMMANDS
    for line in example_lines(command)
    if not line.startswith(NEVER_ENDS)
]


def steps(page: str) -> list[tuple[str, str | None]]:
    """What a page has its readers do, one after the other, and what it shows of the answer."""
    return [
        (line, shown)
        for block in SHOWN
        if block.page == page and block.kind in SHELL and not block.not_run
        for line, shown in block.steps()
        if not line.startswith(NEVER_ENDS)
    ]


STEPS = {page: found for page in PAGES if (found := steps(page))}


@pytest.mark.trial
@pytest.mark.parametrize("page", STEPS)
def test_what_a_page_shows_runs_from_its_top_to_its_end(page, tmp_path):
    desk = Desk(tmp_path)
    for line, shown in STEPS[page]:
        desk.follow(line, shown)


def test_the_steps_of_pages_are_found():
    assert {"README.md", "docs/tutorial.md", "docs/how-to/proof.md"} <= STEPS.keys()
    assert ("ls inbox/done", "first.txt\n") in STEPS["docs/tutorial.md"]


@for_each("block", SHOWN)
def test_the_commands_of_a_block_have_the_options_that_it_shows(block):
    assert block.kind in KINDS
    for arguments in block.ours():
        if block.kind not in ("text", "json"):
            check_options(arguments)


def test_options_that_no_command_has_are_found():
    with pytest.raises(Exception, match="--no-such"):
        check_options(["run", "--no-such"])


PYTHON = [block for block in SHOWN if block.kind == "python" and not block.not_run]


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: f"{block.page}:{block.line}")
def test_python_on_a_page_runs(block, tmp_path, monkeypatch, capsys):
    """It prints what its comments show, and what it writes stays out of the checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, block.page, "exec"), {"__name__": "__main__"})
    out, err = capsys.readouterr()
    assert err == ""
    for shown in re.findall(r"^ *print\(.*\)  # (.+)$", block.text, re.MULTILINE):
        assert all(part in out for part in re.split(r",? ?…,? ?", shown)), shown


@for_each("command", COMMANDS)
def test_every_command_has_examples_in_its_help(command):
    code, printed, _ = run(command, "--help")
    assert code == 0
    assert example_lines(command)
    flat = " ".join(printed.split())
    assert all(line in flat for line in example_lines(command)), "as one line, to be copied"


@for_each("example", EXAMPLES)
def test_every_example_of_a_single_puzzle_is_solved(example):
    code, printed, said = run("solve", str(example))
    statuses = ("unique: proved ", "multiple: exactly ", "unsolvable: no solution, proved ")
    assert code == 0
    assert said.removeprefix(f"{example}: ").startswith(statuses)
    assert bool(printed) == (": unsolvable: " not in said)
    assert "expected" not in said


def test_every_example_of_a_formula_is_answered():
    answers = {path.stem: run("solve", str(path), "--solver", "pysat") for path in FORMULAS}
    code, printed, said = answers["pigeons"]
    assert (code, printed) == (0, "s UNSATISFIABLE\n")
    assert "no model: proved by an LRAT proof of " in said
    code, printed, said = answers["colours"]
    assert (code, printed.splitlines()[0], said) == (0, "s SATISFIABLE", "")


def test_there_is_an_example_of_every_format_of_single_puzzles():
    read = {pipeline.parse_source(path.read_bytes(), path.name).format for path in EXAMPLES}
    assert {name.split()[0] for name in read} == {
        known.name for known in pipeline.reading.formats.FORMATS
    }


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A desk on which the examples were dropped and solved, with answers to formulas."""
    desk = Desk(tmp_path_factory.mktemp("machine"))
    for path in (ROOT / "examples").iterdir():
        (desk.root / "inbox" / path.name).write_bytes(path.read_bytes())
    assert desk.do("sudoku-pipeline run --settle 0 --solver pysat --quiet")[0] == 0
    for how, name in (
        ([str(ROOT / "examples" / "classic.sudoku")], "classic"),
        (["--empty", "3x3", "--numbering", "decimal"], "empty"),
    ):
        cnf, found = (str(desk.root / each) for each in (f"{name}-asked.cnf", f"{name}.out"))
        assert run("encode", *how, "-o", cnf) == (0, "", "")
        solve_dimacs(cnf, found)
    return desk


def test_the_example_of_a_collection_is_solved_with_the_others(machine):
    record = json.loads((machine.root / "outbox" / "collection.json").read_text())
    assert record["status"] == "collection"
    assert record["totals"] == {"multiple": 1, "unique": 4}
    puzzles = COLLECTION.read_text().splitlines()[1:]
    solved = (machine.root / "outbox" / "collection_1.solution").read_text().splitlines()
    assert [len(line) for line in solved] == [81] * len(puzzles)
    assert (machine.root / "inbox" / "done" / "collection.txt").exists()


@for_each("command", COMMANDS)
def test_every_example_of_a_help_page_fits_a_line_of_80_columns(command):
    assert [line for line in example_lines(command) if len(line) > 80 - 2] == []


@pytest.mark.trial
@pytest.mark.parametrize("line", RUNNABLE)
def test_every_example_of_a_help_page_runs(line, machine):
    code, _, said = machine.do(line)
    assert code in (0, 1)
    assert "Traceback" not in said
    assert code == 0 or re.search(r" (retry|doctor|status) ", line), said
