"""Owns the search: all places inside a scope that a pattern matches, of which there must be exactly one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutkit.errors import AnchorError
from mutkit.rewriters.python.matcher import NOTHING, Captures, kind_of, match, match_run
from mutkit.rewriters.python.nearmiss import nearest
from mutkit.rewriters.python.pattern import Pattern, one_in, run_in
from mutkit.rewriters.python.places import blocks, expressions, start_of
from mutkit.rewriters.python.shape import Body, Unit, units
from mutkit.rewriters.python.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import libcst as cst

    from mutkit.rewriters.python.scopes import Scope


@dataclass(frozen=True)
class Found:
    """A match. An expression: ``nodes`` is it alone, and ``units`` the statement that is nothing but it, if
    so.

    Statements: ``units`` are they, all out of ``body``. ``owner`` is the node that has ``body``.
    """

    nodes: tuple[cst.CSTNode, ...]
    captures: Captures
    body: Body | None
    owner: cst.CSTNode | None
    units: tuple[Unit, ...] = ()

    def span(self, source: Source) -> Span:
        """Return where the match stands, decorators included."""
        return Span(start_of(source, self.nodes[0]), source.span(self.nodes[-1]).end)


def find_site(source: Source, scope: Scope, pattern: Pattern) -> Found:
    """Return the only match of ``pattern`` in ``scope``.

    Raises ``AnchorError``: ``anchor-missing`` with the nearest misses, ``anchor-ambiguous`` with the lines of
    all matches.
    """
    found = sorted(matches(scope, pattern), key=lambda each: each.span(source).start)
    if len(found) == 1:
        return found[0]
    where = f"in `{scope.name}`" if scope.name else "in the file"
    if found:
        lines = tuple(source.line_of(each.span(source).start) for each in found)
        raise AnchorError(
            "anchor-ambiguous",
            f"`find` matches {len(found)} places {where}, on lines {', '.join(map(str, lines))}; it must "
            "match exactly one: say more of the code around, or name a narrower scope.",
            lines=lines,
        )
    near = nearest(source, scope, pattern)
    first = f"; the nearest is line {near[0].line}: {near[0].why}" if near else ""
    raise AnchorError("anchor-missing", f"`find` matches nothing {where}{first}.", near=near)


def matches(scope: Scope, pattern: Pattern) -> Iterator[Found]:
    """Yield all matches in the scope; nested and overlapping ones count one by one.

    A definition's decorators, and the definition as a statement, belong to the scope around it; its
    parameters, annotations, bases and body are its own.
    """
    if pattern.expression is None:
        wanted = [unit.node for unit in units(pattern.module)]
        for owner, body, here in blocks(scope):
            yield from _match_body(wanted, owner, body, here)
    else:
        kind = None if one_in(pattern.expression) else kind_of(pattern.expression)
        for expression, unit, around, block in expressions(scope):
            if kind not in (None, kind_of(expression)):  # nearly all: cheaper than to ask the matcher
                continue
            for captures in match(pattern.expression, expression):
                yield Found((expression,), captures, block, around, (unit,) if unit else ())
                break


def _match_body(wanted: Sequence[cst.CSTNode], owner: cst.CSTNode, body: Body, here: Sequence[Unit]) -> Iterator[Found]:
    nodes = [unit.node for unit in here]
    kind = None if run_in(wanted[0]) is not None else kind_of(wanted[0])
    for first, last in _windows(wanted, len(here)):
        if kind not in (None, kind_of(nodes[first])):
            continue
        for captures in match_run(wanted, nodes[first:last], NOTHING):
            yield Found(tuple(nodes[first:last]), captures, body, owner, tuple(here[first:last]))
            break


def _windows(wanted: Sequence[cst.CSTNode], count: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of statements that may match. A pattern that begins (ends) with a run begins (ends) with
    the body.
    """
    fixed = sum(run_in(node) is None for node in wanted)
    starts = range(1) if run_in(wanted[0]) is not None else range(count)
    for first in starts:
        if run_in(wanted[-1]) is not None:
            ends = range(count, count + 1)
        elif fixed == len(wanted):
            ends = range(first + fixed, first + fixed + 1)
        else:
            ends = range(first + fixed, count + 1)
        for last in ends:
            if first < last <= count:
                yield first, last
