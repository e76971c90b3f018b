"""The names of sets, of their files, and of the folders of originals."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path, PurePath

from pipeline.files import MAX_NAME_BYTES
from pipeline.outbox.schema import ARCHIVE, COLLECTION

_COMPRESSION_SUFFIXES = (".gz", ".bz2", ".xz")
_MAX_SUFFIX_BYTES = 32
"""Maximum length of the part of a file name after the stem, such as `_1234567.solution`."""

COUNT_SUFFIX = "_count"
"""The part after the stem in the name of the formula that excludes the published solutions."""

_SOLUTION_SUFFIX = re.compile(r"_[0-9]+\.solution\Z")
PROOF_SUFFIX = ".proof"
"""The beginning of the suffixes of proof files."""

_PROOF_SUFFIXES = (
    *(f"{PROOF_SUFFIX}{ending}" for ending in (".cnf", ".drat", ".drat.xz", ".lrat", ".lrat.xz")),
    *(".proofs.xz", ".proofs.csv"),
)
"""Suffixes of proof files. Only earlier versions wrote the last two."""

_ANSWER_SUFFIX = rf"_[0-9]+\.solution|{'|'.join(map(re.escape, _PROOF_SUFFIXES))}"
"""Matches the suffix of a solution file or a proof file."""

_OUTPUT_SUFFIX = re.compile(
    rf"(?:{_ANSWER_SUFFIX}|\.json|\.log|\.csv|\.parquet|(?:{COUNT_SUFFIX})?\.cnf)\Z"
)
"""Matches the suffix of any file of a job."""

_ANSWER_NAME = re.compile(rf".+(?:{_ANSWER_SUFFIX})", re.DOTALL)
"""Matches the name of a solution file or a proof file."""

_PUZZLE_SUFFIX = re.compile(
    r"_[1-9][0-9]*\.solution|\.log|(?:_count|\.proof)?\.cnf|\.proof\.[dl]rat(?:\.xz)?"
)
"""Matches the suffixes of the files that the record of a puzzle or formula may list."""

_COLLECTION_SUFFIXES = {
    COLLECTION: re.compile(r"_[1-9][0-9]*\.solution|\.log|\.csv|\.parquet|\.proofs\.(?:xz|csv)"),
    ARCHIVE: re.compile(r"\.csv|\.parquet|\.log"),
}
"""Match the suffixes of the files that other records may list, by the status of the record."""

_SOLUTION_NUMBER = re.compile(r"_([1-9][0-9]{0,8})\.solution")
DONE, FAILED = "done", "failed"
"""The folders of finished originals. Each has shelves: subfolders `2`, `3`, … for further originals
of the same name."""

REPORT = "report.html"
"""The name of the report in an outbox."""

STEPS_ENDING = "-steps"
"""The end of the name of the folder with the pages of steps of a report."""

STEPS_FOLDER = PurePath(REPORT).stem + STEPS_ENDING
"""The name of the folder with the pages of steps of the report in an outbox."""

_RESERVED = frozenset((REPORT, STEPS_FOLDER))
"""No stem may be equal to one of these names."""

LIKELY_STEMS = 4
"""Number of stems of a source that are tried when its published set is searched for."""


def stem_of(name: str) -> str:
    """Remove the compression suffix, if any, and the extension from a file name."""
    path = PurePath(name)
    if path.suffix.lower() in _COMPRESSION_SUFFIXES:
        path = PurePath(path.stem)
    return path.stem


def stems_for(source: str, *, is_folder: bool = False) -> Iterator[str]:
    """Yield the stems that a source may use, in order of preference: `a`, `a.txt`, `a.txt~2`, ….

    The first stem of a folder is its full name. Names of the report are left out.
    """
    if not is_folder and fold(stem := stem_of(source)) not in _RESERVED:
        yield shorten_stem(stem)
    if fold(source) not in _RESERVED:
        yield shorten_stem(source)
    number = 2
    while True:
        yield shorten_stem(source, f"~{number}")
        number += 1


def likely_stems(source: str) -> dict[str, str]:
    """Map the first LIKELY_STEMS stems of a source to their folded forms."""
    return {stem: fold(stem) for stem in islice(stems_for(source), LIKELY_STEMS)}


def shorten_stem(stem: str, ending: str = "") -> str:
    """Append an ending to a stem. If the stem is too long, replace its end by a hash."""
    max_bytes = MAX_NAME_BYTES - _MAX_SUFFIX_BYTES - len(ending)
    raw = os.fsencode(stem)
    if len(raw) > max_bytes:
        hash_suffix = "~" + sha256(raw).hexdigest()[:8]
        stem = raw[: max_bytes - len(hash_suffix)].decode(errors="ignore") + hash_suffix
    return stem + ending


def fold(name: str) -> str:
    """Fold a name: two names that some file system treats as the same have the same folded form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def output_names(stem: str, *, keep_cnf: bool) -> frozenset[str]:
    """The folded names of all files that a job with this stem may write; `#` means any number.

    The stem is among the names, because an archive has a folder with this name.
    """
    suffixes = ["", ".json", ".log", ".csv", ".parquet", "_#.solution", *_PROOF_SUFFIXES]
    if keep_cnf:
        suffixes += [".cnf", f"{COUNT_SUFFIX}.cnf"]
    return frozenset(
        _SOLUTION_SUFFIX.sub("_#.solution", fold(stem + suffix)) for suffix in suffixes
    )


