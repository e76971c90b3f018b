"""The members of archives and folders: safe to read, or refused with a reason."""

from __future__ import annotations

import io
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from pipeline.errors import is_environmental
from pipeline.files import is_junk
from pipeline.unpack.compressed import unpacked
from pipeline.unpack.entries import Entry
from pipeline.unpack.folders import folder_entries
from pipeline.unpack.kinds import kind_of, layers_of
from pipeline.unpack.limits import Budget, Limits, UnpackError
from pipeline.unpack.names import NO_NAME, resolved, shortened
from pipeline.unpack.streams import (
    Meter,
    Tape,
    chunks_of,
    counted,
    opened_regular,
    spooled,
    stream_of,
)
from pipeline.unpack.tars import tar_entries
from pipeline.unpack.zips import zip_entries

_TWICE = "it is compressed twice"
_TOO_DEEP = "it is an archive in an archive in an archive: no deeper than one in one is read"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive or a folder.

    `name` is its path: safe, without `.` and doubled `/`; as found where it is refused.
    `refusal` says why it is not read, and then there is no `stream`. The stream is to be read
    once, before the next member is asked for, which closes it; a member that is compressed on
    its own is unpacked there. It raises UnpackError behind what could be read: `read1` gets all
    of that, `read` loses what does not fill its size. Only its end tells that the checksum was
    right. `nested`: it is an archive, for `inner_members` instead.
    """

    name: str
    refusal: str | None
    stream: BinaryIO | None
    nested: bool = False
    budget: Budget = field(default_factory=Budget, repr=False, compare=False)
    file: BinaryIO | None = field(default=None, repr=False, compare=False)


def members(path: Path, limits: Limits, meter: Meter | None = None) -> Generator[Member]:
    """The members of an archive or folder; what is read of it is counted by the meter.

    Raises UnpackError where nothing further can be read, TooMuch, and OSError if the path
    cannot be read.
    """
    budget = Budget(limits)
    if kind_of(path) == "folder":
        yield from _judged(folder_entries(path, budget, meter), budget, inner=False)
        return
    with opened_regular(path, None, meter) as file:
        entries = _entries(chunks_of(file), file, budget)
        yield from _judged(entries, budget, inner=False)


def inner_members(member: Member) -> Iterator[Member]:
    """The members of a nested archive, from the budget of the outer one.

    To be called before the next outer member is asked for. Raises as `members` does.
    """
    if member.stream is None or not member.nested:
        raise ValueError(f"{member.name} is no archive")
    entries = _entries(chunks_of(member.stream), member.file, member.budget)
    yield from _judged(entries, member.budget, inner=True)


def walk(path: Path, limits: Limits, meter: Meter | None = None) -> Iterator[Member]:
    """The members of an archive or folder, those of nested archives in their places.

    None of them is `nested`; those of a nested archive have its name before their own. Where
    something cannot be read any further, a member follows that is refused for that reason: named
    like the nested archive, or with an empty name for the whole. Raises OSError where the
    machine is at fault.
    """
    for member in _to_the_end("", members(path, limits, meter)):
        if member.nested:
            inner = (_within(member.name, found) for found in inner_members(member))
            yield from _to_the_end(member.name, inner)
        else:
            yield member


def _to_the_end(name: str, each: Iterator[Member]) -> Iterator[Member]:
    """The members, and where they break off one of that name that says why."""
    try:
        yield from each
    except (UnpackError, OSError) as error:
        if isinstance(error, OSError) and is_environmental(error):
            raise
        yield Member(name, str(error), None)


def _within(outer: str, found: Member) -> Member:
    """A member of a nested archive, with the archive's name before its own."""
    name = f"{outer}/{found.name}"
    parts = resolved(name)
    refusal = found.refusal or (parts if isinstance(parts, str) else None)
    return Member(name, refusal, None if refusal else found.stream)


def opened(path: Path, limits: Limits, meter: Meter | None = None) -> BinaryIO:
    """A file as it is, or what is in it if it is compressed, limited then; to be closed.

    Raises OSError if it cannot be read; UnpackError also comes out of the stream.
    """
    with ExitStack() as stack:
        file = stack.enter_context(opened_regular(path, None, meter))
        tape = Tape(chunks_of(file))
        layers = layers_of(tape)
        if layers.twice:
            raise UnpackError(_TWICE)
        stack.pop_all()
    if layers.compression is None:
        file.seek(0)
        return io.BufferedReader(file)
    return stream_of(unpacked(tape.chunks(), layers.compression, Budget(limits)), file)


def _entries(chunks: Iterator[bytes], file: BinaryIO | None, budget: Budget) -> Generator[Entry]:
    """The entries of a zip or tar, compressed or not; `file` is the same where one can seek."""
    tape = Tape(chunks)
    layers = layers_of(tape)
    content = tape.chunks()
    if layers.compression is not None:
        content = unpacked(content, layers.compression, budget)
    match layers.archive:
        case "tar":
            if layers.compression is None:
                content = counted(content, budget)
            with stream_of(content) as source:
                yield from tar_entries(source)
        case "zip" if file is not None and layers.compression is None:
            yield from zip_entries(file, budget)
        case "zip":
            with spooled(content) as copy:
                yield from zip_entries(copy, budget)
        case None:
            raise UnpackError("it is no archive")


def _judged(entries: Generator[Entry], budget: Budget, *, inner: bool) -> Iterator[Member]:
    """The entries as members, but for what is passed over."""
    seen: set[int] = set()
    refusal: str | None
    with closing(entries):
        for entry in entries:
            budget.enter()
            parts = resolved(entry.name)
            if _is_passed_over(entry, parts):
                continue
            if isinstance(parts, str):
                name, refusal = shortened(entry.name), parts
            else:
                name = "/".join(parts)
                refusal = entry.refusal or _repeated(name, seen)
            if refusal is None:
                yield from _looked_into(entry, name, budget, inner=inner)
            else:
                yield _refused(name, refusal, budget)


def _is_passed_over(entry: Entry, parts: tuple[str, ...] | str) -> bool:
    """Whether it is no file, or nothing anybody wants solved; not where its name is at fault."""
    if isinstance(parts, str):
        return entry.folder and parts == NO_NAME
    return entry.folder or any(map(is_junk, parts))


def _looked_into(entry: Entry, name: str, budget: Budget, *, inner: bool) -> Iterator[Member]:
    """The member that an entry is by its content; its stream is closed behind it."""
    tape = Tape(entry.chunks)
    layers = layers_of(tape)
    if layers.twice:
        yield _refused(name, _TWICE, budget)
    elif layers.archive is not None and inner:
        yield _refused(name, _TOO_DEEP, budget)
    else:
        content = tape.chunks()
        nested = layers.archive is not None
        if layers.compression is not None and not nested:
            content = unpacked(content, layers.compression, budget)
        with stream_of(content) as stream:
            yield Member(name, None, stream, nested, budget, entry.file)


def _refused(name: str, refusal: str, budget: Budget) -> Member:
    return Member(name, refusal, None, nested=False, budget=budget)


def _repeated(name: str, seen: set[int]) -> str | None:
    """Why a name is refused that was there before; 8 bytes are remembered for each."""
    digest = blake2b(os.fsencode(name), digest_size=8).digest()
    key = int.from_bytes(digest, "little")
    if key in seen:
        return "another member has the same name"
    seen.add(key)
    return None
