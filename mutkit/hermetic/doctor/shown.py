"""Owns an examination as text for people and as JSON for programs (``mutkit-doctor/1``)."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.doctor.finding import Result

if TYPE_CHECKING:
    from mutkit.hermetic.doctor.finding import Examination, Finding

SCHEMA = "mutkit-doctor/1"
_INDENT = 32


def as_lines(examination: Examination, width: int | None) -> list[tuple[str, str]]:
    """Return lines, each with its style (good, bad, unsure or none): wrapped to ``width`` columns; None: not."""
    lines: list[tuple[str, str]] = []
    for one in examination.findings:
        style = "bad" if one.hinders else "" if one.result is Result.YES else "unsure"
        head = f"{one.name:<19}{one.result.value:<13}"
        lines += [(style, line) for line in _wrapped(head, one.detail, width)]
        if one.follows:
            lines += [("", line) for line in _wrapped(" " * _INDENT + "-> ", one.follows, width)]
    lines.append(("", ""))
    lines += [
        ("bad" if examination.hindrances else "good", line) for line in _wrapped("", conclusion(examination), width)
    ]
    return lines


def conclusion(examination: Examination) -> str:
    """Return what it all comes to, in a sentence."""
    hindrances = examination.hindrances
    if hindrances:
        return f"no run can be made here: {', '.join(one.name for one in hindrances)}"
    lacking = [one.name for one in examination.findings if one.result is not Result.YES]
    return "runs can be made here" + (f"; not all that is possible: {', '.join(lacking)}" if lacking else "")


def _wrapped(head: str, text: str, width: int | None) -> list[str]:
    if width is None:
        return [head + text]
    room = max(width, _INDENT + 20)
    return textwrap.wrap(
        text, room, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    ) or [head.rstrip()]


def as_json(examination: Examination, code: int) -> dict[str, Any]:
    """Return what ``json.dumps`` takes; ``code`` is the exit code of the command."""
    return {
        "schema": SCHEMA,
        "run_possible": not examination.hindrances,
        "exit": {"code": code, "reason": conclusion(examination)},
        "checks": [_row(one) for one in examination.findings],
    }


def _row(one: Finding) -> dict[str, Any]:
    return {
        "name": one.name,
        "result": one.result.value,
        "required": one.required,
        "detail": one.detail,
        "follows": one.follows,
        "measured": dict(one.measured),
        "seconds": one.seconds,
    }
