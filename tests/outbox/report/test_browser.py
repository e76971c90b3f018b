"""The page as a reader meets it: in a real browser, from disk."""

from __future__ import annotations

import re
import shutil
from contextlib import closing

import pytest
from support.browsing import PAGE_OPEN, Reader, browser
from support.commands import run
from support.dropping import SMALL, DropFolder
from support.needs import needs_chromium
from support.printing import pages_of
from support.reporting import FILES, HOSTILE, collection, record
from support.ruled import ISS, KILLER

from pipeline.outbox.report import REPORT, write_report

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
MEDIUM = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."

pytestmark = [pytest.mark.browser, needs_chromium]


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def address(box, tmp_path_factory):
    """The page about jobs of every kind, and a collection of several pages."""
    outbox = shutil.copytree(box.outbox, tmp_path_factory.mktemp("page") / "outbox")
    collection(outbox, "long", ["unique"] * 59 + ["failed"])
    write_report(outbox, box.inbox, outbox / REPORT)
    return (outbox / REPORT).as_uri()


@pytest.fixture
def open_page(chromium, address):
    readers = []

    def opened(**options):
        readers.append(Reader(chromium, address, **options))
        return readers[-1]

    yield opened
    for reader in readers:
        reader.close()


@pytest.fixture(scope="module")
def only_reader(chromium):
    """The tab of all tests that want nothing special of it."""
    with closing(Reader(chromium, "about:blank")) as reader:
        yield reader


@pytest.fixture
def reader(only_reader, address):
    only_reader.visit(address)
    return only_reader


@pytest.fixture
def tab(reader):
    return reader.tab


def test_it_opens_from_disk_without_a_word_or_a_request(reader, tab, address):
    assert tab.title().startswith("Sudoku report")
    assert len(reader.names()) == len(FILES) + 1
    assert tab.get_by_role("heading", name=HOSTILE, exact=True).count() == 1
    assert tab.locator("img").count() == 0
    tab.locator("th button").first.click()
    assert reader.requests == [address]
    assert reader.said == []


