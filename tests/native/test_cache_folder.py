"""Where machine code is kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pipeline import native


def no_home():
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.parametrize("stated", ["", "relative/cache"])
def test_machine_code_is_cached_below_the_home_folder_or_xdg_cache_home(
    tmp_path, monkeypatch, stated
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert native._cache_folder() == Path("/elsewhere/sudoku-pipeline")
    monkeypatch.setenv("XDG_CACHE_HOME", stated)
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    assert native._cache_folder() == tmp_path / caches / "sudoku-pipeline"
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(OSError, match="set XDG_CACHE_HOME"):
        native._cache_folder()
