"""What killed runs leave in their folders, kept as text, so that later versions can take it up.

As a program this writes what the present version leaves. Run it for each release, and when
CHECKPOINT_FORMAT is raised; older files stay:

    PYTHONPATH=.:tests .venv/bin/python -m support.old_jobs tests/golden/in-work/NAME.json
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from support.breakers import NOTED, Bench
from support.drop_folders import SMALL, TWO_SOLUTIONS, DropFolder
from support.sources import collection

from pipeline.service.protocol.claim import MANIFEST, last_json_object
from pipeline.service.protocol.claiming import identity

FOLDER = Path(__file__).parents[1] / "golden" / "in-work"
INODE, INBOX, OUTBOX = "<inode>", "<inbox>", "<outbox>"
"""In place of the numbers that depend on where the folders are."""

KILLED = {
    "puzzle claimed": ("puzzle", "claim.placed", 1),
    "puzzle begun": ("puzzle", "attempt.counted", 1),
    "puzzle half published": ("puzzle", "publish.renaming", 1),
    "puzzle published": ("puzzle", "publish.recorded", 1),
    "collection begun": ("collection", NOTED, 2),
    "collection half published": ("collection", "publish.renaming", 2),
    "folder begun": ("folder", NOTED, 2),
    "folder half published": ("folder", "publish.renaming", 1),
}
"""What was dropped, and the step at which the run was killed, for the nth time that it came."""

Left = dict[str, str]
"""The text of each file, by its path; a byte is a character."""


def drop(box: DropFolder, what: str) -> None:
    if what == "folder":
        (box.inbox / "set" / "inner").mkdir(parents=True)
        for name, text in (("one.txt", SMALL), ("two.txt", TWO_SOLUTIONS), ("bad.txt", "hello\n")):
            (box.inbox / "set" / name).write_text(text)
        (box.inbox / "set" / "inner" / "lines.txt").write_bytes(collection(22))
    else:
        box.drop("set", TWO_SOLUTIONS if what == "puzzle" else collection())


def _source(box: DropFolder) -> Path:
    """What was dropped, wherever it is by now."""
    places = (*box.inbox.glob(".work/[!.]*/set"), box.inbox / "set", box.inbox / "done" / "set")
    return next(path for path in places if path.exists())


def _folders(box: DropFolder) -> dict[str, str]:
    return {INBOX: identity(box.inbox.stat()), OUTBOX: identity(box.outbox.stat())}


def _numbers(box: DropFolder) -> dict[str, str]:
    """What stands for each of these here."""
    inode = f'"fingerprint": [{_source(box).stat().st_ino},'
    return _folders(box) | {f'"fingerprint": [{INODE},': inode}


def _replaced(text: str, others: dict[str, str]) -> str:
    for each, other in others.items():
        text = text.replace(each, other)
    return text


def kept(box: DropFolder) -> Left:
    """What is in the folders."""
    found, tokens = {}, {number: token for token, number in _numbers(box).items()}
    tokens[f" on {os.uname().nodename}\n"] = " on another\n"
    for folder in (box.inbox, box.outbox):
        for path in sorted(filter(Path.is_file, folder.rglob("*"))):
            name = str(path.relative_to(box.inbox.parent))
            text = path.read_bytes().decode("latin-1")
            found[_replaced(name, tokens)] = _replaced(text, tokens)
    return found


def restore(box: DropFolder, left: Left) -> None:
    """Have in the folders what was in them."""
    box.outbox.mkdir()
    for manifests in (False, True):  # they name the inode of a file, which must be there
        for name, text in left.items():
            if manifests == name.endswith(MANIFEST):
                numbers = _numbers(box) if manifests else _folders(box)
                path = box.inbox.parent / _replaced(name, numbers)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_replaced(text, numbers).encode("latin-1"))
    source = _source(box)
    for manifest in box.inbox.glob(f".work/[!.]*/{MANIFEST}"):
        if source.is_file():
            modified = last_json_object(manifest)["fingerprint"][2]
            os.utime(source, ns=(modified, modified))


def main(path: Path) -> None:
    found = {}
    with TemporaryDirectory() as top:
        for state, (what, step, nth) in KILLED.items():
            bench = Bench.within(Path(top) / state)
            drop(bench.box, what)
            assert bench.run(step=step, nth=nth)[0] == -signal.SIGKILL, state
            found[state] = kept(bench.box)
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
