"""Owns the summary of what mocks saw, for the report of a test that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.recordings.shown import calls_shown
from mutkit.hermetic.recordings.trouble import troubles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutkit.model.isolation import Isolation
    from mutkit.model.mock_call import Call


def summary(calls: Sequence[Call], isolation: Isolation | None = None) -> str:
    """Return all calls, one a line, what is wrong with them, and which network the program under test had."""
    lines = [calls_shown(calls, "")] if calls else ["no mock was called"]
    said = troubles(calls)
    lines += [said] if said else []
    if isolation is not None:
        lines.append(f"network: {isolation.network}" + (f" ({isolation.reason})" if isolation.reason else ""))
    return "\n".join(lines)
