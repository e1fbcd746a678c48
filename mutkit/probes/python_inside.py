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


def main(request_path: str, result_path: str) -> None:
    """Do what the request says and write the result: a file that is missing or cut short means that the
    process died.
    """
    me = os.getpid()
    with open(request_path, encoding="utf-8") as file:
        request = json.load(file)
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [*request["path"], *(one for one in sys.path if os.path.realpath(one) != here)]
    sys.argv[:] = [request["call"]]
    result = call(request)
    if os.getpid() != me:  # the subject forked, and this is the copy: it has no say
        os._exit(0)
    with open(result_path, "w", encoding="ascii") as file:
        file.write(json.dumps(result) + "\n")
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(
            OSError,
            ValueError,
            AttributeError,
        ):  # the subject has closed or replaced it
            stream.flush()
    os._exit(0)  # threads that the subject left behind do not matter any more


def call(request: dict[str, Any]) -> dict[str, Any]:
    """Import, call, and return what came of it."""
    module_name, _, function_name = request["call"].partition(":")
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:  # noqa: BLE001 - whatever the subject raises is what is asked for
        return {"kind": "import-failed", **told(error, request["tree"])}
    file = os.path.realpath(getattr(module, "__file__", None) or "")
    if not file.startswith(os.path.realpath(request["tree"]) + os.sep):
        return {"kind": "wrong-tree", "message": f"{module_name} was loaded from {file or 'nowhere'}"}
    function: Any = module
    for part in function_name.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        return {"kind": "function-missing", "message": f"{module_name} has no function {function_name}"}
    try:
        value = function(*request["args"], **request["kwargs"])
        if inspect.isawaitable(value):
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
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"kind": "bytes", "value": base64.b64encode(bytes(value)).decode("ascii")}
    try:
        fault = not_json(value, "")
        if not fault:
            json.dumps(value, allow_nan=False)
    except (RecursionError, ValueError) as error:
        fault = f"{type(error).__name__}: {error}"
    return {"kind": "not-json", "message": fault} if fault else {"kind": "json", "value": value}


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
    try:
        message = str(error)
    except Exception as other:  # noqa: BLE001 - whatever the subject raises is what is asked for
        message = f"<its str() raised {type(other).__name__}>"
    root = os.path.realpath(tree) + os.sep
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        file = os.path.realpath(frame.filename)
        if file.startswith(root):
            place = f"{file[len(root) :]}:{frame.lineno}"
    return {"type": name, "message": message, "place": place}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
