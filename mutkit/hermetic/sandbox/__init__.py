"""Owns the surroundings of a program under test: folders, environment, PATH, network, ports; nothing of the user's."""

from __future__ import annotations

from mutkit.hermetic.sandbox.sandbox import Sandbox
from mutkit.hermetic.sandbox.worker import worker_index

__all__ = ["Sandbox", "worker_index"]
