"""The report about an outbox, drawings of puzzles, and sheets to print.

    records ─ survey ─▶ Survey ─ views ─▶ cards, links ─ page ─▶ one HTML file
    records ─ published_puzzles ─▶ SheetPuzzle ─ sheet ─▶ one HTML file, or a PDF

All names and contents are untrusted: a record that cannot be read becomes a job with an error
message, all sizes are limited, and all texts are escaped.
"""

from pipeline.outbox.names import REPORT
from pipeline.outbox.report.assets import content_policy
from pipeline.outbox.report.board import TOO_LARGE, Board, board_svg
from pipeline.outbox.report.page import (
    ReportUpdater,
    job_fragment,
    page_chunks,
    page_style,
    write_report,
)
from pipeline.outbox.report.published_puzzles import is_published, puzzles_at
from pipeline.outbox.report.sheet import MAX_SHEET_PUZZLES, PER_PAGE, Head, Sheet, SheetPuzzle
from pipeline.outbox.report.sheet_pdf import sheet_pdf
from pipeline.outbox.report.steps_page import (
    MAX_PAGE_SECONDS,
    StepPages,
    published_level,
    published_picture,
    steps_page,
)
from pipeline.outbox.report.typeset import check_typst
from pipeline.outbox.report.worked import MAX_WORKED_PUZZLES, Worked, worked_of

__all__ = [
    "MAX_PAGE_SECONDS",
    "MAX_SHEET_PUZZLES",
    "MAX_WORKED_PUZZLES",
    "PER_PAGE",
    "REPORT",
    "TOO_LARGE",
    "Board",
    "Head",
    "ReportUpdater",
    "Sheet",
    "SheetPuzzle",
    "StepPages",
    "Worked",
    "board_svg",
    "check_typst",
    "content_policy",
    "is_published",
    "job_fragment",
    "page_chunks",
    "page_style",
    "published_level",
    "published_picture",
    "puzzles_at",
    "sheet_pdf",
    "steps_page",
    "worked_of",
    "write_report",
]
