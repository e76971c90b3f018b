"""The arguments of rules: cells, groups of cells, numbers and flags.

A cell is a number, counted from 0, or a position (row, column), counted from 1. A rule does not
know its grid, so positions remain pairs until a puzzle takes the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, Generic, TypeVar

CellLike = int | tuple[int, int]
"""The number of a cell, from 0, or its row and column, from 1."""

Stored = TypeVar("Stored")
Accepted = TypeVar("Accepted")


class Field(Generic[Stored, Accepted]):
    """A field that accepts one type and stores another; only for type checkers.

    Type checkers infer the types from `__get__` and `__set__`. At run time, `convert_fields`
    converts the values.
    """

    if TYPE_CHECKING:

        def __get__(self, rule: object, kind: object) -> Stored: ...
        def __set__(self, rule: object, value: Accepted) -> None: ...


CellField = Field[int, CellLike]
CellsField = Field[tuple[int, ...], Iterable[CellLike]]
GroupsField = Field[tuple[tuple[int, ...], ...], Iterable[Iterable[CellLike]]]
PairsField = Field[tuple[tuple[int, int], ...], Iterable[tuple[CellLike, CellLike]]]
TermsField = Field[tuple[tuple[int, int], ...], Iterable[tuple[CellLike, int]]]
NumbersField = Field[tuple[int, ...], Iterable[int]]
"""Types of the fields of rules. A term is a pair of cell and weight."""

_Conversion = Callable[[Any], Any]


def _number(value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"expected a whole number, found {value!r}") from None


def _cell(value: Any) -> CellLike:
    """A cell as a number or as a pair. Raises ValueError for anything else."""
    if type(value) is int and value >= 0:
        return value
    try:
        if isinstance(value, (list, tuple)):
            row, column = map(index, value)
            if min(row, column) > 0:
                return row, column
        elif index(value) >= 0:
            return index(value)
    except (TypeError, ValueError):
        pass  # the message below is clearer
    raise ValueError(
        f"expected a cell, as (row, column) from 1 or as a number from 0, found {value!r}"
    )


def _items(value: Any, expected: str) -> Iterable[Any]:
    if type(value) in (tuple, list):  # `isinstance` with an abstract class is slow
        items: Iterable[Any] = value
        return items
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"expected {expected}, found {value!r}")
    return value


def _cells(value: Any, of_cell: _Conversion) -> tuple[CellLike, ...]:
    return tuple([of_cell(cell) for cell in _items(value, "a list of cells")])


def _groups(value: Any, of_cell: _Conversion) -> tuple[tuple[CellLike, ...], ...]:
    return tuple(_cells(group, of_cell) for group in _items(value, "lists of cells"))


def _pairs(value: Any, of_cell: _Conversion) -> tuple[tuple[CellLike, ...], ...]:
    pairs = _groups(value, of_cell)
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f"expected pairs of cells, found {len(pair)} cells")
    return pairs


def _terms(value: Any, of_cell: _Conversion) -> tuple[tuple[CellLike, int], ...]:
    terms = [tuple(_items(term, "(cell, weight)")) for term in _items(value, "a list of terms")]
    for term in terms:
        if len(term) != 2:
            raise ValueError(f"expected (cell, weight), found {term!r}")
    return tuple((of_cell(cell), _number(weight)) for cell, weight in terms)


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple(map(_number, _items(value, "a list of numbers")))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected True or False, found {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}")
    return value


def _rows(value: Any) -> tuple[bytes, ...]:
    rows = tuple(_items(value, "a list of byte strings"))
    for row in rows:
        if not isinstance(row, bytes):
            raise TypeError(f"expected a list of byte strings, found {row!r}")
    return rows


_CELL_CONVERSIONS: dict[Any, Callable[[Any, _Conversion], Any]] = {
    "CellField": lambda value, of_cell: of_cell(value),
    "CellsField": _cells,
    "GroupsField": _groups,
    "PairsField": _pairs,
    "TermsField": _terms,
}
"""Annotation of a field → function that applies another function to each cell of its value."""

_CONVERSIONS: dict[Any, _Conversion] = {
    "NumbersField": _numbers,
    "tuple[int, ...]": _numbers,
    "frozenset[int]": lambda value: frozenset(_items(value, "a set of numbers")),
    "tuple[bytes, ...]": _rows,
    "bool": _flag,
    "str": _text,
    "int": _number,
    "int | None": lambda value: None if value is None else _number(value),
}
"""Annotation of a field → function that checks and converts its value."""


@lru_cache(maxsize=256)
def _fields_of(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The name and annotation of each field that is converted."""
    named = ((field.name, field.type) for field in fields(kind))
    return tuple(
        (name, type_)
        for name, type_ in named
        if type_ in _CELL_CONVERSIONS or type_ in _CONVERSIONS
    )


def convert_fields(rule: Any, name: str) -> bool:
    """Check the fields of a rule called `name`, and convert lists to tuples.

    Returns whether any cell is a position. Raises ValueError, which names the field.
    """
    positions: list[object] = []

    def of_cell(value: Any) -> CellLike:
        if type(value) is int and value >= 0:  # most cells need no call of `_cell`
            return value
        cell = _cell(value)
        if type(cell) is tuple:
            positions.append(cell)
        return cell

    for field, type_ in _fields_of(rule.__class__):
        value = getattr(rule, field)
        try:
            convert = _CELL_CONVERSIONS.get(type_)
            converted = convert(value, of_cell) if convert else _CONVERSIONS[type_](value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: {field}: {error}") from None
        object.__setattr__(rule, field, converted)  # rules are frozen
    return bool(positions)


def mapped_cells(rule: Any, name: str, of_cell: _Conversion) -> dict[str, Any]:
    """Apply `of_cell` to each cell of a rule called `name`. Returns the fields that have cells.

    Raises ValueError with the name of the field if `of_cell` raises ValueError.
    """
    mapped: dict[str, Any] = {}
    for field, type_ in _fields_of(rule.__class__):
        if convert := _CELL_CONVERSIONS.get(type_):
            try:
                mapped[field] = convert(getattr(rule, field), of_cell)
            except ValueError as error:
                raise ValueError(f"{name}: {field}: {error}") from None
    return mapped
