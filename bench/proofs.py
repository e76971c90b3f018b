"""Proofs that there are no other solutions, made and checked, on one core.

    python bench/proofs.py [FILE [N]]

FILE holds one 9×9 puzzle a line; without one the benchmark makes its own. The baseline is the
straightforward way: all clauses into a PySAT engine, and hints found among all of them.
"""

from __future__ import annotations

import lzma
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from puzzles import puzzles
from pysat.solvers import Solver

from pipeline.certify.formula import Core, core_of, proof_formula
from pipeline.certify.proof import TRIVIAL_PROOF, lrat_of
from pipeline.limits import Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.compiled import solve_masks
from pipeline.solving.solvers.pysat import ENGINES, Pysat

GEOMETRY = Geometry(3, 3)
COUNT, MOST = 200, 20
HOUR = 3600.0


class Stages(dict[str, float]):
    """Seconds by stage."""

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self[stage] = self.get(stage, 0.0) + time.perf_counter() - start


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    claims = claimed(puzzles(sys.argv[1:2], int(sys.argv[2]) if sys.argv[2:] else COUNT))
    plain = measure("straightforward", claims, straightforward)
    with Pysat() as prover:
        prover.prove([(1,), (-1,)], Limits())
        proofs: list[str] = []
        ours = measure("as we do it", claims, lambda *claim: proofs.append(prove(prover, *claim)))
    text = "".join(proofs).encode()
    plainly, packed = (len(data) / len(proofs) for data in (text, lzma.compress(text)))
    print(f"{ours / plain:.1f} × as fast; {plainly:.1f} bytes a proof, {packed:.1f} with xz")
    print(f"{proofs.count(TRIVIAL_PROOF)} of {len(proofs)} are refuted by unit propagation alone")


def claimed(lines: list[bytes]) -> list[tuple[Puzzle, list[Grid]]]:
    """The puzzles of which we have all solutions, with these."""
    given = [parse_puzzle(line.decode()) for line in lines]
    masks = np.array([puzzle.cells for puzzle in given], np.uint64)
    found = solve_masks(masks, MOST + 1, HOUR)
    return [
        (puzzle, [Grid(GEOMETRY, tuple(values)) for values in found.grids[:count, index].tolist()])
        for index, (puzzle, count) in enumerate(zip(given, found.counts.tolist(), strict=True))
        if count <= MOST
    ]


def measure(
    way: str,
    claims: list[tuple[Puzzle, list[Grid]]],
    prove_all: Callable[[Stages, Puzzle, list[Grid]], object],
) -> float:
    """Print the puzzles a second and what each stage takes of one; the former."""
    stages = Stages()
    for claim in claims:
        prove_all(stages, *claim)
    rate = len(claims) / sum(stages.values())
    shares = (f"{stage} {1e3 * spent / len(claims):.2f}" for stage, spent in stages.items())
    print(f"{way}: {len(claims)} puzzles, {rate:.0f} a second; ms of each: {', '.join(shares)}")
    return rate


def straightforward(stages: Stages, puzzle: Puzzle, grids: list[Grid]) -> None:
    with stages("formula"):
        formula = proof_formula(puzzle, grids)
    with stages("proof"), Solver(ENGINES[0], with_proof=True) as solver:
        solver.append_formula(formula.clauses)
        assert not solver.solve()
        proof = "".join(f"{step}\n" for step in solver.get_proof() if step[0] not in "d0")
    with stages("check"):
        lrat_of(Core(formula, tuple(range(len(formula.clauses))), ()), proof + TRIVIAL_PROOF)


def prove(prover: Pysat, stages: Stages, puzzle: Puzzle, grids: list[Grid]) -> str:
    with stages("formula"):
        formula = proof_formula(puzzle, grids)
    with stages("core"):
        core = core_of(formula)
    with stages("proof"):
        proof = TRIVIAL_PROOF if core.is_refuted else prover.prove(core.remaining, Limits())
    with stages("check"):
        lrat_of(core, proof)
    return proof


if __name__ == "__main__":
    main()
