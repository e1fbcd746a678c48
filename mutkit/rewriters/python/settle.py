"""Owns the last step of a rewrite: only the parentheses that are needed, and a result that compiles and
differs.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mutkit.errors import AnchorError
from mutkit.rewriters.python.source import NEWLINE, Source, Span, parse_ast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet


@dataclass(frozen=True)
class Paren:
    """A parenthesis that may be needed; an opening and a closing one share their ``number``."""

    sign: str
    number: int


@dataclass(frozen=True)
class Edit:
    """What is to stand in place of ``span``: text with parentheses that may be left out where the meaning
    stays.
    """

    span: Span
    pieces: Sequence[str | Paren]

    def text(self, kept: AbstractSet[int]) -> str:
        """Return the new text with the parentheses whose numbers are in ``kept``."""
        return "".join(
            piece if isinstance(piece, str) else piece.sign * (piece.number in kept) for piece in self.pieces
        )

    def numbers(self) -> set[int]:
        """Return the numbers of all parentheses."""
        return {piece.number for piece in self.pieces if isinstance(piece, Paren)}


def settle(source: Source, edit: Edit) -> bytes:
    """Return the mutant: the file with the edit made, with as few of its parentheses as keep the meaning.

    Raises ``AnchorError``: ``result-syntax`` where it does not compile, ``replace-syntax`` where a capture
    cannot stand where the replacement has it, ``rewrite-no-effect`` where the program stays the same.
    """
    kept: set[int] = edit.numbers()
    if kept:
        meant = _parse(source.splice(edit.span, edit.text(kept)))
        if isinstance(meant, str):
            bare = _parse(source.splice(edit.span, edit.text(set())))
            if not isinstance(bare, str):
                raise AnchorError(
                    "replace-syntax",
                    f"the replacement cannot stand here as one expression: `{edit.text(set())}`.",
                )
        else:
            kept = _needed(source, edit, meant, kept)
    mutant = source.splice(edit.span, edit.text(kept))
    check(source, edit.span, mutant)
    return mutant


def _needed(source: Source, edit: Edit, meant: ast.Module, kept: set[int]) -> set[int]:
    first = source.line_of(edit.span.start)
    last = first + len(NEWLINE.findall(edit.text(kept)))

    def keeps_meaning(numbers: set[int]) -> bool:
        tree = _parse(source.splice(edit.span, edit.text(numbers)))
        return not isinstance(tree, str) and same(meant, tree, first, last)

    if keeps_meaning(set()):
        return set()
    for number in sorted(kept):
        if keeps_meaning(kept - {number}):
            kept = kept - {number}
    return kept


def _parse(data: bytes) -> ast.Module | str:
    """Return the tree, or what is wrong."""
    try:
        return parse_ast(data)
    except (SyntaxError, ValueError) as error:
        return f"line {getattr(error, 'lineno', None)}: {getattr(error, 'msg', error)}"


def check(source: Source, span: Span, mutant: bytes) -> None:
    """Raise ``AnchorError`` where the mutant is no program (``result-syntax``) or no other one
    (``rewrite-no-effect``).
    """
    tree = _parse(mutant)
    problem = tree if isinstance(tree, str) else _compile(tree)
    if problem or isinstance(tree, str):
        raise AnchorError("result-syntax", f"the rewritten file does not compile: {problem}.")
    first, last = source.line_of(span.start), source.line_of(span.end)
    if same(source.tree, tree, first, last):
        raise AnchorError("rewrite-no-effect", "the rewritten program is the same as before, but for layout.")


def _compile(tree: ast.Module) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(tree, "<mutant>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return f"line {getattr(error, 'lineno', None)}: {getattr(error, 'msg', error)}"
    return ""


def same(one: Any, other: Any, first: int, last: int) -> bool:
    """Return whether two trees are equal, not looking at statements outside of lines ``first`` to ``last`` of
    ``one``.

    Those are the same text in both; where there are as many statements in both bodies, they are also the same
    statements.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        return all(
            same(getattr(one, name, None), getattr(other, name, None), first, last)
            for name in one._fields
            if name not in {"kind", "type_ignores"}
        )
    if isinstance(one, list):
        return len(one) == len(other) and all(
            _is_outside(mine, first, last) or same(mine, its, first, last) for mine, its in zip(one, other, strict=True)
        )
    return repr(one) == repr(other)


def _is_outside(node: Any, first: int, last: int) -> bool:
    if not isinstance(node, ast.stmt):
        return False
    begin = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return (node.end_lineno or last) < first or begin > last
