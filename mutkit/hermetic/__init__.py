"""Owns hermetic surroundings for a program under test: mock commands on a PATH of their own, and what they
recorded.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.hermetic.install import install, link_tools
from mutkit.hermetic.recordings import calls
from mutkit.hermetic.scripts import Script
from mutkit.model.mock_call import Call

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

__all__ = ["Call", "MockCommands", "Script", "calls", "install", "link_tools"]


class MockCommands:
    """Mock commands in a folder that is to be the whole PATH of the program under test.

    As a context it ends, when left, the mock children that still run.
    """

    def __init__(self, folder: Path, *, tools: Iterable[str] = (), python: str = sys.executable) -> None:
        """Take an empty folder to work in, real programs that may be on the path, and the interpreter of
        mocks.
        """
        self.folder = folder.absolute()
        self._bin = self.folder / "bin"
        self._record = self.folder / "calls"
        self._python = python
        install(self._bin, {}, self._record, python)
        link_tools(self._bin, tools)

    def __enter__(self) -> MockCommands:  # noqa: PYI034 - typing.Self came with 3.11
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the mock children that still run."""
        self.end()

    @property
    def path(self) -> str:
        """Return the value for PATH."""
        return str(self._bin)

    def add(self, name: str, script: Script | Path) -> None:
        """Make ``name`` a mock command that follows a script, or the script in a TOML file."""
        install(self._bin, {name: script}, self._record, self._python)

    def calls(self, name: str | None = None) -> list[Call]:
        """Return the recorded calls of a command, or of all."""
        return calls(self._record, name)

    def end(self) -> None:
        """Kill the mock children, and the grandchildren that scripts left behind, that still run."""
        for call in self.calls():
            pids = call.grandchildren if call.ended else (call.pid, *call.grandchildren)
            for pid in pids:
                if self._is_mock(pid):
                    os.kill(pid, signal.SIGKILL)

    def _is_mock(self, pid: int) -> bool:
        """Return whether the process is one of these mocks: its number may have gone to another."""
        try:
            return os.fsencode(self._bin) in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
