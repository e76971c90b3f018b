"""Imported by a process that others are forked from: it has loaded what a run loads."""

import support.breaking  # noqa: F401 - for the runs
from support.warm import warm

warm()
