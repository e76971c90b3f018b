"""Collections and archives: an audit passes what was published, and finds what is done to it."""

from __future__ import annotations

import csv
import gzip
import io
import os
import random
import zipfile

import pytest
from auditing import EXAMPLES, ONE, SIX_BY_SIX, call, copied, in_a_line, made, packed, repacked
from solving import EVEN_ODD, NONE, SIX, TWO

LINES = "".join(map(in_a_line, (ONE, TWO, SIX, NONE))) + "hello of words\n" + in_a_line(SIX_BY_SIX)
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..\n"
NINE = "".join(
    HARD.translate(str.maketrans("123456789", "".join(random.Random(seed).sample("123456789", 9))))
    for seed in range(8)
)
MEMBERS = (
    ("one.txt", ONE),
    ("in/two.txt", TWO),
    ("in/marks.txt", EVEN_ODD),
    ("lines.txt", LINES),
    ("bad.txt", "1...\n..k.\n....\n....\n"),
    ("readme.txt", "hello\n"),
)
FILES = {"lines.txt": LINES, "nine.sdm": NINE, "set.zip": packed(*MEMBERS)}
CLAIMS = {
    "lines": "collection of 6 puzzles: 1 invalid, 2 multiple, 2 unique, 1 unsolvable, 5 proved",
    "nine": "collection of 8 puzzles: 8 unique, 8 proved",
    "set": "archive of 6 members: 2 invalid, 3 multiple, 1 other, 4 unique, 1 unsolvable, 8 proved",
}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return made(tmp_path_factory.mktemp("audit"), FILES, "--max-solutions", "6")


@pytest.fixture
def outbox(original, tmp_path):
    return copied(original, tmp_path)


def rows_of(outbox, name):
    return [*csv.reader(io.StringIO((outbox.folder / name).read_text()))]


def set_row(outbox, name, stem, number, column, value):
    """Change one field of a table."""
    rows = rows_of(outbox, name)
    assert rows[number][rows[0].index(column)] != value
    rows[number][rows[0].index(column)] = value
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    outbox.write(name, text.getvalue(), stem)


def test_what_was_published_passes(outbox):
    findings = outbox.findings()
    assert {each.name: each.problems + each.gaps for each in findings.values()} == dict.fromkeys(
        CLAIMS, ()
    )
    assert {each.name: each.claim for each in findings.values()} == CLAIMS


def test_without_proofs_it_passes_too(tmp_path):
    outbox = made(tmp_path, {**FILES, "packed.txt.gz": gzip.compress(LINES.encode())})
    outbox.box.drop("more.zip", FILES["set.zip"])
    outbox.box.drop("two.sdm", NINE)
    assert outbox.box.run("--settle", "0", "--prove", "never").returncode == 1
    findings = outbox.findings()
    assert {each.verdict for each in findings.values()} == {"ok"}
    assert findings["two"].claim == "collection of 8 puzzles: 8 unique"
    assert findings["packed"].claim.endswith("2 multiple, 2 unique, 1 unsolvable, 4 proved")


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
    (said,) = outbox.problems("stars")
    assert "declared: expected a known format, variant and alphabet" in said


@pytest.mark.parametrize(
    ("row", "column", "value", "said"),
    [
        (1, "index", "7", "row 1: the index is '7', by the original '1'"),
        (1, "line", "7", "row 1: the line is '7', by the original '1'"),
        (1, "puzzle", "1" * 16, "row 1: the puzzle is '1111111111111111', by the original '1."),
        (1, "status", "multiple", "row 1: the status 'multiple' does not go with 1 solution"),
        (1, "status", "failed", "row 1: the status 'failed' does not go with 1 solution"),
        (1, "status", "invalid", "but the original holds a puzzle there"),
        (5, "status", "unknown", "but the original holds no puzzle there"),
        (1, "solutions", "2", "row 1: 2 solutions are told, the solution files have 1 line for it"),
        (1, "solutions", "x", "row 1: solutions: expected a number, found 'x'"),
        (1, "complete", "false", "row 1: the status 'unique' does not go with 1 solution"),
        (1, "complete", "yes", "row 1: complete: expected true or false, found 'yes'"),
        (1, "solution", "1" * 16, "row 1: its solution is not that of the first solution file"),
        (3, "status", "unsolvable", "row 3: the status 'unsolvable' does not go with 6 solutions"),
    ],
)
def test_an_edited_row_is_found(outbox, row, column, value, said):
    set_row(outbox, "lines.csv", "lines", row, column, value)
    problems = outbox.problems("lines")
    assert any(said in each for each in problems), problems


