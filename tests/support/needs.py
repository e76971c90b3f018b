"""Marks that skip a test where a program is missing; in CI only drat-trim may be missing."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec

import pytest

_IN_CI = os.environ.get("CI") == "true"

needs_minisat = pytest.mark.skipif(
    shutil.which("minisat") is None and not _IN_CI, reason="minisat is not installed"
)
needs_drat_trim = pytest.mark.skipif(
    shutil.which("drat-trim") is None, reason="drat-trim, a second checker, is not installed"
)
needs_linux = pytest.mark.skipif(
    sys.platform != "linux" and not _IN_CI, reason="the kernel has no such bounds, or no /proc"
)
needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None and not _IN_CI,
    reason="the extra [cluster] is not installed",
)
needs_serve = pytest.mark.skipif(
    not all(map(find_spec, ("starlette", "uvicorn"))) and not _IN_CI,
    reason="the extra [serve] is not installed",
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    not _IN_CI and (CHROMIUM is None or find_spec("playwright") is None),
    reason="chromium or playwright is not installed",
)
needs_mkdocs = pytest.mark.skipif(
    find_spec("material") is None and not _IN_CI, reason="the extra [docs] is not installed"
)
needs_numba = pytest.mark.skipif(
    find_spec("numba") is None and not _IN_CI, reason="the extra [fast] is not installed"
)
needs_typst = pytest.mark.skipif(
    not _IN_CI and not all(map(find_spec, ("typst", "PIL", "pypdfium2"))),
    reason="the extra [draw], or what reads its files, is not installed",
)
needs_arrow = pytest.mark.skipif(
    find_spec("pyarrow") is None and not _IN_CI, reason="the extra [data] is not installed"
)
