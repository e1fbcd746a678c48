"""Owns the bytes that a step writes, as parts and how many times over each."""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.hermetic.scripts.generators import generate
from mutkit.model.matcher import UNSET, Json, as_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.model.mock import Repeat, Step
    from mutkit.toml import Key

CONTENT = ("text", "base64", "file", "json", "repeat", "generate")
"""The keys of a step that say what is written."""

Parts = list[tuple[bytes, int]]


def parts_of(step: Step, base: Path | None, seed: int, faults: Faults, at: Key) -> Parts:
    """Return what the step, which stands at ``at``, writes; faults are added.

    ``base`` is the folder of its ``file``, ``seed`` what generators draw from.
    """
    if step.text is not None:
        return [(as_bytes(step.text), 1)]
    if step.base64 is not None:
        return [(_from_base64(step.base64, faults, (*at, "base64")), 1)]
    if step.file is not None:
        return [(_read(Path(base or ""), step.file, faults, (*at, "file")), 1)]
    if step.repeat is not None:
        return [_repeated(step.repeat, step.repeat.text, faults, (*at, "repeat"))]
    if step.generate is not None:
        chosen = seed if step.generate.seed is None else step.generate.seed
        try:
            return [(generate(step.generate.kind, step.generate.bytes, chosen), 1)]
        except ValueError as error:
            faults.add((*at, "generate"), str(error))
            return []
    return _json(step.json, step.fill, faults, at)


def _from_base64(text: str, faults: Faults, key: Key) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        faults.add(key, f"is not base64: {error}", "Write `base64 < file` there.")
        return b""


def _read(base: Path, name: str, faults: Faults, key: Key) -> bytes:
    try:
        return (base / name).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        faults.add(key, f"cannot be read: {base / name}: {why}", "It is relative to the script.")
        return b""


def _repeated(repeat: Repeat, text: str, faults: Faults, key: Key) -> tuple[bytes, int]:
    if repeat.times < 0:
        faults.add((*key, "times"), f"is less than 0: {repeat.times}")
    return as_bytes(text), max(repeat.times, 0)


def _json(value: Json, fill: Mapping[str, Repeat], faults: Faults, at: Key) -> Parts:
    """Return compact JSON in which each pointer of ``fill`` holds its repeated text."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        faults.add((*at, "json"), f"is no JSON: {error}")
        return []
    value, before = json.loads(text), len(faults.problems)  # a copy to put the marks into
    marks: dict[bytes, tuple[bytes, int]] = {}
    for number, (pointer, repeat) in enumerate(fill.items()):
        key = (*at, "fill", pointer)
        mark = f"\ue000{number}\ue000"
        while mark in text:
            mark += "\ue000"
        why, value = _put(value, pointer, mark)
        if why:
            faults.add(key, why, "It is a JSON Pointer to a place in `json`.")
        marks[as_bytes(mark)] = _repeated(repeat, json.dumps(repeat.text, ensure_ascii=False)[1:-1], faults, key)
    rest = as_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    for pointer, mark_bytes in zip(fill, marks, strict=True):
        if mark_bytes not in rest and len(faults.problems) == before:
            faults.add((*at, "fill", pointer), "is overwritten by another", "Fill places that do not hold one another.")
    parts: Parts = []
    for mark_bytes in sorted((mark for mark in marks if mark in rest), key=rest.find):
        head, _, rest = rest.partition(mark_bytes)
        parts += [(head, 1), marks[mark_bytes]]
    return [*parts, (rest, 1)]


def _put(value: Json, pointer: str, mark: str) -> tuple[str, Json]:
    """Put the mark where the pointer leads; return why it leads nowhere (or ``""``), and the value."""
    if pointer == "":
        return "", mark
    if not pointer.startswith("/"):
        return "does not begin with `/`", value
    here = value
    *way, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in way:
        found = _step_into(here, part)
        if found is None:
            return f"leads nowhere: there is no {part!r}", value
        here = here[found]
    if isinstance(here, dict):
        here[last] = mark
        return "", value
    found = _step_into(here, last)
    if found is None:
        return f"leads nowhere: there is no {last!r}", value
    here[found] = mark
    return "", value


def _step_into(here: Json, part: str) -> int | str | None:
    """Return the key or position of ``part`` in a table or list; None where there is none."""
    if isinstance(here, dict):
        return part if part in here else None
    if isinstance(here, list) and part.isdecimal() and part.isascii() and int(part) < len(here):
        return int(part)
    return None


def is_given(step: Step, name: str) -> bool:
    """Return whether the step has the key."""
    value = getattr(step, name)
    return value is not UNSET if name == "json" else value is not None