def test_a_row_that_is_left_out_is_found(outbox):
    outbox.change("lines.csv", "lines", lambda text: "".join(text.splitlines(keepends=True)[:-1]))
    assert outbox.problems("lines") == ("lines.csv ends too early",)


def test_a_row_that_is_added_is_found(outbox):
    outbox.change("lines.csv", "lines", lambda text: text + "7,7,,invalid,0,,,\n")
    assert outbox.problems("lines") == ("lines.csv goes on behind the last puzzle",)


def test_a_table_that_is_none_is_found(outbox):
    outbox.write("lines.csv", "index,line\n", "lines")
    assert outbox.problems("lines")[0].startswith("lines.csv: the first line is not 'index,line,pu")
    outbox.remove("lines.csv", "lines")
    assert outbox.problems("lines")[0] == "lines.csv is not listed"


def test_a_changed_digit_is_found(outbox):
    lines = (outbox.folder / "nine_1.solution").read_text().splitlines()
    lines[6] = lines[6][1] + lines[6][1:]
    outbox.write("nine_1.solution", "\n".join(lines) + "\n", "nine")
    set_row(outbox, "nine.csv", "nine", 7, "solution", lines[6])
    problems = outbox.problems("nine")
    assert problems[0].startswith("nine_1.solution: line 7: row 1 holds ")
    assert any(each.startswith("proof of row 7: line ") for each in problems)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1", "x", "is no grid of the puzzle's size"),
        ("1234", "", "is no grid of the puzzle's size"),
        ("\n", "", "a line is too long, or has no end"),
    ],
)
def test_a_line_of_solutions_that_is_none_is_found(outbox, old, new, said):
    place = -1 if old == "\n" else 1
    outbox.change("lines_1.solution", "lines", lambda text: new.join(text.rsplit(old, place)))
    assert any(said in each for each in outbox.problems("lines"))


def test_two_equal_solutions_are_found(outbox):
    lines = (outbox.folder / "lines_2.solution").read_text().splitlines()
    lines[2] = (outbox.folder / "lines_1.solution").read_text().splitlines()[2]
    outbox.write("lines_2.solution", "\n".join(lines) + "\n", "lines")
    problems = outbox.problems("lines")
    assert "lines.csv: row 3: two of its solutions are the same grid" in problems
    assert any(each.startswith("proof of row 3: the grids must") for each in problems)


def test_missing_and_added_solution_files_are_found(outbox):
    outbox.remove("lines_6.solution", "lines")
    said = "lines.csv: row 3: 6 solutions are told, the solution files have 5 lines for it"
    assert said in outbox.problems("lines")
    outbox.write("lines_6.solution", (outbox.folder / "lines_1.solution").read_bytes(), "lines")
    assert outbox.problems("lines")
    (outbox.folder / "nine_2.solution").write_text("")
    assert "nine_2.solution is there, and is not listed" in outbox.findings()["nine"].problems


def test_lines_are_counted_in_every_file(outbox):
    outbox.change("lines_2.solution", "lines", lambda text: text + text)
    assert outbox.problems("lines") == ("lines_2.solution goes on behind the last puzzle",)
    outbox.write("lines_2.solution", "", "lines")
    assert outbox.problems("lines") == ("lines_2.solution ends too early, before row 1",)


