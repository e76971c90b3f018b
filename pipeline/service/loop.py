"""`run` and `watch`: sweeps, the waiting between them, and how they are stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.service.exits import ALL_WELL, SOME_BAD, TRY_AGAIN, Interrupted, Stop
from pipeline.service.intake import Intake, Swept
from pipeline.service.job import USUAL, Jobs, Tuning
from pipeline.service.log import Display, Log
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.watch import Alarm, Watcher
from pipeline.service.sinks.set import Ended
from pipeline.service.workers import Inline, Pool, cores
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Peer

if TYPE_CHECKING:
    from pipeline.service.metrics import Metrics

RESCAN_SECONDS = 30.0
POLL_SECONDS = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_LOOK_AFTER_WATCHER = 5.0

OnFinished = Callable[[int], float | None]
"""Called with how many jobs have just ended; returns the seconds until it wants the next call."""


def no_hook(_ended: int) -> None:
    """Ignore that jobs have ended."""


class _Run:
    """What a run consists of, and its next sweep.

    `stop` says whether it was told to stop, `alarm` wakes it.
    """

    intake: Intake

    def __init__(
        self, settings: Settings, log: Log, on_finished: OnFinished, stack: ExitStack
    ) -> None:
        self.log = log
        self.on_finished = on_finished
        self.metrics: Metrics | None = None
        if settings.metrics is not None:
            from pipeline.service.metrics import Metrics  # noqa: PLC0415 - few ask for it

            self.metrics = Metrics(settings.metrics, settings.inbox, log)
        self.alarm = Alarm()
        stack.callback(self.alarm.close)
        self.stop = Stop(settings.grace, self.alarm.ring)
        stack.enter_context(self.stop.handling_signals())
        self._commands: Callable[[Ended], None] = lambda _: None
        if settings.on_done is not None or settings.on_bad is not None:
            from pipeline.service.hooks import Commands  # noqa: PLC0415 - few have any

            self._commands = Commands(settings, log, lambda: self.stop.is_late).run

    @classmethod
    @contextmanager
    def of(
        cls, settings: Settings, log: Log, on_finished: OnFinished, tuning: Tuning, *, once: bool
    ) -> Iterator[_Run]:
        """Start one, with its solvers and workers. Raises UsageError."""
        with ExitStack() as stack:
            run = cls(settings, log, on_finished, stack)
            solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
            if solvers.lacking:
                log.info("solver.fallback", reason=solvers.lacking, solver="pysat")
            jobs = _jobs(settings, log, run.stop, solvers, tuning)
            stack.callback(jobs.workers.close)
            display = Display(log, bar=not settings.quiet and settings.log_format != "json")
            stopping = run.stop.is_requested
            run.intake = Intake(jobs, stopping, display, run.tell_ended, once=once)
            stack.callback(run.intake.close)
            yield run
            if run.metrics:
                run.metrics.write()

    def tell_ended(self, ended: Ended) -> None:
        self.on_finished(1)
        if self.metrics:
            self.metrics.count(ended)
        self._commands(ended)

    def sweep(self, *, thorough: bool) -> Swept:
        """Sweep; any OSError is the environment's fault. Raises EnvironmentFailure, Interrupted."""
        with self.metrics.scanning() if self.metrics else nullcontext():
            try:
                return self.intake.sweep(thorough=thorough)
            except OSError as error:
                raise EnvironmentFailure(in_words(error)) from error


def _jobs(settings: Settings, log: Log, stop: Stop, solvers: Solvers, tuning: Tuning) -> Jobs:
    """The jobs of a run, with their workers. Raises UsageError."""
    folders = Folders(settings.inbox, settings.outbox)
    inline = Inline(solvers, settings, stop.computing)
    if settings.cluster is None:
        start = _telling_what_is_slow(tuning.start_worker, settings, log)
        pool = Pool(settings.workers or cores(), settings, stop.is_requested, start)
        return Jobs(folders, settings, log, stop.computing, inline, inline, pool, tuning)
    from pipeline.service.cluster import Cluster  # noqa: PLC0415 - few have one

    cluster = Cluster(settings.cluster, settings, stop.is_requested)
    return Jobs(folders, settings, log, stop.computing, inline, cluster, cluster, tuning)


def _telling_what_is_slow(
    start: Callable[[str], Peer], settings: Settings, log: Log
) -> Callable[[str], Peer]:
    """Start workers; after the first, which only large jobs need, log why what is slow."""
    unsaid = iter((True,))

    def started(module: str) -> Peer:
        peer = start(module)
        if next(unsaid, False):
            from pipeline.service.doctor import programs_of  # noqa: PLC0415 - loads numpy

            lacking: dict[str, list[str]] = {}
            for program in programs_of(settings):
                if why := program.lacking():
                    lacking.setdefault(why, []).append(program.name)
            for why, (*others, last) in lacking.items():
                named = f"{', '.join(others)} and {last}" if others else last
                log.info("lanes.slow", programs=named, reason=why)
        return peer

    return started


