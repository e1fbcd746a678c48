"""Owns how a replacement is laid out at its site: indentation, one-line bodies, deletion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from mutkit.errors import AnchorError
from mutkit.rewriters.python.pattern import Pattern, parse
from mutkit.rewriters.python.places import bodies, start_of
from mutkit.rewriters.python.settle import Edit, Paren
from mutkit.rewriters.python.shape import units
from mutkit.rewriters.python.source import NEWLINE, Source, Span
from mutkit.rewriters.python.template import Filling, check_names, check_places, filled, is_atom, pieces

if TYPE_CHECKING:
    from mutkit.rewriters.python.scopes import Scope
    from mutkit.rewriters.python.sites import Found

REST_OF_LINE = re.compile(r"(?:[ \t\f;]|\\(?:\r\n|\r|\n))*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")


def plan(source: Source, scope: Scope, pattern: Pattern, found: Found, replace: str) -> Edit:
    """Return the edit that puts ``replace`` in the place of ``found``.

    Raises ``AnchorError``: ``replace-syntax`` where it does not parse or cannot stand there,
    ``metavariable-unknown``.
    """
    if not replace.strip():
        if not found.units:
            raise AnchorError(
                "replace-syntax",
                "an empty `replace` deletes statements, but `find` matched an expression inside of one: "
                "write the expression to put there, or `find` the whole statement.",
            )
        return _deletion(source, found)
    template = parse(replace, "replace-syntax")
    check_names(template, pattern)
    check_places(template.expression or template.module, found.captures)
    lines = {unit.node: unit for _, body in bodies(scope) for unit in units(body)}
    ends = (found.units[0].node, found.units[-1].node) if found.units else (None, None)
    filling = Filling(source, found.captures, lines, *ends)
    if pattern.expression is not None and template.expression is not None:
        return _expression(source, found, template.expression, filling)
    return _statements(source, found, template, filling)


def newline_at(source: Source, offset: int) -> str:
    """Return the newline that ends the line of ``offset``: files may mix them."""
    match = NEWLINE.search(source.text, offset)
    return match[0] if match else source.module.default_newline


def _expression(source: Source, found: Found, template: cst.BaseExpression, filling: Filling) -> Edit:
    span = found.span(source)
    newline = newline_at(source, span.end)
    code = cst.Module([], default_newline=newline).code_for_node(filled(template, filling))
    inner = pieces(code, filling, newline, 1)
    text = "".join(piece for piece in inner if isinstance(piece, str))
    if is_atom(template, text) and not isinstance(inner[0], Paren) and inner[0] != "":
        return Edit(span, inner)
    return Edit(span, [Paren("(", 0), *inner, Paren(")", 0)])


def _deletion(source: Source, found: Found) -> Edit:
    """Delete whole lines where the statements have them to themselves; leave ``pass`` in a body that would be
    empty.
    """
    first, last = found.units[0], found.units[-1]
    span = Span(start_of(source, first.node), source.span(last.node).end)
    if found.body is not None and not isinstance(found.body, cst.Module) and len(units(found.body)) == len(found.units):
        return Edit(span, ["pass"])
    if last.line is not None and last.index + 1 < last.count:
        return Edit(Span(span.start, source.span(last.line.body[last.index + 1]).start), [""])
    if first.line is not None and first.index > 0:
        return Edit(Span(source.span(first.line.body[first.index - 1]).end, span.end), [""])
    rest = REST_OF_LINE.match(source.text, span.end)
    return Edit(Span(source.line_start(span.start), rest.end() if rest else span.end), [""])


def _statements(source: Source, found: Found, template: Pattern, filling: Filling) -> Edit:
    made: Any = filled(template.module, filling)
    if not found.units:
        raise AnchorError(
            "replace-syntax",
            "`find` matched an expression inside of a statement, so `replace` must be an expression as well.",
        )
    first, last = found.units[0], found.units[-1]
    span = Span(start_of(source, first.node), source.span(last.node).end)
    newline = newline_at(source, span.end)
    shared = first.index > 0 or last.index + 1 < last.count or isinstance(first.line, cst.SimpleStatementSuite)
    if not shared:
        indent = source.text[source.line_start(span.start) : span.start]
        return Edit(span, pieces(_block(source, made, indent, newline), filling, newline))
    if all(isinstance(line, cst.SimpleStatementLine) for line in made.body):
        parts = [_bare(statement) for line in made.body for statement in line.body]
        return Edit(span, pieces("; ".join(parts), filling, newline))
    if isinstance(first.line, cst.SimpleStatementSuite) and first.count == len(found.units) and found.owner is not None:
        return _opened(source, found, made, filling, newline)
    raise AnchorError(
        "replace-syntax",
        f"line {source.line_of(span.start)} holds more statements than those that `find` matched, so "
        "`replace` cannot be a compound statement: match the whole line.",
    )


def _opened(source: Source, found: Found, made: cst.Module, filling: Filling, newline: str) -> Edit:
    """Turn ``if x: y`` into a body on lines of its own."""
    owner = source.span(found.owner).start if found.owner is not None else 0
    line = source.text[source.line_start(owner) : owner]
    indent = line[: len(line) - len(line.lstrip(" \t\f"))] + source.module.default_indent
    start = start_of(source, found.units[0].node)
    start = len(source.text[:start].rstrip(" \t\f"))
    block = newline + indent + _block(source, made, indent, newline)
    return Edit(Span(start, source.span(found.units[-1].node).end), pieces(block, filling, newline))


def _bare(statement: cst.BaseSmallStatement) -> str:
    return cst.Module([]).code_for_node(statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))


def _block(source: Source, made: cst.Module, indent: str, newline: str) -> str:
    """Return statements as text at ``indent`` (the first line without it), nested ones deeper by the file's
    own unit.
    """
    body = list(made.body)
    if body and made.header and hasattr(body[0], "leading_lines"):
        lines: Any = body[0].leading_lines
        body[0] = body[0].with_changes(leading_lines=[*made.header, *lines])
    unit = source.module.default_indent
    if not body:
        return "pass"
    if not indent:
        return cst.Module(body, default_indent=unit, default_newline=newline).code.strip("\r\n")
    around = cst.If(cst.Name("_"), cst.IndentedBlock(body, indent=indent))
    code = cst.Module([around], default_indent=unit, default_newline=newline).code
    return code.partition(newline)[2].strip("\r\n").removeprefix(indent)