def test_what_is_put_into_the_page_does_not_run(tab):
    tab.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "document.title = 'taken'";
        document.body.append(script);
    }""")
    assert tab.title() != "taken"


def test_the_table_sorts_by_every_column_both_ways(reader, tab):
    heads = tab.locator("thead th")
    for column in range(heads.count()):
        head = heads.nth(column)
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        up = tab.locator(f"tbody tr > :nth-child({column + 1})").all_text_contents()
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        down = tab.locator(f"tbody tr > :nth-child({column + 1})").all_text_contents()
        assert [each for each in up if each] == [each for each in down if each][::-1]
        assert tab.locator("[aria-sort]").count() == 1
    assert sorted(reader.names()) == sorted([*FILES, "long.txt"])


def test_numbers_sort_as_numbers_and_boards_go_with_their_rows(reader, tab):
    tab.get_by_role("button", name="Puzzles").click(click_count=2)
    headings = tab.locator(".many > h3").all_text_contents()
    assert reader.names()[:3] == headings == ["long.txt", "set.zip", "many.txt"]


def test_the_table_filters_by_name_reason_status_and_format(reader, tab):
    tab.get_by_label("Name").fill("SET")
    assert reader.names() == ["set.zip"]
    assert tab.locator("#shown").text_content() == f"1 of the {len(FILES) + 1} jobs on this page"
    assert tab.locator("article:visible").count() == 1
    tab.get_by_label("Name").fill("")
    tab.get_by_label("Status").select_option("failed")
    assert reader.names() == ["long.txt"], "one of its puzzles failed"
    tab.get_by_label("Status").select_option("")
    tab.get_by_label("Format").select_option("cnf")
    assert reader.names() == ["rule.cnf"]
    tab.get_by_label("Format").select_option("")
    assert len(reader.names()) == len(FILES) + 1
    assert tab.locator("#shown").text_content() == ""
    assert tab.locator("tr", has_text="bad.txt").locator(".reason").text_content() == (
        "bad.txt:1:1: expected a row of 4, 6, 8 or 9 cells, found 3 cells"
    )
    assert tab.locator("tr", has_text="long.txt").locator(".reason").text_content() == "1 failed"
    tab.get_by_label("Name").fill("found 3 CELLS")
    assert reader.names() == ["bad.txt"]


def test_a_level_shows_the_boards_of_that_level_alone(only_reader, tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("easy.txt", EASY)
    box.drop("many.txt", f"{EASY}\n{MEDIUM}\n")
    box.run("--settle", "0", "--traits", "rating")
    write_report(box.outbox, box.inbox, box.outbox / REPORT)
    only_reader.visit((box.outbox / REPORT).as_uri())
    tab = only_reader.tab
    tab.locator("#level").select_option("medium")
    assert only_reader.names() == ["many.txt"]
    boards = tab.locator(".many .card:visible .facts").all_text_contents()
    assert [text.partition(",")[0] for text in boards] == ["uniqueline 2medium"]
    tab.locator("#level").select_option("")
    assert tab.locator(".many .card:visible").count() == 2
    assert sorted(only_reader.names()) == ["easy.txt", "many.txt"]


def test_a_total_filters_the_table_by_its_status_and_pressed_again_shows_all(reader, tab):
    tab.get_by_label("Name").fill("rule")
    tab.locator(".totals").get_by_role("link", name="multiple").focus()
    tab.keyboard.press("Enter")
    assert reader.names() == ["set.zip", "two.txt", "many.txt"], "whatever was wanted before"
    failed = tab.locator(".totals").get_by_role("link", name="failed")
    failed.click()
    assert reader.names() == ["long.txt"]
    assert tab.get_by_label("Status").input_value() == "failed"
    assert tab.locator(".totals [aria-current=true]").all_text_contents() == ["failed"]
    assert tab.locator(":focus").text_content() == "Jobs"
    failed.click()
    assert len(reader.names()) == len(FILES) + 1
    assert tab.locator(".totals [aria-current]").count() == 0


def test_a_collection_turns_its_pages_failures_first(tab):
    many = tab.locator("article.many", has_text="long.txt")
    shown = many.locator(PAGE_OPEN)
    assert "failed" in shown.first.text_content()
    before, after = (many.get_by_role("button", name=name) for name in ("Previous", "Next"))
    assert before.is_disabled()
    after.click()
    assert shown.first.locator("h4").text_content() == "puzzle 24"
    after.click()
    assert shown.count() == 12
    assert after.is_disabled()
    assert "49 – 60 of 60" in many.locator(".pager").text_content()


def test_without_scripts_all_of_it_can_be_read(open_page):
    reader = open_page(java_script_enabled=False)
    tab = reader.tab
    assert len(reader.names()) == len(FILES) + 1
    assert not tab.locator(".filters").is_visible()
    assert tab.get_by_role("button").count() == 0
    many = tab.locator("article.many", has_text="long.txt")
    assert many.locator(PAGE_OPEN).count() == 24
    many.get_by_text("25 – 48 of 60").click()
    assert many.locator(PAGE_OPEN).count() == 48


def test_it_can_be_used_by_keyboard_alone(tab):
    tab.keyboard.press("Tab")
    assert tab.locator(":focus").text_content() == "To the table of jobs"
    tab.keyboard.press("Tab")
    assert tab.locator(":focus").text_content() == "unique"
    tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("Enter")
    for _ in range(4):
        tab.keyboard.press("Tab")
    assert tab.locator(":focus").get_attribute("aria-label") == "Table of jobs"
    tab.keyboard.press("Tab")
    outline = tab.locator(":focus").evaluate("each => getComputedStyle(each).outlineStyle")
    assert outline == "solid"
    tab.keyboard.press("Enter")
    assert tab.locator("[aria-sort=ascending]").text_content() == "Name"


def test_a_name_leads_to_its_puzzle_on_a_large_page(only_reader, tmp_path):
    from playwright.sync_api import expect

    for number in range(150):
        name = f"job{number}"
        record(
            tmp_path, name, status="failed", files=[{"name": f"{name}_1.solution", "sha256": ""}]
        )
        (tmp_path / f"{name}_1.solution").write_text("123456789" * 9 if number % 2 else SMALL)
    write_report(tmp_path, tmp_path, tmp_path / REPORT)
    only_reader.visit((tmp_path / REPORT).as_uri())
    tab = only_reader.tab
    for place in (110, 149, 40):
        tab.locator("tbody a").nth(place).click()
        heading = tab.locator(f"#j{place} h3")
        expect(heading).to_be_in_viewport()
        tab.wait_for_timeout(100)
        expect(heading).to_be_in_viewport()


def test_a_phone_scrolls_the_table_alone(open_page):
    tab = open_page(viewport={"width": 360, "height": 640}).tab
    wide, room = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= room


def test_the_sums_of_cages_are_readable_on_a_phone(chromium, tmp_path):
    outbox, inbox = tmp_path / "outbox", tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "killer.txt").write_text(f"{KILLER}\n")
    (inbox / "small.txt").write_text(f"{ISS}\n")
    assert run("run", "--inbox", str(inbox), "--outbox", str(outbox), "--quiet")[0] == 0
    write_report(outbox, inbox, outbox / REPORT)
    view = {"viewport": {"width": 390, "height": 800}}
    with closing(Reader(chromium, (outbox / REPORT).as_uri(), **view)) as reader:
        sizes = reader.tab.locator(".corner").evaluate_all(
            "all => all.map((each) =>"
            " each.getScreenCTM().a * parseFloat(getComputedStyle(each).fontSize))"
        )
    assert len(sizes) == 2
    assert min(sizes) >= 10


def test_print_has_light_paper_no_controls_and_all_pages_of_a_collection(open_page):
    tab = open_page(color_scheme="dark").tab
    tab.emulate_media(media="print")
    assert not tab.locator(".filters").is_visible()
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    many = tab.locator("article.many", has_text="long.txt")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert many.locator(".card:visible").count() == 60
    assert many.get_by_text("25 – 48 of 60").is_visible()
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert many.locator(".card:visible").count() == 24


def test_each_printed_page_of_the_table_has_its_header(reader, tab, tmp_path):
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    for number in range(60):
        record(outbox, str(number))
    write_report(outbox, tmp_path, outbox / REPORT)
    reader.visit((outbox / REPORT).as_uri())
    first, second, *_ = pages_of(tab.pdf(format="A4"))
    header = re.compile(r"Name\s+Status\s+Format")
    assert (bool(header.search(first)), bool(header.match(second))) == (True, True)


@pytest.mark.parametrize(
    ("scheme", "width", "rules"),
    [("light", 1280, {}), ("dark", 360, {"runOnly": ["color-contrast"]})],
)
def test_axe_finds_nothing_serious(scheme, width, rules, open_page):
    from axe_core_python.sync_playwright import Axe

    size = {"width": width, "height": 900}
    tab = open_page(color_scheme=scheme, viewport=size, bypass_csp=True).tab
    violations = Axe().run(tab, options={"resultTypes": ["violations"], **rules})["violations"]
    grave = [each for each in violations if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in grave] == []
