"""The list of formats of `doctor --formats`: appearance, input and output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pipeline.cli.options import Output
from pipeline.reading.formats import COLLECTIONS, FORMAT_NAMES
from pipeline.service.converting import NAMES, endings_of, file_of

DESCRIPTIONS: Final = {
    "grid": "rows of digits, with . or 0 for empty cells",
    "line": "the cells of a puzzle in one line",
    "lines": "a puzzle in each line",
    "csv": "a table with a puzzle in each row",
    "stacked": "grids, one below the other",
    "board": "a printed grid with borders, or with candidates",
    "boards": "several boards, under titles or between lines",
    "spaces": "rows in which a space is an empty cell",
    "characters": "16 or 25 rows, such as 0 to F or A to Y",
    "wordoku": "letters instead of digits",
    "spreadsheet": "numbers between commas, semicolons or tabs",
    "json": "lists of numbers, or an object with a grid",
    "code": "a list of Python, C, Prolog, MiniZinc or LaTeX",
    "boxes": "height and width of a box, then numbers",
    "bordered": "`puzzle size: 3x3`, then numbers between borders",
    "pencil-marks": "the candidates of all cells in one line",
    "ss": "a file of Simple Sudoku",
    "sadman": "a file of SadMan Sudoku or SudoCue",
    "sdk": "a file of SadMan Sudoku or SudoCue",
    "opensudoku": "a file of OpenSudoku",
    "hodoku": "a line of HoDoKu's library",
    "f-puzzles": "a document or link of f-puzzles, or a link of SudokuPad",
    "f-puzzles-link": "a link of f-puzzles",
    "sudokupad-link": "a link of SudokuPad",
    "iss": "a constraint string of the Interactive Sudoku Solver",
    "link": "a link whose address contains the cells",
    "solo": "a game id of Simon Tatham's Solo",
    "killer": "a killer of SudokuPad, `3x3::k:…`",
    "killer-arrows": "a killer whose cells point to the cell with the sum",
    "killer-grid": "a map or list of cages with their sums",
    "jigsaw": "a jigsaw in one line: cells, then regions",
    "jigsaw-grid": "a grid and a map of its regions",
    "jigsaws": "several grids with maps of their regions",
    "sumocue": "a killer or jigsaw of SumoCue",
    "samurai": "five overlapping grids, one per line",
    "variants": "a variant in each line, in any notation",
    "cnf": "a formula in DIMACS CNF",
    "svg": "a picture",
    "png": "a picture; needs the extra [draw]",
    "pdf": "a page for each puzzle; needs the extra [draw]",
}
"""Name of a format or notation → description; in the order of the list."""


def show_formats(out: Output) -> None:
    """Print a table of all formats; with --json, an object for each."""
    rows = [*_rows()]
    width = max(len(name) for name, *_ in rows)
    text = f"{'name':{width}}  --format  --to  what it is\n"
    for name, reads, writes, endings, meaning in rows:
        fields = {"name": name, "reads": reads, "writes": writes, "endings": endings}
        ending = f" ({', '.join(endings)})" if endings else ""
        text += f"{name:{width}}  {reads or '-':8}  {writes or '-':4}  {meaning}{ending}\n"
        out.row(fields | {"meaning": meaning})
    if not out.as_json:
        print(text, end="")
    out.note("one, many: puzzles in a file. Formats are detected: --format is rarely needed.")


def _rows() -> Iterator[tuple[str, str | None, str | None, tuple[str, ...], str]]:
    """Yield name, `one` or `many` puzzles read and written (or None), endings and meaning."""
    collections = {known.name for known in COLLECTIONS}
    for name, meaning in DESCRIPTIONS.items():
        reads = "many" if name in collections else "one" if name in FORMAT_NAMES else None
        writes: str | None = None
        endings: tuple[str, ...] = ()
        if name in NAMES:
            writes = "one" if file_of(name, solutions=False).max_items == 1 else "many"
            endings = endings_of(name)
        yield name, reads, writes, endings, meaning
