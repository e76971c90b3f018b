"""Names: temporary ones, the stems that sources get, and what a job may write."""

from __future__ import annotations

import os
import re
import unicodedata
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.strategies import examples

from pipeline.files import is_temporary
from pipeline.outbox.names import claim_key, fold, output_names, stem_of, stems_for

NFC, NFD = "\u00e9.txt", "e\u0301.txt"
file_names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=255
).filter(lambda name: len(os.fsencode(name)) <= 255 and not is_temporary(name))


def test_temporary_names_are_those_of_the_contract():
    endings = ("part", "partial", "crdownload", "filepart", "swp", "tmp", "txt.tmp")
    endings += ("opdownload", "aria2", "!ut", "temp", "lock")
    temporary = [
        ".a",
        ".a.txt",
        "a~",
        "~a",
        "~",
        "#a#",
        "##",
        *(f"a.{ending}" for ending in endings),
    ]
    others = [
        "a",
        "a.txt",
        "#",
        "#a",
        "a#",
        "a.tmp.txt",
        "tmp",
        "part",
        "-a",
        "a~b",
        " a",
        "a.txt~2",
    ]
    assert all(map(is_temporary, temporary))
    assert not any(map(is_temporary, others))


STEMS = {
    "a.txt": "a",
    "a": "a",
    "set.tar.gz": "set",
    "set.csv.bz2": "set",
    "set.txt.XZ": "set",
    "set.gz": "set",
    "a.b.c.txt": "a.b.c",
    "my puzzle.txt": "my puzzle",
    " .txt": " ",
    "-rf.txt": "-rf",
    "--help": "--help",
    "a.txt~2": "a",
    "a_1.solution": "a_1",
    "line\nbreak.txt": "line\nbreak",
    NFC: "\u00e9",
    NFD: "e\u0301",
    os.fsdecode(b"\xff\xfe.txt"): os.fsdecode(b"\xff\xfe"),
}


def test_the_stem_is_the_name_without_extension_and_compression_then_comes_the_whole_name():
    assert {source: stem_of(source) for source in STEMS} == STEMS
    assert {source: next(stems_for(source)) for source in STEMS} == STEMS
    assert list(islice(stems_for("a.txt"), 4)) == ["a", "a.txt", "a.txt~2", "a.txt~3"]


@for_each("letter", ["x", "\u00e9", "\u6570", os.fsdecode(b"\xff")])
@for_each("size", [200, 215, 230, 255])
def test_a_long_name_is_shortened_with_a_hash_only_where_it_must_be(letter, size):
    width = len(os.fsencode(letter))
    source = letter * ((size - 4) // width) + ".txt"
    for stem in islice(stems_for(source), 3):
        assert len(os.fsencode(f"{stem}_1234567.solution")) <= 255
    if size <= 200:
        assert next(stems_for(source)) == stem_of(source)
    if size == 255:
        assert re.search(r"~[0-9a-f]{8}$", next(stems_for(source)))


def test_long_names_that_differ_at_their_end_get_different_stems():
    one, other = ("x" * 250 + end for end in "ab")
    assert next(stems_for(one)) != next(stems_for(other))


@examples(50)
@given(file_names)
def test_every_name_has_stems_that_fit_are_distinct_and_stay_in_the_folder(name):
    stems = list(islice(stems_for(name), 1, 5))
    assert len(set(stems)) == 4
    for stem in (next(stems_for(name)), *stems):
        assert stem
        assert "/" not in stem
        assert not stem.startswith(".")
        assert len(os.fsencode(f"{stem}_1234567.solution")) <= 255


def test_names_are_the_same_in_any_case_and_normal_form():
    same = [(NFC, NFD), ("A.txt", "a.TXT"), ("stra\u00dfe", "STRASSE"), ("\u03a3", "\u03c2")]
    for one, other in (*same, ("\u00c9", "e\u0301")):
        assert fold(one) == fold(other)
    for one, other in (("a", "b"), ("a b", "a  b"), ("\u00e9", "e")):
        assert fold(one) != fold(other)


@examples(50)
@given(st.text(max_size=8))
def test_folding_twice_is_folding_once_and_forgets_the_normal_form(text):
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)


def test_a_job_may_write_its_record_log_and_solutions_and_its_cnfs_only_if_kept():
    endings = ("proof.cnf", "proof.drat", "proof.drat.xz", "proof.lrat", "proof.lrat.xz")
    proofs = {f"a.{ending}" for ending in (*endings, "proofs.xz", "proofs.csv")}
    plain = {"a", "a.json", "a.log", "a.csv", "a.parquet", "a_#.solution"} | proofs
    assert output_names("A", keep_cnf=False) == plain
    assert output_names("A", keep_cnf=True) == plain | {"a.cnf", "a_count.cnf"}


def test_a_claims_folder_has_a_safe_name_for_each_source():
    sources = ["a", "A", "a/../b", "\n", os.fsdecode(b"\xff"), "x" * 255, NFC, NFD]
    keys = {claim_key(source) for source in sources}
    assert len(keys) == len(sources)
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)
