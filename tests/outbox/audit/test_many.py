"""Collections and archives: an audit passes what was published, and finds what is done to it."""

from __future__ import annotations

import gzip
import os
import random

import pytest
from support.needs import needs_arrow
from support.outboxes import (
    ONE,
    SIX_BY_SIX,
    Tamper,
    append,
    call,
    certify,
    change,
    dropped,
    edit,
    exchange,
    in_a_line,
    made,
    packed,
    put,
    remove,
    unlink,
    write,
)
from support.puzzles import EVEN_ODD, NINE_TWO, NONE, SIX, TWO
from support.puzzles import NINE as ALONE

LINES = "".join(map(in_a_line, (ONE, TWO, SIX, NONE))) + "hello of words\n" + in_a_line(SIX_BY_SIX)
SEVEN_STEPS = "....7..2.8.......6.1.2.5...9.54....8.........3....85.1...3.2.8.4.......9.7..6....\n"
NINE = "".join(
    SEVEN_STEPS.translate(
        str.maketrans("123456789", "".join(random.Random(seed).sample("123456789", 9)))
    )
    for seed in range(8)
)
"""Each has a proof of a few steps."""
CLAIMED = f"puzzle,solution\n{in_a_line(ONE).strip()},1243342143122133\n{in_a_line(TWO).strip()},\n"
MEMBERS = (
    ("one.txt", ONE),
    ("in/two.txt", TWO),
    ("in/marks.txt", EVEN_ODD),
    ("lines.txt", LINES),
    ("bad.txt", "1...\n..k.\n....\n....\n"),
    ("readme.txt", "hello\n"),
    ("over/two.txt", SIX),
)
FILES = {
    "lines.txt": LINES,
    "nine.sdm": NINE,
    "claims.csv": CLAIMED,
    "packed.txt.gz": gzip.compress(LINES.encode()),
    "set.zip": packed(*MEMBERS),
}
CLAIMS = {
    "lines": "collection of 6 puzzles: 1 invalid, 2 multiple, 2 unique, 1 unsolvable, 5 proved",
    "nine": "collection of 8 puzzles: 8 unique, 8 proved",
    "claims": "collection of 2 puzzles: 1 multiple, 1 unique, 2 proved",
    "packed": "collection of 6 puzzles: 1 invalid, 2 multiple, 2 unique, 1 unsolvable, 5 proved",
    "set": "archive of 7 members: 2 invalid, 4 multiple, 1 other, 4 unique, 1 unsolvable, 9 proved",
}


OPTIONS = ("--max-solutions", "6")


def test_what_was_published_passes(original):
    findings = original.findings()
    assert {each.name: each.problems + each.gaps for each in findings.values()} == dict.fromkeys(
        CLAIMS, ()
    )
    assert {each.name: each.claim for each in findings.values()} == CLAIMS


def test_what_was_declared_of_a_collection_is_declared_to_the_audit_too(tmp_path):
    stars = "12*.3421431221.*\n" * 2
    files = {"stars.txt": stars, "set.zip": packed(("in/stars.txt", stars))}
    outbox = made(tmp_path, files, "--variant", "even-odd")
    assert outbox.record("stars")["declared"] == {"variant": "even-odd"}
    findings = outbox.findings()
    assert {each.verdict for each in findings.values()} == {"ok"}, findings
    assert findings["stars"].notes == ("read as even-odd, as the record says",)
    outbox.edit("stars", declared={"variant": "classic"})
    assert outbox.problems("stars")
    outbox.edit("stars", declared={"variant": ["even-odd"]})
    assert "it does not match the schema: " in outbox.findings()["stars"].problems[0]
    outbox.edit("stars", declared={"variant": "odd"})
    said = "declared: expected valid values of format, variant, alphabet, boxes or strict"
    assert said in outbox.findings()["stars"].problems[0]


def row(stem: str, number: int, **fields: str) -> Tamper:
    return lambda outbox: outbox.set_row(f"{stem}.csv", stem, number, **fields)


def repeat_row(stem: str, number: int, times: int = 2) -> Tamper:
    def repeated(text: str) -> str:
        lines = text.splitlines(keepends=True)
        return "".join([*lines[:number], lines[number] * times, *lines[number + 1 :]])

    return lambda outbox: outbox.change(f"{stem}.csv", stem, repeated)


