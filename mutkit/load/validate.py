"""Owns the check of TOML data against the dataclasses of the model: every fault at once, in plain words."""

from __future__ import annotations

import difflib
import functools
import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from mutkit.errors import Problem
from mutkit.model.campaign import Campaign, JsonRpcProbe, ProcessProbe, PythonProbe
from mutkit.model.effect import Crashes, ErrorAnswer, Exits, Raises
from mutkit.model.matcher import Matcher
from mutkit.model.spec import Spec
from mutkit.toml import Document, Key
from mutkit.toml.plain import plain

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T", Spec, Campaign)

_BRANCHES = {
    cls.__name__: cls for cls in (Matcher, Raises, Exits, Crashes, ErrorAnswer, ProcessProbe, JsonRpcProbe, PythonProbe)
}
_PROBES = {"process": "ProcessProbe", "jsonrpc": "JsonRpcProbe", "python": "PythonProbe"}


@functools.cache
def _adapter(name: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # late: it costs 70 ms

    return TypeAdapter({"Spec": Spec, "Campaign": Campaign}[name])


def adapter(kind: type[Spec | Campaign]) -> TypeAdapter[Any]:
    """Return pydantic's reader for a spec or a campaign."""
    return _adapter(kind.__name__)


def validate(document: Document, kind: type[T]) -> T | list[Problem]:
    """Return the document as ``kind``, or all that is wrong with it."""
    from pydantic import ValidationError

    data, problems = plain(document)
    try:
        read: T = adapter(kind).validate_json(json.dumps(data))
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        told = {problem.key for problem in problems}
        problems += [problem for problem in _problems(document, kind, details) if problem.key not in told]
    return sorted(problems, key=lambda p: (p.line or 0, p.key)) if problems else read


def _problems(document: Document, kind: type[Any], details: list[ErrorDetails]) -> list[Problem]:
    found: dict[tuple[Key, str], Problem] = {}
    for detail in details:
        key, branches = _split(document.data, detail["loc"])
        if not _is_wanted_branch(document.data, key, branches):
            continue
        slug, message, advice = _words(kind, detail, key, branches)
        found.setdefault((key, message), document.problem(slug, message, advice, key))
    if not found:
        key, _ = _split(document.data, details[0]["loc"])
        what = _toml_type(details[0]["input"])
        advice = "No value of that type can stand there; docs/authoring.md has what can."
        return [document.problem("value-type", f"is {what}", advice, key)]
    return _without_echoes(list(found.values()))


def _split(data: Any, location: tuple[int | str, ...]) -> tuple[Key, list[tuple[Key, str]]]:
    """Split pydantic's location into the key in the file and the union branches that it tried on the way."""
    key: Key = ()
    branches: list[tuple[Key, str]] = []
    here: Any = data
    for part in location:
        inside_table = isinstance(here, dict) and part in here
        inside_list = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if inside_table or inside_list:
            here, key = here[part], (*key, part)
        elif part is location[-1] and not _is_branch(part):
            key = (*key, part)
        else:
            branches.append((key, str(part)))
    return key, branches


def _is_branch(part: int | str) -> bool:
    text = str(part)
    return text in _BRANCHES or text in ("str", "int", "float", "bool", "none", "any") or "[" in text


def _is_wanted_branch(data: Any, key: Key, branches: list[tuple[Key, str]]) -> bool:
    """Return whether an error belongs to the branch of a union that the author meant."""
    for at, name in branches:
        here = data
        for part in at:
            here = here[part]
        if isinstance(here, dict):
            if name in _PROBES.values():
                kind = here.get("kind")
                known = isinstance(kind, str) and kind in _PROBES
                if name != (_PROBES[str(kind)] if known else "ProcessProbe") or not (known or key[-1] == "kind"):
                    return False
            elif name not in _BRANCHES and not name.startswith("dict"):
                return False
        elif (isinstance(here, list) and not name.startswith(("tuple", "list"))) or (
            not isinstance(here, (dict, list)) and name in _BRANCHES
        ):
            return False
    return True


def _words(kind: type[Any], detail: ErrorDetails, key: Key, branches: list[tuple[Key, str]]) -> tuple[str, str, str]:
    last = str(key[-1]) if key else ""
    match detail["type"]:
        case "unexpected_keyword_argument":
            known = _known_keys(kind, key[:-1], branches)
            near = difflib.get_close_matches(last, known, 1)
            hint = f"Did you mean `{near[0]}`? " if near else ""
            return "key-unknown", "is not a key", f"{hint}Known keys: {', '.join(known)}."
        case "missing" | "missing_argument":
            return "key-missing", "is missing", "Add it."
        case "literal_error" | "enum":
            expected = detail.get("ctx", {}).get("expected", "")
            if any(name in _PROBES.values() for _, name in branches) and last == "kind":
                expected = ", ".join(repr(kind) for kind in _PROBES)
            return "value-unknown", f"is {detail['input']!r}", f"Use one of {expected}."
    expected = _TYPES.get(detail["type"], detail["msg"].removeprefix("Input should be "))
    return "value-type", f"is {_toml_type(detail['input'])}", f"It must be {expected}."


_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "dataclass_type": "a table",
    "dataclass_exact_type": "a table",
    "none_required": "left out",
}


def _toml_type(value: Any) -> str:
    names = {
        bool: "true or false",
        str: "a text",
        int: "a whole number",
        float: "a number",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def _known_keys(kind: type[Any], table: Key, branches: list[tuple[Key, str]]) -> list[str]:
    """Return the keys of the table in which an unknown key stands."""
    for at, name in reversed(branches):
        if at == table and name in _BRANCHES:
            return toml_keys(_BRANCHES[name])
    here: Any = kind
    for part in table:
        if isinstance(part, str) and is_dataclass(here):
            hint = get_type_hints(here).get("in_" if part == "in" else part)
            here = here if hint is None else _dataclass_in(hint)  # not a field: a name in a table of such tables
        elif not is_dataclass(here):
            break
    return toml_keys(here) if is_dataclass(here) else []


def toml_keys(kind: Any) -> list[str]:
    """Return the keys of a dataclass as TOML files write them."""
    return [item.name.rstrip("_") for item in fields(kind)]


def _dataclass_in(hint: Any) -> Any:
    if is_dataclass(hint):
        return hint
    for part in get_args(hint):
        found = _dataclass_in(part)
        if found is not None:
            return found
    return None


def _without_echoes(problems: list[Problem]) -> list[Problem]:
    """Leave out type complaints about a key for which a better problem is there."""
    better = {p.key for p in problems if p.slug != "value-type"}
    kept, seen = [], set()
    for problem in problems:
        if problem.slug == "value-type" and (problem.key in better or problem.key in seen):
            continue
        seen.add(problem.key)
        kept.append(problem)
    return sorted(kept, key=lambda p: (p.line or 0, p.key))
