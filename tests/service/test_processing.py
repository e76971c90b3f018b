"""What a pass does with the claims of those who died."""

from __future__ import annotations

import errno
import gzip
import os
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count, islice
from types import SimpleNamespace

import pytest
from support.claims import at_step, claimed, manifest_of
from support.drop_folders import (
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    DropFolder,
    events_in,
    record_text,
)
from support.logs import KeptLog
from support.outboxes import packed
from support.sources import collection

from pipeline.errors import EnvironmentFailure
from pipeline.outbox.schema import SCHEMA
from pipeline.reading.read import source_at
from pipeline.service.claimers import Claimers
from pipeline.service.ending import KeptClaim
from pipeline.service.intake import Intake
from pipeline.service.jobs import CHECKPOINT_FORMAT, ChunkSizes
from pipeline.service.jobs.collection import CollectionJob
from pipeline.service.jobs.puzzle import PuzzleJob
from pipeline.service.log import Display, LazyLog
from pipeline.service.loop import run_once
from pipeline.service.processing import MAX_ATTEMPTS, ClaimProcessor, SlowJob
from pipeline.service.protocol.checkpointed import PROGRESS
from pipeline.service.protocol.claim import LOCK, MANIFEST, new_job_id, take_over_abandoned
from pipeline.service.protocol.claiming import make_claim
from pipeline.service.protocol.overview import read_overview
from pipeline.service.protocol.settle import is_being_written, observe
from pipeline.service.runs import LongRun, SlowPuzzles
from pipeline.service.runtime import Runtime, Tuning
from pipeline.service.signals import Interrupted, Stop, TimeLimitExceeded
from pipeline.service.workers import LocalWorker
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers

NOW = datetime.now(UTC)
STEM = "a.txt"
"""Of the claims made here."""


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


def run_here(box):
    """`run` in this process, for its faults; its exit code."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox)
    return run_once(settings, LazyLog(quiet=True))


def die():
    """Stand in for a kill: nothing in the way catches this."""
    raise KeyboardInterrupt


def abandoned_after(box, attempts):
    """A claim whose owner has died in so many computations."""
    claim = claimed(box, content=SMALL)
    for _ in range(attempts):
        claim.count_attempt()
    claim.close()


def test_a_file_that_killed_the_process_three_times_is_failed_and_may_be_tried_again(box):
    abandoned_after(box, 3)
    done = box.run()
    assert done.returncode == 1
    (event,) = (e for e in events_in(done.stderr) if e["event"] == "job.finished")
    assert (
        event["message"] == "given up after 3 attempts: each attempt crashed or killed its process"
    )
    assert (box.kept("failed"), box.in_work()) == ({"a.txt"}, set())
    (box.inbox / "failed/a.txt").rename(box.inbox / "a.txt")
    assert run_here(box) == 0
    assert box.text(f"{STEM}_1.solution") == SMALL_SOLVED


def test_a_file_that_killed_the_process_twice_is_tried_again(box):
    abandoned_after(box, 2)
    assert run_here(box) == 0
    assert box.text(f"{STEM}_1.solution") == SMALL_SOLVED


class Busy:
    """Workers that take three steps and reply to none."""

    batches = 1

    def replies(self, requests):
        under_way = list(islice(requests, 3))
        while under_way:
            yield None


class Crashing(Busy):
    """Workers of which a crash of ours is all that comes."""

    def replies(self, requests):
        yield None
        raise ZeroDivisionError("ours")


class Quick(Busy):
    """Workers that take three steps at a time, and reply to each."""

    def replies(self, requests):
        while under_way := list(islice(requests, 3)):
            for request in under_way:
                yield request, None


def runtime_of(box, solvers, pool, chunk=10, stop=None, **options):
    """What the jobs of a run with these workers share, with pieces of so many bytes."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox, **options)
    stop = stop or Stop(0.0)
    local = LocalWorker(solvers, settings, stop)
    return Runtime(
        folders=box.folders,
        settings=settings,
        log=LazyLog(quiet=True),
        stop=stop,
        local=local,
        batch_workers=local,
        pool=pool,
        claimers=Claimers(0, settings),
        tuning=Tuning(chunk_sizes=ChunkSizes(chunk=chunk)),
    )


