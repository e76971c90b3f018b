"""A report that is kept up to date, where it is open: it renews itself and bothers nobody."""

from __future__ import annotations

from contextlib import closing

import pytest
from browsing import PAGE_OPEN, Reader, browser
from needs import needs_chromium
from reporting import record, table_of

from pipeline.report import REPORT, write_report

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture
def kept(chromium, tmp_path):
    """A reader of a page that is kept, and how it is written again."""

    def write(*, is_kept=True):
        write_report(tmp_path, tmp_path, tmp_path / REPORT, is_kept=is_kept)

    for name in ("first", "second"):
        table_of(tmp_path, ["unique"] * 60).rename(tmp_path / f"{name}.csv")
        record(tmp_path, name, status="collection", totals={"unique": 60})
    for number in range(60):
        record(tmp_path, f"job{number}", status="failed", message=f"reason {number}")
    write()
    with closing(Reader(chromium, (tmp_path / REPORT).as_uri(), has_time=False)) as reader:
        yield reader, write


def test_a_page_that_is_kept_shows_what_is_new_as_the_reader_left_it(kept, tmp_path):
    reader, write = kept
    tab = reader.tab
    tab.get_by_role("button", name="Name").click(click_count=2)
    tab.get_by_label("Status").select_option("unique")
    many = tab.locator("article.many", has_text="second.txt")
    many.get_by_role("button", name="Next").click()
    many.evaluate("each => each.scrollIntoView()")
    tab.evaluate("document.activeElement.blur()")
    place = many.bounding_box()["y"]
    record(tmp_path, "new", totals={"unique": 1})
    write()
    reader.wait_for_renewal()
    assert reader.names() == ["second.txt", "new.txt", "first.txt"]
    assert tab.locator("[aria-sort=descending]").text_content() == "Name"
    assert tab.locator(".totals [aria-current=true]").text_content() == "unique"
    assert many.locator(PAGE_OPEN).first.locator("h4").text_content() == "puzzle 25"
    for _ in range(2):
        assert abs(many.bounding_box()["y"] - place) < 2
        reader.wait_for_renewal()
    tab.reload()
    assert tab.evaluate("history.scrollRestoration") == "auto"
    assert reader.said == []


def test_a_page_is_not_renewed_under_the_hands_of_the_reader(kept):
    reader, _ = kept
    search = reader.tab.get_by_label("Name")
    assert reader.waits_anew(lambda: search.press_sequentially("reason"))
    assert reader.waits_anew(lambda: reader.tab.locator("h1").click())
    search.focus()
    reader.wait_for_renewal()
    assert search.input_value() == "reason"
    search.press("1")
    assert search.input_value() == "reason1", "the caret is where it was"
    reader.tab.get_by_label("Renew").uncheck()
    assert reader.stays()


def test_a_status_that_is_being_chosen_and_a_text_that_is_marked_are_left_in_peace(kept):
    reader, _ = kept
    status = reader.tab.get_by_label("Status")
    status.press("ArrowDown")
    reader.tab.evaluate("document.getElementById('status').dispatchEvent(new Event('keydown'))")
    assert reader.stays()
    status.select_option("failed")
    reader.wait_for_renewal()
    assert status.input_value() == "failed"
    reader.tab.evaluate("getSelection().selectAllChildren(document.body)")
    assert reader.stays()


def test_a_reader_who_goes_by_keyboard_keeps_the_place(kept):
    reader, _ = kept
    for _ in range(2):
        reader.tab.keyboard.press("Tab")
    assert reader.stays()
    reader.tab.locator("h1").click()
    reader.wait_for_renewal()


def test_a_page_that_stays_the_same_is_renewed_ever_more_seldom(kept):
    reader, _ = kept
    found = []
    for _ in range(6):
        found.append(reader.patience())
        reader.wait_for_renewal()
    assert found == [5, 10, 20, 40, 60, 60]


def test_a_page_whose_keeper_has_ended_is_not_renewed_again(kept):
    reader, write = kept
    write(is_kept=False)
    reader.wait_for_renewal()
    assert reader.patience() == 0
    assert reader.tab.get_by_label("Renew").count() == 0


def test_a_page_that_is_made_once_stays_as_it_is(kept):
    reader, write = kept
    write(is_kept=False)
    reader.tab.reload()
    assert reader.patience() == 0


def test_an_empty_page_that_is_kept_shows_the_first_job(chromium, tmp_path):
    write_report(tmp_path, tmp_path, tmp_path / REPORT, is_kept=True)
    with closing(Reader(chromium, (tmp_path / REPORT).as_uri(), has_time=False)) as reader:
        record(tmp_path, "new")
        write_report(tmp_path, tmp_path, tmp_path / REPORT, is_kept=True)
        reader.wait_for_renewal()
        assert reader.names() == ["new.txt"]
