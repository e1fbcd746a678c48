"""Owns case ids as specs write them: found in the suite's files by reading, without running anything."""

from __future__ import annotations

import ast
import difflib
import functools
from pathlib import Path

from mutkit.errors import Problem
from mutkit.model.campaign import LoadedCampaign


class CaseFinder:
    """Looks up case ids of one campaign."""

    def __init__(self, campaign: LoadedCampaign) -> None:
        """Take the campaign whose suite is searched."""
        self._tree = campaign.tree
        self._roots = campaign.campaign.suite.cases

    def find(self, case: str) -> str | Problem:
        """Return the full id (``path/from/the/tree.py::name``) of ``case``, or the problem that there is none.

        The path may be relative to the tree or to a folder of the suite. Parameters (``[...]``) are not looked at:
        which
        there are is only known when the suite is collected, at the run.
        """
        path, separator, rest = case.partition("::")
        if not separator or not rest:
            advice = "Write file.py::test_name."
            return Problem("case-form", f"{case} is no case id", advice)
        files = self._files(path)
        if not files:
            message = f"{case}: there is no file {path} in the tree or in the suite's folders"
            return Problem("case-unknown", message, "Correct the path.")
        if len(files) > 1:
            advice = "Write the path from the tree."
            return Problem("case-ambiguous", f"{case}: {path} may be {' or '.join(files)}", advice)
        names = _names(self._tree / files[0])
        wanted = rest.split("[")[0].split("::")
        if names is None or _has(names, wanted):
            return f"{files[0]}::{rest}"
        near = difflib.get_close_matches("::".join(wanted), ["::".join(n) for n in names], 1, 0.5)
        advice = f"Did you mean {near[0]}?" if near else f"Name a case of {files[0]}."
        return Problem("case-unknown", f"{case}: {files[0]} has no {'::'.join(wanted)}", advice)

    def _files(self, path: str) -> list[str]:
        found = []
        for root in (".", *self._roots):
            base = self._tree / root
            candidate = (base if base.is_dir() else base.parent) / path
            if candidate.is_file() and candidate.resolve().is_relative_to(self._tree.resolve()):
                shown = candidate.relative_to(self._tree).as_posix()
                found += [shown] if shown not in found else []
        return found


def _has(names: frozenset[tuple[str, ...]], wanted: list[str]) -> bool:
    """Return whether a name is defined; what a class with bases may inherit is not ruled out."""
    name = tuple(wanted)
    return name in names or any((*name[:size], "*") in names for size in range(len(name)))


@functools.lru_cache(maxsize=256)
def _names(path: Path) -> frozenset[tuple[str, ...]] | None:
    """Return all dotted names that a test file binds, ``*`` where more may come in; None where it cannot be read."""
    try:
        module = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None  # the run says what is wrong with the file
    names: set[tuple[str, ...]] = set()
    _collect(module, (), names)
    return frozenset(names)


def _collect(node: ast.AST, outer: tuple[str, ...], names: set[tuple[str, ...]]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add((*outer, child.name))
        elif isinstance(child, ast.ClassDef):
            names.add((*outer, child.name))
            if any(not (isinstance(base, ast.Name) and base.id == "object") for base in child.bases):
                names.add((*outer, child.name, "*"))
            _collect(child, (*outer, child.name), names)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            names |= {(*outer, (alias.asname or alias.name).partition(".")[0]) for alias in child.names}
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            names.add((*outer, child.id))
        else:
            _collect(child, outer, names)
