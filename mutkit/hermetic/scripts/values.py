"""Owns the check of a script's TOML data against the model: one fault for each key, in plain words."""

from __future__ import annotations

import copy
import datetime
import difflib
import math
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from mutkit.model.mock import Answer, End, MockScript, Step
from mutkit.toml import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.toml import Key


def plain(value: Any, key: Key, faults: Faults) -> Any:
    """Return the data with what JSON has no value for replaced by harmless values, a fault for each."""
    if isinstance(value, dict):
        return {name: plain(one, (*key, name), faults) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one, (*key, number), faults) for number, one in enumerate(value)]
    if isinstance(value, (datetime.date, datetime.time)):  # a datetime is a date
        faults.add(key, "is a date or time", "No key takes one: write a text.")
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        faults.add(key, f"is {value}", "It must be a finite number.")
        return 1.0
    return value


def tell(details: Iterable[Mapping[str, Any]], data: Any, faults: Faults) -> list[Key]:
    """Add one fault for each key that pydantic's errors are about, whatever ways it tried to read it; return the
    keys.
    """
    told = {problem.key for problem in faults.problems}
    found: dict[Key, list[Mapping[str, Any]]] = {}
    for detail in details:
        found.setdefault(_key(data, detail), []).append(detail)
    for key, together in found.items():
        if dotted(key) not in told:
            faults.add(key, *_words(key, together))
    return list(found)


def without(data: Any, wrong: Iterable[Key]) -> Any:
    """Return the data without what is wrong: no key that has a fault in it, in the place of a step another one."""
    data = copy.deepcopy(data)
    for key in wrong:
        here, way = data, list(key)
        if way[0] == "call" and len(way) > 2 and isinstance(way[1], int):
            here, way = data["call"][way[1]], way[2:]
        if way[0] in ("signals", "env", "options") and len(way) > 1:
            here[way[0]].pop(way[1], None)
        elif way[0] in ("step", "call") and len(way) > 1:
            here[way[0]][way[1]] = {"pause_ms": 1} if way[0] == "step" else {}
        elif way:
            here.pop(way[0], None)
            here.pop("options" if way[0] == "program" else "", None)  # they say nothing without it
    return data


def _key(data: Any, detail: Mapping[str, Any]) -> Key:
    """Return the key of the file that an error is about: pydantic also names the branches of unions."""
    key: Key = ()
    here = data
    for part in detail["loc"]:
        if (isinstance(here, dict) and part in here) or (isinstance(here, list) and part in range(len(here))):
            here, key = here[part], (*key, part)
        elif detail["type"].startswith("missing"):
            key = (*key, part)
    return key


def _words(key: Key, details: list[Mapping[str, Any]]) -> tuple[str, str]:
    """Return what is wrong at the key and what to do."""
    kinds = {detail["type"] for detail in details}
    if "unexpected_keyword_argument" in kinds:
        known = _known_keys(key[:-1])
        return "is not a key", f"{_hint(str(key[-1]), known)}Known keys: {', '.join(known)}."
    if any(kind.startswith("missing") for kind in kinds):
        return "is missing", "Add it."
    value = details[0]["input"]
    if details[0]["loc"][-1:] == ("[key]",):
        return "is not a key", f"Use one of {details[0]['ctx']['expected']}."
    listed = [f"one of {one['ctx']['expected']}" for one in details if one["type"] == "literal_error"]
    types = [_TYPES.get(one["type"], one["msg"]) for one in details if one["type"] != "literal_error"]
    what = repr(value) if listed and isinstance(value, str) else _type_of(value)
    return f"is {what}", f"It must be {' or '.join(dict.fromkeys([*types, *listed]))}."


def _hint(name: str, known: list[str]) -> str:
    """Return the key that may have been meant, or the table that has it."""
    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"Did you mean `{near[0]}`? "
    tables = [table for table, kind in _TABLES.items() if name in (item.name for item in fields(kind))]
    return f"It is a key of {tables[0]}. " if tables else ""


_TABLES: dict[str, type[Any]] = {
    "[end]": End,
    "a [[step]]": Step,
    "a [[call]]": Answer,
    "the script itself": MockScript,
}

_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "dataclass_type": "a table",
    "dataclass_exact_type": "a table",
}


def _type_of(value: Any) -> str:
    names = {bool: "true or false", str: "a text", int: "a whole number", float: "a number", list: "a list"}
    return names.get(type(value), "a table")


def _known_keys(table: Key) -> list[str]:
    """Return the keys of the table in which an unknown one stands."""
    here: Any = MockScript
    for part in table:
        if isinstance(part, str) and is_dataclass(here):
            here = get_type_hints(here)[part]
        here = _dataclass_in(here) or here
    return [item.name for item in fields(here)]


def _dataclass_in(hint: Any) -> Any:
    """Return the dataclass that a type is made of; None where it is made of others."""
    return hint if is_dataclass(hint) else next(filter(None, map(_dataclass_in, get_args(hint))), None)
