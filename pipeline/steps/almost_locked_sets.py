"""Almost locked sets: ALS-XZ, ALS-XY-wing and ALS chain. `layout` describes the arrays.

An almost locked set (ALS) is n cells of a unit with n + 1 candidates together. If it lacks one of
them, its cells hold all others. A *restricted common* of two disjoint sets is a digit whose places
in the one all see its places in the other, so one of the sets lacks it.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    cell_at,
    lowest_bit,
    reset_step,
)

XZ, XY_WING, CHAIN = range(3)
"""Forms of techniques."""

MIN_LINKS, MAX_LINKS = 3, 5
"""Minimum and maximum number of restricted commons in an ALS chain."""


@compiled()
def find_almost_locked_sets(state, tables, step, graph, form):
    """Find a technique of one of the forms."""
    link_sets(state, tables, graph)
    if form == XZ:
        return _find_xz(state, tables, step, graph)
    if form == XY_WING:
        return _find_xy_wing(state, tables, step, graph)
    return _find_chain(state, tables, step, graph)


@compiled()
def link_sets(state, tables, graph):
    """Write all almost locked sets and their restricted commons to `graph`, unless they are there.

    HoDoKu's order: by unit (rows, columns, boxes), then depth first. Each set of cells occurs once.
    """
    if graph[L.ALS_COUNT] != L.NOTHING:
        return
    graph[L.ALS_COUNT] = 0
    for k in range(18):
        graph[L.DIGIT_CELLS + k] = 0
    for cell in range(81):
        for digit in range(9):
            if state[cell] >> digit & 1:
                graph[L.DIGIT_CELLS + 2 * digit + cell // 45] |= 1 << cell % 45
    for unit in range(L.UNITS):
        _add_sets(state, tables, graph, unit)
    count = graph[L.ALS_COUNT]
    for k in range(count):
        graph[L.LAST_COMMON + k] = L.NOTHING
    commons = 0
    for a in range(count):
        graph[L.FIRST_COMMON + a] = commons
        for b in range(a + 1, count):
            digits = _restricted_commons(graph, a, b)
            if digits and commons < L.MAX_COMMONS:
                graph[L.COMMON_SETS + 2 * commons] = a
                graph[L.COMMON_SETS + 2 * commons + 1] = b
                graph[L.COMMON_DIGITS + commons] = digits
                graph[L.NEXT_COMMON + commons] = L.NOTHING
                if graph[L.LAST_COMMON + b] != L.NOTHING:
                    graph[L.NEXT_COMMON + graph[L.LAST_COMMON + b]] = commons
                graph[L.LAST_COMMON + b] = commons
                commons += 1
    graph[L.FIRST_COMMON + count] = commons


@compiled()
def _add_sets(state, tables, graph, unit):
    """Add the almost locked sets of a unit, except those that are in an earlier unit."""
    graph[L.PICKS], graph[L.UNIONS], depth = -1, 0, 0
    rows = columns = 0
    while depth >= 0:
        graph[L.PICKS + depth] += 1
        position = graph[L.PICKS + depth]
        if position > 8:
            depth -= 1
            continue
        cell = cell_at(tables, unit, position)
        if not state[cell]:
            continue
        digits = graph[L.UNIONS + depth] | state[cell]
        depth += 1
        graph[L.UNIONS + depth], graph[L.PICKS + depth] = digits, position
        if bit_count(tables, digits) != depth + 1:
            continue
        rows = columns = 0
        for k in range(depth):
            cell = cell_at(tables, unit, graph[L.PICKS + k])
            rows |= 1 << cell // 9
            columns |= 1 << cell % 9
        in_row, in_column = bit_count(tables, rows) == 1, bit_count(tables, columns) == 1
        is_repeated = (unit >= L.FIRST_COLUMN and in_row) or (unit >= L.FIRST_BOX and in_column)
        if not is_repeated and graph[L.ALS_COUNT] < L.MAX_SETS:
            _add_set(state, tables, graph, unit, depth, digits)


@compiled()
def _add_set(state, tables, graph, unit, size, digits):
    """Add the cells in PICKS as an almost locked set."""
    number = graph[L.ALS_COUNT]
    graph[L.ALS_COUNT] += 1
    graph[L.ALS_UNIT + number], graph[L.ALS_DIGITS + number] = unit, digits
    cells = L.ALS_CELLS + 2 * number
    graph[cells] = graph[cells + 1] = 0
    for digit in range(9):
        at = L.ALS_PLACES + 18 * number + 2 * digit
        seen = L.ALS_SEEN + 18 * number + 2 * digit
        graph[at] = graph[at + 1] = 0
        graph[seen], graph[seen + 1] = graph[L.DIGIT_CELLS + 2 * digit], graph[L.DIGIT_CELLS + 2 * digit + 1]
    for k in range(size):
        cell = cell_at(tables, unit, graph[L.PICKS + k])
        graph[cells + cell // 45] |= 1 << cell % 45
        remaining = state[cell]
        while remaining:
            digit = lowest_bit(tables, remaining)
            remaining &= remaining - 1
            graph[L.ALS_PLACES + 18 * number + 2 * digit + cell // 45] |= 1 << cell % 45
            seen = L.ALS_SEEN + 18 * number + 2 * digit
            graph[seen] &= tables[L.PEERS + 2 * cell]
            graph[seen + 1] &= tables[L.PEERS + 2 * cell + 1]


@compiled(inline=True)
def _restricted_commons(graph, a, b):
    """The restricted commons of two sets, as a mask; 0 if the sets overlap."""
    cells_a, cells_b = L.ALS_CELLS + 2 * a, L.ALS_CELLS + 2 * b
    if graph[cells_a] & graph[cells_b] or graph[cells_a + 1] & graph[cells_b + 1]:
        return 0
    shared, commons = graph[L.ALS_DIGITS + a] & graph[L.ALS_DIGITS + b], 0
    for digit in range(9):
        if shared >> digit & 1:
            seen, at = L.ALS_SEEN + 18 * a + 2 * digit, L.ALS_PLACES + 18 * b + 2 * digit
            if not graph[at] & ~graph[seen] and not graph[at + 1] & ~graph[seen + 1]:
                commons |= 1 << digit
    return commons


@compiled()
def _eliminate_seen(tables, step, graph, digit, a, b):
    """Eliminate a digit where its places in two sets are seen, or its places in one if a == b."""
    seen_a, seen_b = L.ALS_SEEN + 18 * a + 2 * digit, L.ALS_SEEN + 18 * b + 2 * digit
    low, high = graph[seen_a] & graph[seen_b], graph[seen_a + 1] & graph[seen_b + 1]
    _eliminate_cells(tables, step, digit, low, high)


@compiled()
def _eliminate_cells(tables, step, digit, low, high):
    """Eliminate a digit from the cells of a set of cells in two words."""
    if not low and not high:
        return
    for row in range(9):
        mask = (low >> 9 * row if row < 5 else high >> 9 * (row - 5)) & 511
        while mask:
            append_new(step, L.ELIMINATED, 9 * (9 * row + lowest_bit(tables, mask)) + digit)
            mask &= mask - 1


@compiled()
def _cite_set(tables, step, graph, number):
    """Cite the cells of a set, and show them."""
    for row in range(9):
        cells = graph[L.ALS_CELLS + 2 * number + row // 5] >> 9 * (row % 5) & 511
        while cells:
            append_new(step, L.CITED, 9 * row + lowest_bit(tables, cells))
            append_new(step, L.PATTERN_CELLS, 9 * row + lowest_bit(tables, cells))
            cells &= cells - 1
    step[L.BASE_UNITS] |= 1 << graph[L.ALS_UNIT + number]


# ALS-XZ. Two sets with a restricted common x: one of them lacks x, so it holds all its other
# digits. A further digit z that both have is in one of them: it is eliminated from cells that see
# all its places in both. With two restricted commons each set lacks one of them, so each set holds
# all its other digits, and one of the two sets holds each of the commons.
@compiled()
def _find_xz(state, tables, step, graph):
    """Find an ALS-XZ."""
    for k in range(graph[L.FIRST_COMMON + graph[L.ALS_COUNT]]):
        a, b = graph[L.COMMON_SETS + 2 * k], graph[L.COMMON_SETS + 2 * k + 1]
        restricted = graph[L.COMMON_DIGITS + k]
        digits_a, digits_b = graph[L.ALS_DIGITS + a], graph[L.ALS_DIGITS + b]
        is_double = restricted & (restricted - 1) != 0
        for x in range(9):
            for z in range(9 if restricted >> x & 1 else 0):
                if z != x and (digits_a & digits_b) >> z & 1:
                    _eliminate_seen(tables, step, graph, z, a, b)
        if is_double:
            _eliminate_rest(tables, step, graph, digits_a & ~restricted, a, b)
            _eliminate_rest(tables, step, graph, digits_b & ~restricted, b, a)
        if step[L.ELIMINATED]:
            _cite_set(tables, step, graph, a)
            _cite_set(tables, step, graph, b)
            step[L.PATTERN_DIGITS] = restricted
            return 1
    return 0


@compiled()
def _eliminate_rest(tables, step, graph, digits, own, other):
    """Eliminate digits of a set from the cells that see its places, outside of another set."""
    for digit in range(9):
        if digits >> digit & 1:
            seen, cells = L.ALS_SEEN + 18 * own + 2 * digit, L.ALS_CELLS + 2 * other
            low, high = graph[seen] & ~graph[cells], graph[seen + 1] & ~graph[cells + 1]
            _eliminate_cells(tables, step, digit, low, high)


# ALS-XY-wing. A set has a restricted common x with one set, and a different one y with another set.
# It lacks only one of x and y, so one of the two other sets lacks its restricted common, and holds
# all its other digits. A digit z that both have is eliminated as in ALS-XZ.
@compiled()
def _find_xy_wing(state, tables, step, graph):
    """Find an ALS-XY-wing: pairs of restricted commons in their order."""
    for k in range(graph[L.FIRST_COMMON + graph[L.ALS_COUNT]]):
        a, b = graph[L.COMMON_SETS + 2 * k], graph[L.COMMON_SETS + 2 * k + 1]
        for n in range(k + 1, graph[L.FIRST_COMMON + a + 1]):
            if _conclude_xy_wing(tables, step, graph, k, n, b, graph[L.COMMON_SETS + 2 * n + 1], a):
                return 1
        n = graph[L.NEXT_COMMON + k]
        while n != L.NOTHING:
            if _conclude_xy_wing(tables, step, graph, k, n, a, graph[L.COMMON_SETS + 2 * n], b):
                return 1
            n = graph[L.NEXT_COMMON + n]
        for n in range(graph[L.FIRST_COMMON + b], graph[L.FIRST_COMMON + b + 1]):
            if _conclude_xy_wing(tables, step, graph, k, n, a, graph[L.COMMON_SETS + 2 * n + 1], b):
                return 1
    return 0


@compiled(inline=True)
def _conclude_xy_wing(tables, step, graph, first, second, a, b, shared):
    """Write the conclusions of two restricted commons of the sets a and b with a shared set."""
    x, y = graph[L.COMMON_DIGITS + first], graph[L.COMMON_DIGITS + second]
    digits = graph[L.ALS_DIGITS + a] & graph[L.ALS_DIGITS + b] & ~(x | y)
    if not digits or (x == y and x & (x - 1) == 0):
        return False
    cells_a, cells_b = L.ALS_CELLS + 2 * a, L.ALS_CELLS + 2 * b
    if graph[cells_a] & graph[cells_b] or graph[cells_a + 1] & graph[cells_b + 1]:
        return False
    for digit in range(9):
        if digits >> digit & 1:
            _eliminate_seen(tables, step, graph, digit, a, b)
    if not step[L.ELIMINATED]:
        return False
    for number in (a, shared, b):
        _cite_set(tables, step, graph, number)
    step[L.PATTERN_DIGITS] = x | y
    return True


# ALS chain. Neighbours of a chain of sets have a restricted common, which differs from that of the
# neighbours before. If the first set holds its restricted common, the second lacks it and holds its
# other digits, among them the next restricted common, and so on; the last set then lacks its
# restricted common. So the first or the last set holds all its other digits. As in HoDoKu, each set
# of a chain comes later than the set before in the order of sets. All chains are compared: most
# eliminations come first.
@compiled()
def _find_chain(state, tables, step, graph):
    """Find the ALS chain that eliminates most candidates."""
    best_count = best_sum = 0
    best_start = best_x = best_end = best_y = best_links = L.NOTHING
    for start in range(graph[L.ALS_COUNT]):
        if graph[L.FIRST_COMMON + start] == graph[L.FIRST_COMMON + start + 1]:
            continue
        if not _can_eliminate(tables, step, graph, start, best_count):
            continue
        for x in range(9):
            if not graph[L.ALS_DIGITS + start] >> x & 1:
                continue
            links = _reach_sets(graph, start, x)
            for length in range(MIN_LINKS, links + 1):
                for end in range(start + 1, graph[L.ALS_COUNT]):
                    lasts = graph[L.REACHED_BY + L.MAX_SETS * length + end]
                    shared = graph[L.ALS_DIGITS + start] & graph[L.ALS_DIGITS + end] & ~(1 << x)
                    for y in range(9 if shared else 0):
                        if not lasts >> y & 1 or not shared & ~(1 << y):
                            continue
                        step[L.ELIMINATED] = 0
                        _eliminate_shared(tables, step, graph, shared & ~(1 << y), start, end)
                        count = step[L.ELIMINATED]
                        total = sum_of_eliminations(step) if count and count >= best_count else 0
                        if count > best_count or (count == best_count and total < best_sum):
                            best_count, best_sum, best_links = count, total, length
                            best_start, best_x, best_end, best_y = start, x, end, y
    reset_step(step)
    if best_start == L.NOTHING:
        return 0
    shared = graph[L.ALS_DIGITS + best_start] & graph[L.ALS_DIGITS + best_end]
    shared &= ~(1 << best_x | 1 << best_y)
    _eliminate_shared(tables, step, graph, shared, best_start, best_end)
    _reach_sets(graph, best_start, best_x)
    number, y = best_end, best_y
    for length in range(best_links, 0, -1):
        _cite_set(tables, step, graph, number)
        step[L.PATTERN_DIGITS] |= 1 << y
        if length > 1:
            number, y = _set_before(tables, graph, number, y, length)
    _cite_set(tables, step, graph, best_start)
    return 1


@compiled()
def _can_eliminate(tables, step, graph, start, best_count):
    """Whether a set and a later one have digits that eliminate at least `best_count` candidates."""
    for end in range(start + 1, graph[L.ALS_COUNT]):
        shared = graph[L.ALS_DIGITS + start] & graph[L.ALS_DIGITS + end]
        step[L.ELIMINATED] = 0
        if shared:
            _eliminate_shared(tables, step, graph, shared, start, end)
        if step[L.ELIMINATED] and step[L.ELIMINATED] >= best_count:
            return True
    return False


@compiled()
def _eliminate_shared(tables, step, graph, digits, a, b):
    """Eliminate digits where their places in two sets are seen."""
    for digit in range(9):
        if digits >> digit & 1:
            _eliminate_seen(tables, step, graph, digit, a, b)


@compiled()
def _reach_sets(graph, start, x):
    """Write to REACHED_BY, for each number of links and each set, the last restricted commons of
    chains from `start` with the first restricted common `x`. Returns the number of links.
    """
    count = graph[L.ALS_COUNT]
    for k in range(start, count):
        graph[L.REACHED_BY + L.MAX_SETS + k] = 0
    for k in range(graph[L.FIRST_COMMON + start], graph[L.FIRST_COMMON + start + 1]):
        is_first = graph[L.COMMON_DIGITS + k] >> x & 1
        graph[L.REACHED_BY + L.MAX_SETS + graph[L.COMMON_SETS + 2 * k + 1]] = is_first << x
    for length in range(2, MAX_LINKS + 1):
        before, now = L.REACHED_BY + L.MAX_SETS * (length - 1), L.REACHED_BY + L.MAX_SETS * length
        any_reached = 0
        for k in range(start, count):
            graph[now + k] = 0
        for a in range(start + 1, count):
            lasts = graph[before + a]
            if not lasts:
                continue
            blocked = lasts if lasts & (lasts - 1) == 0 else 0
            for k in range(graph[L.FIRST_COMMON + a], graph[L.FIRST_COMMON + a + 1]):
                graph[now + graph[L.COMMON_SETS + 2 * k + 1]] |= graph[L.COMMON_DIGITS + k] & ~blocked
                any_reached |= graph[L.COMMON_DIGITS + k] & ~blocked
        if not any_reached:
            return length - 1
    return MAX_LINKS


@compiled()
def _set_before(tables, graph, number, y, length):
    """The set before a set of a chain, and the restricted common before `y`."""
    before = L.REACHED_BY + L.MAX_SETS * (length - 1)
    for k in range(graph[L.FIRST_COMMON + graph[L.ALS_COUNT]]):
        if graph[L.COMMON_SETS + 2 * k + 1] == number and graph[L.COMMON_DIGITS + k] >> y & 1:
            a = graph[L.COMMON_SETS + 2 * k]
            lasts = graph[before + a] & ~(1 << y)
            if lasts:
                return a, lowest_bit(tables, lasts)
    return number, y


@compiled()
def sum_of_eliminations(step):
    """The number by which HoDoKu sorts steps that eliminate the same number of candidates.

    The eliminations are sorted by digit, then by cell; number k is weighted by 80 k.
    """
    total = rank = 0
    for digit in range(9):
        for cell in range(81):
            for k in range(L.ELIMINATED + 1, L.ELIMINATED + 1 + step[L.ELIMINATED]):
                if step[k] == 9 * cell + digit:
                    total += cell * (1 + 80 * rank) + digit + 1
                    rank += 1
    return total