def is_output(name: str) -> bool:
    """Whether a job may write a file with this name."""
    folded = fold(name)
    return job_stem(folded) != folded


def folded_stems(stem: str) -> tuple[str, str]:
    """Fold a stem. Returns it, and the stem of a job that could write a file with this name."""
    folded = fold(stem)
    return folded, job_stem(folded)


def job_stem(folded: str) -> str:
    """The stem of a job that could write a file with this folded name; else the name itself."""
    return _OUTPUT_SUFFIX.sub("", folded)


def claim_key(source: str) -> str:
    """The name of the folder of a source's claim: a hash of the source's name.

    Because the name determines the folder, a source has at most one claim.
    """
    return sha256(os.fsencode(source)).hexdigest()[:32]


def is_file_of_set(name: str, stem: str, status: str) -> bool:
    """Whether the record of a job with this stem and status may list a file with this name."""
    suffix = _COLLECTION_SUFFIXES.get(status, _PUZZLE_SUFFIX)
    return name.startswith(stem) and suffix.fullmatch(name[len(stem) :]) is not None


def solution_names(names: Iterable[str], stem: str) -> list[str]:
    """Select the solution files of the set with this stem, ordered by number."""
    by_number = {}
    for name in names:
        if name.startswith(stem) and (match := _SOLUTION_NUMBER.fullmatch(name[len(stem) :])):
            by_number[int(match[1])] = name
    return [by_number[number] for number in sorted(by_number)]


def is_answer(name: str, stems: Collection[str]) -> bool:
    """Whether a file is a solution or a proof, or a table or formula with one of these stems."""
    if name.endswith((".csv", ".parquet", ".cnf")):
        stem = name.rpartition(".")[0]
        return stem in stems or stem.removesuffix(COUNT_SUFFIX) in stems
    return _ANSWER_NAME.fullmatch(name) is not None


def shelves_in(folder: Path) -> list[Path]:
    """Find the shelves of a folder: `2`, `3`, …. Raises OSError."""
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if entry.name.isdecimal() and entry.is_dir(follow_symlinks=False)
        ]
    return [folder / name for name in sorted(names, key=int)]


def files_in(folder: Path) -> Iterator[Path]:
    """Yield all files and folders in `done` or `failed`, and in the shelves of this folder."""
    return map(Path, paths_in(folder))


def paths_in(folder: Path) -> Iterator[str]:
    """Like `files_in`, but yield strings, which is faster for many files."""
    if not folder.is_dir():
        return
    shelves = {shelf.name for shelf in shelves_in(folder)}
    for name in sorted(os.listdir(folder)):  # noqa: PTH208 - there may be a million
        path = os.path.join(folder, name)  # noqa: PTH118 - as above
        if name in shelves:
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)))  # noqa: PTH118, PTH208
        else:
            yield path
