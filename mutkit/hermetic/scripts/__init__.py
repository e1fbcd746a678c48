"""Owns mock scripts: built in Python or read from TOML, and compiled to the plain values that a child follows."""

from __future__ import annotations

from mutkit.hermetic.scripts.builder import Script

__all__ = ["Script"]
