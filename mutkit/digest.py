"""Owns digests: of bytes, of files, of whole trees, and the difference between two states of a tree."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.model.tree import Change, Difference, Entry, Kind, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK = 1 << 20
RACY = 100_000_000
"""Nanoseconds within which two changes of a file may carry the same time, on the coarsest clock of a local disk."""


@dataclass(frozen=True)
class Stamp:
    """What the file system says of a file without opening it, and when it said so (nanoseconds).

    A program can set the time of modification but not the time of the last change (ctime), so that a file with an
    equal stamp has equal content; only a stamp that was taken in the very moment of a change proves nothing.
    """

    inode: int
    size: int
    modified: int
    changed: int
    taken: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Return the stamp for what ``lstat`` has just returned."""
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, time.time_ns())

    def proves_same(self, later: Stamp) -> bool:
        """Return whether a file that bears ``later`` now must have the content that it had at this stamp."""
        same = (self.inode, self.size, self.modified, self.changed) == (
            later.inode,
            later.size,
            later.modified,
            later.changed,
        )
        return same and self.taken - self.changed > RACY


@dataclass
class Scan:
    """One look at a tree: its ``entries``, and on the way the names that were ``left_out`` (relative paths).

    ``stamps`` of an earlier scan, with its entries, spare the reading of files that cannot have changed. With
    ``unlock`` what its owner may not read is made readable: files for the moment, folders for good; those are listed
    in ``unlocked``.
    """

    root: Path
    leave_out: frozenset[str]
    earlier: Scan | None = None
    unlock: bool = False
    entries: dict[str, Entry] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    unlocked: list[str] = field(default_factory=list)

    def run(self) -> Scan:
        """Look at everything; HostError names what cannot be read.

        Returns itself.
        """
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            for item in self._listing(folder):
                path = f"{folder}/{item.name}" if folder else item.name
                if is_left_out(item, self.leave_out):
                    self.left_out.append(path)
                    continue
                # What vanishes while one looks was not there: editors and tests come and go.
                with contextlib.suppress(FileNotFoundError):
                    self.entries[path] = entry = self._entry(item, path)
                    if entry.kind is Kind.FOLDER:
                        waiting.append(path)
        self.entries = dict(sorted(self.entries.items()))
        return self

    def _listing(self, folder: str) -> list[os.DirEntry[str]]:
        place = self.root / folder
        try:
            mode = stat.S_IMODE(place.lstat().st_mode)
            if self.unlock and mode & 0o500 != 0o500:
                self.unlocked.append(folder)
                place.chmod(mode | 0o700)
            with os.scandir(place) as items:
                return list(items)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise HostError(f"cannot read the folder {place}: {error.strerror}", slug="unreadable") from error

    def _entry(self, item: os.DirEntry[str], path: str) -> Entry:
        status = item.stat(follow_symlinks=False)
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            return Entry(Kind.LINK, os.readlink(item.path))
        if stat.S_ISDIR(status.st_mode):
            return Entry(Kind.FOLDER, mode=mode)
        if not stat.S_ISREG(status.st_mode):
            return Entry(Kind.SPECIAL)
        self.stamps[path] = stamp = Stamp.of(status)
        return Entry(Kind.FILE, self._known(path, stamp) or self._read(item, path, mode), mode)

    def _known(self, path: str, stamp: Stamp) -> str | None:
        if self.earlier is None:
            return None
        before = self.earlier.stamps.get(path)
        return self.earlier.entries[path].content if before and before.proves_same(stamp) else None

    def _read(self, item: os.DirEntry[str], path: str, mode: int) -> str:
        if not self.unlock or mode & 0o400:
            return file_digest(item.path)
        place = self.root / path
        place.chmod(mode | 0o400)
        try:
            return file_digest(place)
        finally:
            place.chmod(mode)


def is_left_out(item: os.DirEntry[str], names: frozenset[str]) -> bool:
    """Return whether an entry is left out of trees: by its name, or because it is a Python virtual environment."""
    if item.name in names:
        return True
    return item.is_dir(follow_symlinks=False) and os.path.lexists(item.path + "/pyvenv.cfg")


def bytes_digest(data: bytes) -> str:
    """Return the SHA-256 of ``data`` as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def pieces(path: str | Path) -> Iterator[bytes]:
    """Yield the content of a regular file piece by piece; HostError names it if it cannot be read."""
    try:
        # Should a pipe or a link have taken its place by now, nothing hangs and nothing is followed.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            while piece := file.read(CHUNK):
                yield piece
    except FileNotFoundError:
        raise
    except OSError as error:
        raise HostError(f"cannot read {os.fspath(path)}: {error.strerror}", slug="unreadable") from error


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file's content as 64 hex digits; HostError names it if it cannot be read."""
    digest = hashlib.sha256()
    for piece in pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def tree_digest(root: Path, leave_out: frozenset[str]) -> Snapshot:
    """Return every entry below ``root``, every file read; ``leave_out`` are names that are left out wherever they
    stand.

    Links are not followed, special files not opened, virtual environments left out. HostError names what cannot be
    read.
    """
    return Scan(root, leave_out).run().entries


def difference(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return what differs between two states of a tree, ordered by path."""
    changes = []
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            changes.append(Change(path, Difference.REMOVED))
        elif path not in before:
            changes.append(Change(path, Difference.ADDED))
        elif before[path] != after[path]:
            changes.append(Change(path, Difference.CHANGED))
    return tuple(changes)
