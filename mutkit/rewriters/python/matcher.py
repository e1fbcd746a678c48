"""Owns equality of code: whether a pattern's tree equals a piece of a file's tree, and what its metavariables
then are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import libcst as cst

from mutkit.rewriters.python.metavariables import ANY
from mutkit.rewriters.python.pattern import one_in, run_in
from mutkit.rewriters.python.shape import BODIES, meaning, units
from mutkit.rewriters.python.values import literal, texts

Captures: TypeAlias = Mapping[str, "cst.CSTNode | tuple[cst.CSTNode, ...]"]
"""What each metavariable stands for: a node, or for ``$$$X`` (key ``$$$X``) a tuple of members of a sequence.
"""

NOTHING: Captures = {}


def match(pattern: Any, target: Any, captures: Captures = NOTHING) -> Iterator[Captures]:
    """Yield every way in which ``target`` equals ``pattern``, as captures that extend ``captures``."""
    if not isinstance(pattern, cst.CSTNode):
        yield from _match_value(pattern, target, captures)
        return
    name = one_in(pattern)
    if name is not None:
        kind = cst.MatchPattern if isinstance(pattern, cst.MatchAs) else cst.BaseExpression
        if isinstance(target, kind) and not isinstance(target, cst.StarredElement):
            yield from _bind(name, target, captures)
        return
    if not isinstance(target, cst.CSTNode):
        return
    if isinstance(pattern, BODIES) and isinstance(target, BODIES):
        yield from match_run(statements(pattern), statements(target), captures)
        return
    pattern, target = normal(pattern), normal(target)
    if kind_of(pattern) is kind_of(target):
        yield from SPECIAL.get(type(pattern), _match_fields)(pattern, target, captures)


def kind_of(node: cst.CSTNode) -> type[cst.CSTNode]:
    """Return the kind of a node; kinds that are spellings of one another are one. Unequal kinds never match."""
    return KINDS.get(type(node), type(node))


def equal(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Return whether two pieces of code are equal but for layout."""
    return next(match(one, other), None) is not None


def statements(body: cst.Module | cst.BaseSuite) -> list[cst.CSTNode]:
    """Return the statements of a body, one by one."""
    return [unit.node for unit in units(body)]


def match_run(patterns: Sequence[Any], targets: Sequence[Any], captures: Captures) -> Iterator[Captures]:
    """Yield every way in which the whole of ``targets`` equals ``patterns``, of which any may be a run."""
    if not patterns:
        if not targets:
            yield captures
        return
    first, rest = patterns[0], patterns[1:]
    run = run_in(first) if isinstance(first, cst.CSTNode) else None
    if run is None:
        if targets:
            for found in match(first, targets[0], captures):
                yield from match_run(rest, targets[1:], found)
        return
    for length in range(len(targets) + 1) if rest else [len(targets)]:
        for found in _bind("$$$" + run, tuple(targets[:length]), captures):
            yield from match_run(rest, targets[length:], found)


def _bind(name: str, target: Any, captures: Captures) -> Iterator[Captures]:
    if name.endswith("$_") or name == ANY:
        yield captures
        return
    bound = captures.get(name)
    if bound is None:
        yield {**captures, name: target}
    elif isinstance(bound, tuple):
        if len(bound) == len(target) and all(equal(mine, its) for mine, its in zip(bound, target, strict=True)):
            yield captures
    elif equal(bound, target):
        yield captures


def _match_value(pattern: Any, target: Any, captures: Captures) -> Iterator[Captures]:
    if isinstance(pattern, (list, tuple)) and isinstance(target, (list, tuple)):
        yield from match_run(pattern, target, captures)
    elif _plain(pattern) == _plain(target):
        yield captures


def _plain(value: Any) -> Any:
    return None if isinstance(value, cst.MaybeSentinel) else value


def _match_fields(pattern: cst.CSTNode, target: cst.CSTNode, captures: Captures) -> Iterator[Captures]:
    yield from match_values(
        [getattr(pattern, name) for name in meaning(type(pattern))],
        [getattr(target, name) for name in meaning(type(pattern))],
        captures,
    )


def match_values(patterns: Sequence[Any], targets: Sequence[Any], captures: Captures) -> Iterator[Captures]:
    """Yield every way in which each target equals its pattern, one to one (unlike in a run)."""
    if not patterns:
        yield captures
        return
    for found in match(patterns[0], targets[0], captures):
        yield from match_values(patterns[1:], targets[1:], found)


def normal(node: cst.CSTNode) -> cst.CSTNode:
    """Return ``node`` in the one spelling of several that mean the same.

    ``else:`` around nothing but an ``if`` is ``elif``; ``a[(1, 2)]`` is ``a[1, 2]``.
    """
    if isinstance(node, cst.Else):
        inner = statements(node.body)
        if len(inner) == 1 and isinstance(inner[0], cst.If):
            return inner[0]
    return node


