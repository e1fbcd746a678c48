"""Owns saved captures: what a program showed in each scenario, as JSON in which each rollout line stands once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mutkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Shapes = dict[str, list[dict[str, Any]]]
"""The shapes of a scenario's calls, by the scenario's name."""


def save(path: Path, program: str, shapes: Mapping[str, list[dict[str, Any]]]) -> None:
    """Write captures; ``program`` says of what (``codex-cli 0.171.0``)."""
    numbers: dict[str, int] = {}
    packed = {name: [_packed(call, numbers) for call in calls] for name, calls in shapes.items()}
    scenarios = ",\n".join(f"{_compact(name)}: {_compact(calls)}" for name, calls in packed.items())
    text = f'{{"program": {_compact(program)},\n"scenarios": {{\n{scenarios}\n}},\n"lines": [\n' + ",\n".join(numbers)
    path.write_text(text + "\n]}\n", encoding="utf-8")


def load(path: Path) -> tuple[str, Shapes]:
    """Return of what the captures are, and the captures; UsageError where the file is none of ours."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        lines = [_compact(line) for line in value["lines"]]
        shapes = {name: [_unpacked(call, lines) for call in calls] for name, calls in value["scenarios"].items()}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", slug="profile-capture") from error
    except (ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{path} is no capture that --save has written", slug="profile-capture") from error
    return str(value["program"]), shapes


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _packed(call: dict[str, Any], numbers: dict[str, int]) -> dict[str, Any]:
    rollouts = [
        {**one, "lines": [numbers.setdefault(line, len(numbers)) for line in one["lines"]]} for one in call["rollouts"]
    ]
    return {**call, "rollouts": rollouts}


def _unpacked(call: dict[str, Any], lines: list[str]) -> dict[str, Any]:
    return {**call, "rollouts": [{**one, "lines": [lines[at] for at in one["lines"]]} for one in call["rollouts"]]}
