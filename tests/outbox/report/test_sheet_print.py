"""A sheet as it comes out of the printer: made a PDF by a real browser."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from support.browsers import Reader, browser
from support.drop_folders import NO_SOLUTION, SMALL
from support.needs import needs_chromium
from support.pictures import BOARD
from support.puzzles import EVEN_ODD, NINE, NINE_TWO, pattern
from support.sheets import pages_of

from pipeline import parse_puzzle
from pipeline.outbox.report import PER_PAGE, Board, Head, Sheet, SheetPuzzle, Worked, sheet_pdf
from pipeline.outbox.report.worked import Panel, PanelLine
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import custom, lines
from pipeline.steps.techniques import TECHNIQUES

pytestmark = [pytest.mark.browser, needs_chromium]

MILLIMETRE = 96 / 25.4
LONG = "a name that is too long for any board that is drawn on any page, whatever its width " * 3
HEIGHTS = {"A4": 297, "Letter": 279.4}
NARROWEST = 210
MARGINS = 24


def various() -> list[SheetPuzzle]:
    """Puzzles of all sizes, with all there is to say about them."""
    small = [parse_puzzle(text) for text in (NINE, SMALL, EVEN_ODD, NO_SOLUTION, NINE_TWO) * 8]
    large = [Puzzle.empty(Geometry(*box)) for box in ((4, 4), (5, 5), (3, 4), (4, 4), (5, 5))]
    because = "row 1 holds 1 twice: row 1, column 1 and row 1, column 3; and so on " * 3
    return [
        SheetPuzzle(LONG, Board(puzzle, conflict=[(1, 1)]), "unsolvable", because)
        for puzzle in (*small, *large)
    ]


def solved() -> list[SheetPuzzle]:
    """As many small solutions as a page holds."""
    grid = pattern(Geometry(3, 3))
    return [SheetPuzzle(LONG, Board(parse_puzzle(NINE), grid), "unique")] * 30


def ruled() -> list[SheetPuzzle]:
    """Puzzles with the rules whose names and sentences are longest."""
    rules = [
        *(
            custom.Relation((at, at + 1), (0,) * 10, label=f"{at} is how this relation is called")
            for at in range(20)
        ),
        *(custom.Relation((at, at + 1), (0,) * 10, True, str(at)) for at in range(20)),
        *(lines.SumLine((at, at + 1, at + 2), at + 1, loop=True) for at in range(30)),
    ]
    return [SheetPuzzle(LONG, Board(Puzzle.empty(Geometry(3, 3), (rule,)))) for rule in rules]


def worked() -> list[SheetPuzzle]:
    """Puzzles with steps whose texts are short, long, and longer than a page."""
    text = "In row 4, 7 is possible only in r4c1 and r4c9, so no other cell of row 4 holds 7. "
    panels = [
        Panel(
            str(number), "Naked pair", BOARD, tuple(PanelLine(text * times) for _ in range(lines))
        )
        for number, (times, lines) in enumerate([(1, 2), (2, 2), (4, 2), (1, 60), (1, 1)] * 2)
    ]
    single = "n  r4c7=5 hidden single in row 4"
    singles = Panel("9", "16 singles", BOARD, (PanelLine(single),) * 16, is_list=True)
    guide = Panel(
        "1", "All", BOARD, (PanelLine(text),), techniques=tuple(t.name for t in TECHNIQUES)
    )
    return [
        SheetPuzzle("a.txt", Board(parse_puzzle(NINE)), worked=Worked([*[singles] * 4, *panels])),
        SheetPuzzle(LONG, Board(parse_puzzle(NINE)), worked=Worked([guide], "No further step.")),
        SheetPuzzle("b.txt", Board(parse_puzzle(SMALL)), worked=Worked([], text)),
    ]


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def reader(chromium):
    with closing(Reader(chromium, "about:blank")) as reader:
        yield reader


@pytest.fixture
def opened(reader, tmp_path):
    """How a sheet is opened from disk."""

    def opened(sheet):
        path = tmp_path / "sheet.html"
        path.write_text("".join(sheet.chunks()))
        reader.visit(path.as_uri())
        return reader

    return opened


@pytest.mark.parametrize("per_page", PER_PAGE)
def test_each_page_is_one_sheet_of_paper_a4_or_letter_and_nothing_is_cut(per_page, opened):
    head = Head(LONG, LONG, LONG)
    sheet = Sheet.of([*various(), *solved(), *ruled(), *worked()], per_page, head=head)
    reader = opened(sheet)
    expected = sheet.total
    assert len(sheet.rules) > 2
    assert 30 in {page.boards for page in sheet.solutions}
    for paper in HEIGHTS:
        pdf = reader.tab.pdf(format=paper)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == expected, paper
    reader.tab.emulate_media(media="print")
    pages = reader.tab.evaluate("""() => Array.from(document.querySelectorAll(".page"), page => ({
        page: page.getBoundingClientRect().toJSON(),
        foot: page.querySelector("footer").getBoundingClientRect().toJSON(),
        inner: Array.from(page.querySelectorAll("article > *, .panel > *, .note"),
            each => each.getBoundingClientRect().toJSON()),
        texts: Array.from(page.querySelectorAll("dl > div"),
            each => each.getBoundingClientRect().toJSON()),
    }))""")
    reader.tab.emulate_media(media="null")
    assert len(pages) == expected
    for each in pages:
        whole, foot = each["page"], each["foot"]
        assert whole["height"] <= (min(HEIGHTS.values()) - MARGINS) * MILLIMETRE
        assert whole["width"] <= (NARROWEST - MARGINS) * MILLIMETRE
        assert foot["bottom"] <= whole["bottom"] + 1
        for box in each["inner"] + each["texts"]:
            assert whole["left"] - 1 <= box["left"] <= box["right"] <= whole["right"] + 1
            assert whole["top"] - 1 <= box["top"] <= box["bottom"] <= foot["top"] + 1
        for number, one in enumerate(each["inner"]):
            for other in each["inner"][:number]:
                apart = (
                    one["left"] >= other["right"] - 1
                    or other["left"] >= one["right"] - 1
                    or one["top"] >= other["bottom"] - 1
                    or other["top"] >= one["bottom"] - 1
                )
                assert apart, "nothing lies on anything else"


def test_it_opens_from_disk_without_a_word_or_a_request(opened):
    name = "<img src=x onerror=alert(1)>.txt"
    reader = opened(Sheet.of([SheetPuzzle(name, Board(parse_puzzle(SMALL)))]))
    assert reader.tab.locator("img").count() == 0
    assert reader.tab.get_by_role("heading", name=f"1 {name}").count() == 2
    assert len(reader.requests) == 1
    assert reader.said == []


def test_a_number_leads_to_the_solution_and_back(opened):
    tab = opened(Sheet.of([SheetPuzzle("a", Board(parse_puzzle(NINE)))] * 30)).tab
    tab.locator("#p30 a").click()
    assert tab.url.endswith("#s30")
    tab.locator("#s30 a").click()
    assert tab.url.endswith("#p30")


def test_even_cells_are_grey_enough_for_black_ink_and_stay_when_backgrounds_are_off(opened):
    tab = opened(Sheet.of([SheetPuzzle("a", Board(parse_puzzle(EVEN_ODD)))])).tab
    tab.emulate_media(media="print")
    style = "getComputedStyle(document.querySelector('.even'))"
    red, green, blue = map(int, re.findall(r"\d+", tab.evaluate(f"{style}.fill")))
    tab.emulate_media(media="null")
    assert red == green == blue <= 215
    assert tab.locator(".page .even").first.evaluate("each => each.tagName") == "path"


@pytest.mark.parametrize("width", [1200, 360])
def test_on_a_screen_nothing_is_wider_than_it(width, opened, reader):
    reader.tab.set_viewport_size({"width": width, "height": 800})
    tab = opened(Sheet.of(various())).tab
    wide, room = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    reader.tab.set_viewport_size({"width": 1280, "height": 720})
    assert wide <= room


def test_axe_finds_nothing_serious(chromium, tmp_path):
    from axe_core_python.sync_playwright import Axe

    path = tmp_path / "sheet.html"
    path.write_text("".join(Sheet.of(various()).chunks()))
    with closing(Reader(chromium, path.as_uri(), bypass_csp=True)) as reader:
        violations = Axe().run(reader.tab, options={"resultTypes": ["violations"]})["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in violations] == []


def test_steps_take_as_many_pages_in_a_pdf():
    sheet = Sheet.of(worked())
    pages = pages_of(sheet_pdf(sheet))
    assert len(pages) == sheet.total
    assert [page for page in pages if "How to read the steps" in page] == pages[2:3]
    for number, page in enumerate(pages, 1):
        assert f"{number} of {sheet.total}" in page