def _match_literal(pattern: Any, target: Any, captures: Captures) -> Iterator[Captures]:
    """Strings and numbers are equal when their values are, however they are spelled."""
    if pattern.value == target.value:
        yield captures
        return
    mine, its = literal(pattern.value), literal(target.value)
    if type(mine) is type(its) and repr(mine) == repr(its):
        yield captures


def _match_formatted(pattern: Any, target: Any, captures: Captures) -> Iterator[Captures]:
    yield from match_run(_parts(pattern), _parts(target), captures)


def _parts(string: Any) -> list[Any]:
    """Return the parts of an f-string, its text by value: quotes and prefix do not count."""
    return [part if text is None else text for part, text in zip(string.parts, texts(string), strict=True)]


def _match_replacement(pattern: Any, target: Any, captures: Captures) -> Iterator[Captures]:
    """``f"{x=}"`` shows the code itself, white space included: there spelling counts."""
    if (pattern.equal is None) == (target.equal is None):
        if pattern.equal is not None and one_in(pattern.expression) is None and _spelled(pattern) != _spelled(target):
            return
        yield from _match_fields(pattern, target, captures)


def _spelled(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def _match_subscript(pattern: cst.Subscript, target: cst.Subscript, captures: Captures) -> Iterator[Captures]:
    for found in match(pattern.value, target.value, captures):
        mine, its = _subscripts(pattern), _subscripts(target)
        if _is_tuple(pattern) == _is_tuple(target) or any(run_in(element) for element in pattern.slice):
            yield from match_run(mine, its, found)


def _is_tuple(node: cst.Subscript) -> bool:
    """Return whether the index is a tuple: ``a[1,]`` is, ``a[1]`` is not."""
    inner = _inner_tuple(node)
    return inner is not None or len(node.slice) > 1 or isinstance(node.slice[0].comma, cst.Comma)


def _inner_tuple(node: cst.Subscript) -> cst.Tuple | None:
    index = node.slice[0].slice
    alone = len(node.slice) == 1 and not isinstance(node.slice[0].comma, cst.Comma)
    if alone and isinstance(index, cst.Index) and isinstance(index.value, cst.Tuple):
        return index.value
    return None


def _subscripts(node: cst.Subscript) -> Sequence[cst.CSTNode]:
    inner = _inner_tuple(node)
    if inner is None or not all(isinstance(element, cst.Element) for element in inner.elements):
        return node.slice
    return [cst.SubscriptElement(cst.Index(element.value)) for element in inner.elements]


def parameters(node: cst.Parameters) -> list[cst.CSTNode]:
    """Return the parameters with ``/`` and ``*`` between them, in the order in which they are written."""
    parts = [
        *node.posonly_params,
        node.posonly_ind,
        *node.params,
        node.star_arg,
        *node.kwonly_params,
        node.star_kwarg,
    ]
    return [part for part in parts if isinstance(part, cst.CSTNode)]


def _match_class(pattern: cst.ClassDef, target: cst.ClassDef, captures: Captures) -> Iterator[Captures]:
    """The bases and the keywords (``metaclass=M``) of a class are one list of arguments."""
    for found in match_run([*pattern.bases, *pattern.keywords], [*target.bases, *target.keywords], captures):
        rest = [name for name in meaning(cst.ClassDef) if name not in {"bases", "keywords"}]
        yield from match_values(
            [getattr(pattern, name) for name in rest], [getattr(target, name) for name in rest], found
        )


def _match_parameters(pattern: cst.Parameters, target: cst.Parameters, captures: Captures) -> Iterator[Captures]:
    yield from match_run(parameters(pattern), parameters(target), captures)


SPECIAL: dict[type[cst.CSTNode], Callable[[Any, Any, Captures], Iterator[Captures]]] = {
    cst.SimpleString: _match_literal,
    cst.Integer: _match_literal,
    cst.Float: _match_literal,
    cst.Imaginary: _match_literal,
    cst.FormattedString: _match_formatted,
    cst.FormattedStringExpression: _match_replacement,
    cst.Subscript: _match_subscript,
    cst.Parameters: _match_parameters,
    cst.ClassDef: _match_class,
}
"""How nodes are compared whose fields say less, or more, than what the code means."""

KINDS: dict[type[cst.CSTNode], type[cst.CSTNode]] = {cst.MatchTuple: cst.MatchList}
"""Kinds of node that are spellings of another kind: ``case (a, b)`` is ``case [a, b]``."""
for _name, _special in (
    ("TemplatedString", _match_formatted),
    ("TemplatedStringExpression", _match_replacement),
):
    if hasattr(cst, _name):
        SPECIAL[getattr(cst, _name)] = _special
