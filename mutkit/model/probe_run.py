"""Owns what one run of a probe gave: the effect, and all that a reader needs to believe it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mutkit.model.effect import Effect
    from mutkit.model.ending import ProcessResult
    from mutkit.model.isolation import Isolation
    from mutkit.model.mock_call import Call
    from mutkit.model.service import ServiceSeen


@dataclass(frozen=True)
class ProbeRun:
    """One run of a probe.

    ``effect`` what the program was seen to do; ``result`` how its process ended (None: none was started); ``sent``
    all bytes written to its standard input; ``calls`` the calls of mock commands, by command, in order; ``services``
    what each mock service saw; ``isolation`` what the program could reach.
    """

    effect: Effect
    result: ProcessResult | None = None
    sent: bytes = b""
    calls: tuple[Call, ...] = ()
    services: tuple[ServiceSeen, ...] = ()
    isolation: Isolation | None = None
