"""The matcher against a second opinion: the standard library's ``ast``, on large modules of the standard
library.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json.decoder
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.rewriters.python.pattern import parse
from mutkit.rewriters.python.places import start_of
from mutkit.rewriters.python.scopes import find_scope
from mutkit.rewriters.python.sites import matches
from mutkit.rewriters.python.source import load

if TYPE_CHECKING:
    from types import ModuleType

MODULES = [argparse, inspect, json.decoder, subprocess]
SAMPLES = 60
SEED = 20240229


def read(module: ModuleType) -> bytes:
    """Return the source of a module of the standard library."""
    assert module.__file__
    return Path(module.__file__).read_bytes()


def key(node: ast.AST) -> str:
    """Return what makes two pieces of code equal to ``ast``: all but positions, and whether a name is read or
    written.
    """
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()").replace("ctx=Del()", "ctx=Load()")


def line_of(node: ast.stmt | ast.expr) -> int:
    """Return the line on which a node begins, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def code_of(text: str, node: ast.stmt | ast.expr) -> str:
    """Return the node's source as an author would copy it into a pattern: whole lines, or the piece of a
    line.
    """
    if isinstance(node, ast.expr):
        return ast.get_source_segment(text, node) or ""
    return "\n".join(text.split("\n")[line_of(node) - 1 : node.end_lineno])


def is_piece_of_a_string(parents: dict[ast.AST, ast.AST], node: ast.AST) -> bool:
    """Return whether a node is what ``ast`` makes of the text of an f-string: there is no such expression in
    the code.
    """
    above = parents.get(node)
    return (
        isinstance(node, (ast.FormattedValue, ast.Slice))
        or (isinstance(above, ast.JoinedStr) and isinstance(node, ast.Constant))
        or (isinstance(above, ast.FormattedValue) and node is above.format_spec)
        or (isinstance(above, ast.Subscript) and isinstance(node, ast.Tuple) and node is above.slice)
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
@pytest.mark.parametrize("kind", [ast.stmt, ast.expr], ids=["statements", "expressions"])
def test_code_as_its_own_pattern_matches_exactly_the_places_that_ast_calls_equal(
    module: ModuleType, kind: type[ast.stmt | ast.expr]
) -> None:
    """A statement's or expression's own text finds all places that are equal to ``ast``, and no others."""
    data = read(module)
    text = data.decode()
    tree = ast.parse(data)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    nodes = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.stmt, ast.expr)) and not is_piece_of_a_string(parents, node)
    ]
    lines = text.split("\n")
    elifs = {
        id(node)
        for node in nodes
        if isinstance(node, ast.If) and lines[node.lineno - 1][node.col_offset :].startswith("elif")
    }
    equal: dict[str, list[int]] = {}
    for node in nodes:
        if id(node) not in elifs:
            equal.setdefault(key(node), []).append(line_of(node))
    source = load(data)
    scope = find_scope(source, "")
    eligible = [node for node in nodes if isinstance(node, kind) and id(node) not in elifs]
    chosen = random.Random(SEED).sample(eligible, SAMPLES)  # noqa: S311  # a sample that is the same each time
    wrong = []
    for node in chosen:
        code = code_of(text, node)
        expected = equal[key(node.value if isinstance(node, ast.Expr) else node)]
        pattern = parse(code, "pattern-syntax")
        found = [source.line_of(start_of(source, each.nodes[0])) for each in matches(scope, pattern)]
        if sorted(found) != sorted(expected):
            wrong.append((code, sorted(found), sorted(expected)))
    assert wrong == []
