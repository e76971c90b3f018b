"""The page of `serve` as a person meets it: in a real browser."""

from __future__ import annotations

import re
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from support.browsers import Reader, browser
from support.drop_folders import SMALL, SMALL_SOLVED, DropFolder, wait_for
from support.needs import needs_chromium, needs_serve
from support.puzzles import UNIQUE
from support.servers import serving

from pipeline import parse_puzzle

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
        assert without_refusals(opened.said) == []


@pytest.fixture
def tab(reader):
    return reader.tab


def card(tab, name):
    heading = tab.get_by_role("heading", name=name, exact=True)
    return tab.locator("article", has=heading)


def status(tab):
    return tab.locator("#status")


def without_refusals(said):
    """What the browser says, apart from refusals that a test asks for."""
    return [each for each in said if "400 (Bad" not in each and "422 (Unproc" not in each]


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
    assert shown.get_by_text("unique: proved by exhaustive search").is_visible()
    assert tab.get_by_label("Paste a puzzle").input_value() == ""
    files = {"solution 1": f"{name.removesuffix('.txt')}_1.solution"}
    files["record"] = f"{name.removesuffix('.txt')}.json"
    for text, file in files.items():
        with tab.expect_download() as download:
            shown.get_by_role("link", name=text).click()
        assert download.value.suggested_filename == file
        assert download.value.path().read_bytes() == (served.box.outbox / file).read_bytes()
    with tab.expect_download() as download:
        shown.get_by_role("link", name="picture").click()
    assert download.value.suggested_filename == f"{name.removesuffix('.txt')}.svg"
    back = shown.get_by_role("link", name="SudokuPad").get_attribute("href")
    assert parse_puzzle(back) == parse_puzzle(UNIQUE)


def test_an_error_is_shown_beside_the_text_which_stays_until_it_is_a_puzzle(tab, served):
    box = tab.get_by_label("Paste a puzzle")
    wrong = SMALL.replace("3", "q")
    box.fill(wrong)
    before = served.dropped()
    tab.get_by_role("button", name="Solve").click()
    error = tab.get_by_role("alert").filter(has_text="Line 3, column 2")
    error.get_by_text("Line 3, column 2: expected a digit or a blank, found 'q'.").wait_for()
    assert error.locator("pre").text_content() == ".q..\n ^"
    assert box.input_value() == wrong
    assert box.get_attribute("aria-invalid") == "true"
    assert tab.evaluate("getSelection().toString()") == "q", "the wrong character is selected"
    assert served.dropped() == before, "nothing was dropped"
    tab.keyboard.insert_text("3")
    assert not error.is_visible()
    tab.keyboard.press("Control+Enter")
    status(tab).get_by_text(": unique.").wait_for()
    assert box.input_value() == ""


def test_the_text_of_a_puzzle_without_one_solution_stays_to_be_corrected(tab):
    box = tab.get_by_label("Paste a puzzle")
    box.fill("11..\n....\n....\n....\n")
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text(": unsolvable.").wait_for()
    assert box.input_value().startswith("11..")
    box.fill("1...\n....\n....\n....\n")
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text(": multiple.").wait_for()
    assert tab.locator("#latest").get_by_text("solutions").first.is_visible()
    assert box.input_value().startswith("1...")


def test_a_link_is_pasted_like_any_other_text(tab):
    link = parse_puzzle(SMALL).to("sudokupad-link")
    tab.get_by_label("Paste a puzzle").fill(link)
    tab.get_by_role("button", name="Solve").click()
    status(tab).get_by_text(": unique.").wait_for()
    tab.get_by_label("Paste a puzzle").fill("https://sudokupad.app/abc123")
    tab.get_by_role("button", name="Solve").click()
    tab.get_by_text("links are not fetched: open it in a browser").wait_for()


def test_the_example_is_one_click(tab):
    tab.get_by_role("button", name="Try an example").click()
    status(tab).get_by_text(": unique.").wait_for()
    assert tab.locator("#latest").get_by_role("img").count() == 1
    tab.locator("#latest .facts").get_by_text(re.compile(r"^easy, score \d+$")).wait_for()


def test_the_newest_result_is_large_and_moves_down_when_there_is_another(tab):
    for name in ("first.txt", "second.txt"):
        dragged(tab, "drop", (name, SMALL))
        tab.locator("#latest", has=card(tab, name)).get_by_role("button", name="Print").wait_for()
    assert tab.locator(".earlier h3").first.text_content() == "first.txt"
    assert tab.get_by_role("button", name="Print").count() == 1


