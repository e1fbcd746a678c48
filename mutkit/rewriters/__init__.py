"""Owns the choice of a rewriter by a file's name, and what every rewriter can do."""

from __future__ import annotations

import importlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol, cast

from mutkit.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.model.site import Rewriting


class Rewriter(Protocol):
    """Finds an anchor in a source file and rewrites it; every byte outside of the site stays as it is.

    All methods raise ``AnchorError``: its slug says whether the source moved away from under the spec, the
    spec is unusable, or the result is no program.
    """

    def rewrite(self, source: bytes, *, scope: str, find: str, replace: str) -> Rewriting:
        """Return the file with the only match of ``find`` inside the dotted ``scope`` rewritten to
        ``replace``.
        """

    def transform(self, source: bytes, *, scope: str, transformer: type) -> Rewriting:
        """Return the file with ``scope`` rewritten by a ``libcst.CSTTransformer``, which must change one
        place only.
        """

    def identity(self, source: bytes) -> bytes:
        """Return ``source`` after it went through the whole machinery, which must have changed nothing."""

    def canary(self, source: bytes, *, scope: str, site_line: int, token: str) -> bytes:
        """Return the file with the definition around 1-based ``site_line`` raising ``mutkit canary {token}``
        when it runs.
        """


REWRITERS = {
    ".py": "mutkit.rewriters.python.rewriter:PythonRewriter",
    ".pyi": "mutkit.rewriters.python.rewriter:PythonRewriter",
    ".pyw": "mutkit.rewriters.python.rewriter:PythonRewriter",
}
"""File suffix to ``module:class``. A name and not the class: the libraries behind them are slow to import."""


def rewriter_for(path: str) -> Rewriter:
    """Return the rewriter for a file named ``path`` (with ``/``), by its suffix.

    Raises ``UsageError`` (``language-unknown``) for a suffix that no rewriter knows.
    """
    suffix = PurePosixPath(path).suffix
    if suffix not in REWRITERS:
        known = ", ".join(sorted(REWRITERS))
        raise UsageError(
            f"{path}: no rewriter knows files that end in {suffix or 'no suffix'!r}; known are {known}.",
            slug="language-unknown",
        )
    module, _, name = REWRITERS[suffix].partition(":")
    return cast("Rewriter", getattr(importlib.import_module(module), name)())


def load_transformer(path: Path, class_name: str) -> type:
    """Return the class that ``rewrite = "file.py:Class"`` names, executing the file at ``path``.

    Raises ``AnchorError`` (``rewrite-invalid``) where the file cannot be run, or the class is not a
    ``libcst.CSTTransformer`` that can be made without arguments.
    """
    from mutkit.rewriters.python.transformer import load

    return load(path, class_name)
