"""`python -m pipeline.report OUTBOX INBOX`: write the page once for a Keeper."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Never

from pipeline.errors import in_words
from pipeline.exits import STOPPING, TRY_AGAIN, Stopped, taking
from pipeline.report.writing import REPORT, write_report


def main(outbox: Path, inbox: Path) -> None:
    """Write the page; what goes wrong with a file is said on standard error.

    SIGTERM and SIGINT end it with nothing left behind. A Keeper that cannot wait for that kills it.
    """
    try:
        with taking(_stop):
            write_report(outbox, inbox, outbox / REPORT, is_kept=True)
    except Stopped:
        sys.exit(TRY_AGAIN)
    except OSError as error:
        sys.exit(in_words(error))


def _stop(_number: int, _frame: FrameType | None) -> Never:
    """Stop once: Ctrl-C reaches this process before the Keeper's SIGTERM does."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
