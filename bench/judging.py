"""Whether every claim that solutions are all is judged rightly, by all forms of the check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from false_claims import HONEST, Claim, Maker, arrays, by_geometry
from kernel import linked
from numpy.typing import NDArray

from pipeline.certify.many import MAX_NODES, PROGRAM, Verdict, check_in_parallel, check_one_by_one
from pipeline.limits import NEVER
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry

AT_ONCE = 10_000
"""Claims that are judged together."""


def judge_claims(count: int, seed: int) -> int:
    """Print how many claims of each kind there were, and each fault; the number of faults.

    There are `count` false claims, and an honest one for each puzzle.
    """
    step = linked(PROGRAM)
    judged, verdicts, puzzles, faults = Counter[str](), Counter[str](), Counter[Geometry](), 0
    made = claims_until(count, seed)
    while claims := list(islice(made, AT_ONCE)):
        judged.update(claim.kind for claim in claims)
        puzzles.update(claim.puzzle.geometry for claim in claims if claim.kind == HONEST)
        for geometry, places in by_geometry(claims).items():
            some = [claims[place] for place in places]
            forms = judged_by_all(step, geometry, some)
            for claim, *found in zip(some, *forms.values(), strict=True):
                told = [Verdict(each).name for each in found]
                verdicts.update(f"{form} {name}" for form, name in zip(forms, told, strict=True))
                if set(told) != {claim.truth}:
                    faults += 1
                    print(f"{claim.truth}, but {dict(zip(forms, told, strict=True))}: {claim}")
    tell(judged, verdicts, puzzles)
    print("nothing was judged wrongly" if not faults else f"{faults} claims were judged wrongly")
    return faults


def claims_until(count: int, seed: int) -> Iterator[Claim]:
    """Claims about made puzzles, until so many are false."""
    claims = Maker(seed).claims()
    while count > 0:
        claim = next(claims)
        count -= claim.kind != HONEST
        yield claim


def judged_by_all(
    step: Callable[..., Any], geometry: Geometry, claims: Sequence[Claim]
) -> dict[str, NDArray[np.uint8]]:
    """The verdicts of each form that takes this geometry."""
    forms: dict[str, Callable[..., Any]] = {"one by one": check_one_by_one}
    if geometry == NINE_BY_NINE:
        forms["compiled"] = partial(check_in_parallel, step)
    asked = (*arrays(claims), MAX_NODES, NEVER)
    return {
        form: function(*(asked if form == "compiled" else (geometry, *asked)))[0]
        for form, function in forms.items()
    }


def tell(judged: Counter[str], verdicts: Counter[str], puzzles: Counter[Geometry]) -> None:
    """Print what was judged."""
    sides = ", ".join(f"{n:,} of {g.height}×{g.width} boxes" for g, n in puzzles.most_common())
    print(f"{puzzles.total():,} puzzles: {sides}")
    print(f"{judged.total() - judged[HONEST]:,} false claims, {judged[HONEST]:,} honest ones")
    for kind, number in judged.most_common():
        print(f"  {number:8,} {kind}")
    for name, number in sorted(verdicts.items()):
        print(f"  {number:8,} × {name}")
