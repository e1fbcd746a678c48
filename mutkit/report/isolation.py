"""Owns how a report says what kept the programs of a run apart from the rest of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutkit.model.isolation import Isolation
    from mutkit.model.matcher import Json
    from mutkit.model.result import RunResult

_SURROUNDINGS = "temporary folders and home of their own"


def parts(result: RunResult) -> dict[str, Isolation]:
    """Return what each part of a run could reach: ``<campaign>: suite`` and ``<campaign>/<spec>: probe``.

    A part that ran several times is as open as it was once.
    """
    found: dict[str, Isolation] = {}
    for name, isolation in _seen(result):
        if name not in found or not isolation.closed:
            found[name] = isolation
    return found


def _seen(result: RunResult) -> Iterator[tuple[str, Isolation]]:
    for one in result.results:
        campaign = one.loaded.campaign.name
        controls = one.evidence.controls
        runs = [one.evidence.mutant, *((controls.baseline, controls.null) if controls is not None else ())]
        for run in runs:
            if run is None:
                continue
            for suite in (run.suite, *run.confirmations):
                if suite is not None and suite.isolation is not None:
                    yield f"{campaign}: suite", suite.isolation
            if run.probe_isolation is not None:
                yield f"{campaign}/{one.loaded.id}: probe", run.probe_isolation


def isolation_line(result: RunResult) -> str:
    """Return the line of the text report; empty where no program was run."""
    known = parts(result)
    opened = {name: isolation.reason for name, isolation in known.items() if not isolation.closed}
    if not known:
        return ""
    if not opened:
        return f"isolation: network loopback only, {_SURROUNDINGS}"
    reasons = "; ".join(dict.fromkeys(opened.values()))
    if len(opened) == len(known):
        return f"isolation: network OPEN ({reasons}), {_SURROUNDINGS}"
    names = list(opened)
    told = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"isolation: network OPEN for {told} ({reasons}), else loopback only; {_SURROUNDINGS}"


def isolation_json(result: RunResult) -> dict[str, Json]:
    """Return the object ``isolation`` of the JSON report; ``network`` is "not run" where no program was run."""
    known = parts(result)
    kinds = {isolation.network for isolation in known.values()}
    return {
        "network": "mixed" if len(kinds) > 1 else kinds.pop() if kinds else "not run",
        "parts": {
            name: {"network": isolation.network, "reason": isolation.reason} for name, isolation in known.items()
        },
    }


def isolation_schema() -> dict[str, Json]:
    """Return the JSON Schema of that object."""
    network = ["loopback only", "open"]
    part = {
        "type": "object",
        "properties": {"network": {"enum": network}, "reason": {"type": "string"}},
        "required": ["network", "reason"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "network": {"enum": [*network, "mixed", "not run"]},
            "parts": {"type": "object", "additionalProperties": part},
        },
        "required": ["network", "parts"],
        "additionalProperties": False,
    }
