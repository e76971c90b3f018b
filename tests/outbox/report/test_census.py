"""What the columns of `--also` say of all puzzles of a page, and garbage in them."""

from __future__ import annotations

from support.cases import for_each
from support.dropping import DropFolder

from pipeline.outbox.report import write_report
from pipeline.outbox.report.charts import charts_of_puzzles
from pipeline.outbox.report.survey import Census

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."
TOLD = {
    "canonical": EASY,
    "redundant": "3",
    "effort_depth": "3",
    "effort_backdoor": "4",
    "effort_splits": "5.50",
    "level": "hard",
}


def test_each_column_that_is_told_has_its_chart():
    census = Census()
    census.add({})
    census.add({"canonical": "", "redundant": "", "effort_depth": ""}, EASY)
    assert charts_of_puzzles(census) == []
    census.add(TOLD)
    census.add(TOLD | {"effort_depth": "0", "effort_splits": "0.00"})
    charts = {title: (words, svg) for title, words, svg in charts_of_puzzles(census)}
    assert [*charts] == [
        *("Givens", "Redundant givens", "Depth", "Backdoor", "Level", "Splits", "Classes")
    ]
    assert "30: 2" in charts["Givens"][1]
    assert "more: 1" in charts["Depth"][1]
    assert "≤8: 1" in charts["Splits"][1]
    assert "hard: 2" in charts["Level"][1]
    assert charts["Classes"][0] == "2 puzzles in 1 class of equivalent ones, by size."


@for_each("garbage", ["", "x", "-1", "9" * 50, "1e999", "٣", "nan", "0x1", "1.2.3"])
def test_fields_that_are_none_of_ours_are_not_counted(garbage):
    census = Census()
    census.add(dict.fromkeys(TOLD, garbage), garbage)
    assert charts_of_puzzles(census) == []


@for_each("line", [b"", b",,,\n", b"\xff\xfe", b'"' * 9, b"," * 300])
def test_lines_that_are_no_rows_are_not_counted(line):
    census = Census()
    census.add_line(line, ["redundant", "redundant_cells"])
    assert charts_of_puzzles(census) == []


def test_a_report_draws_what_tables_and_records_tell(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("many.txt", f"{EASY}\n{HARD}\n{EASY}\n")
    box.drop("one.txt", EASY)
    box.run("--settle", "0", "--also", "canonical,effort")
    write_report(box.outbox, box.inbox, box.outbox / "report.html")
    page = box.text("report.html")
    assert "4 puzzles in 2 classes of equivalent ones, by size." in page
    assert "Puzzles: depth" in page
    assert "Puzzles: redundant givens" not in page


def test_a_rated_puzzle_can_be_found_by_its_level(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("easy.txt", EASY)
    box.drop("many.txt", f"{EASY}\n{HARD}\n")
    box.run("--settle", "0", "--also", "rating")
    write_report(box.outbox, box.inbox, box.outbox / "report.html")
    page = box.text("report.html")
    assert '<p class="reason">easy, score 204</p>' in page
    assert "<option>easy</option><option>medium</option></select>" in page
    assert 'data-levels="easy medium"' in page
    assert page.count('class="card" data-level="medium"') == 1
    assert "<span>easy, score 204</span>" in page
