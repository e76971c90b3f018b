"""`report --steps`: pages of steps beside the report, made within limits, removed when unused."""

from __future__ import annotations

import re
from shutil import copytree

import pytest
from support.commands import run
from support.drop_folders import OTHER, SMALL, TWO_SOLUTIONS, DropFolder
from support.sheets import texts, tree_of

from pipeline.outbox.names import STEPS_FOLDER, stems_for
from pipeline.outbox.report import REPORT, StepPages, write_report
from pipeline.steps import loader

LINK = re.compile(rf'href="({STEPS_FOLDER}/[^"]+)"')


NAMES = ["a.txt", "many.txt, puzzle 1", "many.txt, puzzle 2"]


@pytest.fixture(autouse=True)
def _in_plain_python(monkeypatch):
    monkeypatch.setattr(loader, "get", lambda *_, **__: None)


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    box = DropFolder.within(tmp_path_factory.mktemp("solved"))
    many = "".join(text.replace("\n", "") + "\n" for text in (SMALL, OTHER))
    files = {"a.txt": SMALL, "two.txt": TWO_SOLUTIONS, "many.txt": many}
    for name, text in files.items():
        box.drop(name, text)
    assert box.run("--settle", "0").returncode == 0
    return box.inbox.parent


@pytest.fixture
def box(solved, tmp_path):
    copytree(solved, tmp_path, dirs_exist_ok=True)
    return DropFolder(tmp_path / "inbox", tmp_path / "outbox")


def report(box, *options: str):
    return run("report", str(box.outbox), "--inbox", str(box.inbox), *options)


def links(box) -> list[str]:
    return LINK.findall((box.outbox / REPORT).read_text())


def pages(box) -> list[str]:
    return sorted(path.name for path in (box.outbox / STEPS_FOLDER).glob("*"))


class Pages(StepPages):
    """Step pages of an outbox, at most `max_pages`, with a clock that is read `seconds` apart."""

    def __init__(self, box, max_pages=100, seconds=0.0):
        self.max_pages, self.now, self.seconds = max_pages, 0.0, seconds
        super().__init__(box.outbox / REPORT, makes_pages=True, clock=self.clock)

    def clock(self):
        self.now += self.seconds
        return self.now


def test_each_board_with_one_solution_links_to_its_page_and_back(box):
    assert report(box)[0] == 0
    assert links(box) == []
    assert not (box.outbox / STEPS_FOLDER).exists()
    code, printed, _ = report(box, "--steps")
    assert (code, printed) == (0, f"{box.outbox}/{REPORT}, with the steps of 3 puzzles\n")
    assert len({*links(box)}) == len(pages(box)) == 3
    for link in links(box):
        root = tree_of((box.outbox / link).read_text())
        assert texts(root, "summary")[1] == "Which technique is next?"
        assert [a.get("href") for a in root.iter("a")] == [f"../{REPORT}"]
        assert "script-src" in root.find(".//meta[@http-equiv]").get("content")


def test_pages_that_exist_are_kept_and_linked_by_every_report(box):
    report(box, "--steps")
    before = {path: path.stat().st_ino for path in (box.outbox / STEPS_FOLDER).iterdir()}
    linked = links(box)
    report(box)
    assert links(box) == linked
    report(box, "--steps")
    assert {path: path.stat().st_ino for path in before} == before


def test_pages_are_named_after_the_file_and_the_puzzle_in_it(box):
    report(box, "--steps")
    names = [tree_of((box.outbox / link).read_text()).find(".//h1") for link in links(box)]
    assert sorted("".join(name.itertext()) for name in names) == NAMES


def test_unused_pages_are_removed_and_other_files_are_kept(box):
    report(box, "--steps")
    folder = box.outbox / STEPS_FOLDER
    (folder / "mine.html").write_text("mine")
    (folder / f"{'0' * 20}.html").write_text("old")
    for name in ("a.json", "a_1.solution", "a.log"):
        (box.outbox / name).unlink()
    report(box, "--steps")
    assert pages(box) == sorted([*(link.split("/")[1] for link in links(box)), "mine.html"])


def test_a_limited_number_of_pages_is_made_in_a_limited_time(box):
    write_report(box.outbox, box.inbox, box.outbox / REPORT, step_pages=Pages(box, max_pages=1))
    assert len(links(box)) == len(pages(box)) == 1
    assert "2 more puzzles on this page can have steps" in (box.outbox / REPORT).read_text()
    write_report(box.outbox, box.inbox, box.outbox / REPORT, step_pages=Pages(box, seconds=15))
    assert len(links(box)) == 2, "a page that exists is linked, and there is time for one more"
    write_report(box.outbox, box.inbox, box.outbox / REPORT, step_pages=Pages(box))
    assert len(links(box)) == 3
    assert "can have steps" not in (box.outbox / REPORT).read_text()


