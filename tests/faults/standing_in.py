"""`watch` with a stand-in for all that follows a claim: the original goes to done at once.

Run as a script it does that, and nothing is made to last: what is tried is only whether every
file is seen and claimed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from pipeline.cli import main
from pipeline.dropbox.claim import Claim
from pipeline.run.job import Jobs
from pipeline.run.together import Together


def process(jobs: Jobs, claim: Claim) -> str:
    claim.original.rename(jobs.folders.done / claim.note.source)
    claim.remove()
    return "unique"


def process_together(together: Together, claims: Sequence[Claim]) -> list[str]:
    return [process(together._jobs, claim) for claim in claims]


if __name__ == "__main__":
    os.fsync = lambda descriptor: None
    Jobs.process = process  # type: ignore[method-assign]
    Together.process = process_together  # type: ignore[method-assign]
    sys.argv[0] = "sudoku-pipeline"
    main()
