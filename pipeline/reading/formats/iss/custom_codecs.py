"""Codecs of relations, state machines, connected values and regions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import custom, free
from pipeline.reading.formats.iss import machines
from pipeline.reading.formats.iss.codecs import (
    SEPARATOR,
    write_cell,
    write_cells,
    write_joined,
    write_number,
    write_parts,
)
from pipeline.reading.formats.iss.phrases import Arguments
from pipeline.reading.formats.rule_forms import Codec, Form, RuleFields, cannot_write, codec, field
from pipeline.reading.formats.text import Word
from pipeline.reading.formats.variants import cells_along

Segments = list[tuple[int, ...]]
"""The cells of a line, in one or several segments."""


def _named_lines(
    args: Arguments, *, named: bool = True, segmented: bool = False
) -> Iterator[tuple[str, Segments]]:
    """Yield the name and the segments of each line.

    An empty argument, or a name such as `_so`, separates two lines. A line has one segment; if
    `segmented`, a `-` begins another one.
    """
    name, segments = "", [list[int]()]
    for word in (*args.rest(), None):
        is_name = word is not None and named and word.text.startswith("_")
        if word and segmented and word.text == SEPARATOR:
            if not segments[-1]:
                raise args.wrong(word, "a cell")
            segments.append([])
        elif word and word.text and not is_name:
            segments[-1].append(args.cell_in(word))
        else:
            if not segments[-1] and len(segments) > 1:
                raise args.short("a cell after the last '-'")
            if segments[-1]:
                yield name, [*map(tuple, segments)]
            name, segments = (_label(word.text[1:]) if word and is_name else name), [[]]


def _label(text: str) -> str:
    """Decode a label. The result is printable and at most MAX_LABEL characters long."""
    printable = "".join(
        character if character.isprintable() else " " for character in unquote(text)
    )
    short = " ".join(printable.split())
    max_length = custom.MAX_LABEL
    return short if len(short) <= max_length else f"{short[: max_length - 1].rstrip()}…"


def _line_words(
    rule: custom.Relation | custom.StateMachine | custom.NondeterministicMachine,
    geometry: Geometry,
) -> list[str]:
    """The arguments of a line: its name, with special characters escaped, and its cells."""
    escaped = "".join(
        character
        if character.isascii() and character.isalnum()
        else "".join(f"%{byte:02X}" for byte in character.encode())
        for character in rule.label
    )
    return [f"_{escaped}"] * bool(escaped) + write_cells(rule.line, geometry)


def related_lines(*, once: bool = False) -> Codec:
    """Lines for a relation; a line of a single cell has no effect."""

    def read(args: Arguments) -> Iterator[RuleFields]:
        for name, (cells,) in _named_lines(args):
            if once and len({*cells}) < len(cells):
                raise args.wrong(args.type, "different cells")
            if len(cells) > 1:
                yield {"line": cells, "label": name}

    return Codec(read, _line_words)


def related(*, is_old: bool = False) -> Codec:
    def read(args: Arguments) -> tuple[int, ...]:
        expected = "a relation in base64"
        word = args.next(expected)
        try:
            return machines.parse_relation(word.text, args.geometry.values, is_old=is_old)
        except ValueError as error:
            raise args.wrong(word, f"{expected} ({error})") from None

    def write(related: tuple[int, ...], geometry: Geometry) -> list[str]:
        return [machines.relation_key(related, geometry.values)]

    return field("related", cannot_write if is_old else write)(read)


def _machines(
    args: Arguments, expected: str, parse: machines.MachineParser, *, named: bool
) -> Iterator[Rule]:
    """Yield a rule for each line, with the machine in the first argument.

    The machine is made deterministic, unless it would be too large.
    """
    word, values, reader = args.next(expected), args.geometry.values, args.context.machine_reader
    lines = [*_named_lines(args, named=named, segmented=named)]
    if not lines:
        raise args.short("at least 1 cell")
    length = max(sum(map(len, segments)) for _, segments in lines)
    try:
        label = "" if named else _label(_pattern_text(word.text))
        for name, segments in lines:
            lengths = [*map(len, segments)] if len(segments) > 1 else [length]
            cells = tuple(cell for segment in segments for cell in segment)
            try:
                machine = reader.machine(parse, word.text, values, *lengths)
                yield custom.StateMachine(cells, *machine, name or label)
            except machines.TooManyStates:
                if len(segments) > 1:
                    raise
                nondeterministic = reader.nondeterministic_machine(parse, word.text, values)
                yield custom.NondeterministicMachine(cells, *nondeterministic, name or label)
    except ValueError as error:
        raise args.wrong(word, f"{expected} ({error})") from None


def _machine_words(rule: custom.StateMachine, geometry: Geometry) -> list[str]:
    text = machines.machine_text(rule.moves, rule.accepted, geometry.values)
    return [text, *_line_words(rule, geometry)]


def _pattern_text(text: str) -> str:
    """Decode a pattern, which is escaped with percent signs or in base64."""
    decoded = unquote(text) if "%" in text else machines.bytes_of(text).decode()
    return "".join(decoded.split())


def _parse_pattern(
    text: str, values: Sequence[int], reader: machines.MachineReader
) -> machines.Machine:
    from pipeline.reading.formats.iss.regex import pattern_machine  # noqa: PLC0415 - few need it

    return pattern_machine(_pattern_text(text), values, reader)


def _nondeterministic_words(rule: custom.NondeterministicMachine, geometry: Geometry) -> list[str]:
    values = geometry.values
    machine = machines.Machine(rule.moves_by(values), rule.accepted, rule.starts)
    return [machines.nondeterministic_text(machine, values), *_line_words(rule, geometry)]


def _read_machines(args: Arguments) -> Iterator[Rule]:
    return _machines(args, "a state machine in base64", machines.parse_machine, named=True)


def _read_patterns(args: Arguments) -> Iterator[Rule]:
    return _machines(args, "a pattern in base64", _parse_pattern, named=False)


state_machine = Form(custom.StateMachine, _read_machines, _machine_words)
nondeterministic = Form(custom.NondeterministicMachine, _read_machines, _nondeterministic_words)
pattern = Form(custom.StateMachine, _read_patterns, cannot_write)


def _connected_words(rule: free.ConnectedValues, geometry: Geometry) -> list[str]:
    name = ""
    if geometry.free_grid and rule.cells[0] >= geometry.grid_size:
        name = next(
            name for name, cells in geometry.free_grid.rows_and_groups() if rule.cells[0] in cells
        )
    return [name, *write_joined(rule.values, geometry), *[str(rule.size)] * bool(rule.size)]


@codec(_connected_words)
def connected_values(args: Arguments) -> Iterator[RuleFields]:
    """A group of extra cells (or empty for the grid), then values, then optionally a size."""
    geometry = args.geometry
    expected = "a group of cells, such as 'VA', or nothing for the grid"
    name, word = args.next(expected), args.next("values, such as '1_2'")
    group = name.text.upper()
    if group and group not in dict(args.context.groups):
        raise args.wrong(name, expected)
    cells = (
        geometry.free_grid.cells_of_group(group)
        if geometry.free_grid
        else range(geometry.grid_size)
    )
    values = args.values_in(word)
    has_size = args.has_more() and args.next("a number")
    size = args.number_in(has_size, 1, len(cells)) if has_size and has_size.text else 0
    yield {"cells": tuple(cells), "values": tuple(dict.fromkeys(values)), "size": size}


@field("offset", write_number)
def offset(args: Arguments) -> int:
    """0 or 1; by default 0."""
    if not args.has_more():
        return 0
    word = args.next("'0' or '1'")
    return args.number_in(word, 0, 1) if word.text else 0


def _region_cells(args: Arguments, words: Iterable[Word]) -> tuple[int, ...]:
    """The cells that these words name, which must hold region labels."""
    if free.REGIONS not in dict(args.context.groups):
        raise args.wrong(args.type, "'.ChaosConstruction' in the same constraint string")
    cells = []
    for word in words:
        cells.append(args.cell_in(word))
        if not word.text.upper().startswith(free.REGIONS):
            raise args.wrong(word, f"a region label, such as '{free.REGIONS}1'")
    return tuple(cells)


def _labels_and_control(args: Arguments) -> tuple[range, int]:
    """The cells of all region labels, and the control cell, which must be in the grid."""
    _region_cells(args, ())
    geometry, word = args.geometry, args.phrase.words[0]
    control = args.cell_in(word)
    if geometry.free_grid is None or control >= geometry.grid_size:
        raise args.wrong(word, "a cell of the grid")
    return geometry.free_grid.cells_of_group(free.REGIONS), control


control = field("control", write_cell)(Arguments.cell)


@field("counted", write_cells)
def region_cells(args: Arguments) -> tuple[int, ...]:
    """Cells of region labels; by default, of the control cell and the cells around it."""
    if args.has_more():
        return _region_cells(args, args.rest(2))
    labels, control = _labels_and_control(args)
    row, column = args.geometry.place(control)
    square = [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    cells = (args.geometry.cell_at(*place) for place in square)
    near = [cell for cell in cells if cell is not None and cell < args.geometry.grid_size]
    return tuple(labels[cell] for cell in dict.fromkeys((control, *near)))


@field("arms", write_parts)
def arms(args: Arguments) -> tuple[tuple[int, ...], ...]:
    """Arms that begin at the control cell; by default the four rays from it to the edges."""
    if args.has_more():
        return tuple(_region_cells(args, part) for part in args.parts(SEPARATOR))
    labels, control = _labels_and_control(args)
    geometry, start = args.geometry, args.geometry.place(control)
    rays = (cells_along(geometry, start, step) for step in ((0, 1), (1, 0), (0, -1), (-1, 0)))
    return tuple(tuple(labels[cell] for cell in ray) for ray in rays)
