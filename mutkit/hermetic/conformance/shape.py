"""Owns what counts of a capture: keys and their order, what is said, sizes of writes; not ids, times and places."""

from __future__ import annotations

import json
import re
from typing import Any

_SCRUBBED = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+Z)?"), "<time>"),
    (re.compile(r"\b\d{4}/\d\d/\d\d/"), "<date>/"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE), "<id>"),
    (re.compile(r"http://127\.0\.0\.1:\d+/v1"), "<url>"),
    (re.compile(r"\b(ws|rs|msg|fc|ctc)_\d+\b"), "<item>"),
    (re.compile(r"(thread '[^']*') \(\d+\)"), r"\1 (<pid>)"),
    (re.compile(r"\b(v|codex-cli )\d+\.\d+\.\d+"), r"\1<version>"),
    (re.compile(r"Wall time: \d+(\.\d+)? seconds"), "Wall time: <time>"),
    (re.compile(r" in \d+(\.\d+)?m?s\b"), " in <time>"),
)

LEFT_OUT = ("warning: Codex could not find bubblewrap", "failed to send tool call event")
"""Lines of standard error that tell of this machine, or of a race within the program."""

_KEPT = {
    "type",
    "role",
    "status",
    "kind",
    "reason",
    "source",
    "originator",
    "mode",
    "turn_trigger",
    "last_agent_message",
}
"""Keys of a rollout line whose texts are told as they are; of other texts it counts that they are texts."""

_SAID = {"text", "message", "query", "exit_code", "aggregated_output"}
_SHORT = 120

Pairs = list[tuple[str, Any]]


def shape(seen: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of one call's capture, as JSON values."""
    root = seen["root"]
    shaped: dict[str, Any] = {
        "exit": seen["exit"],
        "stdout": [scrubbed(line, root) for line in seen["stdout"].split("\n")],
        "stderr": _stderr(seen["stderr"], root),
        "out": seen["out"],
        "rollouts": [_rollout(one, root) for one in seen["rollouts"]],
    }
    for key in ("waits", "writes"):
        if key in seen:
            shaped[key] = seen[key]
    return shaped


def scrubbed(text: str, root: str) -> str:
    """Return a text without what differs in each run; what is long is told by its length."""
    text = text.replace(root, "<root>")
    for pattern, instead in _SCRUBBED:
        text = pattern.sub(instead, text)
    return text if len(text) < 600 else f"{text[:100]}<{len(text)} characters>{text[-40:]}"


def _stderr(text: str, root: str) -> list[str]:
    """Return the lines; of clap's advice only that it is there, since it depends on all options of the program."""
    lines: list[str] = []
    for line in text.split("\n"):
        if any(words in line for words in LEFT_OUT):
            continue
        plain = scrubbed(line, root)
        for start in ("  tip: ", "Usage: ", "       codex exec "):
            plain = start.rstrip() + "..." if plain.startswith(start) else plain
        if plain != "       codex exec...":
            lines.append(plain)
    return lines


def _rollout(one: dict[str, Any], root: str) -> dict[str, Any]:
    lines = [json.loads(line, object_pairs_hook=_Object) for line in one["text"].split("\n") if line]
    kept = _settled([line for line in lines if not _is_a_race(dict(dict(line)["payload"]))])
    return {
        "name": scrubbed(one["name"], root),
        "new": one["is_new"],
        "ends": one["text"].endswith("\n"),
        "lines": [json.dumps(_shape(line, ""), ensure_ascii=False, separators=(",", ":")) for line in kept],
    }


def _settled(lines: list[Any]) -> list[Any]:
    """Return the lines with each record of usage right before the count that follows: what a tool has done meanwhile is
    written by another task, before or after it.
    """
    settled: list[Any] = []
    held: list[Any] = []
    for line in lines:
        if dict(line)["type"] == "token_usage_record":
            held.append(line)
            continue
        if dict(dict(line)["payload"]).get("type") == "token_count":
            settled += held
            held = []
        settled.append(line)
    return settled + held


def _is_a_race(payload: dict[str, Any]) -> bool:
    """Return whether the program may or may not have come to write the line: in 0.74 a task in the background, which
    asks git, and a signal's handler.
    """
    kind = payload.get("type")
    return kind == "ghost_snapshot" or (kind == "turn_aborted" and "turn_id" not in payload)


class _Object(list):  # type: ignore[type-arg]
    """A JSON object as pairs: keys that come twice, and their order, count."""


def _shape(value: Any, key: str) -> Any:
    if isinstance(value, _Object):
        if key == "changes":  # keys are paths
            return {"<path>": [_shape(one, "") for _, one in value]}
        return {_twice(name, at, value): _shape(one, name) for at, (name, one) in enumerate(value)}
    if isinstance(value, list):
        return [_shape(one, key) for one in value]
    if key == "complete":  # whether the program thinks a text short enough
        return "bool"
    if isinstance(value, bool) or value is None:
        return value
    if key == "exit_code":
        return value
    if isinstance(value, (int, float)):
        return "number" if isinstance(value, int) else "fraction"
    if key in _KEPT or (key in _SAID and len(value) <= _SHORT and not value.startswith("<")):
        return scrubbed(value, "<root>") if len(value) <= _SHORT else "text"
    return "text"


def _twice(name: str, at: int, pairs: Pairs) -> str:
    """Return the key, marked where the object has had it before."""
    before = sum(other == name for other, _ in pairs[:at])
    return name if not before else f"{name}#{before + 1}"
