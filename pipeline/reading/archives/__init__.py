"""Untrusted archives: read as streams, bounded, nothing written under their members' names.

    path ─ kind_of ─▶ folder, zip, tar ─ walk ─▶ Member, those of nested archives in their places
                 └──▶ gzip, bzip2, xz, plain ─ opened ─▶ a stream of bytes

The order of the members depends on the archive's content alone: a zip's own list, a tar's order,
a folder's names sorted as bytes. Empty folders, dotfiles, temporary names and what desktops leave
behind (`__MACOSX/`, `Thumbs.db`) are skipped silently; everything else is read or refused.
"""
