"""Owns what mock children recorded: read back, asserted, checked for what must not pass silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.recordings import read
from mutkit.hermetic.recordings.calls import Calls
from mutkit.hermetic.recordings.summary import summary
from mutkit.hermetic.recordings.trouble import MockTrouble, check

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Calls", "MockTrouble", "calls", "check", "summary"]


def calls(record: Path, name: str | None = None) -> Calls:
    """Return the calls recorded in a folder, of one command or of all (None), in order of command and number."""
    return Calls(read.calls(record, name), name)
