"""The commands that draw: report, and solve with --svg or on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from support.commands import run as call
from support.dropping import SMALL_SOLVED, environment


def test_a_report_goes_to_the_outbox_or_to_standard_output(puzzle_folder):
    Path("outbox").mkdir()
    assert call("report") == (0, "outbox/report.html\n", "")
    page = Path("outbox/report.html").read_text()
    code, printed, _ = call("report", "outbox", "-o", "-")
    assert (code, printed[:15], printed[-7:]) == (0, "<!DOCTYPE html>", "</html>")
    assert page.startswith("<!DOCTYPE html>")


def test_a_folder_that_is_not_there_is_the_surroundings_fault(tmp_path):
    code, _, said = call("report", str(tmp_path / "nowhere"))
    assert (code, "no such folder" in said) == (75, True)


def test_solve_draws_the_puzzle_as_a_file(puzzle_folder):
    code, printed, _ = call("solve", "--svg", "a.svg", "two.txt")
    assert code == 0
    assert printed.startswith("multiple: all 2 solutions\n")
    text = Path("a.svg").read_text()
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert 'class="difference"' in text
    assert call("solve", "--svg", "b.svg", "clash.txt")[0] == 0
    assert 'class="conflict"' in Path("b.svg").read_text()
    assert not list(Path.cwd().glob(".*.tmp"))


def test_solve_draws_the_puzzle_without_its_solution(puzzle_folder):
    assert call("solve", "--svg", "a.svg", "--puzzle-only", "unique.txt")[0] == 0
    text = Path("a.svg").read_text()
    assert ('class="given"' in text, 'class="solved"' in text) == (True, False)
    assert '<title id="bt">unique.txt</title>' in text
    code, _, said = call("solve", "--puzzle-only", "unique.txt")
    assert (code, said) == (2, "sudoku-pipeline: --puzzle-only: say with --svg where to draw\n")


def test_a_drawing_is_not_written_to_a_file_of_another_kind(puzzle_folder):
    code, _, said = call("solve", "--svg", "k.png", "unique.txt")
    why = "sudoku-pipeline: --svg: k.png: expected a name that ends in .svg\n"
    assert (code, said, Path("k.png").exists()) == (2, why, False)


def test_a_drawing_replaces_a_file_with_force_only(puzzle_folder):
    Path("a.svg").write_text("mine")
    assert call("solve", "--svg", "a.svg", "unique.txt")[0] == 2
    assert Path("a.svg").read_text() == "mine"
    assert call("solve", "--svg", "a.svg", "unique.txt", "--force")[0] == 0
    assert Path("a.svg").read_text() != "mine"


def test_solve_draws_one_puzzle_or_none(puzzle_folder):
    code, _, said = call("solve", "--svg", "a.svg", "two.txt", "six.txt")
    assert (code, said) == (2, "sudoku-pipeline: --svg: give one puzzle to draw\n")
    assert call("solve", "--svg", "a.svg", "bad.txt")[0] == 1
    values = [(13 * (cell // 26 % 2) + cell // 52 + cell) % 26 + 1 for cell in range(26**2)]
    Path("large.txt").write_text(f"c\n2 13\n{' '.join(map(str, values))}\n")
    code, _, said = call("solve", "--svg", "a.svg", "--max-solutions", "1", "large.txt")
    assert (code, "more than 25×25" in said) == (1, True)
    assert not Path("a.svg").exists()


def test_a_drawing_goes_to_standard_output_in_place_of_the_solution(puzzle_folder):
    code, printed, _ = call("solve", "--svg", "-", "unique.txt")
    assert (code, printed[:5], printed[-7:]) == (0, "<svg ", "</svg>\n")
    assert not Path("-").exists()


def test_a_link_is_followed_and_what_is_no_file_is_written_to(puzzle_folder):
    Path("outbox").mkdir()
    Path("link").symlink_to("real")
    Path("real").write_text("before")
    os.mkfifo("pipe")
    for arguments in (["solve", "unique.txt", "--svg"], ["report", "outbox", "-o"]):
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
        for target in ("link", "pipe"):
            assert call(*arguments, target, "--force")[0] == 0
        assert os.read(reader, 9) == Path("real").read_bytes()[:9] != b"before"
        os.close(reader)
    assert Path("link").is_symlink()
    assert Path("pipe").is_fifo()


def test_what_cannot_be_written_is_refused_by_its_name(puzzle_folder):
    Path("outbox").mkdir()
    for target, why in {"": ". is a folder", ".": ". is a folder", "no/a": "no/a: the fo"}.items():
        for option, *arguments in (("--svg", "solve", "unique.txt"), ("--output", "report")):
            code, _, said = call(*arguments, option, target)
            assert (code, said.startswith(f"sudoku-pipeline: {option}: {why}")) == (2, True)
    before = Path("unique.txt").read_text()
    Path("same.svg").symlink_to("unique.txt")
    for target in ("unique.txt", "same.svg"):
        code, _, said = call("solve", "--svg", target, "unique.txt")
        assert (code, "is the file that is read" in said) == (2, True)
    assert Path("unique.txt").read_text() == before


def on_a_terminal(*arguments, **variables):
    """What a command prints on a terminal."""
    primary, replica = pty.openpty()
    command = [sys.executable, "-m", "pipeline", *arguments]
    process = subprocess.Popen(command, stdout=replica, env=os.environ | environment() | variables)
    os.close(replica)
    shown = b""
    try:
        while piece := os.read(primary, 4096):
            shown += piece
    except OSError:  # the other end is closed
        os.close(primary)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


def test_solve_prints_box_lines_on_a_terminal_alone(puzzle_folder):
    assert call("solve", "unique.txt")[1] == "unique\n" + SMALL_SOLVED
    assert on_a_terminal("solve", "unique.txt") == (
        "unique\n 1  2 | 4  3\n 3  4 | 2  1\n------+------\n 4  3 | 1  2\n 2  1 | 3  4\n"
    )


def test_the_table_of_times_fits_a_terminal_of_80_columns_with_every_figure(puzzle_folder):
    Path("a-rather-long-name-of-a-file.txt").write_text(Path("unique.txt").read_text())
    names = ("a-rather-long-name-of-a-file.txt", "two.txt", "none.txt")
    shown = on_a_terminal("solve", "--times", "--quiet", *names, COLUMNS="80", TERM="dumb")
    lines = shown.splitlines()[-7:]
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if "unsolvable" in line or "0.0" in line]
    assert [len(row) for row in rows] == [11, 11, 9]
    assert rows[0][0].startswith("a-rather")
    assert "…" not in "".join(lines).replace(rows[0][0], "")
