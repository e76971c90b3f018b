"""The command `convert`, and the function that does the same."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from support.archives import zip_of
from support.commands import run
from support.needs import needs_typst
from support.notations import KILLER, SAMURAI
from support.puzzles import EVEN_ODD, SIX, TWO, UNIQUE
from support.sheets import pages_of

from pipeline import Puzzle, convert, parse_puzzle, read, solve
from pipeline.cli.converting import target_notation
from pipeline.errors import InputError, UsageError
from pipeline.reading.formats.targets import TARGETS
from pipeline.service.converting import NAMES, endings_of, file_of

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."
MANY = (EASY, HARD, EASY[::-1])


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.txt").write_text(f"{EASY}\n")
    Path("many.txt").write_text("".join(f"{line}\n" for line in MANY))
    Path("killer.txt").write_text(f"{KILLER}\n")
    Path("two.txt").write_text(TWO)
    return tmp_path


def puzzles_in(path: str) -> list:
    return [item.problem.puzzle for item in read(path)]


@pytest.mark.parametrize("to", TARGETS)
def test_a_puzzle_goes_to_standard_output(desk, to):
    code, printed, said = run("convert", "--to", to, "one.txt")
    assert (code, said) == (0, "")
    assert parse_puzzle(printed) == parse_puzzle(EASY)


@pytest.mark.parametrize(
    "to", [name for name, target in TARGETS.items() if not target.file.max_items]
)
def test_a_collection_is_one_file_that_reads_back_as_the_same(desk, to):
    assert run("convert", "--to", to, "many.txt", "one.txt", "-o", "out") == (
        0,
        f"out: 4 puzzles as {to}\n",
        "",
    )
    assert puzzles_in("out") == [parse_puzzle(line) for line in (*MANY, EASY)]


ONLY_ONE = [name for name in NAMES if file_of(name, solutions=False).max_items == 1]


@pytest.mark.parametrize("to", ONLY_ONE)
def test_a_file_that_holds_one_puzzle_refuses_many_and_nothing_is_written(desk, to):
    code, printed, said = run("convert", "--to", to, "many.txt", "-o", "out")
    assert (code, printed) == (1, "")
    assert f"many.txt: too many puzzles: a {to} file can contain one" in said
    assert not Path("out").exists()


def test_a_folder_takes_a_file_for_each_named_after_source_and_line(desk):
    Path("sub").mkdir()
    Path("sub/one.txt").write_text(UNIQUE)
    files = ("many.txt", "one.txt", "sub/one.txt")
    code, printed, said = run("convert", "--to", "sdk", *files, "-o", "d/")
    assert (code, printed, said) == (0, "d/: 5 puzzles as sdk\n", "")
    names = ["many-1.sdk", "many-2.sdk", "many-3.sdk", "one-2.sdk", "one.sdk"]
    assert sorted(path.name for path in Path("d").iterdir()) == names
    assert parse_puzzle(Path("d/many-2.sdk").read_bytes()) == parse_puzzle(HARD)
    code, _, said = run("convert", "--to", "sdk", "one.txt", "-o", "d")
    kept = "--output: d/one.sdk exists; name another file, or overwrite it with --force"
    assert (code, said) == (2, f"sudoku-pipeline: {kept}\n")
    assert run("convert", "--to", "sdk", "one.txt", "-o", "d", "--force")[0] == 0
    for place in ("nowhere/d/", "one.txt/"):
        code, _, said = run("convert", "--to", "sdk", "many.txt", "-o", place)
        assert (
            code,
            "expected a folder, found a file, or its parent folder is missing" in said,
        ) == (2, True)
    assert run("convert", "--to", "sdk", "killer.txt", "-o", "e/")[0] == 1
    assert not Path("e").exists()


def test_the_name_of_the_output_says_what_to_convert_to():
    meant = {
        name: target_notation(None, Path(f"x{end}"))
        for name in NAMES
        for end in endings_of(name)
        if end != ".json"
    }
    assert all(name == found for name, found in meant.items())
    assert {"lines", "csv", "ss", "sdk", "opensudoku", "iss", "svg", "png", "pdf"} == {*meant}
    with pytest.raises(UsageError, match="json or f-puzzles"):
        target_notation(None, Path("x.json"))
    for unknown, problem in (
        ("x.txt", "--output x.txt: no notation has the extension .txt; .* with --to: lines, csv"),
        ("-", "name a file with -o, such as -o a.svg, or a notation with --to: lines, csv"),
    ):
        with pytest.raises(UsageError, match=problem):
            target_notation(None, Path(unknown))
    assert run("convert", "--to", "gird", "x")[2].endswith("found 'gird'; did you mean grid?\n")
    assert target_notation("iss", Path("x.csv")) == "iss"


def test_what_a_target_cannot_say_is_named_and_the_rest_is_written(desk):
    code, printed, said = run("convert", "--to", "lines", "one.txt", "killer.txt", "many.txt")
    assert code == 1
    assert said == "killer.txt: lines cannot express diagonal from r1c1\n"
    assert printed.split() == [EASY, *MANY]
    code, printed, said = run("convert", "--to", "hodoku", "killer.txt", "-o", "out")
    assert (code, printed, Path("out").exists()) == (1, "", False)


def test_grids_in_one_file_are_of_one_size(desk):
    """Nothing would tell where a smaller one begins."""
    Path("small.txt").write_text(SIX)
    code, printed, said = run("convert", "--to", "grid", "many.txt", "small.txt")
    assert (code, len(printed.splitlines())) == (1, 29)
    assert said == (
        "small.txt: a grid file cannot contain both boxes of 2×2 cells and boxes of 3×3 cells\n"
    )
    assert run("convert", "--to", "lines", "many.txt", "small.txt")[0] == 0


@pytest.mark.parametrize("number", [15, 16, 17, 32, 64])
def test_a_file_that_would_not_be_read_as_what_it_holds_is_refused(desk, number):
    """So many lines of 4×4 may be one puzzle of 16×16, or some."""
    line = UNIQUE.replace("\n", "")
    Path("small.txt").write_text(f"{line}\n" * number)
    for to in ("lines", "csv", "grid", "iss"):
        code, _, said = run("convert", "small.txt", "--format", "lines", "--to", to, "-o", to)
        is_refused = (to == "lines" and number % 16 == 0) or (to == "csv" and number == 16)
        assert (code, Path(to).exists()) == (is_refused, not is_refused), said
        if is_refused:
            assert said.startswith(f"a {to} file cannot contain all puzzles:")
            assert said.endswith("; -o FOLDER/ writes one file per puzzle\n")
        else:
            assert puzzles_in(to) == [parse_puzzle(line)] * number


def test_what_is_no_puzzle_is_told_where_it_stands(desk):
    Path("bad.txt").write_text(f"{EASY}\nk{EASY[1:]}\n{HARD}\n")
    Path("cnf").write_text("p cnf 1 1\n1 0\n")
    code, printed, said = run("convert", "--to", "csv", "bad.txt", "cnf")
    assert (code, printed.split()) == (1, ["puzzle", EASY, HARD])
    assert said.splitlines() == [
        "bad.txt:2:1: expected a digit or a blank, found 'k'",
        "cnf: a formula is not a puzzle",
    ]


def test_many_that_are_left_out_are_counted(desk):
    Path("killers.txt").write_text(f"{KILLER}\n" * 30)
    code, printed, said = run("convert", "--to", "lines", "killers.txt")
    assert (code, printed) == (1, "")
    assert said.splitlines()[19:] == [
        "killers.txt:20: lines cannot express diagonal from r1c1",
        "and 10 more puzzles not converted",
    ]


def test_solutions_are_found_first_and_stand_beside_their_puzzles_in_csv(desk):
    code, printed, said = run("convert", "--solutions", "--to", "csv", "many.txt", "two.txt")
    assert (code, said) == (1, "two.txt: it has more than one solution\n")
    rows = [*csv.DictReader(io.StringIO(printed))]
    assert [row["puzzle"] for row in rows] == [*MANY]
    assert rows[0]["solution"] == SOLVED
    assert run("convert", "--solutions", "--to", "lines", "one.txt")[1] == f"{SOLVED}\n"


def test_the_solution_of_a_puzzle_with_rules_is_a_grid_and_in_a_link_beside_it(desk):
    code, printed, _ = run("convert", "--solutions", "--to", "grid", "killer.txt")
    grid = printed.split()
    assert (code, {*map(len, grid)}) == (0, {9})
    document = json.loads(run("convert", "--solutions", "--to", "f-puzzles", "killer.txt")[1])
    assert "".join(map(str, document["solution"])) == "".join(grid)
    assert parse_puzzle(json.dumps(document)) == parse_puzzle(KILLER)


def test_an_outbox_has_its_solutions_already(desk, monkeypatch):
    Path("inbox").mkdir()
    Path("inbox/many.txt").write_text(Path("many.txt").read_text())
    Path("inbox/killer.txt").write_text(f"{KILLER}\n")
    assert run("run", "--grace", "0", "-q")[0] == 0
    solver = ("--solver", "minisat", "--minisat", "/nowhere")
    code, printed, said = run("convert", "--solutions", "--to", "csv", "outbox/many.csv", *solver)
    assert (code, said) == (0, "")
    assert [row["puzzle"] for row in csv.DictReader(io.StringIO(printed))] == [*MANY]
    code, printed, said = run("convert", "--to", "iss", "outbox")
    assert (code, said, len(printed.splitlines())) == (0, "", 4)


def test_members_of_an_archive_are_converted(desk):
    Path("all.zip").write_bytes(zip_of(("a/one.txt", EASY), ("b/one.txt", HARD), ("x.txt", KILLER)))
    code, _, said = run("convert", "--to", "sdk", "all.zip", "-o", "out/")
    told = "all.zip/x.txt: sdk cannot express diagonal from r1c1\n"
    assert (code, said) == (1, told)
    assert {path.name for path in Path("out").iterdir()} == {"one.sdk", "one-2.sdk"}


def test_standard_input_is_read_once(desk):
    assert run("convert", "--to", "lines", "-", given=SIX)[:2] == (0, SIX.replace("\n", "") + "\n")
    code, _, said = run("convert", "--to", "lines", "-", "-", given=SIX)
    message = "standard input, -, is named twice; it can be read only once"
    assert (code, said) == (2, f"sudoku-pipeline: {message}\n")


def test_rules_in_prose_are_told_of(desk):
    made = json.loads(parse_puzzle(EASY).to("f-puzzles")) | {"ruleset": "Normal rules."}
    Path("prose.json").write_text(json.dumps(made))
    code, printed, said = run("convert", "--to", "lines", "prose.json")
    assert (code, printed) == (0, f"{EASY}\n")
    assert said == "prose.json: the text of its rules was not converted\n"


def test_a_link_back_has_the_title_the_author_and_the_rules_text(desk):
    notes = {"title": "Mine", "author": "Me", "ruleset": "é: Normal rules."}
    made = json.loads(parse_puzzle(KILLER).to("f-puzzles")) | notes
    Path("mine.json").write_text(json.dumps(made))
    code, link, said = run("convert", "--solutions", "--to", "f-puzzles-link", "mine.json")
    assert (code, said) == (0, "")
    Path("link.txt").write_text(link)
    again = json.loads(run("convert", "--to", "f-puzzles", "link.txt")[1])
    assert again == made


def test_a_board_is_drawn_with_or_without_its_solution(desk):
    assert run("convert", "killer.txt", "-o", "killer.svg")[0] == 0
    drawn = Path("killer.svg").read_text()
    assert drawn.startswith("<svg")
    assert run("convert", "killer.txt", "-o", "solved.svg", "--solutions")[0] == 0
    solved = Path("solved.svg").read_text()
    assert len(solved) > len(drawn) + 81
    Path("samurai.txt").write_text(SAMURAI)
    assert run("convert", "samurai.txt", "--to", "svg")[0] == 0
    Path("large.txt").write_text("c\n6 6\n" + "0 " * 36**2)
    code, _, said = run("convert", "large.txt", "--to", "svg")
    assert (code, said) == (1, "large.txt: not drawn: more than 25×25 cells\n")


@needs_typst
def test_a_board_is_a_picture_or_a_page(desk):
    assert run("convert", "killer.txt", "-o", "killer.png")[0] == 0
    assert Path("killer.png").read_bytes().startswith(b"\x89PNG")
    assert run("convert", "many.txt", "--solutions", "--to", "pdf", "-o", "pages/")[0] == 0
    assert {path.read_bytes()[:5] for path in Path("pages").iterdir()} == {b"%PDF-"}


@needs_typst
def test_a_collection_is_one_pdf_with_a_page_for_each(desk):
    code, printed, said = run("convert", "many.txt", "killer.txt", "-o", "all.pdf")
    assert (code, printed, said) == (0, "all.pdf: 4 puzzles as pdf\n", "")
    assert len(pages_of(Path("all.pdf").read_bytes())) == 4
    Path("long.txt").write_text(f"{EASY}\n" * 1001)
    code, _, said = run("convert", "long.txt", "-o", "long.pdf")
    assert (code, "a pdf file can contain 1,000; -o FOLDER/" in said) == (1, True)
    assert not Path("long.pdf").exists()


@needs_typst
def test_a_puzzle_draws_itself(desk):
    puzzle = parse_puzzle(EASY)
    solution = solve(puzzle).solutions[0]
    drawn, solved = (re.findall(r"(\d+)</text>", puzzle.to("svg", x)) for x in (None, solution))
    assert (len("".join(drawn)), len("".join(solved))) == (30, 81)
    assert puzzle.to("png").startswith(b"\x89PNG")
    assert puzzle.to("pdf").startswith(b"%PDF-")
    with pytest.raises(ValueError, match="more than 25×25 cells"):
        Puzzle.empty(36).to("png")


def test_programs_get_each_puzzle_or_the_reason(desk):
    kept = io.BytesIO()
    found = [*convert("one.txt", "killer.txt", Path("many.txt"), to="csv", kept=kept)]
    assert [each.line for each in found] == [None, None, 1, 2, 3]
    assert [each.data is None for each in found] == [False, True, False, False, False]
    assert found[1].reason == "csv cannot express diagonal from r1c1"
    assert found[0].data == f"puzzle\n{EASY}\n".encode()
    assert kept.getvalue().decode().split() == ["puzzle", EASY, *MANY]
    with pytest.raises(InputError, match="many puzzles"):
        [*convert("many.txt", to="ss", kept=io.BytesIO())]
    with pytest.raises(UsageError, match="there is no notation 'crossword'; expected one of lines"):
        [*convert("one.txt", to="crossword")]
    with pytest.raises(TypeError, match="workers"):
        [*convert("one.txt", to="lines", workers=2)]


def test_programs_convert_puzzles_too_and_draw_them():
    puzzle = parse_puzzle(KILLER)
    (link,) = convert(puzzle, to="f-puzzles-link")
    assert parse_puzzle(link.data) == puzzle
    (drawn,) = convert(puzzle, to="svg")
    (solved,) = convert(puzzle, to="svg", solutions=True)
    assert drawn.data.startswith(b"<svg")
    assert len(solved.data) > len(drawn.data) + 81


def test_puzzles_are_converted_one_after_the_other_whatever_their_number(desk):
    """The first is there before the last is read."""
    Path("long.txt").write_text(f"{EASY}\n" * 20_000)
    found = convert("long.txt", to="hodoku")
    assert next(found).data == f":0000:x:{EASY}:::\n".encode()
    found.close()


def test_even_and_odd_cells_are_refused_where_the_program_has_none(desk):
    Path("marked.txt").write_text(EVEN_ODD)
    for to in ("ss", "sdk", "hodoku", "boxes"):
        code, _, said = run("convert", "--to", to, "marked.txt")
        assert (code, said.startswith(f"marked.txt: {to} cannot express the values ")) == (1, True)
    assert run("convert", "--to", "grid", "marked.txt")[0] == 0


def objects(*arguments: str) -> list[dict]:
    return [json.loads(line) for line in run("convert", *arguments, "--json")[1].splitlines()]


def test_programs_get_the_text_of_each_puzzle_or_where_it_was_written(desk):
    Path("folder").mkdir()
    files = ("killer.txt", "many.txt")
    left = {"source": "killer.txt", "line": None, "reason": "sdk cannot express diagonal from r1c1"}
    wanted = [
        {"source": "many.txt", "line": line, "text": parse_puzzle(text).to("sdk")}
        for line, text in enumerate(MANY, 1)
    ]
    assert objects("--to", "sdk", *files) == [left, *wanted]
    names = [{"file": f"folder/many-{line}.sdk", "puzzles": 1} for line in (1, 2, 3)]
    told = objects("--to", "sdk", *files, "-o", "folder")
    assert [{**each, **name} for each, name in zip(told[1:], names, strict=True)] == told[1:]
    assert objects("-o", "all.csv", *files)[1:] == [{"file": "all.csv", "puzzles": 3}]
    assert objects("-o", "none.csv", "killer.txt") == [left | {"reason": NOT_IN_CSV}]
    for options, why in (
        (("csv", "-o", "-"), "name a file with -o"),
        (("png",), "name a file"),
    ):
        code, printed, said = run("convert", "one.txt", "--json", "--to", *options)
        assert (code, printed, why in said) == (2, "", True)


NOT_IN_CSV = "csv cannot express diagonal from r1c1"
