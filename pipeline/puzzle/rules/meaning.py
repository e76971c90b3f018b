"""Explanations of rules: complete ones for the reference, a sentence for printed sheets.

The words are the docstring of the rule's class. Its first sentence stands by itself. A later one
that names a flag in backquotes belongs to it where that flag is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import Field, fields
from inspect import cleandoc
from typing import Any

from pipeline.puzzle.puzzle import Rule

_NAMED = re.compile(r"`(\w+)`")
_END = re.compile(r"(?<=\.) (?=[A-Z`])")
_WORD = re.compile(r"\w+")
_FLAGS = ("bool", "CellPairs")


def meaning(kind: type[Rule]) -> str:
    """All that a kind of rule means, its fields in backquotes."""
    return " ".join(cleandoc(kind.__doc__ or "").split())


def sentence(rules: Sequence[Rule]) -> str:
    """The demand of these rules of one kind, with their numbers if no drawing shows them.

    Empty where Python has dropped its docstrings (`-OO`).
    """
    first, *others = _END.split(meaning(type(rules[0])))
    flags = {each.name for each in _fields(rules[0]) if each.type in _FLAGS}
    is_set = {name for name in flags if any(getattr(rule, name) for rule in rules)}
    kept = [each for each in others if is_set.intersection(_NAMED.findall(each))]
    said = _NAMED.sub(lambda found: _told(rules, found[1]), " ".join((first, *kept)))
    return said[:1].upper() + said[1:]


def _fields(rule: Any) -> tuple[Field[Any], ...]:
    return fields(rule)  # every rule is made a dataclass


def _told(rules: Sequence[Rule], name: str) -> str:
    """The number that all of them have, if it is usual or in their captions; else its name."""
    [field] = [each for each in _fields(rules[0]) if each.name == name]
    value, *others = {getattr(rule, name) for rule in rules}
    if field.type in _FLAGS:
        return name
    if field.type == "Values" and not others:
        return " or ".join(map(str, value))
    is_known = isinstance(value, int) and not others
    if is_known and (value == field.default or str(value) in _WORD.findall(rules[0].caption())):
        return str(value)
    return f"the {name}"


def sentences(rules: Iterable[Rule]) -> list[tuple[str, str]]:
    """The captions of each kind of rule among them, and what it demands."""
    kinds: dict[tuple[type[Rule], str], list[Rule]] = {}
    for rule in rules:
        kinds.setdefault((type(rule), rule.caption()), []).append(rule)
    told: dict[str, list[str]] = {}
    for (_, caption), some in kinds.items():
        told.setdefault(sentence(some), []).append(caption)
    return [(", ".join(captions), said) for said, captions in told.items()]
