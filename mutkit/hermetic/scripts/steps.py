"""Owns the compiled form of a step: plain values that a child follows, and the faults that hinder it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.scripts.content import CONTENT, Parts, is_given, parts_of
from mutkit.hermetic.scripts.cuts import cuts
from mutkit.hermetic.scripts.expects import compile_expect
from mutkit.hermetic.scripts.system_text import system_bytes
from mutkit.model.mock import Step
from mutkit.toml import dotted

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.toml import Key

STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}
_OTHER = ("expect", "read_stdin", "close", "grandchild", "wait_for")
_HOW = [item.name for item in fields(Step) if item.name not in (*CONTENT, *_OTHER)]
_BARE = Step()
_ONLY_STREAMS = ("to", "chunk", "cut_at", "pace", "pause_ms", "deadline")
_CODEX_LINE = 1024
"""The codex CLI writes a line of up to this many bytes, newline included, in one piece, else the newline by
itself.
"""


@dataclass(frozen=True)
class Surroundings:
    """What a step needs beside itself: the folder of ``file`` keys, the seed, where faults go."""

    base: Path | None
    seed: int
    faults: Faults


def compile_step(step: Step, at: Key, around: Surroundings) -> list[dict[str, Any]]:
    """Return the step, which stands at the key ``at``, as the child follows it: mostly one, at times two."""
    faults = around.faults
    given = [name for name in (*CONTENT, *_OTHER) if is_given(step, name)]
    if len(given) > 1 or (not given and not step.pause_ms):
        what = " and ".join(f"`{name}`" for name in given) or "nothing to do"
        faults.add(at, f"has {what}; a step does exactly one thing", "Make a step of each.")
        return []
    if not 0 <= step.pause_ms < math.inf:
        faults.add((*at, "pause_ms"), f"is no time: {step.pause_ms}", "Give milliseconds, 0 or more.")
    _check_seconds(step.deadline, (*at, "deadline"), faults)
    if given and given[0] in CONTENT:
        return _content(step, given[0], at, around)
    alone = given[0] if given else "pause_ms"
    for name in _how_given(step):
        if name != alone:
            faults.add((*at, name), f"says nothing about `{alone}`", "It is for content; take it out.")
    return [_other(step, at, faults)]


def _how_given(step: Step) -> list[str]:
    """Return the keys that say how content is written, of those that the step has."""
    return [name for name in _HOW if getattr(step, name) != getattr(_BARE, name)]


def _other(step: Step, at: Key, faults: Faults) -> dict[str, Any]:
    """Return a step that is no content."""
    name = dotted(at)
    if step.expect is not None:
        return {**compile_expect(step.expect, (*at, "expect"), faults), "at": name}
    if step.read_stdin is not None:
        return {"read": step.read_stdin, "at": name}
    if step.close is not None:
        return {"close": STREAMS[step.close], "at": name}
    if (wait := step.wait_for) is not None:
        _check_seconds(wait.seconds, (*at, "wait_for", "seconds"), faults)
        if not wait.path or "\0" in wait.path:
            faults.add((*at, "wait_for", "path"), "is no path", "Name a file that will appear.")
        return {"wait_for": wait.path, "limit": wait.seconds, "at": name}
    if (left := step.grandchild) is not None:
        _check_seconds(left.seconds, (*at, "grandchild", "seconds"), faults)
        return {"grandchild": left.seconds, "fds": [STREAMS[stream] for stream in left.holds], "at": name}
    return {"pause": step.pause_ms / 1000, "at": name}


def _check_seconds(seconds: float, key: Key, faults: Faults) -> None:
    if not 0 < seconds < math.inf:
        faults.add(key, f"is no time: {seconds}", "Give seconds, more than 0.")


def _content(step: Step, kind: str, at: Key, around: Surroundings) -> list[dict[str, Any]]:
    faults = around.faults
    before = len(faults.problems)
    parts = parts_of(step, around.base, around.seed, faults, at)
    sound = len(faults.problems) == before
    _check_content(step, kind, at, faults)
    size = sum(len(part) * times for part, times in parts)
    newline = step.newline or ("with" if kind == "json" else "none")
    if newline == "codex":
        newline = "with" if size < _CODEX_LINE else "separate"
    if newline == "with":
        parts, size = [*parts, (b"\n", 1)], size + 1
    if step.path is not None or step.path_after is not None:
        return [_to_file(step, [*parts, (b"\n", 1)] if newline == "separate" else parts, at)]
    how = {
        "fd": STREAMS[step.to],
        "chunk": step.chunk if isinstance(step.chunk, int) else 0,
        "cut_at": [],
        "exact": step.pace == "exact",
        "pause": step.pause_ms / 1000,
        "deadline": step.deadline,
        "at": dotted(at),
    }
    tail = [{**how, "parts": [(b"\n", 1)]}] if newline == "separate" else []
    if sound:
        how.update(_cut(step, parts, size, at, faults, ends=bool(tail)))
    return [{**how, "parts": parts}, *tail]


def _to_file(step: Step, parts: Parts, at: Key) -> dict[str, Any]:
    after = None if step.path_after is None else system_bytes(step.path_after)
    path = system_bytes(step.path or "")
    return {"parts": parts, "path": path, "after": after, "append": step.append, "at": dotted(at)}


def _cut(step: Step, parts: Parts, size: int, at: Key, faults: Faults, *, ends: bool) -> dict[str, Any]:
    """Return what is to be known of where writes end; ``ends``: a newline follows as a write of its own."""
    if isinstance(step.chunk, str):
        if step.chunk == "each-byte" and size + ends > 1:
            return {"chunk": 1}
        try:
            found = cuts(step.chunk, [*parts, (b"\n", 1)] if ends else parts)
        except ValueError as error:
            faults.add((*at, "chunk"), f'= "{step.chunk}" {error}', "Take it out, or write what it can cut.")
            return {}
        return {"cut_at": found}
    if list(step.cut_at) != sorted(set(step.cut_at)) or any(not 0 < offset < size + ends for offset in step.cut_at):
        faults.add((*at, "cut_at"), f"must rise and lie within the {size} bytes", "Count bytes, not characters.")
    return {"cut_at": list(step.cut_at)}


def _check_content(step: Step, kind: str, at: Key, faults: Faults) -> None:
    if step.fill and kind != "json":
        faults.add((*at, "fill"), "is for `json`", "Take it out.")
    if isinstance(step.chunk, int) and step.chunk < 0:
        faults.add((*at, "chunk"), "is less than 0")
    if step.chunk and step.cut_at:
        faults.add((*at, "cut_at"), "stands beside `chunk`", "Keep one of them.")
    if step.path is not None or step.path_after is not None:
        _check_file(step, at, faults)
        return
    if step.append:
        faults.add((*at, "append"), "is for files: add `path` or `path_after`")
    if "deadline" in _how_given(step) and step.pace != "exact":
        faults.add((*at, "deadline"), 'is for `pace = "exact"`: nothing else waits for the reader')


def _check_file(step: Step, at: Key, faults: Faults) -> None:
    if step.path is not None and step.path_after is not None:
        faults.add((*at, "path_after"), "stands beside `path`", "Keep one of them.")
    for name, what in (("path", "path"), ("path_after", "word")):
        given = getattr(step, name)
        if given is not None and (not given or "\0" in given):
            faults.add((*at, name), f"is no {what}")
    for name in _how_given(step):
        if name in _ONLY_STREAMS:
            faults.add((*at, name), "is for streams: a file has no reader that could see it", "Take it out.")
