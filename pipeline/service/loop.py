"""The main loops of `run` and `watch`: sweep, wait, repeat, and stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING

from pipeline.errors import (
    EnvironmentFailure,
    MissingFolder,
    check_extra,
    in_words,
    printable,
)
from pipeline.service.claimers import Claimers
from pipeline.service.intake import Intake, SweepSummary
from pipeline.service.jobs import EndedJob
from pipeline.service.log import Display, Log
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.watch import Alarm, Watcher
from pipeline.service.runtime import DEFAULT_TUNING, Runtime, Tuning
from pipeline.service.signals import EXIT_BAD_INPUT, EXIT_OK, EXIT_TEMPFAIL, Interrupted, Stop
from pipeline.service.workers import LocalWorker, Pool, Workers, core_count
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Peer

if TYPE_CHECKING:
    from pipeline.service.doctor import UncompiledPrograms
    from pipeline.service.metrics import Metrics

POLL_SECONDS = 5.0
"""Seconds between thorough sweeps with --poll; without it, `Tuning.rescan_seconds` applies."""

_MIN_PAUSE, _MAX_PAUSE = 1.0, 30.0
"""Minimum and maximum seconds between sweeps while the environment fails."""
_CHECK_WATCHER_SECONDS = 5.0
"""Seconds between checks whether the file watcher is alive."""

OnFinished = Callable[[int], float | None]
"""A callback that gets the number of newly finished jobs.

