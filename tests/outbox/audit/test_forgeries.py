"""Every field of every record, table and log is forged, and every file: an audit finds it.

What it does not find is listed in `docs/explanation/trust.md`, with the reason.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import filterfalse
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from support.cases import default_cases
from support.notations import FPUZZLES, SAMURAI
from support.outboxes import EXAMPLES, ONE, Outbox, made, packed, shared
from support.puzzles import NONE, TWO, program
from support.solvers import at_hand

from pipeline.outbox import NoRecord, record_of
from pipeline.outbox.schema import CollectionRecord, PuzzleRecord
from pipeline.outbox.tables import ArchiveRow, PuzzleRow, columns
from pipeline.outbox.traits import TRAITS
from pipeline.solving.complete import make_encoder, make_refuter

EASY = (EXAMPLES / "classic.sudoku").read_text()
CAGED = ".Shape~4x4.~R1C1_1.~R1C2_2.~R2C3_2.~R3C2_3.~R4C4_4.Cage~3~R1C1~R1C2\n"
FREE = ".Shape~2x3~0-2.Var~A~~1x2.Thermo~VA1~VA2.~R1C1_0~R1C2_1\n"
PROSE = '{"size": 4, "grid": [[{"value": 1, "given": true}, {}, {}, {}], [{}, {}, {}, {}], [{}, {},\
 {}, {}], [{}, {}, {}, {"value": 2}]], "diagonal+": true, "title": "Mine", "ruleset": "As usual."}'
LINE, OTHER_GRID = "1.....2..3.....4", "1243431221343421"
BESIDE = f"puzzle,solution\n{LINE},{OTHER_GRID}\n"
LINES = f"{LINE}\n{''.join(TWO.split())}\n{''.join(NONE.split())}\nnothing\n"
FILES = {
    "easy.txt": EASY,
    "two.txt": TWO,
    "none.txt": NONE,
    "marks.txt": "***.\n....\n....\n....\n",
    "caged.txt": CAGED,
    "contradiction.json": FPUZZLES,
    "prose.json": PROSE,
    "free.txt": FREE,
    "beside.csv": BESIDE,
    "bad.txt": "hello\n",
    "sat.cnf": "p cnf 3 2\n1 2 0\n-1 3 0\n",
    "unsat.cnf": "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n",
    "lines.txt": LINES,
    "pairs.csv": f"puzzle,solution\n{LINE},{OTHER_GRID}\n{LINE},1243342143122134\n",
    "set.zip": packed(("in/two.txt", TWO), ("lines.txt", LINES)),
}
OPTIONS = ("--traits", ",".join(TRAITS), "--keep-cnf")
SLOW = ("easy", "samurai")
"""Sets whose audit takes long: fields that others have too are not forged there."""
TERMS = {"refuter": make_refuter(at_hand("pysat"), 4096), "encoder": make_encoder(4096)}
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "trust.md"
MEMBER = "set/in/two"
QUICK = [stem for name in FILES if (stem := name.partition(".")[0]) not in SLOW]
STEMS = [*QUICK, "searched", "unverified", "fallen", MEMBER, *SLOW]


def prepare(outbox: Outbox) -> None:
    """Add results without proofs, and those of a solver that fails, of a declared notation."""
    outbox.box.drop("searched.txt", TWO)
    outbox.box.drop("samurai.txt", SAMURAI)  # its redundant givens would take a second
    outbox.box.run("--settle", "0")
    outbox.box.drop("unverified.txt", ONE)
    outbox.box.drop("fallen.txt", LINES)
    crashing = program(outbox.folder.parent / "minisat", "exit 3")
    declared = ("--variant", "classic", "--solver", "minisat", "--minisat", crashing)
    outbox.box.run(*declared, "--trust-solver", "--settle", "0")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    def make(folder: Path) -> None:
        prepare(made(folder, FILES, *OPTIONS))

    return shared(tmp_path_factory, "forgeries", make)


@cache
def unchecked() -> dict[str, str]:
    """What the page says that an audit does not check: names, and why."""
    section = PAGE.read_text().partition("## What `audit` does not check")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", section, re.MULTILINE)
    return {name: why for names, why in rows for name in re.findall(r"`([^`]+)`", names)}


def in_the_log() -> set[str]:
    """The names of what the page says that only the log gives away."""
    section = PAGE.read_text().partition("## What `audit` does not check")[2].partition("\n## ")[0]
    told = section.partition("While the log is there")[2].partition("\n\n")[0]
    return {*re.findall(r"`([^`]+)`", told)}


def nodes(
    value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value in a JSON value with its path; of a list the first one."""
    if path:
        yield path, value
    children = (
        value
        if isinstance(value, dict)
        else dict(enumerate(value[:1]))
        if isinstance(value, list)
        else {}
    )
    for key, child in children.items():
        yield from nodes(child, (*path, key))


