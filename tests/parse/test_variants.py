"""Files of puzzles with rules, one a line, from reading to the audit."""

from __future__ import annotations

from support.parsing import LINE
from support.ruled import ARROWS, JIGSAW, KILLER, ONE_LINE, SAMURAI, SOLO, SUMOCUE

from pipeline.parse import Detected, Parsed, detect, parse_source
from pipeline.reading import read
from pipeline.settings import Reading

MIXED = "".join(f"{line}\n" for line in ONE_LINE)


def told(text: str, reading: Reading | None = None) -> str | None:
    """What a source is: the format of one puzzle, or of many."""
    match detect(text.encode(), True, "a.txt", reading or Reading()):
        case Parsed(format=name):
            return f"one {name}"
        case Detected(format=many):
            return f"many {many.name}"
    return None


def test_lines_of_several_notations_are_read_each_by_its_own():
    assert told(MIXED) == "many variants"
    items = [*read(MIXED.encode())]
    assert [item.problem.parsed for item in items] == [
        parse_source(line.encode(), "a.txt") for line in ONE_LINE
    ]
    assert [item.line for item in items] == [1, 2, 3, 4, 5]


def test_a_row_of_another_kind_is_a_puzzle_too_if_it_is_one():
    items = [*read(f"{KILLER}\n{LINE}\n# why not\n{ARROWS}\n{SOLO}\nhello\n".encode())]
    assert [item.problem and item.problem.format for item in items] == [
        "killer",
        "grid",
        "killer-arrows",
        "solo",
        None,
    ]
    assert items[-1].reason.startswith("data:6:1: expected")


def test_files_of_others_stay_what_they_were():
    assert told(f"{LINE}\n{LINE}\n") == "many lines"
    solved = LINE.replace(".", "1")
    assert told(f"{LINE}{solved}\n" * 3) == "many lines"
    assert told(f"{KILLER}\n" + f"{LINE}\n" * 3) == "many lines"
    assert told("\n".join([LINE] * 5)) == "many lines"
    assert told(SAMURAI) == "one samurai"
    for line in ONE_LINE:
        assert told(line).startswith("one ")


def test_a_single_line_can_be_declared_to_be_a_collection():
    reading = Reading(format="variants")
    assert told(f"{SOLO}\n", reading) == "many variants"
    parsed = parse_source(SOLO.encode(), "a.txt", format_name="variants")
    assert parsed.puzzle == parse_source(SOLO.encode(), "a.txt").puzzle


def test_a_fault_in_a_line_is_told_where_it_is():
    text = f"{KILLER}\n{JIGSAW[:-1]}?\n{SUMOCUE}\n"
    items = [*read(text.encode())]
    assert items[1].reason == "data:2:162: expected 9 regions, found '?'"
    assert [item.problem is None for item in items] == [False, True, False]


def test_a_single_constraint_among_puzzles_of_other_notations_is_one_of_them():
    constraint = ".Cage~3~R1C1~R1C2"
    assert told(f"{constraint}\n{constraint}\n") == "one iss"
    items = [*read(f"{KILLER}\n{constraint}\n{SOLO}\n".encode())]
    assert [item.problem.format for item in items] == ["killer", "iss", "solo"]
