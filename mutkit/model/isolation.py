"""Owns what kept programs under test apart from the rest of the machine: which network they had, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def weakest(several: Iterable[Isolation | None]) -> Isolation | None:
    """Return the isolation that kept the least apart, of those that are known; None where none is."""
    known = [one for one in several if one is not None]
    return next((one for one in known if not one.closed), known[0] if known else None)
