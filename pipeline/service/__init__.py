"""The drop folder: watch an inbox, solve what is dropped there, publish the results."""

from __future__ import annotations
