"""The templates, style sheets and scripts in this folder, and the content security policy."""

from __future__ import annotations

import base64
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import duration
from pipeline.outbox.report.charts import time_text
from pipeline.outbox.report.published_jobs import shorten
from pipeline.outbox.report.views import PAGE_CARDS

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent


@cache
def template(name: str) -> Template:
    """Load a template from this folder. The first call takes about 0.2 s."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow

    loader = FileSystemLoader(_FOLDER)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.globals["page_size"] = PAGE_CARDS
    environment.filters |= {
        "grouped": "{:,}".format,
        "duration": duration,
        "moment": time_text,
        "shortened": shorten,
    }
    return environment.get_template(name)


@cache
def read_asset(name: str) -> str:
    """Read a text file from this folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def content_policy(style: str, script: str = "", *, allows_requests: bool = False) -> str:
    """The content security policy, which allows only the page's own style and script.

    `allows_requests`: the script may make requests to the server of the page.
    """
    hashes = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    sources = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*hashes)
    sources += "; connect-src 'self'" if allows_requests else ""
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
