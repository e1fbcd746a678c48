"""Owns the values of literals: numbers, strings, and the text of f-strings."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import libcst as cst

LITERALS = (cst.SimpleString, cst.Integer, cst.Float, cst.Imaginary)
FORMATTED: tuple[type[cst.CSTNode], ...] = tuple(
    getattr(cst, name) for name in ("FormattedString", "TemplatedString") if hasattr(cst, name)
)


def literal(text: str) -> Any:
    """Return the value of a literal's source text, without the warnings that its escapes may give.

    Raises ``SyntaxError`` or ``ValueError`` for an escape that says nothing, or a number with too many digits.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def texts(string: Any) -> list[str | None]:
    """Return the text of each part of an f-string by value: quotes and prefix do not count. None for a replacement.

    Raises as ``literal`` does.
    """
    quote = string.start.lstrip("rRfFbBtT")
    raw = "r" in string.start.lower()
    return [_text(part.value, quote, raw=raw) if hasattr(part, "value") else None for part in string.parts]


def _text(value: str, quote: str, *, raw: bool) -> str:
    if raw:
        return value
    before = value[:-1]
    if value.endswith(quote[0]) and (len(before) - len(before.rstrip("\\"))) % 2 == 0:
        value = before + "\\" + quote[0]  # it would be the first of four quotes
    text: str = literal(quote + value + quote)
    return text


def check(node: cst.CSTNode) -> None:
    """Raise ``SyntaxError`` or ``ValueError`` where ``node`` is a literal that has no value, though it parses."""
    if isinstance(node, LITERALS):
        literal(node.value)
    elif isinstance(node, FORMATTED):
        texts(node)
