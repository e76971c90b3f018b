"""How many solutions many puzzles have: found by lanes, and certified from the rules."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.values import Flags, Masks
from pipeline.certify import certify_lists
from pipeline.certify.many import Verdict, exhausted_many
from pipeline.puzzle.puzzle import Geometry
from pipeline.solving.compiled import solve_lanes


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of P puzzles.

    counts: (P,) how many solutions were found, at most as many as were asked for. grids: (most, P,
    n²) these. certain: (P,) whether the grids are solutions, and there are no more unless as many
    as were asked for; what is said of others does not count. nodes: (P,) those of the search that
    has shown it.
    """

    counts: NDArray[np.int64]
    grids: NDArray[np.uint8]
    certain: Flags
    nodes: NDArray[np.int64]

    @property
    def unique(self) -> Flags:
        """Which have one solution, if two were asked for."""
        unique: Flags = self.certain & (self.counts == 1)
        return unique


def solutions_of(geometry: Geometry, masks: Masks, most: int, seconds: float = inf) -> Known:
    """Find `most` solutions of each puzzle (P, n²), or all if there are fewer, and certify that.

    `seconds` are for all of them. Raises what `solve_lanes` raises.
    """
    end = time.monotonic() + seconds
    found = solve_lanes(geometry, masks, most, seconds)
    certain, nodes = found.decided.copy(), np.zeros(len(masks), np.int64)
    few = np.flatnonzero(certain & (found.counts < most))
    if len(few):
        claim = masks[few], found.counts[few], found.grids[:, few]
        left = max(0.0, end - time.monotonic())
        verdicts, nodes[few] = exhausted_many(geometry, *claim, left)
        certain[few] = verdicts == Verdict.COMPLETE
    listed = np.where(found.counts < most, 0, found.counts)
    certain &= certify_lists(geometry, masks, listed, found.grids)
    return Known(found.counts, found.grids, certain, nodes)
