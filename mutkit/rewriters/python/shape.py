"""Owns which parts of a libcst node carry meaning, and the flat view of bodies as runs of statements."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Body: TypeAlias = "cst.Module | cst.BaseSuite"
Definition: TypeAlias = "cst.FunctionDef | cst.ClassDef"

BODIES = (cst.Module, cst.BaseSuite)
"""The nodes that hold statements."""

LAYOUT = frozenset(
    {
        *(
            "lpar",
            "rpar",
            "comma",
            "semicolon",
            "equal",
            "colon",
            "first_colon",
            "second_colon",
            "dot",
            "indicator",
        ),
        *("lbracket", "rbracket", "lbrace", "rbrace", "separator", "trailing_comma"),
        *("leading_lines", "lines_after_decorators", "trailing_whitespace", "leading_whitespace"),
        *("header", "footer", "indent", "start", "end", "encoding", "has_trailing_newline"),
        *("default_indent", "default_newline"),
    }
)
"""Fields that hold white space, comments, parentheses or separators: what equality ignores."""


@cache
def meaning(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Return the names of the fields of ``kind`` that carry meaning."""
    return tuple(
        item.name for item in fields(kind) if item.name not in LAYOUT and not item.name.startswith(("whitespace", "__"))
    )


def children(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """Yield (field, child) for the children of ``node`` that carry meaning, in the order of the fields."""
    for name in meaning(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, cst.CSTNode):
                    yield name, item


@dataclass(frozen=True)
class Unit:
    """One statement of a body: compound, or a simple one together with the ``line`` that it shares with
    others.

    ``index`` and ``count`` say which of how many statements of its line it is.
    """

    node: cst.CSTNode
    line: cst.SimpleStatementLine | cst.SimpleStatementSuite | None
    index: int = 0
    count: int = 1


def units(body: Body) -> list[Unit]:
    """Return the statements of ``body``, those that stand on one line one by one."""
    if isinstance(body, cst.SimpleStatementSuite):
        return _of_line(body)
    found: list[Unit] = []
    for statement in _statements(body):
        found += _of_line(statement) if isinstance(statement, cst.SimpleStatementLine) else [Unit(statement, None)]
    return found


def _statements(body: Body) -> Sequence[cst.CSTNode]:
    statements: Sequence[cst.CSTNode] = body.body
    return statements


def _of_line(line: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> list[Unit]:
    return [Unit(node, line, index, len(line.body)) for index, node in enumerate(line.body)]


def is_docstring(node: cst.CSTNode) -> bool:
    """Return whether ``node`` is a statement that is nothing but a plain string."""
    return isinstance(node, cst.Expr) and isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString))


NOT_EXPRESSIONS = frozenset(
    {
        (cst.Attribute, "attr"),
        (cst.Arg, "keyword"),
        (cst.FunctionDef, "name"),
        (cst.ClassDef, "name"),
        (cst.Param, "name"),
        (cst.ImportAlias, "name"),
        (cst.ImportFrom, "module"),
        (cst.NameItem, "name"),
        (cst.MatchKeywordElement, "key"),
        (cst.MatchAs, "name"),
        (cst.MatchStar, "name"),
        (cst.MatchMapping, "rest"),
        (cst.TypeVar, "name"),
        (cst.TypeVarTuple, "name"),
        (cst.ParamSpec, "name"),
    }
)
"""Where a name stands that is no expression: an expression pattern does not match there."""


def holds_names_only(parent: cst.CSTNode, name: str, grandparent: cst.CSTNode | None) -> bool:
    """Return whether field ``name`` of ``parent`` is an identifier and no expression."""
    if isinstance(parent, cst.AsName):  # ``with a as b`` assigns to an expression; ``import`` and ``except`` to a name
        return not isinstance(grandparent, cst.WithItem)
    return (type(parent), name) in NOT_EXPRESSIONS
