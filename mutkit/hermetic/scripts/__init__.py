"""Owns mock scripts: built in Python or read from TOML, and compiled to the plain values that a child follows."""

from __future__ import annotations

from mutkit.hermetic.scripts.builder import Script
from mutkit.hermetic.scripts.generators import generate
from mutkit.hermetic.scripts.read import check

__all__ = ["Script", "check", "generate"]
