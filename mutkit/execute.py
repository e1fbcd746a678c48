"""Owns execution: one variant held in a workspace, looked at through its probe, its cases run.

No opinion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mutkit.harnesses import run_suite
from mutkit.model.campaign import LoadedCampaign, Probe
from mutkit.model.case import Outcome, SuiteRun
from mutkit.model.effect import Effect, NothingSeen, RaisedException, Returned
from mutkit.model.probe_run import ProbeRun
from mutkit.probes import run_probe
from mutkit.process import Cancellation
from mutkit.stage import Stage
from mutkit.workspace import Workspace, Workspaces


@dataclass(frozen=True)
class Place:
    """Where one worker runs variants: its workspace, and what all runs of the campaign share.

    ``python`` is the absolute interpreter; ``python_path`` the folders of the workspace that an editable install of
    the subject must resolve to.
    """

    workspaces: Workspaces
    workspace: Workspace
    campaign: LoadedCampaign
    python: str
    python_path: tuple[str, ...]
    cancellation: Cancellation = field(default_factory=Cancellation)

    @contextmanager
    def stage(self, deadline: float) -> Iterator[Stage]:
        """Give a stage with a fresh scratch folder for one run of at most ``deadline`` seconds."""
        with self.workspaces.scratch() as scratch:
            yield Stage(
                tree=self.workspace.path,
                scratch=scratch,
                python=self.python,
                base=self.campaign.file.parent,
                deadline=deadline,
                python_path=self.python_path,
                cancellation=self.cancellation,
                source=self.campaign.tree,
            )


@dataclass(frozen=True)
class Variant:
    """A program to be run: the tree with ``content`` in ``file``; without a file it is the baseline."""

    file: str = ""
    content: bytes = b""


@contextmanager
def held(place: Place, variant: Variant, changed: list[str]) -> Iterator[None]:
    """Hold a variant while one run of it lasts, then restore the workspace: each run finds the variant as it was
    made.

    What the run changed in the workspace is added to ``changed``.
    """
    if variant.file:
        place.workspace.hold(variant.file, variant.content)
    try:
        yield
    finally:
        changed += [text for text in map(str, place.workspace.restore()) if text not in changed]


def look(place: Place, variant: Variant, probe: Probe, deadline: float, changed: list[str]) -> ProbeRun:
    """Run a probe on a variant."""
    with held(place, variant, changed), place.stage(deadline) as stage:
        return run_probe(probe, stage)


def run_cases(
    place: Place, variant: Variant, deadline: float, changed: list[str], cases: Sequence[str] | None = None
) -> SuiteRun:
    """Run the named cases, or the whole suite, on a variant."""
    with held(place, variant, changed), place.stage(deadline) as stage:
        return run_suite(place.campaign.campaign.suite, stage, cases)


def recorded(suite: SuiteRun, case_id: str) -> Effect:
    """Return what a case recorded with ``observe(...)``: its one value, or the list of its values."""
    record = suite.case(case_id)
    if not record.observed:
        ended = record.outcome.value + (f" ({record.exception}: {record.message})" if record.exception else "")
        missing = record.outcome is Outcome.MISSING
        return NothingSeen("case-missing" if missing else "nothing-recorded", f"{case_id} recorded nothing; it {ended}")
    value = record.observed[0] if len(record.observed) == 1 else list(record.observed)
    if isinstance(value, dict) and set(value) == {"raises", "message"}:
        return RaisedException(str(value["raises"]), str(value["message"]))
    return Returned(value)


def interpreter(campaign: LoadedCampaign, default: str) -> str:
    """Return the absolute interpreter of the campaign's suite; a relative one is relative to the tree."""
    named = campaign.campaign.suite.python
    return str(Path(campaign.tree, named)) if named else default
