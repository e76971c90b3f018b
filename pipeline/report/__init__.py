"""An outbox as one page to look at, and puzzles as drawings.

    records ─ survey ─▶ Survey ─ views ─▶ cards, links ─ page ─▶ one HTML file

All names and contents are untrusted: what cannot be read becomes a row that says so, everything is
bounded, and what is shown is escaped.
"""

from pipeline.published.names import REPORT
from pipeline.report.board import LARGEST_DRAWN, Board, board_svg
from pipeline.report.page import Keeper, page_pieces, write_report, write_whole, written

__all__ = [
    "LARGEST_DRAWN",
    "REPORT",
    "Board",
    "Keeper",
    "board_svg",
    "page_pieces",
    "write_report",
    "write_whole",
    "written",
]
