"""Owns the ledger of one campaign: what is to be run, what has come in, and that each spec is judged exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mutkit.campaign.tasks import Baseline, effect_of
from mutkit.execute import Variant
from mutkit.judge import holds, judge
from mutkit.model.case import SuiteRun
from mutkit.model.effect import Effect
from mutkit.model.judgement import Blame, Judgement, Reason, Verdict
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Canary, Controls, Evidence, Hindrance, VariantRun
from mutkit.model.result import SpecResult
from mutkit.model.spec import LoadedSpec


class Ledger:
    """Keeps the books of one campaign's run."""

    def __init__(self, specs: list[LoadedSpec], mutants: dict[Path, Mutant], hindrances: dict[Path, Hindrance]) -> None:
        """Take the specs in their order, with the mutants that could be made and what hindered the others."""
        self._specs = specs
        self._mutants = mutants
        self._hindrances = hindrances
        self.baseline: Baseline | None = None
        self._nulls: dict[str, tuple[SuiteRun, dict[str, Effect]]] = {}
        self._canaries: dict[Path, Canary] = {}
        self._runs: dict[Path, VariantRun] = {}
        self._judged: dict[Path, SpecResult] = {}
        self._source_changes: tuple[str, ...] = ()
        self._by_file = _grouped(self.runnable(), lambda s: s.spec.file)
        # One canary a scope: specs whose canaries are the same bytes share a run.
        self._by_scope = _grouped(self.runnable(), lambda s: f"{s.spec.file} {mutants[s.path].canary!r}")

    @property
    def steps(self) -> int:
        """Return how many steps a full run of the campaign takes."""
        return 2 + len(self._by_file) + len(self._by_scope) + len(self.runnable()) if self.runnable() else 0

    def runnable(self) -> list[LoadedSpec]:
        """Return the specs whose mutant could be made."""
        return [loaded for loaded in self._specs if loaded.path in self._mutants]

    def null_mutants(self) -> Iterator[tuple[str, Variant, list[LoadedSpec]]]:
        """Give the null mutant of each file: the step's name, the variant and the specs that rest on it."""
        for file, specs in self._by_file.items():
            yield f"null mutant: {file}", Variant(file, self._mutants[specs[0].path].null), specs

    def canaries(self) -> Iterator[tuple[str, Variant, list[LoadedSpec]]]:
        """Give the canary of each scope: the step's name, the variant and the specs of the scope."""
        for specs in self._by_scope.values():
            mutant = self._mutants[specs[0].path]
            file = specs[0].spec.file
            yield f"canary: {file} {mutant.site.scope or 'module'}", Variant(file, mutant.canary), specs

    def mutants_to_run(self) -> Iterator[tuple[str, Variant, LoadedSpec]]:
        """Give each mutant: the step's name, the variant and the spec."""
        for loaded in self.runnable():
            yield f"mutant: {loaded.id}", Variant(loaded.spec.file, self._mutants[loaded.path].content), loaded

    def enter(self, name: str, outcome: Any) -> None:
        """Enter what a step gave back, by the step's name."""
        kind, _, rest = name.partition(": ")
        if kind == "null mutant":
            self._nulls[rest] = outcome
        elif kind == "canary":
            self._canaries.update({Path(path): one for path, one in outcome.items()})
        else:
            path = next(loaded.path for loaded in self.runnable() if loaded.id == rest)
            self._runs[path] = outcome

    def baseline_holds(self) -> bool:
        """Return whether the baseline lets any spec be judged; where it does not, no mutant needs to be run."""
        baseline = self.baseline
        return baseline is not None and any(holds(s, baseline.of(s)) for s in self.runnable())

    def newly_judged(self, *, final: bool = False) -> list[SpecResult]:
        """Judge the specs that have all they need (``final``: all specs) and were not judged before."""
        new = []
        for loaded in self._specs:
            if loaded.path not in self._judged and (final or self._is_complete(loaded)):
                evidence = self._evidence(loaded)
                result = SpecResult(loaded, self._mutants.get(loaded.path), evidence, judge(loaded, evidence))
                self._judged[loaded.path] = result
                new.append(result)
        return new

    def source_changed(self, changes: tuple[str, ...]) -> None:
        """Take note that the source tree is not what it was: then no verdict stands."""
        self._source_changes = changes

    def results(self) -> list[SpecResult]:
        """Return the results of all judged specs."""
        if not self._source_changes:
            return list(self._judged.values())
        shown = ", ".join(self._source_changes[:5])
        reason = Reason(
            "source-changed",
            f"the source tree changed during the run: {shown}",
            "Run again without writing to the tree; if a test writes there by an absolute path, mend the test.",
        )
        return [
            SpecResult(
                result.loaded,
                result.mutant,
                result.evidence,
                Judgement(
                    Verdict.INCONCLUSIVE, result.judgement.depth, Blame.SUBJECT, (reason, *result.judgement.reasons)
                ),
            )
            for result in self._judged.values()
        ]

    def _is_complete(self, loaded: LoadedSpec) -> bool:
        if loaded.path in self._hindrances:
            return True
        return loaded.spec.file in self._nulls and loaded.path in self._canaries and loaded.path in self._runs

    def _evidence(self, loaded: LoadedSpec) -> Evidence:
        if loaded.path in self._hindrances:
            return Evidence(hindrance=self._hindrances[loaded.path])
        if self.baseline is None:
            return Evidence()
        null = None
        if loaded.spec.file in self._nulls:
            suite, effects = self._nulls[loaded.spec.file]
            null = VariantRun(effect_of(loaded, effects, suite), suite)
        controls = Controls(self.baseline.of(loaded), null, self._canaries.get(loaded.path))
        return Evidence(controls, self._runs.get(loaded.path))


def _grouped(specs: list[LoadedSpec], key: Any) -> dict[str, list[LoadedSpec]]:
    groups: dict[str, list[LoadedSpec]] = {}
    for loaded in specs:
        groups.setdefault(key(loaded), []).append(loaded)
    return groups
