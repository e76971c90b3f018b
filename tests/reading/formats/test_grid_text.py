"""How the solution of a puzzle with rules is written, and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.strategies import examples

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats.grid_text import read_values, write_values

TWO_OF_FOUR = Geometry(2, 2, ((0, 0), (2, 3)))
GEOMETRIES = (
    Geometry(2, 2),
    Geometry(1, 7),
    Geometry(1, 10),
    TWO_OF_FOUR,
    Geometry(2, 2, ((0, 0), (6, 1))),
    Geometry(1, 10, ((0, 4), (15, 0))),
)
TWO = "4223\n2221\n2213321\n4331432\n   4131\n   2244\n"


@examples(50)
@given(st.data(), st.sampled_from(GEOMETRIES))
def test_every_grid_is_read_back(data: st.DataObject, geometry: Geometry) -> None:
    """Whatever the side, with or without places that are no cells."""
    values = data.draw(
        st.lists(st.integers(1, geometry.side), min_size=geometry.size, max_size=geometry.size)
    )
    grid = Grid(geometry, tuple(values))
    assert read_values(write_values(grid).encode(), "x", geometry) == grid


def test_rows_show_where_there_are_no_cells() -> None:
    """A space stands for a place without a cell, and none ends a line."""
    assert write_values(read_values(TWO.encode(), "x", TWO_OF_FOUR)) == TWO


def test_larger_values_are_numbers() -> None:
    """Separated by one space."""
    grid = Grid(Geometry(1, 10), tuple(range(1, 11)) * 10)
    assert write_values(grid) == "1 2 3 4 5 6 7 8 9 10\n" * 10


@for_each(
    ("text", "line", "column", "expected"),
    [
        ("", 1, 1, "6 lines, each with a line end"),
        (TWO.removesuffix("\n"), 6, 1, "6 lines, each with a line end"),
        (TWO + "\n", 7, 1, "the end of the file"),
        (TWO.replace("2221", "2251"), 2, 3, "a value from 1 to 4"),
        (TWO.replace("2221", "222"), 2, 4, "a value from 1 to 4"),
        (TWO.replace("2221", "2221 "), 2, 5, "the end of a line of 4 places"),
        (TWO.replace("   4", "  .4"), 5, 3, "' ', because there is no cell"),
        (TWO.replace("\n", "\r\n"), 1, 5, "the end of a line of 4 places"),
    ],
)
def test_anything_else_is_refused(text: str, line: int, column: int, expected: str) -> None:
    """The message names the place and what should stand there."""
    with pytest.raises(InvalidPuzzle) as caught:
        read_values(text.encode(), "x", TWO_OF_FOUR)
    error = caught.value
    assert (error.line, error.column, error.expected) == (line, column, expected)


@examples(40)
@given(st.binary() | st.text().map(str.encode), st.sampled_from(GEOMETRIES))
def test_garbage_is_refused(data: bytes, geometry: Geometry) -> None:
    """With InvalidPuzzle and nothing else."""
    with pytest.raises(InvalidPuzzle):
        read_values(data, "x", geometry)
