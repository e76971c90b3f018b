"""Hints within a chain: their complexity, their citations, and their eliminations.

When links imply no further node, a pattern or a chain among the remaining candidates may eliminate
some of them. The eliminated candidates are nodes off. Their parents are the earlier eliminations on
which the hint depends. Such a hint has a number, because Sudoku Explainer adds its complexity once
to each chain that uses it, however often the chain does so.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.explainer import nested_layout as N
from pipeline.steps.explainer.implications import ANY_COMPLEXITY, add_parent, reach
from pipeline.steps.explainer.nested_slots import min_complexity, slot_of
from pipeline.steps.step_arrays import bit_count, candidate_at, lowest_bit


@compiled()
def count_complexity(nest, slot, derivation, max_nodes):
    """Count the nodes of a chain, and add the complexity of hints that it uses.

    `derivation`: the derivation of the last node. A hint counts once for each value of
    COUNT_NUMBER. Stops counting above `max_nodes`.
    """
    nest[L.STAMP] += 1
    stamp, count, depth = nest[L.STAMP], 1, 0
    while True:
        cause = nest[slot + derivation + N.CAUSE]
        if cause < L.NOTHING:
            hint = N.NUMBERED_HINTS + N.HINT_SIZE * (-2 - cause)
            if nest[hint + N.COUNTED_IN] != nest[N.COUNT_NUMBER]:
                nest[hint + N.COUNTED_IN] = nest[N.COUNT_NUMBER]
                count += nest[hint + N.HINT_COMPLEXITY]
        first = slot + derivation + L.FIRST_PARENT
        for k in range(first, first + nest[slot + derivation + L.PARENT_COUNT]):
            parent = nest[k]
            if nest[L.STAMPS + parent] != stamp:
                nest[L.STAMPS + parent] = stamp
                nest[L.STACK + depth] = nest[slot + L.DERIVATION_AT + parent]
                depth += 1
                count += 1
        if depth == 0 or count > max_nodes:
            return count
        depth -= 1
        derivation = nest[L.STACK + depth]


@compiled()
def count_two_chains(nest, first_slot, first, second_slot, second, max_nodes):
    """The complexity of a hint with two chains, given by their last derivations.

    Above `max_nodes` it is only a lower bound.
    """
    bound = 1 + max(
        nest[first_slot + first + N.MIN_COMPLEXITY], nest[second_slot + second + N.MIN_COMPLEXITY]
    )
    if bound > max_nodes:
        return bound
    nest[N.COUNT_NUMBER] += 1
    complexity = count_complexity(nest, first_slot, first, max_nodes)
    return complexity + count_complexity(nest, second_slot, second, max_nodes - complexity)


@compiled()
def count_branches(grid, tables, nest, slots, constraint, signed, max_nodes):
    """The complexity of the hint that all candidates of a constraint imply a node.

    Above `max_nodes` it is only a lower bound. If a candidate does not imply the node,
    returns ANY_COMPLEXITY + 1.
    """
    rest, longest, total = grid[constraint], 0, 0
    while rest:
        candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        slot = slot_of(nest, slots, 2 * candidate + 1)
        if nest[slot + L.DERIVATION_AT + signed] == 0:
            return ANY_COMPLEXITY + 1
        longest = max(longest, min_complexity(nest, slot, signed))
        total += min_complexity(nest, slot, signed)
    rest = grid[constraint]
    # branches of INNER_SLOTS use no hints, and so share none
    bound = total if slots == N.INNER_SLOTS else longest + bit_count(tables, rest) - 1
    if bound > max_nodes:
        return bound
    nest[N.COUNT_NUMBER] += 1
    complexity = 0
    while rest and complexity <= max_nodes:
        candidate = candidate_at(tables, constraint, lowest_bit(tables, rest))
        rest &= rest - 1
        slot = slot_of(nest, slots, 2 * candidate + 1)
        derivation = nest[slot + L.DERIVATION_AT + signed]
        complexity += count_complexity(nest, slot, derivation, max_nodes - complexity)
    return complexity


@compiled(inline=True)
def mix(number):
    """Scatter a number over 60 bits."""
    number = (number + 1) * 0x1E3779B97F4A7C15 & N.HASH_MASK
    return (number ^ number >> 29) * 0x3F58476D1CE4E5B & N.HASH_MASK


@compiled()
def clear_citations(nest):
    """Clear CITED_SET."""
    for k in range(N.CITED_WORDS):
        nest[N.CITED_SET + k] = 0


@compiled(inline=True)
def cite(nest, constraint):
    """Add a constraint to CITED_SET."""
    nest[N.CITED_SET + constraint // N.CITED_BITS] |= 1 << constraint % N.CITED_BITS


@compiled()
def collect_citations(nest, slot, signed, derivation):
    """Add the citations of a chain and of its hints to CITED_SET. Returns a hash of its nodes."""
    nest[L.STAMP] += 1
    stamp, depth, digest = nest[L.STAMP], 0, mix(signed)
    while True:
        cause = nest[slot + derivation + N.CAUSE]
        if cause < L.NOTHING:
            hint = N.NUMBERED_HINTS + N.HINT_SIZE * (-2 - cause)
            for k in range(N.CITED_WORDS):
                nest[N.CITED_SET + k] |= nest[hint + N.HINT_CITED + k]
        elif cause != L.NOTHING:
            cite(nest, cause)
        first = slot + derivation + L.FIRST_PARENT
        for k in range(first, first + nest[slot + derivation + L.PARENT_COUNT]):
            parent = nest[k]
            if nest[L.STAMPS + parent] != stamp:
                nest[L.STAMPS + parent] = stamp
                digest += mix(parent)
                nest[L.STACK + depth] = nest[slot + L.DERIVATION_AT + parent]
                depth += 1
        if depth == 0:
            return mix((digest ^ signed) & N.HASH_MASK)
        depth -= 1
        derivation = nest[L.STACK + depth]


@compiled()
def number_hint(nest, complexity, digest):
    """The number of a hint with the citations of CITED_SET: a new one, or an equal one.

    Hints with the same `digest`, a hash of the conclusion and the nodes, are equal. Returns NOTHING
    if there are MAX_HINTS hints already.
    """
    low, high = digest & (1 << 30) - 1, digest >> 30 & (1 << 30) - 1
    place = low % N.INDEX_SIZE
    while True:
        number = nest[N.INDEX + place] - 1
        if number < 0:
            break
        hint = N.NUMBERED_HINTS + N.HINT_SIZE * number
        if nest[hint + N.HINT_LOW] == low and nest[hint + N.HINT_HIGH] == high:
            return number
        place = (place + 1) % N.INDEX_SIZE
    number = nest[N.HINT_COUNT]
    if number == N.MAX_HINTS:
        return L.NOTHING
    nest[N.HINT_COUNT] += 1
    nest[N.INDEX + place] = number + 1
    hint = N.NUMBERED_HINTS + N.HINT_SIZE * number
    nest[hint + N.HINT_COMPLEXITY], nest[hint + N.COUNTED_IN] = complexity, 0
    nest[hint + N.HINT_LOW], nest[hint + N.HINT_HIGH] = low, high
    for k in range(N.CITED_WORDS):
        nest[hint + N.HINT_CITED + k] = nest[N.CITED_SET + k]
    return number


@compiled()
def forget_numbered_hints(nest):
    """Forget all hints that are numbered."""
    for k in range(N.INDEX_SIZE if nest[N.HINT_COUNT] else 0):
        nest[N.INDEX + k] = 0
    nest[N.HINT_COUNT] = nest[N.COUNT_NUMBER] = 0


@compiled(inline=True)
def add_elimination(nest, node):
    """Add an elimination to the hint in use."""
    nest[N.ELIMINATIONS + nest[N.ELIMINATION_COUNT]] = node
    nest[N.ELIMINATION_COUNT] += 1


@compiled()
def add_eliminations_of_cell(grid, tables, nest, cell, digits):
    """Add the eliminations of some digits of a cell."""
    rest = grid[cell] & digits
    while rest:
        add_elimination(nest, 9 * cell + lowest_bit(tables, rest))
        rest &= rest - 1


@compiled(inline=True)
def add_elimination_parent(nest, node):
    """Add a node off to the parents, unless it is one of them."""
    if nest[L.STAMPS + 2 * node] != nest[L.STAMP]:
        nest[L.STAMPS + 2 * node] = nest[L.STAMP]
        nest[N.ELIMINATION_PARENTS + nest[N.ELIMINATION_PARENT_COUNT]] = 2 * node
        nest[N.ELIMINATION_PARENT_COUNT] += 1


@compiled()
def start_eliminations(nest):
    """Start to collect the parents and the eliminations of a hint."""
    nest[L.STAMP] += 1
    nest[N.ELIMINATION_PARENT_COUNT] = nest[N.ELIMINATION_COUNT] = 0


@compiled()
def add_eliminated_parents(state, grid, tables, nest, constraint):
    """Add to the parents all candidates of a constraint that are eliminated."""
    eliminated = state[constraint] & ~grid[constraint]
    while eliminated:
        add_elimination_parent(
            nest, candidate_at(tables, constraint, lowest_bit(tables, eliminated))
        )
        eliminated &= eliminated - 1


@compiled()
def enter_eliminations(nest, slot, complexity, digest):
    """Add the eliminations of a hint to a slot; the other arguments are those of `number_hint`.

    A hint without parents does not depend on the assumption, and so adds nothing.
    """
    if nest[N.ELIMINATION_PARENT_COUNT] == 0:
        return
    # Sudoku Explainer keeps eliminations by cell in a hash table, which decides their order
    hint, cells, last, minimum = L.NOTHING, 0, L.NOTHING, 0
    for k in range(nest[N.ELIMINATION_COUNT]):
        cells += nest[N.ELIMINATIONS + k] // 9 != last
        last = nest[N.ELIMINATIONS + k] // 9
    modulus = 32 if cells > 12 else 16
    for place in range(modulus):
        for k in range(nest[N.ELIMINATION_COUNT]):
            node = nest[N.ELIMINATIONS + k]
            if node // 9 % modulus != place or nest[slot + L.DERIVATION_AT + 2 * node]:
                continue
            if hint == L.NOTHING:
                hint = number_hint(nest, complexity, digest)
            if hint == L.NOTHING or nest[slot + L.DERIVATIONS_END] > N.MAX_DERIVATIONS_END:
                return
            reach(nest, slot, 2 * node, -2 - hint)
            for j in range(nest[N.ELIMINATION_PARENT_COUNT]):
                add_parent(nest, slot, nest[N.ELIMINATION_PARENTS + j])
            derivation = nest[slot + L.DERIVATION_AT + 2 * node]
            if minimum == 0:
                nest[N.COUNT_NUMBER] += 1
                minimum = count_complexity(nest, slot, derivation, ANY_COMPLEXITY)
            nest[slot + derivation + N.MIN_COMPLEXITY] = minimum
