"""The commands `dedupe` and `generate`, and the functions that do the same."""

from __future__ import annotations

import csv
import json
import re
import signal
import stat
import subprocess
from itertools import count, islice
from pathlib import Path

import pytest
from msgspec import to_builtins
from support.archives import zip_of
from support.commands import run, start
from support.drop_folders import wait_for
from support.needs import needs_arrow
from support.oracle import solutions
from support.puzzles import PATIENCE

from pipeline import Copy, Grid, SkippedItem, Tally, Wish, dedupe, generate, read, solve
from pipeline.catalogue import generating
from pipeline.cli import catalogue
from pipeline.cli.options import Output
from pipeline.errors import UsageError
from pipeline.native import Program

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."
SEVENTEEN = ".................1.....2.3......45....1.6.....4......7....8.4....9...2..3.61...9."


COPIES = ("source", "line", "first_source", "first_line")
LAST = ["b.txt", "2", "a.txt", "2"]
VERDICT = "overlap: 1 of the 2 puzzles in b.txt has an equivalent among the 3 puzzles in a.txt"


def relabelled(line: str) -> str:
    return line.translate(str.maketrans("123456789", "912345678"))


def transposed(line: str) -> str:
    return "".join(line[column::9] for column in range(9))


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(f"{EASY}\n{HARD}\n{relabelled(EASY)}\n")
    Path("b.txt").write_text(f"{SEVENTEEN}\n{transposed(HARD)}\n")
    monkeypatch.setattr(catalogue, "note_if_slow", lambda out: None)  # it depends on the cache
    return tmp_path


def rows(name: str) -> list[list[str]]:
    return [*csv.reader(Path(name).read_text().splitlines())]


def test_dedupe_writes_the_first_of_each_class_and_where_the_others_are(desk):
    code, printed, said = run("dedupe", "a.txt", "b.txt", "-o", "deduped.txt")
    assert (code, said) == (0, "")
    assert printed.splitlines() == [
        "5 puzzles in 3 classes; wrote the first of each to deduped.txt",
        "    a.txt:3 is equivalent to a.txt:1",
        "    b.txt:2 is equivalent to a.txt:2",
        "deduped.csv lists the puzzles that are equivalent to an earlier one",
    ]
    assert Path("deduped.txt").read_text() == f"{EASY}\n{HARD}\n{SEVENTEEN}\n"
    assert rows("deduped.csv") == [[*COPIES], ["a.txt", "3", "a.txt", "1"], LAST]


def test_puzzles_that_cannot_be_compared_are_named_and_left_out(desk):
    Path("odd.txt").write_text(f"{EASY}\n1.....2..3.....4\nhello\n")
    code, kept, said = run("dedupe", "odd.txt", "--quiet")
    second, third = said.splitlines()[:2]
    assert (code, kept) == (1, f"{EASY}\n")
    assert second == "odd.txt:2: skipped: it is not a classic 9×9 puzzle"
    assert third.startswith("odd.txt:3:")
    Path("none.txt").write_text("1.....2..3.....4\n" * 30)
    messages = run("dedupe", "none.txt", "--quiet")[2].splitlines()
    assert messages[20:] == ["and 10 more puzzles skipped"]


def test_standard_input_and_archives_are_named_as_they_were_given(desk):
    Path("set.zip").write_bytes(zip_of(("in/easy.txt", EASY), ("many.txt", f"{HARD}\n" * 2)))
    code, printed, _ = run("dedupe", "set.zip", "-", "-o", "-", given=f"{transposed(EASY)}\n")
    assert (code, printed) == (0, f"{EASY}\n{HARD}\n")
    run("dedupe", "set.zip", "-", "-o", "k.txt", "--table", "t.csv", given=f"{transposed(EASY)}\n")
    assert rows("t.csv")[1:] == [
        ["set.zip/many.txt", "2", "set.zip/many.txt", "1"],
        ["<stdin>", "", "set.zip/in/easy.txt", ""],
    ]


