"""Owns what the python probe runs in the interpreter of the subject. Standard library only, any Python from
3.8.

Started as ``python python_inside.py REQUEST RESULT``. Both are files, so that what the subject prints or
reads disturbs nobody.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import inspect
import json
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable

# Bound before the subject is imported, which may replace any of them in their modules.
ENCODE = json.JSONEncoder(allow_nan=False).encode
DECODE = json.JSONDecoder().decode
BASE64 = base64.b64encode
OPEN = open
GETPID = os.getpid
EXIT = os._exit
REALPATH = os.path.realpath
EXTRACT = traceback.extract_tb
IS_AWAITABLE = inspect.isawaitable


def main(request_path: str, result_path: str) -> None:
    """Do what the request says and write the result: a file that is missing or cut short means that the
    process died.
    """
    me = GETPID()
    with OPEN(request_path, encoding="utf-8") as file:
        request = DECODE(file.read())
    here = os.path.dirname(REALPATH(__file__))
    sys.path[:] = [*request["path"], *(one for one in sys.path if REALPATH(one) != here)]
    sys.argv[:] = [request["call"]]
    result = call(request)
    if GETPID() != me:  # the subject forked, and this is the copy: it has no say
        EXIT(0)
    with OPEN(result_path, "w", encoding="ascii") as file:
        file.write(ENCODE(result) + "\n")
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(
            OSError,
            ValueError,
            AttributeError,
        ):  # the subject has closed or replaced it
            stream.flush()
    EXIT(0)  # threads that the subject left behind do not matter any more


def call(request: dict[str, Any]) -> dict[str, Any]:
    """Import, call, and return what came of it."""
    module_name, _, function_name = request["call"].partition(":")
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:  # noqa: BLE001 - whatever the subject raises is what is asked for
        return {"kind": "import-failed", **told(error, request["tree"])}
    file = REALPATH(getattr(module, "__file__", None) or "")
    if not file.startswith(REALPATH(request["tree"]) + os.sep):
        return {"kind": "wrong-tree", "message": f"{module_name} was loaded from {file or 'nowhere'}"}
    function: Any = module
    for part in function_name.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        return {"kind": "function-missing", "message": f"{module_name} has no function {function_name}"}
    try:
        value = function(*request["args"], **request["kwargs"])
        if IS_AWAITABLE(value):
            value = awaited(value)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the subject raises is what is asked for
        return {"kind": "raised", **told(error, request["tree"])}
    return returned(value)


def awaited(value: Awaitable[object]) -> object:
    """Run an awaitable to its end."""
    import asyncio

    async def wait() -> object:
        return await value

    return asyncio.run(wait())


def returned(value: object) -> dict[str, Any]:
    """Return the result for a value: bytes, JSON, or the word for what it is instead."""
    try:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {"kind": "bytes", "value": BASE64(bytes(value)).decode("ascii")}
        fault = not_json(value, "")
        if not fault:
            # There and back: what is written later is plain, and asks nothing of the subject's classes any more.
            return {"kind": "json", "value": DECODE(ENCODE(value))}
    except BaseException as error:  # noqa: BLE001 - a class of the subject may raise anything on being looked at
        fault = f"{type(error).__name__}: {error_text(error)}"
    return {"kind": "not-json", "message": fault}


def not_json(value: object, place: str) -> str:
    """Return which part of a value is not JSON, with its type; empty if all is."""
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str):
                return f"a key of type {type(key).__name__} at {place or '/'}"
            fault = not_json(part, f"{place}/{key}")
            if fault:
                return fault
    elif isinstance(value, (list, tuple)):
        for at, part in enumerate(value):
            fault = not_json(part, f"{place}/{at}")
            if fault:
                return fault
    elif not (value is None or isinstance(value, (bool, int, float, str))):
        return f"a {type(value).__module__}.{type(value).__qualname__} at {place or '/'}"
    return ""


def told(error: BaseException, tree: str) -> dict[str, Any]:
    """Return an exception's qualified type, its message, and its innermost place in the tree."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    root = REALPATH(tree) + os.sep
    place = ""
    for frame in EXTRACT(error.__traceback__):
        file = REALPATH(frame.filename)
        if file.startswith(root):
            place = f"{file[len(root) :]}:{frame.lineno}"
    return {"type": name, "message": error_text(error), "place": place}


def error_text(error: BaseException) -> str:
    """Return an exception's message, or why it has none."""
    try:
        return str(error)
    except BaseException as other:  # noqa: BLE001 - whatever the subject raises is what is asked for
        return f"<its str() raised {type(other).__name__}>"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
