"""Grids as programs write them: lists, facts, triples, and the LaTeX package sudoku."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.cases import for_each
from support.parsers import CLASSIC, LINE, read, said_of

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle

ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
GIVENS = [
    (row, column, int(sign))
    for row, line in enumerate(ROWS, 1)
    for column, sign in enumerate(line, 1)
    if sign != "."
]


def nested(brackets: str, blank: str = "0", quotes: str = "", between: str = ",\n ") -> str:
    first, last = brackets
    rows = (
        first + ", ".join(quotes + sign.replace(".", blank) + quotes for sign in row) + last
        for row in ROWS
    )
    return first + between.join(rows) + last


def flat(blank: str = "_", between: str = ",\n") -> str:
    return between.join(", ".join(row.replace(".", blank)) for row in ROWS)


def facts(givens: Sequence[tuple[int, int, int]], name: str = "initial", shift: int = 0) -> str:
    return " ".join(
        f"{name}({row - shift},{column - shift},{value})." for row, column, value in givens
    )


def triples(between: str = " ", shift: int = 0) -> str:
    return "".join(
        f"{row - shift}{between}{column - shift}{between}{value}\n" for row, column, value in GIVENS
    )


LISTS = nested("[]")
PACKAGE = r"\begin{sudoku}" + "\n"
PACKAGE += "".join("|" + "|".join(row.replace(".", " ")) + "|.\n" for row in ROWS)
PACKAGE += r"\end{sudoku}" + "\n"
DOCUMENT = "\\documentclass{article}\n\\usepackage{sudoku}\n\\begin{document}\n%s\\end{document}\n"


@for_each(
    "text",
    [
        f"board = {LISTS}\n",
        f"board = [\n  {LISTS[1:-1]},\n]",
        f"const grid: number[][] = {LISTS};",
        f"grid = np.array({LISTS}, dtype=int)",
        LISTS.replace(",", ""),
        nested("[]", "None"),
        nested("()"),
        f"board = {nested('[]', '.', quotes=chr(34))}",
        f"board = {nested('[]', '-1')}",
        "board = [\n" + ",\n".join(map(repr, ROWS)) + "\n]",
        f"int board[9][9] = {nested('{}')};",
        f"int[][] board = new int[][]{nested('{}')};",
        nested("{}"),
        f"% easy\nproblem(1, {nested('[]', '_')}).",
        f"puzzle = array2d(1..9, 1..9, [{flat()}]);",
        f"array[1..9,1..9] of int: start = [|{flat('0', ' |')} |];",
        f"[| {flat(between=' | ')} |]",
        facts(GIVENS),
        "% from 0\n" + facts(GIVENS, shift=1).replace(". ", ".\n"),
        triples(),
        triples(", "),
        triples("\t", shift=1),
        "row,column,value\n" + triples(","),
        "value;col;row\n" + "".join(f"{value};{column};{row}\n" for row, column, value in GIVENS),
        "".join(
            f"{n // 9 + 1} {n % 9 + 1} {sign.replace('.', '0')}\n" for n, sign in enumerate(LINE)
        ),
        PACKAGE,
        DOCUMENT % PACKAGE,
    ],
)
def test_a_grid_is_read_as_programs_write_it(text):
    parsed = read(text)
    assert (parsed.puzzle, parsed.format, parsed.unread) == (CLASSIC, "code", ())
    assert read(text, format="code").puzzle == CLASSIC


@for_each(
    ("text", "message"),
    [
        (f"b = {LISTS.replace('5', 'k', 1)}", "1:7: expected a number from 1 to 9, or one symbol"),
        (f"b = {LISTS.replace('5, ', '', 1)}", "1:29: expected a row of 9 cells, found 8 cells"),
        (f"b = {LISTS[:62]}", "expected the end of the row, found the end of the file"),
        (f"b = {LISTS[:-1]}", "expected the end of the list, found the end of the file"),
        (f"b = {LISTS}\nprint(b)", "10:1: expected nothing after the grid"),
        (f"b = {LISTS.replace('5, 3', '5 3', 1)}", "1:9: expected a comma, or the end of the row"),
        (f"p(1, {nested('[]', '_').replace('_', 'X', 2)}).", "1:14: expected a number from 1 to 9"),
        (f"p(1, {nested('[]', '_')}).\np(2, {LISTS}).", "expected nothing after the grid"),
        (f"p = array2d(1..8, 1..8, [{flat()}]);", "1:25: expected 64 cells in a square"),
        (facts(GIVENS) + " hint(1,3,4).", "expected only facts of the same name, 'initial'"),
        (facts(GIVENS) + "\n:- x(X,X).", "2:1: expected a fact of three numbers"),
        ("#const n=9.\n" + facts(GIVENS), "1:1: expected only facts of three numbers"),
        (facts(GIVENS + GIVENS[:1]), "expected each cell at most once, found 'initial(1,1,5).'"),
        (facts([*GIVENS, (10, 1, 1)]), "expected a largest number of 9, 16 or 25 (the side)"),
        (facts([(1, 2, 3), (2, 2, 4)]), "expected a largest number of 9, 16 or 25 (the side)"),
        (
            facts([(row, column, value) for row, column, value in GIVENS if max(row, column) < 9]),
            "expected a cell in row or column 0 or 9, which shows whether numbering",
        ),
        (triples() + "3 4\n", "31:1: expected row, column and value, found '3 4'"),
        (
            triples() + "0 1 2\n",
            "or --boxes such as 3x3, found rows and columns from 0 to 9, values to 9",
        ),
        (PACKAGE.replace("5", "k", 1), "2:2: expected a number from 1 to 9, or a space, found 'k'"),
        (PACKAGE.replace("|5", "", 1), "2:19: expected a row of 9 cells, found 8 cells"),
        (PACKAGE.replace("|.", "|", 1), "2:1: expected a row such as |5|3|"),
        (PACKAGE * 2, "12:1: expected one puzzle, found a second puzzle"),
        (PACKAGE[:-14], "expected \\end{sudoku}, found the end of the file"),
    ],
)
def test_what_is_not_one_grid_is_refused_at_its_place(text, message):
    said = said_of(text)
    assert message in said, said


def test_the_boxes_may_be_declared_for_facts():
    puzzle = read(facts([(1, 1, 1), (2, 3, 2), (4, 4, 4)]), boxes="2x2").puzzle
    assert puzzle == Puzzle.of_values(Geometry(2, 2), [1, 0, 0, 0, 0, 0, 2, 0, *[0] * 7, 4])


def test_a_name_or_a_line_around_a_grid_that_names_a_rule_is_reported():
    assert "diagonal_board" in read(f"diagonal_board = {LISTS}").unread[0]
    document = read(DOCUMENT % f"{PACKAGE}Both diagonals count.\nFor Ann\n")
    assert document.puzzle == CLASSIC
    assert sorted(document.unread) == [
        "line 15: 'Both diagonals count.'",
        "line 16: 'For Ann'",
    ]


@for_each("text", ["1 2 0\n2 3 0\n1 3 0\n4 5 0\n", "1 2 3\n1 2 4\n2 3 1\n1 2 9\n1 2 8\n", "a(1)\n"])
def test_clauses_and_other_columns_of_numbers_are_no_givens(text):
    with pytest.raises(InvalidPuzzle) as caught:
        read(text)
    assert "row, column" not in str(caught.value)
    assert "each cell" not in str(caught.value)


@pytest.mark.trial
@for_each("text", [f"board = {LISTS}", facts(GIVENS), triples(), PACKAGE])
def test_a_text_without_any_character_is_another_only_where_a_number_is_gone(text):
    """A missing bracket, comma, bar or dot never makes another puzzle."""
    for at, sign in enumerate(text):
        if sign in "[](),|.\\{}":
            try:
                puzzle: Puzzle | None = read(text[:at] + text[at + 1 :]).puzzle
            except InvalidPuzzle:
                puzzle = None
            assert puzzle in (None, CLASSIC), (at, sign)
