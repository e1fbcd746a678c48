"""Owns mock commands in a folder of their own: made, their calls read and checked, ended."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.hermetic.install import install, link_tools
from mutkit.hermetic.recordings import Calls, calls, check

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from mutkit.hermetic.scripts import Script
    from mutkit.model.mock_call import Call

GRACE = 2.0
"""Seconds that mocks may take to go, of themselves or by a signal on its way, before they count as forgotten."""


class MockChild:
    """One mock command: its ``name``, the ``path`` of its executable, its ``calls``.

    ``check`` says whether a call that is unexpected, unable or forgotten is an error when the mocks are left.
    """

    def __init__(self, commands: MockCommands, name: str, *, check: bool) -> None:
        """Take the mock commands that it is one of."""
        self._commands = commands
        self.name = name
        self.path = Path(commands.path) / name
        self.check = check

    def follow(self, script: Script | Path) -> None:
        """Follow another script, or the script in a TOML file, from the next call on."""
        self._commands.add(self.name, script, check=self.check)

    @property
    def calls(self) -> Calls:
        """The calls recorded so far."""
        return self._commands.calls(self.name)


class MockCommands:
    """Mock commands in a folder that is to be the whole PATH of the program under test.

    As a context it ends, when left, the mock children that still run, and raises MockTrouble where a call was
    unexpected (97), unable (98) or forgotten (95, or it still runs and does not go), unless ``check`` is false or the
    block raised by itself.
    """

    def __init__(
        self, folder: Path, *, tools: Iterable[str] = (), python: str = sys.executable, check: bool = True
    ) -> None:
        """Take an empty folder to work in, real programs that may be on the path, and the interpreter of mocks."""
        self.folder = folder.absolute()
        self._bin = self.folder / "bin"
        self._record = self.folder / "calls"
        self._python = python
        self._check = check
        self._mocks: dict[str, MockChild] = {}
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
        """End the mock children that still run; check the calls."""
        __tracebackhide__ = True
        try:
            if kind is None:
                self.check()
        finally:
            self.end()

    @property
    def path(self) -> str:
        """Return the value for PATH."""
        return str(self._bin)

    def add(self, name: str, script: Script | Path, *, check: bool | None = None) -> MockChild:
        """Make ``name`` a mock command that follows a script, or the script in a TOML file; return its handle.

        ``check`` is for this command alone. SpecError for a wrong script, UsageError for a wrong name.
        """
        install(self._bin, {name: script}, self._record, self._python)
        mock = self._mocks.setdefault(name, MockChild(self, name, check=self._check))
        if check is not None:
            mock.check = check
        return mock

    def calls(self, name: str | None = None) -> Calls:
        """Return the recorded calls of a command, or of all."""
        return calls(self._record, name)

    def check(self) -> None:
        """Raise MockTrouble where a call was unexpected, unable or forgotten, of the commands that are checked."""
        __tracebackhide__ = True
        checked = [call for call in self.calls() if call.name in self._mocks and self._mocks[call.name].check]
        until = time.monotonic() + GRACE
        check(checked, running=[call for call in checked if not call.ended and self._stays(call.pid, until)])

    def end(self) -> None:
        """Kill the mock children, and the grandchildren that scripts left behind, that still run."""
        for call in self.calls():
            for pid in _processes(call):
                if self._is_mock(pid):
                    os.kill(pid, signal.SIGKILL)

    def _stays(self, pid: int, until: float) -> bool:
        """Return whether the process is a mock and does not go by itself until then, on the monotonic clock."""
        if not self._is_mock(pid):
            return False
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            return self._is_mock(pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            return not poll.poll(max(0.0, until - time.monotonic()) * 1000)
        finally:
            os.close(descriptor)

    def _is_mock(self, pid: int) -> bool:
        """Return whether the process is one of these mocks: its number may have gone to another."""
        try:
            return os.fsencode(self._bin) in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False


def _processes(call: Call) -> tuple[int, ...]:
    return call.grandchildren if call.ended else (call.pid, *call.grandchildren)
