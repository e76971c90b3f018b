"""SVG as it is read: its elements by class, and the areas that its paths enclose."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from pipeline.outbox.report.board import Board, board_svg

SVG = "{http://www.w3.org/2000/svg}"
_STEP = re.compile(r"([MHVhvz])([^MHVhvz]*)")


def drawn(board: Board, title: str = "a.txt") -> ET.Element:
    return ET.fromstring(board_svg(board, title, "b", alone=True))


def of_class(svg: ET.Element, *names: str) -> list[ET.Element]:
    """The elements that have all these classes."""
    return [each for each in svg.iter() if {*names} <= {*each.get("class", "").split()}]


def text_of(element: ET.Element) -> list[str]:
    """The texts of an element's parts."""
    return [each.text or "" for each in element.iter(f"{SVG}tspan")]


def loops(path: str) -> list[list[tuple[float, float]]]:
    """The corners of each line in a path of straight lines across and down."""
    found: list[list[tuple[float, float]]] = []
    for step, said in _STEP.findall(path):
        numbers = [*map(float, said.split())]
        if step == "M":
            found.append([(numbers[0], numbers[1])])
            continue
        if step == "z":
            continue
        x, y = found[-1][-1]
        ends = {"H": (numbers[0], y), "V": (x, numbers[0])}
        ends |= {"h": (x + numbers[0], y), "v": (x, y + numbers[0])}
        found[-1].append(ends[step])
    return found


def encloses(path: str, x: float, y: float) -> bool:
    """Whether a point is inside of closed lines: a ray from it meets an odd number of sides."""
    met = 0
    for corners in loops(path):
        for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
            met += x1 == x2 and x1 > x and min(y1, y2) < y < max(y1, y2)
    return met % 2 == 1
