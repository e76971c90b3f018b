"""Results and rows as bytes, as workers on other machines send them: no pickle runs code here.

Of a result comes what is published. Its problem, which the caller has, is read here again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
from msgspec import Struct

from pipeline.outbox.rows import Rows
from pipeline.puzzle.puzzle import Candidate, Geometry, Grid
from pipeline.reading.source import Single
from pipeline.settings import Settings, settings_declared
from pipeline.solving.cnf import Cnf, Family, Written, clause_lines
from pipeline.solving.explain import Conflict, Difference
from pipeline.solving.facts import Encoding
from pipeline.solving.problem import Problem, PuzzleProblem, read_problem
from pipeline.solving.result import Certificate, Proof, Result, SolverUsed, Status, Traits


class _Clauses(Struct, frozen=True, array_like=True):
    """A Cnf but for its geometry: of each family the title, the size, and the clauses as text."""

    encoding: str
    variables: int
    families: tuple[tuple[str, int, str], ...]
    candidates: dict[int, tuple[int, int, int]]
    fixed: tuple[tuple[int, int, int], ...]
    auxiliary: int


class _Sent(Struct, frozen=True, array_like=True):
    """A Result. `is_read`: there is a problem; `proof` is the text."""

    status: Status
    solutions: tuple[tuple[int, ...], ...]
    complete: bool | None
    message: str | None
    is_read: bool
    cnf: _Clauses | None
    solver: SolverUsed | None
    certificate: Certificate | None
    proof: str | None
    conflict: Conflict | None
    difference: Difference | None
    disagreement: str | None
    is_doubted: bool
    traits: Traits | None
    encoding: Encoding | None
    seconds: dict[str, float]


def rows_in(data: bytes) -> Rows:
    """The rows in bytes. Raises msgspec.DecodeError."""
    return msgspec.msgpack.decode(data, type=Rows, dec_hook=_counter)


def _counter(_: type, found: object) -> Counter[str]:
    return Counter(msgspec.convert(found, dict[str, int]))


def pack_results(results: Sequence[Result]) -> bytes:
    return msgspec.msgpack.encode([_sent(result) for result in results])


def unpack_results(data: bytes, items: Sequence[Single], settings: Settings) -> list[Result]:
    """The results for these items. Raises ValueError, msgspec.DecodeError, PipelineError."""
    sent = msgspec.msgpack.decode(data, type=list[_Sent])
    return [_result(each, item, settings) for each, item in zip(sent, items, strict=True)]


def _sent(result: Result) -> _Sent:
    fields: dict[str, Any] = {name: getattr(result, name, None) for name in _Sent.__struct_fields__}
    is_puzzle = isinstance(result.problem, PuzzleProblem)
    fields |= {
        "solutions": tuple(s.values if is_puzzle else s for s in result.solutions),
        "is_read": result.problem is not None,
        "cnf": result.cnf and _clauses(result.cnf),
        "proof": result.proof and result.proof.text,
    }
    return _Sent(**fields)


def _clauses(cnf: Cnf) -> _Clauses:
    families = tuple((f.title, f.size, "".join(clause_lines(f.clauses))) for f in cnf.families)
    candidates: dict[int, tuple[int, int, int]] = {**cnf.candidates}
    told = cnf.encoding, cnf.variables, families, candidates, cnf.fixed, cnf.auxiliary
    return _Clauses(*told)


def _result(sent: _Sent, item: Single, settings: Settings) -> Result:
    fields: dict[str, Any] = {name: getattr(sent, name) for name in _Sent.__struct_fields__}
    del fields["is_read"]
    if not sent.is_read:
        if sent.solutions or sent.cnf or sent.proof is not None:
            raise ValueError("results of what was not read")
        return Result(**fields)
    problem = _problem(item, settings)
    if isinstance(problem, PuzzleProblem):
        geometry = problem.puzzle.geometry
        fields["solutions"] = tuple(Grid(geometry, values) for values in sent.solutions)
        fields["cnf"] = sent.cnf and _cnf(sent.cnf, geometry)
    if sent.proof is not None:
        fields["proof"] = Proof(problem, fields["solutions"], sent.proof)
    return Result(**fields, problem=problem)


def _problem(item: Single, settings: Settings) -> Problem:
    if item.data is None:
        raise ValueError("results of what was not read")
    longest = settings_declared()["timeout"].most  # it was read in time before
    in_any_time = replace(settings, timeout=longest)
    return read_problem(item.data, item.name, in_any_time)


def _cnf(sent: _Clauses, geometry: Geometry) -> Cnf:
    families = tuple(Family(title, size, Written(text)) for title, size, text in sent.families)
    candidates = {variable: Candidate(*at) for variable, at in sent.candidates.items()}
    fixed = tuple(Candidate(*at) for at in sent.fixed)
    told = sent.encoding, sent.variables, families, candidates, fixed, sent.auxiliary
    return Cnf(geometry, *told)
