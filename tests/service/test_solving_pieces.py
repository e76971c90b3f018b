"""Pieces of collections: the very text of their rows and solutions."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from string import ascii_uppercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.drop_folders import TWO_SOLUTIONS
from support.machine_code import replace_lanes
from support.needs import needs_numba
from support.oracle import is_solution
from support.parsers import layout_of
from support.puzzles import NINE as A
from support.puzzles import NINE_SOLVED as SOLVED
from support.puzzles import NINE_TWO as TWICE
from support.puzzles import NONE, SIX, UNIQUE, holed, pattern, program
from support.strategies import examples

from pipeline.limits import Limits
from pipeline.outbox.rows import MAX_FALLBACKS, OTHER_REASONS, Rows, blank_lines
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import MemberRow, PuzzleRow, csv_line, header, one_line
from pipeline.outbox.write_rows import error_rows
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import TextChunk, parse_puzzle
from pipeline.service.solving import failed_rows, solve_chunk
from pipeline.settings import Reading, Settings
from pipeline.solving.one import MIN_BATCH as FEWEST
from pipeline.solving.result import Certificate
from pipeline.solving.solvers import Solvers

ONE = UNIQUE.replace("\n", "")
PAIR = TWO_SOLUTIONS.replace("\n", "")
MORE = SIX.replace("\n", "")
ONE_SOLVED = "1243342143122134"
PAIR_SOLVED = ("1234342143122143", "1243342143122134")
CLASH = "1.1............."
BAD = "12.............k"
STUCK = NONE.replace("\n", "")
OTHER = f"{SOLVED[:32]}3{SOLVED[33:35]}1{SOLVED[36:41]}1{SOLVED[42:44]}3{SOLVED[45:]}"
DOTS, MANY_DOTS = "." * 16 + "\n", "." * 81 + "\n"


@pytest.fixture(scope="module")
def solvers():
    with Solvers("pysat") as found:
        yield found


def source_of(data, name="top.txt", declared="auto", cells=81):
    found = layout_of(data, True, Reading(format=declared), name)
    assert found is not None
    return replace(found, cells=cells)


def solved(text, solvers, first=1, source=None, **options):
    """The rows of a text that is one piece."""
    data = text if isinstance(text, bytes) else text.encode()
    settings = Settings(**{"solver": "pysat"} | options).for_collection()
    return solve_chunk(TextChunk(first, data), source or source_of(data), solvers, settings)


def without_index(rows):
    """The table without its index column, which counts from 1."""
    lines = rows.table.decode(errors="surrogateescape").splitlines(keepends=True)
    split = [line.partition(",") for line in lines]
    assert [index for index, _, _ in split] == [str(rows.first + at) for at in range(rows.count)]
    return "".join(rest for _, _, rest in split)


def records(rows):
    return list(csv.reader(io.StringIO(without_index(rows))))


def test_unique_puzzles_have_a_row_and_a_line_each(solvers):
    rows = solved(f"# easy\n{A}\n\n{A.replace('.', '0')}\n", solvers)
    assert without_index(rows) == (
        f"2,{A},unique,1,true,exhaustive-search,{SOLVED},,,\n4,{A},unique,1,true,exhaustive-search,{SOLVED},,,\n"
    )
    assert rows.solutions == [f"{SOLVED}\n{SOLVED}\n".encode()]
    assert rows.empty_lines() == MANY_DOTS.encode() * 2
    assert (rows.count, rows.totals) == (2, Counter(unique=2, proved=2))


def test_every_kind_of_answer_has_its_row(solvers):
    rows = solved(f"{ONE}\n{PAIR}\n{CLASH}\n{BAD}\n\n{STUCK}\n", solvers)
    assert without_index(rows) == (
        f"1,{ONE},unique,1,true,exhaustive-search,{ONE_SOLVED},,,\n"
        f"2,{PAIR},multiple,2,true,exhaustive-search,{PAIR_SOLVED[0]},,,\n"
        f"3,{CLASH},unsolvable,0,true,exhaustive-search,,"
        '"row 1 holds 1 twice: row 1, column 1 and row 1, column 3",,\n'
        f"4,{BAD},invalid,0,,,,"
        "\"top.txt:4:16: expected a digit or a blank, found 'k'\",,\n"
        f"6,{STUCK},unsolvable,0,true,exhaustive-search,,,,\n"
    )
    first, second = rows.solutions
    unknown = MANY_DOTS  # how large the bad one should be nobody knows
    assert first.decode() == f"{ONE_SOLVED}\n{PAIR_SOLVED[0]}\n{DOTS}{unknown}{DOTS}"
    assert second.decode() == f"{DOTS}{PAIR_SOLVED[1]}\n{DOTS}{unknown}{DOTS}"
    assert rows.totals == Counter(unique=1, multiple=1, unsolvable=2, invalid=1, proved=4)


def test_more_solutions_than_asked_for_are_not_complete(solvers):
    rows = solved(f"{MORE}\n{ONE}\n", solvers)
    (row, _) = records(rows)
    assert row[2:5] == ["multiple", "2", "false"]
    assert row[7] == "there are more solutions than the 2 asked for"
    assert len(rows.solutions) == 2
    found = {text.splitlines()[0].decode() for text in rows.solutions}
    assert len(found) == 2
    puzzle = parse_puzzle(MORE)
    for line in found:
        assert is_solution(puzzle, Grid(puzzle.geometry, tuple(map(int, line))))
    assert row[6] == rows.solutions[0].splitlines()[0].decode()


def test_as_many_ranks_are_written_as_a_puzzle_needs(solvers):
    for most, ranks, complete in [(1, 1, "false"), (3, 3, "false"), (6, 6, "true"), (9, 6, "true")]:
        rows = solved(f"{ONE}\n{MORE}\n", solvers, max_solutions=most)
        firsts = [text.splitlines()[0].decode() for text in rows.solutions]
        assert firsts == [ONE_SOLVED, *["." * 16] * (ranks - 1)]
        assert all(b"." not in text.splitlines()[1] for text in rows.solutions)
        assert records(rows)[1][2:5] == ["multiple", str(ranks), complete]


def test_dots_are_as_many_as_the_puzzle_has_cells_else_as_the_first_has(solvers):
    source = source_of(f"{ONE}\n{ONE}\n".encode(), cells=36)
    rows = solved(f"{CLASH}\n11{'.' * 79}\nnonsense\n", solvers, source=source)
    assert rows.empty_lines() == DOTS.encode() + MANY_DOTS.encode() + b"." * 36 + b"\n"
    assert rows.solutions == [rows.empty_lines()], "one text, though there is no solution"
    assert solved("# nothing\n\n", solvers, source=source) == Rows()


def test_sizes_may_be_mixed(solvers):
    six = pattern(Geometry(2, 3))
    line = one_line(six.values)
    rows = solved(f"{ONE}\n.{line[1:]}\n{A}\n", solvers)
    assert without_index(rows) == (
        f"1,{ONE},unique,1,true,exhaustive-search,{ONE_SOLVED},,,\n"
        f"2,.{line[1:]},unique,1,true,exhaustive-search,{line},,,\n"
        f"3,{A},unique,1,true,exhaustive-search,{SOLVED},,,\n"
    )
    assert rows.solutions == [f"{ONE_SOLVED}\n{line}\n{SOLVED}\n".encode()]


SIGNS = "".join("0123456789ABCDEF"[value - 1] for value in pattern(Geometry(4, 4)).values)


def test_a_side_above_nine_is_written_in_the_signs_of_its_puzzle(solvers):
    text = "." + SIGNS[1:]
    rows = solved(f"{text}\n{text}\n", solvers)
    assert rows.solutions == [f"{SIGNS}\n{SIGNS}\n".encode()]
    row = f"{text},unique,1,true,exhaustive-search,{SIGNS},,,\n"
    assert without_index(rows) == f"1,{row}2,{row}"
    assert rows.empty_lines() == (b"." * 256 + b"\n") * 2


def test_one_line_is_digits_up_to_side_9_and_numbers_above():
    assert one_line([1, 2, 3, 4]) == "1234"
    assert one_line([9] * 81) == "9" * 81
    assert one_line(range(1, 83)) == " ".join(map(str, range(1, 83)))
    assert one_line([1, 2, 16], "0123456789ABCDEF") == "01F"


DISAGREES = "the solution in the file is wrong"
WRONG_9 = SOLVED[::-1]
SIX_BESIDE = [ONE_SOLVED, PAIR_SOLVED[0], "1234432121433412"]
NO_GRIDS = ["8" * 15, "8" * 17, "abc", "0" * 16, "----------------"]


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(A, SOLVED), (A, WRONG_9)], ["", DISAGREES]),
        ([(TWICE, SOLVED), (TWICE, OTHER)], ["", ""]),
        ([(A, SOLVED), ("11" + "." * 79, SOLVED)], ["", DISAGREES]),
        ([("." * 16, one) for one in SIX_BESIDE], ["", "", ""]),
        ([("." * 16, ONE_SOLVED), ("." * 16, "1" * 16)], ["", DISAGREES]),
        ([(ONE, ONE_SOLVED), (MORE, "2143341241231341")], ["", DISAGREES]),
        *([[(ONE, ONE_SOLVED)] * 2 + [(ONE, junk)], ["", "", DISAGREES]] for junk in NO_GRIDS),
    ],
)
def test_a_solution_beside_a_puzzle_is_checked_and_any_right_one_will_do(solvers, pairs, said):
    rows = solved("puzzle,solution\n" + "".join(f"{a},{b}\n" for a, b in pairs), solvers)
    assert [record[7].endswith(DISAGREES) * DISAGREES for record in records(rows)] == said
    assert rows.totals["disagreements"] == said.count(DISAGREES)


def test_a_solution_may_be_in_characters_or_behind_its_puzzle_in_the_line(solvers):
    text = "puzzle,solution\n" + "".join(f".{SIGNS[1:]},{b}\n" for b in (SIGNS, SIGNS, SIGNS[::-1]))
    assert solved(text, solvers).totals == Counter(unique=3, disagreements=1, proved=3)
    rows = solved(f"{A}{SOLVED}\n{A}{SOLVED[:-1]}8\n", solvers)
    assert [record[1:3] for record in records(rows)] == [[A, "unique"]] * 2
    assert rows.totals == Counter(unique=2, disagreements=1, proved=2)


def test_a_puzzle_that_a_second_solver_had_to_answer_is_counted_and_says_why(tmp_path):
    liar = program(tmp_path / "liar", 'echo "SAT 1 0" > "$out"; exit 10')
    with Solvers("minisat", liar) as lying:
        rows = solved(f"{A}\n{A}\n", lying)
    assert rows.totals == Counter(unique=2, fallbacks=2, proved=2)
    (why,) = {record[7] for record in records(rows)}
    assert "minisat" in why
    assert rows.fallbacks == (Fallback(solver="pysat", reason=why, puzzles=2),)


def test_fallbacks_are_added_up_by_solver_and_reason_and_do_not_become_ever_more():
    def fallback(reason, puzzles=1):
        return Fallback(solver="pysat", reason=reason, puzzles=puzzles)

    added = Rows()
    for number in range(3 * MAX_FALLBACKS):
        added.add(Rows(fallbacks=(fallback("it crashed"), fallback(f"row {number}"))))
    first = [fallback(f"row {number}") for number in range(MAX_FALLBACKS - 1)]
    others = fallback(OTHER_REASONS, 2 * MAX_FALLBACKS + 1)
    assert added.fallbacks == (fallback("it crashed", 3 * MAX_FALLBACKS), *first, others)


def test_every_claim_that_is_not_proved_says_why(solvers):
    rows = solved(f"{ONE}\n{A}\n{TWICE}\n{A}\n", solvers, trust_solver=True, prove="never")
    said = [(record[5], record[7]) for record in records(rows)]
    assert said == [("unverified", "unverified: --trust-solver")] * 4


def test_what_is_proved_is_not_called_claimed_where_there_is_no_proof_to_publish(solvers):
    geometry = Geometry(5, 5)
    signs = {geometry.all_values: "."} | {1 << at: sign for at, sign in enumerate(ascii_uppercase)}
    line = "".join(signs[mask] for mask in holed(pattern(geometry), every=9).cells)
    rows = solved(f"{line}\n{line}\n", solvers, prove="always", memory_limit=64)
    said = [(record[5], record[7]) for record in records(rows)]
    why = f"no proof to publish: {Limits(megabytes=64).memory_message}"
    assert said == [("exhaustive-search", why)] * 2
    assert rows.totals["proved"] == 2


def test_bad_lines_say_where_and_what_was_expected(solvers):
    lines = [ONE, ONE, ONE, ONE[:-1], "1.5.............", "", f"{ONE}1", "words, words"]
    found = records(solved("\n".join(lines), solvers))
    cells = "expected a line of 16, 36, 64 or 81 cells, found"
    assert [(record[1], record[7]) for record in found[3:]] == [
        (ONE[:-1], f"top.txt:4:16: {cells} 15 cells"),
        (lines[4], "top.txt:5:3: expected a value from 1 to 4 or a blank, found '5'"),
        (f"{ONE}1", f"top.txt:7:18: {cells} 17 cells"),
        ("words", "top.txt:8:1: expected a digit or a blank, found 'w'"),
    ]
    for record, line in zip(found[3:], (4, 5, 7, 8), strict=True):
        assert record[0] == str(line)
        assert record[2:7] == ["invalid", "0", "", "", ""]


def test_texts_with_quotes_commas_and_control_characters_stay_one_field(solvers):
    rows = solved(f'{ONE}\n{ONE}\n{ONE}\n"a",b\x1b[2Jc\x00\n', solvers)
    text = rows.table.decode()
    assert text.count("\n") == 4
    assert text.replace("\n", "").isprintable()
    last = records(rows)[-1]
    assert (last[0], last[2], len(last)) == ("4", "invalid", 10)
    data = f"{ONE}\n{ONE}\n".encode() + b"\xff\xfe" + ONE.encode()[2:] + b"\n"
    rows = solved(data, solvers)
    assert rows.totals == Counter(unique=2, invalid=1, proved=2)
    rows.table.decode("ascii")


def test_lanes_and_others_write_the_same_rows(solvers):
    text = f"{ONE}\n{PAIR}\n{CLASH}\n{BAD}\n" * 20
    assert solved(text, solvers, solver="batch") == solved(text, solvers)


@needs_numba
@pytest.mark.parametrize("late", ["batch", "check"])
def test_machine_code_that_comes_late_takes_over_in_the_midst_of_a_piece(
    late, monkeypatch, solvers, lanes, checking
):
    asked = []

    def comes_late(puzzles, **_):
        asked.extend([puzzles] if puzzles else [])  # the check is loaded once lanes are, for none
        return (lanes if late == "batch" else checking) if len(asked) > 4 else None

    search = comes_late if late == "batch" else lambda *_, **__: lanes
    check = comes_late if late == "check" else lambda *_, **__: checking
    monkeypatch.setattr("pipeline.solving.compiled.machine_code", search)
    monkeypatch.setattr("pipeline.solving.many.compiled_check", check)
    monkeypatch.setattr("pipeline.certify.many.compiled_check", check)
    text = f"{A}\n{TWICE}\n{A}\n" * 100
    rows = solved(text, solvers, solver="auto")
    assert asked == [300, 64, 236, 64, 172, 172]
    assert rows == solved(text, solvers)


def test_where_lanes_miss_a_solution_it_is_found_and_proved_to_be_the_last(monkeypatch, solvers):
    replace_lanes(monkeypatch, lambda found: replace(found, counts=np.minimum(found.counts, 1)))
    each = FEWEST + 1
    rows = solved(f"{TWICE}\n{A}\n" * each, solvers, solver="auto", prove="always")
    assert rows.totals == Counter(unique=each, multiple=each, proved=2 * each, fallbacks=each)
    assert rows.solutions[0].splitlines()[1] == SOLVED.encode()
    assert records(rows)[0][7] == "batch missed a solution that the check found"


def undecided(_geometry, masks, *_):
    return np.zeros(len(masks), np.uint8), np.zeros(len(masks), np.int64)


def test_a_row_that_could_not_be_proved_says_why(monkeypatch, solvers):
    certificate = Certificate("unverified", reason="no time")
    monkeypatch.setattr("pipeline.solving.complete.SEARCH_SECONDS", 0.0)
    monkeypatch.setattr("pipeline.solving.many.search_all_of_batch", undecided)
    monkeypatch.setattr("pipeline.solving.complete._prove", lambda *_: (certificate, None))
    rows = solved(f"{ONE}\n{PAIR}\n", solvers, prove="always")
    assert [row[7] for row in records(rows)] == ["unverified: no time"] * 2
    assert rows.totals == Counter(unique=1, multiple=1, unverified=2)


def test_a_failed_piece_has_a_row_for_every_puzzle_that_says_why():
    data = f"# a\n{ONE}\n\n{PAIR}\n".encode()
    rows = failed_rows(TextChunk(1, data), source_of(data), Settings(), 'it died, "killed"')
    assert without_index(rows) == (
        f'2,{ONE},failed,0,,,,"it died, ""killed""",,\n'
        f'4,{PAIR},failed,0,,,,"it died, ""killed""",,\n'
    )
    assert (rows.count, rows.totals) == (2, Counter(failed=2))
    assert rows.solutions == [rows.empty_lines()] == [DOTS.encode() * 2]


