"""The log: event names with values, by structlog, on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any, Protocol, TextIO, cast

from pipeline.settings import LogFormat


class Log(Protocol):
    def info(self, event: str, **values: Any) -> None: ...
    def warning(self, event: str, **values: Any) -> None: ...
    def error(self, event: str, **values: Any) -> None: ...


class _StandardError:
    """The current standard error: while a progress bar is shown, it writes above the bar."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class LazyLog:
    """A log that loads structlog at the first event that is shown.

    Loading takes an eighth of a second, half the start of a command that logs nothing.
    """

    def __init__(self, log_format: LogFormat, *, quiet: bool) -> None:
        self._format = log_format
        self._quiet = quiet
        self._log: Any = None

    def info(self, event: str, **values: Any) -> None:
        if not self._quiet:
            self._say("info", event, values)

    def warning(self, event: str, **values: Any) -> None:
        self._say("warning", event, values)

    def error(self, event: str, **values: Any) -> None:
        self._say("error", event, values)

    def _say(self, level: str, event: str, values: dict[str, Any]) -> None:
        with suppress(OSError, ValueError):  # a full disk under the log must not stop the work
            getattr(self._structlog(), level)(event, **values)

    def _structlog(self) -> Any:
        if self._log is None:
            import structlog  # noqa: PLC0415 - see above

            console = self._format == "console" or (self._format == "auto" and sys.stderr.isatty())
            renderer: Any = (
                structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
                if console
                else structlog.processors.JSONRenderer()
            )
            self._log = structlog.wrap_logger(
                structlog.PrintLogger(cast("TextIO", _StandardError())),
                processors=[
                    structlog.processors.add_log_level,
                    structlog.processors.TimeStamper(fmt="iso", utc=True),
                    renderer,
                ],
            )
        return self._log
