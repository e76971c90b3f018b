"""Almost locked sets: ALS-XZ, ALS-XY-wing, ALS chain, death blossom. `layout` describes the arrays.

`set_links` finds the sets and their restricted commons. A set that lacks one of its candidates
holds all others, and one of two sets lacks a restricted common of them.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.eliminations import (
    clear_eliminations,
    elimination_count,
    elimination_key,
    keep_best,
    write_eliminations,
)
from pipeline.steps.hodoku.set_links import cite_set, link_sets, sets_overlap
from pipeline.steps.step_arrays import append_new, bit_count, lowest_bit

ALS_XZ, ALS_XY_WING, ALS_CHAIN, DEATH_BLOSSOM = range(4)
"""Forms of techniques."""

MIN_CHAIN_COMMONS, MAX_CHAIN_COMMONS = 3, 5
"""Minimum and maximum number of restricted commons in an ALS chain."""


@compiled()
def find_almost_locked_sets(state, tables, step, graph, form):
    """Find a technique of one of the forms."""
    link_sets(state, tables, graph)
    if form == ALS_XZ:
        return _find_xz(tables, step, graph)
    if form == ALS_XY_WING:
        return _find_xy_wing(tables, step, graph)
    if form == ALS_CHAIN:
        return _find_chain(tables, step, graph)
    return _find_blossom(state, tables, step, graph)


@compiled(inline=True)
def _has_shared(tables, graph, digits, a, b):
    """Whether a place of one of the digits sees all its places in two sets."""
    any_word = 0
    while digits:
        offset = L.ALS_SEEN + L.BANDS * lowest_bit(tables, digits)
        digits &= digits - 1
        of_a, of_b = offset + 9 * L.BANDS * a, offset + 9 * L.BANDS * b
        any_word |= graph[of_a] & graph[of_b]
        any_word |= graph[of_a + 1] & graph[of_b + 1] | graph[of_a + 2] & graph[of_b + 2]
    return any_word != 0


@compiled()
def _add_shared(graph, digits, a, b):
    """Add the cells that see all places of a digit in two sets to NEW_ELIMINATIONS."""
    for digit in range(9):
        for band in range(L.BANDS if digits >> digit & 1 else 0):
            offset = L.ALS_SEEN + L.BANDS * digit + band
            word = graph[offset + 9 * L.BANDS * a] & graph[offset + 9 * L.BANDS * b]
            graph[L.NEW_ELIMINATIONS + L.BANDS * digit + band] |= word


# ALS-XZ. Two sets with a restricted common x: one of them lacks x, so it holds all its other
# digits. A further digit z that both have is in one of them: it is eliminated from cells that see
# all its places in both. With two restricted commons each set lacks one of them, so each set holds
# all its other digits, and one of the two sets holds each of the commons.
@compiled()
def _find_xz(tables, step, graph):
    """Find an ALS-XZ."""
    clear_eliminations(graph)
    for k in range(graph[L.FIRST_COMMON + graph[L.ALS_COUNT]]):
        a, b = graph[L.COMMON_SETS + 2 * k], graph[L.COMMON_SETS + 2 * k + 1]
        restricted = graph[L.COMMON_DIGITS + k]
        digits_a, digits_b = graph[L.ALS_DIGITS + a], graph[L.ALS_DIGITS + b]
        shared = digits_a & digits_b
        is_double = restricted & (restricted - 1) != 0
        if not is_double:
            shared &= ~restricted
        any_word = _has_shared(tables, graph, shared, a, b)
        if is_double:
            any_word |= _add_rest(graph, digits_a & ~restricted, a, b)
            any_word |= _add_rest(graph, digits_b & ~restricted, b, a)
        if any_word:
            _add_shared(graph, shared, a, b)
            write_eliminations(tables, step, graph, L.NEW_ELIMINATIONS)
            cite_set(tables, step, graph, a)
            cite_set(tables, step, graph, b)
            step[L.PATTERN_DIGITS] = restricted
            return 1
    return 0


@compiled()
def _add_rest(graph, digits, own, other):
    """Add the cells that see all places of a digit in a set to NEW_ELIMINATIONS.

    Cells of another set are left out. Returns whether there are any.
    """
    any_word = 0
    for digit in range(9):
        for band in range(L.BANDS if digits >> digit & 1 else 0):
            word = graph[L.ALS_SEEN + L.BANDS * (9 * own + digit) + band]
            word &= ~graph[L.ALS_CELLS + L.BANDS * other + band]
            graph[L.NEW_ELIMINATIONS + L.BANDS * digit + band] |= word
            any_word |= word
    return any_word != 0


# ALS-XY-wing. A set has a restricted common x with one set, and a different one y with another set.
# It lacks only one of x and y, so one of the two other sets lacks its restricted common, and holds
# all its other digits. A digit z that both have is eliminated as in ALS-XZ.
@compiled()
def _find_xy_wing(tables, step, graph):
    """Find an ALS-XY-wing: pairs of restricted commons in their order."""
    clear_eliminations(graph)
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


@compiled()
def _conclude_xy_wing(tables, step, graph, first, second, a, b, shared):
    """Write the conclusions of two restricted commons of the sets a and b with a shared set."""
    x, y = graph[L.COMMON_DIGITS + first], graph[L.COMMON_DIGITS + second]
    digits = graph[L.ALS_DIGITS + a] & graph[L.ALS_DIGITS + b] & ~(x | y)
    if not digits or (x == y and x & (x - 1) == 0) or sets_overlap(graph, a, b):
        return False
    if not _has_shared(tables, graph, digits, a, b):
        return False
    _add_shared(graph, digits, a, b)
    write_eliminations(tables, step, graph, L.NEW_ELIMINATIONS)
    for number in (a, shared, b):
        cite_set(tables, step, graph, number)
    step[L.PATTERN_DIGITS] = x | y
    return True


# ALS chain. Each set has a restricted common with the next one, and a different one with the set
# before. If the first set holds its restricted common, the second lacks it and holds its
# other digits, among them the next restricted common, and so on; the last set then lacks its
# restricted common. So the first or the last set holds all its other digits. As in HoDoKu, each set
# of a chain comes later than the set before in the order of sets. All chains are compared: most
# eliminations come first.
@compiled()
def _find_chain(tables, step, graph):
    """Find the ALS chain that eliminates most candidates."""
    clear_eliminations(graph)
    graph[L.BEST_KEY] = graph[L.BEST_LENGTH] = 0
    best_start = best_x = best_end = best_y = best_links = L.NOTHING
    for start in range(graph[L.ALS_COUNT]):
        if not _can_improve(tables, graph, start):
            continue
        for x in range(9):
            if not graph[L.ALS_DIGITS + start] >> x & 1:
                continue
            links = _reach_sets(graph, start, x)
            for length in range(MIN_CHAIN_COMMONS, links + 1):
                for end in range(start + 1, graph[L.ALS_COUNT]):
                    lasts = graph[L.REACHED_BY + L.MAX_SETS * length + end]
                    shared = graph[L.ALS_DIGITS + start] & graph[L.ALS_DIGITS + end] & ~(1 << x)
                    for y in range(9 if shared and lasts else 0):
                        if not lasts >> y & 1 or not shared & ~(1 << y):
                            continue
                        digits = shared & ~(1 << y)
                        if not _has_shared(tables, graph, digits, start, end):
                            continue
                        _add_shared(graph, digits, start, end)
                        key = elimination_key(tables, graph)
                        if key > graph[L.BEST_KEY]:
                            keep_best(graph, key, length)
                            best_start, best_x, best_end, best_y = start, x, end, y
                            best_links = length
                        clear_eliminations(graph)
    if best_start == L.NOTHING:
        return 0
    write_eliminations(tables, step, graph, L.BEST_ELIMINATIONS)
    _reach_sets(graph, best_start, best_x)
    number, y = best_end, best_y
    for length in range(best_links, 0, -1):
        cite_set(tables, step, graph, number)
        step[L.PATTERN_DIGITS] |= 1 << y
        if length > 1:
            number, y = _set_before(tables, graph, best_start, number, y, length)
    cite_set(tables, step, graph, best_start)
    return 1


@compiled()
def _can_improve(tables, graph, start):
    """Whether a set and a later one have digits that eliminate at least as many as the best."""
    for end in range(start + 1, graph[L.ALS_COUNT]):
        shared = graph[L.ALS_DIGITS + start] & graph[L.ALS_DIGITS + end]
        if _has_shared(tables, graph, shared, start, end):
            if not graph[L.BEST_KEY]:
                return True
            _add_shared(graph, shared, start, end)
            count = elimination_count(elimination_key(tables, graph))
            clear_eliminations(graph)
            if count >= elimination_count(graph[L.BEST_KEY]):
                return True
    return False


@compiled()
def _reach_sets(graph, start, x):
    """Follow restricted commons from a set, the first of which is `x`, to later sets.

    REACHED_BY then contains, for each number of links and each set, the last restricted commons of
    the chains that reach the set. Returns the highest number of links.
    """
    count = graph[L.ALS_COUNT]
    for k in range(start, count):
        graph[L.REACHED_BY + L.MAX_SETS + k] = 0
    for k in range(graph[L.FIRST_COMMON + start], graph[L.FIRST_COMMON + start + 1]):
        is_first = graph[L.COMMON_DIGITS + k] >> x & 1
        graph[L.REACHED_BY + L.MAX_SETS + graph[L.COMMON_SETS + 2 * k + 1]] = is_first << x
    for length in range(2, MAX_CHAIN_COMMONS + 1):
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
                digits = graph[L.COMMON_DIGITS + k] & ~blocked
                graph[now + graph[L.COMMON_SETS + 2 * k + 1]] |= digits
                any_reached |= digits
        if not any_reached:
            return length - 1
    return MAX_CHAIN_COMMONS


@compiled()
def _set_before(tables, graph, start, number, y, length):
    """The set before a set of a chain from `start`, and the restricted common before `y`.

    Sets before `start` are left out: an earlier start wrote their REACHED_BY.
    """
    before = L.REACHED_BY + L.MAX_SETS * (length - 1)
    for k in range(graph[L.FIRST_COMMON + start + 1], graph[L.FIRST_COMMON + graph[L.ALS_COUNT]]):
        if graph[L.COMMON_SETS + 2 * k + 1] == number and graph[L.COMMON_DIGITS + k] >> y & 1:
            a = graph[L.COMMON_SETS + 2 * k]
            lasts = graph[before + a] & ~(1 << y)
            if lasts:
                return a, lowest_bit(tables, lasts)
    return number, y


# Death blossom. For each candidate x of a cell, the stem, a set whose places for x all see the
# stem: its petal. The stem holds one of its candidates, so one petal lacks its x, and holds all its
# other digits. A digit z that all petals have is in one of them: it is eliminated from cells that
# see all its places in the petals.
@compiled()
def _find_blossom(state, tables, step, graph):
    """Find a death blossom: stems ascending, then the digit z, then petals in the order of sets."""
    for stem in range(81):
        size = bit_count(tables, state[stem])
        for z in range(9 if size > 1 else 0):
            if state[stem] >> z & 1:
                continue
            for band in range(L.BANDS):
                graph[L.BLOSSOM + band] = graph[L.PLACES + L.BANDS * z + band]
            depth, remaining = 0, state[stem]
            graph[L.PICKS] = -1
            while depth >= 0:
                graph[L.PICKS + depth] += 1
                number = graph[L.PICKS + depth]
                if number == graph[L.ALS_COUNT]:
                    depth -= 1
                    if depth >= 0:
                        remaining |= 1 << graph[L.UNIONS + depth]
                    continue
                x = lowest_bit(tables, remaining)
                if not _is_petal(tables, graph, stem, number, x, z, depth):
                    continue
                graph[L.UNIONS + depth] = x
                remaining &= remaining - 1
                depth += 1
                if depth == size:
                    _conclude_blossom(tables, step, graph, stem, z, size)
                    step[L.PATTERN_DIGITS] = state[stem]
                    return 1
                graph[L.PICKS + depth] = -1
    return 0


@compiled()
def _is_petal(tables, graph, stem, number, x, z, depth):
    """Whether a set may be the next petal of a stem, for `x`.

    Some cell with the candidate `z` must see all places for `z` in this and the earlier petals.
    BLOSSOM has these cells for each number of petals.
    """
    digits = 1 << x | 1 << z
    if graph[L.ALS_DIGITS + number] & digits != digits:
        return False
    any_word = 0
    for band in range(L.BANDS):
        places = graph[L.ALS_PLACES + L.BANDS * (9 * number + x) + band]
        if places & ~tables[L.SEEN + L.BANDS * stem + band]:
            return False
        word = graph[L.BLOSSOM + L.BANDS * depth + band]
        word &= graph[L.ALS_SEEN + L.BANDS * (9 * number + z) + band]
        graph[L.BLOSSOM + L.BANDS * (depth + 1) + band] = word
        any_word |= word
    cells = graph[L.ALS_CELLS + L.BANDS * number + stem // 27]
    return any_word != 0 and not cells >> stem % 27 & 1


@compiled()
def _conclude_blossom(tables, step, graph, stem, z, size):
    """Write the conclusions of a death blossom, whose petals are in PICKS."""
    clear_eliminations(graph)
    for band in range(L.BANDS):
        graph[L.NEW_ELIMINATIONS + L.BANDS * z + band] = graph[L.BLOSSOM + L.BANDS * size + band]
    write_eliminations(tables, step, graph, L.NEW_ELIMINATIONS)
    append_new(step, L.CITED, stem)
    append_new(step, L.PATTERN_CELLS, stem)
    for k in range(size):
        cite_set(tables, step, graph, graph[L.PICKS + k])
