"""The page on which puzzles are pasted and dropped, the same for all requests."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from pipeline.outbox.report import content_policy, page_style
from pipeline.version import __version__

_EXAMPLE = "\n".join(
    (
        *("53..7....", "6..195...", ".98....6."),
        *("8...6...3", "4..8.3..1", "7...2...6"),
        *(".6....28.", "...419..5", "....8..79"),
    )
)
"""A puzzle to try."""


def home_page() -> bytes:
    """The page, with its style and its script."""
    html, css, script = (
        Path(__file__).with_name(f"home.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
    style = page_style() + css
    policy = content_policy(style, script, allows_requests=True)
    page = Template(html).substitute(
        policy=escape(policy), style=style, script=script, example=_EXAMPLE, version=__version__
    )
    return page.encode()
