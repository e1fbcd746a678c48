"""Owns scripts whose answer is computed: the Python file that they name, and whether it can be one."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.scripts.expects import json_text
from mutkit.model.mock import Answer, MockScript

if TYPE_CHECKING:
    from mutkit.hermetic.scripts.faults import Faults

_DONE_BY_PROGRAMS = (*(item.name for item in fields(Answer)), "call", "seed")
"""A program sees the call, chooses, and draws from what its options say."""


def compile_program(script: MockScript, base: Path | None, faults: Faults) -> dict[str, Any] | None:
    """Return the program as the child calls it, ``file`` as the absolute path of its source; None where there is none.

    ``base`` is the folder that the script's path is relative to.
    """
    if script.program is None:
        if script.options:
            faults.add(("options",), "says nothing without `program`", "Take it out.")
        return None
    for name in _DONE_BY_PROGRAMS:
        if getattr(script, name) != getattr(MockScript(), name):
            faults.add((name,), "stands beside `program`, which does all of it", "Keep one of them.")
    name, _, function = script.program.rpartition(":")
    options = json_text(script.options, ("options",), faults)
    if not name or not function.isidentifier():
        faults.add(("program",), f"is not file.py:function: {script.program!r}", "Write it as `answers.py:answer`.")
        return None
    file = ((base or Path()) / name).absolute()
    _check_source(file, function, faults)
    return {"file": str(file), "function": function, "options": options}


def _check_source(file: Path, function: str, faults: Faults) -> None:
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except OSError as error:
        faults.add(("program",), f"cannot be read: {file}: {error.strerror}", "It is relative to the script.")
        return
    except (SyntaxError, ValueError) as error:
        faults.add(("program",), f"is no Python: {error}")
        return
    names = {name for node in tree.body for name in _bound(node)}
    if function not in names:
        has = ", ".join(sorted(names)) or "none"
        faults.add(("program",), f"has no function {function} at the top of {file}", f"Names there: {has}.")


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement may bind, those within it too: better one too many than a false refusal."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    found |= {one.asname or one.name for one in ast.walk(node) if isinstance(one, ast.alias)}
    return found | {one.name for one in ast.walk(node) if isinstance(one, ast.FunctionDef)}
