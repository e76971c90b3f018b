"""A page in a real browser, from disk."""

from __future__ import annotations

from contextlib import contextmanager

from support.needs import CHROMIUM

ROWS = "tbody tr:visible th"


@contextmanager
def browser():
    """Chromium, as long as it is needed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


class Reader:
    """A tab with the page, and what went wrong in it."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(**options)
        self.tab = self.context.new_page()
        self.requests, self.said = [], []
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.visit(address)

    def visit(self, address):
        """Open a page as if none had been open before."""
        self.tab.goto("about:blank")
        self.requests.clear()
        self.said.clear()
        self.tab.goto(address)

    def close(self):
        self.context.close()

    def names(self):
        return self.tab.locator(ROWS).all_text_contents()
