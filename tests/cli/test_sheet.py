"""The command `sheet`: what is printed of which source, and what is said of the rest."""

from __future__ import annotations

import bz2
import json
import sys
from pathlib import Path

import pytest
from support.archives import zip_of
from support.commands import FIRST, run, start
from support.documents import document, text_of
from support.drop_folders import DropFolder
from support.needs import needs_typst
from support.puzzles import NINE, UNIQUE
from support.sheets import SheetText, pages_of

EXAMPLES = Path(__file__).parents[2] / "examples"
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."
HARDER = ".....7.....6...72.4.8....6..4.9.2...9...41..........7...7.2.51......8...5....4..2"
LINE = "1.....2..3.....4"
COLLECTION = f"# three\n{LINE}\n12..34214312 21..\n4.....3..2.....1\n"
FORMULA = "p cnf 1 1\n1 0\n"
GIVEN = "".join(f"~R{at // 4 + 1}C{at % 4 + 1}_{(at // 4 + at) % 4 + 1}" for at in range(12))


def sheet(*arguments: str, given: str | None = None) -> tuple[int, SheetText, str]:
    """Exit code, the sheet on standard output, and what was said."""
    code, printed, said = run("sheet", "-o", "-", "--names", *arguments, given=given)
    return code, SheetText(printed), said


def names(found: SheetText) -> list[str]:
    return [each.name for each in found.puzzles]


def dropped(tmp_path, **files: str) -> DropFolder:
    """An inbox and an outbox after a pass over these files, which are texts."""
    box = DropFolder.within(tmp_path)
    for name, text in files.items():
        box.drop(name.replace("_", "."), text)
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox), "--quiet")
    assert run("run", *folders, "--settle", "0")[0] == 0
    return box


def test_a_file_is_solved_and_written_to_sheet_html(puzzle_folder):
    code, printed, said = run("sheet", "unique.txt")
    assert (code, printed.startswith("sheet.html: "), said) == (0, True, "")
    found = SheetText(Path("sheet.html").read_text())
    assert (len(found.puzzles), len(found.solutions)) == (1, 1)
    said = "six.txt: multiple: more than one solution; one of them is printed\n"
    assert run("sheet", "unique.txt", "six.txt", "--quiet", "-o", "a.html") == (0, "", said)
    assert len(SheetText(Path("a.html").read_text()).puzzles) == 2


def test_puzzles_without_boxes_in_a_published_collection_are_printed(tmp_path):
    """Their cells alone were read again as a puzzle with boxes, and their solutions called none."""
    grid = [
        [{"region": None, "value": 1 + (row + column) % 4} for column in range(4)]
        for row in range(4)
    ]
    for cell in (cell for row in grid[:3] for cell in row):
        cell["given"] = True
    text = f"{text_of(document(grid=grid))}\n.Shape~4x4.NoBoxes.{GIVEN}\n"
    box = dropped(tmp_path, two_txt=text)
    code, found, said = sheet(str(box.outbox / "two.csv"), "--inbox", str(box.inbox))
    assert (code, said, len(found.solutions)) == (0, "", 2)


def test_puzzles_of_collections_archives_and_standard_input_stand_in_order(puzzle_folder):
    Path("three.txt").write_text(COLLECTION)
    Path("set.zip").write_bytes(zip_of(("in/a.txt", UNIQUE), ("three.txt", COLLECTION)))
    Path("nine.txt.bz2").write_bytes(bz2.compress(NINE.encode()))
    Path("folder").mkdir()
    Path("folder/b.txt").write_text(UNIQUE)
    code, found, said = sheet("three.txt", "set.zip", "nine.txt.bz2", "-", "folder", given=UNIQUE)
    lines = [f"three.txt, line {line}" for line in (2, 3, 4)]
    assert names(found) == [*lines, "in/a.txt", *lines, "nine.txt.bz2", "", "b.txt"]
    assert [each.number for each in found.solutions] == [*map(str, range(1, 11))]
    assert code == 0
    assert said == (
        "three.txt:3: multiple: more than one solution; one of them is printed\n"
        "set.zip/three.txt:3: multiple: more than one solution; one of them is printed\n"
    )
    code, found, _ = sheet("-", given=COLLECTION)
    assert (code, names(found)) == (0, ["line 2", "line 3", "line 4"])