def processed(claims, runtime):
    """The outcomes of claims whose files nobody has read before."""
    return ClaimProcessor([(claim, None) for claim in claims], runtime).process()


def begun(claim, runtime):
    """A long job before its first step."""
    ((_, run),) = processed([claim], runtime)
    assert isinstance(run, LongRun)
    return run


@pytest.fixture
def many(box):
    """The claim of a collection of three puzzles."""
    with closing(claimed(box, content=collection(3).decode())) as claim:
        yield claim


def test_two_deadly_attempts_and_kills_while_workers_compute_do_not_give_a_job_up(box, many):
    runtime = runtime_of(box, None, Busy())
    for deadly in range(MAX_ATTEMPTS):
        for _ in range(4):
            job = begun(many, runtime)
            assert job.advance() == [], "it waits"
            assert many.attempts() == deadly, "what a kill would leave"
        many.count_attempt(1) if deadly + 1 < MAX_ATTEMPTS else many.close()
    assert run_here(box) == 0
    assert box.record(STEM)["status"] == "collection"


def test_a_crash_of_ours_while_workers_compute_counts(box, many):
    job = begun(many, runtime_of(box, None, Crashing()))
    assert job.advance() == [], "it waits"
    assert job.advance() == [(many, KeptClaim())]
    (found,) = take_over_abandoned(box.folders)
    with closing(found):
        assert found.attempts() == 1


def test_a_small_collection_is_computed_here_until_an_attempt_does_not_end(box, many):
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy(), chunk=1000)
        with at_step("attempt.counted", die), pytest.raises(KeyboardInterrupt):
            list(processed([many], runtime))
        many.close()
        (claim,) = take_over_abandoned(box.folders)
        assert claim.attempts() == 1
        again = begun(claim, runtime)
        assert [again.advance() for _ in range(5)] == [[]] * 5, "it waits for workers"
        claim.reset_attempts()
        ((_, ended),) = processed([claim], runtime)
        assert ended.status == "collection"


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
@pytest.mark.parametrize("other", [10, 20, 40])
def test_a_job_goes_on_where_it_was_whatever_size_its_pieces_have_now(box, packed, other):
    with closing(claimed(box, content=packed(collection(3)))) as claim, Solvers() as solvers:
        runtime = runtime_of(box, solvers, None, chunk=20)
        assert begun(claim, replace(runtime, pool=runtime.local)).advance() == []
        tuning = Tuning(chunk_sizes=ChunkSizes(chunk=other))
        run = begun(claim, replace(runtime, pool=runtime.local, tuning=tuning))
        assert (run.job.steps_before, run.job.progress().puzzles) == (1, 1)
        while not (outcomes := run.advance()):
            pass
    assert [ended.status for _, ended in outcomes] == ["collection"]
    rows = box.text(f"{STEM}.csv").splitlines()[1:]
    assert [row.partition(",")[0] for row in rows] == ["1", "2", "3"]


def test_a_job_that_a_version_with_other_checkpoints_began_starts_again(box, many):
    assert begun(many, runtime_of(box, None, Quick(), chunk=20)).advance() == []
    noted = (many.folder / PROGRESS).read_text()
    key = f"{CHECKPOINT_FORMAT} {SCHEMA} "
    assert noted.count(f'"terms": "{key}') == 1
    (many.folder / PROGRESS).write_text(noted.replace(key, f"{CHECKPOINT_FORMAT - 1} {SCHEMA} "))
    assert begun(many, runtime_of(box, None, Quick(), chunk=20)).job.steps_before == 0


def test_a_small_collection_of_many_solutions_each_keeps_no_other_file_waiting(box, many):
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy(), chunk=1000, max_solutions=1000)
        job = begun(many, runtime)
        assert [job.advance() for _ in range(5)] == [[]] * 5, "it waits for workers"


