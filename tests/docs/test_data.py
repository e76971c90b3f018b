"""The page for pandas, polars and duckdb runs from its top to its end where they are installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from support.commands import run
from support.needs import needs_arrow
from support.pages import BLOCKS, Desk

BLOCKS_OF_DATA = [block for block in BLOCKS if block.page == "docs/how-to/data.md"]
LIBRARIES = "pandas", "polars", "duckdb"


@pytest.mark.trial
@needs_arrow
@pytest.mark.skipif(not all(map(find_spec, LIBRARIES)), reason=f"not installed: {LIBRARIES}")
@pytest.mark.filterwarnings("default")
def test_the_examples_for_data_people_run_one_after_the_other(tmp_path, monkeypatch):
    desk = Desk(tmp_path)
    monkeypatch.chdir(desk.root)
    names: dict[str, object] = {}
    for block in BLOCKS_OF_DATA:
        if block.kind == "python":
            exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)
        else:
            assert [desk.follow(*step) for step in block.steps()]
    assert [*names["table"].collect()["line"]] == [2, 3, 4, 5, 6]
    assert names["frame"].status.to_list() == ["unique"] * 4 + ["multiple"]
    code, printed, _ = run("solve", "unique.txt")
    assert (code, len(printed.splitlines())) == (0, 4)
