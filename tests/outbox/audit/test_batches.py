"""Rows that are audited together: what is found is what is found one by one."""

from __future__ import annotations

import random

import pytest
from support.cases import default_cases
from support.outboxes import ONE, in_a_line
from support.puzzles import NINE, NINE_SOLVED, NINE_TWO, STUCK

from pipeline.outbox.audit.audited_rows import read_row
from pipeline.outbox.audit.collection import audit_collection
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.published import load_published
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.read import source_at

SIX_OR_MORE = NINE_TWO.replace("8", ".").replace("2", ".")
DIFFERENT = (NINE, NINE, NINE, NINE.replace(".", "0"), NINE_TWO, NINE_TWO, SIX_OR_MORE, STUCK)
RARE = (in_a_line(ONE).strip(), "hello of words", f"{NINE} with a name")
PLAIN = [*DIFFERENT, *DIFFERENT, *DIFFERENT, NINE[1:] + NINE[:1]]
MIXED = [*DIFFERENT, RARE[0], *DIFFERENT, RARE[1], *DIFFERENT[:4], RARE[2], NINE_TWO]


BESIDE = [
    f"{puzzle},{claim}"
    for puzzle in (*DIFFERENT, *DIFFERENT)
    for claim in (NINE_SOLVED, NINE_SOLVED[::-1])
]
KINDS = {"plain": PLAIN, "mixed": MIXED, "beside": BESIDE}
FILES = {f"{name}.txt": "\n".join(lines) + "\n" for name, lines in KINDS.items()}
OPTIONS = ("--prove", "never")


def found(outbox, stem):
    """What an audit says of a collection, whatever the hashes are."""
    report = Findings()
    published, original = (
        load_published(outbox.path(f"{stem}.json")),
        outbox.original(f"{stem}.txt"),
    )
    with PeekableStream(original.open("rb")) as stream:
        layout = source_at(original, original.name, report.settings).layout
        claim = audit_collection(published, layout, stream, report)
    return report.finding(stem, claim)


def found_one_by_one(outbox, stem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.outbox.audit.collection.find_correct_rows", lambda *_: {})
        return found(outbox, stem)


WORDS = {
    b"true": (b"false", b"", b"yes"),
    b"false": (b"true",),
    b"unique": (b"multiple", b"unsolvable", b"failed"),
    b"multiple": (b"unique", b"unknown"),
    b"exhaustive-search": (b"lrat", b"unverified", b""),
    b",1,": (b",2,", b",01,"),
    b",,\n": (b",x,\n", b",,x\n", b",\n", b',"",\n', b',"a,b",\n'),
    b"5": (b"6", b"0", b".", b"\xff"),
}


def changed(data: bytes, chance: random.Random) -> bytes:
    """The bytes of a file with some change that somebody might make."""
    lines = data.splitlines(keepends=True)
    one, other = (chance.randrange(len(lines)) for _ in range(2))
    line = lines[one]
    match chance.randrange(7):
        case 0:
            lines[one], lines[other] = lines[other], line
        case 1:
            lines[one] = lines[other]
        case 2:
            del lines[one]
        case 3:
            at = chance.randrange(len(line))
            lines[one] = line[:at] + chance.choice([b"", b"7", b".", b",", b"\r"]) + line[at + 1 :]
        case 4:
            lines[one] = b"." * 81 + b"\n"
        case _:
            old = chance.choice([word for word in WORDS if word in line] or [b"5"])
            lines[one] = line.replace(old, chance.choice(WORDS[old]), chance.choice((1, -1)))
    return b"".join(lines)


@pytest.mark.parametrize("stem", default_cases(KINDS, "mixed"))
def test_what_is_done_to_a_table_is_found_together_as_one_by_one(outbox, stem):
    chance = random.Random(stem)
    names = [f"{stem}.csv", f"{stem}_1.solution", f"{stem}_2.solution"]
    good = {name: outbox.path(name).read_bytes() for name in names}
    said = set()
    for _ in range(25):
        for name in chance.choices(names, k=chance.choice((1, 1, 2))):
            outbox.path(name).write_bytes(changed(outbox.path(name).read_bytes(), chance))
        finding = found(outbox, stem)
        assert finding == found_one_by_one(outbox, stem)
        said |= {*finding.problems}
        for name, data in good.items():
            outbox.path(name).write_bytes(data)
    assert len(said) > 10
    assert found(outbox, stem) == found_one_by_one(outbox, stem)


@pytest.mark.parametrize("stem", KINDS)
def test_what_was_published_passes_in_portions_of_any_size(outbox, stem, monkeypatch):
    whole = found(outbox, stem)
    assert (whole.problems, whole.gaps) == ((), ())
    for most in (1, 3000):
        monkeypatch.setattr("pipeline.outbox.audit.audited_rows._MAX_CHUNK_CHARACTERS", most)
        monkeypatch.setattr("pipeline.outbox.audit.audited_rows._LINES_PER_CHECK", 4)
        assert found(outbox, stem) == whole


def test_rows_that_say_nothing_but_their_solutions_are_not_read_one_by_one(outbox, monkeypatch):
    def forbidden(chunk, at, report):
        row = chunk.row(at)
        assert row.message or row.complete == "false"
        return read_row(chunk, at, report)

    monkeypatch.setattr("pipeline.outbox.audit.collection.read_row", forbidden)
    assert found(outbox, "plain").verdict == "ok"


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (b"", "plain_2.solution ends too early, before row 3"),
        (b"." * 81 + b"\r\n", "plain_2.solution: a line ends with CR and LF, not with LF"),
        (b"." * 81, "plain_2.solution: a line is too long, or does not end with a newline"),
        (
            b"x" * (3 * 1024 * 1024) + b"\n",
            "plain_2.solution: a line is too long, or does not end with a newline",
        ),
        (None, "plain_2.solution: cannot be read: No such file or directory"),
    ],
)
def test_why_lines_end_is_told_behind_what_is_wrong_before(outbox, end, said):
    path = outbox.path("plain_2.solution")
    if end is None:
        path.unlink()
    else:
        path.write_bytes(b"." * 81 + b"\nx\n" + end)
    problems = found(outbox, "plain").problems
    assert problems[-1].replace(f"{path}: ", "") == said
    is_told = any("row 2: plain_2.solution: 'x' is not a grid" in each for each in problems)
    assert is_told == (end is not None)
