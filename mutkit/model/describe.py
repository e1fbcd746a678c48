"""Owns the sentences that name an effect or an expectation to people: honest about bytes, short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutkit.model.effect import (
    Crashes,
    Died,
    Effect,
    ErrorAnswer,
    Exits,
    Expectation,
    Finished,
    Hung,
    NothingSeen,
    RaisedException,
    Raises,
    Refused,
    Returned,
    ServiceShows,
    watched,
)
from mutkit.model.matcher import Json, Matcher, as_bytes
from mutkit.model.service import ServiceSeen

SHOWN = 300
"""How many characters of a value are shown before it is cut."""


_QUOTES = "\"'`"
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LIKE_ESCAPES = frozenset("nrtxuU\\")


def quoted(value: Json | bytes, limit: int = SHOWN) -> str:
    """Return a value as one line: text in quotes with what cannot be seen escaped, cut with its length in bytes.

    The quotes are such as the text does not hold, and of its backslashes only those are doubled that would be read as
    an escape: JSON in a text stays as it is.
    """
    raw = as_bytes(value)
    if not isinstance(value, (str, bytes)):
        text = raw.decode("utf-8", "backslashreplace")
        return text if len(text) <= limit else f"{text[:limit]}... ({len(raw):,} bytes)"
    byte = isinstance(value, bytes)
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    mark = next((quote for quote in _QUOTES if quote not in text), "")
    if len(text) <= limit:
        return _marked(text, mark, byte=byte)
    half = limit // 2
    head, tail = _marked(text[:half], mark, byte=byte), _marked(text[-half:], mark, byte=byte)
    return f"{head} ... {tail} ({len(raw):,} bytes)"


def _marked(text: str, mark: str, *, byte: bool) -> str:
    """Return ``text`` between quotes; without a ``mark`` that it does not hold it is escaped as JSON has it.

    ``byte``: a surrogate stands for a byte that is no UTF-8.
    """
    quote = mark or '"'
    pieces = []
    for at, character in enumerate(text):
        if character == "\\":
            doubled = not mark or _would_be_read_as_escape(text[at + 1 : at + 2])
            pieces.append("\\\\" if doubled else "\\")
        elif character == quote:
            pieces.append("\\" + character)
        elif character.isprintable():
            pieces.append(character)
        else:
            pieces.append(_NAMED.get(character) or _numbered(ord(character), byte=byte))
    return f"{quote}{''.join(pieces)}{quote}"


def _would_be_read_as_escape(follower: str) -> bool:
    """Return whether a backslash says something else before what is shown of the next character, or of none."""
    return not follower or follower in _LIKE_ESCAPES or not follower.isprintable()


def _numbered(code: int, *, byte: bool) -> str:
    if byte and 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def counted(number: int, noun: str) -> str:
    """Return ``1 case``, ``2 cases``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def describe_effect(effect: Effect | None, limit: int = SHOWN) -> str:
    """Return what was seen, as the end of a sentence that begins with "it"."""
    seen = () if effect is None else watched(effect)
    return "; ".join([_describe_alone(effect, limit), *map(describe_service, seen)])


def describe_service(seen: ServiceSeen) -> str:
    """Return what a mock service saw: its counter, its requests, and what was not expected."""
    words = f"service {seen.name} saw {counted(seen.mutations, 'mutation')} in {counted(len(seen.requests), 'request')}"
    return words + (f", {seen.unexpected} of them unexpected" if seen.unexpected else "")


def _describe_alone(effect: Effect | None, limit: int) -> str:
    match effect:
        case Returned(value):
            return f"returned {quoted(value, limit)}"
        case Refused(code, message, _):
            return f"answered with error {code}: {quoted(message, limit)}"
        case RaisedException(type_, message, line):
            return f"raised {type_}: {quoted(message, limit)}" + (f" at {line}" if line else "")
        case Finished(code, stdout, stderr):
            return f"exited {code}, stdout {quoted(stdout, limit)}, stderr {quoted(stderr, limit)}"
        case Died(ending, exception, message, stderr):
            how = f"crashed: {ending} without an answer"
            if exception:
                return f"{how}, {exception}: {quoted(message, limit)}"
            return how + (f", stderr {quoted(stderr[-limit:], limit)}" if stderr.strip() else "")
        case Hung(after):
            return f"hung: no answer within {after:.1f} s"
        case NothingSeen(_, reason):
            return f"showed nothing: {reason}"
    return "was not looked at"


def describe_expectation(expectation: Expectation) -> str:
    """Return what a spec models, as the end of a sentence that begins with "it"."""
    given = expectation.given()
    if not given:
        return "does nothing in particular"
    key, value = next(iter(given.items()))
    return "; ".join([_WORDS[key](value), *(_service(name, one) for name, one in expectation.services.items())])


def describe_matcher(wanted: Any) -> str:
    """Return a matcher as a spec would write it."""
    if isinstance(wanted, Matcher):
        return " and ".join(f"{key} {quoted(value)}" for key, value in wanted.given().items())
    return quoted(wanted)


def _service(name: str, wanted: ServiceShows) -> str:
    words = [
        f"{value} {key}" for key, value in wanted.given().items() if key in ("mutations", "requests", "unexpected")
    ]
    words += [f"{count} of {route}" for route, count in wanted.routes.items()]
    words += [f"{describe_matcher(wanted.written)} written"] if wanted.written is not None else []
    return f"service {name} sees {', '.join(words)}"


def _error(value: ErrorAnswer) -> str:
    code = "" if value.code is None else f" {value.code}"
    return f"answers with error{code}" + ("" if value.message is None else f": {describe_matcher(value.message)}")


def _raises(value: str | Raises) -> str:
    if isinstance(value, str):
        return f"raises {value}"
    return f"raises {value.type}" + ("" if value.message is None else f": {describe_matcher(value.message)}")


def _exits(value: int | Exits) -> str:
    if isinstance(value, int):
        return f"exits {value}"
    words = [f"exits {value.code}"]
    words += [f"stdout {describe_matcher(value.stdout)}"] if value.stdout is not None else []
    words += [f"stderr {describe_matcher(value.stderr)}"] if value.stderr is not None else []
    return ", ".join(words)


def _crashes(value: str | Crashes) -> str:
    if isinstance(value, str):
        return f"is killed by {value}"
    words = [f"by {value.signal}"] if value.signal else []
    words += [f"exit {value.exit}"] if value.exit is not None else []
    words += [value.exception] if value.exception else []
    words += [f"message {describe_matcher(value.message)}"] if value.message is not None else []
    return "crashes: " + ", ".join(words)


_WORDS: dict[str, Callable[[Any], str]] = {
    "returns": lambda value: f"returns {describe_matcher(value)}",
    "error": _error,
    "raises": _raises,
    "exits": _exits,
    "crashes": _crashes,
    "hangs": lambda _: "hangs",
}