def test_a_step_that_kills_whoever_cuts_it_gives_the_job_up_though_it_is_cut_ahead(
    box, many, monkeypatch
):
    done = []

    def cut(sink):
        yield from ("first", "second")[sink.steps_before :]
        die()

    monkeypatch.setattr(CollectionJob, "steps", cut)
    monkeypatch.setattr(CollectionJob, "write", lambda _sink, step, _reply: done.append(step))
    many.close()
    for _ in range(7):
        (claim,) = take_over_abandoned(box.folders)
        assert claim.attempts() < MAX_ATTEMPTS
        job = begun(claim, runtime_of(box, None, Quick()))
        with pytest.raises(KeyboardInterrupt):
            list(iter(job.advance, [None]))
    (claim,) = take_over_abandoned(box.folders)
    assert claim.attempts() == MAX_ATTEMPTS
    claim.close()
    assert done == ["first", "second"]


@pytest.mark.parametrize("is_same", [True, False])
def test_a_published_job_is_only_finished_unless_another_file_has_its_name(box, is_same):
    claim = claimed(box)
    claim.close()
    record = record_text("a.txt", job=claim.manifest.job)
    (box.outbox / f"{STEM}.json").write_text(record)
    if not is_same:
        box.drop("another", SMALL).rename(claim.original)
    done = box.run("--solver", "pysat")
    events = [(e["event"], e["status"]) for e in events_in(done.stderr) if "status" in e]
    assert events == [("job.recovered" if is_same else "job.finished", "unique")]
    assert ((box.outbox / f"{STEM}.json").read_text() == record) == is_same
    assert is_same or box.text(f"{STEM}_1.solution") == SMALL_SOLVED
    assert (box.kept("done"), box.in_work()) == ({"a.txt"}, set())


def test_a_claim_whose_note_is_lost_is_solved_all_the_same(box):
    with closing(claimed(box, content=SMALL)) as claim:
        (claim.folder / MANIFEST).write_text("{")
    assert run_here(box) == 0
    assert box.text("a_1.solution") == SMALL_SOLVED
    assert box.record("a")["job"]
    assert (box.kept("done"), box.in_work()) == ({"a.txt"}, set())


ODD = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": os.mkdir,
}


@pytest.mark.parametrize(
    ("name", "odd"),
    [(MANIFEST, "pipe"), *((LOCK, odd) for odd in ODD), (PROGRESS, "folder")],
    ids=str,
)
def test_what_is_no_file_in_a_claim_keeps_nobody_else_waiting(box, name, odd):
    claim = claimed(box, content=collection(3) if name == PROGRESS else SMALL)
    claim.close()
    (claim.folder / name).unlink(missing_ok=True)
    ODD[odd](claim.folder / name)
    box.drop("b.txt")
    assert [entry.name for entry in read_overview(box.folders, 0.0).in_work] == ["a.txt"]
    run_here(box)
    assert box.text("b_1.solution") == SMALL_SOLVED
    assert claim.original.exists()
    path = claim.folder / name
    path.rmdir() if path.is_dir() else path.unlink()
    path.touch()
    assert run_here(box) in (0, 1)
    assert box.kept("done") == {"a.txt", "b.txt"}


def test_the_note_that_a_claim_gets_for_a_lost_one_lasts_and_its_attempts_count_on(box):
    claim = claimed(box, content=SMALL)
    claim.close()
    (claim.folder / MANIFEST).unlink()
    with at_step("attempt.counted", die), pytest.raises(KeyboardInterrupt):
        run_here(box)
    (found,) = take_over_abandoned(box.folders)
    with closing(found):
        assert (found.manifest.source, found.manifest.stem) == ("a.txt", "a")
        assert found.manifest.job
        assert found.attempts() == 1


def test_a_claim_whose_file_was_just_linked_back_into_the_inbox_is_processed_once(box):
    claim = claimed(box, content=SMALL)
    os.link(claim.original, box.inbox / "a.txt")
    claim.close()
    done = box.run()
    ended = [e["source"] for e in events_in(done.stderr) if e["event"] == "job.finished"]
    assert (done.returncode, ended) == (0, ["a.txt"])
    assert (box.kept("done"), box.waiting(), box.in_work()) == ({"a.txt"}, set(), set())
    assert (box.inbox / "done/a.txt").stat().st_nlink == 1


