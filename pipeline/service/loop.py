"""`run` and `watch`: sweeps, the waiting between them, and how they are stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.service.exits import ALL_WELL, SOME_BAD, TRY_AGAIN, taking
from pipeline.service.job import USUAL, Jobs, Tuning
from pipeline.service.log import Display, Log
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.watch import Alarm, Watcher
from pipeline.service.sinks.set import Ended
from pipeline.service.sweep import OnFinished, Sweeper, Swept, no_hook
from pipeline.service.workers import Inline, Interrupted, Pool, cores
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Peer

if TYPE_CHECKING:
    from pipeline.service.metrics import Metrics

RESCAN_SECONDS = 30.0
POLL_SECONDS = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_LOOK_AFTER_WATCHER = 5.0


class Stop:
    """Whether SIGTERM or Ctrl-C asked us to stop; computations then have `grace` seconds left.

    A second signal, or the end of the grace, raises Interrupted; but only inside `computing`,
    so that nothing that touches the folders is cut in two. `ring` is called at each signal.
    """

    def __init__(self, grace: float, ring: Callable[[], None] = lambda: None) -> None:
        self._grace = grace
        self._ring = ring
        self._computing = False
        self._now = False
        self.requested = False

    @property
    def is_late(self) -> bool:
        """Whether the grace is over, or a second signal has come."""
        return self._now

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Handle SIGTERM and SIGINT, unless they are ignored, and SIGALRM."""
        before = signal.signal(signal.SIGALRM, self._on_alarm)
        try:
            with taking(self._on_signal):
                yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Allow interruption inside. Raises Interrupted, at once if the time to stop has come."""
        outer, self._computing = self._computing, True
        try:
            if self._now:
                raise Interrupted
            yield
        finally:
            self._computing = outer

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self._on_alarm(number, frame)
            return
        self.requested = True
        self._ring()
        signal.setitimer(signal.ITIMER_REAL, max(self._grace, 0.001))

    def _on_alarm(self, _number: int, _frame: FrameType | None) -> None:
        self._now = True
        if self._computing:
            raise Interrupted


@contextmanager
def _ready(
    settings: Settings,
    log: Log,
    on_finished: OnFinished,
    metrics: Metrics | None,
    tuning: Tuning,
    *,
    once: bool,
) -> Iterator[tuple[Sweeper, Stop, Alarm]]:
    """A sweeper with its solvers, stoppable by signals, and the alarm that wakes it.

    On leaving, the commands for the jobs that have ended are waited for.
    """
    with ExitStack() as stack:
        alarm = Alarm()
        stack.callback(alarm.close)
        stop = Stop(settings.grace, alarm.ring)
        stack.enter_context(stop.handling_signals())
        on_ended = _followers(settings, log, on_finished, metrics, stop, stack)
        solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
        if solvers.lacking:
            log.info("solver.fallback", reason=solvers.lacking, solver="pysat")
        jobs = _jobs(settings, log, stop, solvers, tuning)
        stack.callback(jobs.workers.close)
        display = Display(log, bar=not settings.quiet and settings.log_format != "json")
        sweeper = Sweeper(jobs, lambda: stop.requested, display, on_ended, once=once)
        yield stack.enter_context(closing(sweeper)), stop, alarm


def _followers(
    settings: Settings,
    log: Log,
    on_finished: OnFinished,
    metrics: Metrics | None,
    stop: Stop,
    stack: ExitStack,
) -> Callable[[Ended], None]:
    """What is called with each job that has ended. Raises UsageError."""
    followers: list[Callable[[Ended], object]] = [lambda _: on_finished(1)]
    if metrics:
        followers.append(metrics.count)
    if settings.on_done is not None or settings.on_bad is not None:
        from pipeline.service.hooks import Commands  # noqa: PLC0415 - few have any

        commands = Commands(settings, log, lambda: stop.requested, lambda: stop.is_late)
        followers.append(stack.enter_context(closing(commands)).tell)

    def on_ended(ended: Ended) -> None:
        for follow in followers:
            follow(ended)

    return on_ended


def _metrics(settings: Settings, log: Log) -> Metrics | None:
    """The metrics, if they are asked for. Raises UsageError."""
    if settings.metrics is None:
        return None
    from pipeline.service.metrics import Metrics  # noqa: PLC0415 - few ask for it

    return Metrics(settings.metrics, settings.inbox, log)


def _jobs(settings: Settings, log: Log, stop: Stop, solvers: Solvers, tuning: Tuning) -> Jobs:
    """The jobs of a run, with their workers. Raises UsageError."""

    def stopping() -> bool:
        return stop.requested

    folders = Folders(settings.inbox, settings.outbox)
    inline = Inline(solvers, settings, stop.computing)
    if settings.cluster is None:
        start = _telling_what_is_slow(tuning.start_worker, settings, log)
        pool = Pool(settings.workers or cores(), settings, stopping, start)
        return Jobs(folders, settings, log, stop.computing, inline, inline, pool, tuning)
    from pipeline.service.cluster import Cluster  # noqa: PLC0415 - few have one

    cluster = Cluster(settings.cluster, settings, stopping, log)
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
    metrics = _metrics(settings, log)
    with _ready(settings, log, on_finished, metrics, tuning, once=True) as (sweeper, stop, alarm):
        code = _pass(sweeper, stop, alarm, metrics, log, on_finished)
        if alarm.waited >= 1:
            log.info("run.waited", seconds=round(alarm.waited, 3))
        if metrics:
            metrics.write()
    return code


def _pass(
    sweeper: Sweeper,
    stop: Stop,
    alarm: Alarm,
    metrics: Metrics | None,
    log: Log,
    on_finished: OnFinished,
) -> int:
    """Sweep until nothing is left that will be complete in time; the exit code."""
    bad, rescan = False, 0.0
    while True:
        thorough = not sweeper.busy or time.monotonic() >= rescan
        if thorough:
            rescan = time.monotonic() + RESCAN_SECONDS
        try:
            swept = _sweep(sweeper, metrics, thorough=thorough)
        except EnvironmentFailure as error:
            log.error("environment.failed", reason=str(error))
            return TRY_AGAIN
        except Interrupted:
            return TRY_AGAIN
        bad = bad or swept.bad
        on_finished(0)
        if stop.requested:
            return TRY_AGAIN
        if swept.again_in is not None:
            alarm.wait(swept.again_in)
        elif not swept.statuses:
            return TRY_AGAIN if sweeper.keeps else SOME_BAD if bad else ALL_WELL


def _sweep(sweeper: Sweeper, metrics: Metrics | None, *, thorough: bool) -> Swept:
    """Sweep; any OSError is the environment's fault."""
    with metrics.scanning() if metrics else nullcontext():
        try:
            return sweeper.sweep(thorough=thorough)
        except OSError as error:
            raise EnvironmentFailure(in_words(error)) from error


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

    metrics = _metrics(settings, log)
    with _ready(settings, log, on_finished, metrics, tuning, once=False) as (sweeper, stop, alarm):
        Folders(settings.inbox, settings.outbox).prepare()
        log.info("watch.started", inbox=printable(str(settings.inbox)))
        with closing(_Keeper(settings, alarm.ring, log)) as keeper:
            sweeps = _Sweeps(sweeper, metrics, log, on_finished)
            regular = POLL_SECONDS if settings.poll else RESCAN_SECONDS
            rescan = 0.0
            while not stop.requested:
                thorough = sweeps.pauses or time.monotonic() >= rescan
                if thorough:
                    keeper.keep_alive()
                    rescan = time.monotonic() + regular
                try:
                    again_in = sweeps.turn(thorough=thorough)
                except Interrupted:
                    break
                if sweeper.busy and not sweeps.pauses:
                    alarm.wait(0.0)
                    continue
                sweeper.rest()
                if again_in is not None:
                    rescan = min(rescan, time.monotonic() + again_in)
                on_idle = no_hook if sweeps.pauses else on_finished
                if not _hinted(alarm, keeper, stop, rescan, on_idle, deaf=sweeps.pauses):
                    rescan = 0.0
        if metrics:
            metrics.write()
    log.info("watch.stopped")


