"""`report` and `solve --svg`: where pages and drawings go; `solve` on a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
from pathlib import Path

import pytest
from support.commands import run
from support.drop_folders import SMALL_SOLVED, environment
from support.forks import Forked

pytestmark = pytest.mark.usefixtures("puzzle_folder")


def test_a_report_goes_to_the_outbox_or_to_standard_output():
    assert run("report") == (
        1,
        "",
        "sudoku-pipeline: outbox: no such folder; name the outbox with --outbox\n",
    )
    assert run("report", "nope") == (
        1,
        "",
        "sudoku-pipeline: nope: no such folder; name another folder\n",
    )
    Path("outbox").mkdir()
    assert run("report") == (0, "outbox/report.html\n", "")
    assert Path("outbox/report.html").read_text().startswith("<!DOCTYPE html>")
    code, printed, _ = run("report", "outbox", "-o", "-")
    assert (code, printed[:15], printed[-7:]) == (0, "<!DOCTYPE html>", "</html>")


def test_solve_draws_the_puzzle_as_a_file():
    assert run("solve", "--svg", "a.svg", "two.txt")[0] == 0
    text = Path("a.svg").read_text()
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert 'class="difference"' in text
    assert run("solve", "--svg", "a.svg", "clash.txt")[0] == 2
    assert Path("a.svg").read_text() == text
    assert run("solve", "--svg", "a.svg", "clash.txt", "--force")[0] == 0
    assert 'class="conflict"' in Path("a.svg").read_text()
    assert not list(Path.cwd().glob(".*.tmp"))


def test_a_drawing_may_be_without_the_solution_and_go_to_standard_output():
    assert run("solve", "--svg", "a.svg", "--puzzle-only", "unique.txt")[0] == 0
    text = Path("a.svg").read_text()
    assert ('class="given"' in text, 'class="solved"' in text) == (True, False)
    assert '<title id="bt">unique.txt</title>' in text
    code, printed, _ = run("solve", "--svg", "-", "unique.txt")
    assert (code, printed[:5], printed[-7:]) == (0, "<svg ", "</svg>\n")
    assert not Path("-").exists()


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("--puzzle-only unique.txt", 2, "--puzzle-only needs --svg"),
        (
            "--svg k.txt unique.txt",
            2,
            "--svg: k.txt: expected a name that ends in .svg, .png or .pdf",
        ),
        ("--svg a.svg two.txt six.txt", 2, "--svg takes one puzzle"),
        ("--svg unique.txt unique.txt", 2, "is an input file"),
        ("--svg same.svg unique.txt", 2, "is an input file"),
        ("--svg a.svg bad.txt", 1, "bad.txt:3:3: "),
        ("--svg a.svg --max-solutions 1 large.txt", 1, "more than 25×25"),
    ],
)
def test_a_drawing_that_cannot_be_made_is_refused(line, code, said):
    before = Path("unique.txt").read_text()
    Path("same.svg").symlink_to("unique.txt")
    values = [(13 * (cell // 26 % 2) + cell // 52 + cell) % 26 + 1 for cell in range(26**2)]
    Path("large.txt").write_text(f"c\n2 13\n{' '.join(map(str, values))}\n")
    found, _, told = run("solve", *line.split())
    assert (found, said in told) == (code, True)
    assert not {"a.svg", "k.txt"} & {path.name for path in Path.cwd().iterdir()}
    assert Path("unique.txt").read_text() == before


def test_a_link_is_followed_and_what_is_no_file_is_written_to():
    Path("outbox").mkdir()
    Path("link").symlink_to("real")
    Path("real").write_text("before")
    os.mkfifo("pipe")
    for arguments in (["solve", "unique.txt", "--svg"], ["report", "outbox", "-o"]):
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
        for target in ("link", "pipe"):
            assert run(*arguments, target, "--force")[0] == 0
        assert os.read(reader, 9) == Path("real").read_bytes()[:9] != b"before"
        os.close(reader)
    assert Path("link").is_symlink()
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize("line", ["convert --to sdk -o", "encode -o", "sheet -o", "solve --svg"])
def test_a_link_to_nothing_is_not_followed(line):
    Path("link").symlink_to("elsewhere")
    code, _, said = run(*line.split(), "link", "unique.txt", "--force")
    assert (code, "link is a link to elsewhere, which does not exist" in said) == (2, True)
    assert not Path("elsewhere").exists()


@pytest.mark.parametrize("command", ["convert --to sdk", "encode"])
def test_what_is_no_folder_is_none_to_write_in(command):
    Path("link").symlink_to("elsewhere")
    os.mkfifo("pipe")
    for name in ("link", "pipe", "unique.txt"):
        code, _, said = run(*command.split(), "-o", f"{name}/", "unique.txt", "--force")
        assert (code, f"--output: {name}: expected a folder, found a file" in said) == (2, True)
    assert not Path("elsewhere").exists()


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("", "expected a path, found ''"),
        (".", ". is a folder"),
        ("no/a", "no/a: its folder does not exist"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused_by_its_name(target, why):
    Path("outbox").mkdir()
    for option, *arguments in (("--svg", "solve", "unique.txt"), ("--output", "report")):
        code, _, said = run(*arguments, option, target)
        assert (code, said.startswith(f"sudoku-pipeline: {option}: {why}")) == (2, True)


def on_a_terminal(*arguments, **variables):
    """The output of a command on a terminal."""
    primary, replica = pty.openpty()
    terminal = Path(os.ttyname(replica))
    told = os.environ | environment() | variables
    process = Forked.command(arguments, terminal, Path(os.devnull), told)
    shown = b""
    while process.poll() is None or select.select([primary], [], [], 0)[0]:
        if select.select([primary], [], [], 0.005)[0]:
            shown += os.read(primary, 4096)
    os.close(replica)
    os.close(primary)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


DRAWN = """\
unique: proved by exhaustive search
┌─────┬─────┐  ┌─────┬─────┐
│ 1 . │ . . │  │ 1 2 │ 4 3 │
│ . . │ 2 . │  │ 3 4 │ 2 1 │
├─────┼─────┤  ├─────┼─────┤
│ . 3 │ . . │  │ 4 3 │ 1 2 │
│ . . │ . 4 │  │ 2 1 │ 3 4 │
└─────┴─────┘  └─────┴─────┘
"""


NEXT = """
Try next:
    step by step     sudoku-pipeline solve --steps unique.txt
    a hint           sudoku-pipeline solve --hint unique.txt
    a page to print  sudoku-pipeline sheet unique.txt
