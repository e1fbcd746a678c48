"""Owns the look for slugs in the source: every word that a message carries in brackets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from mutkit.errors import ANCHOR_SLUGS

CALLS = {"problem": 0, "Problem": 0, "Reason": 0, "Trouble": 0, "NothingSeen": 0, "AnchorError": 0, "_fault": 0, "_judgement": 0}
"""Functions that take a slug as text, and where it may stand; for the two of the judge any text without a blank counts."""


OTHERS = {"bug", "unreadable", "host", "usage", "workspace", "value-unknown", "case-skipped"}
"""Slugs of one word, and those that are put together or handed on, which the look below cannot see."""


def slugs_of(package: Path) -> set[str]:
    """Return all slugs that the modules of ``package`` can give."""
    found = ANCHOR_SLUGS | OTHERS
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                found |= _slugs_in(node)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _names_slugs(node):
                found |= {leaf.value for leaf in _values(node.value) if _is_slug(leaf)}
    return set(found)


def _values(node: ast.expr) -> Iterator[ast.AST]:
    """Give the parts of an expression, of a dictionary its values alone."""
    for part in node.values if isinstance(node, ast.Dict) else [node]:
        yield from ast.walk(part)


def _names_slugs(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(getattr(target, "id", "").lower().lstrip("_") in ("slug", "slugs") for target in targets)


def _slugs_in(call: ast.Call) -> set[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    found: set[str] = set()
    if name in CALLS:
        places = call.args if name.startswith("_") else call.args[:1]
        found |= {leaf.value for place in places for leaf in ast.walk(place) if _is_slug(leaf)}
    found |= {
        leaf.value for word in call.keywords if word.arg == "slug" for leaf in ast.walk(word.value) if _is_slug(leaf)
    }
    return found


def _is_slug(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "-" in node.value
        and all(part.isalnum() and part.islower() for part in node.value.replace("9", "n").split("-"))
    )
