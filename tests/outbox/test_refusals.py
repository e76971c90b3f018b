"""The codes of refused sources: in errors, records and rows, and audited."""

from __future__ import annotations

import gzip
import json
from typing import get_args

import pytest
from support.cases import for_each
from support.commands import run
from support.documents import document, text_of
from support.drop_folders import DropFolder
from support.parsers import LINE, ROWS, refusal

from pipeline.errors import InputError, RefusalCode
from pipeline.outbox.schema import REFUSALS, json_schema
from pipeline.solving.items import read

CASES = {
    "not-a-puzzle": "hello\nworld\n",
    "empty": "# nothing\n",
    "not-text": b"1...\n\xff...\n...1\n....\n",
    "wrong-cell": ROWS.replace("9", "k", 1),
    "wrong-shape": ROWS.replace("53..7....", "53..7...", 1),
    "several-puzzles": f"{LINE}\n{LINE}\n",
    "unknown-rule": text_of(document(magic=[])),
    "ambiguous": f"12{'.' * 14}\n" * 16,
    "damaged": "3x3:d:k:1:2:3:\n",
    "foreign-format": "* #variable= 2 #constraint= 1\n+1 x1 >= 1 ;\n",
    "link": "https://tinyurl.com/abc\n",
}


def test_every_code_has_a_meaning_and_is_in_the_schema():
    assert (*REFUSALS,) == get_args(RefusalCode)
    properties = json_schema()["$defs"]["PuzzleRecord"]["properties"]
    assert properties["code"]["enum"] == [*REFUSALS]


@for_each(("code", "text"), CASES.items())
def test_an_error_has_its_code(code, text):
    assert refusal(text).code == code


def test_a_file_that_is_too_large_or_cannot_be_opened_has_its_code(tmp_path):
    assert refusal(ROWS, max_bytes=10).code == "too-large"
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"1..." * 100)[:20])
    item = next(read(tmp_path / "a.gz"))
    assert (item.code, item.reason) == ("unreadable", "a.gz: it ends too early: it is cut off")
    assert InputError("x").code == "unreadable"


def test_a_row_of_a_collection_has_the_code_of_its_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(f"{LINE}\n{LINE[:-1]}\n{LINE}\n{LINE[:-1]}k\n")
    records = [json.loads(line) for line in run("solve", "--json", "a.txt")[1].splitlines()]
    assert [record.get("code") for record in records] == [None, "wrong-shape", None, "wrong-cell"]
    (tmp_path / "a.csv").write_text(f'puzzle,level\n{LINE},1\n"{LINE},2\n{LINE},3\n')
    records = [json.loads(line) for line in run("solve", "--json", "a.csv")[1].splitlines()]
    assert [record.get("code") for record in records] == [None, "damaged", None]


def test_an_argument_that_is_no_puzzle_has_its_code():
    assert json.loads(run("solve", "--json", "53..7")[1])["code"] == "not-a-puzzle"
    assert json.loads(run("count", "--json", "53..7")[1])["code"] == "not-a-puzzle"


@pytest.mark.parametrize("code", ["wrong-cell", "foreign-format"])
def test_a_record_has_the_code_and_an_audit_compares_it(tmp_path, code):
    folder = DropFolder.within(tmp_path)
    folder.drop("a.txt", CASES[code])
    folder.run()
    record = folder.record("a")
    assert (record["status"], record["code"]) == ("invalid", code)
    assert folder.call("audit").returncode == 0
    path = folder.outbox / "a.json"
    path.write_text(path.read_text().replace(f'"{code}"', '"link"'))
    audited = folder.call("audit")
    assert audited.returncode == 1
    assert (
        f"the record has code 'link', but the original is refused with code {code!r}"
        in audited.stdout
    )
