"""The columns and fields of `--traits`, which depend on the source alone."""

from __future__ import annotations

import csv
import signal
from pathlib import Path
from typing import get_args

import pytest
from support.archives import zip_of
from support.breakers import NOTED, NOTING, Bench
from support.cases import default_cases
from support.drop_folders import SMALL, TWO_SOLUTIONS, DropFolder
from support.puzzles import EVEN_ODD
from support.sources import answers, check_records, check_tidy, drop

from pipeline.outbox.tables import (
    ArchiveRow,
    MemberRow,
    PuzzleRow,
    columns,
    extended_row,
    traits_in,
)
from pipeline.outbox.traits import TRAITS
from pipeline.settings import Settings, TraitName

ALL = "canonical,minimal,effort"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
EASY_TURNED = EASY[::-1].translate(str.maketrans("123456789", "912345678"))
SEVENTEEN = ".................1.....2.3......45....1.6.....4......7....8.4....9...2..3.61...9."
SMALL_LINE = "".join(SMALL.split())


def added(box: DropFolder, name: str, kind: type = PuzzleRow) -> list[list[str]]:
    """The fields that are added to each row of a table."""
    _, *found = csv.reader(box.text(name).splitlines())
    return [row[len(columns(kind)) :] for row in found]


@pytest.mark.parametrize("kind", [PuzzleRow, ArchiveRow, MemberRow])
def test_a_table_tells_by_its_first_line_which_columns_were_asked_for(kind):
    for trait_names in ("", "canonical", "minimal,effort", "effort, canonical", ALL):
        names = Settings(traits=trait_names).trait_names
        assert traits_in(",".join(columns(extended_row(kind, names))), kind) == names
    assert traits_in("index,canonical", kind) is None
    assert get_args(TraitName) == tuple(TRAITS)


def test_a_table_has_the_columns_that_are_asked_for_behind_all_others(box):
    box.drop("a.txt", f"{EASY}\n{HARD}\n")
    box.drop("b.txt", f"{EASY}\n{HARD}\n")
    assert box.run("--settle", "0", "--traits", "minimal,canonical").returncode == 0
    header, *rows = box.text("a.csv").splitlines()
    assert header.endswith(",message,disagreement,title,canonical,redundant,redundant_cells")
    box.drop("b.txt", f"{EASY}\n{HARD}\n")
    assert box.run("--settle", "0").returncode == 0
    plain, *others = box.text("b.csv").splitlines()
    assert plain == ",".join(columns(PuzzleRow))
    assert all(row.startswith(f"{other},") for row, other in zip(rows, others, strict=True))


def test_each_row_says_what_its_puzzle_is_and_nothing_where_that_is_not_defined(box):
    """Classic ones have a form; unique ones redundant givens, and if classic an effort."""
    text = "\n".join([EASY, EASY_TURNED, SEVENTEEN, HARD, "." * 81, "1" + "." * 7, SMALL_LINE, ""])
    box.drop("many.txt", text)
    assert box.run("--settle", "0", "--traits", ALL).returncode == 1
    easy, turned, seventeen, hard, empty, invalid, small = added(box, "many.csv")
    assert easy[0] == turned[0]
    assert easy[0].count(".") == EASY.count(".")
    assert easy[3:] == turned[3:] == ["0", "0", "0.00", "0.00"]
    assert int(easy[1]) == len(easy[2].split()) == int(turned[1]) > 0
    givens = {f"r{at // 9 + 1}c{at % 9 + 1}" for at in range(81) if EASY[at] != "."}
    assert {*easy[2].split()} <= givens
    assert seventeen[1:3] == ["0", ""]
    assert int(hard[3]) > 0
    assert float(hard[5]) > 0
    assert empty == ["." * 81, "", "", "", "", "", ""]
    assert invalid == [""] * 7
    assert small == ["", "0", "", "", "", "", ""]
    box.drop("golden.txt", "\n".join([EASY, HARD, SEVENTEEN, SMALL_LINE, "1" + "." * 80, ""]))
    box.run("--settle", "0", "--traits", ALL)
    golden = (Path(__file__).parents[1] / "golden" / "also.csv").read_text().splitlines()
    found = [",".join(row) for row in added(box, "golden.csv")]
    assert found == golden, "forms and numbers are defined: no version may tell others"


