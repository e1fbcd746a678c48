"""Owns the order of the checks, their deadlines, and the folder that they work in."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mutkit.errors import HostError
from mutkit.hermetic.doctor import boundaries, files, isolation, processes, programs
from mutkit.hermetic.doctor.finding import Examination, Finding, Result

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE = 15.0
"""Seconds after which a check is given up: more than its own children have."""


class Check(NamedTuple):
    """A check: the name of its finding, what finds it in a fresh folder, whether runs need it, what its loss means."""

    name: str
    find: Callable[[Path], Finding]
    required: bool
    follows: str


CHECKS = (
    Check("temporary-programs", files.programs, True, files.CANNOT),
    Check("free-space", files.room, True, files.CANNOT),
    Check("child-processes", processes.child_processes, True, files.CANNOT),
    Check("mock-child", processes.mock_child, True, files.CANNOT),
    Check("process-groups", processes.groups, True, files.CANNOT),
    Check("orphans", processes.subreaper, False, "processes that leave their group can outlive a run"),
    Check("open-files", processes.open_files, True, files.CANNOT),
    Check("exact-pipes", boundaries.pipes, False, "exact boundaries to readers of pipes cannot be proved"),
    Check("exact-sockets", boundaries.sockets, False, "exact boundaries to Node readers cannot be proved"),
    Check("loopback", boundaries.loopback, False, "mock services cannot be used"),
    Check("network-namespace", isolation.network, False, "probes and suites run with an open network"),
    Check("overlay-mounts", isolation.overlay, False, ""),
    Check("node", programs.node, False, "what Node readers see cannot be tried"),
    Check("git", programs.git, False, ""),
)


def examine(home: str, deadline: float = DEADLINE) -> Examination:
    """Try everything, one thing after the other, each for ``deadline`` seconds at most; return what was found.

    ``home`` is the name of the folder of all runs in the temporary folder.
    """
    writable = Check("temporary-folder", lambda _: files.writable(home), True, files.CANNOT)
    findings = [within(deadline, writable, Path())]
    if findings[0].result is Result.NO:
        untried = "not tried: there is no temporary folder"
        return Examination(
            (findings[0], *(Finding(one.name, Result.NO, untried, one.follows, one.required) for one in CHECKS))
        )
    for check in CHECKS:
        folder = Path(tempfile.mkdtemp(prefix="mutkit-doctor-")).absolute()
        try:
            findings.append(within(deadline, check, folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return Examination(tuple(findings))


def within(deadline: float, check: Check, folder: Path) -> Finding:
    """Return what a check finds, or that it failed or came to no end within ``deadline`` seconds.

    What only a bug of ours can raise is raised.
    """
    found: list[Finding | BaseException] = []

    def find() -> None:
        try:
            found.append(check.find(folder))
        except BaseException as error:  # noqa: BLE001  raised again below, in the thread that waits
            found.append(error)

    began = time.monotonic()
    # Not a pool: what hangs in the kernel must not be waited for at our own end either.
    thread = threading.Thread(target=find, daemon=True)
    thread.start()
    thread.join(deadline)
    seconds = round(time.monotonic() - began, 3)
    finding = found[0] if found else TimeoutError(f"it came to no end within {deadline:.0f} s")
    if isinstance(finding, (OSError, HostError)):
        finding = Finding(check.name, Result.NO, str(finding), check.follows, check.required)
    if isinstance(finding, BaseException):
        raise finding
    return dataclasses.replace(finding, seconds=seconds)
