"""Owns the look for slugs in the source: every word that a message carries in brackets."""

from __future__ import annotations

import ast
from pathlib import Path

from mutkit.errors import ANCHOR_SLUGS

CALLS = {"problem": 0, "Problem": 0, "Reason": 0, "Trouble": 0, "NothingSeen": 0, "AnchorError": 0, "_fault": 0, "_judgement": 0}
"""Functions that take a slug as text, and where it may stand; for the two of the judge any text without a blank counts."""


def slugs_of(package: Path) -> set[str]:
    """Return all slugs that the modules of ``package`` can give."""
    found = set(ANCHOR_SLUGS)
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                found |= _slugs_in(node)
            elif isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "slug" for t in node.targets):
                found |= {leaf.value for leaf in ast.walk(node.value) if _is_slug(leaf)}
    return found


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
