"""Owns the python probe: a function of the tree is called in a fresh interpreter."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.model.effect import Effect, NothingSeen, RaisedException, Returned
from mutkit.model.ending import Exited
from mutkit.model.probe_run import ProbeRun
from mutkit.probes.endings import effect_without_answer
from mutkit.process import run

if TYPE_CHECKING:
    from mutkit.model.campaign import PythonProbe
    from mutkit.model.ending import ProcessResult
    from mutkit.probes.surroundings import Surroundings
    from mutkit.stage import Stage

_INSIDE = Path(__file__).with_name("python_inside.py").absolute()
LIMIT = 64 * 2**20
"""Bytes of what a function returned, as JSON, that are read."""

_SLUGS = {
    "over-limit": "output-over-cap",
    "function-missing": "probe-function-missing",
    "not-json": "not-json",
    "wrong-tree": "wrong-tree",
}


def run_python_probe(probe: PythonProbe, stage: Stage, surroundings: Surroundings) -> ProbeRun:
    """Call the function; *Returned*, *RaisedException*, or how the process died instead of either."""
    request = {
        "call": probe.call,
        "args": surroundings.with_urls(probe.args),
        "kwargs": surroundings.with_urls(probe.kwargs),
        "path": [str((stage.tree / folder).absolute()) for folder in probe.path],
        "tree": str(stage.tree),
    }
    asked, answered = surroundings.folder / "request.json", surroundings.folder / "result.json"
    asked.write_text(json.dumps(request), encoding="utf-8")
    result = run(
        (stage.python, str(_INSIDE), str(asked), str(answered)),
        cwd=surroundings.cwd,
        env=surroundings.env,
        deadline=surroundings.deadline,
        cancellation=stage.cancellation,
        network=surroundings.network,
    )
    return ProbeRun(_effect(_answer(answered), result, surroundings.deadline), result)


def _answer(path: Path) -> object:
    """Return what the runner wrote: None if it did not come to that, ``{}`` if it cannot be read."""
    try:
        size = path.stat().st_size
        if size > LIMIT:
            reason = f"what the function returned or raised has {size:,} bytes as JSON, over the limit of {LIMIT:,}"
            return {"kind": "over-limit", "message": reason}
        text = path.read_bytes()
    except OSError:
        return None
    if not text.endswith(b"\n"):
        return None
    try:
        return json.loads(text.decode("ascii"))
    except (ValueError, RecursionError):
        return {}


def _effect(answer: object, result: ProcessResult, deadline: float) -> Effect:
    match answer:
        case {"kind": "json", "value": value}:
            return Returned(value)
        case {"kind": "bytes", "value": str(text)}:
            return Returned(base64.b64decode(text))
        case {"kind": "raised", "type": str(kind), "message": str(message), "place": str(place)}:
            return RaisedException(kind, message, place)
        case {"kind": "import-failed", "type": str(kind), "message": str(message), "place": str(place)}:
            where = f" at {place}" if place else ""
            return NothingSeen("probe-import-failed", f"importing raised {kind}: {message}{where}")
        case {"kind": str(kind), "message": str(message)} if kind in _SLUGS:
            return NothingSeen(_SLUGS[kind], message)
    if answer is None or result.ending != Exited(0):
        return effect_without_answer(result, deadline)
    return NothingSeen("answer-malformed", "what the function returned or raised was not passed on in a readable form")
