"""Owns hermetic surroundings for a program under test: mock commands on a PATH of their own, and what they
recorded.
"""

from __future__ import annotations

from mutkit.hermetic.commands import MockChild, MockCommands
from mutkit.hermetic.install import install, link_tools
from mutkit.hermetic.recordings import Calls, MockTrouble, calls, summary
from mutkit.hermetic.scripts import Script
from mutkit.model.mock_call import Call

__all__ = [
    "Call",
    "Calls",
    "MockChild",
    "MockCommands",
    "MockTrouble",
    "Script",
    "calls",
    "install",
    "link_tools",
    "summary",
]