def test_the_steps_are_shown_one_after_the_other_and_a_hint_shows_no_more_than_asked(tab):
    dragged(tab, "drop", ("stepped.txt", UNIQUE))
    card(tab, "stepped.txt").get_by_role("link", name="Steps and hints").click()
    hint = tab.locator("section", has=tab.get_by_role("heading", name="A hint"))
    assert hint.locator("details[open]").count() == 0
    hint.get_by_text("Which technique is next?").click()
    assert hint.locator("details[open]").count() == 1
    steps = tab.locator(".steps > details")
    visible = tab.locator(".steps > details:visible")
    count = steps.count()
    assert visible.count() == 0, "no step is shown before one asks for it"
    tab.get_by_role("button", name="Next").click()
    assert visible.count() == 1
    assert visible.get_by_role("img").is_visible()
    for _ in range(count):
        tab.keyboard.press("ArrowRight")
    assert tab.locator(".pager [role=status]").text_content() == f"{count} of {count}"
    assert tab.get_by_role("button", name="Next").is_disabled()
    assert steps.last.is_visible()
    for _ in range(count + 1):
        tab.keyboard.press("ArrowLeft")
    assert visible.count() == 0
    tab.get_by_role("button", name="Show as a list").click()
    assert visible.count() == count
    assert tab.locator(".steps > details[open]").count() == 0


def test_print_shows_the_result_alone_and_all_steps(tab):
    dragged(tab, "drop", ("printed.txt", UNIQUE))
    shown = card(tab, "printed.txt")
    shown.get_by_role("img").wait_for()
    tab.emulate_media(media="print")
    assert shown.get_by_role("img").is_visible()
    for other in (".enter", ".queue", ".earlier", "nav", ".links"):
        assert not tab.locator(other).first.is_visible()
    tab.emulate_media(media="screen")
    shown.get_by_role("link", name="Steps and hints").click()
    tab.get_by_role("button", name="Next").wait_for()
    tab.emulate_media(media="print")
    boards = tab.locator(".steps").get_by_role("img", include_hidden=True)
    assert boards.count() == tab.locator(".steps > details").count()
    assert all(board.is_visible() for board in boards.all())
    assert not tab.get_by_role("heading", name="A hint").is_visible()
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    steps = tab.locator(".steps > details")
    assert tab.locator(".steps > details[open]").count() == steps.count()
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator(".steps > details[open]").count() == 0


def test_the_queue_is_live_and_says_why_files_failed(tab, served):
    dragged(tab, "drop", ("queued.txt", "1...\n..2.\n.3<.\n...4\n"))
    row = tab.locator("#files li", has_text="queued.txt")
    row.wait_for()
    reason = "expected a digit or a blank, found '<'"
    assert row.text_content() == f"failed queued.txt:3:3: {reason}"
    assert int(tab.locator("#failed").text_content()) == len(served.box.kept("failed"))


def test_an_alarm_says_that_nothing_is_solved(chromium, tmp_path):
    box = DropFolder.within(tmp_path)
    with serving(box) as served, closing(Reader(chromium, served.address)) as opened:
        alarm = opened.tab.locator("#alarm")
        wait_for(lambda: served.get("/health").code == 200)
        assert not alarm.is_visible()
        box.inbox.rename(box.inbox.with_name("elsewhere"))
        alarm.filter(has_text="Puzzles are not being solved: --inbox").wait_for()
        assert opened.tab.locator("#waiting").text_content() == "–"
        box.inbox.with_name("elsewhere").rename(box.inbox)
        alarm.wait_for(state="hidden")
        served.end()
        alarm.filter(has_text="The server does not respond").wait_for()


def test_the_report_updates_itself_and_keeps_its_filters_and_order(reader, tab, served):
    served.done(served.given_name("before.txt", SMALL))
    served.done(served.given_name("broken.txt", "1..q\n"))
    reader.visit(f"{served.address}report")
    tab.get_by_label("Status").select_option("unique")
    tab.get_by_role("columnheader", name="Name").get_by_role("button").click()
    tab.evaluate("document.activeElement.blur()")
    served.done(served.given_name("arrived.txt", SMALL))
    tab.locator("tbody tr", has_text="arrived.txt").wait_for()
    assert tab.get_by_label("Status").input_value() == "unique"
    assert not tab.locator("tbody tr", has_text="broken.txt").is_visible()
    assert tab.locator("[aria-sort=ascending]").text_content() == "Name"
    names = reader.names()
    assert names == sorted(names)
    assert "broken.txt" not in names


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
    names = tab.locator("article h3").all_text_contents()
    assert names[:2] == ["b.txt", "a.txt"]