def test_a_left_out_solution_is_found_by_the_proof(outbox):
    lines = (outbox.folder / "lines_2.solution").read_text().splitlines()
    lines[1] = "." * 16
    outbox.write("lines_2.solution", "\n".join(lines) + "\n", "lines")
    set_row(outbox, "lines.csv", "lines", 2, "solutions", "1")
    set_row(outbox, "lines.csv", "lines", 2, "status", "unique")
    totals = outbox.record("lines")["totals"]
    outbox.edit("lines", totals=totals | {"unique": 3, "multiple": 1})
    (said,) = outbox.problems("lines")
    assert said.startswith("proof of row 2: line 1: ")
    assert said.endswith("does not follow by unit propagation")


def test_edited_totals_are_found(outbox):
    outbox.edit("nine", totals={"unique": 9})
    assert outbox.problems("nine") == ("totals: 9 unique in the record, 8 in the table",)
    outbox.edit("nine", totals={"unique": 8})
    outbox.certify("nine", proved=9)
    assert outbox.problems("nine") == ("certificate: 9 proved, where it is 8",)


def test_an_exchanged_original_is_found(outbox):
    outbox.exchange("lines.txt", LINES.replace(in_a_line(TWO), in_a_line(SIX)), "lines")
    problems = outbox.problems("lines")
    assert any("row 2: the puzzle is '12" in each for each in problems)
    assert any(each.startswith("lines_1.solution: line 2: ") for each in problems)
    outbox.exchange("lines.txt", ONE, "lines")
    (said,) = outbox.problems("lines")
    assert said == "the original is no collection of the format 'lines'"
    outbox.exchange("lines.txt", packed(("one.txt", ONE)), "lines")
    assert outbox.problems("lines")


def test_a_proof_that_is_cut_short_is_found(outbox):
    index = rows_of(outbox, "nine.proofs.csv")
    set_row(outbox, "nine.proofs.csv", "nine", 5, "length", str(int(index[5][3]) - 2))
    (said,) = outbox.problems("nine")
    assert said.startswith("proof of row 5: the proof ends after")


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("steps", "7", "proof of row 3: the proof has 1"),
        ("length", "100000000", "proof of row 3: the proof is longer than 67,108,864 characters"),
        ("length", "9000000", "proof of row 3: nine.proofs.xz: its stream ends within a proof"),
        ("start", "0", "proof of row 3: nine.proofs.xz: a proof does not lie behind the one"),
        ("start", "x", "nine.proofs.csv: expected numbers, found '3,0,x,"),
        ("start", "1" * 40, "nine.proofs.csv: a number is too large"),
        ("offset", "1", "nine.proofs.csv: row 4 follows row 3"),
        ("offset", "1", "proof of row 3: nine.proofs.xz: Input format not supported by decoder"),
        ("index", "2", "nine.proofs.csv: row 2 follows row 2"),
        ("index", "9", "nine.proofs.csv: there is no row 9"),
    ],
)
def test_an_edited_index_of_proofs_is_found(outbox, column, value, said):
    set_row(outbox, "nine.proofs.csv", "nine", 3, column, value)
    problems = outbox.problems("nine")
    assert any(each.startswith(said) for each in problems), problems


def test_a_proof_of_another_puzzle_is_found(outbox):
    rows = rows_of(outbox, "nine.proofs.csv")
    rows[3][2:], rows[4][2:] = rows[4][2:], rows[4][2:]
    text = "".join(",".join(row) + "\n" for row in (*rows[:4], *rows[5:]))
    outbox.write("nine.proofs.csv", text, "nine")
    outbox.certify("nine", proved=7, claimed=1)
    (said,) = outbox.problems("nine")
    assert said.startswith("proof of row 3: line ")


