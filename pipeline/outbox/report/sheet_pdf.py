"""Write a sheet as a PDF in A4. `sheet.typ` has the layout and colours of the HTML file."""

from __future__ import annotations

import re
from typing import Any, Final

from pipeline.outbox.report.board import board_svg
from pipeline.outbox.report.page import read_asset
from pipeline.outbox.report.published_jobs import shorten
from pipeline.outbox.report.sheet import Sheet, SheetPage, Slot
from pipeline.outbox.report.typeset import resolve_colours, typeset

_COLOURS: Final = dict(re.findall(r"--([\w-]+): ([^;]+);", read_asset("sheet.css")))
_FEW, _WIDEST_OF_FEW = 6, 96
_THIN, _THICK, _THICK_OF_MANY, _MANY = 0.2, 0.6, 0.45, 12


def sheet_pdf(sheet: Sheet) -> bytes:
    """The PDF of a sheet. Raises UsageError if the extra is not installed."""
    head, pages = sheet.head, list[dict[str, Any]]()
    for page in sheet.puzzles:
        title = {"title": head.name, "beside": head.subtitle, "foot": sheet.footer(page)}
        pages.append(title | _boards(page))
    for rules_of_page in sheet.rules:
        rules = [[shorten(names), sentence] for names, sentence in rules_of_page]
        pages.append({"title": "Rules", "beside": head.name, "foot": "", "rules": rules})
    for page in sheet.solutions:
        title = {"title": "Solutions", "beside": head.name, "foot": ""}
        pages.append(title | _boards(page))
    name = head.name or f"Sudoku: {sheet.summary}"
    data = {"title": name, "author": shorten(head.author), "pages": pages}
    return typeset(read_asset("sheet.typ"), data | {"is_linked": bool(sheet.solutions)})


def _boards(page: SheetPage) -> dict[str, Any]:
    columns, rows, size = page.layout
    slots = [_slot_data(slot, size, page.boards) for slot in page.slots]
    return {"columns": columns, "rows": rows, "size": size, "slots": slots}


def _slot_data(slot: Slot, size: float, boards: int) -> dict[str, Any]:
    """The data of a slot for `sheet.typ`: its texts, and its board with the size in millimetres."""
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
        is_small = max(board.geometry.extent) <= _FEW
        scale = (min(size, _WIDEST_OF_FEW) if is_small else size) / max(width, height)
        thick = _THICK_OF_MANY if boards >= _MANY else _THICK
        svg = resolve_colours(board_svg(board, slot.title, "b", standalone=True), _COLOURS)
        lines = f".board .thin {{ stroke-width: {_THIN / scale:.3f}; }} "
        lines += f".board .thick {{ stroke-width: {thick / scale:.3f}; }} "
        data |= {"svg": svg.replace("</style>", f"{lines}</style>", 1)}
        data |= {"width": width * scale, "height": height * scale}
    return data
