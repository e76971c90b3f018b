"""What a command loads before it has anything to do: most of the time of a start is loading."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import get_args

import pytest
from support.dropping import environment

from pipeline.cli.commands import COMMANDS
from pipeline.reading.formats import FORMAT_NAMES
from pipeline.settings import FormatChoice

SLOW = {"jinja2", "msgspec", "numpy", "pydantic", "pysat", "rich", "watchdog"}
AT_EXIT = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"


def loaded_by(*arguments: str) -> set[str]:
    """What is loaded when a command has ended, which must end well."""
    code = f"{AT_EXIT}; sys.argv[1:] = {arguments!r}; from pipeline.cli import main; main()"
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    return {*ended.stderr.split()}


def ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.startswith("pipeline.")}


@pytest.mark.parametrize("arguments", [(), *((name,) for name in COMMANDS)], ids=" ".join)
def test_help_loads_only_the_command_line(arguments):
    loaded = loaded_by(*arguments, "--help")
    own = {name for name in ours(loaded) if not name.startswith("pipeline.cli.commands")}
    parts = ("cli", "cli.options", "cli.program", "errors", "service", "service.exits")
    assert own == {f"pipeline.{part}" for part in (*parts, "settings", "version")}
    assert not (SLOW - {"rich"}) & loaded


def test_the_formats_of_the_help_are_those_of_the_parsers():
    assert get_args(FormatChoice) == ("auto", *FORMAT_NAMES)


def test_a_run_without_files_loads_no_parser_and_no_solver(tmp_path):
    (tmp_path / "inbox").mkdir()
    folders = ("--inbox", str(tmp_path / "inbox"), "--outbox", str(tmp_path / "outbox"))
    loaded = loaded_by("run", *folders, "--solver", "pysat", "--timeout", "5")
    assert "pipeline.service.loop" in ours(loaded)
    rooms = (
        "catalogue",
        "certify",
        "puzzle.rules",
        "native",
        "reading.formats",
        "reading.archives.walk",
    )
    parts = ("cnf", "encode", "explain", "many", "one", "problem", "solvers.minisat")
    for part in (*rooms, *(f"solving.{part}" for part in parts), "service.sinks.table"):
        assert importlib.util.find_spec(f"pipeline.{part}"), "the layout has changed"
        assert f"pipeline.{part}" not in loaded
    assert not {*SLOW, "concurrent.futures", "multiprocessing.connection"} - {"msgspec"} & loaded
