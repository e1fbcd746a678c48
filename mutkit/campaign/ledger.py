"""Owns the ledger of one campaign: what is to be run, what has come in, and that each spec is judged exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mutkit.campaign.tasks import Baseline, Null, canary, mutant_run, null_mutant
from mutkit.execute import Place, Variant
from mutkit.judge import holds, judge
from mutkit.model.judgement import Blame, Judgement, Reason, Verdict
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Canary, Controls, Evidence, Hindrance, VariantRun
from mutkit.model.result import SpecResult
from mutkit.model.spec import LoadedSpec


@dataclass(frozen=True)
class Step:
    """One run of many: its name for people, the task for a worker, and where its outcome is entered."""

    name: str
    task: Callable[[Place], Any]
    enter: Callable[[Any], None]


class Ledger:
    """Keeps the books of one campaign's run."""

    def __init__(self, specs: list[LoadedSpec], mutants: dict[Path, Mutant], hindrances: dict[Path, Hindrance]) -> None:
        """Take the specs in their order, with the mutants that could be made and what hindered the others."""
        self._specs = specs
        self._mutants = mutants
        self._hindrances = hindrances
        self.baseline: Baseline | None = None
        self._nulls: dict[str, Null] = {}
        self._canaries: dict[Path, Canary] = {}
        self._runs: dict[Path, VariantRun] = {}
        self._judged: dict[Path, SpecResult] = {}
        self._source_changes: tuple[str, ...] = ()
        self._by_file = _grouped(self.runnable(), lambda s: s.spec.file)

    @property
    def steps(self) -> int:
        """Return how many steps a full run of the campaign takes."""
        return 2 + len(self._by_file) + 2 * len(self.runnable()) if self.runnable() else 0

    def runnable(self) -> list[LoadedSpec]:
        """Return the specs whose mutant could be made."""
        return [loaded for loaded in self._specs if loaded.path in self._mutants]

    def steps_after(self, baseline: Baseline) -> Iterator[Step]:
        """Give the null mutant of each file, then the canary of each spec and each mutant."""
        for file, specs in self._by_file.items():
            variant = Variant(file, self._mutants[specs[0].path].null)
            yield Step(
                f"null mutant of {file}",
                partial(null_mutant, variant=variant, specs=specs, baseline=baseline),
                partial(self._nulls.__setitem__, file),
            )
        for loaded in self.runnable():
            # One canary a spec: that some other spec's cases execute the scope says nothing of this one's.
            variant = Variant(loaded.spec.file, self._mutants[loaded.path].canary)
            yield Step(
                f"canary of {loaded.id}",
                partial(canary, variant=variant, loaded=loaded, baseline=baseline),
                partial(self._canaries.__setitem__, loaded.path),
            )
        for loaded in self.runnable():
            variant = Variant(loaded.spec.file, self._mutants[loaded.path].content)
            yield Step(
                loaded.id,
                partial(mutant_run, variant=variant, loaded=loaded, baseline=baseline),
                partial(self._runs.__setitem__, loaded.path),
            )

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
        null = self._nulls.get(loaded.spec.file)
        controls = Controls(
            self.baseline.of(loaded), null.of(loaded) if null else None, self._canaries.get(loaded.path)
        )
        return Evidence(controls, self._runs.get(loaded.path))


def _grouped(specs: list[LoadedSpec], key: Callable[[LoadedSpec], str]) -> dict[str, list[LoadedSpec]]:
    groups: dict[str, list[LoadedSpec]] = {}
    for loaded in specs:
        groups.setdefault(key(loaded), []).append(loaded)
    return groups
