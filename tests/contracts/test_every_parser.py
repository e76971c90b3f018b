"""What every format of `reading/formats/` must do; a new one is tested by being registered."""

from __future__ import annotations

import codecs
from functools import cache
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from support.notations import ONE_LINE, WITH_RULES
from support.pages import BLOCKS
from support.parsers import check_place
from support.strategies import (
    SMALL_GEOMETRIES,
    arbitrary,
    blank_for,
    examples,
    opened,
    solved_grids,
)

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import (
    FORMATS,
    Format,
    Parsed,
    Variant,
    parse_source,
    read_values,
    render_puzzle,
    solution_text,
)
from pipeline.reading.formats.detect import BY_NAME
from pipeline.settings import AlphabetChoice, Reading, VariantChoice

every_format = pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
WRITTEN = [known for known in FORMATS if known.render is not None]
every_written = pytest.mark.parametrize("fmt", WRITTEN, ids=lambda fmt: fmt.name)
DOCUMENTED = {
    block.title.split()[0]: block.text
    for block in reversed(BLOCKS)  # of two examples of one name, the first
    if block.page == "docs/reference/formats.md" and block.title
}
TEXTS = {
    known.name: text
    for known in FORMATS
    if not known.has_solutions
    and (text := WITH_RULES.get(known.name) or DOCUMENTED.get(known.name))
}
"""Puzzles whose solutions are rows of values, by format; plain ones are those of the reference."""
every_with_values = pytest.mark.parametrize("name", TEXTS)
characters = st.characters(codec="utf-8")
Case = tuple[Geometry, Variant]
LARGER_GEOMETRIES = (Geometry(4, 4), Geometry(5, 5))


def can_write(fmt: Format, puzzle: Puzzle) -> bool:
    try:
        render_puzzle(puzzle, fmt.name)
    except ValueError:
        return False
    return True


