"""Owns probes: runs of a variant outside of the suite, from which its behaviour is read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mutkit.model.campaign import JsonRpcProbe, Probe, ProcessProbe, PythonProbe
from mutkit.model.probe_run import ProbeRun
from mutkit.probes.jsonrpc_probe import run_jsonrpc_probe
from mutkit.probes.process_probe import run_process_probe
from mutkit.probes.python_probe import run_python_probe
from mutkit.probes.services import serving
from mutkit.probes.surroundings import Surroundings
from mutkit.process import Network

if TYPE_CHECKING:
    from collections.abc import Callable

    from mutkit.stage import Stage

__all__ = ["ProbeRun", "run_probe"]

_RUNNERS: dict[type[Any], Callable[[Any, Stage, Surroundings], ProbeRun]] = {
    ProcessProbe: run_process_probe,
    JsonRpcProbe: run_jsonrpc_probe,
    PythonProbe: run_python_probe,
}


def run_probe(probe: Probe, stage: Stage) -> ProbeRun:
    """Run the probe on the variant in ``stage.tree`` and return what was seen.

    Its environment is made from nothing; its PATH is a folder of its own with the mock commands and the named
    tools; where this machine allows it, it reaches nothing but a loopback of its own, on which its mock services
    run as long as it does. What the program does, however bad, is an effect. Raises UsageError for a tool that is
    missing or a mock script that is wrong, HostError where no process can be started, Cancelled when the run is
    interrupted.
    """
    with Network(closed=probe.network == "loopback") as network, serving(probe, stage, network) as services:
        surroundings = Surroundings.make(probe, stage, network, services)
        run = _RUNNERS[type(probe)](probe, stage, surroundings)
        return services.added_to(replace(run, calls=surroundings.calls(), isolation=network.isolation))
