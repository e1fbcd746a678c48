"""Owns near misses: where a pattern that matches nothing nearly matches, and what stands in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from mutkit.errors import NearMiss
from mutkit.rewriters.python.kin import CONSTANTS, parts, resemblance, unoffered
from mutkit.rewriters.python.matcher import NOTHING, match, match_run, normal, parameters, statements
from mutkit.rewriters.python.metavariables import show
from mutkit.rewriters.python.pattern import Pattern, one_in, run_in, walk
from mutkit.rewriters.python.places import bodies, expressions, start_of
from mutkit.rewriters.python.scopes import Scope
from mutkit.rewriters.python.shape import BODIES, meaning, units
from mutkit.rewriters.python.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT = 3
WIDTH = 60
OUTSIDE = 2
TWICE = "has two different things where a metavariable stands twice"

OPERATORS = (cst.BaseBinaryOp, cst.BaseUnaryOp, cst.BaseBooleanOp, cst.BaseCompOp, cst.BaseAugOp)

LEAVES = (cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Imaginary)

PRESENCE = {
    "orelse": "an `else`",
    "finalbody": "a `finally`",
    "cause": "a `from`",
    "asynchronous": "an `async`",
    "returns": "a return annotation",
    "annotation": "an annotation",
    "default": "a default",
    "asname": "an `as`",
    "value": "a value",
    "msg": "a message",
    "guard": "a guard",
    "type": "an exception type",
    "keyword": "a keyword",
}
"""How a part is called that one of two pieces of code has and the other has not."""

MEMBERS = {
    "decorators": "decorator",
    "args": "argument",
    "elements": "element",
    "params": "parameter",
    "handlers": "`except`",
    "bases": "base",
    "comparisons": "comparison",
    "targets": "target",
    "items": "item",
    "ifs": "condition",
    "cases": "`case`",
    "names": "name",
}
"""What the members of a sequence are called."""

Difference = tuple[int, str]


def nearest(source: Source, scope: Scope, pattern: Pattern) -> tuple[NearMiss, ...]:
    """Return the nearest misses of a pattern that matches nothing in ``scope``, the nearest first.

    They are of the same kind as the pattern's root; full matches outside of the scope come after misses by a
    hair's breadth.
    """
    ranked: list[tuple[int, int, NearMiss]] = []
    elsewhere = scope if isinstance(scope.node, cst.Module) else Scope("", source.module, (source.module,))
    inside = source.span(scope.node)
    wanted = [pattern.expression] if pattern.expression else [unit.node for unit in units(pattern.module)]
    for nodes, hidden in _candidates(elsewhere, wanted, whole=pattern.expression is not None):
        start = start_of(source, nodes[0])
        code = source.slice(Span(start, source.span(nodes[-1]).end))
        outside = not inside.start <= start < inside.end and not isinstance(scope.node, cst.Module)
        if outside:
            if next(match_run(wanted, nodes, NOTHING), None) is None:
                continue
            found: list[Difference] = [(OUTSIDE, f"is outside of `{scope.name}`")]
        elif hidden:
            found = [(0, hidden)]
        else:
            found = _run_differences(wanted, nodes, "statement") or [(1, TWICE)]
        cost = sum(weight for weight, _ in found)
        line = source.line_of(start)
        ranked.append((cost, line, NearMiss(line, code, found[0][1])))
    return tuple(miss for _, _, miss in sorted(ranked, key=lambda item: item[:2])[:LIMIT])


def _candidates(
    scope: Scope, wanted: Sequence[cst.CSTNode], *, whole: bool
) -> Iterator[tuple[Sequence[cst.CSTNode], str]]:
    """Yield what may be a near miss, with what is known to stand in the way, if anything is."""
    if len(wanted) == 1:
        for node, why in unoffered(scope, wanted[0]):
            yield [node], why
    if whole:
        for expression, _, _, _ in expressions(scope):
            if type(expression) is type(wanted[0]) or resemblance(wanted[0], expression):
                yield [expression], ""
        return
    fixed = [index for index, node in enumerate(wanted) if run_in(node) is None]
    if not fixed:
        return
    first = wanted[fixed[0]]
    for _, body in bodies(scope):
        nodes = statements(body)
        for index, node in enumerate(nodes):
            if type(node) is type(first) or resemblance(first, node):
                yield nodes[max(0, index - fixed[0]) :][: len(wanted)], ""


def _differences(pattern: Any, target: Any, field: str) -> list[Difference]:
    """Return what differs, the first in reading order first, each with a weight."""
    if next(match(pattern, target), None) is not None:
        return []
    missing = _presence(pattern, target, field)
    if missing:
        return missing
    mine, its = _members(pattern, field), _members(target, field)
    if mine is not None and its is not None:
        return _run_differences(mine[1], its[1], mine[0])
    if not isinstance(pattern, cst.CSTNode) or not isinstance(target, cst.CSTNode):
        if not target or not pattern:  # a star, which is there or not
            return [(1, f"has a `{target}`" if target else f"has no `{pattern}`")]
        return [(1, f"has `{target}`, not `{pattern}`")]
    return _node_differences(normal(pattern), normal(target))


def _members(value: Any, field: str) -> tuple[str, Sequence[Any]] | None:
    """Return what the members of a sequence are called, and they; None for what is no sequence."""
    if isinstance(value, BODIES):
        return "statement", statements(value)
    if isinstance(value, cst.Parameters):
        return "parameter", parameters(value)
    if isinstance(value, (list, tuple)):
        return MEMBERS.get(field, "member"), value
    return None


def _node_differences(pattern: cst.CSTNode, target: cst.CSTNode) -> list[Difference]:
    if isinstance(pattern, OPERATORS) and isinstance(target, OPERATORS):
        return [(1, f"operator is `{_code(target)}`, not `{_code(pattern)}`")]
    likeness = resemblance(pattern, target) if one_in(pattern) is None else ""
    if likeness:
        return [(int(type(pattern) not in CONSTANTS), likeness), *_in_common(pattern, target)]
    if type(pattern) is not type(target) or one_in(pattern) is not None:
        return _instead(pattern, target, 1 + sum(1 for _ in walk(pattern)))
    if isinstance(pattern, LEAVES):
        return _instead(pattern, target)
    found: list[Difference] = []
    for name in meaning(type(pattern)):
        found += _differences(getattr(pattern, name), getattr(target, name), name)
    if not found and any(one_in(node) is not None or run_in(node) is not None for node in walk(pattern)):
        return [(1, TWICE)]
    return found or _instead(pattern, target)


def _in_common(pattern: cst.CSTNode, target: cst.CSTNode) -> list[Difference]:
    found: list[Difference] = []
    for (name, mine), (_, its) in zip(parts(pattern), parts(target), strict=False):
        found += _differences(mine, its, name)
    return found


def _instead(pattern: cst.CSTNode, target: cst.CSTNode, weight: int = 1) -> list[Difference]:
    return [(weight, f"has `{_code(target)}`, not `{_code(pattern)}`")]


def _presence(pattern: Any, target: Any, field: str) -> list[Difference]:
    absent = (None, cst.MaybeSentinel.DEFAULT)
    called = PRESENCE.get(field, f"a `{field}`")
    if pattern in absent and isinstance(target, cst.CSTNode):
        if isinstance(target, cst.If):
            called = "an `elif`"
        return [(1, f"has {called}")]
    if target in absent and isinstance(pattern, cst.CSTNode):
        return [(1, f"has no {called[called.index(' ') + 1 :]}")]
    return []


def _run_differences(patterns: Sequence[Any], targets: Sequence[Any], called: str) -> list[Difference]:
    if next(match_run(patterns, targets, NOTHING), None) is not None:
        return []
    if any(isinstance(node, cst.CSTNode) and run_in(node) is not None for node in patterns):
        fixed = [node for node in patterns if run_in(node) is None]
        if len(fixed) != 1 or not targets:
            return [(2, f"has other {called}s")]
        return min(
            (_differences(fixed[0], target, "") for target in targets),
            key=lambda found: sum(d[0] for d in found),
        )
    found: list[Difference] = []
    more = len(targets) - len(patterns)
    if more:
        found.append((abs(more), f"has {abs(more)} {called}{'s' * (abs(more) > 1)} {'more' if more > 0 else 'fewer'}"))
    for pattern, target in zip(patterns, targets, strict=False):
        found += _differences(pattern, target, called)
    return found


def _code(node: cst.CSTNode) -> str:
    text = " ".join(show(cst.Module([]).code_for_node(node)).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
