"""End a claim: publish its job, keep it for a later pass, or return its file to the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import in_words, printable
from pipeline.service.jobs import EndedJob, Job, LongJob
from pipeline.service.protocol.checkpointed import has_progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.publish import move_originals, publish
from pipeline.service.runtime import Runtime


@dataclass(frozen=True, slots=True)
class KeptClaim:
    """The outcome of a claim that could not be finished and is kept for a later pass."""


def publish_and_finish(jobs: Sequence[Job], runtime: Runtime) -> list[EndedJob]:
    """Publish computed jobs, move their originals to done/ or failed/, and log the results."""
    sets = [(job.claim, job.output_set()) for job in jobs]
    publish(sets, runtime.folders)
    move_originals(
        [(job.claim, job.is_refused) for job in jobs], runtime.folders, runtime.spare_claims
    )
    return [
        job.log_end(published, runtime.log) for job, (_, published) in zip(jobs, sets, strict=True)
    ]


def keep_claim(claim: Claim, error: Exception, runtime: Runtime, step: int = 0) -> KeptClaim:
    """Log why a claim is kept. Unless `error` is an OSError, it counts as an attempt at `step`.

    Raises EnvironmentFailure if the environment is at fault.
    """
    runtime.raise_if_environment_fault(error)
    if isinstance(error, OSError):
        runtime.log_error("job.kept", claim, in_words(error))
    else:
        if claim.is_held:
            claim.count_attempt(step)
        runtime.log_error("job.crashed", claim, in_words(error))
    return KeptClaim()


def release_claim(claim: Claim, job: Job | None, runtime: Runtime) -> None:
    """Return a claimed file to the inbox, unless it is partly published or has a checkpoint."""
    if claim.manifest.files:
        runtime.log_error(
            "job.kept", claim, "its results are partly published; the next run finishes them"
        )
    elif has_progress(claim):
        runtime.log.info("job.paused", source=printable(claim.manifest.source))
    else:
        try:
            if not claim.put_back(runtime.folders.inbox):
                why = "a newer file with this name is in the inbox; the next run processes both"
                runtime.log_error("job.kept", claim, why)
            elif isinstance(job, LongJob):
                job.discard()
        except OSError as error:
            runtime.log_error("job.kept", claim, in_words(error))
    claim.close()
