"""Owns what mock children recorded, read back."""

from __future__ import annotations

from mutkit.hermetic.recordings.read import calls

__all__ = ["calls"]
