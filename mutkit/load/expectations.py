"""Owns the check of [healthy], [defective] and because: one effect each, sound matchers, sibling files read."""

from __future__ import annotations

import re
import signal
from dataclasses import is_dataclass, replace
from typing import Any

from mutkit.errors import Problem
from mutkit.load.services import Routes, checked_services
from mutkit.model.effect import Crashes, Expectation
from mutkit.model.matcher import UNSET, Matcher, glob_pieces
from mutkit.model.spec import Because
from mutkit.toml import Document, Key


def checked_expectation(
    document: Document,
    expectation: Expectation,
    table: str,
    possible: tuple[str, ...],
    problems: list[Problem],
    services: Routes | None = None,
) -> Expectation:
    """Return the expectation with its sibling files read; what is wrong is added to ``problems``.

    ``possible`` are the effects that the probe can show; empty where the probe itself is unknown; ``services`` the
    mock services of the probe (None: it is unknown).
    """
    if services is not None:
        stated = checked_services(
            document,
            expectation.services,
            table,
            services,
            problems,
            lambda value, key: _checked(document, value, key, problems),
        )
        expectation = replace(expectation, services=stated)
    given = expectation.given()
    if len(given) != 1:
        found = ", ".join(given) or "none"
        message = f"states {len(given)} effects ({found})"
        advice = "State exactly one: returns, error, raises, exits, crashes or hangs."
        problems.append(document.problem("expectation-form", message, advice, (table,)))
        return expectation
    (name, value), *_ = given.items()
    key: Key = (table, name)
    if possible and name not in possible:
        message = "is nothing that this probe can show"
        problems.append(document.problem("expectation-impossible", message, f"It shows {', '.join(possible)}.", key))
    if name == "hangs" and value is not True:
        problems.append(document.problem("hangs-false", "is false", "Leave it out, or write true.", key))
    if name == "crashes":
        _check_crash(document, Crashes(signal=value) if isinstance(value, str) else value, key, problems)
    return replace(expectation, **{name: _checked(document, value, key, problems)})


def checked_because(document: Document, because: Because, key: Key, problems: list[Problem]) -> Because:
    """Return the because with its sibling files read; what is wrong is added to ``problems``."""
    if not because.raises.strip():
        advice = "Name the exception's type."
        problems.append(document.problem("because-blank", "is blank", advice, (*key, "raises")))
    return replace(because, message=_checked(document, because.message, (*key, "message"), problems))


def differ(healthy: Expectation, defective: Expectation) -> bool:
    """Return whether the two state something different; whether they can be told apart is seen on the baseline."""
    return healthy != defective


def _check_crash(document: Document, crash: Crashes, key: Key, problems: list[Problem]) -> None:
    if crash.signal is None and crash.exit is None and crash.exception is None:
        advice = "Say how: signal, exit or exception."
        problems.append(document.problem("crash-kind", "does not say how it crashes", advice, key))
    if crash.signal is not None and crash.signal not in signal.Signals.__members__:
        advice = "Use a name such as SIGSEGV."
        problems.append(document.problem("signal-unknown", f"{crash.signal} is no signal", advice, key))


def _checked(document: Document, value: Any, key: Key, problems: list[Problem]) -> Any:
    """Return a matcher, or a value that holds matchers, checked and with its files read."""
    if isinstance(value, Matcher):
        return _checked_matcher(document, value, key, problems)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {
            name: _checked(document, getattr(value, name), (*key, name), problems)
            for name in ("message", "stdout", "stderr")
            if hasattr(value, name)
        }
        return replace(value, **changes)
    return value


def _regex(matcher: Matcher) -> None:
    re.compile(matcher.regex or "")


def _glob(matcher: Matcher) -> None:
    glob_pieces(matcher.glob or "", only_star=False)


def _checked_matcher(document: Document, matcher: Matcher, key: Key, problems: list[Problem]) -> Matcher:
    given = matcher.given()
    if not given:
        advice = "A matcher that says nothing matches everything."
        problems.append(document.problem("matcher-empty", "is empty", advice, key))
    for name, compiled in (("regular expression", _regex), ("glob", _glob)):
        try:
            compiled(matcher)
        except re.error as error:
            advice = f"Correct the {name}."
            problems.append(document.problem("regex-syntax", f"is no {name}: {error}", advice, key))
    if matcher.length is not None and matcher.length < 0:
        problems.append(document.problem("value-range", f"is {matcher.length}", "A length is 0 or more.", key))
    if matcher.file is not None and matcher.equal is not UNSET:
        problems.append(
            document.problem("matcher-twice", "has `equal` and `file`", "Both say the whole: keep one.", key)
        )
    if matcher.sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", matcher.sha256):
        problems.append(document.problem("sha256-form", "is no SHA-256", "Write 64 hex digits.", key))
    if matcher.file is None:
        return matcher
    path = document.path.parent / matcher.file
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"{matcher.file} cannot be read: {error.strerror}"
        problems.append(document.problem("matcher-file-missing", message, "It stands beside the spec.", key))
        return matcher
    return replace(matcher, file=None, equal=content)
