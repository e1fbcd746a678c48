"""Starting mock children in tests: to their end, or with pipes, and reading what each read gives."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mutkit.hermetic import MockCommands, Script
    from mutkit.model.mock_call import Call


def call(
    mock: MockCommands, script: Script, *argv: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Make ``codex`` follow the script, and call it to its end."""
    mock.add("codex", script)
    return subprocess.run(
        ["codex", *argv],
        env={"PATH": mock.path, **(env or {})},
        input=stdin,
        capture_output=True,
        timeout=30,
        check=False,
    )


def start(
    mock: MockCommands, script: Script, *argv: str, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Make ``codex`` follow the script, and start it with pipes."""
    mock.add("codex", script)
    return subprocess.Popen(
        ["codex", *argv],
        env={"PATH": mock.path, **(env or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def read_all(fd: int) -> list[bytes]:
    """Return what each read(2) of up to 65,536 bytes gave, to the end of input."""
    return list(iter(lambda: os.read(fd, 65536), b""))


def last(mock: MockCommands) -> Call:
    """Return the last recorded call of ``codex``."""
    return mock.calls("codex")[-1]


def wait_until(mock: MockCommands, holds: Callable[[Call], bool]) -> Call:
    """Return the last call of ``codex`` as soon as its record is so; AssertionError after half a minute."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if mock.calls("codex") and holds(last(mock)):
            return last(mock)
        time.sleep(0.001)
    raise AssertionError(f"the record did not become so: {last(mock)}")
