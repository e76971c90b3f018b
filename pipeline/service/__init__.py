"""The drop folder: watch an inbox, solve the files dropped there, and publish the results."""

from __future__ import annotations
