"""Shell completion: the values that shells offer, and the words that they pass."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import get_args

import typer

from pipeline.settings import TraitName

VARIABLE = "_SUDOKU_PIPELINE_COMPLETE"
"""The environment variable by which a shell asks for completions."""

_BASH_LINE, _BASH_INDEX, _LINE = "COMP_WORDS", "COMP_CWORD", "_TYPER_COMPLETE_ARGS"
"""Environment variables with the command line: for bash its words and an index, else one line."""


def complete_technique(incomplete: str) -> list[str]:
    """The techniques of HoDoKu that begin with this text, with hyphens for spaces."""
    from pipeline.steps.orders import ORDERS  # noqa: PLC0415 - slow to load

    names = (technique.name.replace(" ", "-") for technique in ORDERS["hodoku"])
    return [name for name in names if name.casefold().startswith(incomplete.casefold())]


def complete_traits(incomplete: str) -> list[str]:
    """The traits that continue a list separated by commas."""
    return _continue_list(incomplete, get_args(TraitName))


def complete_solvers(incomplete: str) -> list[str]:
    """The solvers of `bench` that continue a list separated by commas."""
    from pipeline.solving.solvers.pysat import engine_names  # noqa: PLC0415 - slow to load

    return _continue_list(incomplete, ("minisat", *engine_names()))


def complete_checker() -> list[str]:
    """The proof checkers that are known to work."""
    return ["cake_lpr", "lrat-check"]


def complete_failed(context: typer.Context) -> list[str]:
    """The names of failed files that are not arguments yet.

    Names with a backslash or an unprintable character are left out: they cannot be escaped for all
    shells, and zsh would evaluate a command after a backslash.
    """
    from pipeline.outbox.names import FAILED, files_in  # noqa: PLC0415 - slow to load

    given = context.params.get("names") or ()
    files = files_in(Path(context.params["inbox"]) / FAILED)
    return [
        _escape(name)
        for name in dict.fromkeys(path.name for path in files if path.name)
        if name not in given and name.isprintable() and "\\" not in name
    ]


def _continue_list(incomplete: str, names: Iterable[str]) -> list[str]:
    """Complete the last name of a list separated by commas; returns whole lists."""
    *given, _ = incomplete.split(",")
    return [",".join((*given, name)) for name in names if name not in given]


def _escape(name: str) -> str:
    """Escape a name for bash, which inserts completions as they are; other shells escape them."""
    is_bash = os.environ.get(VARIABLE, "").endswith("bash")
    return re.sub(r"([^\w@%+=:,./~-])", r"\\\1", name) if is_bash else name


def prepare_words(
    environment: MutableMapping[str, str], optional: Mapping[str, tuple[str, ...]]
) -> None:
    """Change the command line in the environment to what click expects.

    Bash splits `--solver=mini` at the `=`, so its three words are joined. An option without its
    optional value gets the default, so that the next word is not taken for the value.

    `optional`: option → its values, the default first.
    """
    if _BASH_LINE in environment:
        try:
            words = shlex.split(environment[_BASH_LINE])
        except ValueError:  # a quote is not closed
            return
        index = int(environment[_BASH_INDEX])
        words = _join_values((*words, "")[: index + 1])
        *before, last = words
        words = [f"{word}={optional[word][0]}" if word in optional else word for word in before]
        environment[_BASH_LINE] = shlex.join((*words, last))
        environment[_BASH_INDEX] = str(len(words))
    elif optional and _LINE in environment:
        pattern = rf"(?<=\s)({'|'.join(map(re.escape, optional))})(?=\s)"
        environment[_LINE] = re.sub(
            pattern, lambda match: f"{match[1]}={optional[match[1]][0]}", environment[_LINE]
        )


def _join_values(words: Iterable[str]) -> list[str]:
    """Join the words `--option`, `=` and `value`."""
    joined: list[str] = []
    is_value = False
    for word in words:
        is_equals = word == "=" and bool(joined) and re.fullmatch(r"--[\w-]+", joined[-1])
        if is_equals or is_value:
            joined[-1] += word
        else:
            joined.append(word)
        is_value = bool(is_equals)
    return joined
