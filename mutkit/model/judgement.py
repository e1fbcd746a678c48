"""Owns verdicts: what is concluded of one spec, how deep the defect was seen to go, and who is to act."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Verdict(str, enum.Enum):
    """One word a spec; docs/glossary.md says what each means."""

    KILLED = "killed"
    SURVIVED = "survived"
    WRONG_REASON = "wrong-reason"
    COLLATERAL = "collateral"
    UNFAITHFUL = "unfaithful"
    NO_EFFECT = "no-effect"
    STALE = "stale"
    NOT_VIABLE = "not-viable"
    TIMED_OUT = "timed-out"
    UNSTABLE = "unstable"
    INCONCLUSIVE = "inconclusive"
    BASELINE_FAILED = "baseline-failed"


class Depth(str, enum.Enum):
    """How far the mutation was seen to go (RIPR: reach, infect, propagate, reveal; Ammann and Offutt)."""

    UNKNOWN = "unknown"
    REACHED = "reached"
    INFECTED = "infected"
    PROPAGATED = "propagated"
    REVEALED = "revealed"


class Blame(str, enum.Enum):
    """Who has to act so that the spec becomes *killed*."""

    NOBODY = "nobody"
    SPEC = "spec"
    TESTS = "tests"
    SUBJECT = "subject"
    HOST = "host"


class Shown(str, enum.Enum):
    """What the mutant's observation is, held against the spec: the row of the decision table."""

    MODELLED = "modelled"
    OTHER = "other"
    SAME = "same"


class Detected(str, enum.Enum):
    """What the named cases did: the column of the decision table."""

    EXACT = "exact"
    PART = "part"
    OTHERS_TOO = "others-too"
    NONE = "none"


@dataclass(frozen=True)
class Reason:
    """Why a verdict is what it is: ``slug`` (an anchor in docs/messages.md), a sentence, and what to do next."""

    slug: str
    message: str
    advice: str = ""


@dataclass(frozen=True)
class Judgement:
    """The conclusion on one spec, computed from observations only; ``reasons`` is never empty."""

    verdict: Verdict
    depth: Depth
    blame: Blame
    reasons: tuple[Reason, ...]

    def __post_init__(self) -> None:
        """Refuse a verdict without an explanation."""
        if not self.reasons:
            raise ValueError(f"a judgement of {self.verdict.value} needs a reason")
