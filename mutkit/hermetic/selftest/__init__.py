"""Owns the self-test of exact read boundaries: every way to cut, against every kind of reader on this machine."""

from __future__ import annotations

from mutkit.hermetic.selftest.modes import MODES, Mode
from mutkit.hermetic.selftest.proving import Row, State, hindrance, prove
from mutkit.hermetic.selftest.reading import Reader, Reading, Task
from mutkit.hermetic.selftest.running import conclusion, planned, readers, run
from mutkit.hermetic.selftest.shown import as_json, head_line, row_line, summary_lines

__all__ = [
    "MODES",
    "Mode",
    "Reader",
    "Reading",
    "Row",
    "State",
    "Task",
    "as_json",
    "conclusion",
    "head_line",
    "hindrance",
    "planned",
    "prove",
    "readers",
    "row_line",
    "run",
    "summary_lines",
]
