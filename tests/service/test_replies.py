"""Replies as bytes: they come out as they went in, are small, and run no code."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace

import msgspec
import pytest
from support.cases import default_cases
from support.fake_requests import Hostile
from support.notations import KILLER
from support.outboxes import EXAMPLES
from support.parsers import layout_of
from support.puzzles import NINE
from support.solvers import at_hand

from pipeline.reading import SinglePuzzle, Unreadable
from pipeline.reading.formats import TextChunk
from pipeline.reading.read import unparsed_source
from pipeline.service.jobs import ChunkRequest, CollectionEnd
from pipeline.service.jobs.puzzle import PuzzleBatch
from pipeline.service.replies import pack_request, read_reply
from pipeline.service.workers import Crashed, Done, EnvironmentFailed, reply_to
from pipeline.settings import Settings
from pipeline.solving.cnf import blocking_clause, dimacs_lines

KEEPING = Settings(
    keep_cnf=True, prove="always", traits="canonical,minimal,effort", max_solutions=5
)
TEXTS = {
    **{path.name: path.read_bytes() for path in sorted(EXAMPLES.iterdir())},
    "nothing": b"hello\n",
    "open": b"." * 16,
    "huge.cnf": b"p cnf 1 1\n1 0\n",
}
SLOW_TO_PROVE = {"hexadecimal.txt", "samurai.txt", "pigeons.cnf"}


def sent(request, settings):
    """The reply to a request here, and its bytes on the way from another machine."""
    reply = reply_to(request, at_hand("pysat"), settings)
    assert isinstance(reply, Done)
    value = request.pack(reply.value, settings)
    return reply.value, msgspec.msgpack.encode(Done(value))


@pytest.mark.parametrize(
    ("name", "settings"),
    [(name, Settings()) for name in TEXTS]
    + default_cases(
        ((name, KEEPING) for name in sorted(TEXTS.keys() - SLOW_TO_PROVE)),
        *((name, KEEPING) for name in ("classic.sudoku", "nothing", "open", "solo.txt")),
    ),
    ids=lambda each: each if isinstance(each, str) else "keeping" if each.keep_cnf else "usual",
)
def test_a_result_comes_out_as_it_went_in(name, settings):
    source = unparsed_source(TEXTS[name], name, settings)
    request = PuzzleBatch((source, Unreadable("link", "a link")))
    (result, refused), data = sent(request, settings)
    there, also_refused = read_reply(data, request, settings).value
    assert also_refused == refused
    assert bool(there.cnf) == bool(result.cnf) == bool(settings.keep_cnf and result.encoding)
    if result.cnf:
        assert "".join(dimacs_lines(there.cnf)) == "".join(dimacs_lines(result.cnf))
        assert blocking(there) == blocking(result)
    assert replace(there, cnf=None) == replace(result, cnf=None)


def blocking(result):
    return [blocking_clause(grid, result.cnf) for grid in result.solutions]


def test_rows_come_out_as_they_went_in():
    text = f"{NINE}\n{'.' * 81}\nhello\n".encode() * 3
    request = ChunkRequest(TextChunk(1, text), layout_of(text, True, source="a.txt"))
    rows, data = sent(request, KEEPING)
    there = read_reply(data, request, KEEPING).value
    assert (there, there.seconds) == (rows, rows.seconds)
    assert isinstance(there.totals, Counter)
    end = CollectionEnd("", request.layout, 9, "", 0)
    assert read_reply(sent(end, KEEPING)[1], end, KEEPING) == Done(None)


def test_a_reply_carries_what_is_published_and_no_clauses():
    request = PuzzleBatch((SinglePuzzle("killer.txt", KILLER.encode()),))
    (result,), data = sent(request, Settings(prove="always"))
    assert result.encoding.clauses > 8_000
    proof = len(result.proof.lrat)
    assert len(data) - proof < 2000
    assert len(pickle.dumps([result])) - proof < 6000


@pytest.mark.parametrize("where", ["reply", "value", "word"])
def test_a_reply_that_is_a_pickle_is_a_crash_and_runs_no_code(where, tmp_path):
    request = PuzzleBatch((SinglePuzzle("a.txt", b"1.....2..3.....4"),))
    evil = pickle.dumps(Hostile(tmp_path / "ran"))
    data = {"reply": evil, "value": msgspec.msgpack.encode(Done(evil)), "word": "a word"}[where]
    reply = read_reply(data, request, Settings())
    assert isinstance(reply, Crashed)
    assert reply.reason.startswith("unreadable reply: ")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["one more", "one less", "not read", "another side"])
def test_a_reply_to_another_request_is_a_crash(name):
    one, other = SinglePuzzle("a.txt", b"1.....2..3.....4"), SinglePuzzle("b.txt", NINE.encode())
    asked, answered = {
        "one more": ((one,), (one, one)),
        "one less": ((one, one), (one,)),
        "not read": ((Unreadable("a", "a link"),), (one,)),
        "another side": ((one,), (other,)),
    }[name]
    _, data = sent(PuzzleBatch(answered), Settings())
    assert isinstance(read_reply(data, PuzzleBatch(asked), Settings()), Crashed)


def test_a_worker_packs_its_reply_and_says_what_it_lacks():
    request = PuzzleBatch((SinglePuzzle("a.txt", b"1.....2..3.....4"),))
    there = pickle.loads(pack_request(request, Settings()))
    (result,) = read_reply(there, request, Settings()).value
    assert result.status == "unique"
    lacking = Settings(solver="minisat", minisat="/nowhere")
    there = pickle.loads(pack_request(request, lacking))
    assert isinstance(read_reply(there, request, lacking), EnvironmentFailed)
