"""Level 1: locked candidates, pairs and X-wings among the remaining candidates of a following."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.nested_hints import (
    add_eliminated_parents,
    add_elimination,
    add_elimination_parent,
    add_eliminations_of_cell,
    cite,
    clear_citations,
    enter_eliminations,
    mix,
    start_eliminations,
)
from pipeline.steps.explainer.patterns import places_of_digit, unit_in_order
from pipeline.steps.step_arrays import bit_count, cell_at, lowest_bit, unit_of


# The first of the four patterns that applies at all is used wherever it applies. The parents of its
# eliminations are the candidates without whose elimination the pattern would not exist.
@compiled()
def use_patterns(state, grid, tables, nest, slot):
    """Add the eliminations of patterns to a slot. Returns whether there is any pattern."""
    return (
        _use_locked(state, grid, tables, nest, slot)
        or _use_hidden_pairs(state, grid, tables, nest, slot)
        or _use_naked_pairs(state, grid, tables, nest, slot)
        or _use_x_wings(state, grid, tables, nest, slot)
    )


@compiled()
def _count_open(state, tables, unit):
    """Count the open cells of a unit."""
    count = 0
    for position in range(9):
        count += state[cell_at(tables, unit, position)] != 0
    return count


@compiled()
def _add_eliminations_of_digit(grid, tables, nest, unit, digit, positions):
    """Add the eliminations of a digit at some positions of a unit."""
    rest = places_of_digit(grid, unit, digit) & positions
    while rest:
        add_elimination(nest, 9 * cell_at(tables, unit, lowest_bit(tables, rest)) + digit)
        rest &= rest - 1


@compiled()
def _begin_pattern(state, grid, tables, nest, a, b):
    """Begin a pattern of two constraints."""
    start_eliminations(nest)
    clear_citations(nest)
    for constraint in (a, b):
        add_eliminated_parents(state, grid, tables, nest, constraint)
        cite(nest, constraint)


@compiled()
def _use_locked(state, grid, tables, nest, slot):
    """Use locked candidates, pointing before claiming."""
    is_used = False
    for k in range(324):
        kinds, digit, index = k // 81, k // 9 % 9, k % 9
        unit = (L.FIRST_BOX if kinds < 2 else L.FIRST_COLUMN if kinds == 2 else L.FIRST_ROW) + index
        places = places_of_digit(grid, unit, digit)
        group = tables[L.SPOT_AT + 512 * unit + places]
        if group < 81:
            continue
        other = tables[L.NODE_CONSTRAINTS + 36 * group + (kinds >= 2)] // 9 - 9
        if kinds < 2 and (other < L.FIRST_COLUMN) != (kinds == 1):
            continue
        other_places = places_of_digit(grid, other, digit)
        if bit_count(tables, other_places) == bit_count(tables, places):
            continue
        is_used = True
        start_eliminations(nest)
        eliminated = places_of_digit(state, unit, digit) & ~places
        while eliminated:
            cell = cell_at(tables, unit, lowest_bit(tables, eliminated))
            eliminated &= eliminated - 1
            if unit_of(tables, cell, other // 9) != other:
                add_elimination_parent(nest, 9 * cell + digit)
        while other_places:
            cell = cell_at(tables, other, lowest_bit(tables, other_places))
            other_places &= other_places - 1
            if unit_of(tables, cell, unit // 9) != unit:
                add_elimination(nest, 9 * cell + digit)
        clear_citations(nest)
        cite(nest, L.UNIT_DIGITS + 9 * unit + digit)
        enter_eliminations(nest, slot, 0, mix(L.UNIT_DIGITS + 9 * unit + digit))
    return is_used


@compiled()
def _use_hidden_pairs(state, grid, tables, nest, slot):
    """Use hidden pairs."""
    is_used = False
    for k in range(27):
        unit = unit_in_order(k)
        if _count_open(state, tables, unit) <= 4:
            continue
        for second in range(1, 9):
            places = places_of_digit(grid, unit, second)
            for first in range(second if bit_count(tables, places) == 2 else 0):
                if places_of_digit(grid, unit, first) != places:
                    continue
                a = L.UNIT_DIGITS + 9 * unit + first
                _begin_pattern(state, grid, tables, nest, a, a + second - first)
                rest = places
                while rest:
                    cell = cell_at(tables, unit, lowest_bit(tables, rest))
                    rest &= rest - 1
                    add_eliminations_of_cell(grid, tables, nest, cell, ~(1 << first | 1 << second))
                is_used = is_used or nest[N.ELIMINATION_COUNT] > 0
                enter_eliminations(nest, slot, 0, mix(1000 * a + second))
    return is_used


@compiled()
def _use_naked_pairs(state, grid, tables, nest, slot):
    """Use naked pairs."""
    is_used = False
    for k in range(27):
        unit = unit_in_order(k)
        if _count_open(state, tables, unit) < 4:
            continue
        for second in range(1, 9):
            b = cell_at(tables, unit, second)
            for first in range(second if bit_count(tables, grid[b]) == 2 else 0):
                a = cell_at(tables, unit, first)
                if grid[a] != grid[b]:
                    continue
                _begin_pattern(state, grid, tables, nest, a, b)
                for position in range(9):
                    if position not in (first, second):
                        cell = cell_at(tables, unit, position)
                        add_eliminations_of_cell(grid, tables, nest, cell, grid[a])
                is_used = is_used or nest[N.ELIMINATION_COUNT] > 0
                enter_eliminations(nest, slot, 0, mix(1000 * a + b))
    return is_used


@compiled()
def _use_x_wings(state, grid, tables, nest, slot):
    """Use X-wings, columns as base first."""
    is_used = False
    for base in (L.FIRST_COLUMN, L.FIRST_ROW):
        crossing = L.FIRST_COLUMN - base
        for second in range(base + 1, base + 9):
            for first in range(base, second):
                for digit in range(9):
                    places = places_of_digit(grid, first, digit)
                    if bit_count(tables, places) != 2 or places != places_of_digit(
                        grid, second, digit
                    ):
                        continue
                    placed = 0
                    for line in range(9):
                        placed += state[L.VALUES + L.UNIT_DIGITS + 9 * line + digit] != 0
                    if placed > 5:
                        continue
                    a = L.UNIT_DIGITS + 9 * first + digit
                    b = L.UNIT_DIGITS + 9 * second + digit
                    _begin_pattern(state, grid, tables, nest, a, b)
                    outside = 511 & ~(1 << first % 9 | 1 << second % 9)
                    rest = places
                    while rest:
                        line = crossing + lowest_bit(tables, rest)
                        rest &= rest - 1
                        _add_eliminations_of_digit(grid, tables, nest, line, digit, outside)
                    is_used = is_used or nest[N.ELIMINATION_COUNT] > 0
                    enter_eliminations(nest, slot, 0, mix(1000 * a + b))
    return is_used
