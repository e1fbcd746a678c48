"""Owns the python probe: a function of the tree is called in a fresh interpreter."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.model.effect import Effect, NothingSeen, RaisedException, Returned
from mutkit.model.probe_run import ProbeRun
from mutkit.probes.endings import effect_without_answer
from mutkit.process import run

if TYPE_CHECKING:
    from mutkit.model.campaign import PythonProbe
    from mutkit.model.ending import ProcessResult
    from mutkit.probes.surroundings import Surroundings
    from mutkit.stage import Stage

_INSIDE = Path(__file__).with_name("python_inside.py").absolute()
_SLUGS = {
    "function-missing": "probe-function-missing",
    "not-json": "not-json",
    "wrong-tree": "wrong-tree",
}


def run_python_probe(probe: PythonProbe, stage: Stage, surroundings: Surroundings) -> ProbeRun:
    """Call the function; *Returned*, *RaisedException*, or how the process died instead of either."""
    request = {
        "call": probe.call,
        "args": probe.args,
        "kwargs": probe.kwargs,
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
    )
    return ProbeRun(_effect(_answer(answered), result, surroundings.deadline), result)


def _answer(path: Path) -> dict[str, Any] | None:
    """Return what the runner wrote, None if it did not come to that."""
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    if not text.endswith("\n"):
        return None
    answer: dict[str, Any] = json.loads(text)
    return answer


def _effect(answer: dict[str, Any] | None, result: ProcessResult, deadline: float) -> Effect:
    if answer is None:
        return effect_without_answer(result, deadline)
    match answer["kind"]:
        case "json":
            return Returned(answer["value"])
        case "bytes":
            return Returned(base64.b64decode(answer["value"]))
        case "raised":
            return RaisedException(answer["type"], answer["message"], answer["place"])
        case "import-failed":
            place = f" at {answer['place']}" if answer["place"] else ""
            reason = f"importing raised {answer['type']}: {answer['message']}{place}"
            return NothingSeen("probe-import-failed", reason)
    return NothingSeen(_SLUGS[answer["kind"]], answer["message"])
