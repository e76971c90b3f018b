"""Many short cases of one behaviour in one test, and long ones of which few run by default."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def for_each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[..., Any]:
    """As `pytest.mark.parametrize`, but all cases are one test; a failure says in which case.

    Where cases are many and short, pytest takes longer for each than they do. They share fixtures.
    """
    known, listed = names.replace(" ", "").split(",") if isinstance(names, str) else names, [*cases]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_cases(**fixtures: Any) -> None:
            assert listed, "there is no case"
            for case in listed:
                values = case if len(known) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(known, values, strict=True)))
                except BaseException as error:
                    error.add_note(f"in the case of {', '.join(known)} = {case!r:.500}")
                    raise

        whole = inspect.signature(test)
        others = [each for name, each in whole.parameters.items() if name not in known]
        vars(all_cases)["__signature__"] = whole.replace(parameters=others)
        return all_cases

    return decorate


def default_cases(cases: Iterable[Any], *quick: Any) -> list[Any]:
    """Return the cases of a slow matrix for `parametrize`; all but `quick` are marked `trial`."""
    listed = [*cases]
    assert all(each in listed for each in quick), f"of {quick}, some are no cases"
    return [
        each
        if each in quick
        else pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.trial)
        for each in listed
    ]
