"""Owns copies: of a file, of a link, of a whole tree; never hard links, never through links."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.digest import pieces
from mutkit.errors import HostError
from mutkit.model.tree import Entry, Kind

if TYPE_CHECKING:
    from mutkit.model.tree import Snapshot


def copy_file(source: Path, target: Path, mode: int) -> str:
    """Copy content and time of modification, set ``mode``; ``target`` must not exist. Returns the SHA-256."""
    digest = hashlib.sha256()
    # O_EXCL: what stands there already, a link above all, is not written through.
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        for piece in pieces(source):
            digest.update(piece)
            rest = memoryview(piece)
            while rest:
                rest = rest[file.write(rest) :]
        os.fchmod(descriptor, mode)
    status = source.lstat()
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    return digest.hexdigest()


def put_file(target: Path, content: bytes, *, mode: int, modified: int, by_way_of: Path) -> None:
    """Put a file with ``content`` at ``target`` in one step, in place of whatever stood there.

    ``modified`` is its time of modification in nanoseconds; ``by_way_of`` a folder of the same file system.
    """
    descriptor, name = tempfile.mkstemp(dir=by_way_of)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(descriptor, mode)
    os.utime(name, ns=(modified, modified))
    Path(name).replace(target)


def link_target(target: str, folder: str, source: Path, workspace: Path) -> str:
    """Return to what the copy of a link points.

    ``target`` is what the link says, ``folder`` where it stands, relative to ``source``. What lies within the
    source tree is pointed to within the workspace, so that writing through it does not reach the source. What
    lies outside keeps its place; that is the author's intention, and nobody can tell a shared file from a
    forgotten one: a test that writes through such a link writes to the outside, as it does without mutkit.
    """
    place = os.path.normpath(source / folder / target)
    inside = os.path.relpath(place, source)
    leads_out = inside == ".." or inside.startswith("../")
    if not target.startswith("/"):
        climbs = os.path.normpath(Path(folder) / target).startswith("..")
        if not climbs:
            return target
    elif leads_out:
        # The same folder may have been written in another way, through a link in the path to the source.
        real = os.path.realpath(place)
        inside = os.path.relpath(real, source)
        leads_out = inside == ".." or inside.startswith("../")
    return place if leads_out else str(workspace / inside)


def copy_tree(source: Path, target: Path, entries: Snapshot, origin: Path) -> dict[str, Entry]:
    """Copy ``entries`` of ``source`` to the folder ``target``, which must not exist; return the entries of
    the copy.

    Special files are not copied. Links are pointed anew as ``link_target`` says, as seen from ``origin``, the
    tree in which they were made. HostError if a file is no longer what ``entries`` says.
    """
    target.mkdir(mode=0o700)
    copied: dict[str, Entry] = {}
    for path, entry in entries.items():
        if entry.kind is Kind.FOLDER:
            (target / path).mkdir(mode=0o700)
            copied[path] = entry
        elif entry.kind is Kind.LINK:
            copied[path] = copy_link(path, entry, target, origin)
        elif entry.kind is Kind.FILE:
            copy_same(source / path, target / path, entry)
            copied[path] = entry
    for path, entry in reversed(copied.items()):
        if entry.kind is Kind.FOLDER and entry.mode != 0o700:
            (target / path).chmod(entry.mode)
    return copied


def copy_link(path: str, entry: Entry, target: Path, origin: Path) -> Entry:
    """Make the link ``path`` in ``target``; return what it is there."""
    pointed = Entry(Kind.LINK, link_target(entry.content, os.path.dirname(path), origin, target))
    (target / path).symlink_to(pointed.content)
    return pointed


def copy_same(source: Path, target: Path, entry: Entry) -> None:
    """Copy a file that must be what ``entry`` says; HostError if it is not."""
    try:
        digest = copy_file(source, target, entry.mode)
    except FileNotFoundError:
        digest = ""
    if digest != entry.content:
        raise HostError(f"{source} changed while it was being copied: run mutkit again", slug="source-changed")
