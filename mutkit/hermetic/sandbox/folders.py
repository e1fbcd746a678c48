"""Owns the folders and the environment of a sandbox: made from nothing, the same wherever it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FOLDERS = {
    "HOME": "home",
    "TMPDIR": "tmp",
    "XDG_CACHE_HOME": "home/.cache",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_STATE_HOME": "home/.local/state",
    "XDG_RUNTIME_DIR": "run",
    "CODEX_HOME": "home/.codex",
}
"""Variables that name a folder, and where it is in the sandbox's own."""

FIXED = {
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
}
"""Variables that are the same everywhere."""


def make_environment(folder: Path, keep: Iterable[str], inherited: Mapping[str, str]) -> dict[str, str]:
    """Make the folders below ``folder`` and return the variables: those in ``keep`` that ``inherited`` has, and ours.

    Ours win: to change one of them is a decision of the test, not of whoever runs it.
    """
    env = {name: inherited[name] for name in keep if name in inherited} | FIXED
    for name, place in FOLDERS.items():
        (folder / place).mkdir(parents=True, exist_ok=True)
        env[name] = str(folder / place)
    (folder / FOLDERS["XDG_RUNTIME_DIR"]).chmod(0o700)
    return env
