"""Owns the decision: control, viability, fidelity, detection - four questions, asked in this order."""

from __future__ import annotations

from collections.abc import Mapping

from mutkit.errors import INVALID_SLUGS, NOT_VIABLE_SLUGS
from mutkit.judge.control import control_fault, reached
from mutkit.judge.detection import Detection, detect
from mutkit.judge.viability import viability_fault
from mutkit.model.describe import describe_effect, describe_expectation
from mutkit.model.effect import Effect, NothingSeen, same_effect, shows
from mutkit.model.judgement import Blame, Depth, Detected, Judgement, Reason, Shown, Verdict
from mutkit.model.observation import Evidence, Hindrance, VariantRun
from mutkit.model.spec import LoadedSpec

TABLE: Mapping[tuple[Shown, Detected], tuple[Verdict, Blame]] = {
    (Shown.MODELLED, Detected.EXACT): (Verdict.KILLED, Blame.NOBODY),
    (Shown.MODELLED, Detected.PART): (Verdict.SURVIVED, Blame.TESTS),
    (Shown.MODELLED, Detected.OTHERS_TOO): (Verdict.COLLATERAL, Blame.SPEC),
    (Shown.MODELLED, Detected.NONE): (Verdict.SURVIVED, Blame.TESTS),
    (Shown.OTHER, Detected.EXACT): (Verdict.WRONG_REASON, Blame.SPEC),
    (Shown.OTHER, Detected.PART): (Verdict.WRONG_REASON, Blame.SPEC),
    (Shown.OTHER, Detected.OTHERS_TOO): (Verdict.WRONG_REASON, Blame.SPEC),
    (Shown.OTHER, Detected.NONE): (Verdict.UNFAITHFUL, Blame.SPEC),
    (Shown.SAME, Detected.EXACT): (Verdict.NO_EFFECT, Blame.SPEC),
    (Shown.SAME, Detected.PART): (Verdict.NO_EFFECT, Blame.SPEC),
    (Shown.SAME, Detected.OTHERS_TOO): (Verdict.NO_EFFECT, Blame.SPEC),
    (Shown.SAME, Detected.NONE): (Verdict.NO_EFFECT, Blame.SPEC),
}
"""What the mutant showed x what the named cases did.

A killer that failed for another reason is looked at first.
"""

ADVICE = {
    Verdict.KILLED: "",
    Verdict.SURVIVED: "Strengthen the cases that passed, or name other ones in must_fail.",
    Verdict.WRONG_REASON: (
        "Change the rewrite so that the mutant does what the defect says, or state in [defective] what it does."
    ),
    Verdict.COLLATERAL: "Name the further cases in must_fail with their because, or in may_fail.",
    Verdict.UNFAITHFUL: (
        "Change the rewrite so that the mutant does what the defect says, or state in [defective] what it does."
    ),
    Verdict.NO_EFFECT: (
        "Let the probe drive the program through the changed place, or choose a rewrite that changes the behaviour."
    ),
}


def judge(loaded: LoadedSpec, evidence: Evidence) -> Judgement:
    """Return the judgement on one spec.

    Asked in this order: could the mutant be made (stale, not viable), is the run itself sound (control), does the
    mutant run
    at all (viability), does it do what it is named for (fidelity), do exactly the named cases notice (detection).
    """
    if evidence.hindrance is not None:
        return _hindered(evidence.hindrance)
    if evidence.controls is None:
        return _judgement(Verdict.INCONCLUSIVE, Depth.UNKNOWN, Blame.HOST, "not-run", "the controls were not run")
    fault = control_fault(loaded, evidence.controls)
    if fault is not None:
        return fault
    depth = reached(loaded, evidence.controls)
    if evidence.mutant is None:
        return _judgement(Verdict.INCONCLUSIVE, depth, Blame.HOST, "not-run", "the mutant was not run")
    fault = viability_fault(loaded, evidence.mutant, depth)
    if fault is not None:
        return fault
    return _fidelity_and_detection(loaded, evidence.controls.baseline, evidence.mutant, depth)


def classify(loaded: LoadedSpec, baseline: Effect | None, mutant: Effect | None) -> Shown:
    """Return the row of the table: the modelled defect, the baseline's behaviour, or something else."""
    if mutant is None or isinstance(mutant, NothingSeen):
        return Shown.OTHER
    if shows(loaded.spec.defective, mutant):
        return Shown.MODELLED
    if (baseline is not None and same_effect(baseline, mutant)) or shows(loaded.spec.healthy, mutant):
        return Shown.SAME
    return Shown.OTHER