def test_against_gives_a_verdict_a_table_and_an_exit_code(desk):
    code, printed, _ = run("dedupe", "--against", "a.txt", "b.txt", "--table", "both.csv")
    assert (code, printed.splitlines()) == (
        1,
        [
            VERDICT,
            "    b.txt:2 is equivalent to a.txt:2",
            "both.csv lists the equivalent puzzles",
        ],
    )
    assert rows("both.csv") == [[*COPIES], LAST]
    Path("c.txt").write_text(f"{SEVENTEEN}\n")
    verdict = "no overlap: the 1 puzzle in c.txt has no equivalent among the 3 puzzles in a.txt\n"
    assert run("dedupe", "--against", "a.txt", "c.txt", "--quiet")[:2] == (0, verdict)
    table = "".join(f"{','.join(row)}\n" for row in (COPIES, LAST))
    shown = run("dedupe", "--against", "a.txt", "b.txt", "--table", "-")
    assert shown == (1, table, f"{VERDICT}\n")


def test_against_names_the_first_copies_and_where_all_of_them_are(desk):
    pair = "    b.txt:2 is equivalent to a.txt:2\n"
    assert run("dedupe", "--against", "a.txt", "b.txt") == (1, f"{VERDICT}\n{pair}", "")
    assert run("dedupe", "--against", "a.txt", "b.txt", "--quiet") == (1, f"{VERDICT}\n", "")
    Path("many.txt").write_text(f"{EASY}\n" * 30)
    _, *pairs, more = run("dedupe", "--against", EASY, "many.txt")[1].splitlines()
    assert pairs[19:] == [f"    many.txt:20 is equivalent to {EASY[:16]}…"]
    assert more == "    and 10 more puzzles; --table FILE lists all"
    listed = run("dedupe", "many.txt", "-o", "one.txt")[1].splitlines()
    assert listed[20:22] == [
        "    many.txt:21 is equivalent to many.txt:1",
        "    and 9 more puzzles; one.csv lists all",
    ]


def test_against_writes_the_puzzles_that_the_other_source_lacks(desk):
    known, asked = Path("a.txt").read_text().split(), Path("b.txt").read_text().split()
    code, printed, said = run("dedupe", "--against", "a.txt", "b.txt", "-o", "new.txt")
    assert (code, printed, said) == (
        1,
        f"{VERDICT}\n    b.txt:2 is equivalent to a.txt:2\nnew.csv lists the equivalent puzzles\n",
        "",
    )
    assert Path("new.txt").read_text().split() == [asked[0]]
    assert rows("new.csv") == [[*COPIES], LAST]
    assert run("dedupe", "--against", "a.txt", "b.txt", "-o", "-")[:2] == (1, f"{asked[0]}\n")
    assert run("dedupe", "--against", known[0], "b.txt", "-o", "-")[1].split() == asked


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("dedupe a.txt -o a.txt", 2, "is an input file"),
        ("dedupe a.txt -o n.txt --table n.txt", 2, "are the same file"),
        ("dedupe - -", 2, "standard input, -, is named twice; it can be read only once"),
        ("dedupe --against a.txt missing.txt", 1, "missing.txt: cannot be read"),
        ("dedupe . -o deduped.txt", 2, "deduped.txt is inside an input folder"),
        ("dedupe --against a.txt . --table o.csv", 2, "o.csv is inside an input folder"),
    ],
)
def test_targets_and_sources_that_cannot_be_are_refused(desk, line, code, said):
    found, _, heard = run(*line.split())
    assert (found, said in heard) == (code, True)
    assert Path("a.txt").read_text().startswith(EASY)
    assert {path.name for path in desk.iterdir()} == {"a.txt", "b.txt"}


def test_an_earlier_result_stays_if_the_command_fails(desk):
    Path("deduped.txt").write_text("earlier\n")
    options = ("-o", "deduped.txt", "--force")
    assert run("dedupe", "a.txt", "missing.txt", *options)[0] == 1
    assert Path("deduped.txt").read_text() == "earlier\n"
    assert not [path for path in desk.iterdir() if path.name.startswith(".")]