def test_the_steps_of_a_slow_puzzle_end_at_a_time_limit_and_its_page_says_so(box):
    write_report(box.outbox, box.inbox, box.outbox / REPORT, step_pages=Pages(box, seconds=30))
    (link,) = links(box)
    page = (box.outbox / link).read_text()
    assert "The time limit for steps was reached; the solution was found by search." in page
    assert len(texts(tree_of(page), "summary")) > 1, "the first step is on the page"
    write_report(box.outbox, box.inbox, box.outbox / REPORT, step_pages=Pages(box))
    assert len(links(box)) == 3
    assert (box.outbox / link).read_text() == page, "the next call does not try this puzzle again"
    cut = [link for link in links(box) if "time limit" in (box.outbox / link).read_text()]
    assert cut == [link], "other pages have all steps"


@pytest.mark.parametrize("kind", ["link", "broken link", "file"])
@pytest.mark.parametrize("name", [STEPS_FOLDER, "page-steps"])
def test_nothing_is_written_through_a_link_or_over_a_file(box, tmp_path, kind, name):
    folder, target = box.outbox / name, tmp_path / "elsewhere"
    if kind == "file":
        folder.write_text("mine")
    else:
        folder.symlink_to(target, target_is_directory=True)
    if kind == "link":
        target.mkdir()
        (target / f"{'0' * 20}.html").write_text("mine")
    options = () if name == STEPS_FOLDER else ("-o", str(box.outbox / "page.html"))
    code, printed, said = report(box, "--steps", *options)
    what = "not a folder" if kind == "file" else "a link"
    assert (code, printed) == (2, "")
    assert f"{name} is {what}, so no pages of steps are written" in said
    assert [path.read_text() for path in target.glob("*")] == ["mine"] * (kind == "link")
    assert not (folder.with_name(f"{name.removesuffix('-steps')}.html")).exists()
    assert report(box, *options)[0] == 0, "without --steps, the report is written"


def test_no_report_links_to_pages_through_a_link(box, tmp_path):
    report(box, "--steps")
    folder = box.outbox / STEPS_FOLDER
    folder.rename(tmp_path / "elsewhere")
    report(box)
    assert links(box) == []
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    report(box)
    assert links(box) == []
    folder.unlink()
    (tmp_path / "elsewhere").rename(folder)
    report(box)
    assert len(links(box)) == 3


def test_other_commands_ignore_the_pages(box):
    report(box, "--steps")
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    code, printed, said = run("audit", str(box.outbox), "--inbox", str(box.inbox))
    assert (code, STEPS_FOLDER in printed + said) == (0, False)
    assert STEPS_FOLDER not in run("prune", *folders, "--older-than", "0s", "--dry-run")[1]
    assert run("sheet", str(box.outbox), "-o", str(box.inbox.parent / "sheet.html"))[0] == 1


def test_another_report_has_a_folder_of_its_own(box, tmp_path):
    assert report(box, "--steps", "-o", str(tmp_path / "page.html"))[0] == 0
    assert len([*(tmp_path / "page-steps").iterdir()]) == 3
    assert (
        f'href="page-steps/{next((tmp_path / "page-steps").iterdir()).name}"'
        in (tmp_path / "page.html").read_text()
    )
    code, _, said = report(box, "--steps", "-o", "-")
    assert (code, "--steps writes pages beside the report" in said) == (2, True)


def test_no_archive_takes_the_name_of_the_folder_and_an_earlier_one_keeps_it(box):
    assert next(stems_for(f"{STEPS_FOLDER}.zip")) == f"{STEPS_FOLDER}.zip"
    assert next(stems_for(STEPS_FOLDER, is_folder=True)) == f"{STEPS_FOLDER}~2"
    (box.outbox / STEPS_FOLDER).mkdir()
    (box.outbox / f"{STEPS_FOLDER}.json").write_bytes((box.outbox / "two.json").read_bytes())
    report(box, "--steps")
    assert (links(box), pages(box)) == ([], [])


def test_earlier_results_under_the_name_of_the_folder_pass_an_audit(box):
    for path in box.outbox.glob("a[._]*"):
        path.rename(path.with_name(path.name.replace("a", STEPS_FOLDER, 1)))
    record, log = (box.outbox / f"{STEPS_FOLDER}{ending}" for ending in (".json", ".log"))
    record.write_text(re.sub(r'"a([._])', rf'"{STEPS_FOLDER}\1', record.read_text()))
    log.unlink()
    (box.inbox / "done" / "a.txt").rename(box.inbox / "done" / f"{STEPS_FOLDER}.txt")
    code, printed, _ = run("audit", str(box.outbox), "--inbox", str(box.inbox))
    assert code == 0, printed
