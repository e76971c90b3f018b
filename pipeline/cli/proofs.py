"""What the command `proof` does: for each claim of completeness a formula, and its refutation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from pipeline.cli.files import check_target, write_to
from pipeline.cli.options import say
from pipeline.cli.outbox import folders_of_originals
from pipeline.errors import InputError, LimitReached, SolverError, UsageError, counted, printable
from pipeline.files import read_regular
from pipeline.limits import Deadline, Limits
from pipeline.outbox.audit.sets import Many, One
from pipeline.outbox.claims import Statement, folders_of, set_at, statements_in
from pipeline.outbox.names import PROOF
from pipeline.service.exits import ALL_WELL, SOME_BAD
from pipeline.settings import Settings
from pipeline.solving.complete import prove_complete
from pipeline.solving.one import solve_problem
from pipeline.solving.result import Certificate, Proof, Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.checker import Checker
from pipeline.solving.solvers.pysat import check_installed


def proof(
    settings: Settings,
    path: Path,
    indices: Sequence[int],
    *,
    originals: list[Path] | None,
    output: Path | None,
    checker: str | None,
) -> None:
    check_installed()
    confirming = Checker(checker) if checker else None
    published = set_at(path)
    folders = folders_of_originals(settings, originals)
    target = _target(output or Path(), published)
    settings = replace(settings, solver="pysat")
    well, doubts = True, set[str]()
    with Solvers(settings.solver) as solvers:
        for statement in statements_in(published, indices, folders, settings):
            if isinstance(statement, InputError):
                say(str(statement))
                well = False
                continue
            if statement.doubt and statement.doubt not in doubts:
                say(statement.doubt)
                doubts.add(statement.doubt)
            well &= _expand(statement, target, solvers, settings, confirming)
    raise typer.Exit(ALL_WELL if well else SOME_BAD)


def _target(folder: Path, published: One | Many) -> Path:
    """The folder to write to, which is made if it is not there. Raises UsageError, OSError."""
    shown = f"--output {printable(str(folder))}"
    if not folder.parent.is_dir() or (os.path.lexists(folder) and not folder.is_dir()):
        raise UsageError(f"{shown}: no such folder")
    folder.mkdir(exist_ok=True)
    if any(folder.samefile(each) for each in folders_of(published)):
        raise UsageError(f"{shown} holds what was published, and nothing else; name another folder")
    return folder


def _expand(
    statement: Statement,
    folder: Path,
    solvers: Solvers,
    settings: Settings,
    checker: Checker | None,
) -> bool:
    """Prove a statement and write its files; whether it is proved."""
    limits = Limits(settings.timeout, settings.memory_limit)
    certificate, made = prove_complete(statement.problem, statement.solutions, solvers, limits)
    if made is None:
        _say_why(statement, certificate, solvers, settings)
        return False
    try:
        if checker:
            checker.confirm(made.formula().text(), made.lrat, Deadline.of(limits))
    except (SolverError, LimitReached) as error:
        say(f"{statement.name}: not confirmed: {error}")
        return False
    said = _written(statement, made, folder)
    if not settings.quiet:
        steps = counted(certificate.steps or 0, "step")
        print(f"{statement.name}: {statement.status}: {steps}, {said}")
    return True


def _written(statement: Statement, made: Proof, folder: Path) -> str:
    """Write the formula and its refutation; tell its size, and where they are."""
    formula = made.formula()
    texts = {
        folder / f"{statement.stem}{PROOF}.cnf": "".join(formula.text()),
        folder / f"{statement.stem}{PROOF}.drat": made.drat,
        folder / f"{statement.stem}{PROOF}.lrat": made.lrat,
    }
    _write_new(texts)
    names = ", ".join(printable(str(path)) for path in texts)
    return f"{formula.variables:,} variables, {len(formula.clauses):,} clauses: {names}"


def _write_new(texts: Mapping[Path, str]) -> None:
    """Write those that are not there yet. Raises UsageError where there is something else."""
    there = {path for path in texts if os.path.lexists(path)}
    for path in texts:
        check_target("--output", path, force=True)  # the same text may be there
        if path in there and not _holds(path, texts[path]):
            shown = printable(str(path))
            raise UsageError(f"{shown} is something else; remove it, or name another folder")
    for path in texts.keys() - there:
        write_to(path, [texts[path]])


def _holds(path: Path, text: str) -> bool:
    try:
        return read_regular(path, len(text)) == text.encode("ascii")
    except OSError:
        return False


def _say_why(
    statement: Statement, certificate: Certificate, solvers: Solvers, settings: Settings
) -> None:
    """Say why a statement is not proved, and if it is false by which solution."""
    other = _other_solution(statement, solvers, settings) if certificate.complete == "no" else None
    if other is None:
        say(f"{statement.name}: not proved: {certificate.reason}")
        return
    noun = statement.problem.noun
    print(f"BAD  {statement.name}: {statement.status} is claimed, but there is another {noun}:")
    print("".join(other), end="", flush=True)


def _other_solution(
    statement: Statement, solvers: Solvers, settings: Settings
) -> Iterable[str] | None:
    """Another solution than those of a statement, as it would be published; None if unknown."""
    more = replace(settings, max_solutions=len(statement.solutions) + 1)
    found = solve_problem(statement.problem, solvers, more, Stopwatch(), explain=False)
    others = (each for each in found.solutions if each not in statement.solutions)
    return next((statement.problem.text(each) for each in others), None)
