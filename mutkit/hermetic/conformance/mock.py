"""Owns the profile in a scenario: the mock command that says what the scenario's model says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.conformance.model import batches
from mutkit.hermetic.install import install
from mutkit.hermetic.recordings import calls
from mutkit.hermetic.scripts.profiles.options import profile

if TYPE_CHECKING:
    from mutkit.hermetic.conformance.scenarios import Call, Scenario, Turn


class MockCodex:
    """The mock command of a profile."""

    def __init__(self, name: str, folder: Path) -> None:
        """Take the profile's name and an empty folder to make the command in."""
        self._name, self._folder = name, folder
        self._place, self._number = folder, 0
        self.env: dict[str, str] = {}

    def prepare(self, home: Path, scenario: Scenario) -> None:  # noqa: ARG002 - the real program needs it
        """Make the command, which knows what is said in each call."""
        self._place = self._folder / f"{len(list(self._folder.iterdir()))}"
        turns = [options_of(call.turn) for call in scenario.calls]
        install(self._place, {"codex": profile(self._name, turns=turns)}, self._place / "calls", sys.executable)

    def begin(self, call: Call, number: int) -> list[str]:  # noqa: ARG002 - the real program needs it
        """Return the command."""
        self._number = number
        return [str(self._place / "codex")]

    def within(self, argv: list[str]) -> list[str]:
        """Return the command as it is: the mock talks to nobody."""
        return argv

    def chunks(self) -> list[int]:
        """Return what it recorded."""
        return list(calls(self._place / "calls", "codex")[-1].chunks)

    def is_in_turn(self) -> bool:
        """Return whether it hangs, by its own record."""
        record = self._place / "calls" / f"codex.{self._number:05d}.call"
        return record.exists() and b"'hangs'" in record.read_bytes()


def options_of(turn: Turn) -> dict[str, Any]:
    """Return a scenario's turn as options of the profile; each answer of the model costs what the model server says."""
    answers = len(batches(turn))
    usage = {"input_tokens": 11, "cached_input_tokens": 3, "output_tokens": 5, "reasoning_output_tokens": 2}
    return {
        "items": list(turn.items),
        "ending": turn.ending,
        "status": turn.status,
        "usage": {key: value * answers for key, value in usage.items()},
        "url": "http://127.0.0.1:1/v1/responses",
    }
