"""Owns what standard input must give: its compiled form, regular expressions and JSON in it."""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.scripts.system_text import system_bytes
from mutkit.model.matcher import UNSET

if TYPE_CHECKING:
    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.model.mock import Expect
    from mutkit.toml import Key


def compile_expect(expect: Expect, at: Key, faults: Faults) -> dict[str, Any]:
    """Return what standard input must give, as the child looks for it; ``at`` is the key of it."""
    given = [name for name in ("line", "all") if getattr(expect, name) is not None]
    given += ["json"] if expect.json is not UNSET else []
    given += ["end"] if expect.end else []
    if len(given) != 1:
        what = " and ".join(f"`{name}`" for name in given) or "nothing"
        faults.add(at, f"has {what}; it expects exactly one thing", "Give one of `line`, `all`, `json`, `end`.")
        return {"expect": "end", "value": b"", "regex": False}
    (kind,) = given
    text = expect.line if expect.line is not None else expect.all
    if text is None:
        if expect.regex:
            faults.add((*at, "regex"), f"says nothing about `{kind}`", "It is for `line` and `all`.")
        return {
            "expect": kind,
            "value": json_text(expect.json, (*at, "json"), faults) if kind == "json" else b"",
            "regex": False,
        }
    if expect.regex:
        check_regex(text, (*at, kind), faults)
    elif kind == "line" and "\n" in text:
        faults.add((*at, "line"), "holds a line feed, which no line does", "Make a step of each line.")
    return {"expect": kind, "value": system_bytes(text), "regex": expect.regex}


def json_text(value: Any, key: Key, faults: Faults) -> str:
    """Return a value as JSON text; a fault where it is none."""
    try:
        return json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        faults.add(key, f"is no JSON: {error}")
        return "null"


def check_regex(text: str, key: Key, faults: Faults) -> None:
    """Add a fault where the text is no regular expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it will mean in some later Python is no fault of the script
            re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        faults.add(key, f"is no regular expression: {error}", "It is one of Python's `re`.")
