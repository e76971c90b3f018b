"""The meaning of each rule: a plain predicate of values, written from its definition alone.

It shares nothing with the formulas of the package but the data of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, combinations, pairwise
from typing import Any

from pipeline import rules
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule

Values = Sequence[int]
Predicate = Callable[[Any, Geometry, Values], bool]


def held(cells: Sequence[int], values: Values) -> list[int]:
    return [values[cell] for cell in cells]


def different(some: Sequence[object]) -> bool:
    return len({*some}) == len(some)


def apart(geometry: Geometry, values: Values, near: Callable[[int, int], bool]) -> bool:
    """Whether no two cells that are near, by rows and columns between them, are equal."""
    return all(values[a] != values[b] for a, b in near_pairs(geometry, near))


@cache
def near_pairs(geometry: Geometry, near: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    places = [*map(geometry.place, range(geometry.grid_size))]
    return [
        (a, b)
        for a, b in combinations(range(geometry.grid_size), 2)
        if near(abs(places[a][0] - places[b][0]), abs(places[a][1] - places[b][1]))
    ]


def sides(rule: Any, geometry: Geometry, values: Values) -> list[tuple[int, int]]:
    """The values of orthogonal neighbours that are not exempt, the smaller one first."""
    pairs = near_pairs(geometry, orthogonal)
    some = [sorted((values[a], values[b])) for a, b in pairs if (a, b) not in rule.exempt]
    return [(small, large) for small, large in some]


def orthogonal(rows: int, columns: int) -> bool:
    return rows + columns == 1


def knight(rows: int, columns: int) -> bool:
    return {rows, columns} == {1, 2}


def king(rows: int, columns: int) -> bool:
    return max(rows, columns) == 1


def different_in_a_row(kinds: Sequence[object], length: int) -> bool:
    chunks = [kinds[end - length : end] for end in range(length, len(kinds) + 1)] or [kinds]
    return all(map(different, chunks))


def diagonal(rule: rules.Diagonal, geometry: Geometry, values: Values) -> bool:
    n = geometry.extent[1]
    return different([values[(n - 1 - k if rule.rising else k) * n + k] for k in range(n)])


def windoku(rule: rules.Windoku, geometry: Geometry, values: Values) -> bool:
    corners = [(top, left) for top in (1, 5) for left in (1, 5)]
    windows = [
        [values[(top + down) * 9 + left + right] for down in range(3) for right in range(3)]
        for top, left in corners
    ]
    return all(map(different, windows))


def disjoint_groups(rule: rules.DisjointGroups, geometry: Geometry, values: Values) -> bool:
    if rule.boxes:
        return all(
            different([values[box[k]] for box in rule.boxes]) for k in range(len(rule.boxes[0]))
        )
    groups: dict[tuple[int, int], list[int]] = {}
    for cell, value in enumerate(values):
        row, column = divmod(cell, geometry.side)
        groups.setdefault((row % geometry.height, column % geometry.width), []).append(value)
    return all(map(different, groups.values()))


def extreme(rule: rules.Extreme, geometry: Geometry, values: Values) -> bool:
    around = held(rule.neighbours, values)
    own = values[rule.cell]
    return all(own > other if rule.maximum else own < other for other in around)


def indexer(rule: rules.Indexer, geometry: Geometry, values: Values) -> bool:
    row, column = geometry.place(rule.cell)
    at = {geometry.place(cell): values[cell] for cell in range(geometry.grid_size)}
    if rule.row:
        line, own = [value for (_, c), value in at.items() if c == column], row
    else:
        line, own = [value for (r, _), value in at.items() if r == row], column
    here = at[row, column]
    if not 1 <= here <= len(line):
        return False
    return all((here == v) == (value == own) for v, value in enumerate(line, 1))


def box_indexer(rule: rules.BoxIndexer, geometry: Geometry, values: Values) -> bool:
    region = sorted(rule.region)
    here, position = values[rule.cell], region.index(rule.cell) + 1
    return all((here == v) == (values[cell] == position) for v, cell in enumerate(region, start=1))


def negative_kropki(rule: rules.NegativeKropki, geometry: Geometry, values: Values) -> bool:
    return not any(
        large - small in rule.differences or large in [ratio * small for ratio in rule.ratios]
        for small, large in sides(rule, geometry, values)
    )


def thermometer(rule: rules.Thermometer, geometry: Geometry, values: Values) -> bool:
    return all(a <= b if rule.slow else a < b for a, b in pairwise(held(rule.line, values)))


def renban(rule: rules.Renban, geometry: Geometry, values: Values) -> bool:
    line = sorted(held(rule.line, values))
    return line == list(range(line[0], line[0] + len(line)))


def nabner(rule: rules.Nabner, geometry: Geometry, values: Values) -> bool:
    line = held([*dict.fromkeys(rule.line)], values)
    return all(abs(a - b) > 1 for a, b in combinations(line, 2))


def entropic(rule: rules.Entropic, geometry: Geometry, values: Values) -> bool:
    n, least = geometry.side, (geometry.side + 1) // 3
    thirds = [(value > least) + (value > n - least) for value in held(rule.line, values)]
    return different_in_a_row(thirds, 3)


def modular(rule: rules.Modular, geometry: Geometry, values: Values) -> bool:
    remainders = [value % rule.modulus for value in held(rule.line, values)]
    return different_in_a_row(remainders, rule.modulus)


def between(rule: rules.Between, geometry: Geometry, values: Values) -> bool:
    first, *inside, last = held(rule.line, values)
    return all(min(first, last) < value < max(first, last) for value in inside)


def lockout(rule: rules.Lockout, geometry: Geometry, values: Values) -> bool:
    first, *inside, last = held(rule.line, values)
    low, high = min(first, last), max(first, last)
    return high - low >= rule.difference and not any(low <= v <= high for v in inside)


def region_sum(rule: rules.RegionSum, geometry: Geometry, values: Values) -> bool:
    sums: list[int] = []
    before = None
    for cell in rule.line:
        region = next((index for index, each in enumerate(rule.regions) if cell in each), None)
        if region is None:
            continue
        if region == before:
            sums[-1] += values[cell]
        else:
            sums.append(values[cell])
        before = region
    return len({*sums}) <= 1


def zipper(rule: rules.Zipper, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    half, odd = divmod(len(line), 2)
    sums = {line[index] + line[-1 - index] for index in range(half)}
    return len(sums | {line[half]} if odd else sums) == 1


def double_arrow(rule: rules.DoubleArrow, geometry: Geometry, values: Values) -> bool:
    first, *inside, last = held(rule.line, values)
    return first + last == sum(inside)


def cage(rule: rules.Cage, geometry: Geometry, values: Values) -> bool:
    inside = held(rule.cells, values)
    return different(inside) and rule.total in (None, sum(inside))


def digital_root(rule: rules.DigitalRoot, geometry: Geometry, values: Values) -> bool:
    inside = held(rule.cells, values)
    total = sum(inside)
    while total > 9:
        total = sum(map(int, str(total)))
    return total == rule.root and (rule.repeating or different(inside))


def arrow(rule: rules.Arrow, geometry: Geometry, values: Values) -> bool:
    number = 0
    for cell in sorted(rule.circle):
        number = 10 * number + values[cell]
    return number == sum(held(rule.shaft, values))


def quadruple(rule: rules.Quadruple, geometry: Geometry, values: Values) -> bool:
    left = held(rule.cells, values)
    for value in rule.values:
        if value not in left:
            return False
        left.remove(value)
    return True


def is_permutation(line: list[int], geometry: Geometry) -> bool:
    return sorted(line) == list(range(1, geometry.side + 1))


def sandwich(rule: rules.Sandwich, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    if not (is_permutation(line, geometry) or (geometry.free_grid and different(line))):
        return False
    first, last = sorted((line.index(min(line)), line.index(max(line))))
    return sum(line[first + 1 : last]) == rule.number


def skyscraper(rule: rules.Skyscraper, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    return sum(v > max(line[:i], default=0) for i, v in enumerate(line)) == rule.number


def x_sum(rule: rules.XSum, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    if geometry.free_grid:
        return line[0] <= len(line) and sum(line[: line[0]]) == rule.number
    return is_permutation(line, geometry) and sum(line[: line[0]]) == rule.number


def sum_line(rule: rules.SumLine, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    turns = range(len(line)) if rule.loop else [0]
    some = any(line) or not rule.loop
    return some and any(in_pieces(line[at:] + line[:at], rule.total) for at in turns)


def in_pieces(line: list[int], total: int) -> bool:
    return not any(line) or any(
        sum(line[:end]) == total and in_pieces(line[end:], total) for end in range(1, len(line) + 1)
    )


def value_indexer(rule: rules.ValueIndexer, geometry: Geometry, values: Values) -> bool:
    value, index, *others = held(rule.line, values)
    return 0 < index <= len(others) and others[index - 1] == value


def lunchbox(rule: rules.Lunchbox, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    first, last = sorted((line.index(min(line)), line.index(max(line))))
    return different(line) and sum(line[first + 1 : last]) == rule.total


def relation(rule: rules.Relation, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    pairs = combinations(line, 2) if rule.every else pairwise(line)
    table = [{v for v in range(20) if mask & 2**v} for mask in rule.related]
    return all(u < len(table) and v in table[u] for u, v in pairs)


def state_machine(rule: rules.StateMachine, geometry: Geometry, values: Values) -> bool:
    state = 0
    for value in held(rule.line, values):
        low, high = ([*rule.moves[state], *[255] * 40][2 * value + at] for at in (0, 1))
        if (low, high) == (255, 255):
            return False
        state = low + 256 * high
    return state in rule.accepted


def nondeterministic_machine(
    rule: rules.NondeterministicMachine, geometry: Geometry, values: Values
) -> bool:
    def may_end(state: int, line: list[int]) -> bool:
        if not line:
            return state in rule.accepted
        after = dict(enumerate(rule.moves[state])).get(line[0], ())
        return any(may_end(other, line[1:]) for other in after)

    return any(may_end(start, held(rule.line, values)) for start in rule.starts)


def one_of(rule: rules.OneOf, geometry: Geometry, values: Values) -> bool:
    return any(
        all(MEANS[type(each)](each, geometry, values) for each in choice) for choice in rule.choices
    )


def rellik(rule: rules.RellikCage, geometry: Geometry, values: Values) -> bool:
    inside = held(rule.cells, values)
    parts = chain.from_iterable(combinations(inside, size + 1) for size in range(len(inside)))
    return different(inside) and rule.total not in map(sum, parts)


def equality(rule: rules.EqualityCage, geometry: Geometry, values: Values) -> bool:
    inside, n = held(rule.cells, values), geometry.side
    odd = sum(value % 2 for value in inside)
    low = sum(2 * value < n + 1 for value in inside)
    high = sum(2 * value > n + 1 for value in inside)
    return different(inside) and odd * 2 == len(inside) and low == high == len(inside) - low


def contains(rule: rules.Contains, geometry: Geometry, values: Values) -> bool:
    found = Counter(held(rule.cells, values))
    return all(
        found[value] == times if rule.exactly else found[value] >= times
        for value, times in Counter(rule.values).items()
    )


def circles(rule: rules.CountingCircles, geometry: Geometry, values: Values) -> bool:
    return all(value == times for value, times in Counter(held(rule.circles, values)).items())


def hidden_skyscraper(rule: rules.HiddenSkyscraper, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    hidden = [value for at, value in enumerate(line) if value <= max(line[:at], default=-1)]
    return hidden[:1] == [rule.number]


def numbered_room(rule: rules.NumberedRoom, geometry: Geometry, values: Values) -> bool:
    line = held(rule.line, values)
    found = [k for k, value in enumerate(line, 1) if value == rule.number]
    return found == line[:1]


def full_rank(rule: rules.FullRank, geometry: Geometry, values: Values) -> bool:
    lines = [*rows_and_columns(geometry, values)]
    lines += [line[::-1] for line in lines]
    own = held(rule.line, values)
    lines.remove(own)
    same = [line for line in lines if line[0] == own[0]]
    place = sum(line < own for line in same) + 1
    return (
        4 * (own[0] - geometry.lowest) + place == rule.number
        and place <= 4
        and (rule.tied or own not in same)
    )


def rows_and_columns(geometry: Geometry, values: Values) -> list[list[int]]:
    n = geometry.free_grid.rows if geometry.free_grid else geometry.side
    rows = [[values[row * n + column] for column in range(n)] for row in range(n)]
    return rows + [list(column) for column in zip(*rows, strict=True)]


def no_tied_lines(rule: rules.NoTiedLines, geometry: Geometry, values: Values) -> bool:
    lines = rows_and_columns(geometry, values)
    return different([*map(tuple, lines), *(tuple(line[::-1]) for line in lines)])


def anti_taxicab(rule: rules.AntiTaxicab, geometry: Geometry, values: Values) -> bool:
    places = [*map(geometry.place, range(geometry.size))]
    return not any(
        values[a]
        == values[b]
        == abs(places[a][0] - places[b][0]) + abs(places[a][1] - places[b][1])
        for a, b in combinations(range(geometry.size), 2)
        if places[a][0] != places[b][0] and places[a][1] != places[b][1]
    )


def in_squares(geometry: Geometry, values: Values, kind: Callable[[int], int]) -> bool:
    """Whether each square of four cells has three kinds of values."""
    n = geometry.side
    squares = [
        [values[(row + down) * n + column + right] for down in (0, 1) for right in (0, 1)]
        for row in range(n - 1)
        for column in range(n - 1)
    ]
    return all(len({*map(kind, square)}) == 3 for square in squares)


def flatmates(rule: rules.Flatmates, geometry: Geometry, values: Values) -> bool:
    n = geometry.side
    for column in zip(*[values[row * n : (row + 1) * n] for row in range(n)], strict=True):
        around = (None, *column, None)
        for above, value, below in zip(around, column, around[2:], strict=False):
            if 2 * value == n + 1 and above != 1 and below != n:
                return False
    return True


def connected(cells: Sequence[int], geometry: Geometry) -> bool:
    """Whether one can go from each cell to each other, over sides."""
    groups: list[set[tuple[int, int]]] = []
    for row, column in map(geometry.place, cells):
        near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        joined = {(row, column)}.union(*(group for group in groups if group & near))
        groups = [group for group in groups if not group & near] + [joined]
    return len(groups) == 1


def connected_values(rule: rules.ConnectedValues, geometry: Geometry, values: Values) -> bool:
    inside = [cell for cell in rule.cells if values[cell] in rule.values]
    return connected(inside, geometry) and rule.size in (0, len(inside))


def chaos_construction(rule: rules.ChaosConstruction, geometry: Geometry, values: Values) -> bool:
    region = held(rule.regions, values)
    first = [*dict.fromkeys(region)]
    if first != list(range(geometry.lowest, geometry.lowest + len(region) // rule.size)):
        return False
    for each in first:
        cells = [cell for cell, of in enumerate(region) if of == each]
        if len(cells) != rule.size or len({values[cell] for cell in cells}) != rule.size:
            return False
        if not connected([rule.regions[cell] for cell in cells], geometry):
            return False
    return True


def chaos_arrow(rule: rules.ChaosArrow, _: Geometry, values: Values) -> bool:
    counted = 1
    for start, *others in rule.arms:
        for cell in others:
            if values[cell] != values[start]:
                break
            counted += 1
    return values[rule.control] + rule.offset == counted


def chaos_count(rule: rules.ChaosCount, _: Geometry, values: Values) -> bool:
    counted = Counter(values[cell] for cell in rule.counted)[values[rule.counted[0]]]
    return values[rule.control] == counted - rule.offset


def doppelganger(rule: rules.Doppelganger, geometry: Geometry, values: Values) -> bool:
    digits = set(range(1, geometry.side))
    told = dict(zip(rule.missing, rule.units, strict=True))
    for cell, unit in told.items():
        inside = held(unit, values)
        if sorted([*inside, values[cell]]) != [0, *sorted(digits)] or values[cell] == 0:
            return False
    cells = iter(rule.missing)
    for size in rule.kinds:
        if {values[next(cells)] for _ in range(size)} != digits:
            return False
    for zero in range(geometry.grid_size):
        missed = [values[cell] for cell, unit in told.items() if zero in unit]
        if values[zero] == 0 and len({*missed}) < len(missed):
            return False
    return True


MEANS: dict[type[Rule], Predicate] = {
    rules.Region: lambda rule, geometry, values: different(held(rule.cells, values)),
    rules.ExtraRegion: lambda rule, geometry, values: different(held(rule.cells, values)),
    rules.Diagonal: diagonal,
    rules.Windoku: windoku,
    rules.DisjointGroups: disjoint_groups,
    rules.AntiKnight: lambda _, geometry, values: apart(geometry, values, knight),
    rules.AntiKing: lambda _, geometry, values: apart(geometry, values, king),
    rules.Nonconsecutive: lambda *of: all(large - small != 1 for small, large in sides(*of)),
    rules.NegativeKropki: negative_kropki,
    rules.NegativeXV: lambda rule, *of: all(u + v not in rule.totals for u, v in sides(rule, *of)),
    rules.WhiteDot: lambda rule, _, values: abs(values[rule.a] - values[rule.b]) == rule.difference,
    rules.BlackDot: lambda rule, _, values: any(
        values[a] == rule.ratio * values[b] for a, b in [(rule.a, rule.b), (rule.b, rule.a)]
    ),
    rules.XV: lambda rule, _, values: values[rule.a] + values[rule.b] == rule.total,
    rules.Greater: lambda rule, _, values: values[rule.a] > values[rule.b],
    rules.Extreme: extreme,
    rules.Parity: lambda rule, _, values: values[rule.cell] % 2 == int(rule.odd),
    rules.Among: lambda rule, _, values: values[rule.cell] in rule.allowed,
    rules.Indexer: indexer,
    rules.BoxIndexer: box_indexer,
    rules.Thermometer: thermometer,
    rules.Palindrome: lambda rule, _, values: (
        held(rule.line, values) == held(rule.line, values)[::-1]
    ),
    rules.Renban: renban,
    rules.Whispers: lambda rule, _, values: all(
        abs(a - b) >= rule.difference for a, b in pairwise(held(rule.line, values))
    ),
    rules.Nabner: nabner,
    rules.Entropic: entropic,
    rules.Modular: modular,
    rules.Between: between,
    rules.Lockout: lockout,
    rules.RegionSum: region_sum,
    rules.Zipper: zipper,
    rules.DoubleArrow: double_arrow,
    rules.Cage: cage,
    rules.DigitalRoot: digital_root,
    rules.Arrow: arrow,
    rules.Quadruple: quadruple,
    rules.Clone: lambda rule, _, values: held(rule.original, values) == held(rule.copy, values),
    rules.SameMultiset: lambda rule, _, values: (
        len({tuple(sorted(held(part, values))) for part in rule.parts}) == 1
    ),
    rules.Sum: lambda rule, _, values: sum(values[c] * by for c, by in rule.terms) == rule.total,
    rules.EqualSums: lambda rule, _, values: (
        len({sum(held(part, values)) for part in rule.parts}) == 1
    ),
    rules.LittleKiller: lambda rule, _, values: sum(held(rule.line, values)) == rule.number,
    rules.Sandwich: sandwich,
    rules.Skyscraper: skyscraper,
    rules.XSum: x_sum,
    rules.SumLine: sum_line,
    rules.ValueIndexer: value_indexer,
    rules.Lunchbox: lunchbox,
    rules.Relation: relation,
    rules.StateMachine: state_machine,
    rules.NondeterministicMachine: nondeterministic_machine,
    rules.OneOf: one_of,
    rules.RellikCage: rellik,
    rules.EqualityCage: equality,
    rules.Contains: contains,
    rules.CountingCircles: circles,
    rules.CountOfDifferent: lambda rule, _, values: (
        values[rule.counter] == len({*held(rule.counted, values)})
    ),
    rules.HiddenSkyscraper: hidden_skyscraper,
    rules.NumberedRoom: numbered_room,
    rules.FullRank: full_rank,
    rules.NoTiedLines: no_tied_lines,
    rules.AntiTaxicab: anti_taxicab,
    rules.GlobalEntropy: lambda _, geometry, values: in_squares(
        geometry, values, lambda value: (value - 1) // (geometry.side // 3)
    ),
    rules.GlobalModular: lambda _, geometry, values: in_squares(geometry, values, lambda v: v % 3),
    rules.Flatmates: flatmates,
    rules.Unit: lambda rule, _, values: len({values[c] for c in rule.cells}) == len(rule.cells),
    rules.SameRegions: lambda rule, _, values: (
        len({tuple(sorted(values[cell] for cell in part)) for part in rule.parts}) == 1
    ),
    rules.ConnectedValues: connected_values,
    rules.ChaosConstruction: chaos_construction,
    rules.ChaosArrow: chaos_arrow,
    rules.ChaosCount: chaos_count,
    rules.Doppelganger: doppelganger,
}
