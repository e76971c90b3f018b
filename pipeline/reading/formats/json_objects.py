"""JSON: lists of cells, and objects with one grid.

    [[5, 3, 0, …], …]                                          rows
    [5, 3, 0, …]                                               81 cells
    {"id": 7, "puzzle": "53..7…", "solution": "534678…"}       an object
    {"newboard": {"grids": [{"value": [[5, 3, …], …]}]}}       nested in other objects

The grid is the member with one of the names in `GRID_NAMES`. It is a list, a text in any notation,
or an f-puzzles document. A `solution` is compared with the result, a region map replaces the boxes,
titles and authors become notes, and rules in prose are reported as unread. Other members that are
named like rules are errors. All further members are ignored. Documents of SudokuPad and saved games
of GNOME Sudoku are refused with a message that names the program.
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
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import (
    add_unread_texts,
    comments_in,
    excerpt,
    is_rule_column,
    rule_lines,
    unread_field,
    unread_lines,
)
from pipeline.reading.formats.boxes import BORDERED
from pipeline.reading.formats.characters import CHARACTERS
from pipeline.reading.formats.fpuzzles import FPUZZLES, is_document
from pipeline.reading.formats.fpuzzles.document import (
    JsonPath,
    Misread,
    describe_value,
    parse_json,
)
from pipeline.reading.formats.grid import GRID
from pipeline.reading.formats.iss import ISS
from pipeline.reading.formats.jigsaws import (
    JIGSAW,
    JIGSAW_HINT,
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
    is_full,
    is_plain,
    may_be_damaged_puzzle,
    side_of,
)
from pipeline.reading.formats.text import (
    DECODED_BYTES,
    NEWLINE,
    Text,
    TextLine,
    cells_of,
    is_significant,
    join_with_or,
    line_and_column,
    quote,
)
from pipeline.reading.formats.variants import groups_of, region_rules
from pipeline.settings import Reading

_COMMON_GRID_NAMES = ("board", "grid", "puzzle", "quiz", "question", "value", "clues")
"""Members that contain the grid, or an object with the grid; messages name these."""

_RARE_GRID_NAMES = ("givens", "mission", "problem", "sudoku", "unsolved", "values")
"""Further such members, which messages do not name."""

_WRAPPER_NAMES = ("data", "game", "grids", "newboard", "puzzle_data", "puzzles", "result")
"""Members that contain an object with the grid."""

_SOLUTION_NAMES = ("answer", "answers", "solution", "solutions")
"""Members that contain the solution."""

GRID_NAMES = (*_COMMON_GRID_NAMES, *_RARE_GRID_NAMES)
"""All members that contain the grid, or an object with the grid."""

_NAMES_ON_PATH = frozenset((*GRID_NAMES, *_WRAPPER_NAMES))
"""Members in which the grid is searched for."""

_EXPECTED_GRID = f"JSON with a grid: a member {join_with_or(map(repr, _COMMON_GRID_NAMES))}"
MAX_GRID_DEPTH = 5
"""Maximum length of the path to the grid: an index, `newboard`, `grids`, an index, `value`."""

_MAX_DEPTH = 20
"""Maximum length of the path to any other member."""

_MAX_ROW_LENGTH = 25
"""Maximum number of cells in a row; a longer list contains all cells of a grid."""

_MAX_ROW_COUNT_ERROR = 3
"""Maximum difference between 16 and the number of rows of a damaged 16×16 grid."""

_MAX_MAP_LENGTH = 2000
"""Maximum length of a list or text that is tested for being a region map."""

_FIRST_REGION_CODE_POINT = 0x4E00
"""Code point of the character that replaces the label of the first region of a map."""

_MAX_LISTED = 8
"""Maximum number of grids to look for, and of keys in a message."""

_OTHER_RULE_NAMES = frozenset(
    (
        *("areas", "blocks", "boxes", "circles", "groups", "lines", "overlays", "sudokux"),
        *("underlays", "xsudoku", "zones"),
    )
)
"""Further names of rules, which `is_rule_column` and f-puzzles do not have."""

_MAP_NAMES = frozenset(
    ("areas", "blocks", "boxes", "jigsaw", "layout", "map", "region", "regions", "shapes", "zones")
)
"""Members whose regions replace the boxes. A map under another name is refused."""

_PROSE_NAMES = frozenset(
    ("rule", "rules", "ruleset", "constraint", "constraints", "variant", "variants")
)
"""Members whose texts are rules in prose, which are reported as unread."""

_AMBIGUOUS_WORDS = _PROSE_NAMES | {"layout"}
"""Words that also occur in names of members without rules, such as `variant id`."""

_TYPE_NAMES = frozenset(
    ("type", "game type", "puzzle type", "kind", "mode", "game mode", "variation")
)
"""Names, in words, of members that state the type of the puzzle."""

_RULE_IN_TYPE = re.compile(
    r"\b(?:killer|arrows?|kings?|even|odd|parity|xv|x|hyper|asterisk|sums?)\b", re.IGNORECASE
)
"""The name of a rule in a member of `_TYPE_NAMES`. In a title, such a word may mean anything."""

_START_NAMES = re.compile(
    r"(?:initial|original|start|starting|fixed)(?: ?(?:board|grid|puzzle|state))?"
)
"""Names of members that contain the puzzle if another grid is the state of play."""

_BOX_SIZE = re.compile(
    r"(?:box|block|region|sub ?grid)(?:es|s)?(?: ?size)?(?: ?(?:height|width|rows|col(?:umn)?s))?"
)
"""Names, in words, of members that state the size of a box."""

_WORD_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
"""The boundary of two words in a key such as `boxWidth` or `box_width`."""

_EXPECTED_NO_RULES = "a grid without rules in JSON (for rules, use f-puzzles or ISS)"

_VARIANT_FORMATS: Final = (KILLER, ARROWS, JIGSAW, SUMOCUE, SOLO, FPUZZLES, ISS, PENCIL_MARKS)
"""The formats of variants that a text in a member may have."""

_TEXT_FORMATS: Final = (*_VARIANT_FORMATS, BORDERED, CHARACTERS, LINE, GRID)
"""The formats of a text in a member, in the order in which they are tried."""


class _LocatedGrid(NamedTuple):
    """The grid of a document, the path to it, and all other members with their paths."""

    grid: object
    path: JsonPath
    members: Sequence[tuple[JsonPath, object]]


class OtherMembers(NamedTuple):
    """The contents of the members other than the grid: the solution, notes, and unread texts."""

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
    if side_of(cells) or may_be_damaged_puzzle(cells):
        return True
    line = Text.of_line(value)
    return "\n" not in value and any(
        candidate.recognises_line(line) for candidate in _VARIANT_FORMATS
    )


def find_grid(document: object) -> _LocatedGrid:
    """Find the only grid in a document; equal grids in the same object or list count as one.

    Raises Misread if there is no grid or if there are several.
    """
    grids = [*islice(grids_in(document, (), MAX_GRID_DEPTH), _MAX_LISTED)]
    if not grids:
        raise _no_grid_error(document)
    if len(grids) > 1:  # a text such as a date may look like a damaged puzzle
        grids = [x for x in grids if not isinstance(x[0], str) or _is_whole_puzzle(x[0])] or grids
    (grid, path), *further_grids = grids
    cells = {cells_of_grid(grid).replace(".", "0") for grid, _ in grids}
    is_repeated = len(cells) == len({path[:-1] for _, path in grids}) == 1 and "" not in cells
    if further_grids and not is_repeated:
        shown = " and ".join(repr(_path_in_words(path)) for _, path in grids[:2])
        raise Misread("JSON with a single grid", f"the grids {shown}", further_grids[0][1])
    members = [*other_members(document, path)]
    for other_path, value in members:
        is_start = _START_NAMES.fullmatch(_key_in_words(str(other_path[-1]))) and _is_grid(value)
        if is_start and cells_of_grid(value).replace(".", "0") not in cells:
            shown = " and ".join(repr(_path_in_words(keys)) for keys in (other_path, path))
            raise Misread("JSON with a single grid", f"the grids {shown}", other_path)
    return _LocatedGrid(grid, path, members)


def _path_in_words(path: JsonPath) -> str:
    """A path in messages, with indices from 1: `grids.1.value`."""
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in path) or "list"


def grids_in(value: object, path: JsonPath, max_depth: int) -> Iterator[tuple[object, JsonPath]]:
    """Yield the grids at most `max_depth` levels below the value at `path`, with their paths."""
    if _is_grid(value):
        yield value, path
    elif max_depth and isinstance(value, dict):
        for key, member in value.items():
            if key.lower() in _NAMES_ON_PATH:
                yield from grids_in(member, (*path, key), max_depth - 1)
    elif max_depth and isinstance(value, list):
        for index, member in enumerate(value):
            if isinstance(member, dict) or (not path and value_kind(member)):
                yield from grids_in(member, (*path, index), max_depth - 1)


def other_members(document: object, path: JsonPath) -> Iterator[tuple[JsonPath, object]]:
    """Yield the path and the value of each member that is not on the path to the grid.

    These are members of the objects and lists on `path`; members of other members are not listed.
    """
    value = document
    for depth, step in enumerate(path):
        for name, member in _members(value):
            if name != step:
                yield (*path[:depth], name), member
            else:
                value = member


def _describe_other_value(value: object) -> str:
    """Describe a value that is not a grid, for messages."""
    if isinstance(value, list):
        return "a list that is not a grid" if value else "an empty list"
    return "an object without a grid" if isinstance(value, dict) else describe_value(value)


def _members(value: object) -> list[tuple[str | int, object]]:
    """The members of an object, or the values of a list, with their keys or indices."""
    if isinstance(value, dict):
        return [*value.items()]
    return [*enumerate(value)] if isinstance(value, list) else []


def _no_grid_error(document: object) -> Misread:
    """The error for a document without a grid; it names the other program if that is known."""
    if isinstance(document, list) and document and isinstance(document[0], dict):
        document = document[0]
    if not isinstance(document, dict):
        return Misread(
            _EXPECTED_GRID, "a list of values that are not puzzles" if document else "an empty list"
        )
    cells = document.get("cells")
    first = cells[0] if isinstance(cells, list) and cells else None
    if isinstance(first, dict) and "position" in first:
        return Misread("a puzzle", "a saved game of GNOME Sudoku, which cannot be read")
    if isinstance(first, list) and {"cages", "metadata", "overlays", "regions"} & document.keys():
        found = "SudokuPad's own document, which has drawings instead of rules"
        return Misread("an f-puzzles document, or JSON with a grid", found)
    if cages := next((key for key in document if key.lower() in ("cage", "cages")), None):
        expected = "a killer as f-puzzles ('killercage') or SudokuPad ('3x3::k:…') writes it"
        return Misread(expected, f"the member {quote(cages)}, as another program writes it")
    if named := next((key for key in document if key.lower() in GRID_NAMES), None):
        expected = f"a grid in {quote(named)}: rows, or all cells in a list or a text"
        return Misread(expected, _describe_other_value(document[named]), (named,))
    keys = ", ".join(map(quote, islice(document, _MAX_LISTED)))
    more = ", …" if len(document) > _MAX_LISTED else ""
    found = f"the keys {keys}{more}" if keys else "an object without members"
    return Misread(_EXPECTED_GRID, found)


@lru_cache(maxsize=256)
def _key_in_words(key: str) -> str:
    """A key in words: `boxWidth` is `box width`."""
    return _WORD_BREAK.sub(" ", key).lower()


@lru_cache(maxsize=256)
def _is_rule_name(key: str) -> bool:
    """Whether a key contains the name of a rule.

    Such names are those of columns of CSV, the keys of f-puzzles, and `_OTHER_RULE_NAMES`.
    """
    from pipeline.reading.formats.notations import DEPENDENT_KEYS, FLAGS, KEYS  # noqa: PLC0415 - with all rules

    words = _key_in_words(key)
    named = words.replace(" ", "")
    if named in _OTHER_RULE_NAMES or named in FLAGS or named in KEYS or named in DEPENDENT_KEYS:
        return True
    single = [word for word in words.split() if word not in _AMBIGUOUS_WORDS]
    return any(map(is_rule_column, (words, named, *single)))


def read_other_members(
    members: Sequence[tuple[JsonPath, object]], geometry: Geometry
) -> OtherMembers:
    """Read the members other than the grid. Raises Misread for rules."""
    claimed, unread, texts = None, list[str](), dict[str, str]()
    for path, value in members:
        key = str(path[-1]).lower()
        if key in _SOLUTION_NAMES:
            value = _inner_solution(value)  # noqa: PLW2901 - an object that contains the values
        if key in _SOLUTION_NAMES and (isinstance(value, str | list) and value):
            claimed = _solution_cells(value, geometry.side)
            unread += [] if claimed else ["solution"]
            continue
        if key in ("title", "name", "author") and isinstance(value, str):
            texts.setdefault("author" if key == "author" else "title", value)
        unread += _unread_parts(path, value, geometry)
    notes = tuple((name, text) for name, text in texts.items() if text.strip())
    return OtherMembers(claimed, notes, add_unread_texts((), [*dict.fromkeys(unread)]))


def _inner_solution(value: object) -> object:
    """The only grid or solution in nested objects such as `{"value": …}`; else `value` itself."""
    while isinstance(value, dict):
        inner = [
            member
            for key, member in value.items()
            if key.lower() in _NAMES_ON_PATH or key.lower() in _SOLUTION_NAMES
        ]
        if len(inner) != 1:
            break
        value = inner[0]
    return value


def _solution_cells(value: str | list[object], side: int) -> str | None:
    """The n² values of a solution as one string; None if there are not n² values."""
    if isinstance(value, str) and is_full(value, side):
        return value
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | list):
        value = value[0]
    rows = [*"".join(value.split())] if isinstance(value, str) else value
    cells = [cell for row in rows for cell in (row if isinstance(row, str | list) else [row])]
    words = [str(cell).strip() for cell in cells]
    is_whole = len(words) == side * side and all(word.isalnum() and word != "0" for word in words)
    return ("" if max(map(len, words), default=0) == 1 else " ").join(words) if is_whole else None


def _unread_parts(path: JsonPath, value: object, geometry: Geometry) -> list[str]:
    """The unread texts in a member that is neither grid nor solution. Raises Misread for rules."""
    if len(path) > _MAX_DEPTH:
        raise Misread("lists and objects nested less deeply", "too many levels", path)
    key = path[-1] if isinstance(path[-1], str) else ""
    if _is_empty(value) or _states_boxes(path, value, geometry):
        return []
    if _is_map_value(value, geometry.side):
        expected = f"one region map, named 'regions' ({JIGSAW_HINT})"
        raise Misread(expected, f"the member {quote(key)}", path)
    texts = value if isinstance(value, list) and {*map(type, value)} == {str} else [value]
    if isinstance(texts[0], str) and (key.lower() in _PROSE_NAMES or not _is_rule_name(key)):
        if _key_in_words(key) in _TYPE_NAMES and _RULE_IN_TYPE.search(str(texts[0])):
            return [f"member {excerpt(key)}: {excerpt(str(texts[0]))}"]
        name = "rules" if key.lower() in _PROSE_NAMES else key.lower()
        rule_texts = (
            text for text in map(str, texts) if unread_field(name, text, 0, geometry.side)
        )
        return [f"member {excerpt(key)}: {excerpt(text)}" for text in rule_texts]
    means_no_rule = isinstance(value, str) and not unread_field("rules", value, 0, geometry.side)
    is_count = type(value) is int and _key_in_words(key).endswith((" count", " id", " number"))
    if _is_rule_name(key) and not means_no_rule and not is_count:
        raise Misread(_EXPECTED_NO_RULES, f"the member {quote(key)}", path)
    nested = (_unread_parts((*path, name), member, geometry) for name, member in _members(value))
    return [*chain.from_iterable(nested)]


def _is_empty(value: object, max_depth: int = _MAX_DEPTH) -> bool:
    """Whether a value states nothing: false, 0, null or empty.

    An object of such values also states nothing, and so does a list of nulls and empty lists.
    """
    if isinstance(value, dict) and max_depth:
        return all(_is_empty(member, max_depth - 1) for member in value.values())
    if isinstance(value, list) and max_depth:
        return all(member == [] or member is None for member in value)
    return not value


def _is_map_value(value: object, side: int) -> bool:
    """Whether a list or text is a region map, with a label for each cell."""
    is_short = isinstance(value, str | list) and len(value) <= _MAX_MAP_LENGTH
    labels = _labels(value) if is_short else []
    distinct = enumerate(dict.fromkeys(labels), _FIRST_REGION_CODE_POINT)
    characters = {label: chr(code_point) for code_point, label in distinct}
    is_whole = len(labels) == side * side and len(characters) == side
    return is_whole and is_region_map("".join(map(characters.__getitem__, labels)))


def _labels(value: object) -> list[str]:
    """The labels in a region map: the characters of its texts, and its other values as strings."""
    rows = value if isinstance(value, list) else [value]
    cells = ("".join(row.split()) if isinstance(row, str) else row for row in rows)
    labels = [label for row in cells for label in (row if isinstance(row, str | list) else [row])]
    return ["" if isinstance(label, list | dict) else str(label) for label in labels]


def _states_boxes(path: JsonPath, value: object, geometry: Geometry) -> bool:
    """Whether a member states the size of the boxes. Raises Misread if it states another size."""
    names = (_key_in_words(" ".join(map(str, path[-count:]))) for count in (1, 2))
    words = next(filter(_BOX_SIZE.fullmatch, names), "")
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
        found = f"{quote(str(path[-1]))} of {' by '.join(map(str, numbers))}"
        raise Misread(
            f"boxes of {height}×{width} cells; declare other boxes with --boxes", found, path
        )
    return True


_OBJECT = re.compile(r'\{\s*(?:$|["}])')
"""The beginning of an object."""

_OBJECTS = re.compile(r'\[\s*\{\s*(?:$|["}])')
"""The beginning of a list of objects."""


def recognise_objects(text: Text) -> str | None:
    first = text.lines[0].text.lstrip()
    if _OBJECT.match(first) and (first != "{" or _may_continue_object(text)):
        return "it begins with a JSON object"
    return (
        "it begins as a list of objects in JSON" if _OBJECTS.match(first) else recognise_json(text)
    )


def _may_continue_object(text: Text) -> bool:
    """Whether the line after a brace may be in a JSON object, not in a program."""
    return len(text.lines) == 1 or text.lines[1].text.lstrip()[0] not in "{([.'0123456789"


def parse_objects(text: Text, reading: Reading) -> Parsed:
    json_text = text.without_comments()
    if not json_text.lstrip().startswith(("{", "[")):
        return parse_list(text, reading)  # raises InvalidPuzzle
    try:
        document = parse_json(json_text)
    except Misread as misread:
        if json_text.lstrip().startswith("[") and not _OBJECTS.match(json_text.lstrip()):
            return parse_list(text, reading)  # raises InvalidPuzzle
        if misread.offset is None:
            raise text.error(None, None, misread.expected, misread.found) from None
        raise _located_error(text, json_text, misread) from None
    if isinstance(document, list) and not _contains_puzzles(document):
        return parse_list(text, reading)
    try:
        _check_single(document)
        located = find_grid(document)
        parsed = _parse_grid(text, json_text, located, reading)
        parsed, remaining = _apply_region_map(parsed, located.members)
        members = read_other_members(remaining, parsed.puzzle.geometry)
    except Misread as misread:
        raise _located_error(text, json_text, misread) from None
    except RecursionError:
        expected = "lists and objects nested less deeply"
        raise text.error(None, None, expected, "too many levels") from None
    return replace(
        parsed,
        claimed=members.claimed or parsed.claimed,
        notes=parsed.notes or members.notes,
        unread=add_unread_texts(parsed.unread, members.unread),
    )


def _check_single(document: object) -> None:
    """Raise Misread for a list of several values of which at least one is a puzzle."""
    if isinstance(document, list) and len(document) > 1 and any(map(kind_of_puzzle, document)):
        raise Misread("a single puzzle", f"a list of {counted(len(document), 'value')}", (1,))


def _contains_puzzles(values: Sequence[object]) -> bool:
    """Whether the values of a list are objects, or puzzles of one kind, not the rows of a grid."""
    first = values[0] if values else None
    if isinstance(first, list) and len(first) <= _MAX_ROW_LENGTH and list not in map(type, first):
        return False
    kinds = {*map(value_kind, values)}
    return kinds == {"object"} or ("" not in kinds and len(kinds) == 1 and not may_be_rows(values))


def value_kind(value: object) -> str:
    """The kind of a value that may be a puzzle: `object`, `text`, `cells` or `rows`; else ""."""
    if isinstance(value, dict):
        return "object"
    if isinstance(value, str):
        return "text" if _is_whole_puzzle(value) else ""
    if is_flat_list(value):
        return "cells" if _length_of(value) > _MAX_ROW_LENGTH else ""
    return "rows" if is_list_of_rows(value) else ""


def may_be_rows(values: Sequence[object]) -> bool:
    """Whether about 16 values of 16 cells may be the rows of a 16×16 grid, perhaps damaged."""
    return {*map(_length_of, values)} == {16} and abs(len(values) - 16) <= _MAX_ROW_COUNT_ERROR


def _is_whole_puzzle(value: str) -> bool:
    return side_of("".join(value.split())) is not None


def _parse_grid(text: Text, json_text: str, located_grid: _LocatedGrid, reading: Reading) -> Parsed:
    """Parse the grid of a document with this `json_text`. Raises InvalidPuzzle and Misread."""
    if isinstance(located_grid.grid, dict):
        from pipeline.reading.formats.fpuzzles.reading import read_document  # noqa: PLC0415 - with all rules

        try:
            return read_document(located_grid.grid)
        except Misread as misread:
            raise Misread(misread.expected_at_path, misread.found, located_grid.path) from None
    start, end = _span_of_value(json_text, located_grid.path)
    if isinstance(located_grid.grid, list):
        spaces = re.sub(r"[^\n]", " ", json_text[:start])  # keeps lines and columns in messages
        return parse_list(_text_from(text, spaces + json_text[start:end]), reading)
    content = _text_from(text, str(located_grid.grid))
    if not content.lines or len(content.data) > DECODED_BYTES:
        raise Misread("the cells of a puzzle", quote(str(located_grid.grid)), located_grid.path)
    text_format = next(
        (candidate for candidate in _TEXT_FORMATS if candidate.recognise(content)), GRID
    )
    try:
        check_no_region_map(content)
        parsed = text_format.parse(content, reading)
        remarks = rule_lines(comments_in(str(located_grid.grid)), parsed.puzzle.rules)
        return parsed.with_text("", add_unread_texts(parsed.unread, unread_lines(remarks)))
    except InvalidPuzzle as error:
        has_escapes = "\\" in json_text[start:end]
        column = error.column if error.line == 1 and error.column and not has_escapes else 1
        error.line, error.column = line_and_column(json_text, start + column)
        raise


def _apply_region_map(
    parsed: Parsed, members: Sequence[tuple[JsonPath, object]]
) -> tuple[Parsed, Sequence[tuple[JsonPath, object]]]:
    """Apply the only region map among the members to a classic puzzle.

    Returns the puzzle, with regions instead of boxes if there is such a map, and the members
    without the map.
    """
    geometry = parsed.puzzle.geometry
    maps = [(path, value) for path, value in members if _is_map_value(value, geometry.side)]
    if len(maps) != 1 or not parsed.puzzle.is_plain:
        return parsed, members
    (map_path, region_map), *_ = maps
    if str(map_path[-1]).lower() not in _MAP_NAMES:
        return parsed, members
    names = _labels(region_map)
    remaining = [(path, value) for path, value in members if path != map_path]
    if geometry.has_boxes and {*map(tuple, groups_of(names))} == {*geometry.boxes()}:
        return parsed, remaining
    rules = tuple(region_rules(names))
    puzzle = Puzzle(Geometry(1, geometry.side), parsed.puzzle.cells, rules)
    return replace(parsed, puzzle=puzzle, variant="rules"), remaining


def _text_from(text: Text, part: str) -> Text:
    """A part of a source as a `Text`, whose messages name the same source."""
    lines = enumerate(NEWLINE.split(part), 1)
    significant = tuple(TextLine.of_text(n, line) for n, line in lines if is_significant(line))
    return Text(text.source, significant, part.encode(errors="replace"))


_KEY = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*+")\s*:\s*')
"""A key of an object, and the brace or comma before it."""

_BEFORE_ELEMENT = re.compile(r"\s*[\[,]\s*")
"""The bracket or comma before a value of a list."""


def _span_of_value(json_text: str, path: JsonPath) -> tuple[int, int]:
    """The start and the end of the value at a path in a valid JSON text."""
    decode, start = JSONDecoder().raw_decode, len(json_text) - len(json_text.lstrip())
    for step in path:
        pattern, name, index = (_KEY if isinstance(step, str) else _BEFORE_ELEMENT), None, -1
        while match := pattern.match(json_text, start):
            start, index = match.end(), index + 1
            name = decode(match[1])[0] if pattern is _KEY else index
            if name == step:
                break
            start = decode(json_text, start)[1]
    return start, decode(json_text, start)[1]


def _located_error(text: Text, json_text: str, misread: Misread) -> InvalidPuzzle:
    """The error with the line and column of the value at fault."""
    start = misread.offset
    if start is None:
        start = (
            _span_of_value(json_text, misread.path)[0]
            if misread.path
            else json_text.find(json_text.strip())
        )
    return text.error(*line_and_column(json_text, start), misread.expected, misread.found)


def cells_of_grid(grid: object) -> str:
    """The cells of a grid that is a text or a list of digits; empty for any other grid."""
    if isinstance(grid, str):
        return grid
    rows = grid if isinstance(grid, list) else []
    cells = [cell for row in rows for cell in (row if isinstance(row, list) else [row])]
    are_digits = all(type(cell) is int and 0 <= cell <= NINE_BY_NINE.side for cell in cells)
    return "".join(map(str, cells)) if are_digits else ""


def _length_of(value: object) -> int:
    """The length of a text or list; 0 for any other value."""
    return len(value) if isinstance(value, str | list) else 0


def kind_of_puzzle(value: object) -> str:
    """The kind of a value, as `value_kind` returns it, but "" for an object without a grid."""
    kind = value_kind(value)
    return kind if kind != "object" or next(grids_in(value, (), MAX_GRID_DEPTH), None) else ""
