"""Files of puzzles with rules, one a line, from reading to the audit."""

from __future__ import annotations

from support.notations import ARROWS, JIGSAW, KILLER, ONE_LINE, SAMURAI, SOLO, SUMOCUE
from support.parsers import LINE, layout_of, said_of

from pipeline.puzzle.rules.custom import OneOf
from pipeline.puzzle.rules.pairs import Among
from pipeline.reading.formats import Layout, Parsed, parse_source, read_text
from pipeline.settings import Reading
from pipeline.solving.items import read

MIXED = "".join(f"{line}\n" for line in ONE_LINE)


def told(text: str, reading: Reading | None = None) -> str | None:
    """What a source is: the format of one puzzle, or of many."""
    match read_text(text.encode(), True, "a.txt", reading or Reading()):
        case Parsed(format=name):
            return f"one {name}"
        case Layout(format=many):
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


def test_a_cut_head_that_may_be_jigsaws_or_wrong_solutions_waits_for_more_lines():
    either = "1.....2..3.....41122334411224433\n"
    whole = either * 2 + f"{LINE}\n" * 3
    assert told(whole) == "many lines"
    for end in range(len(whole)):
        found = layout_of(whole[:end].encode(), complete=False)
        assert found is None or found.format.name == "lines"
    for sure in (either * 11, f"{JIGSAW}\n" * 2):
        found = layout_of(sure.encode(), complete=False)
        assert found is not None
        assert found.format.name == "variants"


def test_a_single_line_can_be_declared_to_be_a_collection():
    reading = Reading(format="variants")
    assert told(f"{SOLO}\n", reading) == "many variants"
    parsed = parse_source(SOLO.encode(), "a.txt", Reading(format="variants"))
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


KILLERS = (".Cage~3~R1C1~R1C2.Cage~9~R2C1~R2C2", ".Cage~4~R1C1~R1C2.Cage~8~R2C1~R2C2")
VALUES = tuple(f".Windoku.~R1C1_{value}" for value in "123")


def test_constraint_texts_that_cannot_be_one_are_one_a_line():
    shaped = (".Shape~4x4.AntiKing", ".Shape~4x4.AntiKnight")
    links = tuple(f"https://sigh.github.io/Interactive-Sudoku-Solver/?q={text}" for text in KILLERS)
    classic = "".join(f"~R{row}C{row}_{row}~R{row}C{row + 1}_9" for row in range(1, 9))
    classics = (f".{classic}~R9C1_1", f".{classic}~R9C1_2")
    for texts in (VALUES, shaped, links, classics):
        assert told("\n".join(texts)) == "many variants", texts
    found = [item.problem.parsed.puzzle for item in read("\n".join(VALUES).encode())]
    assert found == [parse_source(text.encode(), "a.txt").puzzle for text in VALUES]


def test_constraint_texts_that_may_be_one_or_one_a_line_are_asked_for():
    text = "\n".join(KILLERS)
    assert told(text) is None
    said = said_of(text)
    assert said.startswith("expected --format iss for one puzzle")
    assert said.endswith("--format variants for one per line, found 2 ambiguous lines")
    assert len(parse_source(text.encode(), "a.txt", Reading(format="iss")).puzzle.rules) == 4
    assert told(text, Reading(format="iss")) == "one iss"
    assert told(text, Reading(format="variants")) == "many variants"
    one_unknown = f"{text}\n.Lunchbox~3~R1C1~R1C2.AntiKing\n"
    one_constraint = f"{VALUES[0]}\n{VALUES[1]}\n.AntiKing\n"
    for lines in (one_unknown, one_constraint):
        assert told(lines) is None
        assert said_of(lines).endswith("found 3 ambiguous lines")


def test_a_constraint_text_with_a_group_over_several_lines_is_one():
    givens = ".Or\n.And\n.~R1C1_1~R2C2_2\n.End\n.And\n.~R1C1_2~R2C2_1\n.End\n.End\n"
    smallest = ".Shape~4x4\n.Or\n.~R1C1_1\n.~R1C1_2\n.End\n"
    several = f".Windoku.Replicate~D\n{KILLERS[0]}\n.End.AntiKing\n{KILLERS[1]}\n"
    for text, rules in ((givens, 1), (smallest, 1), (several, 8)):
        assert told(text) == "one iss", text
        assert len(parse_source(text.encode(), "a.txt").puzzle.rules) == rules
    (choice,) = parse_source(smallest.encode(), "a.txt").puzzle.rules
    assert choice == OneOf(((Among(0, (1,)),), (Among(0, (2,)),)))


def test_a_group_that_does_not_end_makes_no_text_of_several_lines():
    for line in (".Windoku.Or.~R1C1_1", ".Windoku.~R1C1_1.End"):
        assert told("\n".join((*VALUES, line))) == "many variants"
    shaped = (".Shape~4x4.Or.AntiKing", ".Shape~4x4.End.AntiKnight")
    assert told("\n".join(shaped)) == "many variants"


def test_a_constraint_text_in_lines_that_are_no_texts_by_themselves_is_one():
    for lines in (
        (".Shape~6x6", *KILLERS),  # a single constraint
        (".Shape~16x16.NoBoxes", ".Thermo~RaC1~RbC1.AntiKing"),  # cells of the shape above
        (".Cage~3~R1C1~R1C2.Cage~9~R2", "C1~R2C2.Cage~4~R3C1~R3C2", ".Windoku.AntiKing"),  # wrapped
        (".Cage~3~R1C1~R1C2.AntiKing", ".~R9C9_5~R8C8_1"),  # few values
    ):
        assert told("\n".join(lines)) == "one iss", lines