def test_names_are_left_out_unless_they_are_asked_for_or_the_puzzle_is_bad(puzzle_folder):
    Path("three.txt").write_text(COLLECTION)
    code, printed, _ = run("sheet", "-o", "-", "three.txt", "unique.txt")
    assert (code, names(SheetText(printed))) == (0, ["", "three.txt, line 3", "", ""])


def test_what_has_no_board_is_said_and_the_rest_is_printed(puzzle_folder):
    Path("rule.cnf").write_text(FORMULA)
    Path("large.txt").write_text(f"c\n2 13\n{'0 ' * 26 * 26}\n")
    code, found, said = sheet("bad.txt", "rule.cnf", "nowhere.txt", "large.txt", "unique.txt")
    assert (code, names(found)) == (1, ["unique.txt"])
    assert said == (
        "bad.txt:3:3: expected a digit or a blank, found 'q'\n"
        "rule.cnf: a formula is not a puzzle\n"
        "nowhere.txt: cannot be read: No such file or directory\n"
        "large.txt: not drawn: more than 25×25 cells\n"
    )


@pytest.mark.parametrize(
    ("source", "why"),
    [("bad.txt", "bad.txt:3:3: "), ("empty", "empty: no puzzle to print")],
)
def test_where_there_is_nothing_to_print_nothing_is_written(source, why, puzzle_folder):
    Path("empty").mkdir()
    code, printed, said = run("sheet", source)
    assert (code, printed, said.count("\n"), said.startswith(why)) == (1, "", 1, True)
    assert not Path("sheet.html").exists()


def test_a_sheet_is_no_file_of_another_kind(puzzle_folder):
    said = "sudoku-pipeline: --output: week.doc: expected a name that ends in .html or .pdf\n"
    assert run("sheet", "unique.txt", "-o", "week.doc") == (2, "", said)
    assert not Path("week.doc").exists()


def test_a_puzzle_without_a_solution_says_so_and_without_solutions_nothing_is_solved(puzzle_folder):
    code, _, said = sheet("clash.txt")
    assert code == 0
    assert said.startswith("clash.txt: unsolvable: row 1 holds 1 twice")
    Path("empty.txt").write_text("c\n5 5\n" + "0 " * 625)
    code, _, said = sheet("empty.txt", "--timeout", "0.001")
    assert code == 1
    assert said.startswith("empty.txt: unknown: ")
    options = ("--no-solutions", "--timeout", "0.001", "--per-page", "1")
    code, found, said = sheet("empty.txt", "clash.txt", *options)
    assert (code, said) == (0, "")
    assert [(page.kind, page.boards) for page in found.pages] == [("puzzles", 1)] * 2


def test_the_options_of_reading_hold_here_too(puzzle_folder):
    Path("marks.txt").write_text("*...\n.*..\n..*.\n...*\n")
    _, found, _ = sheet("marks.txt", "--no-solutions")
    assert "even" in found.puzzles[0].marks
    _, found, _ = sheet("marks.txt", "--no-solutions", "--variant", "classic")
    assert "even" not in found.puzzles[0].marks
    letters = "".join("0123456789ABCDEF"[:3] + "." * 253)
    Path("letters.txt").write_text(f"{letters}\n{letters}\n")
    _, found, said = sheet("letters.txt", "--no-solutions", "--alphabet", "0-F")
    assert [each.given[1, 1] for each in found.puzzles] == ["0", "0"], said


