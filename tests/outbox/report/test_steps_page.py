"""The page of the steps through a published puzzle: nothing is told before it is unfolded."""

from __future__ import annotations

import pytest
from support.drop_folders import SMALL, TWO_SOLUTIONS, DropFolder
from support.pictures import BOARD
from support.sheets import texts, tree_of

from pipeline.errors import InputError
from pipeline.outbox.report.page import job_fragment, page_chunks
from pipeline.outbox.report.steps_page import TextEntry, entries_of, steps_page
from pipeline.outbox.report.worked import Panel, PanelLine
from pipeline.steps import loader

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
    assert summaries[:3] == ["Which technique is next?", "Where?", "Show the step"]
    folded = [each for each in root.iter("details") if "open" not in each.attrib]
    assert len(folded) == 3 + -(-EASY.count(".") // 16) + 1
    outside = [*root.iter("main")]
    for details in folded:
        for parent in root.iter():
            if details in list(parent):
                parent.remove(details)
    seen = "".join(text for each in outside for text in each.itertext())
    assert "single" not in seen
    assert "r5c5" not in seen


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
