"""Almost locked sets of a state and their restricted commons. `layout` describes the arrays.

An almost locked set (ALS) is n cells of a unit with n + 1 candidates together. If it lacks one of
them, its cells hold all others. A *restricted common* of two disjoint sets is a digit whose places
in the one all see its places in the other, so one of the sets lacks it.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.links import link_state
from pipeline.steps.hodoku.patterns import next_cells
from pipeline.steps.step_arrays import append_new, bit_count, cell_at, lowest_bit

HAVE_SETS = 4
"""The bit of IS_KNOWN that says whether the sets are known."""


@compiled()
def link_sets(state, tables, graph):
    """Write all almost locked sets and their restricted commons to `graph`, unless they are known.

    HoDoKu's order: by unit (rows, columns, boxes), then depth first. Each set of cells occurs once.
    """
    link_state(state, tables, graph)  # for PLACES
    if graph[L.IS_KNOWN] & HAVE_SETS:
        return
    graph[L.IS_KNOWN] |= HAVE_SETS
    graph[L.ALS_COUNT] = 0
    for unit in range(L.UNITS):
        _add_sets(state, tables, graph, unit)
    count = graph[L.ALS_COUNT]
    for k in range(count):
        graph[L.LAST_COMMON + k] = L.NOTHING
    commons = 0
    _index_sets(state, tables, graph)
    for a in range(count):
        graph[L.FIRST_COMMON + a] = commons
        commons = _add_commons(tables, graph, a, commons)
    graph[L.FIRST_COMMON + count] = commons


# Two sets are linked by a digit if all its places in one see all its places in the other. Bit sets
# of sets find all sets that are linked to a set at once.
@compiled()
def _index_sets(state, tables, graph):
    """For each cell, for each digit and for each candidate, write the sets that contain it."""
    for k in range(L.SET_WORDS * (81 + 9 + 729)):
        graph[L.SETS_AT + k] = 0
    for number in range(graph[L.ALS_COUNT]):
        word, bit = number // L.BITS, 1 << number % L.BITS
        for row in range(9):
            cells = graph[L.ALS_CELLS + L.BANDS * number + row // 3] >> 9 * (row % 3) & 511
            while cells:
                cell = 9 * row + lowest_bit(tables, cells)
                cells &= cells - 1
                graph[L.SETS_AT + L.SET_WORDS * cell + word] |= bit
                digits = state[cell]
                while digits:
                    digit = lowest_bit(tables, digits)
                    digits &= digits - 1
                    graph[L.SETS_OF + L.SET_WORDS * digit + word] |= bit
                    graph[L.SETS_WITH + L.SET_WORDS * (9 * cell + digit) + word] |= bit


@compiled()
def _add_commons(tables, graph, a, commons):
    """Add the restricted commons of a set with later sets. Returns the new number of commons."""
    first, end = a // L.BITS, graph[L.ALS_COUNT] // L.BITS + 1
    _link_set(tables, graph, a, first, end)
    for word in range(first, end):
        linked, digits = 0, graph[L.ALS_DIGITS + a]
        while digits:
            linked |= graph[L.LINKED_SETS + L.SET_WORDS * lowest_bit(tables, digits) + word]
            digits &= digits - 1
        if word == first:
            linked &= ~((2 << a % L.BITS) - 1)
        for part in range(7 if linked else 0):
            bits = linked >> 9 * part & 511
            while bits:
                position = 9 * part + lowest_bit(tables, bits)
                bits &= bits - 1
                b = L.BITS * word + position
                if not sets_overlap(graph, a, b) and commons < L.MAX_COMMONS:
                    shared = 0
                    for digit in range(9):
                        if graph[L.ALS_DIGITS + a] >> digit & 1:
                            offset = L.LINKED_SETS + L.SET_WORDS * digit + word
                            shared |= (graph[offset] >> position & 1) << digit
                    _add_common(graph, a, b, shared, commons)
                    commons += 1
    return commons


@compiled()
def _link_set(tables, graph, a, first, end):
    """Write, for each digit of a set, the words of the sets that are linked to it by the digit."""
    for digit in range(9):
        if not graph[L.ALS_DIGITS + a] >> digit & 1:
            continue
        linked = L.LINKED_SETS + L.SET_WORDS * digit
        for word in range(first, end):
            graph[linked + word] = graph[L.SETS_OF + L.SET_WORDS * digit + word]
        for row in range(9):
            offset = L.BANDS * digit + row // 3
            unseen = graph[L.PLACES + offset] & ~graph[L.ALS_SEEN + 9 * L.BANDS * a + offset]
            unseen = unseen >> 9 * (row % 3) & 511
            while unseen:
                cell = 9 * row + lowest_bit(tables, unseen)
                unseen &= unseen - 1
                for word in range(first, end):
                    sets = graph[L.SETS_WITH + L.SET_WORDS * (9 * cell + digit) + word]
                    graph[linked + word] &= ~sets


@compiled(inline=True)
def _add_common(graph, a, b, digits, number):
    """Add the restricted commons of two sets."""
    graph[L.COMMON_SETS + 2 * number], graph[L.COMMON_SETS + 2 * number + 1] = a, b
    graph[L.COMMON_DIGITS + number], graph[L.NEXT_COMMON + number] = digits, L.NOTHING
    if graph[L.LAST_COMMON + b] != L.NOTHING:
        graph[L.NEXT_COMMON + graph[L.LAST_COMMON + b]] = number
    graph[L.LAST_COMMON + b] = number


@compiled()
def _add_sets(state, tables, graph, unit):
    """Add the almost locked sets of a unit, unless an earlier unit contains them."""
    graph[L.UNIONS] = 0
    size = next_cells(state, tables, graph, unit, 0, L.PICKS, 0)
    while size:
        digits = graph[L.UNIONS + size]
        if bit_count(tables, digits) == size + 1 and not _is_repeated(tables, graph, unit, size):
            _add_set(state, tables, graph, unit, size, digits)
        size = next_cells(state, tables, graph, unit, 0, L.PICKS, size)


@compiled()
def _is_repeated(tables, graph, unit, size):
    """Whether the cells in PICKS are also in a unit of an earlier kind: a row, or a column."""
    first = cell_at(tables, unit, graph[L.PICKS])
    in_row, in_column = unit >= L.FIRST_COLUMN, unit >= L.FIRST_BOX
    for k in range(1, size):
        cell = cell_at(tables, unit, graph[L.PICKS + k])
        in_row = in_row and cell // 9 == first // 9
        in_column = in_column and cell % 9 == first % 9
    return in_row or in_column


@compiled()
def _add_set(state, tables, graph, unit, size, digits):
    """Add the cells in PICKS as an almost locked set, unless there are MAX_SETS."""
    number = graph[L.ALS_COUNT]
    if number == L.MAX_SETS:
        return
    graph[L.ALS_COUNT] += 1
    graph[L.ALS_UNIT + number], graph[L.ALS_DIGITS + number] = unit, digits
    cells, first = L.ALS_CELLS + L.BANDS * number, 9 * L.BANDS * number
    for band in range(L.BANDS):
        graph[cells + band] = 0
    for k in range(9 * L.BANDS):
        graph[L.ALS_PLACES + first + k], graph[L.ALS_SEEN + first + k] = 0, graph[L.PLACES + k]
    for k in range(size):
        cell = cell_at(tables, unit, graph[L.PICKS + k])
        graph[cells + cell // 27] |= 1 << cell % 27
        remaining = state[cell]
        while remaining:
            offset = first + L.BANDS * lowest_bit(tables, remaining)
            remaining &= remaining - 1
            graph[L.ALS_PLACES + offset + cell // 27] |= 1 << cell % 27
            for band in range(L.BANDS):
                graph[L.ALS_SEEN + offset + band] &= tables[L.SEEN + L.BANDS * cell + band]


@compiled(inline=True)
def sets_overlap(graph, a, b):
    """Whether two sets share a cell."""
    a, b = L.ALS_CELLS + L.BANDS * a, L.ALS_CELLS + L.BANDS * b
    shared = graph[a] & graph[b] | graph[a + 1] & graph[b + 1] | graph[a + 2] & graph[b + 2]
    return shared != 0


@compiled()
def cite_set(tables, step, graph, number):
    """Cite the cells of a set, and show them."""
    for row in range(9):
        cells = graph[L.ALS_CELLS + L.BANDS * number + row // 3] >> 9 * (row % 3) & 511
        while cells:
            append_new(step, L.CITED, 9 * row + lowest_bit(tables, cells))
            append_new(step, L.PATTERN_CELLS, 9 * row + lowest_bit(tables, cells))
            cells &= cells - 1
    step[L.BASE_UNITS] |= 1 << graph[L.ALS_UNIT + number]


# Almost locked sets as nodes of a grouped chain. A node is a digit in a set. If the set lacks the
# digit, it holds all its other digits, which are its strong links. A candidate or group that sees
# all places of the digit in the set excludes it, and is excluded by it. Links from set to set are
# left out, because ALS-XZ and the ALS chain follow them. Sets of one cell are left out, because the
# candidates of the cell have the same links. HoDoKu has an option for such links,
# `allowAlsInTablingChains`.
@compiled()
def add_set_links(tables, graph):
    """Add the links of almost locked sets to DIRECT.

    The sets that a node excludes come after its groups, in a copy of its list.
    """
    end = graph[L.DIRECT_AT + 6 * L.ALL_NODES - 1]
    for node in range(L.ALL_NODES):
        if not graph[L.IS_NODE + node]:
            continue
        lists = L.DIRECT_AT + 6 * node + 3
        first, groups = end, end + graph[lists + 1] - graph[lists]
        for k in range(graph[lists], graph[lists + 2]):
            end = _append(graph, end, graph[k])
        for number in range(graph[L.ALS_COUNT]):
            if _excludes(tables, graph, node, number):
                end = _append(graph, end, 2 * (L.ALL_NODES + 9 * number + node % 9))
        graph[lists], graph[lists + 1], graph[lists + 2] = first, groups, end
    for k in range(9 * graph[L.ALS_COUNT]):
        number, digit = k // 9, k % 9
        lists = L.DIRECT_AT + 6 * (L.ALL_NODES + k)
        graph[lists] = graph[lists + 1] = end
        for other in range(9 if graph[L.ALS_DIGITS + number] >> digit & 1 else 0):
            if other != digit and graph[L.ALS_DIGITS + number] >> other & 1:
                end = _append(graph, end, 2 * (L.ALL_NODES + 9 * number + other) + 1)
        graph[lists + 2] = graph[lists + 3] = graph[lists + 4] = end
        for node in range(digit, L.ALL_NODES, 9):
            if graph[L.IS_NODE + node] and _excludes(tables, graph, node, number):
                end = _append(graph, end, 2 * node)
        graph[lists + 5] = end


@compiled(inline=True)
def _append(graph, end, signed):
    """Append a signed node to DIRECT, unless it is full. Returns the new end."""
    if end == L.CHAIN_START:
        return end
    graph[end] = signed
    return end + 1


@compiled()
def _excludes(tables, graph, node, number):
    """Whether a candidate or group sees all places of its digit in a set of several cells."""
    digits, seen = graph[L.ALS_DIGITS + number], L.SEEN + L.BANDS * (node // 9)
    if not digits >> node % 9 & 1 or bit_count(tables, digits) == 2:
        return False
    unseen = 0
    for band in range(L.BANDS):
        places = graph[L.ALS_PLACES + L.BANDS * (9 * number + node % 9) + band]
        unseen |= places & ~tables[seen + band]
    return unseen == 0
