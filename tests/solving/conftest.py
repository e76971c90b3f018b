"""Solvers that are shared by all tests of solving."""

from __future__ import annotations

import pytest
from support.solvers import at_hand


@pytest.fixture
def solvers():
    return at_hand("pysat")