def drop_row(stem: str, number: int) -> Tamper:
    return repeat_row(stem, number, 0)


def change_digit(outbox):
    lines = outbox.path("nine_1.solution").read_text().splitlines()
    line = lines[6][1] + lines[6][1:]
    outbox.change_line("nine_1.solution", "nine", 7, line)
    outbox.set_row("nine.csv", "nine", 7, solution=line)


def repeat_solution(outbox):
    first = outbox.path("lines_1.solution").read_text().splitlines()
    outbox.change_line("lines_2.solution", "lines", 3, first[2])


def leave_solution_out(outbox):
    outbox.change_line("lines_2.solution", "lines", 2, "." * 16)
    outbox.set_row("lines.csv", "lines", 2, solutions="1", status="unique")
    outbox.edit_in("lines", "totals", unique=3, multiple=1)


def hush_up(outbox):
    outbox.set_row("claims.csv", "claims", 1, message="", disagreement="")
    totals = outbox.record("claims")["totals"]
    outbox.edit("claims", totals={k: v for k, v in totals.items() if k != "disagreements"})


def add_same_solution(outbox):
    stem = "set/in/two"
    outbox.write(f"{stem}_2.solution", outbox.path(f"{stem}_1.solution").read_text(), stem)


def exchange_folders(outbox):
    top = outbox.path("set")
    for old, new in (("in", "aside"), ("over", "in"), ("aside", "over")):
        (top / old).rename(top / new)


def link_tree(outbox):
    tree = outbox.path("set")
    tree.symlink_to(tree.rename(outbox.folder.parent / "aside"))


def exchange_member(outbox):
    members = [(name, SIX if name == "in/two.txt" else text) for name, text in MEMBERS]
    outbox.exchange("set.zip", packed(*members), "set")


