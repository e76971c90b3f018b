"""JSON: lists of cells, and objects with one grid.

    [[5, 3, 0, …], …]                                          rows
    [5, 3, 0, …]                                               81 cells
    {"id": 7, "puzzle": "53..7…", "solution": "534678…"}       an object
    {"newboard": {"grids": [{"value": [[5, 3, …], …]}]}}       in other objects

The grid is the member with one of the names in `_GRIDS`. It is a list, a text in any notation, or
an f-puzzles document. A `solution` is compared. Members that are named like rules are refused;
other members are not read. SudokuPad's documents and saves of GNOME Sudoku are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from json import JSONDecoder
from typing import Final, NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.geometry import NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import (
    comments_in,
    excerpt,
    is_rule_column,
    more_unread,
    rule_lines,
    unread_field,
    unread_lines,
)
from pipeline.reading.formats.boxes import BORDERED
from pipeline.reading.formats.characters import CHARACTERS
from pipeline.reading.formats.fpuzzles import FPUZZLES, is_document
from pipeline.reading.formats.fpuzzles.document import Misread, Way, parse_json
from pipeline.reading.formats.grid import GRID
from pipeline.reading.formats.iss import ISS
from pipeline.reading.formats.jigsaws import (
    AS_JIGSAW,
    JIGSAW,
    SOLO,
    check_no_region_map,
    is_region_map,
)
from pipeline.reading.formats.killers import ARROWS, KILLER, SUMOCUE
from pipeline.reading.formats.line import LINE
from pipeline.reading.formats.numbers import (
    is_flat_list,
    is_list_of_rows,
    parse_list,
    recognise_json,
)
from pipeline.reading.formats.parsed import Notes, Parsed
from pipeline.reading.formats.pencilmarks import PENCIL_MARKS
from pipeline.reading.formats.records import (
    is_attempt,
    is_full,
    is_plain,
    side_of,
)
from pipeline.reading.formats.text import (
    DECODED_BYTES,
    NEWLINE,
    Text,
    TextLine,
    cells_of,
    either,
    quote,
    says_something,
)
from pipeline.reading.formats.variants import groups_of, region_rules
from pipeline.settings import Reading

_GRIDS = ("board", "grid", "puzzle", "quiz", "question", "value", "clues")
"""The members that contain the grid, or an object with it."""

_MORE_GRIDS = ("givens", "mission", "problem", "sudoku", "unsolved", "values")
_AROUND = ("data", "game", "grids", "newboard", "puzzle_data", "puzzles", "result")
"""Members that contain an object with the grid."""

_SOLUTIONS = ("answer", "answers", "solution", "solutions")
GRID_NAMES = (*_GRIDS, *_MORE_GRIDS)
_NAMES = frozenset((*GRID_NAMES, *_AROUND))
_EXPECTED = f"JSON with a grid: a member {either(map(repr, _GRIDS))}"
DEEPEST = 5
"""Steps to the grid: an index, `newboard`, `grids`, an index, `value`."""

_DEEPEST_OTHER = 20
_LONGEST_ROW, _MISSING_ROWS = 25, 4
_LONGEST_MAP, _FIRST_SIGN = 2000, 0x4E00
_MOST_KEYS = 8
_MORE_RULES = frozenset(
    (
        *("areas", "blocks", "boxes", "circles", "groups", "lines", "overlays", "sudokux"),
        *("underlays", "xsudoku", "zones"),
    )
)
_MAPS = frozenset(
    ("areas", "blocks", "boxes", "jigsaw", "layout", "map", "region", "regions", "shapes", "zones")
)
"""Members with the region of each cell. Under other names, regions may be added to the boxes."""

_PROSE = frozenset(("rule", "rules", "ruleset", "constraint", "constraints", "variant", "variants"))
"""Members whose texts are reported as unread, as those of columns are."""

_IN_OTHER_NAMES = _PROSE | {"layout"}
"""Words that are also in names of members that are no rules, such as `variant id`."""

_TYPES = frozenset(("type", "game type", "puzzle type", "kind", "mode", "game mode", "variation"))
_TYPE = re.compile(
    r"\b(?:killer|arrows?|kings?|even|odd|parity|xv|x|hyper|asterisk|sums?)\b", re.IGNORECASE
)
"""Rules in members that name the type of a puzzle. In titles, these words may mean anything."""

_STARTS = re.compile(r"(?:initial|original|start|starting|fixed)(?: ?(?:board|grid|puzzle|state))?")
"""Members with the puzzle, if another member is the state of play."""

_BOX = re.compile(
    r"(?:box|block|region|sub ?grid)(?:es|s)?(?: ?size)?(?: ?(?:height|width|rows|col(?:umn)?s))?"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
_AS_RULES = "a grid without rules in JSON (f-puzzles and ISS are formats for rules)"

_VARIANTS: Final = (KILLER, ARROWS, JIGSAW, SUMOCUE, SOLO, FPUZZLES, ISS, PENCIL_MARKS)
_TEXTS: Final = (*_VARIANTS, BORDERED, CHARACTERS, LINE, GRID)
"""The formats of a text in a member, in the order in which they are tried."""


class _GridPlace(NamedTuple):
    """The grid of a document, the path to it, and all members beside it with their paths."""

    grid: object
    way: Way
    others: Sequence[tuple[Way, object]]


class OtherMembers(NamedTuple):
    """The members beside a grid: the solution, texts about the puzzle, and unread parts."""

    claimed: str | None = None
    notes: Notes = ()
    unread: tuple[str, ...] = ()


def _is_grid(value: object) -> bool:
    """Whether a value is a grid, perhaps a damaged one."""
    if isinstance(value, str):
        return _is_grid_text(value)
    return is_flat_list(value) or is_list_of_rows(value) or is_document(value)


def _is_grid_text(value: str) -> bool:
    if is_plain(value):
        return True
    cells = cells_of("".join(value.split()))
    if side_of(cells) or is_attempt(cells):
        return True
    line = Text("", (TextLine.of_text(1, value),), value.encode(errors="replace"))
    return "\n" not in value and any(
        (known.begins is None or known.begins.match(value)) and known.recognise(line)
        for known in _VARIANTS
    )


def find_grid(document: object) -> _GridPlace:
    """The only grid in a document. Raises Misread."""
    grids = [*islice(grids_in(document, (), DEEPEST), _MOST_KEYS)]
    if not grids:
        raise _no_grid(document)
    if len(grids) > 1:  # a text such as a date may look like a damaged puzzle
        grids = [x for x in grids if not isinstance(x[0], str) or _is_whole(x[0])] or grids
    (grid, way), *others = grids
    cells = {cells_in(other).replace(".", "0") for other, _ in grids}
    is_repeated = len(cells) == len({place[:-1] for _, place in grids}) == 1 and "" not in cells
    if others and not is_repeated:
        shown = " and ".join(repr(_path(place)) for _, place in grids[:2])
        raise Misread("JSON with a single grid", f"the grids {shown}", others[0][1])
    beside = [*other_members(document, way)]
    for place, value in beside:
        is_start = _STARTS.fullmatch(_words(str(place[-1]))) and _is_grid(value)
        if is_start and cells_in(value).replace(".", "0") not in cells:
            shown = " and ".join(repr(_path(each)) for each in (place, way))
            raise Misread("JSON with a single grid", f"the grids {shown}", place)
    return _GridPlace(grid, way, beside)


def _path(way: Way) -> str:
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in way) or "list"


def grids_in(value: object, way: Way, steps: int) -> Iterator[tuple[object, Way]]:
    """The grids in a value, and the paths to them."""
    if _is_grid(value):
        yield value, way
    elif steps and isinstance(value, dict):
        for key, member in value.items():
            if key.lower() in _NAMES:
                yield from grids_in(member, (*way, key), steps - 1)
    elif steps and isinstance(value, list):
        for index, member in enumerate(value):
            if isinstance(member, dict) or (not way and kind_of(member)):
                yield from grids_in(member, (*way, index), steps - 1)


def other_members(value: object, way: Way) -> Iterator[tuple[Way, object]]:
    """The members of all objects on the path to the grid, without those on the path."""
    for depth, step in enumerate(way):
        for name, member in _members(value):
            if name != step:
                yield (*way[:depth], name), member
            else:
                value = member


def _describe(value: object) -> str:
    """A value that is no grid."""
    if isinstance(value, list):
        return "a list of other values" if value else "an empty list"
    return "an object without one" if isinstance(value, dict) else quote(str(value))


def _members(value: object) -> list[tuple[str | int, object]]:
    """The members of an object, or the values of a list, with their keys or indices."""
    if isinstance(value, dict):
        return [*value.items()]
    return [*enumerate(value)] if isinstance(value, list) else []


def _no_grid(document: object) -> Misread:
    """The error for a document without a grid; those of other programs are named."""
    if isinstance(document, list) and document and isinstance(document[0], dict):
        document = document[0]
    if not isinstance(document, dict):
        return Misread(_EXPECTED, "a list of other values" if document else "nothing in it")
    cells = document.get("cells")
    first = cells[0] if isinstance(cells, list) and cells else None
    if isinstance(first, dict) and "position" in first:
        return Misread("a puzzle", "a saved game of GNOME Sudoku, which is not read")
    if isinstance(first, list) and {"cages", "metadata", "overlays", "regions"} & document.keys():
        found = "SudokuPad's own document, which has drawings instead of rules"
        return Misread("an f-puzzles document, or JSON with a grid", found)
    if cages := next((key for key in document if key.lower() in ("cage", "cages")), None):
        expected = "a killer as f-puzzles ('killercage') or SudokuPad ('3x3::k:…') writes it"
        return Misread(expected, f"the member {quote(cages)} of another program")
    if named := next((key for key in document if key.lower() in GRID_NAMES), None):
        expected = f"a grid in {quote(named)}: rows, or all cells in a list or a text"
        return Misread(expected, _describe(document[named]), (named,))
    keys = ", ".join(map(quote, islice(document, _MOST_KEYS)))
    more = ", …" if len(document) > _MOST_KEYS else ""
    return Misread(_EXPECTED, f"the keys {keys}{more}" if keys else "an object without members")


@lru_cache(maxsize=256)
def _words(key: str) -> str:
    """A key in words: `boxWidth` is `box width`."""
    return _CAMEL.sub(" ", key).lower()


@lru_cache(maxsize=256)
def _names_rule(key: str) -> bool:
    """Whether a key is the name of a rule, here or in f-puzzles."""
    from pipeline.reading.formats.notations import FLAGS, KEYS, LAST  # noqa: PLC0415 - with all rules

    words = _words(key)
    named = words.replace(" ", "")
    if named in _MORE_RULES or named in FLAGS or named in KEYS or named in LAST:
        return True
    single = [word for word in words.split() if word not in _IN_OTHER_NAMES]
    return any(map(is_rule_column, (words, named, *single)))


def read_other_members(others: Sequence[tuple[Way, object]], geometry: Geometry) -> OtherMembers:
    """What the members beside a grid say. Raises Misread for rules."""
    claimed, unread, texts = None, list[str](), dict[str, str]()
    for way, value in others:
        key = str(way[-1]).lower()
        if key in _SOLUTIONS:
            value = _inner_solution(value)  # noqa: PLW2901 - the values in it
        if key in _SOLUTIONS and (isinstance(value, str | list) and value):
            claimed = _solution(value, geometry.side)
            unread += [] if claimed else ["solution"]
            continue
        if key in ("title", "name", "author") and isinstance(value, str):
            texts.setdefault("author" if key == "author" else "title", value)
        unread += _unread(way, value, geometry)
    notes = tuple((name, text) for name, text in texts.items() if text.strip())
    return OtherMembers(claimed, notes, more_unread((), [*dict.fromkeys(unread)]))


def _inner_solution(value: object) -> object:
    """The only grid in an object such as `{"value": …}`; any other value unchanged."""
    while isinstance(value, dict):
        inner = [
            member
            for key, member in value.items()
            if key.lower() in _NAMES or key.lower() in _SOLUTIONS
        ]
        if len(inner) != 1:
            break
        value = inner[0]
    return value


def _solution(value: str | list[object], side: int) -> str | None:
    """The n² values of a solution; None if it is anything else."""
    if isinstance(value, str) and is_full(value, side):
        return value
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | list):
        value = value[0]
    rows = [*"".join(value.split())] if isinstance(value, str) else value
    cells = [cell for row in rows for cell in (row if isinstance(row, str | list) else [row])]
    signs = [str(cell).strip() for cell in cells]
    is_whole = len(signs) == side * side and all(sign.isalnum() and sign != "0" for sign in signs)
    return ("" if max(map(len, signs), default=0) == 1 else " ").join(signs) if is_whole else None


def _unread(way: Way, value: object, geometry: Geometry) -> list[str]:
    """The unread parts of a member that is no grid and no solution. Raises Misread for a rule."""
    if len(way) > _DEEPEST_OTHER:
        raise Misread("lists and objects nested less deeply", "more", way)
    key = way[-1] if isinstance(way[-1], str) else ""
    if _is_empty(value) or _states_boxes(way, value, geometry):
        return []
    if _is_map(value, geometry.side):
        expected = f"one region map, 'regions', beside a grid without rules ({AS_JIGSAW})"
        raise Misread(expected, f"the member {quote(key)}", way)
    texts = value if isinstance(value, list) and {*map(type, value)} == {str} else [value]
    if isinstance(texts[0], str) and (key.lower() in _PROSE or not _names_rule(key)):
        if _words(key) in _TYPES and _TYPE.search(str(texts[0])):
            return [f"member {excerpt(key)}: {excerpt(str(texts[0]))}"]
        name = "rules" if key.lower() in _PROSE else key.lower()
        rule_texts = (
            text for text in map(str, texts) if unread_field(name, text, 0, geometry.side)
        )
        return [f"member {excerpt(key)}: {excerpt(text)}" for text in rule_texts]
    means_none = isinstance(value, str) and not unread_field("rules", value, 0, geometry.side)
    is_count = type(value) is int and _words(key).endswith((" count", " id", " number"))
    if _names_rule(key) and not means_none and not is_count:
        raise Misread(_AS_RULES, f"the member {quote(key)}", way)
    inner = chain.from_iterable(_unread((*way, name), x, geometry) for name, x in _members(value))
    return [*inner]


def _is_empty(value: object, steps: int = _DEEPEST_OTHER) -> bool:
    """Whether a value is nothing, or contains only such members."""
    if isinstance(value, dict) and steps:
        return all(_is_empty(member, steps - 1) for member in value.values())
    if isinstance(value, list) and steps:
        return all(member == [] or member is None for member in value)
    return not value


def _is_map(value: object, side: int) -> bool:
    """Whether a list or text names the region of each cell."""
    names = _labels(value) if isinstance(value, str | list) and len(value) < _LONGEST_MAP else []
    signs = {name: chr(_FIRST_SIGN + index) for index, name in enumerate(dict.fromkeys(names))}
    is_whole = len(names) == side * side and len(signs) == side
    return is_whole and is_region_map("".join(map(signs.__getitem__, names)))


def _labels(value: object) -> list[str]:
    """The characters of a text, or the values of a list and of the texts and lists in it."""
    rows = value if isinstance(value, list) else [value]
    cells = ("".join(row.split()) if isinstance(row, str) else row for row in rows)
    labels = [label for row in cells for label in (row if isinstance(row, str | list) else [row])]
    return ["" if isinstance(label, list | dict) else str(label) for label in labels]


def _states_boxes(way: Way, value: object, geometry: Geometry) -> bool:
    """Whether a member only states the size of the boxes. Raises Misread for other boxes."""
    names = (_words(" ".join(map(str, way[-count:]))) for count in (1, 2))
    words = next(filter(_BOX.fullmatch, names), "")
    if not words or not geometry.has_boxes:
        return False
    parts = value if isinstance(value, list) else [value]
    if not all(type(part) in (int, float, str) for part in parts):
        return False
    texts = (re.sub(r"\.0+\b", "", str(part)) for part in parts)
    numbers = [int(size) for text in texts for size in re.findall(r"\d{1,3}", text)]
    if not 0 < len(numbers) < 3:
        return False
    height, width = geometry.height, geometry.width
    allowed = [[height, width], [geometry.side]]
    if words.endswith(("height", "rows")):
        allowed = [[height]]
    elif words.endswith(("width", "columns", "cols")):
        allowed = [[width]]
    elif height == width:
        allowed += [[height]]
    if numbers not in allowed:
        found = f"{quote(str(way[-1]))} of {' by '.join(map(str, numbers))}"
        raise Misread(f"boxes of {height}×{width} cells; declare others by --boxes", found, way)
    return True


_OBJECT = re.compile(r'\{\s*(?:$|["}])')
_OBJECTS = re.compile(r'\[\s*\{\s*(?:$|["}])')


def recognise_objects(text: Text) -> str | None:
    first = text.lines[0].text.lstrip()
    if _OBJECT.match(first) and (first != "{" or _second_begins(text)):
        return "it begins with a JSON object"
    return (
        "it begins as a list of objects in JSON" if _OBJECTS.match(first) else recognise_json(text)
    )


def _second_begins(text: Text) -> bool:
    """Whether the line after a brace may be in a JSON object, not in a program."""
    return len(text.lines) == 1 or text.lines[1].text.lstrip()[0] not in "{([.'0123456789"


def parse_objects(text: Text, reading: Reading) -> Parsed:
    written = text.without_comments()
    if not written.lstrip().startswith(("{", "[")):
        return parse_list(text, reading)  # which refuses it
    try:
        document = parse_json(written)
    except Misread as misread:
        if written.lstrip().startswith("[") and not _OBJECTS.match(written.lstrip()):
            return parse_list(text, reading)  # which refuses it, too
        if misread.offset is None:
            raise text.error(None, None, misread.expected, misread.found) from None
        raise _invalid(text, written, misread) from None
    if isinstance(document, list) and not _is_of_objects(document):
        return parse_list(text, reading)
    try:
        _check_single(document)
        found = find_grid(document)
        parsed, others = _with_regions(_parse_grid(text, written, found, reading), found.others)
        members = read_other_members(others, parsed.puzzle.geometry)
    except Misread as misread:
        raise _invalid(text, written, misread) from None
    except RecursionError:
        raise text.error(None, None, "lists and objects nested less deeply", "more") from None
    return replace(
        parsed,
        claimed=members.claimed or parsed.claimed,
        notes=parsed.notes or members.notes,
        unread=more_unread(parsed.unread, members.unread),
    )


def _check_single(document: object) -> None:
    if isinstance(document, list) and len(document) > 1 and any(map(kind_of_puzzle, document)):
        raise Misread("a single puzzle", f"a list of {counted(len(document), 'value')}", (1,))


def _is_of_objects(values: Sequence[object]) -> bool:
    """Whether a list contains objects or puzzles, not rows or cells."""
    first = values[0] if values else None
    if isinstance(first, list) and len(first) <= _LONGEST_ROW and list not in map(type, first):
        return False
    kinds = {*map(kind_of, values)}
    return kinds == {"object"} or ("" not in kinds and len(kinds) == 1 and not are_rows(values))


def kind_of(value: object) -> str:
    """What a value in a list of puzzles is: an object, a text, a list of cells or of rows."""
    if isinstance(value, dict):
        return "object"
    if isinstance(value, str):
        return "text" if _is_whole(value) else ""
    if is_flat_list(value):
        return "cells" if size_of(value) > _LONGEST_ROW else ""
    return "rows" if is_list_of_rows(value) else ""


def are_rows(values: Sequence[object]) -> bool:
    """Whether texts of 16 cells may be the rows of a grid, perhaps of a damaged one."""
    return {*map(size_of, values)} == {16} and abs(len(values) - 16) < _MISSING_ROWS


def _is_whole(value: str) -> bool:
    return side_of("".join(value.split())) is not None


def _parse_grid(text: Text, written: str, found: _GridPlace, reading: Reading) -> Parsed:
    """The puzzle of a grid in a document. Raises InvalidPuzzle and Misread."""
    if isinstance(found.grid, dict):
        from pipeline.reading.formats.fpuzzles.reading import read_document  # noqa: PLC0415 - with all rules

        try:
            return read_document(found.grid)
        except Misread as misread:
            raise Misread(misread.expected_there, misread.found, found.way) from None
    start, end = _span(written, found.way)
    if isinstance(found.grid, list):
        blank = re.sub(r"[^\n]", " ", written[:start])
        return parse_list(_text_of(text, blank + written[start:end]), reading)
    content = _text_of(text, str(found.grid))
    if not content.lines or len(content.data) > DECODED_BYTES:
        raise Misread("the cells of a puzzle", quote(str(found.grid)), found.way)
    known = next((known for known in _TEXTS if known.recognise(content)), GRID)
    try:
        check_no_region_map(content)
        parsed = known.parse(content, reading)
        remarks = rule_lines(comments_in(str(found.grid)), parsed.puzzle.rules)
        return parsed.with_text("", more_unread(parsed.unread, unread_lines(remarks)))
    except InvalidPuzzle as error:
        has_escapes = "\\" in written[start:end]
        column = error.column if error.line == 1 and error.column and not has_escapes else 1
        error.line, error.column = _place(written, start + column)
        raise


def _with_regions(
    parsed: Parsed, others: Sequence[tuple[Way, object]]
) -> tuple[Parsed, Sequence[tuple[Way, object]]]:
    """The puzzle with the regions of a map beside the grid, and the other members."""
    geometry = parsed.puzzle.geometry
    maps = [(way, value) for way, value in others if _is_map(value, geometry.side)]
    if len(maps) != 1 or str(maps[0][0][-1]).lower() not in _MAPS or not parsed.puzzle.is_plain:
        return parsed, others
    names = _labels(maps[0][1])
    remaining = [(way, value) for way, value in others if way != maps[0][0]]
    if geometry.has_boxes and {*map(tuple, groups_of(names))} == {*geometry.boxes()}:
        return parsed, remaining
    rules = tuple(region_rules(names))
    puzzle = Puzzle(Geometry(1, geometry.side), parsed.puzzle.cells, rules)
    return replace(parsed, puzzle=puzzle, variant="rules"), remaining


def _text_of(text: Text, written: str) -> Text:
    lines = enumerate(NEWLINE.split(written), 1)
    significant = tuple(TextLine.of_text(n, line) for n, line in lines if says_something(line))
    return Text(text.source, significant, written.encode(errors="replace"))


def _place(written: str, offset: int) -> tuple[int, int]:
    """The line and column of a character."""
    return written.count("\n", 0, offset) + 1, offset - written.rfind("\n", 0, offset)


_KEY = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*+")\s*:\s*')
_STEP = re.compile(r"\s*[\[,]\s*")


def _span(written: str, way: Way) -> tuple[int, int]:
    """Where the value at a path begins and ends in a valid JSON text."""
    decode, start = JSONDecoder().raw_decode, len(written) - len(written.lstrip())
    for step in way:
        pattern, name, index = (_KEY if isinstance(step, str) else _STEP), None, -1
        while match := pattern.match(written, start):
            start, index = match.end(), index + 1
            name = decode(match[1])[0] if pattern is _KEY else index
            if name == step:
                break
            start = decode(written, start)[1]
    return start, decode(written, start)[1]


def _invalid(text: Text, written: str, misread: Misread) -> InvalidPuzzle:
    """The error with the line and column of its place."""
    start = misread.offset
    if start is None:
        start = _span(written, misread.way)[0] if misread.way else written.find(written.strip())
    return text.error(*_place(written, start), misread.expected, misread.found)


def cells_in(grid: object) -> str:
    """The cells of a text, or of a list of digits; empty for any other grid."""
    if isinstance(grid, str):
        return grid
    rows = grid if isinstance(grid, list) else []
    cells = [cell for row in rows for cell in (row if isinstance(row, list) else [row])]
    are_digits = all(type(cell) is int and 0 <= cell <= NINE.side for cell in cells)
    return "".join(map(str, cells)) if are_digits else ""


def size_of(value: object) -> int:
    return len(value) if isinstance(value, str | list) else 0


def kind_of_puzzle(value: object) -> str:
    """The kind of a value with a grid; empty for any other value."""
    kind = kind_of(value)
    return kind if kind != "object" or next(grids_in(value, (), DEEPEST), None) else ""
