"""docs/explanation/trust.md stays true: the lines and the contracts that it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "trust.md").read_text()
NEAR = 0.1


def rows(heading: str) -> dict[str, tuple[str, int]]:
    """The first column of a table → its second one, and the number in the third."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| (.+) \| (.+) \| (\d+) \|$", part, re.MULTILINE)
    return {name: (text, int(number)) for name, text, number in found}


PARTS, CLAIMS = rows("Parts"), rows("Claims")


def lines_of(path: Path) -> int:
    files = path.rglob("*.py") if path.is_dir() else [path]
    return sum(file.read_bytes().count(b"\n") for file in files)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_the_lines_that_are_told(part):
    files, told = PARTS[part]
    paths = [ROOT / "pipeline" / name for name in re.findall(r"`([^`]+)`", files)]
    assert paths
    assert sum(map(lines_of, paths)) == pytest.approx(told, rel=NEAR)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_rests_on_the_lines_of_its_parts(claim):
    parts, told = CLAIMS[claim]
    assert told == sum(PARTS[part][1] for part in parts.split(", "))


def test_all_that_checks_is_in_some_part():
    named = {ROOT / "pipeline" / name for text, _ in PARTS.values() for name in _paths(text)}
    for path in (ROOT / "pipeline" / "certify").rglob("*.py"):
        assert path.name == "__init__.py" or not named.isdisjoint((path, *path.parents)), path


def _paths(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_the_contracts_that_are_named_are_kept():
    linted = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = {contract["name"] for contract in linted["contracts"]}
    part = PAGE.partition("## What checker and solver share\n")[2].partition("\n## ")[0]
    named = {" ".join(name.split()) for name in re.findall(r"^- \*([^*]+)\*", part, re.MULTILINE)}
    assert len(named) == 4
    assert named <= contracts
