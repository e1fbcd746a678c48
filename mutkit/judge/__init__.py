"""Owns the judgement: from observations alone to one verdict a spec, and to one exit code a run."""

from mutkit.judge.conclude import conclude
from mutkit.judge.control import holds
from mutkit.judge.decide import TABLE, classify, judge
from mutkit.judge.detection import detect, kept_out, noticed

__all__ = ["TABLE", "classify", "conclude", "detect", "holds", "judge", "kept_out", "noticed"]