EXCHANGED = LINES.replace(in_a_line(TWO), in_a_line(SIX))
MORE, LESS = packed(*MEMBERS, ("more.txt", ONE)), packed(*MEMBERS[:-1])
TAMPERED: list[tuple[str, Tamper, *tuple[str, ...]]] = [
    (
        "lines",
        lambda o: o.change("lines.csv", "lines", lambda text: text[: text.rindex("\n6,") + 1]),
        "lines.csv ends too early",
    ),
    (
        "lines",
        append("lines.csv", "7,7,,invalid,0,,,,,\n"),
        "lines.csv continues after the last pu",
    ),
    (
        "lines",
        lambda o: o.change_line("lines.csv", "lines", 7, "6,6,x,invalid,0,,,,"),
        "lines.csv: line 7: Expected `arr",
    ),
    ("lines", write("lines.csv", "index,line\n"), "lines.csv: the first line is not 'index,line,p"),
    ("lines", remove("lines.csv"), "lines.csv is not listed"),
    ("nine", change_digit, "nine_1.solution: line 7: row 1 holds "),
    ("lines", change("lines_1.solution", "1", "x", 1), "is not a grid of the puzzle's"),
    ("lines", change("lines_1.solution", "1234", "", 1), "is not a grid of the p"),
    ("lines", change("lines_1.solution", "\n", "", 1), "a line is too long, or does not"),
    (
        "lines",
        repeat_solution,
        "lines.csv: row 3: two of its solutions are the same grid",
        "lines.csv: row 3: two of its solutions are the same grid",
    ),
    ("lines", remove("lines_6.solution"), "the table says 6 solutions, the solution files have 5"),
    (
        "nine_2.solution",
        put("nine_2.solution", ""),
        "nine_2.solution is not listed in any record",
    ),
    (
        "lines",
        append("lines_2.solution", "." * 16 + "\n"),
        "lines_2.solution continues after the l",
    ),
    ("lines", write("lines_2.solution", ""), "lines_2.solution ends too early, before row 1"),
    ("lines", leave_solution_out, "there is another solution: "),
    (
        "claims",
        hush_up,
        "row 1: the row does not say that the solution in the original is wrong",
        "totals: 0 disagreements in the record, 1 found",
    ),
    ("nine", edit("nine", totals={"unique": 9}), "totals: 9 unique in the record, 8 found"),
    ("nine", certify("nine", proved=9), "certificate: 9 proved in the record, 8 found"),
    (
        "lines",
        exchange("lines.txt", EXCHANGED),
        "row 2: the puzzle is '12",
        "lines_1.solution: line 2: ",
    ),
    ("lines", exchange("lines.txt", ONE), "the original is not a collection of the format 'lines'"),
    ("lines", exchange("lines.txt", packed(("one.txt", ONE))), "the original"),
    ("set", add_same_solution, "in/two.txt: two_2.solution has the same grid as two_1.solution"),
    ("set", edit("set/bad", status="other"), "bad.txt: the status should be 'invalid'"),
    ("set", edit("set/readme", status="invalid"), "readme.txt: the status should be 'other'"),
    (
        "set",
        lambda o: o.set_row("set/lines.csv", "set/lines", 1, status="multiple"),
        "lines.txt: lines.csv: row 1: status 'multiple' contradicts 1 solution",
    ),
    (
        "set",
        put("set/in/more_1.solution", "1"),
        "set/in/more_1.solution is not listed in any record",
    ),
    ("set", put("set/in/notes.txt", "hello"), "set/in/notes.txt is not listed in any record"),
    (
        "set",
        lambda o: o.path("set/etc").symlink_to("/etc"),
        "set/etc is not listed in any record",
    ),
    (
        "set",
        lambda o: o.path("set/in/two.json").rename(o.path("set/in/three.json")),
        "in/two.txt: two_1.solution is listed, but is not",
    ),
    ("set", unlink("set/in/two.json"), "in/two.txt: has no record"),
    ("set", exchange_folders, "in/two.txt: its results are in the wrong folder, set/over"),
    ("set", lambda o: o.edit_in("set", "totals", unique=5), "totals: 5 unique in the record, 4 fo"),
    (
        "set",
        exchange_member,
        "in/two.txt: two.proof.cnf: the formula differs at clause",
        "in/two.txt: its content differs from the record: sha256",
    ),
    ("set", exchange("set.zip", LESS), "set.csv continues after the last member"),
    ("set", exchange("set.zip", MORE), "set.csv ends too early, before more.txt"),
    ("set", exchange("set.zip", b"hello"), "the record says 'zip', the original is 'plain'"),
    ("set", link_tree, "set is not a folder"),
    ("lines", row("lines", 1, index="7"), "row 1: the index is '7' in the table, '1' in the"),
    ("lines", row("lines", 1, line="7"), "row 1: the line is '7' in the table, '1' in the or"),
    ("lines", row("lines", 1, puzzle="1" * 16), "row 1: the puzzle is '1111111111111111' in the t"),
    ("lines", row("lines", 1, status="multiple"), "row 1: status 'multiple' contradicts "),
    ("lines", row("lines", 1, status="failed"), "row 1: status 'failed' contradicts 1 so"),
    ("lines", row("lines", 1, status="invalid"), "but the original has a puzzle there"),
    ("lines", row("lines", 5, status="unknown"), "but the original has no puzzle there"),
    (
        "lines",
        row("lines", 1, solutions="2"),
        "the table says 2 solutions, the solution files have ",
    ),
    (
        "lines",
        row("lines", 1, solutions="x"),
        "the table says x solutions, the solution files have ",
    ),
    ("lines", row("lines", 1, complete="false"), "row 1: status 'unique' contradicts 1 s"),
    ("lines", row("lines", 1, complete="yes"), "row 1: complete: expected true or false, found 'y"),
    ("lines", row("lines", 1, solution="1" * 16), "row 1: its solution is not the one in the fi"),
    ("lines", row("lines", 1, disagreement="x"), "row 1: the row says that the solution in the"),
    ("lines", row("lines", 3, status="unsolvable"), "row 3: status 'unsolvable' contradicts "),
    ("lines", row("lines", 2, certificate=""), "row 2: certificate '' contradicts comple"),
    ("lines", row("lines", 2, certificate="proved"), "row 2: certificate 'proved' contradicts"),
    ("lines", row("lines", 5, certificate="exhaustive-search"), "contradicts complete: null"),
    ("set", edit("set/in/two", solutions=3), "in/two.txt: 3 solutions in the record, 2 solution f"),
    ("set", edit("set/in/two", solutions=3), "in/two.txt: solutions is '2' in the table, '3' in i"),
    ("set", edit("set/in/two", status="unique"), "in/two.txt: status is 'multiple' in the table, "),
    (
        "set",
        edit("set/in/two", source="two.txt"),
        "in/two.txt: its record has the source 'two.txt'",
    ),
    (
        "set",
        edit("set/in/two", sha256="00"),
        "in/two.txt: its content differs from the record: sha256 ",
    ),
    (
        "set",
        edit("set/in/two", member=0),
        "set/in/two.json: its member number is missing, or another record has it: 0",
    ),
    ("set", edit("set/in/two", member=99), "set/in/two.json belongs to no member of the archive"),
    (
        "set",
        edit("set/in/two", member=None),
        "set/in/two.json: it does not match the schema: Expected `",
    ),
    (
        "set",
        edit("set/in/two", status=3),
        "set/in/two.json: it does not match the schema: Expected `str",
    ),
    ("set", edit("set/in/two", declared={"variant": "classic"}), "in/two.txt: its record declares"),
    (
        "set",
        row("set", 1, member="x"),
        "one.txt: row 1 of the table should be this member, found 'x'",
    ),
    ("set", row("set", 1, index="2"), "one.txt: index is '2' in the table, '1' in its record"),
    ("set", row("set", 1, line="3"), "one.txt: line is '3' in the table, '' in its record"),
    ("set", row("set", 1, puzzle="1" * 16), "one.txt: the puzzle is '1111111111111111' in the ta"),
    ("set", row("set", 1, puzzle=""), "one.txt: the puzzle is '' in the table, '"),
    ("set", row("set", 1, solution=""), "one.txt: its solution in the table is not the one in "),
    ("set", row("set", 2, title="x"), "in/two.txt: title is 'x' in the table, '' in its record"),
    ("set", row("set", 2, solutions="3"), "in/two.txt: solutions is '3' in the table, '2' in its "),
    ("set", row("set", 3, message="x"), "in/marks.txt: message is 'x' in the table, '' in its rec"),
    (
        "set",
        row("set", 10, status="refused"),
        "bad.txt: status is 'refused' in the table, 'invalid",
    ),
    (
        "set",
        row("set", 11, status="invalid"),
        "readme.txt: status is 'invalid' in the table, 'othe",
    ),
    ("set", row("set", 11, puzzle="1"), "readme.txt: the table has a puzzle or a solution, but "),
    ("set", row("set", 4, solutions="7"), "lines.txt: row 4 of set.csv differs from row 1 of line"),
    ("set", row("set", 9, member="x"), "lines.txt: set.csv lacks row 6 of lines.csv"),
    ("set", drop_row("set", 5), "lines.txt: row 5 of set.csv differs from row 2 of lines.csv"),
    ("set", drop_row("set", 12), "set.csv ends too early, before over/two.txt"),
    ("set", repeat_row("set", 9), "lines.txt: row 10 of set.csv is not in lines.csv"),
    ("set", append("set.csv", ",\n"), "set.csv continues after the last member"),
    ("set", row("set", 1, complete=""), "one.txt: complete is '' in the table, "),
    ("set", row("set", 1, certificate=""), "one.txt: certificate is '' in the table, "),
]


