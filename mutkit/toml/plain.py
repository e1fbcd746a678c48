"""Owns the values of TOML that no key takes: dates, numbers that are not finite, NUL characters."""

from __future__ import annotations

import datetime
import math
from typing import Any

from mutkit.errors import Problem
from mutkit.toml import Document, Key

_DATES = (datetime.date, datetime.time)  # a datetime is a date


def plain(document: Document) -> tuple[Any, list[Problem]]:
    """Return the document's data with all such values replaced by harmless ones, and a problem for each."""
    problems: list[Problem] = []
    return _plain(document, document.data, (), problems), problems


def _plain(document: Document, value: Any, key: Key, problems: list[Problem]) -> Any:
    if isinstance(value, dict):
        for name in value:
            if "\0" in name:
                problems.append(document.problem("value-type", "holds a NUL character", "Take it out.", (*key, name)))
        return {name: _plain(document, one, (*key, name), problems) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(document, one, (*key, number), problems) for number, one in enumerate(value)]
    if isinstance(value, _DATES):
        problems.append(document.problem("value-type", "is a date or time", "No key takes one: write a text.", key))
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        problems.append(document.problem("value-type", f"is {value}", "It must be a finite number.", key))
        return 0.0
    if isinstance(value, str) and "\0" in value and not _may_hold_nul(key):
        problems.append(document.problem("value-type", "holds a NUL character", "Take it out.", key))
        return value.replace("\0", "")
    return value


def _may_hold_nul(key: Key) -> bool:
    """Return whether a text is one that a program gives or is sent, in which a NUL is as good as any character."""
    return (
        bool({"healthy", "defective", "because", "stdin", "send", "args", "kwargs"} & set(key))
        and "file" not in key[-1:]
    )
