"""Owns what kept programs under test apart from the rest of the machine: which network they had, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CLOSED: Literal["loopback only"] = "loopback only"
OPEN: Literal["open"] = "open"


@dataclass(frozen=True)
class Isolation:
    """What a program could reach: ``network`` is only the loopback of its own, or all that this machine reaches.

    ``reason`` says why the network was open; empty where it was not.
    """

    network: Literal["loopback only", "open"]
    reason: str = ""

    @property
    def closed(self) -> bool:
        """Return whether nothing but the program's own loopback could be reached."""
        return self.network == CLOSED
