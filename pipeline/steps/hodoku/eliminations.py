"""The eliminations of a chain or pattern, and which of several chains HoDoKu prefers.

`layout` describes the arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import lowest_bit


@compiled()
def clear_eliminations(graph):
    """Clear NEW_ELIMINATIONS."""
    for k in range(9 * L.BANDS):
        graph[L.NEW_ELIMINATIONS + k] = 0


@compiled(inline=True)
def add_new_elimination(graph, candidate):
    """Add a candidate to NEW_ELIMINATIONS."""
    cell, digit = candidate // 9, candidate % 9
    graph[L.NEW_ELIMINATIONS + L.BANDS * digit + cell // 27] |= 1 << cell % 27


# HoDoKu prefers more eliminations. Among equal numbers of them, it adds up
# cell · (1 + 80 k) + digit over the eliminations k = 0, 1, …, sorted by digit, then by cell, and
# prefers the smaller sum.
@compiled()
def elimination_key(tables, graph):
    """A number that ranks NEW_ELIMINATIONS: the higher, the better; 0 without eliminations."""
    count = total = 0
    for k in range(9 * L.BANDS):
        word = graph[L.NEW_ELIMINATIONS + k]
        for row in range(3 if word else 0):
            bits = word >> 9 * row & 511
            while bits:
                cell = 27 * (k % L.BANDS) + 9 * row + lowest_bit(tables, bits)
                total += cell * (1 + 80 * count) + k // L.BANDS + 1
                count += 1
                bits &= bits - 1
    return (count << 40) - total


@compiled(inline=True)
def elimination_count(key):
    """The number of eliminations of a key."""
    return (key + (1 << 40) - 1) >> 40


@compiled()
def beats_best(graph, key, length):
    """Whether NEW_ELIMINATIONS beat BEST_ELIMINATIONS, or equal them with a shorter chain.

    `key`: that of NEW_ELIMINATIONS.
    """
    if key != graph[L.BEST_KEY] or length >= graph[L.BEST_LENGTH]:
        return key > graph[L.BEST_KEY]
    for k in range(9 * L.BANDS):
        if graph[L.NEW_ELIMINATIONS + k] != graph[L.BEST_ELIMINATIONS + k]:
            return False
    return key > 0


@compiled()
def keep_best(graph, key, length):
    """Copy NEW_ELIMINATIONS to BEST_ELIMINATIONS."""
    graph[L.BEST_KEY], graph[L.BEST_LENGTH] = key, length
    for k in range(9 * L.BANDS):
        graph[L.BEST_ELIMINATIONS + k] = graph[L.NEW_ELIMINATIONS + k]


@compiled()
def write_eliminations(tables, step, graph, first):
    """Write NEW_ELIMINATIONS or BEST_ELIMINATIONS to a step, by digit, then by cell."""
    for k in range(9 * L.BANDS):
        for row in range(3):
            bits = graph[first + k] >> 9 * row & 511
            while bits:
                cell = 27 * (k % L.BANDS) + 9 * row + lowest_bit(tables, bits)
                step[L.ELIMINATED] += 1
                step[L.ELIMINATED + step[L.ELIMINATED]] = 9 * cell + k // L.BANDS
                bits &= bits - 1
