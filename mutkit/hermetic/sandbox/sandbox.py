"""Owns the sandbox: one place that holds all that a program under test finds around it, and ends what runs in it."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from mutkit.hermetic.commands import MockCommands
from mutkit.hermetic.sandbox.folders import FOLDERS, make_environment
from mutkit.hermetic.sandbox.ports import Ports
from mutkit.hermetic.sandbox.words import fill
from mutkit.hermetic.sandbox.worker import VARIABLE, worker_index
from mutkit.process import CAP, Child, Network, run

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from mutkit.hermetic.commands import MockChild
    from mutkit.hermetic.recordings import Calls
    from mutkit.hermetic.scripts import Script
    from mutkit.model.ending import ProcessResult
    from mutkit.model.isolation import Isolation
    from mutkit.process import Cancellation

DEADLINE = 60.0
"""Seconds that a program may run where nothing else is said."""


class Sandbox:
    """Surroundings made from nothing for programs under test; leaving the context ends all that runs in it.

    ``folder`` is its own; ``home`` and ``tmp`` are in it; ``path`` is the whole PATH, a folder with mock commands and
    named tools; ``env`` is the whole environment, to which a test may add; ``cwd`` where programs run; ``worker`` the
    number of the worker that runs the test. Programs get a network of their own with nothing but a loopback, where
    this machine allows it: ``isolation`` says. To be used by one thread at a time.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tools: Iterable[str] = (),
        keep: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        python: str = sys.executable,
        network: Network | None = None,
        worker: int | None = None,
        check: bool = True,
        cancellation: Cancellation | None = None,
    ) -> None:
        """Make the surroundings in ``folder``, which is empty or not there yet.

        ``tools``: real programs that may be on the path; ``keep``: names of variables that are inherited; ``env``:
        more variables; ``cwd``: None makes a folder; ``python``: the interpreter of mocks, absolute; ``network``: None
        makes one of its own when it is first needed, ``Network(closed=False)`` is this machine's; one that is given is
        not given up; ``check``: as in MockCommands. UsageError for a tool that is missing.
        """
        self.folder = folder.absolute()
        self.worker = worker_index() if worker is None else worker
        self._mocks = MockCommands(self.folder, tools=tools, python=python, check=check)
        self.env = {"PATH": self._mocks.path, **make_environment(self.folder, keep, os.environ)}
        self.env |= {VARIABLE: str(self.worker), **(env or {})}
        self.home = self.folder / FOLDERS["HOME"]
        self.tmp = self.folder / FOLDERS["TMPDIR"]
        self.cwd = cwd or self.folder / "work"
        self.cwd.mkdir(parents=True, exist_ok=True)
        self._network = network
        self._owns_network = network is None
        self._used = False
        self._ports = Ports(self.worker)
        self._cancellation = cancellation
        self._stack = ExitStack()

    @property
    def path(self) -> str:
        """Return the value of PATH."""
        return self._mocks.path

    @property
    def network(self) -> Network:
        """Return the network that programs are started in."""
        if self._network is None:
            self._network = Network()
        return self._network

    @property
    def isolation(self) -> Isolation | None:
        """Return what kept the programs apart that were started through the sandbox; None: none was."""
        return self.network.isolation if self._used else None

    def mock(self, name: str, script: Script | Path, *, check: bool | None = None) -> MockChild:
        """Make ``name`` a mock command that follows a script, or the script in a TOML file; see MockCommands.add."""
        return self._mocks.add(name, script, check=check)

    def calls(self, name: str | None = None) -> Calls:
        """Return the recorded calls of a mock command, or of all."""
        return self._mocks.calls(name)

    def check(self) -> None:
        """Raise MockTrouble where a call of a mock was unexpected, unable or forgotten."""
        __tracebackhide__ = True
        self._mocks.check()

    def port(self, name: str = "") -> int:
        """Return a port of 127.0.0.1 for programs to listen on: the same for the same name, free when first asked for.

        No other worker is given it. HostError where there is none.
        """
        return self._ports.port(name, self.network)

    def listen(self, port: int = 0) -> socket.socket:
        """Return a socket of this process that listens on 127.0.0.1 where programs in the sandbox reach it."""
        return self.network.listen(port)

    def connect(self, port: int) -> socket.socket:
        """Return a socket of this process, connected to a port on which a program in the sandbox listens."""
        return self.network.connect(port)

    def fill(self, text: str) -> str:
        """Return ``text`` with ``{port}``, ``{port:name}`` and ``{worker}`` replaced by their numbers."""
        return fill(text, self.worker, self.port)

    def run(
        self,
        argv: Sequence[str],
        stdin: bytes = b"",
        *,
        deadline: float = DEADLINE,
        cwd: Path | None = None,
        cap: int = CAP,
    ) -> ProcessResult:
        """Run a program to its end, and end all its descendants; see ``mutkit.process.run``."""
        self._used = True
        return run(
            argv,
            cwd=cwd or self.cwd,
            env=self.env,
            deadline=deadline,
            stdin=stdin,
            cap=cap,
            cancellation=self._cancellation,
            network=self.network,
        )

    def start(self, argv: Sequence[str], *, cwd: Path | None = None, cap: int = CAP) -> Child:
        """Start a program to be talked to; it is ended when its context, or the sandbox, is left."""
        self._used = True
        child = Child(
            argv, cwd=cwd or self.cwd, env=self.env, cap=cap, cancellation=self._cancellation, network=self.network
        )
        return self._stack.enter_context(child)

    def command(self, argv: Sequence[str]) -> list[str]:
        """Return a command that runs ``argv`` in the sandbox's network, for a test that starts it by itself.

        Environment and working directory are for the test to give: ``env=sandbox.env``. See ``Network.command``.
        """
        self._used = True
        return self.network.command(argv)

    def close(self) -> None:
        """End all that runs in the sandbox: programs, mocks, and all else in a network that it made."""
        with ExitStack() as stack:
            stack.callback(self._ports.close)
            if self._owns_network and self._network is not None:
                stack.callback(self._network.close)
                stack.callback(self._network.end_programs)
            stack.callback(self._mocks.end)
            stack.callback(self._stack.close)

    def __enter__(self) -> Sandbox:  # noqa: PYI034 -- typing.Self came with 3.11
        """Return the sandbox itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Check the calls of mocks, unless the block raised; end all that runs in the sandbox."""
        __tracebackhide__ = True
        try:
            if kind is None:
                self.check()
        finally:
            self.close()
