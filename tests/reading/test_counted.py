"""Variants have as many solutions as another program counts: one that shares nothing with this.

A rule that is misread is misread by parser, encoder and check alike, so that no test by our own
hand sees it. `counted/texts.txt` has 477 random texts in the notation of the Interactive Sudoku
Solver, `counted/documents.jsonl` 135 of f-puzzles, each with its number of solutions as that solver
counts them. Both were made for this project. Open a text there, and count again, to check one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.certify.missing import find_missing
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_source
from pipeline.service.solving import solve_problems
from pipeline.settings import Settings
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.solvers import Solvers

FOLDER = Path(__file__).parent / "counted"
CHUNKS = 8
"""Tests of some seconds each, which processes share."""

SECONDS = 60.0


def counted() -> list[tuple[str, int]]:
    """The texts, and how many solutions each has."""
    lines = (FOLDER / "texts.txt").read_text().splitlines()
    texts = [(text, int(number)) for text, number in (line.rsplit("\t", 1) for line in lines)]
    documents = map(json.loads, (FOLDER / "documents.jsonl").read_text().splitlines())
    return texts + [(each["text"], each["solutions"]) for each in documents]


CASES = counted()


def read(text: str) -> PuzzleProblem:
    return PuzzleProblem(parse_source(text.encode(), "counted"))


def number_searched(puzzle: Puzzle, expected: int) -> int | str | None:
    """How many solutions the exhaustive search finds, or why it did not end."""
    found = find_missing(puzzle, (), max_solutions=expected + 1, seconds=SECONDS)
    return found.undecided or len(found.missing)


def test_there_are_texts_of_many_kinds_with_many_numbers_of_solutions():
    names = {rule.name for text, _ in CASES for rule in read(text).puzzle.rules}
    assert (len(CASES), len(names) > 60) == (612, True)
    assert {number for _, number in CASES} >= {0, 1, 2, 3, 5, 10}


@pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(each, marks=pytest.mark.trial) for each in range(1, CHUNKS))]
)
def test_a_solver_counts_as_many_solutions_as_another_program(chunk):
    differences = []
    with Solvers("pysat") as solvers:
        for text, expected in CASES[chunk::CHUNKS]:
            most = max(1, expected)
            settings = Settings(solver="pysat", max_solutions=most, trust_solver=True)
            (result,) = solve_problems([read(text)], solvers, settings)
            if (len(result.solutions), result.complete) != (expected, True):
                differences.append((text, expected, result))
    assert differences == []


@pytest.mark.trial
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_search_alone_counts_as_many_solutions_as_another_program(chunk):
    numbers = {
        text: (number_searched(read(text).puzzle, expected), expected)
        for text, expected in CASES[chunk::CHUNKS]
    }
    assert {text: pair for text, pair in numbers.items() if len({*pair}) > 1} == {}
