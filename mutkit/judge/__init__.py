"""Owns the judgement: from observations alone to one verdict a spec, and to one exit code a run."""

from mutkit.judge.conclude import Conclusion, conclude
from mutkit.judge.control import holds
from mutkit.judge.decide import TABLE, classify, judge
from mutkit.judge.detection import detect, fits, noticed

__all__ = ["TABLE", "Conclusion", "classify", "conclude", "detect", "fits", "holds", "judge", "noticed"]
