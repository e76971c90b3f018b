"""Claims on dropped files, made here or by processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from support.drop_folders import DropFolder, environment

from pipeline.service.protocol import AUDIT_PREFIX
from pipeline.service.protocol.claim import Claim, Manifest
from pipeline.service.protocol.claiming import make_claim
from pipeline.service.protocol.settle import fingerprint_of

CLAIMING = """
import signal, sys
from pathlib import Path
from pipeline.service.protocol.claiming import make_claim
from pipeline.service.protocol.claim import Manifest
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.settle import fingerprint_of
folders = Folders(Path(sys.argv[1]), Path(sys.argv[2]))
def claim(name):
    try:
        seen = fingerprint_of((folders.inbox / name).lstat())
    except FileNotFoundError:
        return None
    return make_claim(folders, Manifest(f"{sys.argv[3]}-{name}", name, name, False, "", seen))
print("ready", flush=True)
sys.stdin.readline()
"""


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


@contextmanager
def claiming(box: DropFolder, what: str, name: str = "job") -> Iterator[subprocess.Popen[str]]:
    """A process that does this with `claim` when told to `go`; it is killed in the end."""
    argv = [sys.executable, "-c", CLAIMING + what, str(box.inbox), str(box.outbox), name]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            yield child
        finally:
            child.kill()


def go(child: subprocess.Popen[str]) -> None:
    child.stdin.write("go\n")
    child.stdin.flush()
