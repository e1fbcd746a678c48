"""Owns code patterns as trees: what parses, what is an expression, and where a run may stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import libcst as cst

from mutkit.errors import AnchorError
from mutkit.rewriters.python.metavariables import Metavariable, Readable, metavariable, place, readable
from mutkit.rewriters.python.shape import children
from mutkit.rewriters.python.values import check

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN_HOLDERS: dict[type[cst.CSTNode], str] = {
    cst.Expr: "value",
    cst.Arg: "value",
    cst.Element: "value",
    cst.StarredDictElement: "value",
    cst.Param: "name",
    cst.ImportAlias: "name",
    cst.NameItem: "name",
    cst.WithItem: "item",
    cst.SubscriptElement: "slice",
    cst.Index: "value",
    cst.Decorator: "decorator",
    cst.MatchSequenceElement: "value",
    cst.MatchAs: "name",
}
"""Members of sequences that ``$$$X`` may stand for, and the field in which it then stands."""

_AROUND = "if _:"

_PLAIN = ("keyword", "default", "annotation", "asname", "star")
"""A holder with one of these (``key=$$$X``, ``$$$X: int``) is no run."""


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern. ``expression`` is set for one expression; else ``module`` holds a run of statements.

    ``names`` are the metavariables in it.
    """

    module: cst.Module
    expression: cst.BaseExpression | None
    names: frozenset[Metavariable]


def run_in(node: cst.CSTNode) -> str | None:
    """Return the name of the run that ``node``, a member of a sequence, stands for (``_`` for any); None for
    no run.
    """
    if isinstance(node, cst.SimpleStatementLine):
        return run_in(node.body[0]) if len(node.body) == 1 else None
    inner: object = node
    while isinstance(inner, cst.CSTNode) and type(inner) in RUN_HOLDERS:
        if any(getattr(inner, name, None) not in (None, "", cst.MaybeSentinel.DEFAULT) for name in _PLAIN):
            return None
        if isinstance(inner, cst.MatchAs) and inner.pattern is not None:
            return None
        inner = getattr(inner, RUN_HOLDERS[type(inner)])
    found = metavariable(inner.value) if isinstance(inner, cst.Name) else None
    return found.name if found is not None and found.run else None


def one_in(node: cst.CSTNode) -> str | None:
    """Return the name of the metavariable for one expression (or ``case`` pattern) that ``node`` is; None for
    none.
    """
    if isinstance(node, cst.MatchAs) and node.pattern is None and node.name is not None:
        node = node.name
    found = metavariable(node.value) if isinstance(node, cst.Name) else None
    return found.name if found is not None and not found.run else None


@lru_cache(maxsize=256)
def parse(text: str, slug: str) -> Pattern:
    """Return the pattern ``text``. Raises ``AnchorError`` with ``slug``, naming line and column, where it
    does not parse.
    """
    lines = re.split(r"\r\n|\r|\n", text)
    while lines and not lines[0].strip():
        del lines[0]
    plain = "\n".join(lines).rstrip()
    if not plain:
        raise AnchorError(slug, "the pattern is empty.")
    read = readable(plain, slug)
    try:
        module, expression = _parse(read, plain, slug)
        for node in walk(module if expression is None else expression):
            check(node)
    except (cst.CSTValidationError, SyntaxError, ValueError) as error:  # what the grammar alone lets pass
        raise AnchorError(slug, f"this is no Python: {getattr(error, 'msg', error)}.") from error
    _refuse_stray_runs(module, slug, whole=expression)
    return Pattern(module, expression, frozenset(read.found))


def _parse(read: Readable, plain: str, slug: str) -> tuple[cst.Module, cst.BaseExpression | None]:
    try:
        module = _parse_module(read.text)
    except cst.ParserSyntaxError as error:
        expression = _enclosed(read.text)
        if expression is None:
            raise _unparsable(error, read, plain, slug) from error
        return cst.Module([cst.SimpleStatementLine([cst.Expr(expression)])]), expression
    if not module.body:
        raise AnchorError(slug, "the pattern holds nothing but comments.")
    first = module.body[0]
    if len(module.body) == 1 and isinstance(first, cst.SimpleStatementLine) and len(first.body) == 1:
        only = first.body[0]
        if isinstance(only, cst.Expr) and run_in(only) is None:  # ``$$$X`` alone is a run of statements
            return module, only.value
    return module, None


def _enclosed(text: str) -> cst.BaseExpression | None:
    """Return an expression as it may stand inside of brackets only: on several lines, or with ``:=``. None for none.

    Newlines are put in only where there are some: they keep what is on the lines before as it is, and end a comment.
    """
    for template in ("({})", "(\n{}\n)") if "\n" not in text else ("(\n{}\n)",):
        try:
            expression = cst.parse_expression(template.format(text))
        except cst.ParserSyntaxError:
            continue
        if expression.lpar:  # none in ``(a) + (b)``, made of ``a) + (b``
            return expression
    return None


def _parse_module(text: str) -> cst.Module:
    """Return indented statements as those of a module. The text of strings that span lines must not be
    dedented with them.
    """
    if text[0] not in " \t":
        return cst.parse_module(text + "\n")
    around = cst.parse_module(f"{_AROUND}\n{text}\n").body[0]
    body: Any = around.body
    return cst.Module(list(body.body))


def _unparsable(error: cst.ParserSyntaxError, read: Readable, plain: str, slug: str) -> AnchorError:
    starts = [0, *(match.end() for match in re.finditer("\n", read.text))]
    line = min(error.raw_line - (read.text[0] in " \t"), len(starts)) - 1
    offset = min(read.original(starts[line] + error.raw_column), len(plain))
    here = plain.split("\n")[plain[:offset].count("\n")]
    return AnchorError(slug, f"{place(plain, offset)}: this is no Python: `{here.strip()}`.")


def _refuse_stray_runs(module: cst.Module, slug: str, *, whole: cst.BaseExpression | None) -> None:
    """Raise where ``$$$X`` stands in the place of exactly one thing: ``a + $$$X``."""
    allowed: set[cst.CSTNode] = set()
    roots: list[cst.CSTNode] = [module] if module.body else [whole] if whole is not None else []
    for root in roots:
        for node in walk(root):
            found = metavariable(node.value) if isinstance(node, cst.Name) else None
            if run_in(node) is not None and not isinstance(node, (cst.Name, cst.Index, cst.MatchAs)):
                allowed.update(walk(node))
            if found is not None and found.run and node not in allowed:
                raise AnchorError(
                    slug,
                    f"{found} stands for a run and cannot stand where there is exactly one thing; "
                    "a run is of statements, arguments, parameters or elements.",
                )


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield ``node`` and all nodes under it that carry meaning, parents first."""
    yield node
    for _, child in children(node):
        yield from walk(child)
