"""Owns what this machine can do and what follows: each thing really tried, within a deadline."""

from mutkit.hermetic.doctor.examine import examine
from mutkit.hermetic.doctor.finding import Examination, Finding, Result
from mutkit.hermetic.doctor.shown import as_json, as_lines

__all__ = ["Examination", "Finding", "Result", "as_json", "as_lines", "examine"]
