"""How much may be unpacked, and what is raised when it is more or when it is broken.

InputError
└── UnpackError    broken, cut off, or of a make that is not read
    └── TooMuch    more than the limits allow
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.errors import InputError

PIECE = 2**16
"""How many bytes are read, unpacked and handed on at a time."""

HARMLESS = 64 * 2**20
"""Up to so many unpacked bytes nobody asks how small they were packed."""


class UnpackError(InputError):
    """An archive or a compressed file that is broken, cut off, or of a make that is not read.

    The message goes on from a name: `set.zip: its checksum is wrong: it is damaged`.
    """


class TooMuch(UnpackError):
    """More than the limits allow; the message names the limit and what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may hold, the archives inside it included.

    `total_bytes` when unpacked; `members` of any kind; `ratio`: how many times its packed size
    one compressed stream may be, once it is more than `HARMLESS`. A million copies of one
    puzzle are packed 300:1 by deflate, which cannot do better than 1032:1.
    """

    total_bytes: int = 16 * 2**30
    members: int = 1_000_000
    ratio: int = 1000


class Budget:
    """What an archive and those inside it have used of their limits."""

    __slots__ = ("_entered", "_unpacked", "limits")

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = Limits() if limits is None else limits
        self._entered = 0
        self._unpacked = 0

    def enter(self) -> None:
        """Count one more member; raises TooMuch, also when the bytes are used up already."""
        self.unpack(0)
        self._entered += 1
        self.admit(self._entered)

    def admit(self, members: int) -> None:
        """Raise TooMuch if so many members are too many."""
        if members > self.limits.members:
            raise TooMuch(
                f"it has more than {self.limits.members} members; split it, or drop its "
                "puzzles as one file with a puzzle a line"
            )

    def unpack(self, size: int) -> None:
        """Count bytes that are about to be handed out; raises TooMuch instead of the last."""
        self._unpacked += size
        if self._unpacked > self.limits.total_bytes:
            raise TooMuch(
                f"unpacked it has more than {self.limits.total_bytes} bytes; "
                "--max-total-bytes allows more"
            )

    def weigh(self, packed: int, unpacked: int) -> None:
        """Raise TooMuch if what came of `packed` bytes of one stream looks like a bomb."""
        if unpacked > HARMLESS and unpacked > self.limits.ratio * packed:
            raise TooMuch(
                f"it unpacks to more than {self.limits.ratio} times its size, as bombs do; "
                "if it is none, drop it unpacked"
            )