def test_generate_writes_puzzles_with_one_solution_and_their_certificates(desk):
    said = "each with one solution, verified by exhaustive search"
    printed = f"generated.txt: 5 puzzles, {said}\ngenerated.csv lists their solutions\n"
    assert run("generate", "5", "--seed", "3", "-o", "generated.txt") == (0, printed, "")
    lines = Path("generated.txt").read_text().splitlines()
    header, *table = rows("generated.csv")
    assert header == ["index", "solution", "certificate", "nodes"]
    for number, (line, row) in enumerate(zip(lines, table, strict=True), 1):
        (item,) = read(f"{line}\n".encode())
        (grid,) = solutions(item.problem.puzzle, 2)
        assert row[:3] == [str(number), "".join(map(str, grid.values)), "exhaustive-search"]


def test_generate_says_at_once_why_it_takes_minutes(capsys, monkeypatch):
    reasons = iter(["numba is not installed; install the extra [fast]", None])
    monkeypatch.setattr(Program, "unavailable_reason", lambda program: next(reasons))
    catalogue.note_if_slow(Output())
    catalogue.note_if_slow(Output())
    said = "generating takes minutes: numba is not installed; install the extra [fast]\n"
    assert capsys.readouterr().err == said


def test_generate_writes_a_table_of_puzzles_with_their_ratings(desk):
    assert run("generate", "3", "--seed", "3", "-o", "graded.csv")[0] == 0
    header, *table = rows("graded.csv")
    assert header == ["puzzle", "givens", "level", "score"]
    assert not Path("graded.txt").exists()
    printed = run("generate", "3", "--seed", "3", "--json")[1]
    told = [json.loads(line) for line in printed.splitlines()]
    assert table == [
        [
            each["puzzle"],
            str(each["givens"]),
            each["rating"]["level"],
            str(each["rating"]["score"]) if each["rating"]["solved"] else "",
        ]
        for each in told
    ]
    code, printed, _ = run("solve", "graded.csv")
    assert (code, printed.split()[2::3]) == (0, [each["solution"] for each in told])


def test_generate_tells_programs_how_hard_each_puzzle_is_and_its_seed(desk):
    code, printed, said = run("generate", "2", "--seed", "3", "--json")
    told = [json.loads(line) for line in printed.splitlines()]
    assert (code, said) == (0, "")
    for each in told:
        result = solve(each["puzzle"], traits="effort,rating")
        assert isinstance(result.solutions[0], Grid)
        assert each["solution"] == "".join(map(str, result.solutions[0].values))
        assert each["givens"] == sum(sign != "." for sign in each["puzzle"])
        assert each["effort"] == to_builtins(result.traits.effort)
        assert each["rating"] == to_builtins(result.traits.rating)
        assert each["seed"] == 3
    run("generate", "1", "--seed", "3", "--json", "-o", "one.txt")
    assert Path("one.txt").read_text().split() == [told[0]["puzzle"]]
    assert run("generate", "2", "--json", "-o", "-")[0] == 2


def test_the_same_seed_gives_the_same_puzzles_and_another_one_others(desk):
    first, again, other = (run("generate", "3", "--seed", seed)[1] for seed in ("1", "1", "2"))
    assert first == again != other
    assert run("generate", "2", "--seed", "1")[1] == first[:164]


def test_without_a_seed_puzzles_are_new_each_time_and_the_seed_that_is_printed_repeats_them(desk):
    _, first, heard = run("generate", "2")
    _, other, _ = run("generate", "2")
    assert first != other
    seed = re.fullmatch(r"--seed (\d+) gives the same puzzles again\n", heard)[1]
    assert run("generate", "2", "--seed", seed) == (0, first, "")


def test_generated_puzzles_are_as_wished(desk):
    for line in run("generate", "4", "--givens", "24-25", "--symmetric")[1].splitlines():
        assert 24 <= 81 - line.count(".") <= 25
        shape = [sign == "." for sign in line]
        assert shape == shape[::-1]
    printed = run("generate", "4", "--redundant", "--givens", "35")[1]
    assert [81 - line.count(".") for line in printed.splitlines()] == [35] * 4