@pytest.mark.parametrize(("name", "tamper", "said"), [(n, t, said) for n, t, *said in TAMPERED])
def test_what_is_done_to_a_set_is_found(outbox, name, tamper, said):
    tamper(outbox)
    problems = outbox.problems(name)
    assert all(any(each in found for found in problems) for each in said), problems


def test_that_rows_have_second_solutions_is_not_taken_on_trust(tmp_path):
    files = {
        "lines.txt": in_a_line(TWO) * 3 + in_a_line(ONE),
        "nines.txt": f"{NINE_TWO}\n{ALONE}\n",
    }
    outbox = made(tmp_path, files, "--prove", "never", "--max-solutions", "1")
    for stem, number in (("lines", 4), ("nines", 2)):
        assert outbox.problems(stem) == ()
        told = {"status": "multiple", "complete": "false", "certificate": ""}
        outbox.set_row(f"{stem}.csv", stem, number, **told)
        outbox.edit(stem, totals={"multiple": number})
        outbox.forget(stem, "certificate")
        said = "the record says that there are more solutions, but there are none"
        said = f"{stem}.csv: row {number}: {said}"
        assert outbox.problems(stem) == (said,)
        finding = outbox.finding(stem, seconds=0.0)
        said = f"{stem}.csv: row 1: not checked whether there are other solutions: time ran out"
        assert (finding.verdict, finding.gaps[0].partition(";")[0]) == ("unchecked", said)


