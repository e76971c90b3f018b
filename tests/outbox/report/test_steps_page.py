"""The page of the steps through a published puzzle: nothing is told before it is unfolded."""

from __future__ import annotations

import pytest
from support.drop_folders import SMALL, TWO_SOLUTIONS, DropFolder
from support.outboxes import EXAMPLES
from support.pictures import BOARD
from support.sheets import texts, tree_of

from pipeline import parse_puzzle
from pipeline.errors import InputError
from pipeline.outbox.report.page import job_fragment, page_chunks
from pipeline.outbox.report.steps_page import (
    TextEntry,
    entries_of,
    published_level,
    published_picture,
    steps_page,
)
from pipeline.outbox.report.worked import Panel, PanelLine
from pipeline.steps import loader, ratings

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
CNF = "p cnf 1 1\n1 0\n"


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    box = DropFolder.within(tmp_path_factory.mktemp("steps"))
    for name, text in {"easy.txt": EASY, "small.txt": SMALL, "two.txt": TWO_SOLUTIONS}.items():
        box.drop(name, text)
    box.drop("formula.cnf", CNF)
    box.run("--settle", "0")
    return box


def page(box, name: str) -> str:
    return steps_page(box.outbox / name, box.inbox / "done")


def test_the_page_has_a_hint_in_three_levels_and_all_steps_folded(box):
    root = tree_of(page(box, "easy.json"))
    summaries = texts(root, "summary")
    assert summaries[0] == "Show all candidates"
    assert summaries[1:4] == ["Which technique is next?", "Where?", "Show the step"]
    folded = [each for each in root.iter("details") if "open" not in each.attrib]
    assert len(folded) == 4 + -(-EASY.count(".") // 16) + 2
    outside = [*root.iter("main")]
    for details in folded:
        for parent in root.iter():
            if details in list(parent):
                parent.remove(details)
    seen = "".join(text for each in outside for text in each.itertext())
    assert "single" not in seen
    assert "r5c5" not in seen


def test_the_level_is_that_of_a_rating(box):
    (rating,) = ratings([parse_puzzle(EASY).cells], has_se=False)
    level = f"{rating.level}, score {rating.score}"
    assert f"Level: {level}" in page(box, "easy.json")
    levels = {"easy": level, "small": "", "two": ""}
    for name, text in levels.items():
        assert published_level(box.outbox / f"{name}.json", box.inbox / "done") == text
    assert "Level:" not in page(box, "small.json"), "only 9×9 puzzles are rated"


def test_the_steps_of_a_slow_puzzle_end_at_a_time_limit(box):
    times = iter([0.0, 10.0, 30.0])
    text = steps_page(box.outbox / "small.json", box.inbox / "done", lambda: next(times))
    assert "The time limit for steps was reached; the solution was found by search." in text
    assert next(times, None) is None, "it ends with the second step"


def test_a_picture_is_drawn_with_its_solution(box):
    picture = published_picture(box.outbox / "two.json", box.inbox / "done")
    assert picture.startswith("<svg xmlns=")
    assert 'class="solved"' in picture
    with pytest.raises(InputError, match="a formula is not a puzzle"):
        published_picture(box.outbox / "formula.json", box.inbox / "done")


def test_steps_of_other_sizes_are_shown(box):
    assert "Naked single" in page(box, "small.json") or "Full house" in page(box, "small.json")


def test_only_the_record_of_a_puzzle_with_one_solution_has_steps(box):
    for name in ("two.json", "formula.json", "none.json", "easy_1.solution"):
        with pytest.raises(InputError):
            page(box, name)


def test_only_puzzles_with_steps_link_to_them(box):
    linked = {
        name: "steps?record=" in job_fragment(box.outbox / f"{name}.json", box.inbox, 0)
        for name in ("easy", "small", "two", "formula")
    }
    assert linked == {"easy": True, "small": True, "two": False, "formula": False}
    report = "".join(page_chunks(box.outbox, box.inbox, box.outbox))
    assert "steps?record=" not in report, "a page without a server has no steps"


def test_a_result_on_its_own_has_its_title_downloads_and_links_to_other_programs(box):
    titled = parse_puzzle(EASY).to("f-puzzles").replace("{", '{"title":"One <b>",', 1)
    box.drop("titled.txt", titled)
    box.drop("samurai.txt", (EXAMPLES / "samurai.txt").read_text())
    box.run("--settle", "0")
    html = job_fragment(box.outbox / "titled.json", box.inbox, 0)
    assert "<span>One &lt;b&gt;</span>" in html
    assert 'href="titled_1.solution" download' in html
    assert 'href="https://sudokupad.app/fpuzzles' in html
    html = job_fragment(box.outbox / "samurai.json", box.inbox, 0)
    assert "Open in:" not in html, "no link can express it"
    report = "".join(page_chunks(box.outbox, box.inbox, box.outbox, served_version="1"))
    assert "sudokupad.app" not in report, "it would take long for 1,000 boards"
    assert "picture?record=easy.json" in report


def test_branches_are_nested():
    lines = [
        PanelLine("a"),
        PanelLine("b", 1),
        PanelLine("c", 2),
        PanelLine("d", 2),
        PanelLine("e", 1),
    ]
    inner = [TextEntry("b", [TextEntry("c", []), TextEntry("d", [])]), TextEntry("e", [])]
    assert entries_of(Panel("1", "Net", BOARD, tuple(lines))) == [TextEntry("a", inner)]
