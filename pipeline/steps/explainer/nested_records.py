"""The useful hints of one search among the remaining candidates.

Sudoku Explainer sorts the hints of a search, and applies them in this order. A candidate keeps the
parents by which it is eliminated first. So a hint is useful only if it is the first to eliminate
some candidate. FIRST_RECORD has this hint for each candidate.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.hints import rating_rank
from pipeline.steps.explainer.implications import ANY_COMPLEXITY
from pipeline.steps.explainer.nested_hints import (
    add_eliminated_parents,
    add_elimination,
    add_eliminations_of_cell,
    enter_eliminations,
    start_eliminations,
)
from pipeline.steps.step_arrays import lowest_bit


@compiled(inline=True)
def sort_key(tables, base, complexity, kind):
    """A number that orders hints by rating, complexity and kind."""
    return (rating_rank(tables, base, complexity) * 4096 + complexity) * 8 + kind


@compiled()
def start_records(nest):
    """Start a search: there are no records yet."""
    for k in range(L.SINGLES):
        nest[N.FIRST_RECORD + k] = L.NOTHING
    nest[N.RECORD_COUNT] = 0


@compiled(inline=True)
def is_first_to_eliminate(nest, node, key):
    """Whether a hint is the first one to eliminate a candidate, so far."""
    record = nest[N.FIRST_RECORD + node]
    return record == L.NOTHING or key < nest[N.HINT_RECORDS + N.RECORD_SIZE * record + N.RECORD_KEY]


@compiled()
def is_useful(grid, tables, nest, signed, key):
    """Whether a hint that concludes a signed node is the first one for some elimination."""
    if not signed & 1:
        return is_first_to_eliminate(nest, signed // 2, key)
    cell = signed // 18
    rest = grid[cell] & ~(1 << signed // 2 % 9)
    while rest:
        if is_first_to_eliminate(nest, 9 * cell + lowest_bit(tables, rest), key):
            return True
        rest &= rest - 1
    return False


@compiled()
def max_useful_complexity(grid, tables, nest, signed):
    """The highest complexity with which another hint of the same base may be useful."""
    if not signed & 1:
        record = nest[N.FIRST_RECORD + signed // 2]
        if record == L.NOTHING:
            return ANY_COMPLEXITY
        return nest[N.HINT_RECORDS + N.RECORD_SIZE * record + N.RECORD_COMPLEXITY]
    max_nodes, cell = 0, signed // 18
    rest = grid[cell] & ~(1 << signed // 2 % 9)
    while rest:
        record = nest[N.FIRST_RECORD + 9 * cell + lowest_bit(tables, rest)]
        rest &= rest - 1
        if record == L.NOTHING:
            return ANY_COMPLEXITY
        max_nodes = max(
            max_nodes, nest[N.HINT_RECORDS + N.RECORD_SIZE * record + N.RECORD_COMPLEXITY]
        )
    return max_nodes


@compiled()
def add_record(nest, key, complexity, signed, digest):
    """Record a hint with the citations of CITED_SET. Returns its number, or NOTHING: too many."""
    number = nest[N.RECORD_COUNT]
    if number == N.MAX_RECORDS:
        return L.NOTHING
    nest[N.RECORD_COUNT] += 1
    record = N.HINT_RECORDS + N.RECORD_SIZE * number
    nest[record + N.RECORD_KEY], nest[record + N.RECORD_COMPLEXITY] = key, complexity
    nest[record + N.RECORD_SIGNED], nest[record + N.RECORD_IS_USED] = signed, 0
    nest[record + N.RECORD_LOW] = digest & (1 << 30) - 1
    nest[record + N.RECORD_HIGH] = digest >> 30 & (1 << 30) - 1
    for k in range(N.CITED_WORDS):
        nest[record + N.RECORD_CITED + k] = nest[N.CITED_SET + k]
    return number


@compiled()
def record_conclusion(grid, tables, nest, key, complexity, signed, digest):
    """Record a hint that concludes a signed node."""
    number = add_record(nest, key, complexity, signed, digest)
    if number == L.NOTHING:
        return
    if not signed & 1:
        nest[N.FIRST_RECORD + signed // 2] = number
        return
    cell = signed // 18
    rest = grid[cell] & ~(1 << signed // 2 % 9)
    while rest:
        node = 9 * cell + lowest_bit(tables, rest)
        rest &= rest - 1
        if is_first_to_eliminate(nest, node, key):
            nest[N.FIRST_RECORD + node] = number


@compiled()
def use_records(state, grid, tables, nest, slot):
    """Add the eliminations of the recorded hints to a slot. Returns whether there are any."""
    count = 0
    for node in range(L.SINGLES):
        number = nest[N.FIRST_RECORD + node]
        if number == L.NOTHING:
            continue
        record = N.HINT_RECORDS + N.RECORD_SIZE * number
        if nest[record + N.RECORD_IS_USED]:
            continue
        nest[record + N.RECORD_IS_USED] = 1
        place, key = count, nest[record + N.RECORD_KEY]
        while place:
            other = nest[N.SORTED + place - 1]
            other_key = nest[N.HINT_RECORDS + N.RECORD_SIZE * other + N.RECORD_KEY]
            if other_key < key or (other_key == key and other < number):
                break
            nest[N.SORTED + place] = nest[N.SORTED + place - 1]
            place -= 1
        nest[N.SORTED + place] = number
        count += 1
    for k in range(count):
        record = N.HINT_RECORDS + N.RECORD_SIZE * nest[N.SORTED + k]
        start_eliminations(nest)
        for word in range(N.CITED_WORDS):
            cited = nest[record + N.RECORD_CITED + word]
            nest[N.CITED_SET + word] = cited
            constraint = N.CITED_BITS * word
            while cited:
                if cited & 1:
                    add_eliminated_parents(state, grid, tables, nest, constraint)
                cited >>= 1
                constraint += 1
        signed = nest[record + N.RECORD_SIGNED]
        if signed == L.NOTHING:
            for j in range(nest[record + N.RECORD_ELIMINATION_COUNT]):
                add_elimination(nest, nest[record + N.RECORD_ELIMINATIONS + j])
        elif signed & 1:
            add_eliminations_of_cell(grid, tables, nest, signed // 18, ~(1 << signed // 2 % 9))
        else:
            add_elimination(nest, signed // 2)
        digest = nest[record + N.RECORD_LOW] + (nest[record + N.RECORD_HIGH] << 30)
        enter_eliminations(nest, slot, nest[record + N.RECORD_COMPLEXITY], digest)
    return count > 0