def test_an_abandoned_claim_is_processed_before_a_newer_file_of_its_name(box):
    claimed(box, content=SMALL).close()
    box.drop("a.txt", OTHER)
    assert run_here(box) == 0
    assert (box.kept("done"), box.waiting()) == ({"a.txt", "2/a.txt"}, set())
    assert (box.inbox / "done/2/a.txt").read_text() == OTHER
    assert box.text(f"{STEM}_1.solution") == OTHER_SOLVED


def test_a_claim_that_could_not_be_looked_at_is_taken_up_by_the_next_sweep(box, monkeypatch):
    claimed(box, content=SMALL).close()

    def too_many(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy())
        intake = Intake(runtime, Display(runtime.log, bar=False))
        with monkeypatch.context() as patched:
            patched.setattr("pipeline.service.intake.is_being_written", too_many)
            with pytest.raises(OSError, match="Too many"):
                intake.sweep()
        assert intake.sweep().job_count == 1


def test_jobs_that_have_ended_are_told_though_a_later_one_of_their_batch_cannot(box, monkeypatch):
    names, told = ["a.txt", "b.txt", "c.txt"], {}
    claims = [claimed(box, name, SMALL) for name in names]
    begin = PuzzleJob.__init__

    def full(sink, claim, *rest):
        if claim is claims[-1]:
            raise EnvironmentFailure("no room")
        begin(sink, claim, *rest)

    monkeypatch.setattr(PuzzleJob, "__init__", full)
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy())
        outcomes = processed(claims, runtime)
        with pytest.raises(EnvironmentFailure):
            told.update((claim.manifest.source, outcome.status) for claim, outcome in outcomes)
    assert told == {"a.txt": "unique", "b.txt": "unique"}
    assert (box.kept("done"), box.waiting()) == ({"a.txt", "b.txt"}, {"c.txt"})
    assert not any(claim.is_held for claim in claims)


def claimed_collections(box, *names):
    """Claims on small collections, each of a job of its own."""
    for name in names:
        box.drop(name, collection(3))
    return [make_claim(box.folders, manifest_of(box, name, job=new_job_id(NOW))) for name in names]


def late_from(number):
    """A stop of which that computation comes after the end of the grace."""
    begun = count(1)

    class Late(Stop):
        def computing(self, seconds=None):
            if next(begun) >= number:
                raise Interrupted
            return super().computing(seconds)

    return Late(0.0)


def test_a_batch_of_collections_that_is_interrupted_leaves_each_file_in_the_inbox_once(box):
    names, log = ["a.txt", "b.txt", "c.txt"], KeptLog()
    claims = claimed_collections(box, *names)
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy(), chunk=1000)
        runtime = replace(runtime, log=log, stop=late_from(2))
        with pytest.raises(Interrupted):
            list(processed(claims, runtime))
    assert log.told == [], "nothing is kept"
    assert (box.waiting(), box.in_work()) == ({*names}, set())
    assert box.published() == set(), "a full disk may need the room"


def test_a_collection_that_only_looked_quick_is_processed_by_who_has_claimed_it(box, monkeypatch):
    """As when machine code turns out to be unusable."""
    answers = iter([True, False])
    monkeypatch.setattr("pipeline.service.jobs.collection.is_quick", lambda *_: next(answers))
    box.drop("a.txt", collection(3))
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy(), settle=0.0)
        runtime, display = replace(runtime, pool=runtime.local), Display(None, bar=False)
        intake = Intake(runtime, display, once=True, quick_only=True)
        assert intake.process_quick(["a.txt"]) == []
        assert not intake.long_jobs.runs
    assert (box.kept("done"), box.in_work()) == ({"a.txt"}, set())


