"""A page in a real browser, from disk."""

from __future__ import annotations

from contextlib import contextmanager

from support.needs import CHROMIUM

ROWS = "tbody tr:visible th"
PAGE_OPEN = "details[open] .card"
WITHOUT_TIME = """
    window.due = { begun: 0, seconds: 0 };
    window.setTimeout = (end, wait) => {
        due = { end, seconds: wait / 1000, begun: due.begun + 1 };
    };
    window.clearTimeout = () => { due.seconds = 0; };
"""
"""A page that waits does so until a test says otherwise."""


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

    def __init__(self, browser, address, *, has_time=True, **options):
        self.context = browser.new_context(**options)
        if not has_time:
            self.context.add_init_script(WITHOUT_TIME)
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

    def patience(self):
        """How many seconds the page waits before it loads itself anew; 0: it never will."""
        return self.tab.evaluate("due.seconds")

    def waits_anew(self, act):
        """Whether it begins to wait again when something is done."""
        before = self.tab.evaluate("due.begun")
        act()
        return self.tab.evaluate("due.begun") > before

    def wait_for_renewal(self):
        """Let the page wait no longer, and load itself anew."""
        with self.tab.expect_event("load"):
            self.tab.evaluate("due.end()")

    def stays(self):
        """Whether the page stays, and waits again, when it has waited long enough."""
        self.tab.evaluate("document.title = 'opened'")
        waits = self.waits_anew(lambda: self.tab.evaluate("due.end()"))
        return waits and self.tab.evaluate("document.title === 'opened' && history.state === null")
