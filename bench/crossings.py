"""How often one dropped file enters each module, and crosses between modules.

    python bench/crossings.py [--edges]

Drops one file into a fresh inbox (a 4×4 puzzle, a zip with that puzzle, a collection of 40 lines)
and runs one pass under a profiler hook. A crossing is a call, or the resumption of a generator, in
which control comes from a function of another module of the package; calls through other libraries
count as coming from the last function of the package. With `--edges`, each pair of functions that
control crosses between is printed, too. The second of two passes is measured, so that
imports and caches do not count. Fewer is not better by itself: joining files lowers numbers too.
"""

from __future__ import annotations

import io
import sys
import threading
import zipfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from folders import fresh_folder

import pipeline
from pipeline.service.log import LazyLog
from pipeline.service.loop import run_once
from pipeline.settings import Settings

PUZZLE = b"1...\n..2.\n.3..\n...4\n"
LINE = b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n"
ROOT = Path(pipeline.__file__).parent
SHOWN = ("service/", "outbox/")


def zip_of(name: str, data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, data)
    return packed.getvalue()


class Crossings:
    """Counts calls from one module of the package to another, as a profiler hook of any thread."""

    def __init__(self) -> None:
        self.calls = Counter[tuple[str, str]]()
        self.edges = Counter[tuple[str, str, str, str]]()
        self.functions: set[Any] = set()
        self._modules: dict[str, str] = {}

    def hook(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not (callee := self._module_of(frame)):
            return
        self.functions.add(frame.f_code)
        caller = frame.f_back
        while caller and not self._module_of(caller):
            caller = caller.f_back
        source = self._module_of(caller) if caller else ""
        if source != callee:
            self.calls[source, callee] += 1
            own = caller.f_code.co_qualname if caller else ""
            self.edges[source, callee, own, frame.f_code.co_qualname] += 1

    def _module_of(self, frame: FrameType) -> str:
        """The module of a frame, as `service/job`; empty outside the package."""
        name = frame.f_code.co_filename
        if name not in self._modules:
            path = Path(name)
            inside = path.is_relative_to(ROOT)
            self._modules[name] = str(path.relative_to(ROOT).with_suffix("")) if inside else ""
        return self._modules[name]


def crossings_of(name: str, data: bytes) -> Crossings:
    """The crossings of one pass over this file alone."""
    found = Crossings()
    with fresh_folder() as folder:
        settings = Settings(inbox=folder / "inbox", outbox=folder / "outbox", settle=0, workers=1)
        for is_counted in (False, True):
            settings.inbox.mkdir(exist_ok=True)
            (settings.inbox / f"{is_counted}-{name}").write_bytes(data)
            if is_counted:
                threading.setprofile(found.hook)
                sys.setprofile(found.hook)
            code = run_once(settings, LazyLog(quiet=True))
            sys.setprofile(None)
            threading.setprofile(None)
            assert code == 0
    return found


def main() -> None:
    files = {
        "one 4×4 file": ("a.txt", PUZZLE),
        "a member of a zip": ("a.zip", zip_of("a.txt", PUZZLE)),
        "a collection of 40 lines": ("lines.txt", LINE * 40),
    }
    for what, (name, data) in files.items():
        found = crossings_of(name, data)
        inner = [
            count
            for (caller, callee), count in found.calls.items()
            if caller.startswith(SHOWN) and callee.startswith(SHOWN)
        ]
        modules = {callee for _, callee in found.calls}
        print(
            f"{what}: {len(found.functions)} functions of {len(modules)} modules, "
            f"{found.calls.total()} crossings, {sum(inner)} inside service/ and outbox/"
        )
        entries = Counter[str]()
        for (_, callee), count in found.calls.items():
            entries[callee] += count
        for module, count in entries.most_common():
            if module.startswith(SHOWN):
                print(f"  {count:5} into {module}")
        if "--edges" in sys.argv:
            for (source, callee), count in found.calls.most_common():
                print(f"  {count:5} {source} -> {callee}")
                for (*pair, caller, called), times in found.edges.most_common():
                    if pair == [source, callee]:
                        print(f"  {times:9} {caller} -> {called}")


if __name__ == "__main__":
    main()
