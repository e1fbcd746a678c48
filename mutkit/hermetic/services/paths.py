"""Owns paths and templates of service scripts: `/files/{id}` as a pattern, `{id}` in an answer as a value."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mutkit.model.matcher import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mutkit.model.matcher import Json

_NAME = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_TEMPLATE = re.compile(
    r"\{(?P<plain>\{[a-z_][a-z0-9_]*(?::[^{}]*)?\})\}|\{(?P<name>[a-z_][a-z0-9_]*)(?::(?P<of>[^{}]*))?\}"
)
KNOWN = ("id", "n", "number", "size", "sha256", "operation", "url")
OF_SOMETHING = ("json", "header", "query")


@functools.lru_cache(maxsize=512)
def pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of a path: ``*`` is any run of characters, ``{name}`` one segment.

    ``re.error`` where a name stands twice.
    """
    out, end = [], 0
    for found in re.finditer(r"\*|\{[a-z_][a-z0-9_]*\}", path):
        out.append(re.escape(path[end : found.start()]))
        out.append(".*" if found[0] == "*" else f"(?P<{found[0][1:-1]}>[^/]+)")
        end = found.end()
    return re.compile("".join(out) + re.escape(path[end:]), re.DOTALL)


def names_in(path: str) -> set[str]:
    """Return the names of the segments that a path captures."""
    return set(_NAME.findall(path))


def unknown_templates(value: Json, names: set[str]) -> Iterator[str]:
    """Give each template in the texts of a JSON value that is none; ``names`` are those that the path captures."""
    if isinstance(value, dict):
        for one in value.values():
            yield from unknown_templates(one, names)
    elif isinstance(value, list):
        for one in value:
            yield from unknown_templates(one, names)
    elif isinstance(value, str):
        for found in _TEMPLATE.finditer(value):
            name, of = found["name"], found["of"]
            known = name is None or (name in OF_SOMETHING if of is not None else name in names | set(KNOWN))
            if not known:
                yield found[0]


@dataclass(frozen=True)
class Facts:
    """What templates are filled from; ``body`` is what `{size}`, `{sha256}` and `{json:...}` are about."""

    words: Mapping[str, Any]
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()

    def value(self, name: str, of: str | None) -> Json:
        """Return the value of a template, None where there is none."""
        match name, of:
            case "json", str(pointer):
                return _in_json(self.body, pointer)
            case "header", str(header):
                return next((value for key, value in self.headers if key.lower() == header.lower()), None)
            case "query", str(key):
                return next((value for other, value in self.query if other == key), None)
            case "size", None:
                return len(self.body)
            case "sha256", None:
                return hashlib.sha256(self.body).hexdigest()
        return self.words.get(name)


def fill(value: Json, facts: Facts) -> Json:
    """Return a JSON value with its templates filled; a text that is one template alone becomes that value."""
    if isinstance(value, dict):
        return {key: fill(one, facts) for key, one in value.items()}
    if isinstance(value, list):
        return [fill(one, facts) for one in value]
    if not isinstance(value, str):
        return value
    alone = _TEMPLATE.fullmatch(value)
    if alone is not None and alone["name"] is not None:
        return facts.value(alone["name"], alone["of"])
    return fill_text(value, facts)


def fill_text(text: str, facts: Facts) -> str:
    """Return a text with its templates filled; `{{id}}` stands for `{id}`, values that are missing are empty."""

    def one(found: re.Match[str]) -> str:
        if found["name"] is None:
            return str(found["plain"])
        value = facts.value(found["name"], found["of"])
        return "" if value is None else as_text(value)

    return _TEMPLATE.sub(one, text)


def _in_json(body: bytes, pointer: str) -> Json:
    """Return the value at a JSON Pointer of the body, None where there is none."""
    try:
        here = json.loads(body)
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            here = here[int(key)] if isinstance(here, list) else here[key]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return here


def things_of(text: str) -> list[tuple[str, str]]:
    """Return kind and name of each `{header:...}`, `{query:...}` and `{json:...}` in a text."""
    return [(found["name"], found["of"]) for found in _TEMPLATE.finditer(text) if found["of"] is not None]
