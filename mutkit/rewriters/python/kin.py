"""Owns kinds of code that are easily taken for each other, so that one is a near miss of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from mutkit.rewriters.python.matcher import equal
from mutkit.rewriters.python.places import bodies, expressions
from mutkit.rewriters.python.shape import children
from mutkit.rewriters.python.values import LITERALS, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutkit.rewriters.python.scopes import Scope

CONSTANTS: dict[type[cst.CSTNode], str] = {
    cst.Integer: "the integer",
    cst.Float: "the float",
    cst.Imaginary: "the complex number",
    cst.Name: "the constant",
    cst.SimpleString: "the string",
    cst.ConcatenatedString: "the concatenated string",
}
"""Literals of different kinds are kin where their values are equal."""

FAMILIES: tuple[dict[type[cst.CSTNode], str], ...] = (
    {cst.Assign: "is a plain assignment", cst.AugAssign: "is an augmented assignment", cst.AnnAssign: ""},
    {cst.Try: "is except", cst.TryStar: "is except*"},
    {cst.ExceptHandler: "is except", cst.ExceptStarHandler: "is except*"},
    {cst.List: "is a list", cst.Tuple: "is a tuple", cst.Set: "is a set"},
    {cst.ListComp: "is a list", cst.SetComp: "is a set", cst.GeneratorExp: "is a generator"},
)
"""Kinds that have the same parts, and what is said of each."""


PARTS = ("elements", "elt", "for_in", "type", "name", "body", "handlers", "orelse", "finalbody")
"""The fields that the members of a family share, but for assignments."""


def resemblance(pattern: cst.CSTNode, target: cst.CSTNode) -> str:
    """Return why ``target``, of another kind, is not ``pattern`` though it looks alike; empty for no likeness."""
    kinds = type(pattern), type(target)
    if kinds[0] is kinds[1]:
        return ""
    if kinds[0] in CONSTANTS and kinds[1] in CONSTANTS:
        mine, its = _value(pattern), _value(target)
        alike = mine is not None and its is not None and mine == its
        return f"is {CONSTANTS[kinds[1]]} {_code(target)}" if alike else ""
    if kinds == (cst.Assign, cst.AnnAssign):
        return "has an annotation"
    if kinds == (cst.AnnAssign, cst.Assign):
        return "has no annotation"
    return next((family[kinds[1]] for family in FAMILIES if kinds[0] in family and kinds[1] in family), "") or (
        "has an annotation" if kinds == (cst.AugAssign, cst.AnnAssign) else ""
    )


def parts(node: Any) -> list[tuple[str, Any]]:
    """Return (field, value) of what a node has in common with its kin."""
    if isinstance(node, cst.Assign):
        return [("target", node.targets[0].target), ("value", node.value)]
    if isinstance(node, (cst.AnnAssign, cst.AugAssign)):
        return [("target", node.target), ("value", node.value)]
    return [(name, getattr(node, name)) for name in PARTS if hasattr(node, name)]


def unoffered(scope: Scope, pattern: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, str]]:
    """Yield (node, why) for code that ``pattern`` equals, but that is a part of something and no place of its own."""
    if isinstance(pattern, (cst.SimpleString, cst.FormattedString)):
        for expression, _, _, _ in expressions(scope):
            if isinstance(expression, cst.ConcatenatedString):
                for part in _strings(expression):
                    if equal(pattern, part):
                        yield part, "is a part of a concatenated string"
    if isinstance(pattern, cst.If):
        for _, body in bodies(scope):
            for node in _elifs(body):
                if equal(pattern, node):
                    yield node, "is an `elif`"


def _strings(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for _, child in children(node):
        yield from _strings(child) if isinstance(child, cst.ConcatenatedString) else (child,)


def _elifs(body: cst.CSTNode) -> Iterator[cst.If]:
    for _, child in children(body):
        inner = child.orelse if isinstance(child, cst.If) else None
        while isinstance(inner, cst.If):
            yield inner
            inner = inner.orelse


def _value(node: cst.CSTNode) -> Any:
    """Return what a literal means; None for none."""
    if isinstance(node, cst.Name):
        return {"True": True, "False": False}.get(node.value)
    if isinstance(node, cst.ConcatenatedString):
        return node.evaluated_value
    return literal(node.value) if isinstance(node, LITERALS) else None


def _code(node: cst.CSTNode) -> str:
    bare: Any = node
    return cst.Module([]).code_for_node(bare.with_changes(lpar=(), rpar=()))