def test_puzzles_with_marked_cells_are_written_so_that_they_can_be_read(desk):
    line = ("generate", "2", "--even-odd", "--seed", "0", "-o", "marked.txt", "--quiet")
    assert run(*line) == (0, "", "")
    items = list(read(Path("marked.txt")))
    for item, made in zip(items, generate(Wish(marks=True)), strict=False):
        assert item.problem.puzzle == made.problem.puzzle
    assert len(items) == 2
    assert run("solve", "marked.txt")[1].count(": unique ") == 2


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("0", 2, "N: expected 1 to 100,000,000"),
        ("1 --givens many", 2, "--givens: expected a number or a range"),
        ("1 --givens 9-8", 2, "--givens: expected a range such as 8-9, found '9-8'"),
        ("1 --givens 16", 2, "--givens: a puzzle with one solution has at least 17"),
        ("1 --givens 81", 2, "40 givens is known; --redundant allows redundant givens"),
        ("1 --seed -1", 2, "--seed: expected 0 or more, found -1"),
        ("1 --depth 3", 2, "--depth: expected a range within 0 to 2"),
        ("1 --redundant", 2, "--redundant needs a number of givens, such as --givens 30-34"),
        pytest.param(
            "1 --givens 38-40",
            1,
            "none of 5,120 puzzles has the requested properties; relax one of them; these puzzles "
            "have 2",
            marks=pytest.mark.trial,
        ),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(desk, options, code, said):
    found, printed, heard = run("generate", *options.split())
    assert (found, printed, said in heard) == (code, "", True)


def interrupted(folder, target, *options):
    """The lines of 1,000,000 puzzles that are there when it is interrupted, and what it says."""
    command = ("generate", "1000000", "--seed", "1", *options)
    with (
        target.open("wb") as output,
        start(*command, stdin=subprocess.DEVNULL, stdout=output) as process,
    ):
        wait_for(lambda: any(path.stat().st_size for path in folder.glob("*many.txt*")))
        process.send_signal(signal.SIGINT)
        _, heard = process.communicate(timeout=PATIENCE)
    assert process.returncode == 75
    return Path("many.txt").read_text().splitlines(), heard


@pytest.mark.parametrize("is_named", [True, False])
def test_what_was_generated_before_an_interruption_is_kept_and_counted(desk, is_named):
    options = ("-o", "many.txt") if is_named else ()
    lines, heard = interrupted(desk, desk / ("printed" if is_named else "many.txt"), *options)
    name = "many.txt: " if is_named else ""
    assert heard.startswith(f"{name}{len(lines):,} of 1,000,000 puzzles, each")
    lists = "many.csv lists their solutions\n" if is_named else ""
    assert re.search(rf"search(; [1-9][0-9,]* tried)?\n{lists}interrupted\n$", heard)
    assert {len(line) for line in lines} == {81}
    if is_named:
        assert len(rows("many.csv")) == len(lines) + 1


def test_an_interruption_before_the_first_puzzle_says_how_many_were_tried(desk, monkeypatch):
    make_batch, numbers = generating._make_batch, count(1)

    def interrupted_in_the_second_batch(*arguments):
        if next(numbers) == 2:
            signal.raise_signal(signal.SIGINT)
        return make_batch(*arguments)

    monkeypatch.setattr(generating, "BATCH_GRIDS", 4)
    monkeypatch.setattr(generating, "_make_batch", interrupted_in_the_second_batch)
    command = "generate", "1", "--seed", "1", "--technique", "jellyfish", "-o", "many.txt"
    code, _, heard = run(*command)
    assert code == 75
    assert heard == "none of 4 puzzles fits the options so far\ninterrupted\n"
    assert not Path("many.txt").exists()


def test_without_a_target_nothing_is_written_beside_the_standard_output(desk):
    said = "3 puzzles in 2 classes\n    a.txt:3 is equivalent to a.txt:1\n"
    assert run("dedupe", "a.txt") == (0, f"{EASY}\n{HARD}\n", said)
    assert run("dedupe", "a.txt", "--quiet") == (0, f"{EASY}\n{HARD}\n", "")
    assert run("dedupe", "-", given=f"{EASY}\n")[2] == "1 puzzle in 1 class\n"
    assert run("generate", "1")[1].count("\n") == 1
    assert {path.name for path in desk.iterdir()} == {"a.txt", "b.txt"}


