"""Marks that skip a test where a program is missing; in CI only drat-trim may be missing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def _needs(
    reason: str, *, there: bool = True, modules: tuple[str, ...] = ()
) -> pytest.MarkDecorator:
    is_missing = not (there and all(map(find_spec, modules)))
    return pytest.mark.skipif(is_missing and os.environ.get("CI") != "true", reason=reason)


def _needs_extra(extra: str, *modules: str) -> pytest.MarkDecorator:
    return _needs(f"the extra [{extra}] is not installed", modules=modules)


needs_drat_trim = pytest.mark.skipif(
    shutil.which("drat-trim") is None, reason="drat-trim, a second checker, is not installed"
)
needs_minisat = _needs("minisat is not installed", there=shutil.which("minisat") is not None)
needs_linux = _needs("the kernel has no such bounds, or no /proc", there=sys.platform == "linux")
needs_chromium = _needs(
    "chromium or playwright is not installed", there=bool(CHROMIUM), modules=("playwright",)
)
needs_typst = _needs(
    "the extra [draw], or what reads its files, is not installed",
    modules=("typst", "PIL", "pypdfium2"),
)
needs_dask = _needs_extra("cluster", "distributed")
needs_serve = _needs_extra("serve", "starlette", "uvicorn")
needs_mkdocs = _needs_extra("docs", "material")
needs_numba = _needs_extra("fast", "numba")
needs_arrow = _needs_extra("data", "pyarrow")


def compiles_steps(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that runs steps as machine code, which takes minutes to compile."""
    return needs_numba(pytest.mark.trial(pytest.mark.timeout(1500)(test)))