def name_of(path: tuple[str | int, ...]) -> str:
    return ".".join(key for key in path if isinstance(key, str))


def changed(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """The same value but for what stands at a path; `...` removes it."""
    if not path:
        return new
    key, *rest = path
    if new is ... and not rest:
        return {k: v for k, v in value.items() if k != key}
    copy = value.copy()
    copy[key] = changed(value[key], tuple(rest), new)
    return copy


def others(value: Any) -> list[Any]:
    """Values that somebody might put in place of one."""
    match value:
        case bool():
            return [not value]
        case int() | float():
            return [value + 1]
        case str():
            return [f"{value}x", value[:-1]]
        case [*_, last]:
            return [value[:-1], [*value, last]]
    return []


@cache
def seen(outbox: Outbox) -> dict[str, list[Any]]:
    """The values of each field in all records."""
    found = defaultdict(list)
    for path in sorted(outbox.folder.rglob("*.json")):
        for at, value in nodes(json.loads(path.read_text())):
            if value not in found[name_of(at)]:
                found[name_of(at)].append(value)
    return found


@cache
def holders(outbox: Outbox) -> dict[str, list[str]]:
    """For each field four records that have it."""
    found = defaultdict(list)
    for stem in STEMS:
        for path, value in nodes(outbox.record(stem)):
            held = found[name_of(path)]
            if value is not None and stem not in held and (stem not in SLOW or not held):
                held.append(stem)
    return {name: [*stems[:2], *stems[-2:]] for name, stems in found.items()}


def in_record(outbox: Outbox, stem: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Records that say something else in one place, with the name of what is forged."""
    record = outbox.record(stem)
    meant = record_of(record)
    for path, value in nodes(record):
        name = name_of(path)
        if stem not in holders(outbox)[name]:
            continue
        known = [each for each in seen(outbox)[name] if each not in (value, None)][:2]
        known = [] if isinstance(value, dict) else known
        for new in (*others(value), *known, None, *([...] if isinstance(path[-1], str) else [])):
            forged = changed(record, path, new)
            with suppress(NoRecord):
                if record_of(forged) != meant:
                    yield f"no {name}" if new in (None, ...) else name, forged


def of_each(stems: list[str], *quick: str) -> pytest.MarkDecorator:
    """A test of each set; by default, of the quick ones."""
    return pytest.mark.parametrize("stem", default_cases(stems, *quick))


def text_of(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def passes(outbox: Outbox, stem: str) -> bool:
    """Whether an audit finds nothing wrong, and nothing that it could not check."""
    return outbox.finding(stem.partition("/")[0], **TERMS).verdict == "ok"


def missed_in(original: Outbox, outbox: Outbox, stem: str) -> tuple[set[str], set[str]]:
    """The names of forged fields of a record that pass without its log, and with it."""
    log, missed, missed_with_log = outbox.path(f"{stem}.log"), set(), set()
    text = log.read_bytes()
    for name, forged in in_record(original, stem):
        outbox.path(f"{stem}.json").write_text(json.dumps(forged))
        log.unlink()
        if passes(outbox, stem):
            missed.add(name)
            log.write_bytes(text)
            if passes(outbox, stem):
                missed_with_log.add(name)
        log.write_bytes(text)
    return missed, missed_with_log


def is_known(name: str) -> bool:
    """Whether the page says that this is not checked, or anything that it is part of."""
    _, no, field = name.rpartition("no ")
    parts = field.split(".")
    wholes = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    return bool(wholes & unchecked().keys()) or (bool(no) and name in unchecked())


def test_what_was_published_passes(original):
    findings = original.findings(**TERMS)
    assert {each.name: each.problems + each.gaps for each in findings.values()} == dict.fromkeys(
        findings, ()
    )
    assert {*findings} == {stem for stem in STEMS if stem != MEMBER}


def fields_of(kind: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of all fields of a record, and of its parts."""
    for field in msgspec.structs.fields(kind):
        yield ".".join((*path, field.encode_name))
        parts, wanted = [], [field.type]
        while wanted:
            each = wanted.pop()
            if isinstance(each, type) and issubclass(each, msgspec.Struct):
                parts.append(each)
            wanted += get_args(each)
        for part in parts:
            yield from fields_of(part, (*path, field.encode_name))


def test_every_field_of_every_record_and_table_is_forged(original):
    """A new field needs an example here, so that it is forged."""
    values = seen(original)
    told = {name for name, found in values.items() if any(each not in (None, "") for each in found)}
    assert {*fields_of(PuzzleRecord), *fields_of(CollectionRecord)} - told == {
        "rating.failed",
        "rating.stopped",
    }
    for stem, kind in (("lines", PuzzleRow), ("set", ArchiveRow)):
        assert original.rows(f"{stem}.csv")[0] == columns(kind, TRAITS)


@of_each(STEMS, "bad", "lines", "sat", "searched", "set")
def test_a_forged_field_of_a_record_is_found(original, outbox, stem):
    """The log may be gone, as old ones are; while it is there, it gives away more."""
    missed, missed_with_log = missed_in(original, outbox, stem)
    assert not {*filterfalse(is_known, missed)}
    assert not missed_with_log & in_the_log()


@of_each(["pairs", "fallen", "lines", "set"])
def test_a_forged_row_is_found(original, outbox, stem):
    table, missed = f"{stem}.csv", set()
    text = outbox.path(table).read_text()
    header, *rows = original.rows(table)
    for number, row in enumerate(rows, 1):
        for column, value in zip(header, row, strict=True):
            known = sorted({each[header.index(column)] for each in rows} - {value})
            for new in {"1", "x", "", "lrat", f"{value}x", *known} - {value}:
                outbox.set_row(table, stem, number, **{column: new})
                if passes(outbox, stem):
                    missed.add(f"row.{column}" if new else f"no row.{column}")
                outbox.write(table, text, stem)
    lines = text.splitlines(keepends=True)
    for number in range(len(lines)):
        for some in ([], [lines[number]] * 2):
            outbox.write(table, "".join([*lines[:number], *some, *lines[number + 1 :]]), stem)
            assert not passes(outbox, stem)
    assert not {*filterfalse(is_known, missed)}


@of_each(["bad", "sat", "fallen", "unverified", "two", "prose", "set"], "bad")
def test_a_forged_line_of_a_log_is_found(outbox, stem):
    log, missed = f"{stem}.log", set()
    lines = outbox.path(log).read_text().splitlines()
    for number, line in enumerate(lines):
        said = json.loads(line)
        for key, value in said.items():
            for new in (*others(value), None, ...):
                if (forged := changed(said, (key,), new)) == said:
                    continue
                outbox.write(
                    log, text_of(*lines[:number], json.dumps(forged), *lines[number + 1 :]), stem
                )
                if passes(outbox, stem):
                    missed.add(f"log.{key}")
        added = json.dumps({"job": said["job"], "event": "stage.solve", "seconds": 1})
        for some in ([], [line] * 2, [line, added], [line, "{"], [line, ""]):
            outbox.write(log, text_of(*lines[:number], *some, *lines[number + 1 :]), stem)
            assert not passes(outbox, stem)
    assert not {*filterfalse(is_known, missed)}


@of_each(STEMS[: -len(SLOW)], "bad", "pairs", "sat", "searched", "set")
def test_a_forged_file_is_found(outbox, stem):
    """It is changed with its hash in the record, or without it, or it is gone."""
    record = outbox.record(stem)
    for name in (each["name"] for each in record["files"]):
        path = outbox.path(str(Path(stem).with_name(name)))
        data = path.read_bytes()
        lines = data.splitlines(keepends=True)
        for forged in (data[1:], data + b"1\n", b"".join(lines[:-1]), b"".join(lines[::-1])):
            path.write_bytes(forged)
            assert forged == data or not passes(outbox, stem), name
            outbox.list(stem)
            assert forged == data or not passes(outbox, stem), name
            path.write_bytes(data)
            outbox.write_record(stem, record)
        path.unlink()
        assert path.suffix == ".log" or not passes(outbox, stem), name
        outbox.list(stem)
        assert not passes(outbox, stem), name
        path.write_bytes(data)
        outbox.write_record(stem, record)
    assert passes(outbox, stem)
