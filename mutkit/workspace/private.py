"""Owns one workspace: a variant put into it, and everything put back after each run."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from mutkit.digest import Scan, bytes_digest, difference
from mutkit.errors import HostError, UsageError
from mutkit.model.tree import Change, Difference, Entry, Kind
from mutkit.workspace.copying import copy_same, put_file
from mutkit.workspace.removal import remove

if TYPE_CHECKING:
    from collections.abc import Mapping

SECOND = 1_000_000_000


class Workspace:
    """A private copy of the source tree for one worker; ``path`` is its root, absolute."""

    def __init__(self, path: Path, *, master: Path, pristine: Mapping[str, Entry], leave_out: frozenset[str]) -> None:
        """Take a copy that has just been made.

        ``master``: the untouched copy from which files are put back; ``pristine``: what the copy consists of;
        ``leave_out``: the names of what is no part of it.
        """
        self.path = path
        self._master = master
        self._pristine = dict(pristine)
        self._leave_out = leave_out
        self._held: dict[str, Entry] = {}
        self._scan: Scan | None = None
        self._modified = {
            name: (master / name).lstat().st_mtime_ns for name, entry in pristine.items() if entry.kind is Kind.FILE
        }
        self._last_second = {name: modified // SECOND for name, modified in self._modified.items()}

    def hold(self, file: str, content: bytes) -> None:
        """Put ``content`` in the place of ``file``, a path relative to the root, with ``/``.

        The mode stays; the time of modification is another one than ever before, in whole seconds, because
        Python tells stale byte-code by that and by the size alone. UsageError unless ``file`` is a regular
        file of the tree that is there.
        """
        place = self._place_of(file)
        # Now, unless that second is taken: a build tool that compares times must see a newer file.
        second = max(int(time.time()), self._last_second[file] + 1)
        self._last_second[file] = second
        mode = self._pristine[file].mode
        opened = self._unlock(place.parent)
        put_file(place, content, mode=mode, modified=second * SECOND, by_way_of=self.path.parent)
        remove(place.parent / "__pycache__")
        self._lock(opened)
        self._held[file] = Entry(Kind.FILE, bytes_digest(content), mode)

    def restore(self) -> tuple[Change, ...]:
        """Put everything back as it was when the copy was made, and prove it; returns what a run had changed.

        The held files count as changed only if they are not as they were held. What the tree leaves out
        (byte-code above all) is removed without being reported. HostError if it cannot be put back.
        """
        self._ensure_root()
        seen = self._look()
        changes = difference({**self._pristine, **self._held}, seen.entries)
        if self._repair(seen):
            seen = self._look(seen)
            wrong = [*difference(self._pristine, seen.entries), *seen.left_out]
            if wrong:
                raise HostError(
                    f"the workspace {self.path} cannot be put back: {', '.join(map(str, wrong[:5]))}",
                    slug="workspace",
                )
        self._scan = seen
        self._held.clear()
        return changes

    def _place_of(self, file: str) -> Path:
        parts = PurePosixPath(file).parts
        if not parts or ".." in parts or "\0" in file or file.startswith("/") or "/".join(parts) != file:
            raise _refusal(file, "is no plain path relative to the tree")
        place = self.path
        for part in parts[:-1]:
            place /= part
            if not _is(stat.S_ISDIR, place):
                raise _refusal(file, f"leads through {part}, which is no folder of the tree")
        place /= parts[-1]
        entry = self._pristine.get(file)
        if entry is None:
            raise _refusal(file, "is not in the tree (or is left out of it)")
        if entry.kind is not Kind.FILE or not _is(stat.S_ISREG, place):
            raise _refusal(file, f"is no regular file but a {entry.kind.value}")
        return place

    def _ensure_root(self) -> None:
        if not _is(stat.S_ISDIR, self.path):
            remove(self.path)
            self.path.mkdir(mode=0o700)

    def _look(self, earlier: Scan | None = None) -> Scan:
        return Scan(self.path, self._leave_out, earlier=earlier or self._scan, unlock=True).run()

    def _repair(self, seen: Scan) -> bool:
        """Put back all that ``seen`` shows to be wrong; returns whether there was anything."""
        wrong = difference(self._pristine, seen.entries)
        opened = {path: self.path / path for path in seen.unlocked}
        try:
            for path in [*seen.left_out, *(one.path for one in wrong if one.difference is Difference.ADDED)]:
                opened.update(self._unlock((self.path / path).parent))
                remove(self.path / path)
            for path in (one.path for one in wrong if one.difference is not Difference.ADDED):
                opened.update(self._unlock((self.path / path).parent))
                self._put_back(path, seen.entries.get(path))
        except OSError as error:
            raise HostError(f"the workspace {self.path} cannot be put back: {error}", slug="workspace") from error
        self._lock(opened)
        return self._reset_times(seen) or bool(wrong or seen.left_out or opened)

    def _put_back(self, path: str, now: Entry | None) -> None:
        entry, place = self._pristine[path], self.path / path
        if entry.kind is Kind.FOLDER:
            if now is None or now.kind is not Kind.FOLDER:
                remove(place)
                place.mkdir()
            place.chmod(entry.mode)
            return
        remove(place)
        if entry.kind is Kind.LINK:
            place.symlink_to(entry.content)
        else:
            copy_same(self._master / path, place, entry)

    def _reset_times(self, seen: Scan) -> bool:
        touched = [
            path
            for path, stamp in seen.stamps.items()
            if stamp.modified != self._modified.get(path) and seen.entries[path] == self._pristine.get(path)
        ]
        for path in touched:
            modified = self._modified[path]
            # Not touching a file's content is no reason to let a build tool believe it is new.
            os.utime(self.path / path, ns=(modified, modified), follow_symlinks=False)
        return bool(touched)

    def _unlock(self, folder: Path) -> dict[str, Path]:
        """Make a folder writable for its owner; returns it if it was not."""
        try:
            mode = stat.S_IMODE(folder.lstat().st_mode)
        except FileNotFoundError:
            return {}
        if mode & 0o700 == 0o700:
            return {}
        folder.chmod(mode | 0o700)
        return {folder.relative_to(self.path).as_posix(): folder}

    def _lock(self, opened: Mapping[str, Path]) -> None:
        """Give folders that were made accessible the mode that they have in the tree."""
        for path, folder in sorted(opened.items(), reverse=True):
            entry = self._pristine.get(path)
            if entry is not None and entry.kind is Kind.FOLDER and _is(stat.S_ISDIR, folder):
                folder.chmod(entry.mode)


def _is(test: object, place: Path) -> bool:
    try:
        return bool(test(place.lstat().st_mode))  # type: ignore[operator]
    except (FileNotFoundError, NotADirectoryError):
        return False


def _refusal(file: str, why: str) -> UsageError:
    return UsageError(f"{file!r} {why}: a variant can only take the place of a source file", slug="not-a-source-file")
