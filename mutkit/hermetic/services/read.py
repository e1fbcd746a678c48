"""Owns reading of service scripts from TOML, with all faults at once."""

from __future__ import annotations

import difflib
import functools
import json
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from mutkit.errors import Problem, SpecError
from mutkit.hermetic.services.check import ADVICE, faults_of
from mutkit.hermetic.services.script import ServiceScript
from mutkit.model.service import Route, Turn
from mutkit.toml import Document, Key, shown
from mutkit.toml import read as read_toml
from mutkit.toml.plain import plain

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

_LISTS: dict[str, type[Any]] = {"route": Route, "turn": Turn}


@functools.cache
def _adapter(name: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # late: it costs 70 ms

    return TypeAdapter({"ServiceScript": ServiceScript, "Route": Route, "Turn": Turn}[name])


def read_service(path: Path) -> ServiceScript:
    """Return the script in the file; SpecError names every fault in it."""
    document = read_toml(path, shown(path))
    if isinstance(document, Problem):
        raise SpecError([document])
    data, problems = plain(document)
    parts: dict[str, dict[int, Any]] = {}
    for name, kind in _LISTS.items():
        given = data.get(name, [])
        if isinstance(given, list):
            data.pop(name, None)
            read = ((at, _read(document, kind, one, (name, at), problems)) for at, one in enumerate(given))
            parts[name] = {at: one for at, one in read if one is not None}
    script = _read(document, ServiceScript, data, (), problems) or ServiceScript()
    routes = {at: _placed(route, path) for at, route in parts.get("route", {}).items()}
    whole = replace(script, route=tuple(routes.values()), turn=tuple(parts.get("turn", {}).values()))
    # What could be read is checked beside what could not: its places are counted in what is left.
    places = {"route": list(routes), "turn": list(parts.get("turn", {}))}
    for key, message, advice in faults_of(whole):
        if key or not problems:
            at = (key[0], places[str(key[0])][int(key[1])], *key[2:]) if key else key
            problems.append(document.problem("service-script", message, advice, at))
    if problems:
        raise SpecError(sorted(problems, key=lambda one: (one.line or 0, one.key)))
    return whole


def _placed(route: Route, path: Path) -> Route:
    """Return a route with its ``file`` as an absolute path."""
    if route.answer.file is None:
        return route
    return replace(route, answer=replace(route.answer, file=str(path.absolute().parent / route.answer.file)))


def _read(document: Document, kind: type[Any], data: Any, at: Key, problems: list[Problem]) -> Any:
    """Return the data as ``kind``, None where it is none: then ``problems`` has more."""
    from pydantic import ValidationError

    try:
        return _adapter(kind.__name__).validate_json(json.dumps(data))
    except ValidationError as error:
        found: dict[Key, Problem] = {}
        for detail in error.errors(include_url=False):
            key = _key(data, detail["loc"])
            if key is not None:
                message, advice = _words(kind, detail, key)
                where = (*at, *key)
                found.setdefault(where, document.problem("service-script", message, advice, where))
        problems += found.values()
        return None


def _key(data: Any, location: tuple[int | str, ...]) -> Key | None:
    """Return the key in the file at pydantic's location, None where it is about a form that was not meant: a table
    that might have been a text, or the other way round.
    """
    key: Key = ()
    here: Any = data
    for part in location:
        inside: bool = part in here if isinstance(here, dict) else isinstance(here, list) and isinstance(part, int)
        if inside:
            here, key = here[part], (*key, part)
        elif part is location[-1] and part not in ("str", "Matcher") and "[" not in str(part):
            key = (*key, part)
        elif (part == "str" and isinstance(here, dict)) or (part == "Matcher" and not isinstance(here, dict)):
            return None
    return key


def _words(kind: type[Any], detail: ErrorDetails, key: Key) -> tuple[str, str]:
    match detail["type"]:
        case "unexpected_keyword_argument":
            known = _known(kind, key[:-1])
            near = difflib.get_close_matches(str(key[-1]), known, 1)
            hint = f"Did you mean `{near[0]}`? " if near else ""
            return "is not a key", f"{hint}Known keys: {', '.join(known)}." if known else ADVICE
        case "missing" | "missing_argument":
            return "is missing", "Add it."
        case "literal_error":
            return f"is {detail['input']!r}", f"Use one of {detail.get('ctx', {}).get('expected', '')}."
    return f"is wrong: {detail['msg'][0].lower()}{detail['msg'][1:]}", ADVICE


def _known(kind: Any, table: Key) -> list[str]:
    """Return the keys of a table of the script."""
    here: Any = kind
    for part in table:
        if isinstance(part, str) and is_dataclass(here):
            hint = get_type_hints(here).get(part)
            here = here if hint is None else _dataclass_in(hint)  # not a field: a name in a table of such tables
    return [item.name for item in fields(here)] if is_dataclass(here) else []


def _dataclass_in(hint: Any) -> Any:
    if is_dataclass(hint):
        return hint
    return next((found for found in map(_dataclass_in, get_args(hint)) if found is not None), None)
