"""The site is built without a complaint, and can be read on a phone, from disk and offline."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from contextlib import closing
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from support.browsers import Reader, browser
from support.needs import needs_chromium, needs_mkdocs
from support.pages import PAGES, ROOT

pytestmark = [pytest.mark.browser, needs_mkdocs]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
STILL = "() => Promise.allSettled(document.getAnimations().map((each) => each.finished))"
"""Waits for what moves when a window gets another size, such as the field of the search."""
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
PICTURES = "[...document.images].every(each => each.naturalWidth > 0)"
SITE = [page.removeprefix("docs/").replace(".md", ".html") for page in PAGES if "docs/" in page]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the site, and what MkDocs said."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stderr


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served(built):
    """The address of the site, as a server on this machine gives it."""
    handler = functools.partial(Quiet, directory=built[0])
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_it_is_built_without_a_complaint(built):
    folder, said = built
    assert "WARNING" not in said
    assert all((folder / page).exists() for page in SITE)
    assert not list(folder.rglob("*.py"))
    assert [page for page in SITE if "\\|" in (folder / page).read_text()] == [], "a bar as code"


@needs_chromium
def test_no_page_scrolls_sideways_misses_a_picture_or_asks_for_anything_elsewhere(chromium, built):
    """On a phone and, as most of the time goes into opening it, then made as wide as a desktop."""
    folder, _ = built
    with closing(Reader(chromium, "about:blank", viewport=PHONE)) as reader:
        for page in SITE:
            reader.tab.set_viewport_size(PHONE)
            reader.visit((folder / page).as_uri())
            for size in (PHONE, DESKTOP):
                reader.tab.set_viewport_size(size)
                reader.tab.evaluate(STILL)
                wide, room = reader.tab.evaluate(WIDTHS)
                assert room == size["width"]
                assert wide <= room, page
                assert reader.tab.evaluate(PICTURES), page
            assert [each for each in reader.requests if not each.startswith("file:")] == [], page


SEARCHES = {
    "compiled.missing": "published.html",
    "windows": "install.html",
    "pandas": "data.html",
    "x-wing": "x-wing.html",
    "thermometer": "rules.html",
    "several solutions": "setters.html",
}
"""What people type, and a page that is among the first ten."""


@needs_chromium
@pytest.mark.parametrize("from_disk", [False, True])
def test_the_search_finds_a_page(chromium, built, served, from_disk):
    site = built[0].as_uri() if from_disk else served
    with closing(Reader(chromium, f"{site}/index.html", viewport=DESKTOP)) as reader:
        field = reader.tab.get_by_role("textbox", name="Search")
        for typed, page in SEARCHES.items():
            field.fill("")
            field.press("Backspace")
            reader.tab.get_by_text("Type to start searching").wait_for()  # the index is there
            field.press_sequentially(typed)
            first = ".md-search-result__item:nth-child(-n + 10) > .md-search-result__link"
            reader.tab.locator(f"{first}[href*='{page}']").first.wait_for()
        assert all(each.startswith(site) for each in reader.requests)
        assert reader.said == []
