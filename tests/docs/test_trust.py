"""docs/explanation/trust.md stays true: the contracts that it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "trust.md").read_text()


def test_the_contracts_that_are_named_are_kept():
    linted = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = {contract["name"] for contract in linted["contracts"]}
    part = PAGE.partition("## What checker and solver share\n")[2].partition("\n## ")[0]
    named = {" ".join(name.split()) for name in re.findall(r"^- \*([^*]+)\*", part, re.MULTILINE)}
    assert len(named) == 4
    assert named <= contracts
