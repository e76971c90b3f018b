"""Make the pictures of the pages: terminal, web page, sheet and report.

    python docs/pictures.py [NAME...]

Each shows what the program does: `terminal.svg` what it prints on a terminal, `sheet.png` a page
that it prints, `page.png` and `report.png` what Chromium shows. They are in docs/assets/pictures/.
This needs the extra `test`, and Chromium.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdfium2
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "assets" / "pictures"
OURS = f"{sys.executable} -m pipeline"
COLUMNS = 84
TERMINAL = "solve first.txt", "solve --hint=where first.txt", "run"
"""What the picture of the terminal shows, in a folder with a puzzle and an inbox."""

DROPPED = "classic.sudoku", "collection.txt", "even-odd-six-solutions.sudoku", "six.txt"
REFUSED = "wrong.txt", "1...\n..2.\n.3q.\n...4\n"


def terminal(folder: Path) -> bytes:
    """The commands of the tutorial and what they print, as SVG."""
    shutil.copy(ROOT / "examples" / "classic.sudoku", folder / "first.txt")
    _fill_inbox(folder, "classic.sudoku", "killer.txt", "collection.txt")
    (folder / "inbox" / REFUSED[0]).write_text(REFUSED[1])
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    for arguments in TERMINAL:
        console.print(Text.assemble("$ ", (f"sudoku-pipeline {arguments}", "bold")))
        console.print(Text.from_ansi(_shown(f"{OURS} {arguments}", folder)))
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    drawn = console.export_svg(title="", code_format=without_fonts, unique_id="terminal")
    return drawn.encode()


def page(folder: Path) -> bytes:
    """The page of `serve`, after a puzzle was pasted and solved."""
    _fill_inbox(folder, *DROPPED)
    _do("run --settle 0 --quiet", folder)
    with _served(folder) as address, _tab(900, 1000) as tab:
        tab.goto(address)
        tab.locator("textarea").fill((ROOT / "examples" / "line.sdm").read_text())
        tab.keyboard.press("Control+Enter")
        tab.get_by_role("status").get_by_text("unique").wait_for()
        return _small(tab.screenshot(full_page=True))


def sheet(folder: Path) -> bytes:
    """The first page of a sheet for a class."""
    _do("generate 6 --difficulty easy --redundant --givens 34-38 --seed 7 -o class.txt", folder)
    _do("sheet class.txt --per-page 6 --levels --title 'Class 7b' -o class.html", folder)
    with _tab(800, 600) as tab:
        tab.goto((folder / "class.html").as_uri())
        printed = pypdfium2.PdfDocument(tab.pdf(prefer_css_page_size=True))
        return _small(printed[0].render(scale=1.2).to_pil())


def report(folder: Path) -> bytes:
    """The report about some examples."""
    _fill_inbox(folder, *DROPPED, "unsolvable.txt")
    _do("run --settle 0 --quiet --report", folder)
    with _tab(1120, 1480) as tab:
        tab.goto((folder / "outbox" / "report.html").as_uri())
        return _small(tab.screenshot())


PICTURES: dict[str, Callable[[Path], bytes]] = {
    "terminal.svg": terminal,
    "page.png": page,
    "sheet.png": sheet,
    "report.png": report,
}


def _fill_inbox(folder: Path, *names: str) -> None:
    for name in ("inbox", "outbox"):
        (folder / name).mkdir()
    for name in names:
        shutil.copy(ROOT / "examples" / name, folder / "inbox")


def _environment() -> dict[str, str]:
    """Ours, without settings and what turns off colours."""
    kept = {name: value for name, value in os.environ.items() if "SUDOKU_PIPELINE_" not in name}
    kept.pop("NO_COLOR", None)
    return kept | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}


def _do(arguments: str, folder: Path) -> None:
    subprocess.run(f"{OURS} {arguments}", shell=True, cwd=folder, env=_environment(), check=True)


def _shown(line: str, folder: Path) -> str:
    """What a command writes to a terminal, with its escape sequences."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    with subprocess.Popen(
        line.split(), cwd=folder, env=_environment(), stdin=its, stdout=its, stderr=its
    ):
        os.close(its)
        shown = bytearray()
        with suppress(OSError):  # Linux says EIO when the last writer is gone
            while chunk := os.read(ours, 65536):
                shown += chunk
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of a `serve` on the folders there."""
    with subprocess.Popen(
        f"{OURS} serve --port 0 --settle 0".split(),
        cwd=folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield next(iter(process.stdout or ())).split()[-1]  # serving at http://…
        finally:
            process.terminate()


@contextmanager
def _tab(width: int, height: int) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        size = {"width": width, "height": height}
        yield browser.new_page(viewport=size, color_scheme="light")  # type: ignore[arg-type]
        browser.close()


def _small(picture: bytes | Image.Image) -> bytes:
    """A PNG with 64 colours."""
    image = Image.open(io.BytesIO(picture)) if isinstance(picture, bytes) else picture
    small = io.BytesIO()
    image.convert("RGB").quantize(64).save(small, "PNG", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        with TemporaryDirectory() as folder:
            made = PICTURES[name](Path(folder))
        (FOLDER / name).write_bytes(made)