def run_once(
    settings: Settings,
    log: Log,
    on_finished: OnFinished = no_hook,
    tuning: Tuning = USUAL,
) -> int:
    """Process everything that is complete, now or within the settling time; the exit code.

    0 all went well, 1 some input was invalid, unknown or failed, 75 the environment failed or
    a signal ended the pass. Raises UsageError.
    """
    with _Run.of(settings, log, on_finished, tuning, once=True) as run:
        code = _pass(run)
        if run.alarm.waited >= 1:
            log.info("run.waited", seconds=round(run.alarm.waited, 3))
    return code


def _pass(run: _Run) -> int:
    """Sweep until nothing is left that will be complete in time; the exit code."""
    bad, rescan = False, 0.0
    while True:
        thorough = not run.intake.busy or time.monotonic() >= rescan
        if thorough:
            rescan = time.monotonic() + RESCAN_SECONDS
        try:
            swept = run.sweep(thorough=thorough)
        except EnvironmentFailure as error:
            run.log.error("environment.failed", reason=str(error))
            return TRY_AGAIN
        except Interrupted:
            return TRY_AGAIN
        bad = bad or swept.bad
        run.on_finished(0)
        if run.stop.requested:
            return TRY_AGAIN
        if swept.again_in is not None:
            run.alarm.wait(swept.again_in)
        elif not swept.statuses:
            return TRY_AGAIN if run.intake.keeps else SOME_BAD if bad else ALL_WELL


def watch(
    settings: Settings,
    log: Log,
    on_finished: OnFinished = no_hook,
    tuning: Tuning = USUAL,
) -> None:
    """Process what is dropped until SIGTERM or SIGINT.

    Raises UsageError, and EnvironmentFailure if the folders are missing at the start.
    """
    from pipeline.service.sinks import table, tree  # noqa: F401, PLC0415 - no file has to wait for them

    with _Run.of(settings, log, on_finished, tuning, once=False) as run:
        Folders(settings.inbox, settings.outbox).prepare()
        log.info("watch.started", inbox=printable(str(settings.inbox)))
        with closing(_Keeper(settings, run.alarm.ring, log)) as keeper:
            _keep_sweeping(run, keeper, POLL_SECONDS if settings.poll else RESCAN_SECONDS)
    log.info("watch.stopped")


def _keep_sweeping(run: _Run, keeper: _Keeper, regular: float) -> None:
    """Sweep at hints and now and then, until told to stop."""
    rescan = pause = 0.0
    while not run.stop.requested:
        thorough = pause > 0 or time.monotonic() >= rescan
        if thorough:
            keeper.keep_alive()
            rescan = time.monotonic() + regular
        try:
            again_in, pause = _swept(run, pause, thorough=thorough)
        except Interrupted:
            return
        if run.intake.busy and not pause:
            run.alarm.wait(0.0)
            continue
        run.intake.rest()
        if again_in is not None:
            rescan = min(rescan, time.monotonic() + again_in)
        if not _hinted(run, keeper, rescan, deaf=pause > 0):
            rescan = 0.0


def _swept(run: _Run, pause: float, *, thorough: bool) -> tuple[float | None, float]:
    """Sweep once; in how many seconds to sweep again, if known, and how long to pause.

    The pause becomes longer and longer while the environment fails. Raises Interrupted.
    """
    again_in, longer = None, 0.0
    try:
        again_in = run.sweep(thorough=thorough).again_in
    except EnvironmentFailure as error:
        if not pause:
            run.log.error("environment.failed", reason=str(error))
        again_in = longer = min(max(_FIRST_PAUSE, 2 * pause), _LONGEST_PAUSE)
    if run.metrics:
        run.metrics.write(more_soon=run.intake.busy)
    if not longer:
        if pause:
            run.log.info("environment.recovered")
        run.on_finished(0)
    return again_in, longer


def _hinted(run: _Run, keeper: _Keeper, end: float, *, deaf: bool) -> bool:
    """Wait for a hint until `end`, checking on the watcher meanwhile; whether a hint came.

    `deaf`: hints do not count, because the environment has failed.
    """
    while (left := end - time.monotonic()) > 0 and not run.stop.requested:
        due = None if deaf else run.on_finished(0)
        longest = _LOOK_AFTER_WATCHER if due is None else min(due, _LOOK_AFTER_WATCHER)
        rung = run.alarm.wait(min(left, longest))
        if rung and not deaf:
            return True
        if not keeper.is_alive():
            return False
    return False


class _Keeper:
    """Keeps a watcher on the inbox; replaces it if it died or the folder was replaced."""

    def __init__(self, settings: Settings, ring: Callable[[], None], log: Log) -> None:
        self._inbox = settings.inbox
        self._poll = settings.poll
        self._ring = ring
        self._log = log
        self._watcher: Watcher | None = None
        self._warned = False

    def is_alive(self) -> bool:
        return self._watcher is not None and self._watcher.is_alive()

    def keep_alive(self) -> None:
        """Ensure that there is a working watcher; without one the rescans must do."""
        if self.is_alive():
            return
        if self._watcher is not None:
            self.close()
            self._log.warning("watcher.replaced", inbox=printable(str(self._inbox)))
        watcher = Watcher(self._inbox, self._ring, poll=self._poll)
        try:
            watcher.start()
        except OSError as error:
            if not self._warned:
                self._warned = True
                self._log.warning("watcher.missing", reason=str(error))
            return
        self._watcher = watcher

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