def _hindered(hindrance: Hindrance) -> Judgement:
    if hindrance.slug in NOT_VIABLE_SLUGS:
        return _judgement(
            Verdict.NOT_VIABLE, Depth.UNKNOWN, Blame.SPEC, hindrance.slug, hindrance.message, "Correct `replace`."
        )
    if hindrance.slug in INVALID_SLUGS:
        return _judgement(
            Verdict.INCONCLUSIVE, Depth.UNKNOWN, Blame.SPEC, hindrance.slug, hindrance.message, "Correct the spec."
        )
    advice = "Look at what became of the place, then correct `in`, `find` or `replace` (`mutkit show` prints it)."
    return _judgement(Verdict.STALE, Depth.UNKNOWN, Blame.SPEC, hindrance.slug, hindrance.message, advice)


def _fidelity_and_detection(loaded: LoadedSpec, baseline: VariantRun, mutant: VariantRun, depth: Depth) -> Judgement:
    shown = classify(loaded, baseline.effect, mutant.effect)
    if mutant.effect is not None and shown is Shown.MODELLED and shows(loaded.spec.healthy, mutant.effect):
        message = f"what the mutant showed meets [healthy] as well as [defective]: it {describe_effect(mutant.effect)}"
        advice = "Make [healthy] narrower: what it allows cannot be a defect."
        return _judgement(Verdict.INCONCLUSIVE, depth, Blame.SPEC, "healthy-too-loose", message, advice)
    detection = detect(loaded, baseline, mutant)
    if detection.unstable:
        return Judgement(Verdict.UNSTABLE, depth, Blame.TESTS, detection.unstable)
    for later in mutant.later:
        if classify(loaded, baseline.effect, later) is not shown:
            message = f"the mutant was looked at twice: first it {describe_effect(mutant.effect)}; then it"
            reason = Reason(
                "repeats-disagree",
                f"{message} {describe_effect(later)}",
                "Make the probe and the mutant deterministic: what differs from look to look is no observation.",
            )
            return Judgement(Verdict.UNSTABLE, depth, Blame.SPEC, (reason,))
    verdict, blame = TABLE[shown, detection.column]
    if detection.wrong_because and shown is Shown.MODELLED:
        verdict, blame = Verdict.WRONG_REASON, Blame.SPEC
    seen = not isinstance(mutant.effect, NothingSeen)
    deep = _depth(shown if seen else Shown.SAME, detection, depth, verdict)
    return Judgement(verdict, deep, blame, _reasons(loaded, mutant, shown, detection, verdict))


def _depth(shown: Shown, detection: Detection, reached_depth: Depth, verdict: Verdict) -> Depth:
    if verdict in (Verdict.KILLED, Verdict.COLLATERAL):
        return Depth.REVEALED
    if shown is not Shown.SAME:
        return Depth.PROPAGATED
    return Depth.INFECTED if detection.any_difference else reached_depth


def _reasons(
    loaded: LoadedSpec, mutant: VariantRun, shown: Shown, detection: Detection, verdict: Verdict
) -> tuple[Reason, ...]:
    modelled = describe_expectation(loaded.spec.defective)
    seen = describe_effect(mutant.effect)
    fidelity = {
        Shown.MODELLED: Reason("as-modelled", f"the mutant did what is modelled: it {seen}"),
        Shown.OTHER: Reason(
            "not-as-modelled", f"modelled: it {modelled}; really: it {seen}", ADVICE[Verdict.WRONG_REASON]
        ),
        Shown.SAME: Reason(
            "same-as-baseline",
            f"the mutant showed what the healthy program shows: it {seen}",
            ADVICE[Verdict.NO_EFFECT],
        ),
    }[shown]
    rest = detection.reasons
    if verdict in (Verdict.SURVIVED, Verdict.COLLATERAL) and rest:
        rest = (*rest[:-1], Reason(rest[-1].slug, rest[-1].message, rest[-1].advice or ADVICE[verdict]))
    return (fidelity, *rest)


def _judgement(verdict: Verdict, depth: Depth, blame: Blame, slug: str, message: str, advice: str = "") -> Judgement:
    return Judgement(verdict, depth, blame, (Reason(slug, message, advice),))