def test_a_broken_collection_ends_with_a_row_that_says_so():
    source = source_of(f"{ONE}\n{ONE}\n".encode(), cells=16)
    rows = error_rows(source, 12, "it ends too early: it is cut off")
    assert rows.table == b"1,12,,invalid,0,,,,it ends too early: it is cut off,,\n"
    assert (rows.count, rows.empty_lines(), rows.totals) == (1, DOTS.encode(), Counter(invalid=1))


LINES = st.sampled_from([ONE, PAIR, MORE, CLASH, BAD, "# a", ""])


@examples(6)
@given(st.lists(st.lists(LINES, min_size=1, max_size=4), min_size=1, max_size=5))
def test_adding_rows_equals_computing_them_at_once(solvers, parts):
    source = source_of(f"{ONE}\n{ONE}\n".encode())
    added, first = Rows(), 1
    for lines in parts:
        text = "".join(line + "\n" for line in lines)
        added.add(solved(text, solvers, first, source, solver="batch"))
        first += len(lines)
    text = "".join(line + "\n" for lines in parts for line in lines)
    assert added == solved(text, solvers, source=source, solver="batch")


def test_a_table_may_be_counted_from_another_index_and_its_columns_are_named():
    rows = Rows(first=9, count=2, table=b'9,4,"a,\r"\n10,5,b\n')
    assert rows.table_from(9) is rows.table
    assert rows.table_from(99) == b'99,4,"a,\r"\n100,5,b\n'
    assert Rows().table_from(5) == b""
    names = b"index,line,puzzle,status,solutions,complete,certificate,solution,message,"
    assert header(PuzzleRow) == names + b"disagreement,title\n"