@pytest.mark.parametrize(
    "line",
    [
        "generate 1 -o there.txt",
        "generate 1 -o new.txt --table there.txt",
        "dedupe a.txt -o there.txt",
        "dedupe --against a.txt b.txt --table there.txt",
        "encode --empty 2x2 -o there.txt",
        "report . -o there.txt",
        "sheet a.txt -o there.html --no-solutions",
    ],
)
def test_a_file_that_exists_is_replaced_with_force_only(desk, line):
    there = next(word for word in line.split() if word.startswith("there"))
    Path(there).write_text("mine")
    code, _, heard = run(*line.split())
    said = f"{there} exists; name another file, or overwrite it with --force"
    assert (code, said in heard, Path("new.txt").exists()) == (2, True, False)
    assert Path(there).read_text() == "mine"
    assert run(*line.split(), "--force")[0] in (0, 1)
    assert Path(there).read_text() != "mine"


GENERATED = "expected a name that ends in .txt, .sdm, .iss, .csv, .sudoku or .parquet"
ENDS = "expected a name that ends in"
TABLE, COLLECTION = f"{ENDS} .csv, .parquet or .txt", f"{ENDS} .txt, .sdm, .iss, .csv or .sudoku"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("solve a.txt --table t.xlsx", f"--table: t.xlsx: {TABLE}"),
        ("dedupe --against a.txt b.txt --table t.tsv", f"--table: t.tsv: {TABLE}"),
        ("dedupe a.txt --table t.json", f"--table: t.json: {TABLE}"),
        ("dedupe a.txt -o all.xlsx", f"--output: all.xlsx: {COLLECTION}"),
        (
            "generate 3 -o out.PDF",
            f"--output: out.PDF: {GENERATED}; `sudoku-pipeline sheet` makes pages to print",
        ),
    ],
)
def test_a_name_that_promises_what_is_not_written_is_refused(desk, line, said):
    before = {*desk.iterdir()}
    assert run(*line.split()) == (2, "", f"sudoku-pipeline: {said}\n")
    assert {*desk.iterdir()} == before


def test_an_input_and_published_results_are_not_replaced_even_with_force(desk):
    Path("puzzle.txt").write_text(f"{EASY}\n")
    Path("in").mkdir()
    Path("in/puzzle.txt").write_text(f"{EASY}\n")
    assert run("run", "--inbox", "in", "--outbox", "out", "--quiet")[0] == 0
    code, _, heard = run("encode", "puzzle.txt", "-o", "puzzle.txt", "--force")
    assert (code, "is an input file" in heard) == (2, True)
    published = [path for path in Path("out").iterdir() if path.name.startswith("puzzle")]
    assert len(published) > 2
    for path in published:
        before = path.read_bytes()
        code, _, heard = run("report", "out", "-o", str(path), "--force")
        assert (code, "belongs to published results" in heard) == (2, True)
        assert path.read_bytes() == before
    code, _, heard = run("report", "out", "-o", "in/done/puzzle.txt", "--force")
    assert (code, "is an original in an inbox" in heard) == (2, True)
    assert Path("in/done/puzzle.txt").read_text() == f"{EASY}\n"


def test_a_folder_with_a_folder_work_alone_is_no_inbox(desk):
    Path("home/.work").mkdir(parents=True)
    Path("home/out.txt").write_text("old")
    assert run("dedupe", "a.txt", "-o", "home/out.txt", "--force")[0] == 0
    assert Path("home/out.txt").read_text() != "old"


def test_a_file_that_is_replaced_keeps_its_mode(desk):
    Path("out.txt").write_text("old")
    Path("out.txt").chmod(0o640)
    Path("private.txt").write_text("old")
    Path("private.txt").chmod(0o600)
    for name in ("out.txt", "private.txt"):
        assert run("dedupe", "a.txt", "-o", name, "--force")[0] == 0
        assert Path(name).read_text() != "old"
    modes = [stat.S_IMODE(Path(name).stat().st_mode) for name in ("out.txt", "private.txt")]
    assert modes == [0o640, 0o600]


