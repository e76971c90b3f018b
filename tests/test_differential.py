"""The trial against another program: what it prints of texts whose numbers are known."""

from __future__ import annotations

import json
import random
from itertools import islice

import pytest
from differential import compare
from random_texts import ARGUMENTS, MEMBERS, random_lines

from pipeline.reading.formats import parse_source
from pipeline.reading.formats.iss.groups import GROUPS
from pipeline.reading.formats.iss.parsing import KNOWN_TYPES
from pipeline.reading.formats.notations import DEPENDENT_KEYS, FLAGS, KEYS

RISING = ".Shape~4x4.Thermo~R1C1~R1C2~R1C3~R1C4"
KING = ".Shape~4x4\n.AntiKing"
UNKNOWN = ".Shape~4x4.Chimera~R1C1~R1C2"
DAMAGED = ".Shape~4x4.Thermo~R1C1~R9C9"


def trial(tmp_path, capsys, *lines: str, limit: int = 2) -> tuple[int, list[str]]:
    path = tmp_path / "answers"
    path.write_text("".join(f"{line}\n" for line in lines))
    code = compare(path, limit, timeout=60, workers=1)
    return code, capsys.readouterr().out.splitlines()


def test_equal_numbers_are_no_difference_and_those_from_the_limit_on_are_equal(tmp_path, capsys):
    king = json.dumps({"text": KING, "solutions": 0})
    assert trial(tmp_path, capsys, f"{RISING}\t12", king) == (0, ["2 same"])
    assert trial(tmp_path, capsys, f"{RISING}\t12", limit=13) == (0, ["1 same"])


def test_every_difference_is_printed_with_its_reason_and_all_are_counted(tmp_path, capsys):
    lines = f"{RISING}\t1", f"{UNKNOWN}\t1", "", f"{DAMAGED}\t0", f"{RISING}\t99"
    code, printed = trial(tmp_path, capsys, *lines)
    assert code == 1
    differs = f"answers:1: differs: 2 solutions, 1 by the other program: {RISING!r}"
    assert printed[0] == differs
    assert printed[1].startswith("answers:2: refused by name: puzzle 2:1:12: expected a known")
    assert printed[2].startswith("answers:4: invalid: puzzle 3:1:24: expected a cell")
    assert printed[3:] == ["1 differs, 1 refused by name, 1 invalid, 1 same"]


def test_rules_that_are_refused_by_name_are_no_fault(tmp_path, capsys):
    assert trial(tmp_path, capsys, f"{UNKNOWN}\t1")[0] == 0


@pytest.mark.parametrize("line", ["no number", f"{RISING}\tmany", '{"text": "x"}'])
def test_a_line_without_a_number_is_refused(tmp_path, capsys, line):
    with pytest.raises(SystemExit, match="answers:1: expected a text, a tab and a number"):
        trial(tmp_path, capsys, line)


def test_random_texts_are_puzzles():
    for documents in (False, True):
        lines = random_lines(random.Random(1), documents=documents)
        for text in islice(lines, 21):
            assert parse_source(text.encode(), "text").puzzle


def test_every_type_and_key_is_drawn():
    """Types of layouts and groups are drawn with the others."""
    layouts = {"Shape", "NoBoxes", "Jigsaw", "RegionSize", "RegionSameValues", "Var"}
    layouts |= {"ChaosConstruction", "Doppelganger", "SearchPriority", "", *GROUPS}
    assert {name.partition("~")[0] for name in ARGUMENTS} == KNOWN_TYPES - layouts
    assert {*MEMBERS} == {*KEYS, *FLAGS, *DEPENDENT_KEYS} - {"windoku"}
