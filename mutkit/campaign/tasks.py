"""Owns what one worker does for one variant: baseline, null mutant, canary, mutant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mutkit.execute import Place, Variant, look, recorded, run_cases
from mutkit.judge import kept_out, noticed
from mutkit.model.campaign import Probe
from mutkit.model.case import SuiteRun
from mutkit.model.effect import Effect
from mutkit.model.isolation import Isolation, weakest
from mutkit.model.mutant import CANARY_SUFFIX
from mutkit.model.observation import Canary, VariantRun
from mutkit.model.spec import LoadedSpec
from mutkit.mutate import CANARY_TOKEN

BASELINE_SUITE_SECONDS = 900.0
BASELINE_PROBE_SECONDS = 60.0
SUITE_FLOOR_SECONDS, SUITE_FACTOR = 20.0, 5.0
PROBE_FLOOR_SECONDS, PROBE_FACTOR = 5.0, 10.0


@dataclass(frozen=True)
class Baseline:
    """What the unmutated program showed: the suite's run, and each probe's effect, deadline and isolation (by the
    probe's repr).
    """

    suite: SuiteRun
    effects: dict[str, Effect]
    probe_deadlines: dict[str, float]
    changed: tuple[str, ...]
    probe_isolations: dict[str, Isolation | None] = field(default_factory=dict)

    def suite_deadline(self, stated: float) -> float:
        """Return the seconds that one run of the suite on a variant may take; ``stated`` > 0 wins."""
        return stated or max(SUITE_FLOOR_SECONDS, SUITE_FACTOR * self.suite.result.duration)

    def of(self, loaded: LoadedSpec) -> VariantRun:
        """Return the baseline as one spec sees it: the suite's run and the effect of the spec's own probe."""
        return VariantRun(
            effect_of(loaded, self.effects, self.suite),
            self.suite,
            changed=self.changed,
            probe_isolation=self.probe_isolations.get(repr(loaded.probe)),
        )


def probes_of(specs: Iterable[LoadedSpec]) -> dict[str, Probe]:
    """Return the different probes of some specs, by repr."""
    return {repr(loaded.probe): loaded.probe for loaded in specs if loaded.probe is not None}


def effect_of(loaded: LoadedSpec, effects: dict[str, Effect], suite: SuiteRun | None) -> Effect | None:
    """Return what a spec's probe showed, or what the case that it names recorded."""
    if loaded.probe is not None:
        return effects.get(repr(loaded.probe))
    return recorded(suite, loaded.observed_case) if suite is not None else None


def baseline_suite(place: Place) -> tuple[SuiteRun, tuple[str, ...]]:
    """Run the whole suite on the unmutated tree; return the run and the files that it changed."""
    changed: list[str] = []
    suite = run_cases(place, Variant(), place.campaign.campaign.suite.timeout or BASELINE_SUITE_SECONDS, changed)
    return suite, tuple(changed)


def baseline_probes(
    place: Place, probes: dict[str, Probe]
) -> tuple[dict[str, Effect], dict[str, float], dict[str, Isolation | None]]:
    """Run each probe on the unmutated tree: return the effects, the deadlines that follow from the durations, and what
    each could reach.
    """
    effects: dict[str, Effect] = {}
    deadlines: dict[str, float] = {}
    isolations: dict[str, Isolation | None] = {}
    for key, probe in probes.items():
        run = look(place, Variant(), probe, probe.timeout or BASELINE_PROBE_SECONDS, [])
        effects[key], isolations[key] = run.effect, run.isolation
        took = run.result.duration if run.result is not None else PROBE_FLOOR_SECONDS
        deadlines[key] = probe.timeout or max(PROBE_FLOOR_SECONDS, PROBE_FACTOR * took)
    return effects, deadlines, isolations


@dataclass(frozen=True)
class Null:
    """What the null mutant of a file showed: the suite's run, the named cases alone, and each probe's effect."""

    suite: SuiteRun
    alone: SuiteRun
    effects: dict[str, Effect]

    def of(self, loaded: LoadedSpec) -> VariantRun:
        """Return the null mutant as one spec sees it; the repeat is the run of the named cases alone."""
        return VariantRun(effect_of(loaded, self.effects, self.suite), self.suite, (self.alone,))


def null_mutant(place: Place, variant: Variant, specs: list[LoadedSpec], baseline: Baseline) -> Null:
    """Run everything on the file rewritten to itself, and the named cases alone: it must be as the baseline."""
    named = sorted({case_id for loaded in specs for case_id in loaded.killers})
    deadline = _suite_deadline(place, baseline)
    effects = {
        key: look(place, variant, probe, baseline.probe_deadlines[key], []).effect
        for key, probe in probes_of(specs).items()
    }
    return Null(run_cases(place, variant, deadline, []), run_cases(place, variant, deadline, [], named), effects)


def canary(place: Place, variant: Variant, loaded: LoadedSpec, baseline: Baseline) -> Canary:
    """Run the probe and the named cases of a spec while the scope of its anchor raises."""
    named = sorted(loaded.killers)
    effect = None
    if loaded.probe is not None:
        effect = look(place, variant, loaded.probe, baseline.probe_deadlines[repr(loaded.probe)], []).effect
    changed: list[str] = []
    suite = run_cases(place, variant, _suite_deadline(place, baseline), changed, named)
    # Code that runs on import raises while the cases are collected: they could not even be loaded without it.
    failed = noticed(suite, named) | kept_out(suite, named, f"mutkit canary {CANARY_TOKEN}")
    trouble = "; ".join(t.message for t in suite.troubles)
    executed = any(text.endswith(variant.file + CANARY_SUFFIX) for text in changed)
    return Canary(failed, effect, executed, trouble)


def mutant_run(place: Place, variant: Variant, loaded: LoadedSpec, baseline: Baseline) -> VariantRun:
    """Look at the mutant, run the whole suite, and run failing killers again as often as the campaign asks."""
    deadline = _suite_deadline(place, baseline)
    changed: list[str] = []
    isolations: list[Isolation | None] = []

    def seen() -> Effect | None:
        if loaded.probe is None:
            return None
        seconds = baseline.probe_deadlines[repr(loaded.probe)]
        run = look(place, variant, loaded.probe, seconds, changed)
        isolations.append(run.isolation)
        return run.effect

    effect = seen()
    suite = run_cases(place, variant, deadline, changed)
    killers = sorted(noticed(suite, loaded.killers))
    if not killers or not suite.complete:
        reached = weakest(isolations)
        return VariantRun(effect or _own(suite, loaded), suite, changed=tuple(changed), probe_isolation=reached)
    named = sorted({*killers, loaded.observed_case} - {""})
    repeats = range(place.campaign.campaign.suite.confirm)
    again = tuple(run_cases(place, variant, deadline, changed, named) for _ in repeats)
    later = tuple(_own(run, loaded) or seen() for run in again)
    return VariantRun(effect or _own(suite, loaded), suite, again, tuple(changed), later, weakest(isolations))


def _own(suite: SuiteRun, loaded: LoadedSpec) -> Effect | None:
    """Return what the case recorded that the spec observes; None for a spec with a probe."""
    return recorded(suite, loaded.observed_case) if loaded.probe is None else None


def _suite_deadline(place: Place, baseline: Baseline) -> float:
    return baseline.suite_deadline(place.campaign.campaign.suite.timeout)
