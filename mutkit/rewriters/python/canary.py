"""Owns canaries: a statement that raises as soon as the code around a site is executed."""

from __future__ import annotations

import libcst as cst

from mutkit.model.mutant import CANARY_SUFFIX
from mutkit.rewriters.python.places import start_of
from mutkit.rewriters.python.replace import newline_at
from mutkit.rewriters.python.scopes import Scope, definitions, find_scope
from mutkit.rewriters.python.shape import Unit, is_docstring, units
from mutkit.rewriters.python.source import Source, Span


def plant(source: Source, scope: str, site_line: int, token: str) -> bytes:
    """Return the file with ``raise RuntimeError("mutkit canary {token}")`` first in the innermost body around
    ``site_line``.

    First means after a docstring and after ``from __future__`` imports. The body is that of a definition in
    ``scope``, or of ``scope`` itself (a site in a function's parameters). Raises ``AnchorError`` where there
    is no such scope.
    """
    around = _innermost(source, find_scope(source, scope), site_line)
    # The file beside the source proves that this very copy was executed, in whichever process: a case that only reads
    # the source, or that fails for another reason, leaves none. If it cannot be made, OSError is raised instead.
    statement = f"raise RuntimeError({f'mutkit canary {token}'!r}, open(__file__ + {CANARY_SUFFIX!r}, 'w').close())"
    body = around.node if isinstance(around.node, cst.Module) else around.node.body
    present = units(body)
    rest = [unit for index, unit in enumerate(present) if not _comes_first(present[: index + 1])]
    if rest:
        return _before(source, rest[0], statement)
    if present:
        end = source.span(present[-1].node).end
        return source.splice(Span(end, end), "; " + statement)
    end = len(source.text)
    newline = "" if not source.text or source.text.endswith(("\r", "\n")) else source.module.default_newline
    return source.splice(Span(end, end), newline + statement + source.module.default_newline)


def _innermost(source: Source, scope: Scope, line: int) -> Scope:
    """Return the last definition (so the innermost: they come outer ones first) whose body holds ``line``."""
    around = scope
    for inner in definitions(scope):
        present = units(inner.node.body) if not isinstance(inner.node, cst.Module) else []
        if not present:
            continue
        first, last = start_of(source, present[0].node), source.span(present[-1].node).end
        if source.line_of(first) <= line <= source.line_of(last):
            around = inner
    return around


def _comes_first(start: list[Unit]) -> bool:
    """Return whether the last of the statements at the ``start`` of a body must stay there."""
    node = start[-1].node
    if is_docstring(node):
        return len(start) == 1
    module = node.module if isinstance(node, cst.ImportFrom) else None
    return isinstance(module, cst.Name) and module.value == "__future__"


def _before(source: Source, unit: Unit, statement: str) -> bytes:
    start = start_of(source, unit.node)
    if unit.line is not None:
        return source.splice(Span(start, start), statement + "; ")
    indent = source.text[source.line_start(start) : start]
    return source.splice(Span(start, start), statement + newline_at(source, start) + indent)