@pytest.mark.parametrize("name", ["t.csv", pytest.param("t.parquet", marks=needs_arrow)])
def test_a_table_is_kept_if_nothing_can_be_read(desk, name):
    assert run("solve", "a.txt", "--table", name)[0] == 0
    before = Path(name).read_bytes()
    missing = "{}: cannot be read: No such file or directory\n"
    for files in (["missing"], ["missing", "gone"]):
        said = "".join(map(missing.format, files))
        assert run("solve", *files, "--table", name, "--force", "--solver", "pysat") == (
            1,
            "",
            said,
        )
        assert Path(name).read_bytes() == before
        assert run("solve", *files, "--table", "new.csv", "--solver", "pysat") == (1, "", said)
    assert run("solve", "missing", "a.txt", "--table", name, "--force")[0] == 1
    assert Path(name).read_bytes() != before
    assert not list(Path.cwd().glob("*new.csv*"))


def test_the_root_folder_is_no_target_and_a_sheet_without_a_name_takes_one_that_is_free(desk):
    said = "sudoku-pipeline: --output: / is a folder; name a file in it\n"
    for line in ("generate 1", "dedupe a.txt", "encode --empty 2x2"):
        assert run(*line.split(), "-o", "/") == (2, "", said)
    for name in ("sheet.html", "sheet-2.html"):
        _, printed, _ = run("sheet", "a.txt", "--no-solutions")
        assert printed.startswith(f"{name}: ")
        assert Path(name).is_file()


def test_the_functions_do_what_the_commands_do(desk):
    tally = Tally()
    found = list(dedupe("a.txt", Path("b.txt"), tally=tally))
    assert found == [Copy("a.txt", 3, "a.txt", 1), Copy("b.txt", 2, "a.txt", 2)]
    assert (tally.puzzles, tally.classes, tally.copies) == (5, 3, 2)
    assert list(dedupe("b.txt", against="a.txt")) == [Copy("b.txt", 2, "a.txt", 2)]
    Path("small.txt").write_text("1.....2..3.....4\n")
    assert isinstance(next(dedupe("small.txt")), SkippedItem)
    with pytest.raises(UsageError):
        next(dedupe("a.txt", max_bytes=0))
    tried = []
    results = list(islice(generate(seed=5, on_tried=tried.append), 3))
    assert len(tried) > 10
    assert [result.status for result in results] == ["unique"] * 3
    assert all(result.complete and result.certificate.complete == "proved" for result in results)


PROVED = "unique: proved by exhaustive search"


def test_solve_says_what_else_is_asked_about_a_puzzle(desk):
    Path("hard.txt").write_text(f"{HARD}\n")
    _, _, said = run("solve", "hard.txt", "--traits", "minimal,effort", "--solver", "pysat")
    status, minimal, effort = said.splitlines()
    assert (status, minimal) == (f"hard.txt: {PROVED}", "hard.txt: it is minimal")
    assert effort.startswith("hard.txt: effort: depth ")
    _, _, said = run("solve", "hard.txt", "--traits", "canonical", "--solver", "pysat")
    said = said.removeprefix(f"hard.txt: {PROVED}\n")
    assert said.startswith("hard.txt: its canonical form is 1..45")
    caged = ".Shape~4x4.~R1C1_1.~R2C3_2.~R3C2_3.~R4C4_4.Cage~3~R1C1~R1C2.Cage~6~R1C3~R2C3"
    Path("caged.txt").write_text(f"{caged}\n")
    _, _, said = run("solve", "caged.txt", "--traits", "minimal", "--solver", "pysat")
    assert said.splitlines() == [
        f"caged.txt: {PROVED}",
        "caged.txt: redundant givens: r2c3",
        "caged.txt: redundant rule #1: cage 3 at r1c1",
        "caged.txt: redundant rule #2: cage 6 at r1c3",
    ]
    code, printed, _ = run("solve", "a.txt", "--traits", "minimal")
    assert printed.count("redundant givens: r1c1") == 2
    assert code == 0
