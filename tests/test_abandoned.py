"""What is left of a claim when its owner dies."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
from contextlib import closing, nullcontext
from dataclasses import asdict, replace
from itertools import islice, product
from types import SimpleNamespace

import pytest
from claiming import at_step, claimed, claiming, go
from dropping import OTHER, OTHER_SOLVED, SMALL, SMALL_SOLVED, DropFolder, events_in, record_text
from support.many import collection

from pipeline.dropbox.claim import LOCK
from pipeline.dropbox.growing import PROGRESS
from pipeline.dropbox.note import NOTE, Note
from pipeline.dropbox.overview import survey
from pipeline.dropbox.recover import abandoned
from pipeline.dropbox.settle import UNSEEN
from pipeline.log import LazyLog
from pipeline.run.display import Display
from pipeline.run.job import MOST_ATTEMPTS, Job, Jobs, Kept
from pipeline.run.loop import run_once
from pipeline.run.sweep import Sweeper
from pipeline.run.workers import Inline
from pipeline.settings import Settings
from pipeline.solve import Solvers

STEM = "a.txt"
"""Of the claims made here."""

WHOLE = Note("job", "a.txt", "a", keep_cnf=False, claimed="", fingerprint=UNSEEN)
FORGED: list[dict[str, object]] = [
    *({"source": name} for name in (["a.txt"], "../a.txt", "a\0b", "", 3, None)),
    *({"stem": name} for name in ([], "../a", 3)),
    *({"job": "../job"}, {"former": ["../a"]}, {"claimed": "now"}, {"more": 1}),
    *({"files": [name]} for name in ("../../a", 3, "/etc/passwd")),
]
"""What is not what we would write in a note."""

HOLD = "claimed = claim('a.txt'); print('claimed', flush=True); signal.pause()"
COMPUTE = """
claimed = claim('a.txt')
with claimed.attempt():
    print('computing', flush=True)
    signal.pause()
"""


@pytest.fixture
def box(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


def run_here(box):
    """`run` in this process, for its faults; its exit code."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox)
    return run_once(settings, LazyLog("json", quiet=True))


def die():
    """Stand in for a kill: nothing in the way catches this."""
    raise KeyboardInterrupt


def test_a_claim_is_abandoned_only_when_its_owner_has_died(box):
    box.drop("a.txt", "original")
    with claiming(box, HOLD) as owner:
        go(owner)
        assert owner.stdout.readline() == "claimed\n"
        assert list(abandoned(box.folders)) == []
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        (claim,) = abandoned(box.folders)
    with closing(claim):
        assert claim.note.job == "job-a.txt"
        assert claim.original.read_text() == "original"
        assert list(abandoned(box.folders)) == [], "it has a new owner"
    (again,) = abandoned(box.folders)
    again.close()


def test_an_attempt_of_a_killed_process_stays_counted(box):
    box.drop("a.txt")
    with claiming(box, COMPUTE) as owner:
        go(owner)
        assert owner.stdout.readline() == "computing\n"
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    (claim,) = abandoned(box.folders)
    with closing(claim):
        assert claim.attempts() == 1


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
    assert event["message"] == "given up after 3 attempts: none was completed"
    assert (box.kept("failed"), box.in_work()) == ({"a.txt"}, set())
    (box.inbox / "failed/a.txt").rename(box.inbox / "a.txt")
    assert box.run().returncode == 0
    assert box.text(f"{STEM}_1.solution") == SMALL_SOLVED


def test_a_file_that_killed_the_process_twice_is_tried_again(box):
    abandoned_after(box, 2)
    assert box.run().returncode == 0
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


