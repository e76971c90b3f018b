"""Machines and relations in texts: each takes what its definition takes, and nothing else."""

from __future__ import annotations

import base64
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.cases import for_each
from support.strategies import examples

from pipeline import parse_puzzle, solve
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.rules.custom import NondeterministicMachine
from pipeline.reading.formats.iss import machines
from pipeline.reading.formats.iss.machines import (
    Machine,
    MachineReader,
    StateMachineFields,
    determinize,
    nondeterministic_text,
    parse_machine,
)
from pipeline.reading.formats.iss.regex import pattern_machine

VALUES, LONGEST = range(1, 4), 5
LINES = [each for length in range(1, LONGEST + 1) for each in product(VALUES, repeat=length)]


def takes(machine: StateMachineFields, line: tuple[int, ...]) -> bool:
    state = 0
    for value in line:
        state = int.from_bytes(machine.moves[state][2 * value : 2 * value + 2], "little")
        if state == machines.NO_STATE:
            return False
    return state in machine.accepted


def reached(machine: Machine, *segments: tuple[int, ...]) -> bool:
    """Whether some way through a nondeterministic machine accepts the line in these segments."""
    states = {*machine.starts}
    for index, segment in enumerate(segments):
        if index:
            states = {after for state in states for after in machine.breaks[state]}
        for value in segment:
            states = {after for state in states for after in machine.moves[state][value - 1]}
    return bool(states & machine.accepted)


def repeated(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    times = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}"])
    return st.builds("({}){}".format, inner, times)


signs = st.sampled_from(["1", "2", "3", ".", "[12]", "[^1]", "[2-3]", ""])
patterns = st.recursive(
    signs,
    lambda inner: (
        repeated(inner)
        | st.builds("{}{}".format, inner, inner)
        | st.builds("({}|{})".format, inner, inner)
    ),
    max_leaves=8,
)


@examples(100)
@given(patterns)
def test_a_pattern_takes_what_a_regular_expression_takes(pattern):
    machine = MachineReader().machine(pattern_machine, pattern, VALUES, LONGEST)
    meant = re.compile(pattern.replace(".", "[123]"))
    for line in LINES:
        assert takes(machine, line) == bool(meant.fullmatch("".join(map(str, line)))), line


def test_a_value_behind_a_backslash_is_that_value():
    machine = MachineReader().machine(pattern_machine, r"\1[\2]*", VALUES, LONGEST)
    assert takes(machine, (1, 2, 2))
    assert not takes(machine, (1, 2, 3))


@pytest.mark.parametrize(
    ("pattern", "line"), [("gA", (16, 10)), ("[f-g]a", (15, 10)), ("9.", (9, 16))]
)
def test_letters_are_values_from_10_on(pattern, line):
    values = range(1, 17)
    assert takes(MachineReader().machine(pattern_machine, pattern, values, 2), line)