def half_open(geometry: Geometry, variant: Variant) -> Puzzle:
    """A puzzle with every value and every kind of blank in it."""
    n = geometry.side
    cells = (
        1 << cell % n if (cell // n + cell % n) % 3 == 0 else blank_for(geometry, variant, cell)
        for cell in range(n * n)
    )
    return Puzzle(geometry, tuple(cells))


@cache
def all_cases(fmt: Format) -> list[Case]:
    """The geometries and variants that a format can write; larger ones if it has no others."""
    variants: tuple[Variant, ...] = ("classic", "even-odd")
    found: list[Case] = []
    for geometries in (SMALL_GEOMETRIES, LARGER_GEOMETRIES):
        found = found or [
            (geometry, variant)
            for geometry in geometries
            for variant in variants
            if (variant == "classic" or geometry.side > 3)
            and can_write(fmt, half_open(geometry, variant))
        ]
    return found


def cases(fmt: Format) -> SearchStrategy[Case]:
    return st.sampled_from(all_cases(fmt))


def _shows_its_variant(puzzle: Puzzle, variant: Variant) -> bool:
    """An even/odd puzzle can be told by its cells only if they have both marks."""
    marks = {puzzle.geometry.even_values, puzzle.geometry.odd_values}
    return variant == "classic" or marks <= {*puzzle.cells}


@st.composite
def written(draw: DrawFn, fmt: Format) -> tuple[Puzzle, Variant]:
    """A puzzle that the format can write, and its variant."""
    case = draw(cases(fmt))
    made = opened(*case) | arbitrary(*case)
    made = made.filter(lambda puzzle: _shows_its_variant(puzzle, case[1]))
    return draw(made.filter(lambda puzzle: can_write(fmt, puzzle))), case[1]


@st.composite
def spoiled(draw: DrawFn, text: str) -> bytes:
    """A text with a few cuts, copies and foreign characters."""
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        put = draw(
            st.sampled_from(["", *" \n\009*-+|c#[]<>&:_=,vJxXFa"])
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
    st.text("0127.+:x_[]<>/='?! \n", max_size=150).map(str.encode),
    st.text("01.", min_size=256, max_size=256).map(str.encode),
    st.text("AABBab..1234=|< \n\n", max_size=150).map(str.encode),
    st.text('01 4[],;"null\t\n', max_size=150).map(str.encode),
    st.text('01 4[],"l.', max_size=60).map("[[1".__add__).map(str.encode),
    st.sampled_from(['{"puzzle":"', '{"grid":[[', '[{"board":', '{"data":{"size":4,"grid":[[{'])
    .flatmap(lambda start: st.text('014.[]{},:"\n', max_size=60).map(start.__add__))
    .map(str.encode),
    st.sampled_from(["[Puzzle]\n", ":0000:x:", "puzzle size: 2x2\n", "<opensudoku>", "<!DOCTYPE "])
    .flatmap(lambda start: st.text("01.+:|- \n<>", max_size=60).map(start.__add__))
    .map(str.encode),
    st.sampled_from(["3x3:d:k:", "SumoCueV1", "2x3xk:", "4j:", "S<"])
    .flatmap(lambda start: st.text("0123:=+J,_abz<>^v ", max_size=90).map(start.__add__))
    .map(str.encode),
    st.text("01ab.", min_size=32, max_size=32).map(str.encode),
)


def family(parsed: Parsed) -> str:
    """The name of the format, without that of its notation."""
    return parsed.format.partition(" ")[0]


def written_solution(fmt: Format) -> SearchStrategy[Puzzle]:
    """A solution that the format can write, as a filled puzzle."""
    grids = cases(fmt).flatmap(lambda case: solved_grids(case[0]))
    return grids.map(lambda grid: Puzzle.of_values(grid.geometry, grid.values))


@every_written
@examples(5)
@given(data=st.data())
def test_a_written_puzzle_or_solution_is_read_back_as_if_its_format_were_declared(fmt, data):
    filled = written_solution(fmt).map(lambda puzzle: (puzzle, None))
    puzzle, variant = data.draw(written(fmt) | filled)
    text = render_puzzle(puzzle, fmt.name)
    parsed = parse_source(text.encode(), "a.txt")
    assert parsed.puzzle == puzzle
    assert variant in (None, parsed.variant)
    assert family(parsed) == fmt.name
    assert parsed.reason
    assert render_puzzle(puzzle, parsed.format) == text
    declared = parse_source(text.encode(), "a.txt", Reading(format=fmt.name))
    assert (family(declared), variant) == (fmt.name, variant and declared.variant)
    assert declared.puzzle == puzzle or variant is None


def check_read_or_refused(raw: bytes, **options) -> Parsed | None:
    """The puzzle; None if it is refused at a place that exists."""
    try:
        return parse_source(raw, "a.txt", Reading(**options))
    except InvalidPuzzle as error:
        check_place(error, raw)
    return None


@every_format
@examples(6)
@given(data=st.data())
def test_a_spoiled_text_is_read_or_refused_at_a_place_that_exists(fmt, data):
    whole = TEXTS.get(fmt.name) or render_puzzle(data.draw(written(fmt))[0], fmt.name)
    raw = data.draw(spoiled(whole))
    for declared in ("auto", fmt.name):
        check_read_or_refused(raw, format=declared)


@every_format
@pytest.mark.parametrize("variant", get_args(VariantChoice))
@examples(3)
@given(raw=foreign, alphabet=st.sampled_from(get_args(AlphabetChoice)))
def test_any_bytes_are_read_or_refused_whatever_is_declared(fmt, variant, raw, alphabet):
    check_read_or_refused(raw)
    parsed = check_read_or_refused(raw, variant=variant, format=fmt.name, alphabet=alphabet)
    if parsed is not None:
        ones = Grid(parsed.puzzle.geometry, (1,) * len(parsed.puzzle.cells))
        assert solution_text(parsed, ones)
        assert family(parsed) == fmt.name


@examples(20)
@given(data=st.data())
def test_what_is_cut_off_anywhere_says_so_unless_it_is_a_puzzle_all_the_same(data):
    fmt = data.draw(st.sampled_from(WRITTEN))
    solution = written_solution(fmt).map(lambda puzzle: render_puzzle(puzzle, fmt.name).rstrip())
    whole = data.draw(solution | st.sampled_from(ONE_LINE)).encode()
    raw = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        parse_source(raw, "a.txt")
    except InvalidPuzzle as error:
        refusal = error
    else:
        return
    assert refusal.truncated, refusal


@every_written
def test_a_puzzle_that_has_no_notation_is_not_written_wrongly(fmt):
    for geometry, variant in all_cases(fmt):
        puzzle = Puzzle(geometry, (0b11, *half_open(geometry, variant).cells[1:]))
        if can_write(fmt, puzzle):
            assert parse_source(render_puzzle(puzzle, fmt.name).encode(), "a.txt").puzzle == puzzle


@every_written
def test_a_puzzle_of_another_size_than_the_format_has_is_not_written_wrongly(fmt):
    known = {geometry for geometry, _ in all_cases(fmt)}
    for geometry in {*SMALL_GEOMETRIES, *LARGER_GEOMETRIES} - known:
        puzzle = half_open(geometry, "classic")
        try:
            text = render_puzzle(puzzle, fmt.name)
        except ValueError:
            continue
        assert parse_source(text.encode(), "a.txt").puzzle == puzzle


def test_there_is_a_text_of_every_format_whose_solutions_are_rows_of_values():
    needed = {known.name for known in FORMATS if not known.has_solutions}
    assert TEXTS.keys() == needed, "add an example to docs/reference/formats.md"
    assert all(known.render for known in FORMATS if known.has_solutions)


@every_with_values
def test_it_is_found_and_read_as_if_it_were_declared(name):
    found = parse_source(TEXTS[name].encode(), "a.txt")
    declared = parse_source(TEXTS[name].encode(), "a.txt", Reading(format=name))
    assert (family(found), found.puzzle) == (name, declared.puzzle)
    assert found.variant == ("classic" if found.puzzle.is_plain else "rules")
    if BY_NAME[name].render is None:
        with pytest.raises(ValueError, match=name):
            render_puzzle(found.puzzle, name)
    else:
        assert parse_source(render_puzzle(found.puzzle, name).encode(), "").puzzle == found.puzzle


@every_with_values
@examples(4)
@given(data=st.data())
def test_its_solution_reads_back_as_itself_or_has_its_values(name, data):
    parsed = parse_source(TEXTS[name].encode(), "a.txt")
    geometry = parsed.puzzle.geometry
    drawn = st.lists(st.integers(1, geometry.side), min_size=geometry.size, max_size=geometry.size)
    values = dict(enumerate(data.draw(drawn))) | dict(parsed.puzzle.givens())
    grid = Grid(geometry, tuple(values.values()))
    text = solution_text(parsed, grid).encode()
    assert read_values(text, "a_1.solution", geometry) == grid
    found = parse_source(text, "a_1.solution").puzzle
    placed = {found.geometry.place(cell): value for cell, value in found.givens()}
    assert placed == {geometry.place(cell): value for cell, value in values.items()}
