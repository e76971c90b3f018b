"""Sue de Coq: two or three cells in a line and a box, with cells of the line and of the box.

`layout` describes the arrays.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.hodoku.patterns import next_cells, picked_mask
from pipeline.steps.step_arrays import (
    append_new,
    bit_count,
    cell_at,
    eliminate_rest,
    reset_step,
    unit_of,
)


# Sue de Coq. Some cells where a line and a box cross have n digits more than cells. Cells of the
# line and cells of the box, which share none of these digits, use up the surplus: together all
# these cells have as many digits as cells. So each digit is in one of the cells. A digit that
# the box's cells lack is in the crossing or the line's cells, so it is eliminated from the rest of
# the line. A digit that the line's cells lack is eliminated from the rest of the box. A digit that
# the crossing lacks, and that both the line's and the box's cells have, is eliminated from both.
@compiled()
def find_sue_de_coq(state, tables, step, graph):
    """Find a Sue de Coq.

    Rows come before columns. In each line, the boxes are tried in order, then the cells of the
    crossing, of the rest of the line, and of the rest of the box.
    """
    for line in range(18):
        for third in range(3):
            box = unit_of(tables, cell_at(tables, line, 3 * third), 2)
            for chosen in (0b011, 0b111, 0b101, 0b110):
                crossing, digits, is_open = chosen << 3 * third, 0, True
                for position in range(3 * third, 3 * third + 3):
                    if crossing >> position & 1:
                        mask = state[cell_at(tables, line, position)]
                        is_open = is_open and mask != 0
                        digits |= mask
                size = bit_count(tables, crossing)
                surplus = bit_count(tables, digits) - size
                if is_open and surplus >= 2:
                    step[L.PATTERN_CELLS] = 0
                    units = line, box, third
                    if _try_line(state, tables, step, graph, units, crossing, digits, surplus):
                        return 1
    return 0


@compiled()
def _try_line(state, tables, step, graph, units, crossing, digits, surplus):
    """Try the sets of cells of the line, depth first.

    `units`: the line, the box, and which third of the line is in the box. `crossing`: positions in
    the line. `digits`: the digits of its cells. `surplus`: how many more digits than cells.
    """
    graph[L.UNIONS] = 0
    size = next_cells(state, tables, graph, units[0], crossing, L.PICKS, 0)
    while size:
        in_line = graph[L.UNIONS + size]
        used = size - bit_count(tables, in_line & ~digits)
        if 0 < used < surplus and in_line & digits:
            chosen, masks = (crossing, picked_mask(graph, L.PICKS, size)), (digits, in_line)
            if _try_box(state, tables, step, graph, units, chosen, masks, surplus - used):
                return True
        size = next_cells(state, tables, graph, units[0], crossing, L.PICKS, size)
    return False


@compiled()
def _try_box(state, tables, step, graph, units, chosen, masks, surplus):
    """Try the sets of cells of the box, depth first.

    `units`: as for `_try_line`. `chosen`: the positions in the line of cells of the crossing and
    of the other cells. `masks`: the digits of these cells.
    """
    line, box, third = units
    digits, in_line = masks
    excluded, is_row = 0, line < L.FIRST_COLUMN
    for position in range(9):
        mask = state[cell_at(tables, box, position)]
        across, along = (position // 3, position % 3) if is_row else (position % 3, position // 3)
        is_chosen = across == line % 3 and (chosen[0] | chosen[1]) >> 3 * third + along & 1
        if is_chosen or mask & digits & in_line:
            excluded |= 1 << position
    graph[L.BOX_UNIONS] = 0
    size = next_cells(state, tables, graph, box, excluded, L.BOX_PICKS, 0)
    while size:
        in_box = graph[L.BOX_UNIONS + size]
        if in_box & digits and size - bit_count(tables, in_box & ~digits) == surplus:
            positions = picked_mask(graph, L.BOX_PICKS, size)
            if _conclude(state, tables, step, units, chosen, positions, (digits, in_line, in_box)):
                return True
        size = next_cells(state, tables, graph, box, excluded, L.BOX_PICKS, size)
    return False


@compiled()
def _conclude(state, tables, step, units, chosen, box_positions, masks):
    """Write the conclusions of cells of a crossing, its line and its box."""
    line, box, _ = units
    digits, of_line, of_box = masks
    reset_step(step)
    for k in range(2):
        for position in range(9):
            if chosen[k] >> position & 1:
                append_new(step, L.PATTERN_CELLS, cell_at(tables, line, position))
    for position in range(9):
        if box_positions >> position & 1:
            append_new(step, L.PATTERN_CELLS, cell_at(tables, box, position))
    both = of_line & of_box
    eliminate_rest(state, tables, step, box, ((digits | of_box) & ~of_line) | both)
    eliminate_rest(state, tables, step, line, ((digits | of_line) & ~of_box) | both)
    for k in range(step[L.PATTERN_CELLS]):
        append_new(step, L.CITED, step[L.PATTERN_CELLS + 1 + k])
    step[L.PATTERN_DIGITS] = digits | of_line | of_box
    step[L.BASE_UNITS] = 1 << line | 1 << box
    return step[L.ELIMINATED] > 0
