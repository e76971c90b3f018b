"""Child processes end with their parent, in whatever way it ends."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from support.needs import needs_linux
from support.puzzles import PATIENCE, children, has_ended

from pipeline.limits import MIB
from pipeline.solving.solvers.child import (
    Bounds,
    ended_within,
    limit_process,
    start_child,
    write_to_pipe,
)


def is_closed(reading: int) -> bool:
    """Wait until nobody holds the other end of a pipe."""
    while select.select([reading], [], [], PATIENCE)[0]:
        if not os.read(reading, 4096):
            return True
    return False


AMPLE = Bounds(memory_bytes=1024 * MIB, file_bytes=64 * MIB, processor_seconds=60)
WITH_GRANDCHILD = ["sh", "-c", "sleep 1000 & sleep 1000"]
DEAF_GRANDCHILD = ["sh", "-c", "trap '' HUP INT TERM; (trap '' HUP INT TERM; sleep 1000) & wait"]
OTHER_INPUT = ["sh", "-c", "exec 0</dev/null; sleep 1000 & sleep 1000"]
ENDED_LEADER = ["sh", "-c", "sleep 1000 & exit 7"]


@pytest.fixture
def pipe():
    """A pipe for children to inherit. Its end shows that none of them is left."""
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        try:
            os.close(descriptor)
        except OSError:  # the test has closed it
            continue


def run_child(argv, output, bounds=AMPLE, seconds=PATIENCE):
    """The exit code of a child, or None if it does not end in time."""
    with output.open("wb") as sink, start_child(argv, bounds, sink.fileno()) as process:
        return process.wait() if ended_within(process, seconds) else None


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize("argv", [WITH_GRANDCHILD, DEAF_GRANDCHILD], ids=["plain", "deaf"])
def test_leaving_by_an_error_or_without_ends_the_child_and_its_children(argv, pipe):
    reading, writing = pipe
    with suppress(KeyboardInterrupt), start_child(argv, pass_fds=[writing]) as process:
        os.close(writing)
        assert not ended_within(process, 0)
        if argv == DEAF_GRANDCHILD:
            raise KeyboardInterrupt
    assert process.returncode == -signal.SIGKILL
    assert is_closed(reading)


class InterruptedPopen(subprocess.Popen):
    """A Popen that receives a signal while it starts."""

    coming = signal.SIGINT

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        signal.raise_signal(self.coming)


@pytest.mark.parametrize("coming", [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
def test_a_signal_in_the_moment_of_the_start_ends_the_child_and_its_children(
    coming, pipe, monkeypatch
):
    reading, writing = pipe
    before = signal.signal(coming, signal.default_int_handler)
    monkeypatch.setattr(InterruptedPopen, "coming", coming)
    monkeypatch.setattr(subprocess, "Popen", InterruptedPopen)
    try:
        with pytest.raises(KeyboardInterrupt), start_child(WITH_GRANDCHILD, pass_fds=[writing]):
            raise AssertionError("the signal came before")
        assert signal.getsignal(coming) is signal.default_int_handler
    finally:
        signal.signal(coming, before)
    os.close(writing)
    assert is_closed(reading)


def test_what_a_child_leaves_behind_ends_with_it(pipe):
    reading, writing = pipe
    with start_child(ENDED_LEADER, pass_fds=[writing]) as process:
        os.close(writing)
        assert ended_within(process, PATIENCE)
    assert process.returncode == 7
    assert is_closed(reading)


@needs_linux
@pytest.mark.parametrize(
    ("argv", "how"),
    [
        (WITH_GRANDCHILD, signal.SIGKILL),
        (DEAF_GRANDCHILD, signal.SIGTERM),
        (OTHER_INPUT, signal.SIGSEGV),
    ],
    ids=["plain", "deaf", "other input"],
)
def test_children_die_with_the_process_that_started_them(argv, how, pipe):
    reading, writing = pipe
    code = (
        "import sys; from pipeline.solving.solvers.child import start_child, ended_within\n"
        f"with start_child({argv!r}, pass_fds=[{writing}]) as process:\n"
        "    print(process.pid, flush=True); ended_within(process, 1000)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    started = [sys.executable, "-c", code]
    starter = subprocess.Popen(started, stdout=subprocess.PIPE, env=environment, pass_fds=[writing])
    os.close(writing)
    with starter:
        pid = int(starter.stdout.readline())
        starter.send_signal(how)
        assert starter.wait(PATIENCE) == -how
    assert has_ended(pid)
    assert is_closed(reading)


def test_both_outputs_go_to_the_file_or_nowhere(tmp_path, capfd):
    talking = ["sh", "-c", "echo out; echo err >&2"]
    run_child(talking, tmp_path / "output")
    assert (tmp_path / "output").read_text() == "out\nerr\n"
    with start_child(talking) as process:
        assert ended_within(process, PATIENCE)
    assert capfd.readouterr() == ("", "")


@needs_linux
def test_children_that_a_child_has_already_are_bounded_too(pipe):
    reading, writing = pipe
    with start_child(["sh", "-c", "sleep 1000 & echo $!; wait"], output=writing) as process:
        started = int(os.read(reading, 100))
        limit_process(process, AMPLE)
        limits = [resource.prlimit(p, resource.RLIMIT_FSIZE)[0] for p in (process.pid, started)]
    assert limits == [AMPLE.file_bytes] * 2


@needs_linux
def test_bounds_can_be_raised_but_not_above_our_own(monkeypatch):
    ours = {resource.RLIMIT_FSIZE: (3 * MIB, resource.RLIM_INFINITY)}
    unlimited = (resource.RLIM_INFINITY,) * 2
    monkeypatch.setattr(resource, "getrlimit", lambda which: ours.get(which, unlimited))
    with start_child(["cat"], replace(AMPLE, file_bytes=MIB)) as process:
        assert resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[0] == MIB
        limit_process(process, replace(AMPLE, file_bytes=2 * MIB))
        assert resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[0] == 2 * MIB
        limit_process(process, AMPLE)
        assert resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[0] == 3 * MIB


def test_only_the_descriptors_named_are_inherited(pipe):
    reading, writing = pipe
    with start_child(["sh", "-c", f"echo here > /dev/fd/{writing}"], pass_fds=[writing]):
        assert os.read(reading, 100) == b"here\n"
    os.set_inheritable(writing, True)
    with start_child(["sleep", "1000"]):
        os.close(writing)
        assert is_closed(reading)


@pytest.mark.parametrize("name", ["no-such-program", "not-executable"])
def test_what_cannot_be_started_is_an_os_error_and_leaves_nothing_open(name, tmp_path):
    (tmp_path / "not-executable").touch()
    before = descriptors()
    with pytest.raises(OSError, match=name):
        run_child([str(tmp_path / name)], tmp_path / "output")
    assert descriptors() == before


@needs_linux
def test_nothing_is_left_open_and_no_child_behind(tmp_path):
    before, others = descriptors(), children()
    assert run_child(["sleep", "1000"], tmp_path / "output", seconds=0.01) is None
    assert run_child(["true"], tmp_path / "output") == 0
    assert descriptors() == before
    assert children() == others


def test_a_child_that_waits_for_input_of_its_own_is_not_reaped_before_it_is_left():
    """It must not read our standard input, which may be piped into `solve -`."""
    with start_child(["cat"]) as process:
        assert not ended_within(process, 0.02)
        process.kill()
        assert ended_within(process, PATIENCE)
        assert ended_within(process, 0)
        assert process.returncode is None, "it is not reaped, so its number is still its own"


def test_what_is_poured_in_comes_out_and_time_or_the_reader_may_end_that(pipe, tmp_path):
    reading, writing = pipe
    for seconds in (0, 0.02):
        assert not write_to_pipe([b"a" * MIB], writing, seconds)
    with (
        (tmp_path / "output").open("wb") as sink,
        start_child(["cat"], AMPLE, sink.fileno(), reading) as process,
    ):
        assert write_to_pipe([b"a" * MIB, b"", b"b" * MIB], writing, PATIENCE)
        os.close(reading)
        os.close(writing)
        assert ended_within(process, PATIENCE)
    assert (tmp_path / "output").read_bytes().endswith(b"a" * MIB + b"b" * MIB)


def test_nothing_has_to_be_drunk_to_the_end(pipe):
    os.close(pipe[0])
    assert write_to_pipe([b"a" * MIB], pipe[1], PATIENCE)


WHEN_BOUNDED = (
    "import itertools, resource; next(_ for _ in itertools.count() "
    "if resource.getrlimit(resource.RLIMIT_{})[0] != resource.RLIM_INFINITY); "
)


@needs_linux
@pytest.mark.parametrize(
    ("limit", "argv", "bounds", "ended"),
    [
        (
            "CPU",
            ["sh", "-c", "while :; do :; done"],
            {"processor_seconds": 1},
            (-signal.SIGXCPU, ""),
        ),
        ("FSIZE", "import os; os.execlp('yes', 'yes')", {}, (1, "y\ny\n")),
        ("FSIZE", "open('result', 'wb').write(bytes(2**22))", {}, (1, "File too large")),
        ("AS", "bytes(2**29)", {"memory_bytes": 256 * MIB}, (1, "MemoryError")),
    ],
    ids=["time", "output", "file", "memory"],
)
def test_time_output_files_and_memory_are_bounded_after_the_start(
    limit, argv, bounds, ended, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if isinstance(argv, str):
        argv = [sys.executable, "-c", WHEN_BOUNDED.format(limit) + argv]
    bounds = replace(AMPLE, file_bytes=MIB, **bounds)
    assert run_child(argv, tmp_path / "output", bounds) == ended[0]
    assert ended[1] in (tmp_path / "output").read_text()
    assert all(each.stat().st_size <= MIB for each in tmp_path.iterdir())