@for_each(
    ("pattern", "message"),
    [
        ("(1", "expected ')' as character 3, found the end"),
        ("1)", "expected the end as character 2, found ')'"),
        ("*", "expected a value, 1 to 3, as character 1, found '*'"),
        ("4", "a value, 1 to 3,"),
        ("0", "a value, 1 to 3,"),
        ("é", "a value, 1 to 3,"),
        ("[]", "found ']'"),
        ("[^]", "found ']'"),
        ("[2-1]", "ends before it begins"),
        ("1{", "expected a number"),
        ("1{2,1}", "2 to 1 times"),
        ("1{2", "expected '}'"),
        ("1{12345}", "expected a number"),
        ("(1{600}){2}", "more than 1024 characters"),
        ("(" * 200, "groups nested more than 100 deep"),
        ("1" + "*" * 200, "no further repetition mark"),
    ],
)
def test_a_pattern_that_is_wrong_says_where(pattern, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        pattern_machine(pattern, VALUES, MachineReader())


def numbers(*fields: tuple[int, int]) -> str:
    """Numbers with their widths in bits, as base64."""
    bits = "".join(f"{number:0{width}b}" for number, width in fields if width)
    bits += "0" * (-len(bits) % 8)
    data = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def written(machine: Machine, width: int, *, packed: bool) -> str:
    """The text of a machine, whose accepted states follow the first ones, the starts."""
    starts, count = len(machine.starts), len(VALUES) + bool(machine.breaks)
    others = len([state for state in machine.accepted if state >= starts])
    accepted = sum(1 << state for state in machine.accepted if state < starts)
    moves = [
        [(index, state) for index, states in enumerate(row) for state in states]
        for row in (
            [[*row, between] for row, between in zip(machine.moves, machine.breaks, strict=True)]
            if machine.breaks
            else machine.moves
        )
    ]
    by_count = max(map(len, moves)).bit_length()
    fields = [(int(packed), 2), (width - 1, 4), (count - 1, 4), (starts, width), (others, width)]
    fields += [(accepted, starts), *([] if packed else [(by_count, 4)])]
    for row in moves:
        if packed:
            fields += [(sum(1 << index for index, _ in row), count)]
            fields += [(state, width) for _, state in row]
        else:
            fields += [(len(row), by_count)]
            fields += [field for index, state in row for field in ((index, 2), (state, width))]
    return numbers(*fields)


@st.composite
def nondeterministic(draw: st.DrawFn, most: int = 3) -> Machine:
    states = draw(st.integers(1, 6))
    targets = st.lists(st.integers(0, states - 1), max_size=most, unique=True)
    rows = draw(
        st.lists(
            st.lists(targets, min_size=3, max_size=3), min_size=states, max_size=states
        ).filter(lambda rows: any(map(any, rows)))
    )
    starts = draw(st.integers(1, states))
    others = draw(st.integers(0, states - starts))
    first = draw(st.sets(st.integers(0, starts - 1)))
    led_to = {*range(starts)}
    for _ in rows:
        led_to |= {after for state in led_to for targets in rows[state] for after in targets}
    assume(len(led_to) == states)
    accepted = frozenset((*first, *range(starts, starts + others)))
    return Machine([[*map(tuple, row)] for row in rows], accepted, tuple(range(starts)))


@examples(50)
@given(nondeterministic())
def test_a_machine_that_is_read_takes_what_some_way_through_it_takes(machine):
    again = parse_machine(written(machine, 4, packed=False), VALUES, MachineReader())
    found = determinize(again, VALUES, (LONGEST,), MachineReader())
    for line in LINES:
        assert takes(found, line) == reached(machine, line)


@examples(50)
@given(st.data(), nondeterministic())
def test_a_machine_reads_the_segments_of_a_line_with_moves_between_them(data, machine):
    states = st.integers(0, len(machine.moves) - 1)
    between = st.lists(states, max_size=3, unique=True).map(tuple)
    breaks = data.draw(st.tuples(*[between] * len(machine.moves)).filter(any))
    text = written(machine._replace(breaks=breaks), 4, packed=False)
    again = parse_machine(text, VALUES, MachineReader())
    assert again.breaks[: len(breaks)] == tuple(map(list, breaks))
    found = determinize(again, VALUES, (2, 1, 2), MachineReader())
    for line in product(VALUES, repeat=5):
        assert takes(found, line) == reached(again, line[:2], line[2:3], line[3:])


def test_a_text_has_segments_of_a_line_between_hyphens():
    ones = Machine([[(0,), (0,), (0,)], [(1,), (), ()]], frozenset((1,)), (0,), ((1,), ()))
    text = written(ones, 1, packed=True)
    puzzle = parse_puzzle(f".Shape~1x3~~Raw.NFA~{text}~_then%20ones~R1C1~-~R1C2~R1C3")
    (rule,) = puzzle.rules
    assert (rule.line, rule.label) == ((0, 1, 2), "then ones")
    solutions = {grid.values for grid in solve(puzzle).solutions}
    assert solutions == {(value, 1, 1) for value in VALUES}
    for line, expected in (
        ("-~R1C1", "a cell in '.NFA', found '-'"),
        ("R1C1~-~-~R1C2", "a cell in '.NFA', found '-'"),
        ("R1C1~-", "a cell after the last '-'"),
    ):
        with pytest.raises(InvalidPuzzle, match=re.escape(expected)):
            parse_puzzle(f".Shape~1x3~~Raw.NFA~{text}~{line}")


def test_a_published_puzzle_whose_machines_read_segments_has_one_solution():
    result = solve(Path(__file__).with_name("segments.iss").read_text())
    assert (len(result.solutions), result.complete) == (1, True)


def test_a_machine_without_moves_between_segments_cannot_read_them():
    alone = Machine([[(0,), (), ()]], frozenset((0,)))
    with pytest.raises(ValueError, match="the pattern is for one segment"):
        determinize(alone, VALUES, (1, 1), MachineReader())


@examples(50)
@given(nondeterministic(most=1))
def test_a_packed_machine_is_the_same(machine):
    packed, plain = (written(machine, 3, packed=packed) for packed in (True, False))
    one, other = (
        MachineReader().machine(parse_machine, text, VALUES, LONGEST) for text in (packed, plain)
    )
    assert [takes(one, line) for line in LINES] == [takes(other, line) for line in LINES]


@examples(50)
@given(nondeterministic())
def test_a_machine_that_stays_nondeterministic_is_written(machine):
    again = parse_machine(nondeterministic_text(machine, VALUES), VALUES, MachineReader())
    assert again.accepted == machine.accepted
    assert again.moves[: len(machine.moves)] == [[*map(list, row)] for row in machine.moves]


@pytest.mark.trial
def test_a_machine_that_is_too_large_if_deterministic_is_read_as_it_is():
    cells = [f"R{row}C{column}" for row in range(1, 7) for column in range(1, 7)]
    eighteenth = base64.urlsafe_b64encode(b".*1.{17}").decode().rstrip("=")
    text = f".Shape~6x6~2~Raw.Regex~{eighteenth}~{'~'.join(cells)}"
    puzzle = parse_puzzle(text)
    (rule,) = puzzle.rules
    assert isinstance(rule, NondeterministicMachine)
    assert rule.label == ".*1.{17}"
    others = "".join(f"~{cell}_2" for index, cell in enumerate(cells) if index != 18)
    result = solve(f"{text}.{others}")
    assert [grid.values.index(1) for grid in result.solutions] == [18]
    assert result.certificate.complete == "proved"
    assert parse_puzzle(puzzle.to("iss"), format_name="iss").rules[0].line == rule.line
    assert solve(f"{text}.{others}~R4C1_2").status == "unsolvable"


@examples(50)
@given(st.data(), nondeterministic())
def test_a_machine_that_is_cut_off_is_refused(data, machine):
    text = written(machine, 4, packed=False)
    cut = text[: data.draw(st.integers(1, len(text) - 2))]
    try:
        again = parse_machine(cut, VALUES, MachineReader())
    except ValueError:
        return
    assert len(again.moves) <= len(machine.moves) + 8  # padding may be states without moves


@examples(50)
@given(st.text("ABgz09-_", max_size=40))
def test_any_text_is_a_machine_or_refused(text):
    try:
        machine = parse_machine(text, VALUES, MachineReader())
    except ValueError:
        return
    determinize(machine, VALUES, (81,), MachineReader())


def test_a_state_that_nothing_leads_to_is_a_sign_of_damage():
    alone = Machine([[(0,), (), ()], [(0,), (), ()]], frozenset((0,)))
    with pytest.raises(ValueError, match="unreachable states"):
        parse_machine(written(alone, 2, packed=True), VALUES, MachineReader())


def test_a_relation_has_a_bit_for_each_pair_of_values():
    bits = machines.set_bits_of("hD")
    assert bits == [0, 5, 6, 7]
    assert machines.parse_relation("hD", VALUES) == (0, 0b10, 0b1000, 0b110)
    with pytest.raises(ValueError, match="more than 3 values"):
        machines.parse_relation("AAB", range(1, 4))
    four = range(1, 5)
    assert machines.parse_relation("-_", four) == machines.parse_relation("_-", four, is_old=True)
