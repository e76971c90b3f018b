"""Whether a step of logic follows from the cells and units that it cites.

It knows no technique. It assumes the contrary of each conclusion, and tries everything that the
cited cells and units then allow: a cited cell holds one of its candidates, a unit that is cited for
a digit has it in one of its places, and no two cells of a unit hold the same. A step that cites
that the puzzle has one solution names a pattern that must not be left over, since its digits could
be exchanged.

`s` and `o` are arrays of whole numbers, or lists. Cells, digits and units count from 0; units are
the rows, the columns, then the boxes; a set of digits is a mask.
"""

from __future__ import annotations

from pipeline.native import compiled

CELLS, VALUES, ALLOWED = 0, 324, 648
"""In `s`, for each cell: its candidates, 0 once it is filled; the digit in it, from 1; the digits
that the puzzle allows in it."""

TECHNIQUE, DIGITS, BASE, COVER, DEADLY = range(5)
"""In `o`: the index of the technique; the digits of the pattern; its units, as a mask; those that
it strikes in; what must not be left over, if that is cited: 1 is that the first four marks, a
rectangle, hold two digits alone; 2 that all open cells have two candidates."""

PLACED, STRUCK, CITED, NODES, MARKS, STEP = 5, 14, 744, 1070, 2580, 2700
"""In `o`, the lists, each behind its length: candidates that are filled in, candidates that are
struck, at 9 c + d; cells that are cited, and at 81 + 9 u + d units that are cited for a digit; the
chain; the cells of the pattern; the length of all."""

DEEPEST, FRAME = 40, 162
SCRATCH = DEEPEST * FRAME
"""Assumptions at once; for each the candidates and which of them were followed; all together."""