"""


def test_solve_draws_a_puzzle_beside_its_solution_on_a_terminal_or_if_asked():
    assert run("solve", "unique.txt")[1] == SMALL_SOLVED
    assert on_a_terminal("solve", "unique.txt", COLUMNS="80", TERM="dumb") == DRAWN
    code, printed, said = run("solve", "--board", "unique.txt")
    assert (code, printed) == (0, DRAWN)
    assert said == NEXT
    assert run("solve", "--board", "--quiet", "unique.txt") == (0, DRAWN, "")


def test_givens_are_bold_unless_colours_are_refused(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = on_a_terminal("solve", "unique.txt", COLUMNS="80", TERM="xterm")
    assert shown.splitlines()[0] == "\x1b[1;32munique\x1b[0m: proved by exhaustive search"
    assert shown.splitlines()[2] == "│ 1 . │ . . │  │ \x1b[1m1\x1b[0m 2 │ 4 3 │"
    assert re.sub(r"\x1b\[[\d;]+m", "", shown) == DRAWN
    plain = on_a_terminal("solve", "unique.txt", COLUMNS="80", TERM="xterm", NO_COLOR="1")
    assert plain == DRAWN


def test_boards_go_below_each_other_where_there_is_no_room_beside():
    wide = on_a_terminal("solve", "--quiet", "two.txt", COLUMNS="49", TERM="dumb").splitlines()
    assert wide[0] == "multiple: exactly 2 solutions, proved by exhaustive search"
    assert wide[2].split("  │")[1:] == [" 1  2 │[3][4]│", " 1  2 │[4][3]│"]
    two = on_a_terminal("solve", "--quiet", "two.txt", COLUMNS="48", TERM="dumb").splitlines()
    assert two[2] == "│ 1  2 │[3][4]│  │ 1  2 │[4][3]│", "the solutions alone"
    narrow = on_a_terminal("solve", "--quiet", "two.txt", COLUMNS="30", TERM="dumb").splitlines()
    assert [narrow[2], narrow[8], narrow[10]] == ["│ 1  2 │[3][4]│", "", "│ 1  2 │[4][3]│"]


def test_two_of_many_solutions_are_drawn_unless_a_number_is_given():
    Path("open.txt").write_text("....\n" * 4)
    drawn = on_a_terminal("solve", "open.txt", COLUMNS="80", TERM="dumb")
    assert drawn.splitlines()[0] == "multiple: at least 101 solutions"
    assert drawn.count("┌") == 3
    asked = on_a_terminal("solve", "--max-solutions", "5", "open.txt", COLUMNS="80", TERM="dumb")
    assert (asked.splitlines()[0], asked.count("┌")) == ("multiple: at least 6 solutions", 5)
    assert len(run("solve", "open.txt")[1].split("\n\n")) == 100, "a pipe gets all"


def test_cells_in_which_solutions_differ_are_in_reverse_video(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = on_a_terminal("solve", "two.txt", COLUMNS="80", TERM="xterm")
    assert shown.count("\x1b[7m") == 2 * 8
    assert shown.startswith("\x1b[1;33mmultiple\x1b[0m: exactly 2 solutions")


def test_each_of_several_files_has_a_header_on_a_terminal():
    shown = on_a_terminal("solve", "unique.txt", "none.txt", COLUMNS="80", TERM="dumb")
    headers = [line for line in shown.splitlines() if ".txt: un" in line]
    assert headers[0] == "unique.txt: unique: proved by exhaustive search"
    assert headers[1].startswith("none.txt: unsolvable: no solution, proved by ")
    assert "\n\nnone.txt: unsolvable: " in shown


@pytest.mark.parametrize("columns", [80, 103, 104])
def test_the_table_of_times_fits_a_terminal_of_80_columns_or_more_with_every_figure(columns):
    Path("a-rather-long-name-of-a-file.txt").write_text(Path("unique.txt").read_text())
    names = ("a-rather-long-name-of-a-file.txt", "two.txt", "none.txt")
    shown = on_a_terminal("solve", "--times", "--quiet", *names, COLUMNS=f"{columns}", TERM="dumb")
    lines = shown.splitlines()[-7:]
    assert max(map(len, lines)) <= columns
    rows = [line.split() for line in lines if "unsolvable" in line or "0.0" in line]
    assert [len(row) for row in rows] == [11, 11, 9]
    assert rows[0][0].startswith("a-rather")
    assert "…" not in "".join(lines).replace(rows[0][0], "")
