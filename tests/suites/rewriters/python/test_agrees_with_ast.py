"""The matcher against a second opinion: the standard library's ``ast``, on large modules of the standard
library.
"""

from __future__ import annotations

import argparse
import ast
import functools
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
SAMPLES = 30
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
    """Return the line on which a node begins, decorators included, parentheses left out."""
    if isinstance(node, ast.Tuple) and node.elts:
        return line_of(node.elts[0])
    if isinstance(node, ast.GeneratorExp):
        return line_of(node.elt)
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def code_of(lines: list[bytes], node: ast.stmt | ast.expr) -> str:
    """Return the node's source as an author would copy it into a pattern: whole lines, or the piece of a
    line. (``ast.get_source_segment`` splits the whole file for each piece.)
    """
    assert node.end_lineno
    first, last = line_of(node), node.end_lineno
    if isinstance(node, ast.expr) or lines[first - 1][: node.col_offset].strip():
        piece = b"\n".join(lines[node.lineno - 1 : last])
        left = len(lines[last - 1]) - (node.end_col_offset or 0)
        return piece[node.col_offset : len(piece) - left].decode()
    return b"\n".join(lines[first - 1 : last]).decode()


def is_piece_of_a_string(above: ast.AST | None, node: ast.AST) -> bool:
    """Return whether a node under ``above`` is what ``ast`` makes of text: there is no such expression in the
    code.
    """
    return (
        isinstance(node, (ast.FormattedValue, ast.Slice))
        or (isinstance(above, ast.JoinedStr) and isinstance(node, ast.Constant))
        or (isinstance(above, ast.FormattedValue) and node is above.format_spec)
        or (isinstance(above, ast.Subscript) and isinstance(node, ast.Tuple) and node is above.slice)
    )


@functools.cache
def places(module: ModuleType) -> dict[str, list[ast.stmt | ast.expr]]:
    """Return all statements and expressions of a module, those together that are equal to ``ast``.

    An ``elif`` is no statement of its own, though ``ast`` makes one of it.
    """
    text = read(module).decode()
    lines = text.split("\n")
    found: dict[str, list[ast.stmt | ast.expr]] = {}
    for above in ast.walk(ast.parse(text)):
        for node in ast.iter_child_nodes(above):
            if not isinstance(node, (ast.stmt, ast.expr)) or is_piece_of_a_string(above, node):
                continue
            if not (isinstance(node, ast.If) and lines[node.lineno - 1][node.col_offset :].startswith("elif")):
                found.setdefault(key(node), []).append(node)
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
@pytest.mark.parametrize("kind", [ast.stmt, ast.expr], ids=["statements", "expressions"])
def test_code_as_its_own_pattern_matches_exactly_the_places_that_ast_calls_equal(
    module: ModuleType, kind: type[ast.stmt | ast.expr]
) -> None:
    """A statement's or expression's own text finds all places that are equal to ``ast``, and no others."""
    source = load(read(module))
    scope = find_scope(source, "")
    equal = places(module)
    eligible = [
        node
        for nodes in equal.values()
        for node in nodes
        if isinstance(node, kind) and not isinstance(node, ast.Starred)
    ]
    lines = read(module).split(b"\n")
    chosen = random.Random(SEED).sample(eligible, SAMPLES)  # a sample that is the same each time
    wrong = []
    for node in chosen:
        code = code_of(lines, node)
        expected = [line_of(each) for each in equal[key(node.value if isinstance(node, ast.Expr) else node)]]
        pattern = parse(code, "pattern-syntax")
        found = [source.line_of(start_of(source, each.nodes[0])) for each in matches(scope, pattern)]
        if sorted(found) != sorted(expected):
            wrong.append((code, sorted(found), sorted(expected)))
    assert wrong == []