@compiled(inline=True)
def _cell(unit, place):
    if unit < 9:
        return 9 * unit + place
    if unit < 18:
        return 9 * place + unit - 9
    box = unit - 18
    return 9 * (box // 3 * 3 + place // 3) + box % 3 * 3 + place % 3


@compiled()
def _bits(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@compiled()
def follows(s, o, v, is_unique):
    """Whether all conclusions follow; `v` is scratch of SCRATCH numbers.

    is_unique: whether it is proved that the puzzle has one solution.
    """
    if o[PLACED] + o[STRUCK] == 0 or (o[DEADLY] and not is_unique):
        return 0
    if _is_done(s, o):
        return 0
    if (o[DEADLY] == 1 and not _is_rectangle(s, o)) or (o[DEADLY] == 2 and not _is_bug(s, o)):
        return 0
    for k in range(o[PLACED] + o[STRUCK]):
        is_struck = k >= o[PLACED]
        candidate = o[STRUCK + 1 + k - o[PLACED]] if is_struck else o[PLACED + 1 + k]
        cell, bit = candidate // 9, 1 << candidate % 9
        if not s[CELLS + cell] & bit:
            return 0
        for each in range(81):
            v[each], v[81 + each] = s[CELLS + each], 0
        v[cell] = bit if is_struck else v[cell] & ~bit
        if is_struck:
            _hold(v, 0, cell)
        if not _is_refuted(o, v):
            return 0
    return 1


@compiled()
def _is_done(s, o):
    """Whether a cited cell is filled, or a cited digit in its unit: nothing follows from these."""
    for k in range(CITED + 1, CITED + 1 + o[CITED]):
        if o[k] < 81 and s[VALUES + o[k]]:
            return True
        for place in range(9 if o[k] >= 81 else 0):
            if s[VALUES + _cell(o[k] // 9 - 9, place)] == o[k] % 9 + 1:
                return True
    return False


@compiled()
def _hold(v, at, cell):
    """A cell holds its only candidate: others do not."""
    v[at + 81 + cell] = 1
    units = cell // 9, 9 + cell % 9, 18 + cell // 27 * 3 + cell % 9 // 3
    for unit in units:
        for place in range(9):
            other = _cell(unit, place)
            if other != cell:
                v[at + other] &= ~v[at + cell]


@compiled()
def _is_refuted(o, v):
    """Whether everything that can be tried ends in a contradiction."""
    depth = 0
    while depth >= 0:
        at = depth * FRAME
        if not _propagate(o, v, at):
            depth -= 1
            continue
        clause = _smallest(o, v, at)
        if clause < 0 or depth + 1 == DEEPEST:
            return False
        cell, bit = _first(o, v, at, clause)
        for k in range(FRAME):
            v[at + FRAME + k] = v[at + k]
        v[at + cell] &= ~bit  # what is tried once this candidate is refuted
        v[at + FRAME + cell] = bit
        _hold(v, at + FRAME, cell)
        depth += 1
    return True


@compiled()
def _propagate(o, v, at):
    """Follow what is cited while it leaves a single candidate; False if it leaves none."""
    while True:
        is_changed = False
        for clause in range(o[CITED] + 1):
            count = _count(o, v, at, clause)
            if count == 0:
                return False
            if count == 1:
                cell, bit = _first(o, v, at, clause)
                if v[at + cell] != bit or not v[at + 81 + cell]:
                    v[at + cell] = bit
                    _hold(v, at, cell)
                    is_changed = True
        if not is_changed:
            return True


@compiled()
def _count(o, v, at, clause):
    """The number of candidates of which one has to hold, that are left."""
    count = 0
    if clause < o[CITED]:
        cited = o[CITED + 1 + clause]
        if cited < 81:
            return _bits(v[at + cited])
        for place in range(9):
            count += v[at + _cell(cited // 9 - 9, place)] >> cited % 9 & 1
        return count
    if o[DEADLY] == 1:
        for k in range(MARKS + 1, MARKS + 5):
            count += _bits(v[at + o[k]] & ~o[DIGITS])
        return count
    if o[DEADLY] == 2:
        return _bits(v[at + o[MARKS + 1]] & o[DIGITS])
    return 2


@compiled()
def _first(o, v, at, clause):
    """The first candidate of a clause that is left: its cell and its bit."""
    cited = o[CITED + 1 + clause] if clause < o[CITED] else 0
    if clause < o[CITED] and cited < 81:
        return cited, v[at + cited] & -v[at + cited]
    for place in range(9 if cited >= 81 else 0):
        cell = _cell(cited // 9 - 9, place)
        if v[at + cell] >> cited % 9 & 1:
            return cell, 1 << cited % 9
    for k in range(MARKS + 1, MARKS + 5):
        mask = v[at + o[k]] & (o[DIGITS] if o[DEADLY] == 2 else ~o[DIGITS])
        if mask:
            return o[k], mask & -mask
    return 0, 0


@compiled()
def _smallest(o, v, at):
    """The clause with the fewest candidates left, of those with several; -1 if there is none."""
    best, fewest = -1, 100
    for clause in range(o[CITED] + (1 if o[DEADLY] == 1 else 0)):
        count = _count(o, v, at, clause)
        if 1 < count < fewest:
            best, fewest = clause, count
    return best


@compiled()
def _is_rectangle(s, o):
    """Whether the first four marks are open, in two rows, columns and boxes, and may hold both.

    It does not matter whether both digits are still candidates: what the puzzle allows does.
    """
    a, b, c, d = o[MARKS + 1], o[MARKS + 2], o[MARKS + 3], o[MARKS + 4]
    for cell in (a, b, c, d):
        if not s[CELLS + cell] or s[ALLOWED + cell] & o[DIGITS] != o[DIGITS]:
            return False
    return (
        _bits(o[DIGITS]) == 2
        and (a // 9, a % 9) != (d // 9, d % 9)
        and a // 9 == b // 9
        and c // 9 == d // 9
        and a % 9 == c % 9
        and b % 9 == d % 9
        and a // 9 != c // 9
        and a % 9 != b % 9
        and (a // 27 == c // 27) != (a % 9 // 3 == b % 9 // 3)
    )


@compiled()
def _is_bug(s, o):
    """Whether, but for one candidate, each open cell has two, and each digit two places, or none.

    Such a grid has no solution, or two: all cells could hold their other candidate.
    """
    odd, digit = o[MARKS + 1], o[DIGITS]
    for cell in range(81):
        mask = s[CELLS + cell] & ~digit if cell == odd else s[CELLS + cell]
        if _bits(mask) not in (0, 2):
            return False
    for unit in range(27):
        for each in range(9):
            count = 0
            for place in range(9):
                cell = _cell(unit, place)
                if cell != odd or 1 << each != digit:
                    count += s[CELLS + cell] >> each & 1
            if count not in (0, 2):
                return False
    return _bits(digit) == 1 and s[CELLS + odd] & digit == digit
