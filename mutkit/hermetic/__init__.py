"""Owns hermetic surroundings for a program under test: mock commands on a PATH of their own, what they recorded, mock
services, and the sandbox that holds all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mutkit.hermetic.commands import MockChild, MockCommands
from mutkit.hermetic.install import install, link_tools
from mutkit.hermetic.recordings import Calls, MockTrouble, calls, summary
from mutkit.hermetic.scripts import Script
from mutkit.model.mock_call import Call

if TYPE_CHECKING:
    from mutkit.hermetic.sandbox import Sandbox
    from mutkit.hermetic.services import MockService, ServiceScript
    from mutkit.process import Network

__all__ = [
    "Call",
    "Calls",
    "MockChild",
    "MockCommands",
    "MockService",
    "MockTrouble",
    "Network",
    "Sandbox",
    "Script",
    "ServiceScript",
    "calls",
    "install",
    "link_tools",
    "summary",
]

_LATE = {
    "MockService": "mutkit.hermetic.services",
    "Network": "mutkit.process",
    "Sandbox": "mutkit.hermetic.sandbox",
    "ServiceScript": "mutkit.hermetic.services",
}
"""Names whose modules are imported when they are asked for: whoever only reads scripts starts no process."""


def __getattr__(name: str) -> Any:
    """Return what is imported late."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATE[name]), name)
