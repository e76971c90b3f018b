"""Durations and sizes with suffixes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from pipeline.quantities import AGE, DURATION, MEMORY, SIZE

UNITS = st.sampled_from([AGE, DURATION, MEMORY, SIZE])


@pytest.mark.parametrize(
    ("unit", "text", "number"),
    [
        (DURATION, "90s", 90),
        (DURATION, "5m", 300),
        (DURATION, "1.5h", 5400),
        (AGE, "30d", 30 * 24 * 3600),
        (AGE, "2w", 14 * 24 * 3600),
        (SIZE, "64M", 64 * 1024**2),
        (SIZE, "1.5G", 3 * 512 * 1024**2),
        (MEMORY, "4G", 4096),
        (MEMORY, "64M", 64),
    ],
)
def test_a_suffix_multiplies(unit, text, number):
    assert unit.number_in(text) == number


@pytest.mark.parametrize("text", ["", "5", "m", "5M", "-5m", "5 m", "1e3s", "5mm", "٣m", "9" * 99])
def test_what_has_no_known_suffix_is_no_duration(text):
    assert DURATION.number_in(text) is None


@pytest.mark.parametrize("text", ["64m", "64MB", "1,5G", "0x1K"])
def test_sizes_have_a_capital_letter_and_powers_of_1024(text):
    assert SIZE.number_in(text) is None


@examples(100)
@given(UNITS, st.integers(1, 10**9))
def test_a_number_is_shown_as_it_may_be_written(unit, number):
    shown = unit.text_of(number)
    assert (int(shown) if shown.isdecimal() else unit.number_in(shown)) == number