def test_more_than_a_sheet_takes_is_refused_and_the_first_are_taken(puzzle_folder):
    Path("many.txt").write_text(f"{LINE}\n" * 1001)
    said = "sudoku-pipeline: a sheet has at most 1,000 puzzles; "
    said += "--first 1000 prints only the first ones\n"
    assert run("sheet", "unique.txt", "many.txt") == (2, "", said)
    code, found, _ = sheet("unique.txt", "many.txt", "--first", "3")
    assert (code, names(found)) == (0, ["unique.txt", "many.txt, line 1", "many.txt, line 2"])
    printed = "sheet.html: 30 puzzles on 3 pages, solutions on 1\n"
    assert run("sheet", "many.txt", "--first", "30", "--per-page", "12")[:2] == (0, printed)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--first 0", "--first: expected 1 to 1,000"),
        ("--first 1001", "--first: expected 1 to 1,000"),
        ("--per-page 5", "--per-page"),
        ("-o .", "--output: . is a folder; name a file in it"),
        ("-o unique.txt", "--output: unique.txt is an input file; name another file"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(options, why, puzzle_folder):
    code, printed, said = run("sheet", "unique.txt", *options.split())
    assert (code, printed, why in said) == (2, "", True)
    assert Path("unique.txt").read_text() == UNIQUE
    assert not Path("sheet.html").exists()


def test_the_head_tells_what_is_given_and_the_easiest_come_first(puzzle_folder):
    for name, text in zip("1234", (HARD, EASY, LINE, HARDER), strict=True):
        Path(name).write_text(text)
    options = ("--title", "Class 7b", "--author", "A. Teacher", "--difficulty", "easy")
    code, found, _ = sheet(*"1234", *options)
    assert (code, found.pages[0].head) == (0, ["Class 7b", "easy · A. Teacher"])
    assert {each.level for each in found.puzzles} == {""}

    def lines(*options: str) -> list[str]:
        _, found, _ = sheet(*"1234", *options)
        assert [each.number for each in found.puzzles] == ["1", "2", "3", "4"]
        return names(found)

    assert lines() == ["1", "2", "3", "4"]
    assert lines("--sort", "givens") == ["2", "1", "4", "3"]
    code, found, said = sheet(*"1234", "--levels", "--sort", "rating", "--no-solutions")
    assert said.startswith("1 puzzle without a level: only 9×9 puzzles ")
    assert (code, names(found), found.solutions) == (0, ["2", "1", "4", "3"], [])
    assert [each.level for each in found.puzzles] == ["easy", "medium", "extreme", ""]
    assert found.pages[0].head == []


@needs_typst
def test_a_name_that_ends_in_pdf_makes_a_pdf(puzzle_folder):
    printed = "a.pdf: 1 puzzle on 1 page, solutions on 1\n"
    assert run("sheet", "unique.txt", "-o", "a.pdf", "--title", "Seven") == (0, printed, "")
    first, behind = pages_of(Path("a.pdf").read_bytes())
    assert ("Seven" in first, "Solutions" in behind) == (True, True)
    assert run("sheet", "unique.txt", "-o", "a.pdf")[0] == 2
    assert run("sheet", "unique.txt", "-o", "a.pdf", "--force")[0] == 0


def test_without_the_extra_no_pdf_is_begun(puzzle_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    code, printed, said = run("sheet", "unique.txt", "-o", "a.pdf")
    assert (code, printed, "needs the extra [draw]" in said) == (
        2,
        "",
        True,
    )
    assert not Path("a.pdf").exists()


def test_names_reach_neither_the_page_nor_the_terminal_raw(puzzle_folder):
    wild = "<b>\x1b[31m\n.txt"
    Path(wild).write_text(UNIQUE)
    Path("bad\x1b[31m").write_text("12x\n")
    code, found, said = sheet(wild, "bad\x1b[31m")
    assert (code, names(found)) == (1, [r"<b>\x1b[31m\n.txt"])
    assert "\x1b" not in said
    members = (("\x1b[31m.cnf", FORMULA), ("\x1b[32m.txt", "12..\n....\n..2.\n...1\n"))
    Path("set.zip").write_bytes(zip_of(*members))
    code, found, said = sheet("set.zip")
    assert (code, len(names(found))) == (1, 1)
    assert "\x1b" not in said + names(found)[0]


def test_an_outbox_has_its_solutions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    box = dropped(tmp_path, a_txt=UNIQUE, many_txt=COLLECTION, rule_cnf=FORMULA)
    lines = [f"many.txt, line {line}" for line in (2, 3, 4)]
    asked = ("--inbox", str(box.inbox), "--minisat", "/nowhere", "--solver", "auto")
    for source, code, expected in (
        ("", 1, ["a.txt", *lines]),
        ("a.json", 0, ["a.txt"]),
        ("many.csv", 0, lines),
    ):
        found_code, found, said = sheet(str(box.outbox / source), *asked)
        assert (found_code, names(found), len(found.solutions)) == (code, expected, len(expected))
        assert "nowhere" not in said, "no solver is asked"
    assert sheet(str(box.outbox / "many.csv"), "--first", "2", *asked)[0] == 0
    code, _, said = run("sheet", str(box.outbox / "a.json"), "--inbox", "elsewhere")
    assert (
        code,
        "a.txt: not drawn: its original was not found; give the inbox with --inbox" in said,
    ) == (1, True)


def test_an_outbox_with_nothing_but_its_report_has_no_puzzle_to_print(tmp_path):
    box = dropped(tmp_path)
    assert run("report", str(box.outbox), "--inbox", str(box.inbox))[0] == 0
    code, printed, said = run("sheet", "-o", "-", str(box.outbox))
    assert (code, printed, said.endswith(": no puzzle to print\n")) == (1, "", True)
    assert "xml" not in said


def test_a_table_without_its_record_is_a_collection_to_solve(puzzle_folder):
    row = f"{LINE},{FIRST.replace(chr(10), '')}\n"
    Path("many.csv").write_text(f"puzzle,solution\n{row * 2}")
    code, found, said = sheet("many.csv")
    assert (code, names(found)) == (0, ["many.csv, line 2", "many.csv, line 3"]), "both are bad"
    assert said.startswith("many.csv:2: the solution in the file is wrong\n")


def test_a_reader_who_has_seen_enough_ends_it_quietly(puzzle_folder):
    Path("many.txt").write_text(f"{LINE}\n" * 900)
    process = start("sheet", "many.txt", "--no-solutions", "-o", "-")
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (0, "")


def test_steps_are_printed_after_the_solutions_and_counted(puzzle_folder):
    Path("easy.txt").write_text(f"{EASY}\n")
    code, printed, said = run(
        "sheet", "--steps", "--json", "-o", "a.html", "easy.txt", "unique.txt"
    )
    counts = json.loads(printed)
    assert (code, said, counts["puzzles"], counts["pages"]) == (0, "", 2, 1)
    pages = SheetText(Path("a.html").read_text()).pages
    steps = [page for page in pages if page.kind in ("guide", "worked")]
    assert [page.kind for page in pages[:2]] == ["puzzles", "solutions"]
    assert counts["steps"] == len(steps) == len(pages) - 2
    assert steps[0].head == ["How to read the steps"]
    assert "".join(steps[1].head) == "Steps of puzzle 1"
    text = Path("a.html").read_text()
    assert "51 singles" not in text
    assert "16 singles" in text
    assert "Steps of puzzle <a" in text
    code, _, said = run("sheet", "--steps", "-o", "b.html", "six.txt")
    assert "the solution was found by search" in Path("b.html").read_text()


def test_steps_need_proof_and_have_a_limit(puzzle_folder):
    code, _, said = run("sheet", "--steps", "--trust-solver", "-o", "a.html", "unique.txt")
    assert (code, "--steps" in said) == (2, True)
    Path("many.txt").write_text(f"{EASY}\n" * 101)
    code, _, said = run("sheet", "--steps", "-o", "a.html", "many.txt")
    assert (code, "at most 100 puzzles; --first 100" in said) == (2, True)
    assert not Path("a.html").exists()
