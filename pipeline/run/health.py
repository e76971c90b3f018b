"""The health file: for a monitor that reads a file rather than calls a command."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pipeline.dropbox.folders import write_new
from pipeline.errors import in_words
from pipeline.log import Log
from pipeline.record import timestamp


class Health:
    """Replaces a small JSON file, whole, after every scan."""

    def __init__(self, path: Path | None, log: Log) -> None:
        self._path = path
        self._log = log
        self._failed = False
        self._started = timestamp(datetime.now(UTC))
        self._finished: Counter[str] = Counter()

    def tell(self, finished: dict[str, int], failure: str | None) -> None:
        """Write how the last scan went: jobs per status since the start, what failed if so.

        That the file cannot be written is said once, and hinders nothing.
        """
        self._finished.update(finished)
        if self._path is None:
            return
        state = {
            "healthy": failure is None,
            "failure": failure,
            "pid": os.getpid(),
            "started": self._started,
            "scanned": timestamp(datetime.now(UTC)),
            "finished": dict(sorted(self._finished.items())),
        }
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}.tmp")
        try:
            fresh.unlink(missing_ok=True)
            write_new(fresh, [json.dumps(state, indent=1) + "\n"])
            fresh.replace(self._path)
            self._failed = False
        except OSError as error:
            with suppress(OSError):
                fresh.unlink()
            if not self._failed:
                self._log.warning("health.failed", reason=in_words(error))
            self._failed = True