@pytest.mark.parametrize("step", ["publish.renaming", "publish.recorded"])
def test_collections_whose_joint_publication_fails_halfway_are_published_alone(box, step):
    def refuse():
        raise PermissionError(errno.EPERM, "it is another user's")

    claims = claimed_collections(box, "a.txt", "b.txt")
    with Solvers() as solvers, at_step(step, refuse):
        runtime = runtime_of(box, solvers, Busy(), chunk=1000)
        outcomes = [*processed(claims, runtime)]
    assert [outcome.status for _, outcome in outcomes] == ["collection"] * 2
    assert (box.kept("done"), box.in_work()) == ({"a.txt", "b.txt"}, set())
    assert not [name for name in box.published() if name.endswith(".tmp")]


@pytest.mark.parametrize(("seconds", "together"), [(0.0, 1), (1000.0, 3)])
def test_solved_collections_wait_for_others_no_longer_than_they_may(box, seconds, together):
    claims = claimed_collections(box, "a.txt", "b.txt", "c.txt")
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy(), chunk=1000)
        runtime = replace(runtime, tuning=replace(runtime.tuning, ready_seconds=seconds))
        outcomes = processed(claims, runtime)
        assert next(outcomes)[1].status == "collection"
        assert len(box.kept("done")) == together
        assert [outcome.status for _, outcome in outcomes] == ["collection"] * 2


@pytest.mark.parametrize(
    ("name", "real"),
    [
        ("arrivals.observe", observe),
        ("intake.make_claim", make_claim),
        ("intake.is_being_written", is_being_written),
    ],
)
def test_a_crash_of_ours_before_or_after_a_claim_keeps_nobody_else_waiting(
    box, name, real, monkeypatch
):
    def crashing(at, *rest):
        if "a.txt" in (getattr(at, "name", ""), getattr([*rest, 0][0], "source", "")):
            raise RecursionError("too deep")
        return real(at, *rest)

    is_claimed = real is is_being_written
    claimed(box, content=SMALL).close() if is_claimed else box.drop("a.txt")
    box.drop("b.txt")
    monkeypatch.setattr(f"pipeline.service.{name}", crashing)
    assert run_here(box) == 75
    assert (box.kept("done"), "a.txt" in box.waiting()) == ({"b.txt"}, not is_claimed)
    monkeypatch.undo()
    assert run_here(box) == 0


@pytest.mark.parametrize(("limit", "most"), [(1024, 384), (200, 84), (64, 16), (16, 1)])
def test_no_more_files_are_claimed_together_than_leave_half_of_the_descriptors(
    box, limit, most, monkeypatch
):
    """As with a cluster, which takes eight batches at once."""
    runtime = replace(runtime_of(box, None, Busy()), batch_workers=SimpleNamespace(batch_count=8))
    intake = Intake(runtime, Display(runtime.log, bar=False))
    monkeypatch.setattr("pipeline.service.intake.getrlimit", lambda _: (limit, limit))
    assert intake.max_claims() == most


def test_large_collections_take_turns(box):
    for name in ("a.txt", "b.txt"):
        box.drop(name, collection(20))
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, None, chunk=20, settle=0.0)
        tuning = replace(runtime.tuning, turn_seconds=0.0, checkpoint_seconds=0.0)
        runtime = replace(runtime, pool=runtime.local, tuning=tuning)
        intake = Intake(runtime, Display(None, bar=False), once=True)
        for _ in range(6):
            intake.sweep()
        states = read_overview(box.folders, 0.0).in_work
        intake.close()
    assert [state.name for state in states] == ["a.txt", "b.txt"]
    assert all(" done" in state.note for state in states), "neither waits for the other"


class Hasty(Stop):
    """The time of whatever has a limit has passed at once."""

    @contextmanager
    def computing(self, seconds=None):
        yield
        if seconds is not None:
            raise TimeLimitExceeded


