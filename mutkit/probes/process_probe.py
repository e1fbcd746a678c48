"""Owns the process probe: a program run to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.model.effect import Finished, NothingSeen
from mutkit.model.ending import Exited
from mutkit.model.matcher import as_bytes
from mutkit.model.probe_run import ProbeRun
from mutkit.probes.endings import effect_without_answer
from mutkit.process import run

if TYPE_CHECKING:
    from mutkit.model.campaign import ProcessProbe
    from mutkit.probes.surroundings import Surroundings
    from mutkit.stage import Stage


def run_process_probe(probe: ProcessProbe, stage: Stage, surroundings: Surroundings) -> ProbeRun:
    """Run the program; *Finished*, or how it failed to end by itself.

    Output that is over the cap makes the run *NothingSeen*: two streams of which only the beginning is known
    may not be taken for equal.
    """
    stdin = as_bytes(surroundings.with_urls(probe.stdin))
    result = run(
        surroundings.argv(probe.run),
        cwd=surroundings.cwd,
        env=surroundings.env,
        deadline=surroundings.deadline,
        stdin=stdin,
        cancellation=stage.cancellation,
        network=surroundings.network,
    )
    if not isinstance(result.ending, Exited):
        return ProbeRun(effect_without_answer(result, surroundings.deadline), result, stdin)
    for name, stream in (("stdout", result.stdout), ("stderr", result.stderr)):
        if stream.truncated:
            kept = f"of which only {len(stream.head):,} are kept"
            reason = f"{name} has {stream.total:,} bytes, {kept} ({result.ending})"
            return ProbeRun(NothingSeen("output-over-cap", reason), result, stdin)
    effect = Finished(result.ending.code, result.stdout.head, result.stderr.head)
    return ProbeRun(effect, result, stdin)
