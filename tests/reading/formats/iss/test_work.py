"""The work of reading a text is bounded, and a text is read once."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest

from pipeline import InvalidPuzzle, LimitReached, Puzzle
from pipeline.errors import SlowPuzzle
from pipeline.reading.formats import parse_source
from pipeline.reading.formats.iss.machines import MachineReader
from pipeline.reading.formats.iss.regex import pattern_machine
from pipeline.reading.read import source_in
from pipeline.settings import READING_STEPS, Reading, Settings
from pipeline.solving.items import read

EXAMPLES = Path(__file__).parents[4] / "examples"
VALUES = range(1, 10)
LINE = "~".join(f"R1C{column}" for column in VALUES)


def regex(pattern: str) -> str:
    return f".Regex~{base64.urlsafe_b64encode(pattern.encode()).decode().rstrip('=')}~{LINE}"


DIFFERENT = [f".*{digit}.{{6}}" for digit in VALUES]
"""Patterns that take some thousand steps each."""


def steps_of(*patterns: str) -> int:
    """The steps that it takes to make these machines for one text."""
    work = MachineReader()
    for pattern in patterns:
        work.machine(pattern_machine, pattern, VALUES, 9)
    return READING_STEPS - work.remaining


def test_all_machines_of_a_text_share_its_steps():
    one, all_of_them = steps_of(DIFFERENT[0]), steps_of(*DIFFERENT)
    assert all_of_them == len(DIFFERENT) * one
    text = "".join(map(regex, DIFFERENT)).encode()
    assert len(parse_source(text, "a.iss", Reading(steps=2 * all_of_them)).puzzle.rules) == len(
        DIFFERENT
    )
    with pytest.raises(SlowPuzzle) as caught:
        parse_source(text, "a.iss", Reading(steps=all_of_them))  # some are for words and rules
    assert isinstance(caught.value, InvalidPuzzle)
    assert isinstance(caught.value, LimitReached)
    expected = f"constraints that take at most {all_of_them:,} steps to read; raise --timeout"
    assert str(caught.value) == f"a.iss: expected {expected}, found more"


def test_equal_machines_are_made_once():
    pattern = DIFFERENT[0]
    assert steps_of(*[pattern] * 20) == steps_of(pattern)
    text = "".join([regex(pattern)] * 20).encode()
    assert len(parse_source(text, "a.iss", Reading(steps=2 * steps_of(pattern))).puzzle.rules) == 20


@pytest.mark.parametrize(
    "pattern", ["((()){999}){999}", "(.?){1000}", "(.*.*){500}", "(((.{9})*){9})*"]
)
def test_what_makes_a_pattern_long_counts_before_it_is_done(pattern):
    with pytest.raises(LimitReached):
        MachineReader(5_000).machine(pattern_machine, pattern, VALUES, 9)


@pytest.mark.parametrize(
    "text",
    [
        ".NFA~" + "A" * 6000 + "~R1C1~R1C2",
        ".Or" + ".AllDifferent~R1C1~R1C2" * 100 + ".End",
        ".Thermo" + "~R1C1~R1C2" * 600,
        ".Shape~4x4.Replicate~_" + ".Cage~3~R1C1" * 20 + ".End",
        ".Pair~A" + "~~R1C1~R1C2" * 100,
    ],
)
def test_words_copies_and_rules_count_too(text):
    with pytest.raises(SlowPuzzle):
        parse_source(text.encode(), "a.iss", Reading(steps=10_000))


def test_a_text_that_is_slow_to_read_is_left_to_whoever_claims_it():
    text = "".join(map(regex, DIFFERENT)).encode()
    hasty = Settings(timeout=0.001)
    assert hasty.reading.steps < steps_of(*DIFFERENT) < Settings().reading.at_most(1).steps
    assert source_in(text, "a.iss", hasty) == (None, False)
    (item,) = read(text, timeout=0.001)
    assert item.reason is not None
    assert item.reason.endswith("raise --timeout, found more")
    (item,) = read(text, timeout=1)
    assert item.problem is not None


def test_a_row_that_is_slow_to_read_is_refused_in_its_place():
    row = ".Shape~9x9" + "".join(map(regex, DIFFERENT))
    items = [*read(f"{row}\n.Shape~9x9.AntiKnight\n{row}\n".encode(), timeout=0.001)]
    assert [item.line for item in items] == [1, 2, 3]
    assert items[1].problem is not None
    for item in (items[0], items[2]):
        assert item.reason is not None
        assert item.reason.endswith("raise --timeout, found more")


def test_more_time_than_a_second_is_for_those_who_have_nothing_else_to_do():
    assert Settings(timeout=7).reading.steps == 7 * READING_STEPS
    assert Settings(timeout=7).reading.at_most(1).steps == READING_STEPS


def puzzles_made(data: bytes) -> int:
    """How many puzzles are made while a source is parsed."""
    made = 0

    def note(frame: object, event: str, _argument: object) -> None:
        nonlocal made
        code = getattr(frame, "f_code", None)
        made += event == "call" and code is Puzzle.__post_init__.__code__

    sys.setprofile(note)
    try:
        parse_source(data, "a.iss")
    finally:
        sys.setprofile(None)
    return made


def test_a_text_of_several_lines_is_read_once():
    data = (EXAMPLES / "constraints.iss.txt").read_bytes()
    lines = [line for line in data.decode().splitlines() if line.startswith(".")]
    assert len(lines) > 3
    assert puzzles_made(data) == puzzles_made("".join(lines).encode()) == 1
