"""Descriptions of rules for people: all of it in the reference, one sentence on printed sheets.

The description is the docstring of the rule's class. A sheet prints its first sentence, and those
later sentences that name, in backquotes, a flag that is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import Field, fields
from inspect import cleandoc
from typing import Any

from pipeline.puzzle.puzzle import Rule

_FIELD = re.compile(r"`(\w+)`")
_END = re.compile(r"(?<=\.) (?=[A-Z`])")
_WORD = re.compile(r"\w+")
_FLAGS = ("bool", "CellPairs")
"""Types of fields that count as flags: true, or not empty."""


def meaning(kind: type[Rule]) -> str:
    """The full description of a kind of rule, with its fields in backquotes."""
    return " ".join(cleandoc(kind.__doc__ or "").split())


def sentence(rules: Sequence[Rule]) -> str:
    """Describe rules of one kind, with the numbers that their drawings do not show.

    Empty if Python has dropped its docstrings (`-OO`).
    """
    first, *later = _END.split(meaning(type(rules[0])))
    flags = {field.name for field in _fields(rules[0]) if field.type in _FLAGS}
    is_set = {name for name in flags if any(getattr(rule, name) for rule in rules)}
    applicable = [text for text in later if is_set.intersection(_FIELD.findall(text))]
    text = _FIELD.sub(lambda match: _value_of(rules, match[1]), " ".join((first, *applicable)))
    return text[:1].upper() + text[1:]


def _fields(rule: Any) -> tuple[Field[Any], ...]:
    return fields(rule)  # every rule is made a dataclass


def _value_of(rules: Sequence[Rule], name: str) -> str:
    """The number that all rules have, if it is the default or in their captions; else its name."""
    [field] = [field for field in _fields(rules[0]) if field.name == name]
    value, *other_values = {getattr(rule, name) for rule in rules}
    if field.type in _FLAGS:
        return name
    if field.type == "Values" and not other_values:
        return " or ".join(map(str, value))
    is_shared = isinstance(value, int) and not other_values
    if is_shared and (value == field.default or str(value) in _WORD.findall(rules[0].caption())):
        return str(value)
    return f"the {name}"


def sentences(rules: Iterable[Rule]) -> list[tuple[str, str]]:
    """Pairs of captions and description, one for each description that the rules have."""
    kinds: dict[tuple[type[Rule], str], list[Rule]] = {}
    for rule in rules:
        kinds.setdefault((type(rule), rule.caption()), []).append(rule)
    captions_of: dict[str, list[str]] = {}
    for (_, caption), same in kinds.items():
        captions_of.setdefault(sentence(same), []).append(caption)
    return [(", ".join(captions), text) for text, captions in captions_of.items()]
