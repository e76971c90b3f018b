"""Write a sheet as a PDF in A4. `sheet.typ` imitates the layout of the HTML file."""

from __future__ import annotations

import re
from typing import Any, Final

from pipeline.outbox.report.assets import read_asset
from pipeline.outbox.report.board import Board, board_svg
from pipeline.outbox.report.published_jobs import shorten
from pipeline.outbox.report.sheet import Sheet, SheetPage, Slot
from pipeline.outbox.report.step_shapes import legend_svg
from pipeline.outbox.report.typeset import resolve_colours, typeset
from pipeline.outbox.report.worked import Panel, WorkedPage

_COLOURS: Final = dict(re.findall(r"--([\w-]+): ([^;]+);", read_asset("sheet.css")))
"""Maps the custom properties of the HTML file to their colours."""

_SMALL_SIDE, _MAX_SMALL_SIZE = 6, 96
"""Boards up to this number of rows and columns are drawn at most this large, in millimetres."""

_THIN_LINE, _THICK_LINE, _DENSE_THICK_LINE, _DENSE_BOARDS = 0.2, 0.6, 0.45, 12
"""Widths of lines, in millimetres. Thick lines have the third width on pages that have room for
_DENSE_BOARDS or more boards."""

_MAX_DEPTH = 6
"""The deepest level of nested lines that is indented further."""


def sheet_pdf(sheet: Sheet) -> bytes:
    """Typeset a sheet as a PDF. Raises UsageError if the extra is not installed."""
    head, pages = sheet.head, list[dict[str, Any]]()
    for index, page in enumerate(sheet.puzzles):
        title = _heading(head.name, index, head.subtitle)
        pages.append(title | {"foot": sheet.footer(page)} | _boards(page))
    for index, rules_of_page in enumerate(sheet.rules):
        rules = [[shorten(names), sentence] for names, sentence in rules_of_page]
        pages.append(_heading("Rules", index) | {"foot": "", "rules": rules})
    for index, page in enumerate(sheet.solutions):
        title = _heading("Solutions", index)
        pages.append(title | {"foot": sheet.footer(page)} | _boards(page))
    for index, guide in enumerate(sheet.guide):
        legend = resolve_colours(legend_svg(standalone=True), _COLOURS) if index == 0 else ""
        title = _heading("How to read the steps", index)
        pages.append(title | {"foot": "", "guide": guide, "legend": legend})
    pages += [_worked_page(page) for page in sheet.worked]
    name = head.name or f"Sudoku: {sheet.summary}"
    data = {"title": name, "author": shorten(head.author), "pages": pages}
    return typeset(read_asset("sheet.typ"), data | {"is_linked": bool(sheet.solutions)})


def _heading(title: str, index: int, beside: str = "") -> dict[str, Any]:
    """The texts at the top of a page, which only the first of several pages has."""
    return {"title": "" if index else title, "beside": "" if index else beside}


def _worked_page(page: WorkedPage) -> dict[str, Any]:
    """Make the data of a page of steps for `sheet.typ`."""
    title = f"Steps of puzzle {page.number}{'' if page.is_first else ', continued'}"
    steps = [
        {
            "is_below": row.is_below,
            "size": row.board_size,
            "panels": [_panel_data(panel, row.board_size) for panel in row.panels],
        }
        for row in page.rows
    ]
    return {
        "title": title,
        "beside": page.subtitle,
        "foot": "",
        "steps": steps,
        "note": page.note,
        "here": f"w{page.number}" if page.is_first else "",
    }


def _panel_data(panel: Panel, size: int) -> dict[str, Any]:
    """Make the data of a panel for `sheet.typ`. `size`: that of the board, in millimetres."""
    lines = [{"text": line.text, "depth": min(line.depth, _MAX_DEPTH)} for line in panel.lines]
    data: dict[str, Any] = {
        "numbers": panel.numbers,
        "title": panel.title,
        "lines": lines,
        "is_list": panel.is_list,
        "svg": "",
    }
    if board := panel.board:
        width, height = board.size
        scale = size / max(width, height)
        svg = _with_line_widths(board, panel.title, scale, _THICK_LINE)
        data |= {"svg": svg, "width": width * scale, "height": height * scale}
    return data


def _with_line_widths(board: Board, title: str, scale: float, thick: float) -> str:
    """Draw a board whose lines have the same widths at each size.

    - `scale`: the number of millimetres to an SVG unit.
    - `thick`: the width of thick lines, in millimetres.
    """
    svg = resolve_colours(board_svg(board, title, "b", standalone=True), _COLOURS)
    lines = f".board .thin {{ stroke-width: {_THIN_LINE / scale:.3f}; }} "
    lines += f".board .thick {{ stroke-width: {thick / scale:.3f}; }} "
    return svg.replace("</style>", f"{lines}</style>", 1)


def _boards(page: SheetPage) -> dict[str, Any]:
    """Make the data of a page of boards for `sheet.typ`."""
    columns, rows, size = page.layout
    slots = [_slot_data(slot, size, page.boards) for slot in page.slots]
    return {"columns": columns, "rows": rows, "size": size, "slots": slots}


def _slot_data(slot: Slot, size: float, boards: int) -> dict[str, Any]:
    """Make the data of a slot for `sheet.typ`: its texts, its board, and the board's size in mm."""
    data: dict[str, Any] = {
        "here": f"{'s' if slot.is_solution else 'p'}{slot.number}",
        "there": f"{'p' if slot.is_solution else 's'}{slot.number}",
        "number": str(slot.number),
        "name": slot.name,
        "level": slot.level,
        "note": slot.note,
        "title": slot.title,
        "svg": "",
    }
    if board := slot.board:
        width, height = board.size
        is_small = max(board.geometry.extent) <= _SMALL_SIDE
        scale = (min(size, _MAX_SMALL_SIZE) if is_small else size) / max(width, height)
        thick = _DENSE_THICK_LINE if boards >= _DENSE_BOARDS else _THICK_LINE
        data |= {"svg": _with_line_widths(board, slot.title, scale, thick)}
        data |= {"width": width * scale, "height": height * scale}
    return data
