"""Claims on dropped files, and what is done at a step of the protocol."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from support.drop_folders import DropFolder

from pipeline.service.protocol import AUDIT_PREFIX
from pipeline.service.protocol.claim import Claim, Manifest
from pipeline.service.protocol.claiming import make_claim
from pipeline.service.protocol.settle import fingerprint_of


def manifest_of(
    box: DropFolder, name: str = "a.txt", *, stem: str = "", job: str = "job"
) -> Manifest:
    """The manifest of a claim on what lies in the inbox now."""
    seen = fingerprint_of((box.inbox / name).lstat())
    return Manifest(job, name, stem or name, False, "", seen)


_waiting: dict[str, Callable[[], object]] = {}
"""What `at_step` does; a hook cannot be removed, so that there is one for all."""


@cache
def _hook() -> None:
    def on_event(event: str, _arguments: object) -> None:
        if _waiting and (what := _waiting.pop(event, None)):
            what()

    sys.addaudithook(on_event)


@contextmanager
def at_step(step: str, what: Callable[[], object]) -> Iterator[None]:
    """Do something once, when that step of the protocol is reached in this process."""
    _hook()
    event = AUDIT_PREFIX + step
    _waiting[event] = what
    try:
        yield
        assert event not in _waiting, "the step was reached"
    finally:
        _waiting.pop(event, None)


def claimed(box: DropFolder, name: str = "a.txt", content: str = "original") -> Claim | None:
    """Drop a file and claim it."""
    box.drop(name, content)
    return make_claim(box.folders, manifest_of(box, name))
