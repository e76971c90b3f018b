"""Sources of many puzzles that are dropped, and what comes of them."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from support.archives import zip_info, zip_of
from support.drop_folders import NO_SOLUTION, OTHER, SMALL, SMALL_SOLVED, TWO_SOLUTIONS, DropFolder

SOLVED = "".join(SMALL_SOLVED.split())
BLANK = "." * 16


@dataclass(frozen=True)
class Line:
    """A line of a collection, and what is to come of it: a first solution, if one is known."""

    text: str
    status: str
    first: str | None = None


GOOD = Line("".join(SMALL.split()), "unique", SOLVED)
ODD = (
    Line("hello", "invalid", BLANK),
    Line("".join(NO_SOLUTION.split()), "unsolvable", BLANK),
    Line("".join(TWO_SOLUTIONS.split()), "multiple"),
)


def lines(count: int) -> list[Line]:
    """Lines of which some are no puzzle, or have no or two solutions; the first 17 have not."""
    return [ODD[i // 6 % 3] if i >= 17 and i % 6 == 0 else GOOD for i in range(count)]


def collection(count: int = 55) -> bytes:
    """A collection, of five pieces and a rest."""
    return "".join(line.text + "\n" for line in lines(count)).encode()


BAD = "1...\n..k.\n....\n....\n"


def archive() -> bytes:
    """A zip of all there can be in one."""
    inner = zip_of(("deep.txt", OTHER), ("deep/some.sdm", collection(5)))
    whole = zip_of(
        ("one.txt", SMALL),
        ("torn.txt", "torn" * 9),
        ("../evil.txt", SMALL),
        ("two.txt", TWO_SOLUTIONS),
        ("many/lines.txt", collection(22)),
        (zip_info("link.txt", mode=stat.S_IFLNK | 0o777), "one.txt"),
        ("inner.zip", inner),
        ("bad.txt", BAD),
        method=zipfile.ZIP_STORED,
    )
    return whole.replace(b"torn" * 9, b"thrown" * 6)


def folder_at(top: Path) -> Path:
    """A folder with the same things in it as the archive."""
    (top / "many").mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(archive())) as whole:
        (top / "inner.zip").write_bytes(whole.read("inner.zip"))
    for name, text in (("one", SMALL), ("two", TWO_SOLUTIONS), ("bad", BAD)):
        (top / f"{name}.txt").write_text(text)
    (top / "many/lines.txt").write_bytes(collection(22))
    (top / "link.txt").symlink_to("one.txt")
    return top


def drop(box: DropFolder, kind: str, name: str) -> None:
    """Drop one of the above, or a single puzzle, under a name."""
    contents = {
        "collection": collection,
        "small": lambda: collection(5),
        "zip": archive,
        "other zip": lambda: zip_of(("earlier/one.txt", SMALL), ("two.txt", NO_SOLUTION)),
        "single": SMALL.encode,
    }
    if kind == "folder":
        folder_at(box.inbox.parent / "folder").rename(box.inbox / name)
    else:
        box.drop(name, contents[kind]())


def answers(box: DropFolder) -> dict[str, bytes | None]:
    """All that is in the outbox: the bytes of solutions and tables, None for other files."""
    return {
        str(path.relative_to(box.outbox)): path.read_bytes()
        if path.suffix in (".solution", ".csv")
        else None
        for path in box.outbox.rglob("*")
        if not path.is_dir() and path.name != ".lock"
    }


def check_records(box: DropFolder) -> None:
    """Every record is whole, and all there is belongs to one and has the hash it tells."""
    listed = set()
    for path in filter(Path.is_file, box.outbox.rglob("*.json")):
        listed.add(path)
        for entry in json.loads(path.read_bytes())["files"]:
            file = path.with_name(entry["name"])
            assert sha256(file.read_bytes()).hexdigest() == entry["sha256"]
            listed.add(file)
    found = {path for path in box.outbox.rglob("*") if not path.is_dir()}
    assert found - {box.outbox / ".lock"} == listed


def check_tidy(box: DropFolder) -> None:
    """Nothing waits, is in work, or lies about."""
    assert box.waiting() == set()
    assert box.in_work() == set()
    hidden = {path.name for path in box.outbox.rglob(".*")} - {".lock"}
    assert not hidden
    assert not [path for path in box.outbox.rglob("*") if path.is_dir() and not any(path.iterdir())]
