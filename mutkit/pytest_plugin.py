"""Owns the pytest fixture ``observe``: a case records what the program gave, before asserting anything.

Needs pytest and the standard library only: the harness loads this file into interpreters without mutkit.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

VARIABLE = "MUTKIT_OBSERVATIONS"
"""The environment variable that names the file to which observations are appended, one JSON object a line."""

_file: pytest.StashKey[str] = pytest.StashKey()

# Kept here because cases replace os.open and others (fake file systems do, in each module that names them).
_system = SimpleNamespace(open=os.open, write=os.write, close=os.close)
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


class _Encoder(json.JSONEncoder):
    """``json.dumps`` as it was before any case replaced it, or a method of the class behind it."""

    iterencode = json.JSONEncoder.iterencode
    encode = json.JSONEncoder.encode
    default = json.JSONEncoder.default


_encode = _Encoder().encode


def pytest_configure(config: pytest.Config) -> None:
    """Remember the file now: a case may clear ``os.environ``."""
    config.stash[_file] = os.environ.get(VARIABLE, "")


@pytest.fixture
def observe(request: pytest.FixtureRequest) -> Callable[[T], T]:
    """Return a function that records a value and returns it unchanged.

    ``observe(value)`` takes a JSON value (tuples count as lists), ``bytes``, or an exception (its type's name and its
    message are recorded); anything else raises ``TypeError`` on the spot. Under mutkit the record is appended to the
    file named by ``MUTKIT_OBSERVATIONS``; without that variable it is kept in the report's ``user_properties`` as
    ``observed``.
    """
    file = request.config.stash[_file]
    case = case_id(request.node, request.config.invocation_params.dir)

    def record(value: T) -> T:
        content = _as_record(value)
        if file:
            append_line(file, {"case": case, **content})
        else:
            request.node.user_properties.append(("observed", _encode(content)))
        return value

    return record


def case_id(item: pytest.Item, tree: Path) -> str:
    """Return ``path/of/file.py::Class::test[param]`` of ``item``, the path relative to ``tree`` with ``/``.

    The path does not depend on pytest's rootdir; where the file is not below ``tree`` it is absolute.
    """
    file = next((node for node in reversed(item.listchain()) if isinstance(node, pytest.File)), None)
    prefix = file.nodeid if file is not None else ""
    rest = item.nodeid[len(prefix) :] if item.nodeid.startswith(prefix) else item.nodeid.partition("::")[2]
    return f"{relative_path(item.path, tree)}::{rest.removeprefix('::')}"


def relative_path(path: Path, tree: Path) -> str:
    """Return ``path`` relative to ``tree`` with ``/``, or the absolute path where it is not below it."""
    if path.is_relative_to(tree):
        return path.relative_to(tree).as_posix()
    # Only now: a case may have replaced what these need.
    real, real_tree = Path(os.path.realpath(path)), Path(os.path.realpath(tree))
    return (real.relative_to(real_tree) if real.is_relative_to(real_tree) else path).as_posix()


def append_line(file: str, content: dict[str, Any]) -> None:
    """Append ``content`` as one line of JSON in one write, so that lines of several processes do not mix."""
    line = _encode(content).encode("ascii") + b"\n"
    descriptor = _system.open(file, _APPENDING, 0o600)
    try:
        _system.write(descriptor, line)
    finally:
        _system.close(descriptor)


def qualified_name(kind: type) -> str:
    """Return the dotted name of an exception type, ``builtins`` left out."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _as_record(value: object) -> dict[str, Any]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, BaseException):
        return {"raises": qualified_name(type(value)), "message": str(value)}
    _check_json(value, "value", ())
    return {"value": value}


def _check_json(value: object, place: str, inside: tuple[int, ...]) -> None:
    """Raise ``TypeError`` naming where ``value`` is no JSON; ``inside`` holds its containers."""
    if id(value) in inside:
        raise TypeError(f"observe() takes JSON values, bytes and exceptions: {place} contains itself")
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _check_json(item, f"{place}[{index}]", (*inside, id(value)))
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"observe() takes JSON values: key {key!r} of {place} is not a str")
            _check_json(item, f"{place}[{key!r}]", (*inside, id(value)))
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise TypeError(f"observe() takes JSON values, bytes and exceptions: {place} is {value!r}")
    elif value is not None and not isinstance(value, (str, int, float)):
        raise TypeError(
            "observe() takes JSON values, bytes and exceptions: "
            f"{place} is of type {qualified_name(type(value))}; convert it first, for example with repr()"
        )
