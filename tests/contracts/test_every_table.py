"""Every table says the same as CSV and as Parquet, in which each column has its declared type."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from support.archives import zip_of
from support.cases import default_cases
from support.commands import run
from support.needs import needs_arrow
from support.notations import KILLER

from pipeline import UsageError, solve, solve_many, to_arrow, to_frame
from pipeline.outbox import arrow, frames
from pipeline.outbox.tables import (
    TABLES,
    CopyRow,
    GeneratedRow,
    PuzzleRow,
    RatedRow,
    SourcedRow,
    column_types,
    columns,
    csv_line,
    read_rows,
)
from pipeline.outbox.traits import NUMBER, TRAITS, TRUTH, WHOLE, WORD

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
FOUR = "1.....2..3.....4"
CAGED = ".Shape~4x4.~R1C1_1.~R2C3_2.~R3C2_3.~R4C4_4.Cage~3~R1C1~R1C2"
FORMULA = "p cnf 2 2\n1 2 0\n-1 0\n"
FILES = {
    "a.txt": f'{EASY}\n{EASY[::-1]}\n{FOUR}\n=1+1\nx, "y"\n{"." * 81}\n{EASY}\n',
    "rules.txt": f"{CAGED}\n{FOUR}\n",
    "one.txt": f"{FOUR}\n",
    "clash.txt": "11..\n....\n....\n....\n",
    "formula.cnf": FORMULA,
}
COMMANDS = {
    "solve": (SourcedRow, (), ["solve", *FILES, "set.zip", "--table"]),
    "solve-also": (
        SourcedRow,
        (*TRAITS,),
        ["solve", *FILES, "--traits", ",".join(TRAITS), "--table"],
    ),
    "solve-none": (PuzzleRow, (), ["solve", "empty.zip", "--table"]),
    "dedupe": (CopyRow, (), ["dedupe", "a.txt", "set.zip", "-o", "kept.txt", "--force", "--table"]),
    "dedupe-against": (CopyRow, (), ["dedupe", "--against", "a.txt", "set.zip", "--table"]),
    "generate-rated": (RatedRow, (), ["generate", "3", "--seed", "1", "--force", "-o"]),
    "generate": (GeneratedRow, (), ["generate", "3", "--seed", "1", "--table"]),
}
MEANS = {WHOLE: int, NUMBER: float, TRUTH: lambda text: {"true": True, "false": False}[text]}
ODD = ["", "=1+1", "'=1", "''-", "'a", 'a "b", c', "ä×\ufffd", "NULL", "nan", "1e5", "007", " x "]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("set.zip").write_bytes(zip_of(("=a.txt", EASY), ("b.txt", FILES["a.txt"]), ("c", "?")))
    Path("empty.zip").write_bytes(zip_of())
    return tmp_path


def meant(rows, kind, trait_names=()) -> list[dict[str, object]]:
    """What rows of CSV say, in the declared types."""
    types = column_types(kind, trait_names)
    texts = [[str(getattr(row, name)) for name in types] for row in rows]
    return [
        {
            name: MEANS.get(each, str)(text) if text else None
            for (name, each), text in zip(types.items(), row, strict=True)
        }
        for row in texts
    ]


@needs_arrow
@pytest.mark.parametrize(
    "name", default_cases(COMMANDS, "solve-also", "solve-none", "dedupe-against")
)
def test_a_command_says_the_same_in_csv_and_in_parquet(name, desk):
    from pyarrow import parquet

    kind, trait_names, asked = COMMANDS[name]
    codes = {run(*asked, f"table.{ending}")[0] for ending in ("csv", "parquet")}
    assert len(codes) == 1
    rows = [*read_rows(Path("table.csv"), kind)]
    table = parquet.read_table("table.parquet")
    assert table.column_names == columns(kind, trait_names)
    assert table.to_pylist() == meant(rows, kind, trait_names)
    assert bool(rows) == (name != "solve-none")


def test_a_published_table_can_be_dropped_again(desk):
    """Its column `solutions` is a number, and no solution to compare."""
    Path("in").mkdir()
    Path("in/lines.txt").write_text(f"{EASY}\n{FOUR}\n")
    Path("in/set.zip").write_bytes(zip_of(("lines.txt", f"{EASY}\n{FOUR}\n")))
    assert run("run", "--inbox", "in", "--outbox", "out")[0] == 0
    for name in ("lines", "set"):
        code, printed, said = run("solve", f"out/{name}.csv")
        assert (code, printed.count("unique"), "wrong" in printed + said) == (0, 2, False)


@needs_arrow
def test_tables_are_read_without_options_with_their_types(desk):
    """Grids stay text, also if all of them are digits, as solutions are."""
    duckdb = pytest.importorskip("duckdb")
    pandas, polars = map(pytest.importorskip, ("pandas", "polars"))
    full = "1" * 81
    for number in (1, 2):
        Path(f"in/set{number}").mkdir(parents=True)
        Path(f"in/set{number}/many.txt").write_text(
            f"{full}\n{full}\n" if number == 2 else f"{EASY}\n"
        )
    assert run("run", "--inbox", "in", "--outbox", "out", "--table-format", "parquet")[0] == 0
    assert run("generate", "3", "--seed", "1", "-o", "new.csv")[0] == 0
    assert run("generate", "3", "--seed", "1", "-o", "new.parquet")[0] == 0
    text, whole = ("VARCHAR", "str", "String"), ("BIGINT", "int64", "Int64")
    for name, types in (
        ("out/set1.parquet", {"puzzle": text, "solution": text, "solutions": whole}),
        ("out/set2.parquet", {"puzzle": text, "solution": text, "index": whole}),
        ("new.csv", {"puzzle": text, "givens": whole}),
        ("new.parquet", {"puzzle": text, "givens": whole, "score": whole}),
    ):
        ending = Path(name).suffix[1:]
        relation = duckdb.sql(f"SELECT * FROM '{name}'")
        frame = getattr(pandas, f"read_{ending}")(name)
        lazy = getattr(polars, f"read_{ending}")(name)
        for column, (in_duckdb, in_pandas, in_polars) in types.items():
            position = relation.columns.index(column)
            assert str(relation.types[position]) == in_duckdb
            assert str(frame.dtypes[column]) in (in_pandas, "object", "string")
            assert str(lazy.schema[column]) == in_polars
        assert frame.puzzle.to_list() == lazy["puzzle"].to_list()
    assert polars.read_parquet("out/set2.parquet")["puzzle"].to_list() == [full, full]


@needs_arrow
@pytest.mark.parametrize("kind", TABLES)
def test_the_columns_have_their_declared_types_whatever_stands_in_them(kind):
    import pyarrow as pa

    types = column_types(kind)
    known = {WHOLE: "7", NUMBER: "0.50", TRUTH: "true"}
    fields = [[known.get(each, odd) if odd else "" for each in types.values()] for odd in ODD]
    table = arrow.arrow_table(b"".join(map(csv_line, fields)), kind)
    assert table.schema.names == columns(kind)
    word = pa.dictionary(pa.int32(), pa.string())
    expected = {WHOLE: pa.int64(), NUMBER: pa.float64(), TRUTH: pa.bool_(), WORD: word}
    assert table.schema.types == [expected.get(each, pa.string()) for each in types.values()]
    texts = [name for name, each in types.items() if each == "text"]
    assert all(table[name].to_pylist() == [None, *ODD[1:]] for name in texts)


@needs_arrow
def test_bytes_that_are_no_text_are_replaced():
    table = arrow.arrow_table(b"1,1,,invalid,0,,,,a\xffb,,\n", PuzzleRow)
    assert table["message"].to_pylist() == ["a\ufffdb"]


@needs_arrow
def test_a_table_is_written_in_row_groups_so_that_memory_does_not_grow():
    from pyarrow import parquet

    file, line = io.BytesIO(), csv_line(["1", EASY, "exhaustive-search", "0"])
    with arrow.parquet_writer(file, GeneratedRow, group_bytes=2 * len(line)) as writer:
        for _ in range(5):
            writer.write(line)
    found = parquet.ParquetFile(io.BytesIO(file.getvalue()))
    groups = [found.metadata.row_group(place).num_rows for place in range(found.num_row_groups)]
    assert groups == [2, 2, 1]


def test_a_table_of_a_collection_is_that_of_run(desk):
    Path("inbox").mkdir()
    Path("inbox/a.txt").write_text(FILES["a.txt"])
    run("run", "--settle", "0", "--quiet", "--traits", "minimal")
    run("solve", "a.txt", "--table", "a.csv", "--traits", "minimal")
    assert Path("a.csv").read_text() == Path("outbox/a.csv").read_text()


def test_the_puzzles_of_all_files_are_counted_and_an_unreadable_file_has_its_row(desk):
    files = ("one.txt", "missing.txt", "a.txt")
    code, printed, said = run("solve", *files, "--table", "t.csv", "--solver", "pysat")
    rows = [*read_rows(Path("t.csv"), SourcedRow)]
    assert [row.source for row in rows] == ["one.txt", "missing.txt", *7 * ["a.txt"]]
    assert [row.index for row in rows] == [*map(str, range(1, 10))]
    assert [row.line for row in rows[:4]] == ["", "", "1", "2"]
    assert (rows[1].status, code, said) == ("invalid", 1, "")
    assert rows[1].message == "missing.txt: cannot be read: No such file or directory"
    assert printed == "t.csv: 9 puzzles: 5 unique, 1 multiple, 3 invalid\n"


def test_the_rows_of_an_archive_name_the_member_each_is_from(desk):
    Path("in").mkdir()
    Path("in/a,b.txt").write_text(FILES["one.txt"])
    for given, named in (("set.zip", ["set.zip/=a.txt"]), ("in", ["in/a,b.txt"])):
        run("solve", given, "--table", "t.csv", "--force")
        found = [row.source for row in read_rows(Path("t.csv"), SourcedRow)]
        assert found == (named if given == "in" else [*named, *7 * ["set.zip/b.txt"], "set.zip/c"])


def test_a_collection_that_breaks_off_has_a_row_that_says_so(desk):
    import gzip

    packed = gzip.compress("".join(f"{FOUR}\n" for _ in range(500)).encode())
    Path("torn.txt.gz").write_bytes(packed[:-12])
    assert run("solve", FOUR, "torn.txt.gz", "--table", "t.csv", "--quiet")[0] == 1
    rows = [*read_rows(Path("t.csv"), SourcedRow)]
    assert [int(row.index) for row in rows] == [*range(1, len(rows) + 1)]
    assert {row.status for row in rows[:-2]} == {"unique"}
    assert (rows[-1].status, "cut off" in rows[-1].message) == ("invalid", True)


def test_a_table_on_standard_output_is_csv_and_nothing_else(desk):
    code, printed, said = run("solve", FOUR, "--table", "-", "--solver", "pysat")
    head, row = printed.splitlines()
    assert (code, said, head) == (0, "", ",".join(columns(PuzzleRow)))
    assert row == f"1,,{FOUR},unique,1,true,exhaustive-search,1243342143122134,,,"


@pytest.mark.parametrize("option", ["--json", "--steps", "--hint", "--times", "--board"])
def test_a_table_stands_in_place_of_what_else_solve_prints(option, desk):
    code, printed, said = run("solve", FOUR, option, "--table", "t.csv")
    assert (code, printed) == (2, "")
    assert "--table cannot be combined with" in said
    assert not Path("t.csv").exists()


@needs_arrow
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("none/t.parquet", "its folder does not exist"),
        ("there.parquet", "exists; name another file"),
        ("folder.parquet", "is a folder"),
    ],
)
def test_a_table_that_cannot_be_written_is_refused_before_anything_is_solved(
    target, expected, desk
):
    Path("there.parquet").write_text("mine")
    Path("folder.parquet").mkdir()
    code, printed, said = run("solve", "a.txt", "--table", target)
    assert (code, printed) == (2, "")
    assert expected in said
    assert Path("there.parquet").read_text() == "mine"


@needs_arrow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_full_disk_is_told_in_a_line(desk):
    Path("full.parquet").symlink_to("/dev/full")
    code, _, said = run("solve", "a.txt", "--table", "full.parquet", "--force")
    assert code not in (0, 1)
    assert "No space left on device" in said


@pytest.mark.parametrize(
    "asked",
    [
        ["solve", "a.txt", "--table", "t.parquet"],
        ["dedupe", "a.txt", "--table", "t.parquet"],
        ["dedupe", "--against", "a.txt", "one.txt", "--table", "t.PARQUET"],
        ["generate", "1", "-o", "g.txt", "--table", "t.parquet"],
    ],
)
def test_without_pyarrow_the_extra_is_named_and_nothing_is_written(asked, desk, monkeypatch):
    before = {*desk.iterdir()}
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, printed, said = run(*asked)
    assert (code, printed) == (2, "")
    assert "a table with types needs the extra [data]: pip install pyarrow" in said
    assert {*desk.iterdir()} == before


def test_without_pyarrow_or_pandas_the_library_names_the_extra(monkeypatch):
    for name in ("pandas", "pyarrow"):
        monkeypatch.setattr("pipeline.errors.find_spec", lambda each, name=name: each != name)
        with pytest.raises(UsageError, match=rf"extra \[data\]: pip install {name}"):
            to_frame([])


@needs_arrow
def test_results_are_a_table_with_the_columns_that_were_asked_for():
    table = to_arrow(solve_many(["hello", FOUR, EASY, FORMULA], traits="effort,minimal"))
    assert table.column_names == columns(PuzzleRow, ["minimal", "effort"])
    assert table["index"].to_pylist() == [1, 2, 3, 4]
    assert table["puzzle"].to_pylist() == [None, FOUR, EASY, None]
    assert table["status"].to_pylist() == ["invalid", "unique", "unique", "solved"]
    assert table["effort_depth"].to_pylist() == [None, None, 0, None]
    assert table["redundant"].to_pylist()[:3] == [None, 0, table["redundant"][2].as_py()]
    assert to_arrow([]).column_names == columns(PuzzleRow)


@needs_arrow
@pytest.mark.parametrize("given", ["outbox", [FOUR]])
def test_a_table_is_made_of_results_alone(given):
    for make in (to_arrow, to_frame):
        with pytest.raises(TypeError, match=r"^expected results, such as those of `solve_many`, "):
            make(given)


@needs_arrow
def test_a_table_of_many_results_counts_them_all():
    one = solve(FOUR)
    table = to_arrow(one for _ in range(frames.BATCH_RESULTS * 2 + 1))
    assert table["index"].to_pylist() == [*range(1, frames.BATCH_RESULTS * 2 + 2)]
    assert {*table["solution"].to_pylist()} == {"1243342143122134"}


@needs_arrow
def test_a_puzzle_of_a_result_stands_in_one_line_that_is_read_as_the_same():
    for text in (FOUR, KILLER, "8.D...A..649...." + ".0..9..7..8F.51." + "." * 224):
        result = solve(text, max_solutions=1)
        (line,) = to_arrow([result])["puzzle"].to_pylist()
        assert solve(line, max_solutions=1).problem.puzzle == result.problem.puzzle


@needs_arrow
def test_a_frame_keeps_whole_numbers_whole_beside_missing_ones():
    pandas = pytest.importorskip("pandas")
    frame = to_frame(solve_many([FOUR, EASY], traits="effort"))
    assert isinstance(frame, pandas.DataFrame)
    assert frame.effort_depth.dtype == pandas.Int64Dtype()
    assert frame.complete.to_list() == [True, True]
    assert frame.status.dtype == "category"
