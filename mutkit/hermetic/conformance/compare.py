"""Owns the comparison of two shapes: where the profile does something else than the real program, in words."""

from __future__ import annotations

from difflib import unified_diff
from typing import Any

_PARTS = ("exit", "stdout", "stderr", "out", "writes", "waits")


def differences(real: list[dict[str, Any]], mock: list[dict[str, Any]]) -> list[str]:
    """Return what differs in the calls of one scenario, a line or a few each; empty where nothing does."""
    found = []
    for number, (wanted, given) in enumerate(zip(real, mock, strict=True), start=1):
        where = f"call {number}, " if len(real) > 1 else ""
        for part in _PARTS:
            if part in wanted and part in given and wanted[part] != given[part]:
                found.append(f"{where}{part}: {_told(wanted[part], given[part])}")
        found += [f"{where}{one}" for one in _rollouts(wanted["rollouts"], given["rollouts"])]
    return found


def _rollouts(real: list[dict[str, Any]], mock: list[dict[str, Any]]) -> list[str]:
    if len(real) != len(mock):
        return [f"rollout: {_files(len(real))} written, by the profile {_files(len(mock))}"]
    found = []
    for wanted, given in zip(real, mock, strict=True):
        for part in ("name", "new", "ends", "lines"):
            if wanted[part] != given[part]:
                found.append(f"rollout, {part}: {_told(wanted[part], given[part])}")
    return found


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _told(wanted: Any, given: Any) -> str:
    if isinstance(wanted, list) and isinstance(given, list):
        lines = unified_diff([str(one) for one in wanted], [str(one) for one in given], lineterm="", n=0)
        return "\n    ".join(["", *(line for line in lines if not line.startswith(("---", "+++", "@@")))])
    return f"{wanted!r}, by the profile {given!r}"
