"""Owns recording of real programs: run once, looked at closely, written as a script that does the same."""

from __future__ import annotations

from mutkit.hermetic.capture.captured import Capture, Chunk
from mutkit.hermetic.capture.recording import Recording, record, refuse_target, write_script
from mutkit.hermetic.capture.running import capture

__all__ = ["Capture", "Chunk", "Recording", "capture", "record", "refuse_target", "write_script"]
