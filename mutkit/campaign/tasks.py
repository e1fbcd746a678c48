"""Owns what one worker does for one variant: baseline, null mutant, canary, mutant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mutkit.execute import Place, held, look, recorded, run_cases
from mutkit.judge import noticed
from mutkit.model.campaign import Probe
from mutkit.model.case import SuiteRun
from mutkit.model.effect import Effect
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Canary, VariantRun
from mutkit.model.spec import LoadedSpec

BASELINE_SUITE_SECONDS = 900.0
BASELINE_PROBE_SECONDS = 60.0
SUITE_FLOOR_SECONDS, SUITE_FACTOR = 20.0, 5.0
PROBE_FLOOR_SECONDS, PROBE_FACTOR = 5.0, 10.0


@dataclass(frozen=True)
class Baseline:
    """What the unmutated program showed: the suite's run, and each probe's effect and deadline (by the probe's repr)."""

    suite: SuiteRun
    effects: dict[str, Effect]
    probe_deadlines: dict[str, float]
    changed: tuple[str, ...]

    def suite_deadline(self, stated: float) -> float:
        """Return the seconds that one run of the suite on a variant may take; ``stated`` > 0 wins."""
        return stated or max(SUITE_FLOOR_SECONDS, SUITE_FACTOR * self.suite.result.duration)

    def of(self, loaded: LoadedSpec) -> VariantRun:
        """Return the baseline as one spec sees it: the suite's run and the effect of the spec's own probe."""
        return VariantRun(effect_of(loaded, self.effects, self.suite), self.suite, changed=self.changed)


def probes_of(specs: Iterable[LoadedSpec]) -> dict[str, Probe]:
    """Return the different probes of some specs, by repr."""
    return {repr(loaded.probe): loaded.probe for loaded in specs if loaded.probe is not None}


def effect_of(loaded: LoadedSpec, effects: dict[str, Effect], suite: SuiteRun | None) -> Effect | None:
    """Return what a spec's probe showed, or what the case that it names recorded."""
    if loaded.probe is not None:
        return effects.get(repr(loaded.probe))
    return recorded(suite, loaded.observed_case) if suite is not None else None


def baseline_suite(place: Place) -> tuple[SuiteRun, tuple[str, ...]]:
    """Run the whole suite on the unmutated tree."""
    deadline = place.campaign.campaign.suite.timeout or BASELINE_SUITE_SECONDS
    with held(place.workspace, "", None) as changed:
        suite = run_cases(place, deadline)
    return suite, tuple(changed)


def baseline_probes(place: Place, probes: dict[str, Probe]) -> tuple[dict[str, Effect], dict[str, float]]:
    """Run each probe on the unmutated tree: return the effects, and the deadlines that follow from the durations."""
    effects: dict[str, Effect] = {}
    deadlines: dict[str, float] = {}
    with held(place.workspace, "", None):
        for key, probe in probes.items():
            run = look(place, probe, probe.timeout or BASELINE_PROBE_SECONDS)
            effects[key] = run.effect
            took = run.result.duration if run.result is not None else PROBE_FLOOR_SECONDS
            deadlines[key] = probe.timeout or max(PROBE_FLOOR_SECONDS, PROBE_FACTOR * took)
    return effects, deadlines


def null_mutant(
    place: Place, file: str, content: bytes, specs: list[LoadedSpec], baseline: Baseline
) -> tuple[SuiteRun, dict[str, Effect]]:
    """Run everything on the file rewritten to itself: it must show what the baseline shows."""
    deadline = baseline.suite_deadline(place.campaign.campaign.suite.timeout)
    with held(place.workspace, file, content):
        effects = {
            key: look(place, probe, baseline.probe_deadlines[key]).effect for key, probe in probes_of(specs).items()
        }
        return run_cases(place, deadline), effects


def canary(place: Place, mutant: Mutant, specs: list[LoadedSpec], baseline: Baseline) -> dict[str, Canary]:
    """Run the probes and named cases of the specs of one scope while that scope raises; return one canary a spec path."""
    deadline = baseline.suite_deadline(place.campaign.campaign.suite.timeout)
    named = sorted({case_id for loaded in specs for case_id in loaded.killers})
    with held(place.workspace, specs[0].spec.file, mutant.canary):
        effects = {
            key: look(place, probe, baseline.probe_deadlines[key]).effect for key, probe in probes_of(specs).items()
        }
        suite = run_cases(place, deadline, named)
    failed = noticed(suite, named)
    trouble = "; ".join(t.message for t in suite.troubles)
    return {str(s.path): Canary(failed, effect_of(s, effects, None), trouble) for s in specs}


def mutant_run(place: Place, loaded: LoadedSpec, mutant: Mutant, baseline: Baseline) -> VariantRun:
    """Look at the mutant, run the whole suite, and run failing killers again as often as the campaign asks."""
    suite_of = place.campaign.campaign.suite
    deadline = baseline.suite_deadline(suite_of.timeout)
    with held(place.workspace, loaded.spec.file, mutant.content) as changed:
        effect: Effect | None = None
        if loaded.probe is not None:
            effect = look(place, loaded.probe, baseline.probe_deadlines[repr(loaded.probe)]).effect
        suite = run_cases(place, deadline)
        killers = sorted(noticed(suite, loaded.killers))
        again = suite_of.confirm if killers and suite.complete else 0
        confirmations = tuple(run_cases(place, deadline, killers) for _ in range(again))
    if loaded.probe is None:
        effect = recorded(suite, loaded.observed_case)
    return VariantRun(effect, suite, confirmations, tuple(changed))
