"""The status line of a puzzle: its status and the evidence for it."""

from __future__ import annotations

from pipeline.cli.messages import has_colours
from pipeline.errors import counted
from pipeline.solving.one import more_solutions_message
from pipeline.solving.result import Certificate, Result

_GREEN, _YELLOW, _RED = 32, 33, 31


def status_line(result: Result) -> str:
    """The status of a puzzle, a colon, and the number of solutions or the evidence.

    The status is that of the record, as in `unique: proved by exhaustive search` or
    `multiple: at least 101 solutions`.
    """
    count = len(result.solutions)
    if result.complete:
        exact = {"unsolvable": "no solution", "multiple": f"exactly {count} solutions"}
        parts = (exact.get(result.status), evidence(result.certificate))
        facts = ", ".join(filter(None, parts))
    elif count and result.message == more_solutions_message(count, "solution"):
        facts = f"at least {count + 1} solutions"
    else:
        counts = f"at least {counted(count, 'solution')}" if count else None
        facts = "; ".join(filter(None, (counts, result.message)))
    return f"{result.status}: {facts}" if facts else result.status


def evidence(certificate: Certificate | None) -> str:
    """The evidence that no solution is missing."""
    if certificate is None or certificate.complete == "unverified":
        reason = certificate.reason if certificate else None
        return f"unverified: {reason}" if reason else "unverified"
    if certificate.by == "lrat":
        steps = counted(certificate.steps or 0, "step")
        checked = f"found by {certificate.solver}, checked by {certificate.checker}"
        return f"proved by an LRAT proof of {steps}, {checked}"
    no_proof = f"; no proof to publish: {certificate.reason}" if certificate.reason else ""
    return f"proved by exhaustive search{no_proof}"


def coloured(line: str, result: Result) -> str:
    """The status line for standard output, with the status in bold colours if it has colours.

    Green: one solution, proved unique. Red: no solution or no answer. Yellow: the rest.
    """
    if not has_colours():
        return line
    status, colon, rest = line.partition(":")
    is_proved = result.certificate is not None and result.certificate.complete == "proved"
    colour = _RED
    if result.solutions:
        colour = _GREEN if result.status == "unique" and is_proved else _YELLOW
    return f"\x1b[1;{colour}m{status}\x1b[0m{colon}{rest}"