def test_a_puzzle_that_takes_long_is_left_to_a_worker(box):
    claims = [claimed(box, name, SMALL) for name in ("a.txt", "b.txt")]
    with Solvers() as solvers:
        runtime = replace(
            runtime_of(box, solvers, Busy(), stop=Hasty(0.0)), leaves_slow_puzzles=True
        )
        outcomes = [*ClaimProcessor([(claim, None) for claim in claims], runtime, 1.0).process()]
        assert [type(outcome) for _, outcome in outcomes] == [SlowJob, SlowJob]
        slow = SlowPuzzles(replace(runtime, pool=runtime.local))
        for _, outcome in outcomes:
            slow.add(outcome.job)
        ended = [*slow.advance(), *slow.advance()]
        assert slow.is_over or slow.advance() == []
    assert [outcome.status for _, outcome in ended] == ["unique", "unique"]
    assert (box.kept("done"), box.in_work()) == ({"a.txt", "b.txt"}, set())


def test_a_refused_file_of_a_slow_batch_gets_no_answer_of_another(box):
    claims = [claimed(box, "a.txt", "no puzzle"), claimed(box, "b.txt", SMALL)]
    taken = [(each, source_at(each.original, each.manifest.source, Settings())) for each in claims]
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Busy(), stop=Hasty(0.0))
        tuning = replace(runtime.tuning, slow_batch_seconds=-1.0)
        runtime = replace(runtime, leaves_slow_puzzles=True, tuning=tuning)
        slow, statuses = SlowPuzzles(replace(runtime, pool=runtime.local)), {}
        for claim, outcome in ClaimProcessor(taken, runtime).process():
            if isinstance(outcome, SlowJob):
                slow.add(outcome.job)
            else:
                statuses[claim.manifest.source] = outcome.status
        for claim, outcome in (*slow.advance(), *slow.advance()):
            statuses[claim.manifest.source] = outcome.status
    assert statuses == {"a.txt": "invalid", "b.txt": "unique"}
    assert slow.is_over


def test_slow_puzzles_are_back_in_the_inbox_when_a_pipe_of_a_worker_breaks(box):
    class Broken(Busy):
        def replies(self, requests):
            next(requests)
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
            yield

    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, Broken())
        slow = SlowPuzzles(runtime)
        for name in ("a.txt", "b.txt"):
            claim = claimed(box, name, SMALL)
            contents = source_at(claim.original, name, Settings())
            slow.add(PuzzleJob(claim, contents, runtime.settings))
        with pytest.raises(BrokenPipeError):
            slow.advance()
    assert slow.is_over, "else the next reply would be taken for that of the first"
    assert box.in_work() == set()
    assert {path.name for path in box.inbox.iterdir() if path.is_file()} >= {"a.txt", "b.txt"}


def test_an_archive_goes_back_if_others_take_the_room_that_it_has_made(box, monkeypatch):
    def is_full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    claim = claimed(box, "a.zip", packed(("a.txt", SMALL)))
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, None)
        tuning = replace(runtime.tuning, min_disk_filling_puzzles=0)
        runtime = replace(runtime, pool=runtime.local, tuning=tuning)
        [(_, run)] = processed([claim], runtime)
        monkeypatch.setattr(run.job, "write", is_full)
        monkeypatch.setattr("pipeline.service.runs.publish_and_finish", is_full)
        with pytest.raises(EnvironmentFailure):
            run.advance()
    assert run.is_over
    assert (box.in_work(), (box.inbox / "a.zip").is_file()) == (set(), True)


def test_a_claim_that_was_given_up_after_a_checkpoint_serves_no_other_job(box, many):
    with Solvers() as solvers:
        runtime = runtime_of(box, solvers, None, chunk=20)
        runtime = replace(runtime, pool=runtime.local)
        assert begun(many, runtime).advance() == []
        for _ in range(MAX_ATTEMPTS):
            many.count_attempt(2)
        ((_, ended),) = processed([many], runtime)
        assert (ended.status, runtime.spare_claims) == ("failed", [])
        ((_, ended),) = processed([claimed(box, "b.txt", SMALL)], runtime)
        assert (ended.status, len(runtime.spare_claims)) == ("unique", 1)
        runtime.spare_claims.pop().remove()
    assert (box.kept("failed"), box.in_work()) == ({"a.txt"}, set())