@pytest.mark.parametrize("first", [1, 9, 95, 9_999, 99_999_995])
@pytest.mark.parametrize("line", [1, 8, 9_998])
def test_rows_are_counted_across_powers_of_ten(solvers, first, line):
    data = f"{A}\n" * 12
    chunk = TextChunk(line, data.encode())
    rows = solve_chunk(chunk, source_of(chunk.data), solvers, Settings().for_collection(), first)
    bad = solve_chunk(replace(chunk, data=b"bad\n"), source_of(data.encode()), solvers, Settings())
    assert f"top.txt:{line}:1: " in bad.table.decode(), "lines count from where the piece begins"
    numbers = [row[:2] for row in csv.reader(io.StringIO(rows.table.decode()))]
    assert numbers == [[str(first + at), str(line + at)] for at in range(12)]


def test_fields_are_quoted_as_csv_readers_expect():
    fields = ["a", 'b "c"', "d,e", "", " f ", '"', "g"]
    line = csv_line(MemberRow(*fields))
    assert line == b'a,"b ""c""","d,e",, f ,"""",g\n'
    assert next(csv.reader([line.decode()])) == fields


def test_blank_lines_are_as_long_as_the_solutions(tmp_path):
    path = tmp_path / "top_1.solution"
    path.write_text(f"{ONE_SOLVED}\n{DOTS}{SOLVED}\n{' '.join(map(str, range(256)))}\n")
    written = b"".join(blank_lines(path))
    assert written == f"{DOTS}{DOTS}{MANY_DOTS}{'.' * 256}\n".encode()
