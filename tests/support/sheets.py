"""What is on a sheet: its pages, and on them its boards; what is in HTML and in a PDF."""

from __future__ import annotations

from contextlib import closing
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

from pipeline import Grid, Puzzle

CELL = 20
VOID = ("br", "col", "img", "input", "link", "meta")


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.builder = TreeBuilder()

    def handle_starttag(self, tag, attributes):
        self.builder.start(tag, dict(attributes))
        if tag in VOID:
            self.builder.end(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.builder.end(tag)

    def handle_data(self, data):
        self.builder.data(data)


def tree_of(html: str) -> Element:
    """The elements of a page in which every element that has an end is closed."""
    tree = _Tree()
    tree.feed(html)
    tree.close()
    return tree.builder.close()


def texts(element: Element, *tags: str) -> list[str]:
    return ["".join(each.itertext()) for each in element.iter() if each.tag in tags]


class Drawn:
    """A board with its texts; `given` and `solved` are the signs in its cells."""

    def __init__(self, article: Element) -> None:
        self.number = "".join(texts(article, "a", "b"))
        self.name = "".join(texts(article, "bdi"))
        self.level = "".join(texts(article, "i"))
        self.note = "".join(texts(article, "p"))
        self.marks = {path.get("class") for path in article.iter("path")}
        self.given, self.solved = self._signs(article, "given"), self._signs(article, "solved")

    @staticmethod
    def _signs(article: Element, kind: str) -> dict[tuple[int, int], str]:
        signs = {}
        written = [each for each in article.iter("text") if each.get("class").split()[0] == kind]
        for each in (part for text in written for part in text.iter() if part.text):
            xs, ys = (map(float, each.get(axis).split()) for axis in "xy")
            whole = [each.text] if each.tag == "tspan" else each.text
            for x, y, sign in zip(xs, ys, whole, strict=True):
                signs[int(y // CELL) + 1, int(x // CELL) + 1] = sign
        return signs

    def grid(self, puzzle: Puzzle) -> Grid:
        """The solution that is drawn, of numbers."""
        values = self.given | self.solved
        return Grid(puzzle.geometry, tuple(int(values[place]) for place in sorted(values)))


class Paper:
    """A page: `puzzles`, `rules` or `solutions`, and the texts at its head and foot.

    It has up to so many boards, or names of rules with what they demand.
    """

    def __init__(self, section: Element) -> None:
        _, self.kind, *boards = section.get("class").split()
        self.boards = int(boards[0].removeprefix("of-")) if boards else 0
        self.drawn = [*map(Drawn, section.iter("article"))]
        self.told = texts(section, "dt", "dd")
        heads = (text for header in section.iter("header") for text in header.itertext())
        self.head = [text for text in heads if text.strip()]
        self.foot = "".join(texts(section, "footer"))


class SheetText:
    """A sheet as it is read."""

    def __init__(self, text: str) -> None:
        root = tree_of(text)
        self.pages = [*map(Paper, root.iter("section"))]
        self.tags = [each.tag for each in root.iter()]
        self.puzzles, self.solutions = (
            [each for page in self.pages if page.kind == kind for each in page.drawn]
            for kind in ("puzzles", "solutions")
        )


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page of a PDF."""
    from pypdfium2 import PdfDocument

    with closing(PdfDocument(pdf)) as document:
        return [page.get_textpage().get_text_bounded() for page in document]
