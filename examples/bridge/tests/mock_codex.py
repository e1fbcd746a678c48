"""Owns the mock ``codex`` as the cases see it: what it prints, in which pieces, how it was called."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from mutkit.hermetic import MockCommands, Script

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mutkit.hermetic import Call


class Codex:
    """The mock ``codex``, the only program in reach of the bridge."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        """Take a folder to work in, and what the environment holds besides PATH and HOME."""
        self._commands = MockCommands(folder / "mocks")
        self.path = f"{self._commands.path}/codex"
        self.env = {"PATH": self._commands.path, "HOME": str(folder), **env}

    def does(self, script: Script) -> None:
        """Follow the script."""
        self._commands.add("codex", script)

    def prints(self, output: bytes, *, errors: bytes = b"", exit_code: int = 0) -> None:
        """Write the output in one go: where the reads cut it is left to the pipe."""
        script = Script().write(errors, to="stderr").write(output)
        self.does(script.exit(exit_code))

    def prints_by_read(self, pieces: Sequence[bytes]) -> None:
        """Write each piece into an empty pipe, so that one read takes it whole and nothing with it."""
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

    def calls(self) -> list[Call]:
        """Return what was recorded of every call so far."""
        return self._commands.calls("codex")

    def commands(self) -> list[tuple[str, ...]]:
        """Return the words of every call so far."""
        return [call.argv for call in self.calls()]

    def assert_reads(self, pieces: Sequence[bytes]) -> None:
        """Assert that the last call wrote these pieces, each into an empty pipe: what one read was given."""
        written = self.calls()[-1].chunks
        assert written == tuple(len(piece) for piece in pieces), f"{len(written)} writes"

    def end(self) -> None:
        """End what still runs."""
        self._commands.end()
