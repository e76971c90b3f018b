"""Archives that come from strangers: read as streams, bounded, nothing written by their names.

    path ─ kind_of ─▶ folder, zip, tar ─ members ─▶ Member ─ inner_members ─▶ Member
                 └──▶ gzip, bzip2, xz, plain ─ opened ─▶ a stream of bytes

`walk` gives all members, those of nested archives in their places.

The order of the members depends on the archive's content alone: a zip's own list, a tar's order,
a folder's names sorted as bytes. Empty folders, dotfiles, temporary names and what desktops leave
behind (`__MACOSX/`, `Thumbs.db`) are passed over in silence; all else is read or refused.
"""

from pipeline.unpack.ahead import Ahead
from pipeline.unpack.kinds import Kind, Layers, kind_of, layers_of
from pipeline.unpack.limits import Budget, Limits, TooMuch, UnpackError
from pipeline.unpack.members import Member, inner_members, members, opened, walk
from pipeline.unpack.names import resolved
from pipeline.unpack.streams import Meter, Tape

__all__ = [
    "Ahead",
    "Budget",
    "Kind",
    "Layers",
    "Limits",
    "Member",
    "Meter",
    "Tape",
    "TooMuch",
    "UnpackError",
    "inner_members",
    "kind_of",
    "layers_of",
    "members",
    "opened",
    "resolved",
    "walk",
]