def test_proofs_that_are_damaged_or_gone_are_found(outbox):
    path = outbox.folder / "nine.proofs.xz"
    good = path.read_bytes()
    outbox.write("nine.proofs.xz", good[: len(good) // 2], "nine")
    assert "proof of row 8: nine.proofs.xz: it is cut off" in outbox.problems("nine")
    outbox.write("nine.proofs.xz", repacked(good, lambda text: b"1 0\n" + text[4:]), "nine")
    assert outbox.problems("nine")[0].startswith("proof of row 1: line ")
    outbox.remove("nine.proofs.xz", "nine")
    said = "of nine.proofs.xz and nine.proofs.csv only nine.proofs.csv is listed"
    assert said in outbox.problems("nine")
    outbox.remove("nine.proofs.csv", "nine")
    assert outbox.problems("nine") == (
        "certificate: 8 proved, where it is 0",
        "certificate: 0 claimed, where it is 8",
    )


def test_a_proof_of_what_is_not_complete_is_found(outbox):
    set_row(outbox, "lines.csv", "lines", 3, "complete", "false")
    problems = outbox.problems("lines")
    assert "proof of row 3: the row does not say that its solutions are all" in problems


MEMBER = "in/two"


def test_what_is_wrong_with_a_member_is_found(outbox):
    stem = f"set/{MEMBER}"
    text = (outbox.folder / f"{stem}_1.solution").read_text()
    outbox.write(f"{stem}_2.solution", text, stem)
    said = "in/two.txt: two_2.solution holds the same grid as two_1.solution"
    assert outbox.problems("set")[0] == said


@pytest.mark.parametrize(("member", "status"), [("bad", "other"), ("readme", "invalid")])
def test_a_puzzle_that_is_damaged_cannot_be_passed_off_as_something_other(outbox, member, status):
    outbox.edit(f"set/{member}", status=status)
    wanted = {"other": "invalid", "invalid": "other"}[status]
    assert f"{member}.txt: the status should be {wanted!r}" in outbox.problems("set")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"solutions": 3}, "in/two.txt: 3 solutions in the record, 2 solution files listed"),
        ({"solutions": 3}, "in/two.txt: solutions is '2' in the table, '3' in its record"),
        ({"status": "unique"}, "in/two.txt: status is 'multiple' in the table, 'unique' in its"),
        ({"source": "two.txt"}, "in/two.txt: its record is about 'two.txt'"),
        ({"sha256": "00"}, "in/two.txt: its sha256 is "),
        ({"member": 0}, "set/in/two.json: member 0 is another's"),
        ({"member": 99}, "set/in/two.json is the record of no member"),
        ({"member": None}, "set/in/two.json: member None is another's"),
        ({"status": 3}, "set/in/two.json: status: expected a text"),
    ],
)
def test_an_edited_record_of_a_member_is_found(outbox, fields, said):
    outbox.edit(f"set/{MEMBER}", **fields)
    problems = outbox.problems("set")
    assert any(each.startswith(said) for each in problems), problems


def test_a_collection_in_an_archive_is_looked_at(outbox):
    set_row(outbox, "set/lines.csv", "set/lines", 1, "status", "multiple")
    said = "lines.txt: lines.csv: row 1: the status 'multiple' does not go with 1 solution"
    assert outbox.problems("set")[0].startswith(said)


@pytest.mark.parametrize(
    ("row", "column", "value", "said"),
    [
        (1, "member", "x", "one.txt: row 1 of the table is about 'x'"),
        (1, "format", "line", "one.txt: format is 'line' in the table, 'grid' in its record"),
        (2, "solutions", "3", "in/two.txt: solutions is '3' in the table, '2' in its record"),
        (3, "message", "x", "in/marks.txt: message is 'x' in the table, '' in its record"),
        (5, "status", "refused", "bad.txt: status is 'refused' in the table, 'invalid' in its"),
        (6, "status", "invalid", "readme.txt: status is 'invalid' in the table, 'other' in its"),
        (4, "solutions", "7", "lines.txt: solutions is '7' in the table, '4' in its record"),
    ],
)
def test_an_edited_row_of_an_archive_is_found(outbox, row, column, value, said):
    set_row(outbox, "set.csv", "set", row, column, value)
    assert any(each.startswith(said) for each in outbox.problems("set")), outbox.problems("set")


def test_missing_and_added_rows_and_records_of_members_are_found(outbox):
    folder = outbox.folder / "set" / "in"
    (folder / "more_1.solution").write_text("1")
    assert outbox.problems("set") == ("set/in/more_1.solution is there without a record",)
    (folder / "two.json").rename(folder / "three.json")
    problems = outbox.problems("set")
    assert "in/two.txt: two_1.solution is listed, and is none of this job's names" in problems
    assert any("would be called 'two'" in each for each in problems)
    (folder / "three.json").unlink()
    assert "in/two.txt: there is no record of it" in outbox.problems("set")


