"""What stands on a sheet: its pages, and on them its boards; what is in a PNG and in a PDF."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser

from pipeline import Grid, Puzzle

CELL = 20


@dataclass
class Drawn:
    """A board with what stands around it; `given` and `solved` are the signs in its cells."""

    id: str
    number: str = ""
    name: str = ""
    level: str = ""
    note: str = ""
    side: int = 0
    given: dict[tuple[int, int], str] = field(default_factory=dict)
    solved: dict[tuple[int, int], str] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)

    def grid(self, puzzle: Puzzle) -> Grid:
        """The solution that is drawn, of numbers."""
        values = self.given | self.solved
        return Grid(puzzle.geometry, tuple(int(values[place]) for place in sorted(values)))


@dataclass
class Paper:
    """A page: `puzzles`, `rules` or `solutions`, and the texts at its head and foot.

    It has up to so many boards, or names of rules with what they demand.
    """

    kind: str
    boards: int
    drawn: list[Drawn] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    foot: str = ""


class SheetText(HTMLParser):
    """A sheet as it is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pages: list[Paper] = []
        self.tags: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    @property
    def puzzles(self) -> list[Drawn]:
        return [each for page in self.pages if page.kind == "puzzles" for each in page.drawn]

    @property
    def solutions(self) -> list[Drawn]:
        return [each for page in self.pages if page.kind == "solutions" for each in page.drawn]

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        if tag not in ("meta", "img", "br"):
            self._open.append((tag, given))
        if tag == "section":
            _, kind, *boards = given["class"].split()
            self.pages.append(Paper(kind, int(boards[0].removeprefix("of-")) if boards else 0))
        elif tag == "article":
            self.pages[-1].drawn.append(Drawn(given["id"]))
        elif tag == "svg":
            self._drawn.side = (int(given["viewbox"].split()[2]) - 4) // CELL
        elif tag == "path":
            self._drawn.marks.add(given["class"])

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tags = [tag for tag, _ in self._open]
        if "footer" in tags:
            self.pages[-1].foot += data
        if "header" in tags and data.strip():
            self.pages[-1].head.append(data)
        if tags and tags[-1] in ("dt", "dd"):
            self.pages[-1].told.append(data)
        if "article" not in tags:
            return
        match tags[-1]:
            case "a" | "b":
                self._drawn.number += data
            case "bdi":
                self._drawn.name += data
            case "i":
                self._drawn.level += data
            case "p":
                self._drawn.note += data
            case "text" | "tspan":
                self._sign(data, "tspan" in tags)

    @property
    def _drawn(self) -> Drawn:
        return self.pages[-1].drawn[-1]

    def _sign(self, data, is_whole):
        text = next(given for tag, given in self._open if tag == "text")
        kinds = {"given": self._drawn.given, "solved": self._drawn.solved}
        cells = kinds.get(text["class"].split()[0])
        if cells is None:
            return  # of a rule
        at = self._open[-1][1]
        xs, ys = (map(int, at[axis].split()) for axis in "xy")
        for x, y, sign in zip(xs, ys, [data] if is_whole else data, strict=True):
            cells[y // CELL + 1, x // CELL + 1] = sign


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page of a PDF."""
    from pypdfium2 import PdfDocument

    with closing(PdfDocument(pdf)) as document:
        return [page.get_textpage().get_text_bounded() for page in document]
