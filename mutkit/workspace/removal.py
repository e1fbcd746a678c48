"""Owns the removal of whatever a run has left, however deep, locked or odd it is."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from mutkit.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; links are not followed. HostError if it cannot be removed.

    Folders inside are moved to the top before they are emptied, so that neither depth nor the length of a
    path limits it.
    """
    try:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode):
            path.unlink()
            return
        count = 0
        while True:
            _unlock(path)
            folders = _empty(path)
            if not folders:
                break
            for folder in folders:
                _unlock(folder)
                for item in _empty(folder):
                    _unlock(item)
                    count += 1
                    # Two processes may be at it, or the name be taken: the next round sees to what stays.
                    with contextlib.suppress(FileNotFoundError, FileExistsError):
                        item.rename(path / f"{os.getpid()}-{count}")
                with contextlib.suppress(FileNotFoundError):
                    folder.rmdir()
        path.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise HostError(f"cannot remove {path}: {error}", slug="workspace") from error


def _unlock(folder: Path) -> None:
    mode = stat.S_IMODE(folder.lstat().st_mode)
    if mode & 0o700 != 0o700:
        folder.chmod(mode | 0o700)


def _empty(folder: Path) -> list[Path]:
    """Remove everything from a folder but the folders in it, and return those."""
    folders = []
    with os.scandir(folder) as items:
        for item in items:
            if item.is_dir(follow_symlinks=False):
                folders.append(folder / item.name)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(item.path)
    return folders
