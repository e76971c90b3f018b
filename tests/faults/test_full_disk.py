"""A full disk: nothing is lost, nothing half published, and work goes on when there is room."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.breakers import FILL_DISK, Bench
from support.cases import default_cases
from support.drop_folders import SMALL, SMALL_SOLVED, TWO_SOLUTIONS, DropFolder, events_in, wait_for

from pipeline.service.protocol import AUDIT_STEPS


@contextlib.contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """A filesystem of that size, where mounting is allowed."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "small", "64k") as folder:
        yield folder


def fill(folder: Path) -> Path:
    """A file that takes all room there is."""
    path = folder / ".filler"
    with contextlib.suppress(OSError), path.open("wb", 0) as file:
        while True:
            file.write(b"x" * 4096)
    assert os.statvfs(folder).f_bfree == 0
    return path


@pytest.mark.parametrize(
    "step",
    default_cases(AUDIT_STEPS, "claim.placed", "attempt.counted", "publish.saved", "finish.moved"),
)
def test_a_disk_that_is_full_at_any_step_costs_nothing(step: str, bench: Bench) -> None:
    box = bench.box
    box.drop("a.txt", TWO_SOLUTIONS)
    assert bench.run()[0] == 0
    box.drop("a.txt")
    codes = [bench.run(step=step, what=FILL_DISK)[0] for _ in range(2)]
    assert codes[0] == 75
    assert set(codes) <= {0, 75}
    assert bench.run()[0] == 0
    assert box.record("a")["status"] == "unique"
    assert box.text("a_1.solution") == SMALL_SOLVED
    assert box.published() == {"a_1.solution", "a.log", "a.json"}
    assert box.waiting() == set()
    assert box.kept("done") == {"a.txt", "2/a.txt"}
    assert box.kept("failed") == set()


def test_a_full_outbox_keeps_the_files_in_the_inbox_until_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    box = DropFolder(tmp_path / "inbox", small_disk)
    box.inbox.mkdir()
    filler = fill(small_disk)
    box.drop("a.txt")
    box.drop("b.txt", TWO_SOLUTIONS)
    result = box.run()
    assert result.returncode == 75
    events = [event["event"] for event in events_in(result.stderr)]
    assert events.count("environment.failed") == 1
    assert not list(small_disk.glob("[!.]*"))
    assert len(box.waiting()) + len(list(box.inbox.glob(".work/*/[!.]*"))) == 2
    filler.unlink()
    assert box.run().returncode == 0
    assert box.text("a_1.solution") == SMALL_SOLVED
    assert box.record("b")["solutions"] == 2


def test_a_watch_with_a_full_outbox_says_so_once_and_goes_on_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    box = DropFolder(tmp_path / "inbox", small_disk)
    box.inbox.mkdir()
    filler = fill(small_disk)
    with box.watching() as watching:
        for number in range(5):
            box.drop(f"{number}.txt")
        wait_for(lambda: any(e["event"] == "environment.failed" for e in watching.events()))
        filler.unlink()
        wait_for(lambda: all(box.has_record(str(number)) for number in range(5)))
        wait_for(lambda: not box.waiting())
        watching.signal(signal.SIGTERM)
        assert watching.end() == 0
        events = [event["event"] for event in watching.events()]
        assert events.count("environment.failed") == 1
        assert events.count("environment.recovered") == 1
    assert box.kept("done") == {f"{number}.txt" for number in range(5)}


@pytest.mark.parametrize("is_shared", default_cases([False, True], False))
def test_files_that_find_no_room_together_go_one_by_one_while_there_is_room(
    is_shared: bool, tmp_path: Path
) -> None:
    with mounted(tmp_path / "small", "2m") as small:
        box = DropFolder((small if is_shared else tmp_path) / "inbox", small / "outbox")
        box.inbox.mkdir()
        names = {f"{number}.txt" for number in range(40)}
        for name in names:
            box.drop(name)
        filler = fill(small)
        os.truncate(filler, filler.stat().st_size - 10 * 4096)
        result = box.run()
        assert result.returncode == 75
        done = box.kept("done")
        assert 0 < len(done) < 10
        assert box.waiting() == names - done
        assert {path.stem for path in box.outbox.glob("*.json")} == {name[:-4] for name in done}
        events = [event["event"] for event in events_in(result.stderr)]
        assert events.count("environment.failed") == 1
        filler.unlink()
        assert box.run().returncode == 0
        assert box.kept("done") == names


@pytest.mark.trial
def test_an_archive_that_fills_the_disk_fails_alone(box: DropFolder, tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "15m") as small:
        box = DropFolder(box.inbox, small)
        with zipfile.ZipFile(box.inbox / "big.zip", "w") as archive:
            for number in range(1500):
                archive.writestr(f"{number}.txt", SMALL)
        box.drop("small.txt")
        result = box.run("--workers", "1")
        assert result.returncode == 1
        assert box.record("big")["status"] == "failed"
        assert "the disk was full after" in box.record("big")["message"]
        assert box.record("small")["status"] == "unique"
        assert (box.kept("failed"), box.kept("done")) == ({"big.zip"}, {"small.txt"})
        assert box.in_work() == set()
        assert {name.partition(".")[0] for name in box.published()} == {"big", "small", "small_1"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_an_outbox_that_may_not_be_written_in_is_the_surroundings_fault(box: DropFolder) -> None:
    box.outbox.mkdir()
    box.outbox.chmod(0o500)
    box.drop("a.txt", SMALL)
    assert box.run().returncode == 75
    assert box.waiting() == {"a.txt"}
    box.outbox.chmod(0o700)
    assert box.run().returncode == 0
