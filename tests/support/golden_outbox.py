"""The outbox of a release, which later versions must read, audit and report.

    PYTHONPATH=tests python -m support.golden_outbox

writes the one of this version, in place of an earlier attempt.
"""

from __future__ import annotations

import io
import shutil
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from support.drop_folders import SMALL, DropFolder
from support.puzzles import EVEN_ODD, NONE, TWO

from pipeline.version import __version__

GOLDEN = Path(__file__).parents[1] / "outbox" / "golden"
EXAMPLES = Path(__file__).parents[2] / "examples"
COPIED = (
    *("colours.cnf", "f-puzzles-link.txt", "jigsaw-grid.txt", "list.json", "wordoku.txt"),
    *("opensudoku.opensudoku", "simple-sudoku.ss", "spreadsheet.csv"),
)
"""Examples in notations whose solutions or clauses may change."""

LINES = "".join("".join(text.split()) + "\n" for text in (SMALL, TWO, NONE)) + "hello\n"
CAGED = ".Shape~4x4.~R1C1_1.Cage~3~R1C1~R1C2.Cage~6~R2C4~R3C4~R4C4\n"
FIRST: dict[str, str | bytes] = {
    "one.txt": SMALL,
    "none.txt": NONE,
    "bad.txt": "1...\n..k.\n....\n....\n",
    "lines.txt": LINES,
}
PROVED = {"two.txt": TWO, "marks.txt": EVEN_ODD, "caged.txt": CAGED, "proved.txt": LINES[:34]}
"""Dropped for a run that proves all, and finds redundant givens and rules."""


def archive() -> bytes:
    """A zip file with the same bytes at any time."""
    members = {
        "one.txt": SMALL,
        "in/lines.txt": LINES,
        "in/caged.txt": CAGED,
        "bad.txt": FIRST["bad.txt"],
        "readme.txt": "hello\n",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, text in members.items():
            packed.writestr(zipfile.ZipInfo(name), text)
    return file.getvalue()


def write(target: Path) -> None:
    """Write the inbox and the outbox of this version to a folder."""
    with TemporaryDirectory() as folder:
        box = DropFolder.within(Path(folder))
        examples = {name: (EXAMPLES / name).read_bytes() for name in COPIED}
        for files, options in (
            (FIRST | examples | {"set.zip": archive()}, ("--table-format", "parquet")),
            (PROVED, ("--prove", "always", "--traits", "minimal")),
        ):
            for name, content in files.items():
                box.drop(name, content)
            result = box.run("--settle", "0", *options)
            if result.returncode not in (0, 1):
                sys.exit(result.stderr)
        shutil.rmtree(target, ignore_errors=True)
        for path in (box.outbox, box.inbox / "done", box.inbox / "failed"):
            hidden = shutil.ignore_patterns(".*")
            shutil.copytree(path, target / path.relative_to(box.inbox.parent), ignore=hidden)


if __name__ == "__main__":
    write(GOLDEN / __version__)
