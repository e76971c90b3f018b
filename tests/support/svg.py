"""SVG as it is read: its elements by class."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from pipeline.outbox.report.board import Board, board_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(board: Board, title: str = "a.txt") -> ET.Element:
    return ET.fromstring(board_svg(board, title, "b", standalone=True))


def of_class(svg: ET.Element, *names: str) -> list[ET.Element]:
    """The elements that have all these classes."""
    return [each for each in svg.iter() if {*names} <= {*each.get("class", "").split()}]
