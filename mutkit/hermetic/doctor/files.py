"""Owns the checks of the temporary folder: writable, programs start from it, room in it."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from pathlib import Path

from mutkit.hermetic.doctor.finding import Finding, Result

_SAMPLE = bytes(range(256)) * 4096
"""1 MiB in which every byte occurs."""
_LITTLE, _TOO_LITTLE = 1 << 30, 16 << 20
_FEW_FILES = 10_000
_LIMIT = 5.0
"""Seconds that a program has that does nothing."""
CANNOT = "runs cannot be made: exit 71"


def writable(home: str) -> Finding:
    """Try to write into the folder that ``tempfile`` chooses; ``home`` is the name of the folder of all runs in it."""
    named = os.environ.get("TMPDIR")
    try:
        folder = Path(tempfile.gettempdir()).absolute()
        _try_writing(folder)
    except OSError as error:
        shown = f"TMPDIR={named}: " if named else ""
        return Finding("temporary-folder", Result.NO, f"{shown}{error}", f"{CANNOT}; set TMPDIR to a folder", True)
    measured = {"folder": str(folder), "named": named}
    fault = _fault_of(folder / home)
    if fault:
        follows = f"{CANNOT}; remove it, or set TMPDIR to another place"
        return Finding("temporary-folder", Result.NO, f"{folder / home} {fault}", follows, True, measured)
    if named and Path(named).absolute() != folder:
        detail = f"TMPDIR={named} cannot be written to, so {folder} is used"
        return Finding("temporary-folder", Result.LIMITS, detail, "correct TMPDIR", True, measured)
    detail = f"{folder}: a file of 1 MiB written, read back and renamed, a link made"
    return Finding("temporary-folder", Result.YES, detail, "", True, measured)


def _try_writing(folder: Path) -> None:
    """Do what a run does in its folder; OSError where one of these is impossible."""
    with tempfile.TemporaryDirectory(prefix="mutkit-doctor-", dir=folder) as name:
        place = Path(name)
        (place / "one").write_bytes(_SAMPLE)
        (place / "one").rename(place / "two")
        (place / "link").symlink_to("two")
        if (place / "link").read_bytes() != _SAMPLE:
            raise OSError(f"{place}: what was read back is not what was written")


def _fault_of(home: Path) -> str:
    """Return why the folder of all runs, if there is one, cannot be used, as a run would refuse it."""
    try:
        status = home.lstat()
    except OSError:
        return ""
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        return "is not a folder of yours alone (mode 700)"
    return ""


def programs(folder: Path) -> Finding:
    """Try to start a program that lies in ``folder``."""
    program = folder / "program"
    program.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    program.chmod(0o755)
    try:
        code = subprocess.run([str(program)], stdin=subprocess.DEVNULL, check=False, timeout=_LIMIT).returncode
        problem = "" if code == 7 else f"a program in it ended with {code} instead of 7"
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = f"a program in it cannot be started: {error}"
    if problem:
        mounted = " (it is mounted noexec)" if os.statvfs(folder).f_flag & os.ST_NOEXEC else ""
        follows = f"no mock child can be started from there, {CANNOT}; set TMPDIR to a folder where programs may run"
        return Finding("temporary-programs", Result.NO, problem + mounted, follows, True)
    return Finding("temporary-programs", Result.YES, "a program written there was started", "", True)


def room(folder: Path) -> Finding:
    """Look how much may be written to ``folder``, and how many files."""
    status = os.statvfs(folder)
    size = status.f_bavail * status.f_frsize
    files = status.f_favail if status.f_files else None  # some file systems have no fixed number
    return room_finding(size, files)


def room_finding(size: int, files: int | None) -> Finding:
    """Return the finding on so many free bytes and free files (None: as many as fit)."""
    detail = f"{size / 2**30:,.1f} GiB" + ("" if files is None else f", {files:,} files") + " free"
    measured = {"bytes": size, "files": files}
    if size < _TOO_LITTLE or files == 0:
        return Finding("free-space", Result.NO, detail, f"{CANNOT}; free some, or set TMPDIR", True, measured)
    if size < _LITTLE or (files is not None and files < _FEW_FILES):
        follows = "each workspace is a copy of the tree: large trees may not fit, fewer --jobs need less"
        return Finding("free-space", Result.LIMITS, detail, follows, True, measured)
    return Finding("free-space", Result.YES, detail, "", True, measured)
