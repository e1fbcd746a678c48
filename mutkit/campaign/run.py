"""Owns the run of campaigns, read from top to bottom: baseline, controls, mutants, judgements, conclusion."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from mutkit.campaign.crew import Crew, as_they_end, crew
from mutkit.campaign.ledger import Ledger
from mutkit.campaign.lint import make_all
from mutkit.campaign.tasks import Baseline, baseline_probes, baseline_suite, probes_of
from mutkit.errors import ExitCode, MutkitError, SpecError
from mutkit.judge import conclude
from mutkit.load import Selection
from mutkit.model.campaign import LoadedCampaign
from mutkit.model.describe import counted
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Hindrance
from mutkit.model.result import Conclusion, RunResult, SpecResult
from mutkit.model.spec import LoadedSpec
from mutkit.process import Cancellation
from mutkit.workspace import Workspaces


class Listener(Protocol):
    """Who is told of the progress of a run; called from the main thread only."""

    def begun(self, campaign: LoadedCampaign, specs: int, steps: int) -> None:
        """A campaign of ``specs`` specs begins; ``steps`` runs will be needed."""

    def step(self, name: str) -> None:
        """One step came to its end."""

    def judged(self, result: SpecResult) -> None:
        """One spec has its judgement."""


@dataclass(frozen=True)
class Options:
    """How to run: ``jobs`` workspaces at a time; ``keep`` leaves the workspaces for a look; ``root`` is where they
    are made.

    ``written`` are the files that the run itself writes (its log, its report), absolute.
    """

    jobs: int = 1
    keep: bool = False
    root: Path | None = None
    written: frozenset[Path] = frozenset()

    def own(self, tree: Path) -> frozenset[str]:
        """Return those of ``written`` that lie in ``tree``, relative to it: the run's own output is no change of it."""
        below = [path for path in self.written if path.is_relative_to(tree.resolve())]
        return frozenset(path.relative_to(tree.resolve()).as_posix() for path in below)


@dataclass
class _Account:
    """What is gathered over all campaigns of a run."""

    results: list[SpecResult] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    cleared: list[str] = field(default_factory=list)


def run_campaigns(selection: Selection, options: Options, listener: Listener, cancellation: Cancellation) -> RunResult:
    """Run all selected specs and return the result, whatever happens.

    Problems of specs end it before anything is run. An interruption, or an error that ends the run (this machine cannot
    hold or run variants), gives what was judged until then, and its own exit code and reason.
    """
    began = time.monotonic()
    account = _Account()
    mutants, hindrances, invalid = make_all(selection.specs)
    problems = (*selection.problems, *invalid)
    fault: MutkitError | KeyboardInterrupt | None = SpecError(list(problems)) if problems else None
    try:
        for campaign, specs in _by_campaign(selection.specs) if fault is None else []:
            _run_campaign(campaign, specs, mutants, hindrances, options, listener, cancellation, account)
    except (MutkitError, KeyboardInterrupt) as error:
        fault = error
    order = {loaded.path: number for number, loaded in enumerate(selection.specs)}
    results = tuple(sorted(account.results, key=lambda result: order[result.loaded.path]))
    return RunResult(
        len(selection.specs),
        results,
        _conclusion(results, len(selection.specs), fault, len(problems)),
        selection.left_out,
        tuple(account.kept),
        tuple(account.cleared),
        time.monotonic() - began,
        problems,
    )


def _conclusion(
    results: Sequence[SpecResult], selected: int, fault: MutkitError | KeyboardInterrupt | None, problems: int
) -> Conclusion:
    verdicts = [result.judgement.verdict for result in results]
    found = conclude(verdicts, selected=selected, interrupted=isinstance(fault, KeyboardInterrupt))
    if problems:
        reason = f"{counted(problems, 'problem')} in specs or campaigns: nothing was run"
        return Conclusion(ExitCode.USAGE, reason, found.counts)
    if isinstance(fault, MutkitError):
        reason = f"the run was ended by an error: {fault} [{fault.slug}]"
        return Conclusion(fault.exit_code, reason, found.counts)
    return found


def _by_campaign(specs: Sequence[LoadedSpec]) -> list[tuple[LoadedCampaign, list[LoadedSpec]]]:
    groups: dict[Path, tuple[LoadedCampaign, list[LoadedSpec]]] = {}
    for loaded in specs:
        groups.setdefault(loaded.campaign.file, (loaded.campaign, []))[1].append(loaded)
    return list(groups.values())


def _run_campaign(
    campaign: LoadedCampaign,
    specs: list[LoadedSpec],
    mutants: dict[Path, Mutant],
    hindrances: dict[Path, Hindrance],
    options: Options,
    listener: Listener,
    cancellation: Cancellation,
    account: _Account,
) -> None:
    ledger = Ledger(specs, mutants, hindrances)
    listener.begun(campaign, len(specs), ledger.steps)
    with Workspaces(campaign.tree, leave_out=campaign.campaign.leave_out, root=options.root) as workspaces:
        account.cleared += [str(path) for path in workspaces.removed_leftovers]
        try:
            with crew(workspaces, campaign, options.jobs, cancellation) as workers:
                _work(workers, ledger, listener)
        finally:
            # Also when the run was cut short: what was judged may be another program than what is there now.
            try:
                changes = [one for one in workspaces.source_changes() if one.path not in options.own(campaign.tree)]
                ledger.source_changed(tuple(str(change) for change in changes))
            finally:
                account.results += ledger.results()
        if options.keep:
            for loaded in ledger.runnable():
                kept = workspaces.keep(loaded.id, loaded.spec.file, mutants[loaded.path].content)
                account.kept.append(str(kept))


def _work(workers: Crew, ledger: Ledger, listener: Listener) -> None:
    """Run baseline, then all controls and mutants, telling the listener of each step and judgement."""
    runnable = ledger.runnable()
    if runnable:
        ledger.baseline = _baseline(workers, runnable, listener)
        if ledger.baseline_holds():
            steps = {workers.submit(step.task): step for step in ledger.steps_after(ledger.baseline)}
            for step, outcome in as_they_end(steps):
                step.enter(outcome)
                listener.step(step.name)
                for result in ledger.newly_judged():
                    listener.judged(result)
    for result in ledger.newly_judged(final=True):
        listener.judged(result)


def _baseline(workers: Crew, specs: list[LoadedSpec], listener: Listener) -> Baseline:
    probes = probes_of(specs)
    suite_future = workers.submit(baseline_suite)
    probes_future = workers.submit(partial(baseline_probes, probes=probes))
    effects, deadlines, isolations = probes_future.result()
    listener.step("baseline probes")
    suite, changed = suite_future.result()
    listener.step("baseline suite")
    return Baseline(suite, effects, deadlines, changed, isolations)