EVERYTHING = packed(
    ("a.txt", ONE),
    ("torn.txt", "torn" * 9),
    ("../evil.txt", ONE),
    ("a.sdk", TWO),
    ("A.TXT", TWO),
    ("x_1.solution/a.txt", ONE),
    ("packed.txt.gz", gzip.compress(LINES.encode())),
    ("inner.zip", packed(("deep.txt", TWO), ("deep/lines.sdm", LINES))),
    ("large.txt", "x" * 3000),
    ("formula.cnf", "p cnf 1 2\n1 0 -1 0\n"),
).replace(b"torn" * 9, b"thrown" * 6)


def test_an_archive_of_all_there_can_be_in_one_passes(tmp_path):
    options = ("--max-bytes", "2000")
    outbox = made(tmp_path, {"all.zip": EVERYTHING}, *options)
    finding = outbox.findings()["all"]
    assert len(outbox.record("all")["totals"]) == 5
    assert finding.problems == ("large.txt: has no record",)
    said = f"ok         all  {finding.claim}\n1 job: 1 ok, 0 unchecked, 0 bad\n"
    assert call(outbox, *options) == (0, said, "")


def test_a_broken_archive_passes_with_what_could_be_read(tmp_path):
    noise = gzip.compress(os.urandom(200_000)).hex()
    broken = packed(("one.txt", ONE), ("noise.bin", noise), ("two.txt", TWO))
    outbox = made(tmp_path, {"cut.zip": broken, "cut.txt.gz": gzip.compress(b"1")[:-3]})
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}


def arrow_modules():
    import pyarrow as pa
    from pyarrow import parquet

    return pa, parquet


def other_columns(outbox):
    pa, parquet = arrow_modules()
    parquet.write_table(pa.table({"index": [1]}), outbox.path("lines.parquet"))
    outbox.list("lines")


def other_row(outbox):
    pa, parquet = arrow_modules()
    table = parquet.read_table(outbox.path("lines.parquet"))
    column = pa.array([*table["puzzle"].to_pylist()[:-1], ONE.replace("\n", "")])
    position = table.column_names.index("puzzle")
    table = table.set_column(position, table.schema.field(position), column)
    parquet.write_table(table, outbox.path("lines.parquet"))
    outbox.list("lines")


def fewer_rows(outbox):
    _, parquet = arrow_modules()
    table = parquet.read_table(outbox.path("lines.parquet"))
    parquet.write_table(table.slice(0, 2), outbox.path("lines.parquet"))
    outbox.list("lines")


@needs_arrow
@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (other_columns, "lines.parquet: its columns have other names or types than this version "),
        (other_row, "lines.parquet: it differs from the table between rows 1 and 6"),
        (fewer_rows, "lines.parquet: it ends before row 3 of the table"),
        (write("lines.parquet", "PAR1"), "lines.parquet: it is not a readable Parquet file: "),
    ],
)
def test_a_parquet_file_is_compared_with_its_table(tmp_path, tamper, said):
    outbox = dropped(tmp_path, {"lines.txt": LINES}, "--table-format", "parquet")
    assert outbox.problems("lines") == ()
    tamper(outbox)
    assert any(said in problem for problem in outbox.problems("lines"))


@needs_arrow
def test_without_pyarrow_a_parquet_file_is_unchecked(tmp_path, monkeypatch):
    outbox = dropped(tmp_path, {"set.zip": FILES["set.zip"]}, "--table-format", "parquet")
    monkeypatch.setattr("pipeline.errors.find_spec", lambda name: None)
    finding = outbox.finding("set")
    assert finding.problems == ()
    assert "set.parquet was not compared with the table: " in finding.gaps[0]
