"""The words of constraints: the arguments after its type that a rule is written as.

Each function is the other direction of a reader. It returns None for a rule that its type does
not stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules import cages, custom, free, lines, outside, pairs
from pipeline.reading.formats.iss import machines
from pipeline.reading.formats.iss.arguments import cell_words, parted
from pipeline.reading.formats.iss.phrases import cell_word, line_word
from pipeline.reading.formats.iss.readers import LOOP

Words = Sequence[str] | None


def nothing(_rule: object, _geometry: Geometry) -> Words:
    return ()


def from_both_ends(rule: outside.Outside, geometry: Geometry) -> Words:
    """The clue at the beginning of its row or column, or behind an empty one."""
    before = () if rule.line[0] < rule.line[-1] else ("",)
    return line_word(geometry, rule.line), *before, str(rule.number)


def cage(rule: cages.Cage, geometry: Geometry) -> Words:
    return str(rule.total or 0), *cell_words(rule.group, geometry)


def weighted_sum(rule: cages.Sum, geometry: Geometry) -> Words:
    cells, weights = zip(*rule.terms, strict=True)
    factors = f"_=_{_joined(weights)}" if {*weights} != {1} else ""
    return f"{rule.total}{factors}", *cell_words(cells, geometry)


def contains_at_least(rule: cages.Contains, geometry: Geometry) -> Words:
    return None if rule.exactly else _contains(rule, geometry)


def contains_exactly(rule: cages.Contains, geometry: Geometry) -> Words:
    return _contains(rule, geometry) if rule.exactly else None


def _contains(rule: cages.Contains, geometry: Geometry) -> Words:
    return _joined(rule.wanted), *cell_words(rule.group, geometry)


def count_distinct(rule: cages.CountOfDifferent, geometry: Geometry) -> Words:
    return cell_words((rule.counter, *rule.counted), geometry)


def arrow(rule: cages.Arrow, geometry: Geometry) -> Words:
    return cell_words(rule.circle + rule.shaft, geometry) if len(rule.circle) == 1 else None


def pill_arrow(rule: cages.Arrow, geometry: Geometry) -> Words:
    cells = (*sorted(rule.circle), *rule.shaft)
    size = len(rule.circle)
    return (str(size), *cell_words(cells, geometry)) if size > 1 else None


def sum_line(rule: lines.SumLine, geometry: Geometry) -> Words:
    end = (LOOP,) if rule.loop else ()
    return str(rule.total), *cell_words(rule.line, geometry), *end


def indexing(rule: pairs.Indexer, geometry: Geometry) -> Words:
    return "R" if rule.row else "C", cell_word(geometry, rule.cell)


def relation(rule: custom.Relation, geometry: Geometry) -> Words:
    return None if rule.every else _relation(rule, geometry)


def relation_of_all(rule: custom.Relation, geometry: Geometry) -> Words:
    return _relation(rule, geometry) if rule.every else None


def _relation(rule: custom.Relation, geometry: Geometry) -> Words:
    return machines.key_of(rule.related, geometry.values), *_labelled(rule, geometry)


def nfa(rule: custom.StateMachine, geometry: Geometry) -> Words:
    text = machines.machine_text(rule.moves, rule.accepted, geometry.values)
    return text, *_labelled(rule, geometry)


def _labelled(rule: custom.Relation | custom.StateMachine, geometry: Geometry) -> list[str]:
    """The cells of a line behind its name, whose signs with a meaning in texts are escaped."""
    escaped = "".join(
        sign if sign.isascii() and sign.isalnum() else "".join(f"%{b:02X}" for b in sign.encode())
        for sign in rule.label
    )
    return [f"_{escaped}"] * bool(escaped) + cell_words(rule.line, geometry)


def connected(rule: free.ConnectedValues, geometry: Geometry) -> Words:
    name = ""
    if geometry.free and rule.group[0] >= geometry.inner:
        name = next(name for name, cells in geometry.free.lines() if rule.group[0] in cells)
    size = (str(rule.size),) if rule.size else ()
    return name, _joined(rule.values), *size


def chaos_arrow(rule: free.ChaosArrow, geometry: Geometry) -> Words:
    control = cell_word(geometry, rule.control)
    return control, str(rule.offset), *parted(rule.arms, geometry)


def chaos_count(rule: free.ChaosCount, geometry: Geometry) -> Words:
    control = cell_word(geometry, rule.control)
    return control, str(rule.offset), *cell_words(rule.counted, geometry)


def _joined(numbers: Iterable[int]) -> str:
    return "_".join(map(str, numbers))
