"""Owns the place that an anchor named in a source file, and the rewriting of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Site:
    """The one place that was rewritten.

    ``first_line`` and ``last_line`` count from 1, both inclusive, in the file as it was; ``scope`` is the dotted
    scope that was searched (empty: the whole module); ``code`` the source text that matched, without comments beside
    it.
    """

    first_line: int
    last_line: int
    scope: str
    code: str


@dataclass(frozen=True)
class Rewriting:
    """What a rewriter made: the whole file as ``mutant`` bytes, and the ``site``.

    All bytes outside of it are as they were.
    """

    mutant: bytes
    site: Site
