"""`run` and `watch`: sweeps, and what lies between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from pipeline.dropbox.folders import Folders
from pipeline.dropbox.watch import Alarm, Watcher
from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.exits import ALL_WELL, SOME_BAD, TRY_AGAIN
from pipeline.log import Log
from pipeline.run.display import Display
from pipeline.run.health import Health
from pipeline.run.job import Jobs
from pipeline.run.pool import Pool, Workers, cores
from pipeline.run.stop import Interrupted, Stop
from pipeline.run.sweep import Sweeper
from pipeline.run.swept import After, Swept, nothing
from pipeline.settings import Settings
from pipeline.solve import Solvers

RESCAN_SECONDS = 30.0
POLL_SECONDS = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_LOOK_AFTER_WATCHER = 5.0


@contextmanager
def _ready(
    settings: Settings, log: Log, after: After, *, once: bool
) -> Iterator[tuple[Sweeper, Stop, Alarm]]:
    """A sweeper with its solvers, stoppable by signals, and the alarm that wakes it."""
    folders = Folders(settings.inbox, settings.outbox)
    with ExitStack() as stack:
        alarm = Alarm()
        stack.callback(alarm.close)
        stop = Stop(settings.grace, alarm.ring)
        stack.enter_context(stop.handling_signals())
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        if solvers.lacking:
            log.info("solver.fallback", reason=solvers.lacking, solver="pysat")
        workers = _workers(settings, lambda: stop.requested, log)
        stack.callback(workers.close)
        jobs = Jobs(folders, settings, solvers, workers, log, stop.computing)
        display = Display(log, bar=not settings.quiet and settings.log_format != "json")
        sweeper = Sweeper(jobs, lambda: stop.requested, display, after, once=once)
        yield stack.enter_context(closing(sweeper)), stop, alarm


def _workers(settings: Settings, stopping: Callable[[], bool], log: Log) -> Workers:
    """Who computes what is in jobs of many puzzles. Raises UsageError."""
    if settings.cluster is None:
        return Pool(settings.workers or cores(), settings, stopping)
    from pipeline.run.remote import Remote  # noqa: PLC0415 - few have one

    return Remote(settings.cluster, settings, stopping, log)


def run_once(settings: Settings, log: Log, after: After = nothing) -> int:
    """Process everything that is complete, or is so within the settling time; the exit code.

    0 all went well, 1 some input was invalid, unknown or failed, 75 the surroundings failed or
    a signal ended the pass. Raises UsageError.
    """
    with _ready(settings, log, after, once=True) as (sweeper, stop, alarm):
        bad, rescan = False, 0.0
        while True:
            thorough = not sweeper.busy or time.monotonic() >= rescan
            if thorough:
                rescan = time.monotonic() + RESCAN_SECONDS
            try:
                swept = _sweep(sweeper, thorough=thorough)
            except EnvironmentFailure as error:
                log.error("environment.failed", reason=str(error))
                return TRY_AGAIN
            except Interrupted:
                return TRY_AGAIN
            bad = bad or swept.bad
            after(0)
            if stop.requested:
                return TRY_AGAIN
            if swept.again_in is not None:
                alarm.wait(swept.again_in)
            elif not swept.statuses:
                return TRY_AGAIN if sweeper.keeps else SOME_BAD if bad else ALL_WELL


def _sweep(sweeper: Sweeper, *, thorough: bool) -> Swept:
    """A sweep, whose every OSError is the surroundings' fault."""
    try:
        return sweeper.sweep(thorough=thorough)
    except OSError as error:
        raise EnvironmentFailure(in_words(error)) from error


def watch(settings: Settings, log: Log, after: After = nothing) -> None:
    """Process what is dropped until SIGTERM or SIGINT.

    Raises UsageError, and EnvironmentFailure where the folders are not there to begin with.
    """
    with _ready(settings, log, after, once=False) as (sweeper, stop, alarm):
        Folders(settings.inbox, settings.outbox).prepare()
        log.info("watch.started", inbox=printable(str(settings.inbox)))
        with closing(_Keeper(settings, alarm.ring, log)) as keeper:
            intake = _Intake(sweeper, Health(settings.health, log), log, after)
            regular = POLL_SECONDS if settings.poll else RESCAN_SECONDS
            rescan = 0.0
            while not stop.requested:
                thorough = intake.pauses or time.monotonic() >= rescan
                if thorough:
                    keeper.keep_alive()
                    rescan = time.monotonic() + regular
                try:
                    again_in = intake.turn(thorough=thorough)
                except Interrupted:
                    break
                if sweeper.busy and not intake.pauses:
                    alarm.wait(0.0)
                    continue
                sweeper.rest()
                if again_in is not None:
                    rescan = min(rescan, time.monotonic() + again_in)
                on_idle = nothing if intake.pauses else after
                if not _hinted(alarm, keeper, stop, rescan, on_idle, deaf=intake.pauses):
                    rescan = 0.0
        log.info("watch.stopped")


class _Intake:
    """Sweeps, and pauses for longer and longer while the surroundings fail."""

    def __init__(self, sweeper: Sweeper, health: Health, log: Log, after: After) -> None:
        self._sweeper = sweeper
        self._health = health
        self._log = log
        self._after = after
        self._pause = 0.0

    @property
    def pauses(self) -> bool:
        return self._pause > 0

    def turn(self, *, thorough: bool) -> float | None:
        """Sweep once; in how many seconds to do so again, if that is known. Raises Interrupted."""
        try:
            swept = _sweep(self._sweeper, thorough=thorough)
        except EnvironmentFailure as error:
            self._health.tell({}, str(error))
            if not self._pause:
                self._log.error("environment.failed", reason=str(error))
            self._pause = min(max(_FIRST_PAUSE, 2 * self._pause), _LONGEST_PAUSE)
            return self._pause
        self._health.tell(swept.statuses, None)
        if self._pause:
            self._pause = 0.0
            self._log.info("environment.recovered")
        self._after(0)
        return swept.again_in


def _hinted(
    alarm: Alarm, keeper: _Keeper, stop: Stop, end: float, after: After, *, deaf: bool
) -> bool:
    """Wait for a hint until that moment, looking after the watcher meanwhile; whether one came.

    `after` is asked as often as it wants to be. `deaf`: hints do not count, the intake pauses.
    """
    while (left := end - time.monotonic()) > 0 and not stop.requested:
        due = after(0)
        longest = _LOOK_AFTER_WATCHER if due is None else min(due, _LOOK_AFTER_WATCHER)
        rung = alarm.wait(min(left, longest))
        if rung and not deaf:
            return True
        if not keeper.is_alive():
            return False
    return False


class _Keeper:
    """Keeps a watcher on the inbox, making another when it died or the folder was replaced."""

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
        """Make sure that there is a watcher that works; without one the rescans must do."""
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
