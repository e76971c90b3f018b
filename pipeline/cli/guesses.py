"""Suggest commands for guessed words: `draw`, `run inbox`, `convert a.txt b.svg`."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import get_args

from pipeline.cli.arguments import PUZZLE_PATTERN
from pipeline.errors import UsageError, did_you_mean, printable
from pipeline.settings import Level

_USAGES = {
    "check verify validate valid": (
        "`solve FILE` for a puzzle, `certify PUZZLE SOLUTION` for a solution, `audit` for an outbox"
    ),
    "draw picture image svg png render": "`convert -o NAME.svg FILE`",
    "show view display": "`solve --board FILE`, or `convert -o NAME.svg FILE` for a picture",
    "explain step walkthrough why how logic": "`solve --steps FILE`",
    "hints next": "`solve --hint FILE`",
    "rate rating level levels difficulty grade score": "`solve --traits rating FILE`",
    "minimal minimise minimize redundant": "`solve --traits minimal FILE`",
    "unique uniqueness solutions": "`solve FILE`, or `count FILE`",
    "print page pages worksheet pdf html": "`sheet FILE`, or `sheet -o NAME.pdf FILE`",
    "link url share": "`convert --to f-puzzles-link FILE`, or sudokupad-link",
    "export write save": "`convert -o NAME.csv FILE`",
    "create make new": "`generate N` for puzzles, `init FOLDER` for the folders",
    "duplicate duplicates copies compare equivalent symmetry": (
        "`dedupe FILE…`, or `dedupe --against FILE FILE` for the copies in two files"
    ),
    "start process daemon service": "`run` for one pass over the inbox, `watch` until Ctrl-C",
    "list ls jobs queue progress log": "`status`",
    "clean delete remove": "`prune --older-than 30d`",
    "web server gui ui": "`serve`",
    "settings config": "`init FOLDER`, which writes a settings file, or `doctor`",
    "formats format": "`doctor --formats`",
    "info detect test": "`doctor`, or `doctor FILE` to see how a file is read",
    "benchmark time speed": "`bench FILE`",
    "completion complete": "`sudoku-pipeline --install-completion`",
    "version": "`sudoku-pipeline --version`",
}
"""Words separated by spaces → the commands that may be meant by them."""

_PER_WORD = {word: usage for words, usage in _USAGES.items() for word in words.split()}


def has_usage(word: str) -> bool:
    """Whether there is a suggestion for this guessed command."""
    return word in _PER_WORD


def unknown_option(command: str, option: str, known: Collection[str]) -> str:
    """The message for an option that a command does not have. `known`: its options."""
    message = f"No such option: {printable(option)}"
    if longer := [name for name in known if name.startswith(f"{option}-")]:
        return f"{message}; did you mean {longer[0]}?"
    if usage := _PER_WORD.get(option.removeprefix("--")):
        return f"{message}; use {usage}"
    return message + (did_you_mean(option, known, "--") or f"; see `{command} --help`")


def unknown_command(word: str, known: Collection[str]) -> str:
    """The message for a word that is no command. `known`: all commands."""
    message, shown = f"No such command {printable(repr(word))}", shlex.quote(printable(word))
    if usage := _PER_WORD.get(word):
        return f"{message}; use {usage}"
    if PUZZLE_PATTERN.fullmatch(word):
        return f"{message}; to solve a puzzle, use `solve {shown}`"
    if Path(word).exists():
        return f"{message}; to solve the file, use `solve {shown}`"
    return message + (did_you_mean(word, known) or "; see `sudoku-pipeline -h`")


def unexpected_argument(command: str, word: str, parameters: Collection[str]) -> str:
    """The message for an argument that a command does not take.

    `parameters`: the options of the command, and the names of its arguments.
    """
    shown = shlex.quote(printable(word))
    message = f"{command}: unexpected argument {printable(repr(word))}"
    takes_no_arguments = all(name.startswith("-") for name in parameters)
    if "--difficulty" in parameters and word in get_args(Level):
        return f"{message}; to choose a level, use `{command} --difficulty {shown}`"
    if "--inbox" in parameters and takes_no_arguments:
        if Path(word).is_file():
            return f"{message}; to solve the file, use `solve {shown}`, or copy it to the inbox"
        return f"{message}; to name the inbox, use `{command} --inbox {shown}`"
    return f"{message}; see `{command} -h`"


def check_is_no_target(files: Sequence[Path], endings: Collection[str], command: str) -> None:
    """Raise UsageError if the last of several files is missing and looks like a file to write.

    `endings`: file name endings of the files that the command writes.
    """
    *sources, last = files
    if sources and last.suffix.lower() in endings and not last.exists():
        first, target = (shlex.quote(printable(str(path))) for path in (sources[0], last))
        raise UsageError(
            f"{target}: no such file; to write it, use `{command} -o {target} {first}`"
        )
