"""Owns the script of a capture as TOML, and the proof that it does what was captured."""

from __future__ import annotations

import itertools
import signal
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.capture.steps import steps_of
from mutkit.hermetic.capture.toml_text import line, string
from mutkit.hermetic.scripts import Script
from mutkit.model.ending import Exited, Signalled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mutkit.hermetic.capture.captured import Capture
    from mutkit.model.mock import Step

_WIDTH = 100


def script_text(
    capture: Capture, note: str, argv: Sequence[str], remarks: Iterable[str], folder: Path, *, timing: bool
) -> str:
    """Return the script: ``note`` says of what, ``argv`` are the words (``*`` as in scripts) that it answers.

    ``remarks`` stand above it as comments; ``folder`` is where it is tried. AssertionError where the script would not
    do what was captured: that is a bug of ours.
    """
    lines = [f"# {_one_line(remark)}" for remark in remarks]
    lines += [f"note = {string(_one_line(note))}", f"argv = [{', '.join(string(word) for word in argv)}]"]
    for step in steps_of(capture, timing=timing):
        lines += ["", "[[step]]", *_step_lines(step)]
    lines += ["", "[end]", _end_line(capture)]
    if capture.ending is None and capture.on_term != "die":
        reaction = string(capture.on_term) if isinstance(capture.on_term, str) else str(capture.on_term)
        lines += ["", "[signals]", f"TERM = {reaction}"]
    text = "\n".join(lines) + "\n"
    _prove(text, capture, folder)
    return text


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _end_line(capture: Capture) -> str:
    match capture.ending:
        case Exited(code):
            return f"exit = {code}"
        case Signalled(number):
            return f"signal = {string(signal.Signals(number).name.removeprefix('SIG'))}"
    return "hang = true"


def _step_lines(step: Step) -> list[str]:
    """Return the keys of one step; those that are as if left out are left out."""
    found: list[str] = []
    for name in ("text", "base64", "read_stdin", "close"):
        value = getattr(step, name)
        found += [] if value is None else [f"{name} = {string(value)}"]
    if step.repeat is not None:
        found.append(f"repeat = {{ text = {line(step.repeat.text)}, times = {step.repeat.times} }}")
    if step.grandchild is not None:
        holds = ", ".join(string(name) for name in step.grandchild.holds)
        found.append(f"grandchild = {{ seconds = {step.grandchild.seconds}, holds = [{holds}] }}")
    found += [f"to = {string(step.to)}"] if step.to != "stdout" else []
    found += [f"newline = {string(step.newline)}"] if step.newline is not None else []
    found += [f"chunk = {step.chunk}"] if step.chunk else []
    found += _offsets(step.cut_at) if step.cut_at else []
    found += [f"pause_ms = {step.pause_ms:g}"] if step.pause_ms else []
    return found


def _offsets(cut_at: tuple[int, ...]) -> list[str]:
    numbers = ", ".join(map(str, cut_at))
    if len(numbers) <= _WIDTH:
        return [f"cut_at = [{numbers}]"]
    lines = ["cut_at = ["]
    for number in cut_at:
        if len(lines[-1]) > _WIDTH or len(lines) == 1:
            lines.append("  ")
        lines[-1] += f"{number}, "
    return [*(line.rstrip() for line in lines), "]"]


def _prove(text: str, capture: Capture, folder: Path) -> None:
    """Read the script back and compare what it does with what was captured."""
    path = folder / "script.toml"
    path.write_bytes(text.encode("utf-8"))
    (answer,) = Script.from_toml(path).compiled()["calls"]
    written = [write for step in answer["steps"] for write in _writes(step)]
    if written != [(chunk.fd, chunk.data) for chunk in capture.chunks]:
        raise AssertionError("the script would not write what was captured")


def _writes(step: dict[str, Any]) -> list[tuple[int, bytes]]:
    """Return the writes of a compiled step."""
    if "parts" not in step:
        return []
    data = b"".join(part * times for part, times in step["parts"])
    cuts = step["cut_at"] or (range(step["chunk"], len(data), step["chunk"]) if step["chunk"] else ())
    places = [0, *cuts, len(data)]
    return [(step["fd"], data[start:stop]) for start, stop in itertools.pairwise(places)]