def test_chosen_files_may_hold_many_puzzles(tab):
    data = b"1.....2..3.....4\n" * 3
    many = {"name": "many.txt", "mimeType": "text/plain", "buffer": data}
    tab.locator("input[type=file]").set_input_files([many])
    status(tab).get_by_text("many.txt: collection.").wait_for()
    shown = tab.locator("article.many")
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


def test_a_refused_file_is_kept_with_a_reason(tab):
    tab.get_by_role("button", name="Solve").click()
    tab.get_by_text("There is no puzzle yet").wait_for()
    tab.get_by_label("Paste a puzzle").fill("." * 200_000)
    tab.get_by_role("button", name="Solve").click()
    tab.get_by_text("larger than 100K").wait_for()
    assert len(tab.get_by_label("Paste a puzzle").input_value()) == 200_000


def test_it_is_still_there_when_the_page_is_opened_again(reader, tab, served):
    dragged(tab, "drop", ("again.txt", SMALL))
    card(tab, "again.txt").get_by_role("img").wait_for()
    reader.visit(served.address)
    card(tab, "again.txt").get_by_role("img").wait_for()
    assert status(tab).text_content() == ""


def test_an_idle_page_requests_only_the_queue(reader, tab):
    dragged(tab, "drop", ("quiet.txt", SMALL))
    card(tab, "quiet.txt").get_by_role("img").wait_for()
    reader.requests.clear()
    tab.wait_for_timeout(700)
    paths = [urlsplit(each).path for each in reader.requests]
    assert {*paths} <= {"/queue", "/level"}
    assert max(map(paths.count, paths), default=0) <= 1


def test_ids_of_boards_are_not_given_twice(reader, tab, served):
    dragged(tab, "drop", ("c.txt", SMALL), ("d.txt", SMALL))
    card(tab, "d.txt").get_by_role("img").wait_for()
    reader.visit(served.address)
    card(tab, "d.txt").get_by_role("img").wait_for()
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len({*ids})


def grave(tab):
    """What axe finds in a tab: rules and elements. It also checks that nothing is cut off."""
    from axe_core_python.sync_playwright import Axe

    found = Axe().run(tab, options={"resultTypes": ["violations"]})["violations"]
    wide, room = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= room
    return [(each["id"], each["nodes"][0]["html"]) for each in found]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_in_any_state(scheme, width, chromium, tmp_path):
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    with serving(DropFolder.within(tmp_path)) as served:
        opened = Reader(chromium, served.address, bypass_csp=True, **options)
        with closing(opened):
            tab = opened.tab
            assert grave(tab) == [], "empty"
            tab.get_by_label("Paste a puzzle").fill("1..q\n....\n....\n....\n")
            tab.keyboard.press("Control+Enter")
            tab.get_by_text("Line 1, column 4").wait_for()
            assert grave(tab) == [], "an error"
            many = "1.....2..3.....4\n1...............\n11..............\n"
            files = {"one.txt": UNIQUE, "two.txt": "1...\n....\n....\n....\n", "many.txt": many}
            files |= {"none.txt": "11..\n....\n....\n....\n", "bad.txt": "1..q\n"}
            for name, text in files.items():
                dragged(tab, "drop", (name, text))
                status(tab).get_by_text(name).wait_for()
                served.done(name)
            tab.locator("#files li", has_text="bad.txt").wait_for()
            card(tab, "bad.txt").get_by_text("invalid").wait_for()
            assert grave(tab) == [], "results of all kinds, and a failure in the queue"
            opened.visit(f"{served.address}report")
            assert grave(tab) == [], "the report"
            opened.visit(f"{served.address}steps?record=one.json")
            assert grave(tab) == [], "no step"
            for text in ("Show all candidates", "Which technique", "Where?", "Show the step"):
                tab.get_by_text(text).click()
            tab.get_by_role("button", name="Next").click()
            tab.get_by_text("Show the solution").click()
            tab.get_by_text("Terms and techniques").click()
            assert grave(tab) == [], "all hints and a step"
            tab.get_by_role("button", name="Show as a list").click()
            assert grave(tab) == [], "a list of steps"
