"""The page about an outbox: what is on it, and where its links lead."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from urllib.parse import unquote

import pytest
from support.commands import run
from support.drop_folders import SMALL, SMALL_SOLVED
from support.reports import FILES, Page, page_of, record, text_of

from pipeline.outbox.report import REPORT


@pytest.fixture(scope="module")
def text(box) -> str:
    return text_of(box.outbox, box.inbox)


@pytest.fixture(scope="module")
def page(text) -> Page:
    return Page(text)


def test_run_leaves_a_report_that_the_other_commands_do_not_mind(box):
    assert (box.outbox / REPORT).read_text().startswith("<!DOCTYPE html>")
    code, printed, said = run("audit", str(box.outbox), "--inbox", str(box.inbox))
    assert (code, REPORT in printed + said) == (0, False)
    done = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    assert REPORT not in run("status", *done)[1]
    assert REPORT not in run("prune", *done, "--older-than", "0s", "--dry-run")[1]


def test_every_job_is_a_row_and_every_board_that_can_be_is_drawn(box, page):
    assert page.rows() == len(list(box.outbox.glob("*.json"))) == len(FILES)
    singles, rows, members = 5, 4, 2 + 4
    assert page.boards() == singles + rows + members


def test_the_totals_count_the_puzzles_of_collections_and_archives(page):
    found = re.search(r"([\d,]+) puzzles in ([\d,]+) jobs", page.said)
    assert found.groups() == ("17", "9")


def test_it_says_of_how_many_puzzles_all_solutions_are_proved_to_be_known(box, tmp_path):
    proved = "proved to have no other solutions"
    assert f"16 puzzles {proved}." in page_of(box.outbox, box.inbox).said
    assert proved not in page_of(tmp_path, tmp_path).said
    told = {"solutions": "checked"}
    record(tmp_path, "one", complete=True, certificate=told | {"complete": "proved"})
    assert f"1 puzzle {proved}." in page_of(tmp_path, tmp_path).said
    record(tmp_path, "many", status="collection", certificate=told | {"unverified": 1200})
    assert f"1 puzzle {proved}, 1,200 not verified." in page_of(tmp_path, tmp_path).said


def test_what_has_no_board_says_why(page, tmp_path):
    assert "A formula has no board." in page.said
    assert "bad.txt:1:1: expected" in page.said
    record(tmp_path, "large", box=[2, 13])
    large = "26×26 cells in boxes of 2×13. Only boards up to 25×25 are drawn."
    assert large in page_of(tmp_path, tmp_path).said


def test_every_id_is_there_once_and_every_link_leads_somewhere(box, page):
    assert len(page.ids) == len(set(page.ids))
    assert all(link[1:] in page.ids for link in page.links if link.startswith("#"))
    assert len(page.files) > 30
    assert all((box.outbox / unquote(link)).is_file() for link in page.files)
    assert any("%3Cimg" in link for link in page.files)


def test_a_report_elsewhere_finds_the_files_too(box, tmp_path):
    target = tmp_path / "deep" / "page.html"
    target.parent.mkdir()
    inbox = ("--inbox", str(box.inbox))
    code, printed, _ = run("report", str(box.outbox), "-o", str(target), *inbox)
    assert (code, printed) == (0, f"{target}\n")
    links = Page(target.read_text()).files
    assert all((target.parent / unquote(link)).is_file() for link in links)
    assert [path.name for path in target.parent.iterdir()] == ["page.html"], "nothing is left over"


def test_an_empty_outbox_has_a_report(tmp_path):
    assert "This outbox is empty." in page_of(tmp_path, tmp_path).said


def test_the_givens_come_from_the_original_if_it_is_the_one(tmp_path):
    (tmp_path / "a_1.solution").write_text(SMALL_SOLVED)
    hashed = sha256(SMALL.encode()).hexdigest()
    record(tmp_path, "a", sha256=hashed, files=[{"name": "a_1.solution", "sha256": ""}])
    shelf = tmp_path / "done" / "2"
    shelf.mkdir(parents=True)
    (tmp_path / "done" / "a.txt").write_text(SMALL_SOLVED)
    (shelf / "a.txt").write_text(SMALL)
    assert 'class="given"' in text_of(tmp_path, tmp_path)
    (shelf / "a.txt").unlink()
    text = text_of(tmp_path, tmp_path)
    assert 'class="given"' not in text
    assert 'class="solved"' in text


def test_what_strangers_named_is_escaped(text):
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;.txt" in text


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else(text):
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    for kind in ("style", "script"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        hashed = base64.b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src &#39;sha256-{hashed}&#39;" in policy
    assert policy.startswith("default-src &#39;none&#39;; ")
    assert "unsafe" not in policy
    assert not re.search(r"<[^>]+\s(style|on\w+)=", re.sub(r"<(style|script)>.*?</\1>", "", text))


def test_rows_show_the_conflict_and_where_the_second_solution_differs(page):
    assert page.said.count("In conflict: row 1 column 1, row 1 column 3.") == 4
    assert "Different: row 1 column 3, row 1 column 4" in page.said
