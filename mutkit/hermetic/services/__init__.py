"""Owns mock HTTP services: what they answer and how they fail, a counter of the writes that took place, what they
saw; and a mock model server.
"""

from __future__ import annotations

from mutkit.hermetic.services.asking import listing
from mutkit.hermetic.services.model_server import ModelServer
from mutkit.hermetic.services.script import ServiceScript
from mutkit.hermetic.services.service import MockService
from mutkit.model.matcher import Matcher
from mutkit.model.service import Fault, Request, ToolCall, Turn, TurnError, TurnFault, Usage

__all__ = [
    "Fault",
    "Matcher",
    "MockService",
    "ModelServer",
    "Request",
    "ServiceScript",
    "ToolCall",
    "Turn",
    "TurnError",
    "TurnFault",
    "Usage",
    "listing",
]
