"""How a claim ends: published, kept for a later pass, or released to the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import in_words, printable
from pipeline.service.jobs import Ended, Job, LongJob
from pipeline.service.protocol.checkpointed import has_progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.publish import move_originals, publish
from pipeline.service.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Kept:
    """The outcome of a claim that could not be finished, and is kept for a later pass."""


def publish_and_finish(jobs: Sequence[Job], runtime: Runtime) -> list[Ended]:
    """Publish jobs that are computed, move their originals out of their claims, and log them."""
    sets = [(job.claim, job.published_set()) for job in jobs]
    publish(sets, runtime.folders)
    move_originals([(job.claim, job.is_refused) for job in jobs], runtime.folders, runtime.spares)
    return [
        job.log_end(published, runtime.log) for job, (_, published) in zip(jobs, sets, strict=True)
    ]


def keep(claim: Claim, error: Exception, runtime: Runtime, step: int = 0) -> Kept:
    """Log why a claim is kept. Any exception but OSError counts as an attempt at `step`.

    Raises EnvironmentFailure if the environment is at fault.
    """
    runtime.raise_if_environment(error)
    if isinstance(error, OSError):
        runtime.log_error("job.kept", claim, in_words(error))
    else:
        if claim.is_held:
            claim.count_attempt(step)
        runtime.log_error("job.crashed", claim, in_words(error))
    return Kept()


def release(claim: Claim, job: Job | None, runtime: Runtime) -> None:
    """Return a file to the inbox, unless its publication has begun or it has a checkpoint."""
    if claim.manifest.files:
        runtime.log_error("job.kept", claim, "it is partly published; the next run finishes it")
    elif has_progress(claim):
        runtime.log.info("job.paused", source=printable(claim.manifest.source))
    else:
        try:
            if not claim.put_back(runtime.folders.inbox):
                why = "a newer file of that name is in the inbox; the next run processes both"
                runtime.log_error("job.kept", claim, why)
            elif isinstance(job, LongJob):
                job.discard()
        except OSError as error:
            runtime.log_error("job.kept", claim, in_words(error))
    claim.close()