It returns the seconds after which it must be called again, or None if that can wait until the next
job finishes.
"""


def no_hook(_ended: int) -> None:
    """Do nothing. The default of `on_finished`."""


def run_once(
    settings: Settings,
    log: Log,
    on_finished: OnFinished = no_hook,
    tuning: Tuning = DEFAULT_TUNING,
) -> int:
    """Process all files that are complete now or within the settling time. Returns the exit code.

    0: success. 1: some input was invalid, unknown or failed, or there is no inbox. 75: the
    environment failed, a signal ended the pass, or a file could not be claimed or published. Raises
    UsageError.
    """
    _check_table_format(settings)
    with _Service.start(settings, log, on_finished, tuning, once=True) as service:
        code = _run_pass(service, tuning.rescan_seconds)
        if service.alarm.waited_seconds >= 1:
            log.info("run.waited", seconds=round(service.alarm.waited_seconds, 3))
    return code


def _check_table_format(settings: Settings) -> None:
    """Raise UsageError if the tables cannot be written in the chosen format."""
    if settings.table_format == "parquet":
        check_extra("--table-format parquet", "data", "pyarrow")


def _run_pass(service: _Service, rescan_seconds: float) -> int:
    """Sweep until no file is left that may settle in time. Returns the exit code."""
    bad, rescan = False, 0.0
    while True:
        thorough = not service.intake.long_jobs.runs or time.monotonic() >= rescan
        if thorough:
            rescan = time.monotonic() + rescan_seconds
        try:
            summary = service.sweep(thorough=thorough)
        except EnvironmentFailure as error:
            service.log.error("environment.failed", reason=str(error))
            return EXIT_BAD_INPUT if isinstance(error, MissingFolder) else EXIT_TEMPFAIL
        except Interrupted:
            return EXIT_TEMPFAIL
        bad = bad or summary.is_bad
        service.on_finished(0)
        if service.stop.is_requested:
            return EXIT_TEMPFAIL
        if summary.next_sweep_in is not None:
            service.alarm.wait(summary.next_sweep_in)
        elif not summary.job_count:
            if service.intake.has_postponed:
                return EXIT_TEMPFAIL
            return EXIT_BAD_INPUT if bad else EXIT_OK


def watch(
    settings: Settings,
    log: Log,
    on_finished: OnFinished = no_hook,
    tuning: Tuning = DEFAULT_TUNING,
) -> None:
    """Process dropped files until a stopping signal arrives.

    Raises UsageError, and EnvironmentFailure if the folders cannot be used at the start.
    """
    from pipeline.service.jobs import archive, collection  # noqa: F401, PLC0415 - load before files arrive

    _check_table_format(settings)
    with _Service.start(settings, log, on_finished, tuning, once=False) as service:
        Folders(settings.inbox, settings.outbox).prepare()
        log.info("watch.started", inbox=printable(str(settings.inbox)))
        _WatchLoop(service, settings, tuning.rescan_seconds).run()
    log.info("watch.stopped")


class _WatchLoop:
    """Sweeps after hints and at regular intervals, until a stop signal arrives.

    A hint means that a folder has changed. While the environment fails, hints are ignored, and the
    pauses between sweeps grow.
    """

    def __init__(self, service: _Service, settings: Settings, rescan_seconds: float) -> None:
        self._service = service
        self._watcher = Watcher(settings.inbox, service.alarm.ring, poll=settings.poll)
        self._inbox = printable(str(settings.inbox))
        self._rescan_seconds = POLL_SECONDS if settings.poll else rescan_seconds
        self._has_watcher = self._has_warned = False
        self._rescan_at = self._pause = 0.0

    def run(self) -> None:
        """Sweep until a stop signal arrives."""
        service = self._service
        try:
            while not service.stop.is_requested:
                next_sweep_in = self._sweep()
                if service.intake.long_jobs.runs and not self._pause:
                    if service.alarm.wait(0.0):
                        service.intake.scan_at = 0.0
                    continue
                service.intake.go_idle()
                if next_sweep_in is not None:
                    self._rescan_at = min(self._rescan_at, time.monotonic() + next_sweep_in)
                if not self._wait_for_hint():
                    self._rescan_at = 0.0
        except Interrupted:
            pass
        finally:
            self._watcher.stop()

    def _sweep(self) -> float | None:
        """Sweep once. Returns the seconds until the next sweep, or None to wait for a hint."""
        service, before = self._service, self._pause
        thorough = before > 0 or time.monotonic() >= self._rescan_at
        if thorough:
            self._keep_watching()
            self._rescan_at = time.monotonic() + self._rescan_seconds
        try:
            next_sweep_in = service.sweep(thorough=thorough).next_sweep_in
            self._pause = 0.0
        except EnvironmentFailure as error:
            if not before:
                service.log.error("environment.failed", reason=str(error))
            next_sweep_in = self._pause = min(max(_MIN_PAUSE, 2 * before), _MAX_PAUSE)
        if service.metrics:
            service.metrics.write(is_frequent=bool(service.intake.long_jobs.runs))
        if not self._pause:
            if before:
                service.log.info("environment.recovered")
            service.on_finished(0)
        return next_sweep_in

    def _wait_for_hint(self) -> bool:
        """Wait until a hint comes or the next rescan is due. Returns whether a hint came.

        Returns False at once if the watcher has died.
        """
        service, ignores_hints = self._service, self._pause > 0
        while not service.stop.is_requested:
            if (remaining := self._rescan_at - time.monotonic()) <= 0:
                return False
            due = None if ignores_hints else service.on_finished(0)
            max_wait = _CHECK_WATCHER_SECONDS if due is None else min(due, _CHECK_WATCHER_SECONDS)
            if service.alarm.wait(min(remaining, max_wait)) and not ignores_hints:
                return True
            if not self._watcher.is_alive():
                return False
        return False

    def _keep_watching(self) -> None:
        """Replace a watcher that died or whose folder was replaced.

        If that fails, only the rescans find new files.
        """
        if self._watcher.is_alive():
            return
        self._watcher.stop()
        log = self._service.log
        if self._has_watcher:
            log.warning("watcher.replaced", inbox=self._inbox)
        try:
            self._watcher.start()
            self._has_watcher = True
        except OSError as error:
            self._has_watcher = False
            if not self._has_warned:
                self._has_warned = True
                log.warning("watcher.missing", reason=str(error))


class _Service:
    """The objects that `run` and `watch` both use. `stop` handles signals; `alarm` ends a wait."""

    intake: Intake

    def __init__(
        self, settings: Settings, log: Log, on_finished: OnFinished, stack: ExitStack
    ) -> None:
        self.log = log
        self.on_finished = on_finished
        self.metrics: Metrics | None = None
        self.uncompiled_programs: UncompiledPrograms | None = None
        if settings.metrics is not None:
            from pipeline.service.metrics import Metrics  # noqa: PLC0415 - optional

            self.metrics = Metrics(settings.metrics, settings.inbox, log)
        self.alarm = Alarm()
        stack.callback(self.alarm.close)
        self.stop = Stop(settings.grace, self.alarm.ring)
        stack.enter_context(self.stop.handling_signals())
        self._run_commands: Callable[[EndedJob], None] = lambda _: None
        if settings.on_done is not None or settings.on_bad is not None:
            from pipeline.service.hooks import Commands  # noqa: PLC0415 - optional

            self._run_commands = Commands(settings, log, lambda: self.stop.is_late).run

    @classmethod
    @contextmanager
    def start(
        cls, settings: Settings, log: Log, on_finished: OnFinished, tuning: Tuning, *, once: bool
    ) -> Iterator[_Service]:
        """Start a service with its solvers and workers, and close it at the end.

        Raises UsageError.
        """
        with ExitStack() as stack:
            service = cls(settings, log, on_finished, stack)
            stop = service.stop
            solvers = stack.enter_context(Solvers(settings.solver, settings.minisat))
            if solvers.missing_solver:
                log.info("solver.fallback", reason=solvers.missing_solver, solver="pysat")
            workers = _workers(settings, service, tuning)
            stack.callback(workers.close)
            local = LocalWorker(solvers, settings, stop)
            count = 1 if settings.cluster else settings.workers or core_count()
            # This process mostly waits, so there can be a claimer for each core.
            claimers = count if count > 1 else 0
            runtime = Runtime(
                folders=Folders(settings.inbox, settings.outbox),
                settings=settings,
                log=log,
                stop=stop,
                local=local,
                batch_workers=local if settings.cluster is None else workers,
                pool=workers,
                claimers=Claimers(claimers, settings, tuning.start_worker),
                tuning=tuning,
                leaves_slow_puzzles=claimers > 0,
                is_watching=not once,
            )
            display = Display(log, bar=not settings.quiet and settings.log_format != "json")
            service.intake = Intake(runtime, display, service.on_job_ended, once=once)
            stack.callback(service.intake.close)
            yield service
            if service.metrics:
                service.metrics.write()

    def on_job_ended(self, ended: EndedJob) -> None:
        """Count a finished job in the metrics, and run its commands."""
        self.on_finished(1)
        if self.metrics:
            self.metrics.count(ended)
        self._run_commands(ended)

    def sweep(self, *, thorough: bool) -> SweepSummary:
        """Sweep once. Raises Interrupted, and EnvironmentFailure, also instead of OSError."""
        if self.uncompiled_programs:
            self.uncompiled_programs.check()
        with self.metrics.scanning() if self.metrics else nullcontext():
            try:
                return self.intake.sweep(thorough=thorough)
            except OSError as error:
                raise EnvironmentFailure(in_words(error)) from error


def _workers(settings: Settings, service: _Service, tuning: Tuning) -> Workers:
    """The workers for collections and archives. Raises UsageError."""
    if settings.cluster is not None:
        from pipeline.service.cluster import Cluster  # noqa: PLC0415 - optional

        return Cluster(settings.cluster, settings, service.stop)

    def start(module: str) -> Peer:
        peer = tuning.start_worker(module)
        # Uncompiled code matters only for large jobs, which need workers.
        if service.uncompiled_programs is None:
            from pipeline.service.doctor import UncompiledPrograms  # noqa: PLC0415 - loads numpy

            service.uncompiled_programs = UncompiledPrograms(settings, service.log)
        return peer

    return Pool(settings.workers or core_count(), settings, service.stop, start)
