"""The report of an outbox: what is on the page, and where its links lead."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from urllib.parse import unquote

import pytest
from commands import run as call
from dropping import SMALL_SOLVED, DropFolder
from reporting import Page, made, page_of

from pipeline.report import REPORT, page_pieces


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    return made(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def page(box) -> Page:
    return page_of(box.outbox, box.inbox)


def test_run_leaves_a_report_that_the_other_commands_do_not_mind(box):
    assert (box.outbox / REPORT).read_text().startswith("<!DOCTYPE html>")
    code, printed, said = call("audit", str(box.outbox), "--inbox", str(box.inbox))
    assert (code, REPORT in printed + said) == (0, False)
    done = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    assert REPORT not in call("status", *done)[1]
    assert REPORT not in call("prune", *done, "--older-than", "0s", "--dry-run")[1]


def test_every_job_is_a_row_and_every_board_that_can_be_is_drawn(box, page):
    assert page.rows() == len(list(box.outbox.glob("*.json"))) == 10
    singles, rows, members = 5, 4, 2 + 4
    assert page.boards() == singles + rows + members


def test_it_says_of_the_others_why_there_is_no_board(page):
    assert "26×26 cells in boxes of 2×13. Up to 25×25 are drawn." in page.said
    assert "A formula, which has no board." in page.said
    assert "bad.txt:1:1: expected" in page.said


def test_the_totals_count_the_puzzles_of_collections_and_archives(page):
    found = re.search(r"([\d,]+) puzzles in ([\d,]+) jobs", page.said)
    assert found.groups() == ("18", "10")


def test_every_id_is_there_once(page):
    assert len(page.ids) == len(set(page.ids))


def test_every_link_leads_to_a_part_of_the_page_or_to_a_file(box, page):
    files = [link for link in page.links if not link.startswith("#")]
    assert len(files) > 30
    assert all((box.outbox / unquote(link)).is_file() for link in files)
    assert all(link[1:] in page.ids for link in page.links if link.startswith("#"))
    assert any("%3Cimg" in link for link in files)


def test_a_report_elsewhere_finds_the_files_too(box, tmp_path):
    target = tmp_path / "deep" / "page.html"
    target.parent.mkdir()
    inbox = ("--inbox", str(box.inbox))
    code, printed, _ = call("report", str(box.outbox), "-o", str(target), *inbox)
    assert (code, printed) == (0, f"{target}\n")
    links = [link for link in Page(target.read_text()).links if not link.startswith("#")]
    assert all((target.parent / unquote(link)).is_file() for link in links)
    assert [path.name for path in target.parent.iterdir()] == ["page.html"], "nothing is left over"


def test_it_goes_to_standard_output(box):
    code, printed, _ = call("report", str(box.outbox), "-o", "-", "--inbox", str(box.inbox))
    assert code == 0
    assert printed.startswith("<!DOCTYPE html>")
    assert printed.endswith("</html>")


def test_an_empty_outbox_has_a_report(tmp_path):
    page = page_of(tmp_path, tmp_path)
    assert "Nothing is in this outbox yet." in page.said


def test_the_givens_come_from_the_original_if_it_is_the_one(box, tmp_path):
    own = DropFolder.within(tmp_path)
    own.drop("a.txt")
    assert own.run("--settle", "0").returncode == 0
    assert 'class="given"' in "".join(page_pieces(own.outbox, own.inbox, own.outbox))
    original = own.inbox / "done" / "a.txt"
    shelf = own.inbox / "done" / "2"
    shelf.mkdir()
    original.rename(shelf / "a.txt")
    original.write_text(SMALL_SOLVED)
    assert 'class="given"' in "".join(page_pieces(own.outbox, own.inbox, own.outbox))
    (shelf / "a.txt").unlink()
    text = "".join(page_pieces(own.outbox, own.inbox, own.outbox))
    assert 'class="given"' not in text
    assert 'class="solved"' in text


def test_what_strangers_named_is_escaped(box):
    text = (box.outbox / REPORT).read_text()
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;.txt" in text


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else(box):
    text = (box.outbox / REPORT).read_text()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    for kind in ("style", "script"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        hashed = base64.b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src &#39;sha256-{hashed}&#39;" in policy
    assert policy.startswith("default-src &#39;none&#39;; ")
    assert "unsafe" not in policy
    assert not re.search(r"<[^>]+\s(style|on\w+)=", re.sub(r"<(style|script)>.*?</\1>", "", text))


def test_a_row_without_a_solution_shows_the_conflict(page):
    assert page.said.count("In conflict: row 1 column 1, row 1 column 3.") == 4


def test_the_second_solution_of_a_row_shows_where_they_differ(page):
    assert "Different: row 1 column 3, row 1 column 4" in page.said
