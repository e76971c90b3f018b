"""Make docs/report.png: the page about some examples, as Chromium shows it.

    python docs/picture.py

It needs playwright, of the extra `test`, and Chromium.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from pipeline.outbox.report import REPORT, write_report
from pipeline.service.log import LazyLog
from pipeline.service.loop import run_once
from pipeline.settings import Settings

ROOT = Path(__file__).parents[1]
PICTURE = Path(__file__).with_name("report.png")
SIZE = {"width": 1120, "height": 1480}
SHOWN = (
    "classic.sudoku",
    "collection.txt",
    "even-odd-six-solutions.sudoku",
    "six.txt",
    "unsolvable.txt",
)


def write_page(folder: Path) -> Path:
    """Solve some examples in that folder; the page about them."""
    inbox, outbox = folder / "inbox", folder / "outbox"
    inbox.mkdir()
    for name in SHOWN:
        shutil.copy(ROOT / "examples" / name, inbox)
    run_once(Settings(inbox=inbox, outbox=outbox, settle=0), LazyLog(quiet=True))
    write_report(outbox, inbox, outbox / REPORT)
    return outbox / REPORT


def take_picture(page: Path, picture: Path) -> None:
    """What Chromium shows of a page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page(viewport=SIZE, color_scheme="light")
        tab.goto(page.as_uri())
        tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        take_picture(write_page(Path(name)), PICTURE)