class _Sweeps:
    """Sweeps, with longer and longer pauses while the environment fails."""

    def __init__(
        self, sweeper: Sweeper, metrics: Metrics | None, log: Log, on_finished: OnFinished
    ) -> None:
        self._sweeper = sweeper
        self._metrics = metrics
        self._log = log
        self._on_finished = on_finished
        self._pause = 0.0

    @property
    def pauses(self) -> bool:
        return self._pause > 0

    def turn(self, *, thorough: bool) -> float | None:
        """Sweep once; return in how many seconds to sweep again, if known. Raises Interrupted."""
        try:
            swept = _sweep(self._sweeper, self._metrics, thorough=thorough)
        except EnvironmentFailure as error:
            self._write()
            if not self._pause:
                self._log.error("environment.failed", reason=str(error))
            self._pause = min(max(_FIRST_PAUSE, 2 * self._pause), _LONGEST_PAUSE)
            return self._pause
        self._write()
        if self._pause:
            self._pause = 0.0
            self._log.info("environment.recovered")
        self._on_finished(0)
        return swept.again_in

    def _write(self) -> None:
        if self._metrics:
            self._metrics.write(more_soon=self._sweeper.busy)


def _hinted(
    alarm: Alarm, keeper: _Keeper, stop: Stop, end: float, on_idle: OnFinished, *, deaf: bool
) -> bool:
    """Wait for a hint until `end`, checking on the watcher meanwhile; whether a hint came.

    `on_idle` is called with 0 as often as it asks to be.
    `deaf`: hints do not count, because the environment has failed.
    """
    while (left := end - time.monotonic()) > 0 and not stop.requested:
        due = on_idle(0)
        longest = _LOOK_AFTER_WATCHER if due is None else min(due, _LOOK_AFTER_WATCHER)
        rung = alarm.wait(min(left, longest))
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