def test_edited_totals_of_an_archive_are_found(outbox):
    outbox.edit("set", totals=outbox.record("set")["totals"] | {"unique": 5})
    assert outbox.problems("set") == ("totals: 5 unique in the record, 4 in the table",)


def test_an_exchanged_archive_is_found(outbox):
    members = [(name, SIX if name == "in/two.txt" else text) for name, text in MEMBERS]
    outbox.exchange("set.zip", packed(*members), "set")
    problems = outbox.problems("set")
    assert any(each.startswith("in/two.txt: two.proof.cnf: clause") for each in problems)
    assert any(each.startswith("in/two.txt: its sha256 is") for each in problems)
    outbox.exchange("set.zip", packed(*MEMBERS[:-1]), "set")
    assert outbox.problems("set")[0] == "set.csv goes on behind the last member"
    outbox.exchange("set.zip", packed(*MEMBERS, ("more.txt", ONE)), "set")
    assert outbox.problems("set")[0] == "set.csv ends too early, before more.txt"
    outbox.exchange("set.zip", b"hello", "set")
    assert outbox.problems("set")[0] == "the record says 'zip', the original is 'plain'"


def test_a_tree_that_is_a_link_is_not_followed(outbox):
    tree = outbox.folder / "set"
    tree.symlink_to(tree.rename(outbox.folder.parent / "aside"))
    assert outbox.problems("set") == ("set is no folder",)


def archive_of_everything():
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as nested:
        nested.writestr("deep.txt", TWO)
        nested.writestr("deep/lines.sdm", LINES)
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("a.txt", ONE)
        archive.writestr("torn.txt", "torn" * 9)
        archive.writestr("../evil.txt", ONE)
        archive.writestr("a.sdk", TWO)
        archive.writestr("A.TXT", TWO)
        archive.writestr("x_1.solution/a.txt", ONE)
        archive.writestr("packed.txt.gz", gzip.compress(LINES.encode()))
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("large.txt", "x" * 3000)
        archive.writestr("formula.cnf", "p cnf 1 2\n1 0 -1 0\n")
    return outer.getvalue().replace(b"torn" * 9, b"thrown" * 6)


def test_an_archive_of_all_there_can_be_in_one_passes(tmp_path):
    options = ("--max-bytes", "2000")
    outbox = made(tmp_path, {"all.zip": archive_of_everything()}, *options)
    reading = outbox.findings()["all"]
    assert len(outbox.record("all")["totals"]) == 5
    assert reading.problems == ("large.txt: there is no record of it",)
    said = "ok         all  " + reading.claim + "\n1 job: 1 ok, 0 unchecked, 0 bad\n"
    assert call(outbox, *options) == (0, said, "")


def test_a_broken_archive_passes_with_what_could_be_read(tmp_path):
    whole = gzip.compress(os.urandom(200_000))
    folder = tmp_path / "files"
    folder.mkdir()
    broken = packed(("one.txt", ONE), ("noise.bin", whole.hex()), ("two.txt", TWO))
    outbox = made(tmp_path / "box", {"cut.zip": broken, "cut.txt.gz": gzip.compress(b"1")[:-3]})
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}


def test_the_right_one_of_several_folders_of_one_name_is_taken(tmp_path):
    outbox = made(tmp_path, {"one.txt": ONE})
    folder = outbox.box.inbox / "mine"
    folder.mkdir()
    (folder / "a.txt").write_text(TWO)
    (folder / "collection.txt").write_bytes((EXAMPLES / "collection.txt").read_bytes())
    assert outbox.box.run("--settle", "0").returncode == 0
    assert outbox.findings()["mine"].claim.startswith("archive of 2 members: ")
    assert outbox.problems("mine") == ()
    earlier = outbox.box.inbox / "done" / "2" / "mine"
    earlier.mkdir(parents=True)
    (earlier / "a.txt").write_text(SIX)
    assert outbox.problems("mine") == ()
    (outbox.original("mine") / "a.txt").write_text(ONE)
    assert outbox.problems("mine")
