"""Owns the way from a capture to the steps of a script."""

from __future__ import annotations

import base64
import itertools
import math
from typing import TYPE_CHECKING, Literal

from mutkit.model.mock import Grandchild, Newline, Repeat, Step, StreamName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mutkit.hermetic.capture.captured import Capture, Chunk

_STREAMS: dict[int, StreamName] = {1: "stdout", 2: "stderr"}
_MANY = 40
"""So many lines in a row, each a write, are a step each; more are one step with its cuts."""
_SMALL = 256
"""Content of fewer bytes is written out, even where it repeats itself."""
_PAUSE = 5  # milliseconds: pauses are whole multiples, and what rounds to nothing is none
_LINES = 100  # as many lines of input are steps of their own


def steps_of(capture: Capture, *, timing: bool) -> list[Step]:
    """Return the steps that write what was captured, in the same order and pieces; with its pauses where wanted."""
    found: list[Step] = []
    group: list[Chunk] = []
    last = 0.0
    for at, chunk in enumerate(capture.chunks):
        between = [*_things_at(capture, at)]
        pause = _PAUSE * round((chunk.at - last) * 1000 / _PAUSE) if timing else 0
        last = chunk.at
        if group and (between or pause or _stands_apart(group[-1], chunk)):
            found += _written(group)
            group = []
        found += between
        found += [Step(pause_ms=pause)] if pause else []
        group.append(chunk)
    found += _written(group) if group else []
    found += _things_at(capture, len(capture.chunks))
    pause = _PAUSE * round((capture.seconds - last) * 1000 / _PAUSE) if timing and capture.ending is not None else 0
    found += [Step(pause_ms=pause)] if pause else []
    if capture.held:
        seconds = math.ceil(max(capture.held.values()) * 10) / 10
        found.append(Step(grandchild=Grandchild(seconds, tuple(_STREAMS[fd] for fd in sorted(capture.held)))))
    return found


def _stands_apart(before: Chunk, chunk: Chunk) -> bool:
    """Return whether a chunk begins a step of its own: on another stream, or after a line one of them being long."""
    if before.fd != chunk.fd:
        return True
    sizes = len(before.data), len(chunk.data)
    return before.data.endswith(b"\n") and max(sizes) >= _SMALL and sizes[0] != sizes[1]


def _things_at(capture: Capture, at: int) -> Iterator[Step]:
    """Yield what happened after so many chunks that is no chunk."""
    if capture.stdin_after == at:
        yield from _input(capture)
    for fd, place in capture.closed.items():
        if place == at:
            yield Step(close=_STREAMS[fd])


def _input(capture: Capture) -> Iterator[Step]:
    if capture.stdin_given and capture.stdin_taken == capture.stdin_given:
        yield Step(read_stdin="end")
    elif input_is_told(capture):
        yield from [Step(read_stdin="line")] * capture.stdin_taken_of.count(b"\n")


def input_is_told(capture: Capture) -> bool:
    """Return whether steps say exactly what the program took of its input."""
    taken = capture.stdin_taken_of
    lines = taken.count(b"\n")
    return capture.stdin_taken in (0, capture.stdin_given) or (taken.endswith(b"\n") and lines <= _LINES)


def _written(group: Sequence[Chunk]) -> list[Step]:
    """Return the steps for writes in a row to one stream."""
    if not _is_text(b"".join(chunk.data for chunk in group)):
        runs = [list(run) for _, run in itertools.groupby(group, lambda chunk: _is_text(chunk.data))]
        if len(runs) > 1:
            return [step for run in runs for step in _written(run)]
    lines = all(chunk.data.endswith(b"\n") for chunk in group)
    if len(group) == 1 or (lines and len(group) <= _MANY):
        return [_step(chunk.fd, chunk.data) for chunk in group]
    sizes = [len(chunk.data) for chunk in group]
    data = b"".join(chunk.data for chunk in group)
    if len(set(sizes[:-1])) == 1 and sizes[-1] <= sizes[0]:
        return [_step(group[0].fd, data, chunk=sizes[0])]
    return [_step(group[0].fd, data, cut_at=tuple(itertools.accumulate(sizes[:-1])))]


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _step(fd: int, data: bytes, chunk: int = 0, cut_at: tuple[int, ...] = ()) -> Step:
    """Return the step that writes ``data``, in the form in which it is best read."""
    to: Literal["stdout", "stderr"] = "stdout" if fd == 1 else "stderr"
    if not _is_text(data):
        return Step(base64=base64.b64encode(data).decode(), to=to, chunk=chunk, cut_at=cut_at)
    text = data.decode("utf-8")
    newline: Newline | None = None
    if text.endswith("\n") and text.count("\n") == 1 and len(text) > 1 and not cut_at and not chunk:
        text, newline = text[:-1], "with"
    unit = _unit(text)
    if unit is not None:
        repeat = Repeat(unit, len(text) // len(unit))
        return Step(repeat=repeat, to=to, newline=newline, chunk=chunk, cut_at=cut_at)
    return Step(text=text, to=to, newline=newline, chunk=chunk, cut_at=cut_at)


def _unit(text: str) -> str | None:
    """Return what ``text`` is many repetitions of, if it is long enough to be worth saying so."""
    if len(text) < _SMALL:
        return None
    period = (text + text).find(text, 1)
    return text[:period] if period * 4 <= len(text) else None
