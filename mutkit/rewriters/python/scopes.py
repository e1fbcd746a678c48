"""Owns dotted scopes: which definition of a file ``Class.method`` names."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from mutkit.errors import AnchorError, NearMiss
from mutkit.rewriters.python.shape import BODIES, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mutkit.rewriters.python.shape import Definition
    from mutkit.rewriters.python.source import Source


@dataclass(frozen=True)
class Scope:
    """A definition, or with ``name`` empty the module. ``path`` leads to ``node`` from the module, which is
    its first.
    """

    name: str
    node: Definition | cst.Module
    path: tuple[cst.CSTNode, ...]


def find_scope(source: Source, name: str) -> Scope:
    """Return the only definition that the dotted ``name`` names; the module for an empty name.

    Definitions under ``if``, ``try``, ``with`` and the like count as if they stood in the body around. Raises
    ``AnchorError``: ``scope-missing`` with the nearest names, ``scope-ambiguous`` with the lines.
    """
    whole = Scope("", source.module, (source.module,))
    if not name:
        return whole
    everything = list(definitions(whole))
    found = [scope for scope in everything if scope.name == name]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _missing(source, name, everything)
    lines = tuple(_line(source, scope) for scope in found)
    raise AnchorError(
        "scope-ambiguous",
        f"`{name}` is defined {len(found)} times, on lines {', '.join(map(str, lines))}; name the scope "
        "around and let `find` begin with the `def` or `class` that is meant.",
        lines=lines,
    )


def definitions(around: Scope) -> Iterator[Scope]:
    """Yield all functions and classes inside of ``around``, with their dotted names from the module on."""
    yield from _inside(around.node, around.name, around.path)


def _inside(node: cst.CSTNode, prefix: str, path: tuple[cst.CSTNode, ...]) -> Iterator[Scope]:
    for _, child in children(node):
        if isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            name = f"{prefix}.{child.name.value}" if prefix else child.name.value
            scope = Scope(name, child, (*path, child))
            yield scope
            yield from _inside(child.body, name, (*scope.path, child.body))
        elif isinstance(child, (*BODIES, cst.BaseCompoundStatement, cst.Else, cst.Finally, *_CLAUSES)):
            yield from _inside(child, prefix, (*path, child))


_CLAUSES = (cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase)


def _line(source: Source, scope: Scope) -> int:
    return source.line_of(source.span(scope.node).start)


def _missing(source: Source, name: str, everything: list[Scope]) -> AnchorError:
    last = name.rpartition(".")[2]
    ranked = sorted(
        everything,
        key=lambda scope: (
            scope.name.rpartition(".")[2] == last,
            difflib.SequenceMatcher(None, scope.name, name).ratio(),
        ),
        reverse=True,
    )[:3]
    near = tuple(
        NearMiss(_line(source, scope), scope.name, f"is named `{scope.name}`, not `{name}`") for scope in ranked
    )
    names = ", ".join(f"`{miss.code}` (line {miss.line})" for miss in near)
    advice = f"the nearest are {names}" if near else "the file defines no function and no class"
    return AnchorError("scope-missing", f"the file does not define `{name}`; {advice}.", near=near)
