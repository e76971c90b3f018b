"""The tree of errors, and how errors speak."""

from __future__ import annotations

import errno
import os
import re

import pytest

from pipeline import errors
from pipeline.errors import (
    EnvironmentFailure,
    InvalidPuzzle,
    LimitReached,
    PipelineError,
    SolverMissing,
    UsageError,
    counted,
    in_words,
    is_environmental,
    printable,
    shortened,
)


def drawn() -> dict[str, str]:
    """Class → parent, from the drawing in the docstring: its depth is where its name begins."""
    parents, path = {}, []
    for line in errors.__doc__.splitlines():
        match = re.match(r"((?:[│├└ ]\S*\s{0,3})*)([A-Z]\w+)(\s{2,}|$)", line)
        if not match or not (match[1] or match[2] == "PipelineError"):
            continue
        depth = len(match[1]) // 4
        path[depth:] = [match[2]]
        if depth:
            parents[match[2]] = path[depth - 1]
    return parents


def descendants(kind: type) -> set[type]:
    below = {found for found in kind.__subclasses__() if found.__module__ == errors.__name__}
    return below.union(*map(descendants, below))


def test_the_tree_is_as_it_is_drawn():
    known = {kind.__name__: kind.__bases__[0].__name__ for kind in descendants(PipelineError)}
    assert drawn() == known
    assert issubclass(SolverMissing, UsageError)


@pytest.mark.parametrize(
    ("line", "column", "where"), [(None, None, ""), (3, None, ":3"), (3, 5, ":3:5")]
)
def test_a_refusal_says_where_what_was_expected_and_what_was_found(line, column, where):
    error = InvalidPuzzle("a.txt", line, column, "a digit", "'x'")
    assert str(error) == f"a.txt{where}: expected a digit, found 'x'"


def test_a_refusal_shows_no_control_character_of_the_files_name():
    error = InvalidPuzzle("a\x1b[31m\n\udcff.txt", 1, 2, "a digit", "'x'")
    assert str(error) == r"a\x1b[31m\n\udcff.txt:1:2: expected a digit, found 'x'"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", ""),
        ("rätsel 数独.txt", "rätsel 数独.txt"),
        ("a\tb\r\n", r"a\tb\r\n"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\udcff", r"\udcff"),
        ("\U000e0001", r"\U000e0001"),
    ],
)
def test_a_name_is_shown_with_everything_unprintable_escaped(name, shown):
    assert printable(name) == shown
    assert printable(name).isprintable()


def test_a_long_text_is_shortened_with_an_ellipsis():
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"


def test_numbers_go_with_their_noun():
    assert [counted(number, "row") for number in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EFBIG])
def test_a_lack_of_room_or_descriptors_is_the_environments_fault(number):
    assert is_environmental(OSError(number, os.strerror(number)))


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.EISDIR, None])
def test_a_wrong_path_is_not(number):
    assert not is_environmental(OSError(number, "wrong"))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space", "a\nb"), r"a\nb: No space"),
        (OSError(errno.ENOSPC, "No space", b"\xff"), r"\udcff: No space"),
        (OSError(errno.ENOSPC, "No space"), "No space"),
        (OSError("something else"), "something else"),
    ],
)
def test_an_operating_systems_error_is_said_in_words_with_its_file(error, words):
    assert in_words(error) == words


def test_errors_on_purpose_have_one_root_and_do_not_hide_as_others():
    for kind in (EnvironmentFailure, LimitReached, UsageError):
        assert issubclass(kind, PipelineError)
        assert not issubclass(kind, OSError | ValueError)
