"""Owns the way from paths to scripts of mock children, and the check of all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutkit.errors import Problem

_CAMPAIGN = "campaign.toml"
_NO_SCRIPTS = frozenset({"pyproject.toml"})


def script_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files that the paths name, each once: files, and of folders all that may be scripts.

    In a folder these are the .toml files, but not those beside campaign.toml (they are specs) and none in hidden
    folders. UsageError (slug ``path-missing``) for what is not there.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(_below(path)))
        elif path.exists():
            found[path] = None
        else:
            raise UsageError(f"{path}: there is no such file or folder", slug="path-missing")
    return list(found)


def _below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in ("__pycache__", "node_modules")
        )
        if _CAMPAIGN not in files:
            found += [
                Path(place) / name for name in sorted(files) if name.endswith(".toml") and name not in _NO_SCRIPTS
            ]
    return found


def check_scripts(files: Iterable[Path]) -> tuple[Problem, ...]:
    """Return every fault of every script."""
    from mutkit.hermetic.scripts import check

    return tuple(problem for file in files for problem in check(file))
