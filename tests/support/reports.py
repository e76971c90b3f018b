"""An outbox of jobs of every kind, and what a reader finds on the page about it."""

from __future__ import annotations

import json
from pathlib import Path

from support.drop_folders import NO_SOLUTION, SMALL, TWO_SOLUTIONS
from support.outboxes import packed
from support.puzzles import EVEN_ODD
from support.sheets import tree_of

from pipeline.outbox.report import page_chunks

HOSTILE = "<img src=x onerror=alert(1)>.txt"
LINES = "".join(
    f"{line}\n"
    for line in ("1.....2..3.....4", "4.....3..2.....1", "1.1.............", "12..34214312 21..")
)
FILES = {
    "small.txt": SMALL,
    "none.txt": NO_SOLUTION,
    "two.txt": TWO_SOLUTIONS,
    "even.txt": EVEN_ODD,
    "bad.txt": "12x\n",
    HOSTILE: SMALL,
    "many.txt": LINES,
    "rule.cnf": "p cnf 1 1\n1 0\n",
    "set.zip": packed(("in/a.txt", SMALL), ("in/none.txt", NO_SOLUTION), ("many.txt", LINES)),
}


class Page:
    """What a reader of the page finds: its links, its text, the rows of its table."""

    def __init__(self, text: str) -> None:
        root = tree_of(text)
        self.said = " ".join(" ".join(root.itertext()).split())
        self.tags = [(each.tag, each.attrib) for each in root.iter()]
        self.links = [given["href"] for tag, given in self.tags if tag == "a"]
        self.ids = [given["id"] for _, given in self.tags if "id" in given]
        self.files = [link for link in self.links if not link.startswith("#")]

    def boards(self) -> int:
        return sum(
            tag == "svg" and given.get("class") in ("board", "board few")
            for tag, given in self.tags
        )

    def rows(self) -> int:
        return sum("data-statuses" in given for _, given in self.tags)


def text_of(outbox: Path, inbox: Path, **options) -> str:
    return "".join(page_chunks(outbox, inbox, outbox, **options))


def page_of(outbox: Path, inbox: Path, **options) -> Page:
    return Page(text_of(outbox, inbox, **options))


def record(folder: Path, name: str, **fields) -> Path:
    path = folder / f"{name}.json"
    told = {"schema": 1, "job": "j", "source": f"{name}.txt", "status": "unique", "files": []}
    fields["files"] = [{"sha256": ""} | each for each in fields.get("files", ())]
    path.write_text(json.dumps(told | fields))
    return path


ROW = "{index},{index},1.....2..3.....4,{status},1,true,exhaustive-search,1243342143122134,,,\n"
HEAD = (
    "index,line,puzzle,status,solutions,complete,certificate,solution,message,disagreement,title\n"
)


def table(path: Path, statuses: list[str]) -> Path:
    """A table of a collection with a row for each status."""
    rows = (ROW.format(index=at, status=status) for at, status in enumerate(statuses, 1))
    path.write_text(HEAD + "".join(rows))
    return path


def collection(folder: Path, name: str, statuses: list[str]) -> Path:
    """Table and record of a collection of puzzles with these statuses; its record."""
    table(folder / f"{name}.csv", statuses)
    totals = {status: statuses.count(status) for status in dict.fromkeys(statuses)}
    return record(folder, name, status="collection", totals=totals)
