"""The systemd unit is one that systemd takes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[1] / "deploy" / "sudoku-pipeline.service"


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None and os.environ.get("CI") != "true",
    reason="systemd-analyze is not installed",
)
def test_systemd_accepts_the_unit() -> None:
    verified = subprocess.run(
        ["systemd-analyze", "verify", str(UNIT)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_unit_is_started_again_after_a_failure() -> None:
    assert "Restart=on-failure" in UNIT.read_text()
