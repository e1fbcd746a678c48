"""Owns the Python rewriter: the order of its steps."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mutkit.errors import AnchorError
from mutkit.model.site import Rewriting, Site
from mutkit.rewriters.python.canary import plant
from mutkit.rewriters.python.pattern import parse
from mutkit.rewriters.python.replace import plan
from mutkit.rewriters.python.scopes import find_scope
from mutkit.rewriters.python.settle import settle
from mutkit.rewriters.python.sites import find_site
from mutkit.rewriters.python.source import Span, load
from mutkit.rewriters.python.transformer import transform

if TYPE_CHECKING:
    from collections.abc import Iterator


DEPTH = 10_000
"""Frames that walking over a tree may take: a table of 256 concatenated strings is nested as deep as it is long."""


@contextmanager
def _depth() -> Iterator[None]:
    """Let walking over a tree go deep, and name the one way in which it can fail on a sound tree."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEPTH))  # not restored: other threads may be deep in a tree
    try:
        yield
    except (RecursionError, MemoryError) as error:  # Python's own parser raises the latter
        raise AnchorError("source-syntax", "the code is nested too deeply to be searched.") from error


class PythonRewriter:
    """Rewrites Python files with libcst; the contract is ``mutkit.rewriters.Rewriter``."""

    def rewrite(self, source: bytes, *, scope: str, find: str, replace: str) -> Rewriting:
        """Return the file with the only match of ``find`` inside ``scope`` rewritten; raise ``AnchorError``
        where that fails.
        """
        with _depth():
            pattern = parse(find, "pattern-syntax")
            loaded = load(source)
            inside = find_scope(loaded, scope)
            found = find_site(loaded, inside, pattern)
            mutant = settle(loaded, plan(loaded, inside, pattern, found, replace))
            span = found.span(loaded)
        site = Site(loaded.line_of(span.start), loaded.line_of(span.end), scope, loaded.slice(span))
        return Rewriting(mutant, site)

    def transform(self, source: bytes, *, scope: str, transformer: type) -> Rewriting:
        """Return the file with ``scope`` rewritten by a ``libcst.CSTTransformer``; raise ``AnchorError``
        where that fails.
        """
        with _depth():
            return transform(load(source), scope, transformer)

    def identity(self, source: bytes) -> bytes:
        """Return ``source`` decoded, parsed, printed and encoded again; raise ``AnchorError`` where that
        changed it.
        """
        with _depth():
            loaded = load(source)
        body = loaded.module.body
        span = Span(loaded.span(body[0]).start, loaded.span(body[-1]).end) if body else Span(0, 0)
        made = loaded.splice(span, loaded.slice(span))
        if made != source:
            raise AnchorError("source-syntax", "the file cannot be printed as it was read.")
        return made

    def canary(self, source: bytes, *, scope: str, site_line: int, token: str) -> bytes:
        """Return the file with the definition around ``site_line`` raising ``RuntimeError("mutkit canary
        {token}")``.
        """
        with _depth():
            return plant(load(source), scope, site_line, token)
