"""Names of sets in an outbox, of their files, and of finished originals."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path, PurePath

from pipeline.files import LONGEST_NAME
from pipeline.outbox.schema import ARCHIVE, COLLECTION

_COMPRESSED = (".gz", ".bz2", ".xz")
_LONGEST_ENDING = 32
"""Room for suffixes of a stem: `_1234567.solution`, `.proof.drat.xz`."""
COUNT_SUFFIX = "_count"
_ANY_NUMBER = re.compile(r"_[0-9]+\.solution\Z")
PROOF = ".proof"
_PROOFS = (
    *(f"{PROOF}{ending}" for ending in (".cnf", ".drat", ".drat.xz", ".lrat", ".lrat.xz")),
    *(".proofs.xz", ".proofs.csv"),
)
"""The last line has files of earlier versions."""
_ANSWER = rf"_[0-9]+\.solution|{'|'.join(map(re.escape, _PROOFS))}"
_ENDING = re.compile(rf"(?:{_ANSWER}|\.json|\.log|\.csv|(?:{COUNT_SUFFIX})?\.cnf)\Z")
_NAMED_LIKE_AN_ANSWER = re.compile(rf".+(?:{_ANSWER})", re.DOTALL)
_OF_ONE = re.compile(
    r"_[1-9][0-9]*\.solution|\.log|(?:_count|\.proof)?\.cnf|\.proof\.[dl]rat(?:\.xz)?"
)
_OF_MANY = {
    COLLECTION: re.compile(r"_[1-9][0-9]*\.solution|\.log|\.csv|\.proofs\.(?:xz|csv)"),
    ARCHIVE: re.compile(r"\.csv|\.log"),
}
"""The endings of file names in a set, after the stem, by the status of the job."""

_NUMBERED = re.compile(r"_([1-9][0-9]{0,8})\.solution")
DONE, FAILED = "done", "failed"
"""The folders of finished originals; each has shelves for originals of the same name."""

REPORT = "report.html"
"""The report of the outbox. No job may use its name."""
MOST_LIKELY = 4
"""Number of a source's stems that are searched for an existing set."""


def stem_of(name: str) -> str:
    """The file name without its last extension, and without a compression suffix after that."""
    path = PurePath(name)
    if path.suffix.lower() in _COMPRESSED:
        path = PurePath(path.stem)
    return path.stem


def stems_for(source: str, *, is_folder: bool = False) -> Iterator[str]:
    """The stems a source may use, the preferred first: `a`, `a.txt`, `a.txt~2` and so on.

    A folder keeps its whole name. None equals the report's name.
    """
    if not is_folder and fold(stem := stem_of(source)) != REPORT:
        yield fitted(stem)
    if fold(source) != REPORT:
        yield fitted(source)
    number = 2
    while True:
        yield fitted(source, f"~{number}")
        number += 1


def likely_stems(source: str) -> dict[str, str]:
    """The MOST_LIKELY stems of a source, each with its folded form."""
    return {stem: fold(stem) for stem in islice(stems_for(source), MOST_LIKELY)}


def fitted(stem: str, ending: str = "") -> str:
    """The stem with its ending, shortened with a hash if names would get too long."""
    room = LONGEST_NAME - _LONGEST_ENDING - len(ending)
    raw = os.fsencode(stem)
    if len(raw) > room:
        mark = "~" + sha256(raw).hexdigest()[:8]
        stem = raw[: room - len(mark)].decode(errors="ignore") + mark
    return stem + ending


def fold(name: str) -> str:
    """The name in NFC, case-folded: equal for names that are the same file on some filesystem."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def outputs(stem: str, *, keep_cnf: bool) -> frozenset[str]:
    """The case-folded names that a job with this stem may write; `#` is any number.

    The stem itself is among them: the folder of an archive.
    """
    endings = ["", ".json", ".log", ".csv", "_#.solution", *_PROOFS]
    if keep_cnf:
        endings += [".cnf", f"{COUNT_SUFFIX}.cnf"]
    return frozenset(_ANY_NUMBER.sub("_#.solution", fold(stem + ending)) for ending in endings)


def is_output(name: str) -> bool:
    """Whether a job may write a file of this name."""
    folded = fold(name)
    return base_of(folded) != folded


def folded_stems(stem: str) -> tuple[str, str]:
    """The folded stem, and the stem of a job that would write a file of this name."""
    folded = fold(stem)
    return folded, base_of(folded)


def base_of(folded: str) -> str:
    """The stem of a job that would write a file of this name; the name itself if none."""
    return _ENDING.sub("", folded)


def key_of(source: str) -> str:
    """The name of a claim's folder: unique to the source, so that only one can be made."""
    return sha256(os.fsencode(source)).hexdigest()[:32]


def is_of_set(name: str, stem: str, status: str) -> bool:
    """Whether a job with that stem and status may list a file of this name."""
    own = _OF_MANY.get(status, _OF_ONE)
    return name.startswith(stem) and own.fullmatch(name[len(stem) :]) is not None


def solutions_among(names: Iterable[str], stem: str) -> list[str]:
    """The solution files of a set, ordered by number."""
    stems = {}
    for name in names:
        if name.startswith(stem) and (match := _NUMBERED.fullmatch(name[len(stem) :])):
            stems[int(match[1])] = name
    return [stems[number] for number in sorted(stems)]


def is_answer(name: str, stems: Collection[str]) -> bool:
    """Whether a file is named like an answer, or like a table or formula of one of these stems."""
    if name.endswith((".csv", ".cnf")):
        stem = name[:-4]
        return stem in stems or stem.removesuffix(COUNT_SUFFIX) in stems
    return _NAMED_LIKE_AN_ANSWER.fullmatch(name) is not None


def shelves_in(folder: Path) -> list[Path]:
    """The folders `2`, `3`, … for further originals of one name. Raises OSError."""
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.name.isdecimal() and e.is_dir(follow_symlinks=False)]
    return [folder / name for name in sorted(names, key=int)]


def files_in(folder: Path) -> Iterator[Path]:
    """All files in `done` or `failed`, including the shelves."""
    return map(Path, paths_in(folder))


def paths_in(folder: Path) -> Iterator[str]:
    """The same as strings, which is faster for large folders."""
    if not folder.is_dir():
        return
    shelves = {shelf.name for shelf in shelves_in(folder)}
    for name in sorted(os.listdir(folder)):  # noqa: PTH208 - there may be a million
        path = os.path.join(folder, name)  # noqa: PTH118 - as above
        if name in shelves:
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)))  # noqa: PTH118, PTH208
        else:
            yield path
