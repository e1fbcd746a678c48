"""Owns what standard input must give next: a line, all of it, JSON, or its end.

Part of the child, imported only where it is needed.
"""

from __future__ import annotations

from .words import word_matches, word_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .mock import Mock

_SHOWN = 300  # bytes


def mismatch(mock: Mock, step: dict[str, Any]) -> str:
    """Read what the step asks for; return what is wrong with it, or nothing."""
    stdin, clean = mock.stdin, mock.secrets.clean
    what, value = step["expect"], step["value"]
    if what == "end":
        rest = stdin.read_all()
        return _differ("the end of input", clean(rest)) if rest else ""
    if what == "all":
        given = stdin.read_all()
        return "" if _fits(value, given, step["regex"]) else _differ(_wanted(value, step["regex"], ""), clean(given))
    line = stdin.read_line()
    wanted = f"a line with the JSON {value}" if what == "json" else _wanted(value, step["regex"], "the line ")
    if not line:
        return f"  expected: {wanted}\n  got:      the end of input"
    if what == "json":
        reason = _json_mismatch(value, line, clean)
        return f"{_differ(wanted, clean(line))}\n  {reason}" if reason else ""
    given = line[:-1] if line.endswith(b"\n") else line
    return "" if _fits(value, given, step["regex"]) else _differ(wanted, clean(line))


def _wanted(value: bytes, regex: bool, before: str) -> str:
    return f"{before}like {value.decode('utf-8', 'surrogateescape')!r}" if regex else before + word_shown(value)


def _differ(wanted: str, given: bytes) -> str:
    cut = f" and {len(given) - _SHOWN:,} bytes more" if len(given) > _SHOWN else ""
    return f"  expected: {wanted}\n  got:      {word_shown(given[:_SHOWN])}{cut}"


def _fits(wanted: bytes, given: bytes, regex: bool) -> bool:
    if not regex:
        return word_matches(wanted, given)
    import re

    text = given.decode("utf-8", "surrogateescape")
    return re.fullmatch(wanted.decode("utf-8", "surrogateescape"), text) is not None


def _json_mismatch(wanted: str, line: bytes, clean: Callable[[Any], Any]) -> str:
    """Return why a line is not JSON that holds at least the wanted, or nothing."""
    import json

    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"it is no JSON: {error}"
    return _difference(json.loads(wanted), given, "", clean)


def _difference(wanted: Any, given: Any, pointer: str, clean: Callable[[Any], Any]) -> str:
    """Return the first place, as a JSON Pointer, where ``given`` does not hold ``wanted``; nothing where it does.

    As everywhere in mutkit: keys may be more, lists must be as long, scalars equal and of one type.
    """
    if isinstance(wanted, dict) and isinstance(given, dict):
        for key, value in wanted.items():
            place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in given:
                return f"at {place}: nothing is there"
            if reason := _difference(value, given[key], place, clean):
                return reason
        return ""
    if isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        reasons = (_difference(one, given[at], f"{pointer}/{at}", clean) for at, one in enumerate(wanted))
        return next((reason for reason in reasons if reason), "")
    if _is_same(wanted, given):
        return ""
    return f"at {pointer or 'the top'}: expected {_short(wanted)}, got {_short(clean(given))}"


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, (dict, list)) or isinstance(other, (dict, list)):
        return False
    return isinstance(one, str) == isinstance(other, str) and bool(one == other)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + "..."
