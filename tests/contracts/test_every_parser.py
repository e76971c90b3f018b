"""What every format of `parse/` must do; a new one is tested by being registered."""

from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from strategies import SMALL_GEOMETRIES, arbitrary, blank_for, examples, opened, solved_grids

from pipeline.errors import InvalidPuzzle
from pipeline.parse import FORMATS, Format, Parsed, Variant, parse_source, render_puzzle
from pipeline.parse.text import decode_text
from pipeline.puzzle import Geometry, Puzzle

every_format = pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
characters = st.characters(codec="utf-8")
Case = tuple[Geometry, Variant]


def _has_signs(fmt: Format, geometry: Geometry, variant: Variant) -> bool:
    cells = (blank_for(geometry, variant, cell) for cell in range(geometry.side**2))
    try:
        fmt.render(Puzzle(geometry, tuple(cells)))
    except ValueError:
        return False
    return True


def cases(fmt: Format) -> SearchStrategy[Case]:
    """The geometries and variants that a format can write."""
    variants: tuple[Variant, ...] = ("classic", "even-odd")
    return st.sampled_from(
        [
            (geometry, variant)
            for geometry in SMALL_GEOMETRIES
            for variant in variants
            if (variant == "classic" or geometry.side > 3) and _has_signs(fmt, geometry, variant)
        ]
    )


def _shows_its_variant(puzzle: Puzzle, variant: Variant) -> bool:
    """An even/odd puzzle can be told by its cells only if they have both marks."""
    marks = {puzzle.geometry.even_values, puzzle.geometry.odd_values}
    return variant == "classic" or marks <= {*puzzle.cells}


@st.composite
def written(draw: DrawFn, fmt: Format) -> tuple[Puzzle, Variant]:
    """A puzzle that the format can write, and its variant."""
    case = draw(cases(fmt))
    made = opened(*case) | arbitrary(*case)
    return draw(made.filter(lambda puzzle: _shows_its_variant(puzzle, case[1]))), case[1]


@st.composite
def mutated(draw: DrawFn, fmt: Format) -> bytes:
    """The text of a puzzle with a few cuts, copies and foreign characters."""
    text = fmt.render(draw(written(fmt))[0])
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        put = draw(
            st.sampled_from(["", " ", "\n", "\0", "0", "9", "*", "-", "+", "|", "c", "#"])
            | st.just(text[start:end] * 2)
            | st.text(characters, max_size=3)
        )
        text = text[:start] + put + text[draw(st.sampled_from([start, end])) :]
    mark, newline = (
        draw(st.sampled_from(["", "\ufeff"])),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
    )
    return (mark + text.replace("\n", newline)).encode()


foreign = st.one_of(
    st.binary(max_size=150),
    st.binary(max_size=150).map(codecs.BOM_UTF8.__add__),
    st.text(characters, max_size=150).map(str.encode),
    st.text("0123456789.*-+=|c, \n\r", max_size=150).map(str.encode),
)


def check_place(error: InvalidPuzzle, data: bytes) -> None:
    """The line exists, and the column lies in it or just behind its end."""
    text = data.decode("utf-8-sig", errors="replace")
    lines = re.split(r"\r\n|\r|\n", text)
    if error.line is not None:
        assert 1 <= error.line <= len(lines)
        assert error.column is not None
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    assert str(error).startswith("a.txt:")
    assert str(error).isprintable()


@every_format
@examples(40)
@given(data=st.data())
def test_a_written_puzzle_is_read_back_and_its_format_is_found(fmt, data):
    puzzle, variant = data.draw(written(fmt))
    parsed = parse_source(render_puzzle(puzzle, fmt.name).encode(), "a.txt")
    assert parsed.puzzle == puzzle
    assert (parsed.format, parsed.variant) == (fmt.name, variant)
    assert parsed.reason


@every_format
@examples(25)
@given(data=st.data())
def test_a_written_solution_reads_back_as_itself(fmt, data):
    grid = data.draw(cases(fmt).flatmap(lambda case: solved_grids(case[0])))
    filled = Puzzle.of_values(grid.geometry, grid.values)
    parsed = parse_source(fmt.render(filled).encode(), "a_1.solution")
    assert parsed.puzzle == filled
    assert parsed.format == fmt.name
    assert [value for _, value in parsed.puzzle.givens()] == list(grid.values)


@every_format
@examples(60)
@given(data=st.data())
def test_a_mutated_puzzle_is_read_or_refused_at_a_place_that_exists(fmt, data):
    raw = data.draw(mutated(fmt))
    try:
        assert isinstance(parse_source(raw, "a.txt"), Parsed)
    except InvalidPuzzle as error:
        check_place(error, raw)


@examples(150)
@given(foreign)
def test_any_bytes_are_read_or_refused_at_a_place_that_exists(raw):
    try:
        assert isinstance(parse_source(raw, "a.txt"), Parsed)
    except InvalidPuzzle as error:
        check_place(error, raw)


@every_format
@pytest.mark.parametrize("variant", ["auto", "classic", "even-odd"])
@examples(40)
@given(raw=foreign)
def test_a_text_of_another_format_is_read_or_refused_under_every_variant(fmt, variant, raw):
    try:
        puzzle, found = fmt.parse(decode_text(raw, "a.txt"), variant)
    except InvalidPuzzle as error:
        check_place(error, raw)
    else:
        assert isinstance(puzzle, Puzzle)
        assert found in ("classic", "even-odd")


@every_format
def test_a_puzzle_that_has_no_notation_is_not_written_wrongly(fmt):
    odd_one_out = Puzzle(Geometry(3, 3), (0b11,) + (0b111111111,) * 80)
    with pytest.raises(ValueError, match="a cell's values are n"):
        fmt.render(odd_one_out)
