"""Owns a mutant as it is made: the bytes before and after, and the one place that differs."""

from __future__ import annotations

from dataclasses import dataclass

from mutkit.model.site import Site

CANARY_SUFFIX = ".mutkit-canary"
"""What an executed canary adds to the path of its source file, for the path of an empty file beside it: the proof that
this very copy was executed, in whichever process."""


@dataclass(frozen=True)
class Mutant:
    """One rewritten file: its bytes as they stand in the tree, the mutant's bytes, and the site of the rewrite."""

    source: bytes
    content: bytes
    site: Site
    canary: bytes
    """The file with a statement that raises in the anchor's scope: the proof that the cases run this file."""

    null: bytes
    """The file sent through the whole machinery without a change."""
