"""`python -m pipeline.report OUTBOX INBOX`: write the page once for who keeps it."""

from __future__ import annotations

import sys
from pathlib import Path

from pipeline.errors import in_words
from pipeline.report.writing import REPORT, write_report


def main(outbox: Path, inbox: Path) -> None:
    """Write the page; what goes wrong with a file is said on standard error."""
    try:
        write_report(outbox, inbox, outbox / REPORT, is_kept=True)
    except OSError as error:
        sys.exit(in_words(error))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
