"""Owns the compiled form of a mock's answer: plain values that child.py follows, and the faults that hinder
it.
"""

from __future__ import annotations

import base64
import binascii
import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.errors import Problem
from mutkit.model.matcher import UNSET, Json, as_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mutkit.model.mock import Answer, End, Repeat, Step

_STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}
_CONTENT = ("text", "base64", "file", "json", "repeat")
_OTHER = ("read_stdin", "close", "grandchild", "wait_for")
_CODEX_LINE = 1024
"""The codex CLI writes a line of up to this many bytes, newline included, in one piece, else the newline by
itself.
"""


def problem(shown: str, key: str, message: str, advice: str = "See docs/mock-children.md.") -> Problem:
    """Return one fault of the script ``shown`` at the dotted ``key``."""
    return Problem("mock-script", message, advice, shown, None, key)


class Compiler:
    """Turns one answer into plain values, adding to ``problems`` what does not go together."""

    def __init__(self, base: Path | None, shown: str, prefix: str, problems: list[Problem]) -> None:
        """Take the folder of ``file`` keys, the script's name in messages, what stands before its keys."""
        self.base, self.shown, self.prefix, self.problems = base, shown, prefix, problems

    def _fault(self, key: str, message: str) -> None:
        self.problems.append(problem(self.shown, self.prefix + key, message))

    def answer(self, answer: Answer) -> dict[str, Any]:
        """Return the answer as child.py reads it."""
        steps: list[dict[str, Any]] = []
        for at, step in enumerate(answer.step):
            steps += self._step(step, f"step[{at}]")
        return {
            "argv": None if answer.argv is None else [as_bytes(word) for word in answer.argv],
            "nth": answer.nth,
            "steps": steps,
            "end": self._end(answer.end),
            "signals": {int(signal.Signals[f"SIG{name}"]): what for name, what in answer.signals.items()},
        }

    def _end(self, end: End) -> dict[str, Any]:
        if (end.exit is not None) + (end.signal is not None) + end.hang > 1:
            self._fault("end", "has more than one of `exit`, `signal`, `hang`")
        if end.exit is not None and not 0 <= end.exit <= 255:
            self._fault("end.exit", "is not 0 to 255")
        number = 0
        if end.signal is not None:
            known = f"SIG{end.signal.removeprefix('SIG')}" in signal.Signals.__members__
            if known:
                number = int(signal.Signals[f"SIG{end.signal.removeprefix('SIG')}"])
            else:
                self._fault("end.signal", f"is no signal: {end.signal}")
        return {"exit": end.exit or 0, "signal": number, "hang": end.hang}

    def _step(self, step: Step, key: str) -> list[dict[str, Any]]:
        given = [name for name in _CONTENT if name != "json" and getattr(step, name) is not None]
        given += ["json"] if step.json is not UNSET else []
        given += [name for name in _OTHER if getattr(step, name) is not None]
        if len(given) > 1 or (not given and not step.pause_ms):
            what = " and ".join(f"`{name}`" for name in given) or "nothing to do"
            self._fault(key, f"has {what}; a step does exactly one thing")
            return []
        if not given:
            return [{"pause": step.pause_ms / 1000}]
        if given[0] in _CONTENT:
            return self._content(step, given[0], key)
        if step.read_stdin is not None:
            return [{"read": step.read_stdin}]
        if step.close is not None:
            return [{"close": _STREAMS[step.close]}]
        if step.wait_for is not None:
            return [{"wait_for": step.wait_for.path, "limit": step.wait_for.seconds}]
        assert step.grandchild is not None
        held = [_STREAMS[name] for name in step.grandchild.holds]
        return [{"grandchild": step.grandchild.seconds, "fds": held}]

    def _content(self, step: Step, kind: str, key: str) -> list[dict[str, Any]]:
        parts = self._parts(step, kind, key)
        size = sum(len(part) * times for part, times in parts)
        self._check_cuts(step, size, key)
        newline = step.newline or ("with" if kind == "json" else "none")
        if newline == "codex":
            newline = "with" if size < _CODEX_LINE else "separate"
        if newline == "with":
            parts.append((b"\n", 1))
        if step.path is not None or step.path_after is not None:
            if newline == "separate":
                parts.append((b"\n", 1))
            after = None if step.path_after is None else as_bytes(step.path_after)
            path = as_bytes(step.path or "")
            return [{"parts": parts, "path": path, "after": after, "append": step.append}]
        how = {
            "fd": _STREAMS[step.to],
            "chunk": step.chunk if isinstance(step.chunk, int) else 1,
            "cut_at": list(step.cut_at),
            "exact": step.pace == "exact",
            "pause": step.pause_ms / 1000,
        }
        tail = [{**how, "parts": [(b"\n", 1)], "cut_at": []}] if newline == "separate" else []
        return [{**how, "parts": parts}, *tail]

    def _check_cuts(self, step: Step, size: int, key: str) -> None:
        if isinstance(step.chunk, int) and step.chunk < 0:
            self._fault(f"{key}.chunk", "is less than 0")
        if step.chunk and step.cut_at:
            self._fault(f"{key}.cut_at", "stands beside `chunk`")
        if list(step.cut_at) != sorted(set(step.cut_at)) or any(not 0 < at <= size for at in step.cut_at):
            self._fault(f"{key}.cut_at", f"must rise and lie within the {size} bytes")
        if step.path is not None and step.path_after is not None:
            self._fault(f"{key}.path_after", "stands beside `path`")
        if step.append and step.path is None and step.path_after is None:
            self._fault(f"{key}.append", "is for files: add `path` or `path_after`")

    def _parts(self, step: Step, kind: str, key: str) -> list[tuple[bytes, int]]:
        if step.fill and kind != "json":
            self._fault(f"{key}.fill", "is for `json`")
        try:
            if step.text is not None:
                return [(as_bytes(step.text), 1)]
            if step.base64 is not None:
                return [(base64.b64decode(step.base64, validate=True), 1)]
            if step.file is not None:
                return [(((self.base or Path()) / step.file).read_bytes(), 1)]
            if step.repeat is not None:
                return [(as_bytes(step.repeat.text), step.repeat.times)]
            return _json_parts(step.json, step.fill)
        except (binascii.Error, OSError, ValueError, LookupError, TypeError) as error:
            self._fault(f"{key}.{kind}", f"cannot be used: {error}")
            return []


def _json_parts(value: Json, fill: Mapping[str, Repeat]) -> list[tuple[bytes, int]]:
    """Return compact JSON in which each pointer of ``fill`` holds its repeated text."""
    value = json.loads(json.dumps(value))  # a copy to put the marks into
    marks = {}
    for at, (pointer, repeat) in enumerate(fill.items()):
        mark = f"\ue000mutkit fill {at}\ue000"
        value = _put(value, [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]], mark)
        marks[as_bytes(mark)] = repeat
    rest = as_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    parts: list[tuple[bytes, int]] = []
    for mark_bytes, repeat in sorted(marks.items(), key=lambda item: rest.find(item[0])):
        before, _, rest = rest.partition(mark_bytes)
        inner = json.dumps(repeat.text, ensure_ascii=False)[1:-1]
        parts += [(before, 1), (as_bytes(inner), repeat.times)]
    return [*parts, (rest, 1)]


def _put(value: Json, path: list[str], mark: str) -> Json:
    if not path:
        return mark
    key = int(path[0]) if isinstance(value, list) else path[0]
    if isinstance(value, dict) and key not in value and len(path) > 1:
        raise LookupError(f"`fill` names {path[0]!r}, which is not there")
    value[key] = _put(value[key] if len(path) > 1 else None, path[1:], mark)
    return value
