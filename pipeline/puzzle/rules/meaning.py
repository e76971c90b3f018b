"""Descriptions of rules for the reference and for printed sheets.

The description of a rule is the docstring of its class. The reference shows the whole description.
A sheet shows its first sentence, and the later sentences that mention, in backquotes, a flag that
the rule sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import Field, fields
from inspect import cleandoc
from typing import Any

from pipeline.puzzle.puzzle import Rule

_FIELD = re.compile(r"`(\w+)`")
"""A field name in a description."""

_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z`])")
_WORD = re.compile(r"\w+")
_FLAGS = ("bool", "PairsField")
"""Types of fields that are flags. A flag is set if its value is true."""


def meaning(kind: type[Rule]) -> str:
    """The full description of a class of rules, with field names in backquotes."""
    return " ".join(cleandoc(kind.__doc__ or "").split())


def sentence(rules: Sequence[Rule]) -> str:
    """The description of rules of one class on a printed sheet; numbers replace field names.

    Empty if Python runs without docstrings (`-OO`).
    """
    first, *later = _SENTENCE_END.split(meaning(type(rules[0])))
    flags = {field.name for field in _fields(rules[0]) if field.type in _FLAGS}
    is_set = {name for name in flags if any(getattr(rule, name) for rule in rules)}
    applicable = [text for text in later if is_set.intersection(_FIELD.findall(text))]
    text = _FIELD.sub(lambda match: _field_text(rules, match[1]), " ".join((first, *applicable)))
    return text[:1].upper() + text[1:]


def _fields(rule: Any) -> tuple[Field[Any], ...]:
    return fields(rule)  # `Rule` makes each subclass a dataclass


def _field_text(rules: Sequence[Rule], name: str) -> str:
    """The text that replaces a field name in a description.

    Returns the number if all rules have the same number, and it is the default or in their caption.
    Otherwise returns the name.
    """
    [field] = [field for field in _fields(rules[0]) if field.name == name]
    value, *other_values = {getattr(rule, name) for rule in rules}
    if field.type in _FLAGS:
        return name
    if field.type == "NumbersField" and not other_values:
        return " or ".join(map(str, value))
    is_shared = isinstance(value, int) and not other_values
    if is_shared and (value == field.default or str(value) in _WORD.findall(rules[0].caption())):
        return str(value)
    return f"the {name}"


def sentences(rules: Iterable[Rule]) -> list[tuple[str, str]]:
    """The pairs (captions, description) of a sheet, one for each different description."""
    kinds: dict[tuple[type[Rule], str], list[Rule]] = {}
    for rule in rules:
        kinds.setdefault((type(rule), rule.caption()), []).append(rule)
    captions_of: dict[str, list[str]] = {}
    for (_, caption), same in kinds.items():
        captions_of.setdefault(sentence(same), []).append(caption)
    return [(", ".join(captions), text) for text, captions in captions_of.items()]
