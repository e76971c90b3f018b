"""The notations to which puzzles can be converted.

`--to` and `Puzzle.to` take the name of a row of `TARGETS`. Every text is read back before it is
returned. If that gives another puzzle, an error names the part that the notation cannot express.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pipeline.errors import InvalidPuzzle, UsageError, printable
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.reading.formats.cells import (
    cell_in_words,
    classic_cells,
    plain_cells,
    shape_in_words,
    text_in_lines,
)
from pipeline.reading.formats.detect import parse_source
from pipeline.reading.formats.fpuzzles import render_fpuzzles
from pipeline.reading.formats.grid_text import render_puzzle
from pipeline.reading.formats.opensudoku import XML_END, XML_HEAD, game_line
from pipeline.reading.formats.parsed import Notes
from pipeline.reading.formats.programs import library_line
from pipeline.settings import MAX_BYTES


@dataclass(frozen=True, slots=True)
class File:
    """The text of a file before, between and after its items.

    - `max_items`: the maximum number of items; None if there is no limit.
    - `one_geometry`: whether all items must have the same geometry.
    """

    head: str = ""
    between: str = ""
    end: str = ""
    max_items: int | None = None
    one_geometry: bool = False


ONE_ITEM, _FILE_OF_LINES = File(max_items=1), File()


@dataclass(frozen=True, slots=True)
class Target:
    """A notation to convert to: writers of items, and the text of the file around the items.

    - `item`: writes a puzzle.
    - `endings`: the file name endings that imply the notation.
    - `plain`: writes a 9×9 puzzle, given as 81 digits and dots.
    - `pair`: writes a puzzle and its solution, for a `pair_file`. If it is None, only the solution
      is written, as a filled grid.
    - `annotated`: writes a puzzle, its solution if given, and notes.

    Writers raise ValueError with a noun phrase for the first property that the notation cannot
    express.
    """

    item: Callable[[Puzzle], str]
    endings: tuple[str, ...]
    file: File = ONE_ITEM
    plain: Callable[[str], str] | None = None
    pair: Callable[[Puzzle, Grid], str] | None = None
    pair_file: File | None = None
    annotated: Callable[[Puzzle, Grid | None, Notes], str] | None = None

    def file_for(self, *, solutions: bool) -> File:
        """The file for puzzles without solutions, or for solutions."""
        return (solutions and self.pair_file) or self.file


def _writer(*notations: str) -> Callable[[Puzzle], str]:
    """Return a function that writes a puzzle in the first notation that can express it.

    If none can, the function raises the error of the first one.
    """

    def write(puzzle: Puzzle) -> str:
        faults: list[ValueError] = []
        for notation in notations:
            try:
                return render_puzzle(puzzle, notation)
            except ValueError as error:
                faults.append(error)
        raise faults[0]

    return write


def _plain_writer(plain: Callable[[str], str]) -> Callable[[Puzzle], str]:
    return lambda puzzle: plain(classic_cells(puzzle))


def _document_target(notation: str = "") -> Target:
    """The target for f-puzzles documents or, if `notation` is `link` or `sudokupad`, for links."""

    def annotated(puzzle: Puzzle, solution: Grid | None, notes: Notes) -> str:
        return render_fpuzzles(puzzle, notation, solution, notes)

    name, endings = f"f-puzzles {notation}".strip(), () if notation else (".json",)
    return Target(_writer(name), endings, _FILE_OF_LINES, annotated=annotated)


def _filled_puzzle(grid: Grid) -> Puzzle:
    return Puzzle.of_values(grid.geometry, grid.values)


_line = _writer("line", "characters line")
"""Write a puzzle in one line, with digits, or with letters for 16×16 and 25×25."""


def _pair(puzzle: Puzzle, grid: Grid) -> str:
    return f"{_line(puzzle).strip()},{_line(_filled_puzzle(grid))}"


TARGETS: Final[Mapping[str, Target]] = {
    "lines": Target(_line, (".sdm",), _FILE_OF_LINES, "{}\n".format),
    "csv": Target(
        _line, (".csv",), File("puzzle\n"), "{}\n".format, _pair, File("puzzle,solution\n")
    ),
    "grid": Target(
        _writer("grid", "characters"),
        (),
        File(between="\n", one_geometry=True),
        lambda cells: text_in_lines(cells, 9),
    ),
    "ss": Target(_writer("grid ss"), (".ss",)),
    "sdk": Target(_writer("sadman"), (".sdk",)),
    "opensudoku": Target(
        _plain_writer(game_line), (".opensudoku",), File(XML_HEAD, end=XML_END), game_line
    ),
    "hodoku": Target(_plain_writer(library_line), (), _FILE_OF_LINES, library_line),
    "boxes": Target(_writer("boxes"), ()),
    "bordered": Target(_writer("bordered"), ()),
    "spreadsheet": Target(_writer("spreadsheet"), ()),
    "json": Target(_writer("json"), (".json",)),
    "pencil-marks": Target(_writer("pencil-marks"), ()),
    "f-puzzles": _document_target(),
    "f-puzzles-link": _document_target("link"),
    "sudokupad-link": _document_target("sudokupad"),
    "iss": Target(_writer("iss"), (".iss",), _FILE_OF_LINES),
}
"""Name → target, in the order in which messages list them."""

PICTURES: Final = ("svg", "png", "pdf")
"""Targets that are pictures."""

NAMES: Final[tuple[str, ...]] = (*TARGETS, *PICTURES)
"""All values of `--to`."""


def puzzle_in(path: str | Path) -> Puzzle:
    """The puzzle in a file of any format. Raises InvalidPuzzle and OSError."""
    with Path(path).open("rb") as file:
        return parse_source(file.read(MAX_BYTES + 1), printable(str(path))).puzzle


def target_of(name: str) -> Target:
    """The target with this name. Raises UsageError for an unknown name."""
    if name not in TARGETS:
        raise UsageError(f"there is no notation {name!r}; expected one of {', '.join(NAMES)}")
    return TARGETS[name]


def file_text(puzzle: Puzzle, to: str, solution: Grid | None = None) -> str:
    """The text of a file with a single puzzle. Raises the same errors as `item_text`."""
    item = item_text(puzzle, to, solution)
    file = target_of(to).file_for(solutions=solution is not None)
    return f"{file.head}{item}{file.end}"


def item_text(puzzle: Puzzle, to: str, solution: Grid | None = None, notes: Notes = ()) -> str:
    """Write a puzzle, or its solution, as an item in a file of the target named `to`.

    Notes are written if the target supports them. Raises UsageError for an unknown target, and
    ValueError with a noun phrase for the first property that the target cannot express.
    """
    target = target_of(to)
    content, pair = puzzle, target.pair if solution else None
    if solution and not (pair or target.annotated):
        content = _filled_puzzle(solution)
    if target.plain and (cells := plain_cells(content)):  # plain cells need no check
        return pair(puzzle, solution) if pair and solution else target.plain(cells)
    try:
        if target.annotated:
            item = target.annotated(puzzle, solution, notes)
        else:
            item = pair(puzzle, solution) if pair and solution else target.item(content)
        file = target.file_for(solutions=solution is not None)
        _check_read_back(content, f"{file.head}{item}{file.end}", target)
    except ValueError as error:
        raise ValueError(f"{to} cannot express {error}") from None
    return item


def _check_read_back(puzzle: Puzzle, text: str, target: Target) -> None:
    """Raise ValueError with a noun phrase if a text is not read back as the same puzzle."""
    try:
        read_back = parse_source(text.encode(), "puzzle").puzzle
    except InvalidPuzzle as error:
        raise ValueError(_first_refused(puzzle, target) or str(error)) from None
    if lost := first_difference(puzzle, read_back):
        raise ValueError(lost)


def _first_refused(puzzle: Puzzle, target: Target) -> str:
    """Describe the first rule that is refused even as the only rule of a puzzle; "" if none is."""
    for rule in puzzle.rules if len(puzzle.rules) > 1 else ():
        single_rule = Puzzle(puzzle.geometry, puzzle.cells, (rule,))
        try:
            parse_source(target.item(single_rule).encode(), "puzzle")
        except (InvalidPuzzle, ValueError):
            return rule.describe(puzzle.geometry)
    return puzzle.rules[0].describe(puzzle.geometry) if len(puzzle.rules) == 1 else ""


def first_difference(puzzle: Puzzle, read_back: Puzzle) -> str:
    """Describe the first difference of two puzzles by a noun phrase; empty if they are equal."""
    geometry = puzzle.geometry
    if geometry != read_back.geometry:
        return shape_in_words(geometry)
    (cells, rules), (cells_found, rules_found) = _normalise(puzzle), _normalise(read_back)
    if lost := rules - rules_found:
        rule = next(
            candidate for candidate in puzzle.rules if _canonical_rule(candidate, geometry) in lost
        )
        return rule.describe(geometry)
    if added := rules_found - rules:
        return f"that there is no {next(iter(added)).describe(geometry)}"
    pairs = enumerate(zip(cells, cells_found, strict=True))
    changed = (cell for cell, (mask, mask_found) in pairs if mask != mask_found)
    return next((cell_in_words(puzzle, cell) for cell in changed), "")


def _normalise(puzzle: Puzzle) -> tuple[tuple[int, ...], Counter[Rule]]:
    """Apply the rules about single cells to the masks. Returns the masks and the other rules."""
    if not puzzle.rules:
        return puzzle.cells, Counter()
    from pipeline.puzzle.rules.pairs import Among, Parity  # noqa: PLC0415 - slow to load

    geometry, cells, rules = puzzle.geometry, [*puzzle.cells], Counter[Rule]()
    for rule in puzzle.rules:
        match rule:
            case Among(cell) | Parity(cell) if mask := cells[cell] & _allowed_mask(rule, geometry):
                cells[cell] = mask
            case _:
                rules[_canonical_rule(rule, geometry)] += 1
    return tuple(cells), rules


def _allowed_mask(rule: Rule, geometry: Geometry) -> int:
    """The mask of the values that a rule about a single cell allows."""
    values = [geometry.lowest] * geometry.size
    (cell,), mask = rule.scope(geometry), 0
    for bit, value in enumerate(geometry.values):
        values[cell] = value
        mask |= rule.holds(geometry, values) << bit
    return mask


def _canonical_rule(rule: Rule, geometry: Geometry) -> Rule:
    """The canonical form of a rule; equivalent rules have the same form."""
    from pipeline.puzzle.rules.cages import Arrow, Quadruple  # noqa: PLC0415 - slow to load
    from pipeline.puzzle.rules.custom import (  # noqa: PLC0415
        NondeterministicMachine,
        OneOf,
        Relation,
        StateMachine,
    )
    from pipeline.puzzle.rules.outside import Sandwich  # noqa: PLC0415
    from pipeline.reading.formats.iss import machines  # noqa: PLC0415

    match rule:
        case Sandwich(line):
            rule = replace(rule, line=min(line, line[::-1]))
        case Quadruple(group):
            rule = replace(rule, cells=tuple(sorted(group)))
        case Arrow(circle):
            rule = replace(rule, circle=tuple(sorted(circle)))
        case OneOf(choices):
            restated = ([_canonical_rule(part, geometry) for part in choice] for choice in choices)
            canonical = (tuple(sorted(choice, key=repr)) for choice in restated)
            rule = replace(rule, choices=tuple(sorted(canonical, key=repr)))
        case Relation(related=related):
            key = machines.relation_key(related, geometry.values)
            rule = replace(rule, related=machines.parse_relation(key, geometry.values))
        case StateMachine(line, moves, accepted):
            machine = machines.renumber_states(moves, accepted, geometry.values, len(line))
            rule = replace(rule, moves=machine.moves, accepted=machine.accepted)
        case NondeterministicMachine(line, _, starts, accepted, label):
            values = geometry.values
            nondeterministic = machines.Machine(rule.moves_by(values), accepted, starts)
            text = machines.nondeterministic_text(nondeterministic, values)
            reader = machines.MachineReader()
            try:
                machine = reader.machine(machines.parse_machine, text, values, len(line))
                rule = StateMachine(line, *machine, label)
            except machines.TooManyStates:
                parsed = reader.nondeterministic_machine(machines.parse_machine, text, values)
                rule = NondeterministicMachine(line, *parsed, label)
    return rule
