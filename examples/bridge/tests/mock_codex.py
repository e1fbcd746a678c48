"""Owns the mock ``codex`` as the cases see it: what it prints, and in which pieces."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.hermetic import Script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.hermetic import Calls, Sandbox


class Codex:
    """The mock ``codex``, the only program in reach of the bridge."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Take the surroundings of the bridge."""
        self._sandbox = sandbox
        self.path = Path(sandbox.path) / "codex"
        self.env = sandbox.env

    @property
    def calls(self) -> Calls:
        """What was recorded of every call so far."""
        return self._sandbox.calls("codex")

    def does(self, script: Script) -> None:
        """Follow the script."""
        self._sandbox.mock("codex", script)

    def prints(self, output: bytes, *, errors: bytes = b"", exit_code: int = 0) -> None:
        """Write the output in one go: where the reads cut it is left to the pipe."""
        script = Script().write(errors, to="stderr").write(output)
        self.does(script.exit(exit_code))

    def prints_by_read(self, pieces: Sequence[bytes]) -> None:
        """Write each piece so that one read takes it whole and nothing with it."""
        cuts = tuple(accumulate(len(piece) for piece in pieces[:-1]))
        self.does(Script().write(b"".join(pieces), cut_at=cuts, pace="exact"))

    def prints_in_turn(self, outputs: Sequence[bytes]) -> None:
        """Write the first output at the first call, the second at the second, and so on."""
        script = Script()
        for number, output in enumerate(outputs, start=1):
            script = script.answering(Script().write(output), nth=number)
        self.does(script)

    def hangs(self, output: bytes) -> None:
        """Write the output, and never end."""
        self.does(Script().write(output).hang())

    def assert_reads(self, pieces: Sequence[bytes]) -> None:
        """Assert that the last call wrote these pieces, each of them proved to be one read."""
        __tracebackhide__ = True
        self.calls[-1:].assert_chunks(len(piece) for piece in pieces)
        self.calls[-1:].assert_exact()
