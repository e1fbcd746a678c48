"""Owns the list of places in a scope where a pattern may match: bodies and expressions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from mutkit.rewriters.python.shape import Body, Unit, children, holds_names_only, units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mutkit.rewriters.python.scopes import Scope
    from mutkit.rewriters.python.source import Source


CACHED = 32
"""Scopes whose places are kept: the specs of a file share them."""


def start_of(source: Source, node: cst.CSTNode) -> int:
    """Return the offset at which a statement begins; for a definition that is its first decorator."""
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.decorators:
        return source.span(node.decorators[0]).start
    return source.span(node).start


@lru_cache(maxsize=CACHED)
def bodies(scope: Scope) -> Sequence[tuple[cst.CSTNode, Body]]:
    """Return (owner, body) for all bodies inside of the scope, outer ones first."""
    whole = [(scope.node, scope.node)] if isinstance(scope.node, cst.Module) else []
    return [*whole, *_bodies(scope.node)]


@lru_cache(maxsize=CACHED)
def blocks(scope: Scope) -> Sequence[tuple[cst.CSTNode, Body, Sequence[Unit]]]:
    """Return (owner, body, its statements one by one) for all bodies inside of the scope, outer ones first."""
    return [(owner, body, units(body)) for owner, body in bodies(scope)]


def _bodies(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, Body]]:
    for _, child in children(node):
        if isinstance(child, cst.BaseSuite):
            yield node, child
        if not isinstance(child, (cst.BaseExpression, cst.BaseSmallStatement)):
            yield from _bodies(child)


_Expression: TypeAlias = "tuple[cst.BaseExpression, Unit | None, cst.CSTNode, Body | None]"


@lru_cache(maxsize=CACHED)
def expressions(scope: Scope) -> Sequence[_Expression]:
    """Return (expression, the statement that is nothing but it, owner of the body around, that body) in the
    scope.
    """
    return list(_expressions(scope.node))


def _expressions(node: cst.CSTNode) -> Iterator[_Expression]:
    if isinstance(node, cst.Module):
        yield from _in_body(node, node)
        return
    for name, child in children(node):
        if name not in {"name", "decorators"}:
            yield from _in_node(child, node, name, None)


def _in_body(owner: cst.CSTNode, body: Body) -> Iterator[_Expression]:
    for unit in units(body):
        if isinstance(unit.node, cst.Expr):
            yield unit.node.value, unit, owner, body
            yield from _in_children(unit.node.value, unit.node)
        elif isinstance(unit.node, (cst.FunctionDef, cst.ClassDef)):
            for decorator in unit.node.decorators:  # they are evaluated, and written, before the rest
                yield from _in_node(decorator, unit.node, "decorators", None)
            for name, child in children(unit.node):
                if name != "decorators":
                    yield from _in_node(child, unit.node, name, None)
        else:
            yield from _in_children(unit.node, None)


def _in_children(node: cst.CSTNode, parent: cst.CSTNode | None) -> Iterator[_Expression]:
    for name, child in children(node):
        yield from _in_node(child, node, name, parent)


def _in_node(
    child: cst.CSTNode, parent: cst.CSTNode, name: str, grandparent: cst.CSTNode | None
) -> Iterator[_Expression]:
    if isinstance(child, cst.BaseSuite):
        yield from _in_body(parent, child)
        return
    if holds_names_only(parent, name, grandparent):
        return
    if isinstance(child, cst.BaseExpression) and not isinstance(parent, cst.ConcatenatedString):
        yield child, None, parent, None
    yield from _in_children(child, parent)
