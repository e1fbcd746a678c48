"""Owns matchers on text, bytes and JSON: what a spec says that a value must look like."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list of Json, dict of str to Json."""

CLOSED = {"extra": "forbid", "strict": True}
"""How the loader reads these classes: unknown keys are refused, and ``"5"`` is not 5."""


class Unset:
    """The type of ``UNSET``: a key that a spec does not give (``None`` is a value that it may give)."""

    def __repr__(self) -> str:
        """Return ``UNSET``."""
        return "UNSET"

    def __deepcopy__(self, _: object) -> Unset:
        """Return itself: there is one, and pydantic copies defaults."""
        return self


UNSET: Any = Unset()


def as_bytes(value: Json | bytes) -> bytes:
    """Return text as UTF-8 bytes (lone surrogates kept), bytes as they are, other JSON as compact JSON text."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        import json

        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return value.encode("utf-8", "surrogatepass")


def as_text(value: Json | bytes) -> str:
    """Return bytes as text, with those that are no UTF-8 as lone surrogates; text as it is; other JSON as JSON text."""
    return value if isinstance(value, str) else as_bytes(value).decode("utf-8", "surrogateescape")


def glob_pieces(pattern: str, *, only_star: bool) -> list[re.Pattern[str]]:
    """Return what stands between the ``*`` of a glob, each of a fixed length; ``re.error`` for a set that is none.

    With ``only_star`` every other character stands for itself; else ``?`` is one character and ``[...]`` a set of them
    (``[!...]`` all others).
    """
    return [re.compile(_piece(part, only_star=only_star), re.DOTALL) for part in pattern.split("*")]


def _piece(part: str, *, only_star: bool) -> str:
    if only_star:
        return re.escape(part)
    out = []
    for piece in re.split(r"(\?|\[!?[^\]]+\])", part):
        if piece == "?":
            out.append(".")
        elif piece.startswith("[") and piece.endswith("]") and len(piece) > 2:
            body = piece[1:-1].replace("\\", "\\\\")
            out.append(f"[^{body[1:]}]" if body.startswith("!") else f"[{body}]")
        else:
            out.append(re.escape(piece))
    return "".join(out)


def fits_glob(pattern: str, text: str, *, only_star: bool) -> bool:
    """Return whether a glob covers the whole of ``text``; ``*`` is any run of characters, newlines included.

    One pass: the first piece at the beginning, each next one at its first place, the last one at the end. A regular
    expression would try all ways, which takes minutes on a long text that nearly fits.
    """
    first, *middle = glob_pieces(pattern, only_star=only_star)
    if not middle:
        return first.fullmatch(text) is not None
    *middle, last = middle
    found = first.match(text)
    for piece in middle:
        found = piece.search(text, found.end()) if found is not None else None
    if found is None:
        return False
    tail = re.compile(f"(?:{last.pattern})\\Z", re.DOTALL)
    return tail.search(text, max(found.end(), len(text) - _length(last, text))) is not None


def _length(piece: re.Pattern[str], text: str) -> int:
    """Return how many characters a piece takes: they are the same number wherever it fits."""
    found = piece.search(text)
    return len(found[0]) if found is not None else 0


def is_json_subset(wanted: Json, given: Json) -> bool:
    """Return whether every key of ``wanted`` is in ``given`` with a value of which the same holds.

    Lists must have equal length; scalars must be equal and of one type (``1`` is not ``true``).
    """
    if isinstance(wanted, dict):
        return isinstance(given, dict) and all(
            key in given and is_json_subset(value, given[key]) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(given, list)
            and len(wanted) == len(given)
            and all(is_json_subset(one, other) for one, other in zip(wanted, given, strict=True))
        )
    return is_same_json(wanted, given)


def is_same_json(one: Json | bytes, other: Json | bytes) -> bool:
    """Return whether two values are equal and, all the way down, of the same JSON types."""
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, (str, bytes)) and isinstance(other, (str, bytes)):
        return as_bytes(one) == as_bytes(other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(is_same_json(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_json(one[key], other[key]) for key in one)
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and one == other


@dataclass(frozen=True)
class Matcher:
    """What a value must look like; all keys that are given must hold.

    ``equal`` the whole value; ``glob`` with ``*``, ``?`` and ``[...]``; ``regex`` found anywhere (Python syntax, dot
    matches newlines only with ``(?s)``); ``contains`` a piece of it; ``length`` in bytes of UTF-8; ``sha256`` of
    those bytes as 64 hex digits; ``blank`` whether it is empty or white space only; ``file`` the name of a file
    beside the spec that holds the whole value; ``json`` a value that the value, or the JSON that it holds as text,
    must contain.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    equal: Json = UNSET
    glob: str | None = None
    regex: str | None = None
    contains: str | None = None
    length: int | None = None
    sha256: str | None = None
    blank: bool | None = None
    file: str | None = None
    json: Json = UNSET

    def given(self) -> dict[str, Json]:
        """Return the keys that the spec gives, with their values."""
        pairs = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            key: value
            for key, value in pairs.items()
            if value is not UNSET and not (value is None and key not in ("equal", "json"))
        }


MatcherLike: TypeAlias = str | int | float | bool | list[Any] | Matcher | None
"""A matcher as a spec may write it: a bare text is equality in which ``*`` stands for any run of characters."""


def matches(wanted: MatcherLike | bytes, given: Json | bytes) -> bool:
    """Return whether ``given`` looks as ``wanted`` says; text and its UTF-8 bytes are the same value."""
    if isinstance(wanted, str):
        return isinstance(given, (str, bytes)) and fits_glob(wanted, as_text(given), only_star=True)
    if not isinstance(wanted, Matcher):
        return is_same_json(wanted, given)
    return all(_TESTS[key](value, given) for key, value in wanted.given().items())


def _contains_json(wanted: Json, given: Json | bytes) -> bool:
    import json

    if isinstance(given, (str, bytes)) and not isinstance(wanted, str):
        try:
            given = json.loads(given)
        except ValueError:
            return False
    return is_json_subset(wanted, given)


_TESTS = {
    "equal": is_same_json,
    "glob": lambda wanted, given: fits_glob(wanted, as_text(given), only_star=False),
    "regex": lambda wanted, given: bool(re.search(wanted, as_text(given))),
    "contains": lambda wanted, given: as_bytes(wanted) in as_bytes(given),
    "length": lambda wanted, given: wanted == len(as_bytes(given)),
    "sha256": lambda wanted, given: wanted.lower() == hashlib.sha256(as_bytes(given)).hexdigest(),
    "blank": lambda wanted, given: wanted == (not as_bytes(given).decode("utf-8", "replace").strip()),
    "file": lambda *_: False,  # the loader has put the file's content under `equal`
    "json": _contains_json,
}
