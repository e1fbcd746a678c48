"""Owns the temporary folder of one run of mutkit, and the clearing of those of runs that died."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import HostError
from mutkit.workspace.removal import remove

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = "lock"


def temporary_folder() -> Path:
    """Return the system's temporary folder (TMPDIR); HostError if nothing can be written to any."""
    try:
        return Path(tempfile.gettempdir())
    except OSError as error:
        raise HostError(f"no temporary folder can be written to: {error.strerror}", slug="temporary-folder") from error


def home_name() -> str:
    """Return the name of the folder, in the temporary folder, that holds all runs of this user."""
    return f"mutkit-{os.getuid()}"


class RunFolder:
    """A fresh folder ``<temporary>/mutkit-<uid>/run-<random>``, known to be in use as long as its lock is
    held.

    The system gives the lock back when the process ends, however it ends: a folder whose lock is free is a
    leftover.
    """

    def __init__(self, temporary: Path) -> None:
        """Clear leftovers and make the folder; HostError if that is impossible or somebody else owns the
        place.
        """
        home = _private_folder(temporary / home_name())
        try:
            with _locked(home / LOCK):
                self.removed = tuple(_clear_leftovers(home))
                self.path = Path(tempfile.mkdtemp(prefix="run-", dir=home))
                self._lock = _open_lock(self.path / LOCK)
                fcntl.flock(self._lock, fcntl.LOCK_EX)
        except OSError as error:
            raise HostError(f"cannot make a temporary folder in {home}: {error}", slug="temporary-folder") from error

    def close(self) -> None:
        """Remove the folder with all that is in it; HostError if that is impossible (a later run tries
        again).
        """
        try:
            remove(self.path)
        finally:
            os.close(self._lock)


def _private_folder(path: Path) -> Path:
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    except OSError as error:
        raise HostError(
            f"cannot make {path}: {error}. Set TMPDIR to a folder that is yours.", slug="temporary-folder"
        ) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise HostError(
            f"{path} is not a folder of yours alone (mode 700): remove it, or set TMPDIR to another place.",
            slug="temporary-folder",
        )
    return path


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = _open_lock(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _clear_leftovers(home: Path) -> Iterator[str]:
    for folder in sorted(home.glob("run-*")):
        try:
            descriptor = _open_lock(folder / LOCK)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            # The run died while it was making or removing its folder, or the suite took its rights away.
            remove(folder)
            yield folder.name
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            remove(folder)
            yield folder.name
        finally:
            os.close(descriptor)