def jobs_of(box, solvers, workers):
    """The jobs of a run with these workers."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox)
    log, inline = LazyLog("json", quiet=True), Inline(solvers, settings, nullcontext)
    return Jobs(box.folders, settings, log, nullcontext, inline, inline, workers)


def test_two_deadly_attempts_and_kills_while_workers_compute_do_not_give_a_job_up(box):
    jobs = jobs_of(box, None, Busy())
    claim = claimed(box, content=collection(3).decode())
    for deadly in range(MOST_ATTEMPTS):
        for _ in range(4):
            job = jobs.job_of(claim, jobs.sink_of(claim))
            assert job.step(), "it waits"
            assert claim.attempts() == deadly, "what a kill would leave"
            job.close()
        claim.count_attempt(1) if deadly + 1 < MOST_ATTEMPTS else claim.close()
    assert run_here(box) == 0
    assert box.record(STEM)["status"] == "collection"


def test_a_crash_of_ours_while_workers_compute_counts(box):
    claim = claimed(box, content=collection(3).decode())
    jobs = jobs_of(box, None, Crashing())
    job = jobs.process(claim)
    assert jobs.advance(job) is job, "it waits"
    assert jobs.advance(job) == Kept()
    (found,) = abandoned(box.folders)
    with closing(found):
        assert found.attempts() == 1


def test_a_step_that_kills_whoever_cuts_it_gives_the_job_up_though_it_is_cut_ahead(box):
    done = []

    def steps():
        yield from ("first", "second")
        die()

    sink = SimpleNamespace(
        steps=steps,
        write=lambda step, reply: done.append(step),
        checkpoint=lambda steps, seconds: None,
        close=lambda: None,
        lasts=True,
        seconds_before=0.0,
    )
    with closing(claimed(box)) as claim:
        for _ in range(7):
            assert claim.attempts() < MOST_ATTEMPTS
            sink.steps_before = len(done)
            job = Job(claim, sink, Quick())
            with pytest.raises(KeyboardInterrupt):
                list(iter(job.step, False))
            job.close()
        assert claim.attempts() == MOST_ATTEMPTS
    assert done == ["first", "second"]


def test_a_job_that_was_published_is_only_finished(box):
    claim = claimed(box)
    claim.close()
    record = record_text("a.txt", job=claim.note.job)
    (box.outbox / f"{STEM}.json").write_text(record)
    done = box.run()
    events = [(e["event"], e["status"]) for e in events_in(done.stderr) if "status" in e]
    assert events == [("job.recovered", "unique")]
    assert (box.outbox / f"{STEM}.json").read_text() == record
    assert (box.kept("done"), box.in_work()) == ({"a.txt"}, set())


def test_files_to_clear_away_are_saved_and_added_to(box):
    claim = claimed(box)
    claim.save_files(["b", "a"])
    claim.save_files(["c", "a"])
    claim.close()
    (again,) = abandoned(box.folders)
    with closing(again):
        assert again.note.files == ("a", "b", "c")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]\n", "{}\n", '{"fingerprint": [1], "files": 3}\n', "\xff", "[" * 200_000),
        *(json.dumps(asdict(WHOLE) | change) + "\n" for change in FORGED),
    ],
    ids=lambda text: ascii(text[:40]),
)
def test_of_a_claim_whose_note_is_lost_the_file_is_still_found_and_solved(box, text):
    claim = claimed(box, content=SMALL)
    claim.close()
    (claim.folder / NOTE).write_text(text)
    (found,) = abandoned(box.folders)
    with closing(found):
        assert (found.note.source, found.note.job, found.note.files) == ("a.txt", "", ())
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
    ("name", "odd"), [*product([NOTE, LOCK], ODD), (PROGRESS, "pipe")], ids=str
)
def test_what_is_no_file_in_a_claim_keeps_nobody_else_waiting(box, name, odd):
    claim = claimed(box, content=collection(3) if name == PROGRESS else SMALL)
    claim.close()
    (claim.folder / name).unlink(missing_ok=True)
    ODD[odd](claim.folder / name)
    box.drop("b.txt")
    assert [entry.name for entry in survey(box.folders, 0.0).in_work] == ["a.txt"]
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
    (claim.folder / NOTE).unlink()
    with at_step("attempt.counted", die), pytest.raises(KeyboardInterrupt):
        run_here(box)
    (found,) = abandoned(box.folders)
    with closing(found):
        assert (found.note.source, found.note.stem) == ("a.txt", "a")
        assert found.note.job
        assert found.attempts() == 1


@pytest.mark.parametrize("cut", [1, 2, 50, 1000], ids=lambda cut: f"all but {cut}")
def test_a_note_that_was_cut_off_while_it_was_added_to_is_read_as_it_was_before(box, cut):
    claim = claimed(box)
    claim.save_files(["a"])
    with (claim.folder / NOTE).open("a") as file:
        file.write("\n" + replace(claim.note, files=("b",)).text()[: -1 - cut])
    claim.close()
    (found,) = abandoned(box.folders)
    with closing(found):
        assert found.note == claim.note


def test_what_is_added_to_a_note_behind_a_torn_line_is_read(box):
    claim = claimed(box)
    with (claim.folder / NOTE).open("a") as file:
        file.write(claim.note.text()[:20])
    claim.save_files(["a"])
    claim.close()
    (found,) = abandoned(box.folders)
    with closing(found):
        assert found.note.files == ("a",)


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
    assert box.run().returncode == 0
    assert (box.kept("done"), box.waiting()) == ({"a.txt", "2/a.txt"}, set())
    assert (box.inbox / "done/2/a.txt").read_text() == OTHER
    assert box.text(f"{STEM}_1.solution") == OTHER_SOLVED


def test_a_claim_that_could_not_be_looked_at_is_taken_up_by_the_next_sweep(box, monkeypatch):
    claimed(box, content=SMALL).close()

    def too_many(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    with Solvers() as solvers:
        jobs = jobs_of(box, solvers, Busy())
        sweeper = Sweeper(jobs, lambda: False, Display(jobs.log, bar=False))
        with monkeypatch.context() as patched:
            patched.setattr("pipeline.run.intake.is_written", too_many)
            with pytest.raises(OSError, match="Too many"):
                sweeper.sweep()
        assert sweeper.sweep().statuses == {"unique": 1}


def test_a_claim_without_its_file_is_removed(box):
    claim = claimed(box)
    claim.original.unlink()
    claim.close()
    assert list(abandoned(box.folders)) == []
    assert box.in_work() == set()


def test_what_was_being_prepared_by_the_dead_is_removed_but_not_by_the_living(box):
    litter = box.folders.work / ".new-job"
    litter.mkdir()
    (litter / LOCK).touch()
    with (box.folders.work / ".preparing").open("w") as preparing:
        fcntl.flock(preparing, fcntl.LOCK_SH)
        assert list(abandoned(box.folders)) == []
        assert box.in_work() == {".new-job"}
    assert list(abandoned(box.folders)) == []
    assert box.in_work() == set()
