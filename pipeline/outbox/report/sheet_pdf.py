"""A sheet → a PDF in A4, which `sheet.typ` lays out as the HTML file is, in the same colours."""

from __future__ import annotations

import re
from typing import Any, Final

from pipeline.outbox.report.board import board_svg
from pipeline.outbox.report.page import read_asset
from pipeline.outbox.report.records import shortened
from pipeline.outbox.report.sheet import Sheet, SheetPage, Slot
from pipeline.outbox.report.typeset import plain, typeset

_COLOURS: Final = dict(re.findall(r"--([\w-]+): ([^;]+);", read_asset("sheet.css")))
_FEW, _WIDEST_OF_FEW = 6, 96
_THIN, _THICK, _THICK_OF_MANY, _MANY = 0.2, 0.6, 0.45, 12


def sheet_pdf(sheet: Sheet) -> bytes:
    """The PDF of a sheet. Raises UsageError if the extra is not installed."""
    head, pages = sheet.head, list[dict[str, Any]]()
    for page in sheet.puzzles:
        title = {"title": head.name, "beside": head.beside, "foot": sheet.foot(page)}
        pages.append(title | _boards(page))
    for some in sheet.rules:
        rules = [[shortened(names), sentence] for names, sentence in some]
        pages.append({"title": "Rules", "beside": head.name, "foot": "", "rules": rules})
    for page in sheet.solutions:
        title = {"title": "Solutions", "beside": head.name, "foot": ""}
        pages.append(title | _boards(page))
    name = head.name or f"Sudoku: {sheet.summary}"
    data = {"title": name, "author": shortened(head.author), "pages": pages}
    return typeset(read_asset("sheet.typ"), data | {"is_linked": bool(sheet.solutions)})


def _boards(page: SheetPage) -> dict[str, Any]:
    columns, rows, size = page.layout
    slots = [_placed(slot, size, page.boards) for slot in page.slots]
    return {"columns": columns, "rows": rows, "size": size, "slots": slots}


def _placed(slot: Slot, size: float, boards: int) -> dict[str, Any]:
    """A board in millimetres, and what stands around it."""
    placed: dict[str, Any] = {
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
        svg = plain(board_svg(board, slot.title, "b", alone=True), _COLOURS)
        lines = f".board .thin {{ stroke-width: {_THIN / scale:.3f}; }} "
        lines += f".board .thick {{ stroke-width: {thick / scale:.3f}; }} "
        placed |= {"svg": svg.replace("</style>", f"{lines}</style>", 1)}
        placed |= {"width": width * scale, "height": height * scale}
    return placed
