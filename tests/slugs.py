"""Owns the look for slugs in the source: every word that a message carries in brackets."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from mutkit.errors import ANCHOR_SLUGS

CALLS = {
    *("problem", "Problem", "Reason", "Trouble", "NothingSeen", "AnchorError"),
    *("_fault", "_judgement"),
}
"""Functions that take a slug as their first text; of the private ones any text counts."""

OTHERS = {"bug", "unreadable", "host", "usage", "workspace", "value-unknown", "case-skipped"}
"""Slugs of one word, and those that are put together or handed on, which the look below cannot see."""


def slugs_of(package: Path) -> set[str]:
    """Return all slugs that the modules of ``package`` can give."""
    found = set(ANCHOR_SLUGS | OTHERS)
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found |= _slugs_in(node)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _names_slugs(node):
                found |= _words(_values(node.value))
    return found


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
        for place in call.args if name.startswith("_") else call.args[:1]:
            found |= _words(ast.walk(place))
    for word in call.keywords:
        if word.arg == "slug":
            found |= _words(ast.walk(word.value))
    return found


def _words(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the texts among nodes that look like slugs: lower-case words with dashes."""
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {
        text
        for text in texts
        if "-" in text.strip("-") and text == text.strip("-") and text.replace("-", "").isalnum() and text.islower()
    }
