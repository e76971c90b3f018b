"""The page of `serve` as a person meets it: in a real browser."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from support.browsers import Reader, browser
from support.drop_folders import SMALL, SMALL_SOLVED, DropFolder, wait_for
from support.needs import needs_chromium, needs_serve
from support.puzzles import UNIQUE
from support.servers import serving

pytestmark = [pytest.mark.browser, needs_chromium, needs_serve]


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    box = DropFolder.within(tmp_path_factory.mktemp("served"))
    with serving(box, "--max-bytes", "100K") as started:
        yield started


@pytest.fixture
def reader(chromium, served):
    with closing(Reader(chromium, served.address)) as opened:
        yield opened
        assert opened.said == []


@pytest.fixture
def tab(reader):
    return reader.tab


def card(tab, name):
    heading = tab.get_by_role("heading", name=name, exact=True)
    return tab.locator(".panel article", has=heading)


def status(tab):
    return tab.locator(".panel [role=status]")


def dragged(tab, kind, *files):
    """Have files, as names and texts, dragged over the page or dropped on it."""
    tab.evaluate(
        """([kind, files]) => {
            const dataTransfer = new DataTransfer();
            for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
            const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
            document.querySelector("h1").dispatchEvent(event);
        }""",
        [kind, files],
    )


def test_a_pasted_puzzle_is_solved_drawn_and_certified(tab, served):
    tab.get_by_label("Paste a puzzle").fill(UNIQUE)
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text(re.compile(r"pasted.*\.txt: unique\.")).wait_for()
    (name,) = [each for each in served.dropped() if each.startswith("pasted-")]
    shown = card(tab, name)
    assert shown.get_by_role("img").get_attribute("aria-labelledby")
    assert shown.get_by_text("proved by exhaustive-search").is_visible()
    assert tab.get_by_label("Paste a puzzle").input_value() == ""
    shown.get_by_role("link", name="solution 1").click()
    solution = f"{name.removesuffix('.txt')}_1.solution"
    tab.wait_for_url(f"**/{solution}")
    assert tab.locator("body").inner_text().strip() == served.box.text(solution).strip()


def test_a_pasted_text_stays_until_it_is_a_puzzle(tab):
    box = tab.get_by_label("Paste a puzzle")
    wrong = SMALL.replace("3", "q")
    box.fill(wrong)
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text(": invalid.").wait_for()
    assert box.input_value() == wrong
    box.fill(SMALL)
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text(": unique.").wait_for()
    assert box.input_value() == ""


def test_what_is_typed_while_a_paste_is_solved_stays(tab, served):
    """The watch is stopped meanwhile, so that the paste is not solved before."""
    box = tab.get_by_label("Paste a puzzle")
    with served.watch_paused():
        box.fill(SMALL)
        tab.get_by_role("button", name="Solve").click()
        status(tab).get_by_text("waiting in the inbox.").wait_for()
        box.fill("the next")
    status(tab).get_by_text(": unique.").wait_for()
    assert box.input_value() == "the next"


def test_the_keyboard_is_enough(tab):
    tab.on("filechooser", lambda _: None)  # so that none is shown from here on
    tab.get_by_label("Paste a puzzle").focus()
    tab.keyboard.insert_text(SMALL)
    tab.keyboard.press("Control+Enter")
    status(tab).get_by_text(": unique.").wait_for()
    tab.keyboard.insert_text(SMALL)
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    status(tab).get_by_text(": unique.").wait_for()
    tab.keyboard.press("Tab")
    with tab.expect_file_chooser() as chooser:
        tab.keyboard.press("Enter")
    assert chooser.value.is_multiple()


def test_dropped_files_are_solved_in_order(tab, served):
    dragged(tab, "dragover", ("a.txt", SMALL))
    assert tab.locator("body.over").count() == 1
    dragged(tab, "drop", ("a.txt", SMALL), ("b.txt", SMALL))
    assert tab.locator("body.over").count() == 0
    for name in ("a", "b"):
        card(tab, f"{name}.txt").get_by_role("img").wait_for()
        assert served.box.text(f"{name}_1.solution") == SMALL_SOLVED
    names = tab.locator(".panel h3").all_text_contents()
    assert names[:2] == ["b.txt", "a.txt"]


def test_chosen_files_may_hold_many_puzzles(tab):
    data = b"1.....2..3.....4\n" * 3
    many = {"name": "many.txt", "mimeType": "text/plain", "buffer": data}
    tab.locator("input[type=file]").set_input_files([many])
    status(tab).get_by_text("many.txt: collection.").wait_for()
    shown = tab.locator(".panel article.many")
    assert shown.get_by_role("img").count() == 3
    assert shown.locator(".facts").first.text_content().endswith("3 unique3 proved")


def test_what_is_no_puzzle_is_shown_with_its_reason(tab):
    hostile = "<img src=x onerror=alert(1)>.txt"
    dragged(tab, "drop", (hostile, "1...\n..2.\n.3<.\n...4\n"))
    shown = card(tab, "_img src=x onerror=alert(1)_.txt")
    shown.get_by_text("invalid").wait_for()
    assert (
        shown.locator(".message").text_content().endswith("expected a digit or a blank, found '<'")
    )
    assert tab.locator("img").count() == 0


def test_what_cannot_be_taken_stays_and_says_why(reader, tab):
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text("the puzzle: the file is empty.").wait_for()
    tab.get_by_label("Paste a puzzle").fill("." * 200_000)
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text("larger than 100K").wait_for()
    assert len(tab.get_by_label("Paste a puzzle").input_value()) == 200_000
    reader.said[:] = [each for each in reader.said if "400 (Bad Request)" not in each]


def test_it_is_still_there_when_the_page_is_opened_again(reader, tab, served):
    dragged(tab, "drop", ("again.txt", SMALL))
    tab.get_by_role("link", name="Update it").wait_for()
    assert tab.locator(".newer").is_visible()
    board = card(tab, "again.txt").get_by_role("img")
    wait_for(lambda: reader.visit(served.address) or board.count())  # pages are made now and then
    assert status(tab).text_content() == ""
    assert not tab.locator(".newer").is_visible()


def test_nothing_is_asked_for_once_all_is_done(reader, tab):
    dragged(tab, "drop", ("quiet.txt", SMALL))
    card(tab, "quiet.txt").get_by_role("img").wait_for()
    reader.requests.clear()
    tab.wait_for_timeout(700)
    assert reader.requests == []


def test_ids_of_boards_are_not_given_twice(reader, tab, served):
    dragged(tab, "drop", ("c.txt", SMALL), ("d.txt", SMALL))
    card(tab, "d.txt").get_by_role("img").wait_for()
    served.get()
    reader.visit(served.address)
    card(tab, "d.txt").get_by_role("img").wait_for()
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len({*ids})


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing_serious(scheme, width, chromium, served):
    from axe_core_python.sync_playwright import Axe

    served.done(served.given_name("axe.txt", SMALL))
    size = {"width": width, "height": 900}
    options = {"color_scheme": scheme, "viewport": size, "bypass_csp": True}
    with closing(Reader(chromium, served.address, **options)) as opened:
        card(opened.tab, "axe.txt").get_by_role("img").wait_for()
        wide = opened.tab.evaluate("document.documentElement.scrollWidth")
        found = Axe().run(opened.tab, options={"resultTypes": ["violations"]})["violations"]
    grave = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in grave] == []
    assert wide <= width
