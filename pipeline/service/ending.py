"""How a claim ends: published, kept for a later pass, or given back to the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import in_words, printable
from pipeline.service.jobs import Ended, Job, LongJob
from pipeline.service.protocol.checkpointed import has_progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.publish import finish, publish
from pipeline.service.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Kept:
    """A claim could not be finished, and is kept for a later pass."""


def finished(jobs: Sequence[Job], runtime: Runtime) -> list[Ended]:
    """Publish jobs whose steps are all done, and move their originals out of the inbox."""
    sets = [(job.claim, job.published_set()) for job in jobs]
    publish(sets, runtime.folders)
    finish([(job.claim, job.is_refused) for job in jobs], runtime.folders, runtime.spares)
    return [job.ended(made, runtime.log) for job, (_, made) in zip(jobs, sets, strict=True)]


def kept(claim: Claim, error: Exception, runtime: Runtime, step: int = 0) -> Kept:
    """Log why a claim is kept. A crash of our own counts as an attempt at `step`.

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


def give_back(claim: Claim, job: Job | None, runtime: Runtime) -> None:
    """Return a file to the inbox, unless its publication has begun or work on it is saved."""
    if claim.manifest.files:
        runtime.log_error("job.kept", claim, "its publication has begun")
    elif has_progress(claim):
        runtime.log.info("job.paused", source=printable(claim.manifest.source))
    else:
        try:
            if not claim.put_back(runtime.folders.inbox):
                runtime.log_error("job.kept", claim, "a file of that name is in the inbox")
            elif isinstance(job, LongJob):
                job.discard()
        except OSError as error:
            runtime.log_error("job.kept", claim, in_words(error))
    claim.close()