def test_an_archive_has_the_columns_in_each_of_its_tables(box):
    data = zip_of(
        ("easy.txt", EASY),
        ("two.txt", TWO_SOLUTIONS),
        ("marks.txt", EVEN_ODD),
        ("no.txt", "hello"),
        ("many.txt", f"{EASY_TURNED}\n{HARD}\n"),
    )
    box.drop("set.zip", data)
    box.run("--settle", "0", "--traits", ALL)
    easy, two, marks, other, *many = added(box, "set.csv", ArchiveRow)
    within = added(box, "set/many.csv")
    assert easy[0] == within[0][0]
    assert easy[3:] == within[0][3:]
    assert two == ["", "", "", "", "", "", ""]
    assert marks[0] == ""
    assert int(marks[1]) > 0
    assert other == [""] * 7
    assert many == within


def test_a_record_has_the_fields_that_are_asked_for(box):
    box.drop("easy.txt", EASY)
    box.drop("two.txt", TWO_SOLUTIONS)
    assert box.run("--settle", "0", "--traits", ALL).returncode == 0
    easy, two = box.record("easy"), box.record("two")
    assert easy["effort"] == {"depth": 0, "backdoor": 0, "splits": 0.0, "spread": 0.0}
    assert {"row": 1, "column": 1, "value": 5} in easy["redundant"]
    assert easy["canonical"].count(".") == EASY.count(".")
    assert [two[name] for name in ("canonical", "redundant", "effort")] == [None] * 3
    box.drop("easy.txt", EASY)
    assert box.run("--settle", "0").returncode == 0
    assert not {"canonical", "redundant", "effort"} & box.record("easy").keys()


def test_the_environment_and_the_settings_file_ask_for_it_too(box, tmp_path):
    box.drop("a.txt", EASY)
    assert box.run("--settle", "0", SUDOKU_PIPELINE_TRAITS="canonical").returncode == 0
    assert "canonical" in box.record("a")
    (tmp_path / "s.toml").write_text('also = "effort"\n')
    box.drop("a.txt", EASY)
    assert box.run("--settle", "0", "--config", str(tmp_path / "s.toml")).returncode == 0
    assert "effort" in box.record("a")
    wrong = box.run("--traits", "canonical,minimum")
    assert wrong.returncode == 2
    assert "--traits: expected canonical, minimal, effort" in wrong.stderr


def many() -> str:
    """Lines of all kinds, for several steps."""
    return f"{EASY}\n{HARD}\n{SMALL_LINE}\nnothing\n{SEVENTEEN}\n{EASY_TURNED}\n" * 3


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a job that is not killed publishes."""
    bench = Bench.within(tmp_path_factory.mktemp("undisturbed"))
    bench.box.drop("set", many())
    assert bench.run("--workers", "1", "--traits", ALL)[0] == 1
    return answers(bench.box)


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.trial)])
@pytest.mark.parametrize(("step", "nth"), default_cases([(NOTING, 2), (NOTED, 3)], (NOTED, 3)))
def test_a_table_is_the_same_if_its_job_is_killed_and_gone_on_with(
    bench, undisturbed, workers, step, nth
):
    options = "--workers", workers, "--traits", ALL
    bench.box.drop("set", many())
    assert bench.run(*options, step=step, nth=nth)[0] == -signal.SIGKILL
    assert bench.run(*options)[0] == 1
    assert answers(bench.box) == undisturbed
    assert len(added(bench.box, "set.csv")) == 18
    check_records(bench.box)
    check_tidy(bench.box)


@pytest.mark.trial
def test_a_job_that_was_begun_without_columns_begins_anew_with_them(bench):
    bench.box.drop("set", many())
    assert bench.run("--workers", "1", step=NOTED, nth=2)[0] == -signal.SIGKILL
    drop(bench.box, "zip", "torn")
    assert bench.run("--workers", "1", "--traits", "minimal")[0] == 1
    assert all(len(row) == 2 for row in added(bench.box, "set.csv"))
    for name in ("torn.csv", "torn/many/lines.csv"):
        rows = [*csv.reader(bench.box.text(name).splitlines())]
        assert len({len(row) for row in rows}) == 1
