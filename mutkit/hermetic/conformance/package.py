"""Owns getting the real program: its npm package, installed into a folder, or one that is there already."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.errors import HostError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

DEADLINE = 600.0
"""Seconds for npm: the packages are about 100 MB to fetch, and three times that unpacked."""

_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
_REAL_SIZE = 1_000_000
"""Bytes: the launcher in Node has a few thousand, the program itself hundreds of millions."""


def binary_of(given: str, folder: Path) -> Path:
    """Return the native program of a package: of a folder that has it, or of what npm knows (``@openai/codex@0.171.0``)
    and installs into ``folder``.

    HostError (slug ``profile-package``) where there is no npm, or it fails; UsageError (the same slug) for a folder
    without the program.
    """
    if not Path(given).is_dir():
        install(given, folder)
        given = str(folder)
    found = sorted(_natives(Path(given)))
    if not found:
        where = f"{given} has no program of the codex package for this machine ({platform.machine()}, {os.name})"
        raise UsageError(f"{where}. Name a folder that `npm install` filled.", slug="profile-package")
    return found[0]


def install(spec: str, folder: Path) -> None:
    """Install a package without running anything of it."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise HostError(
            "there is no npm (with node) on PATH, so the real package cannot be had. Install it, or name a folder with "
            "--package.",
            slug="profile-package",
        )
    words = [
        "npm",
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--no-save",
        spec,
    ]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=DEADLINE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"npm could not install {spec}: {error}", slug="profile-package") from error
    if done.returncode:
        told = " / ".join(line for line in done.stderr.splitlines() if line.strip())[-500:]
        raise HostError(f"npm could not install {spec}: {told}", slug="profile-package")


def _natives(folder: Path) -> Iterator[Path]:
    machine = _MACHINES.get(platform.machine().lower(), platform.machine())
    for path in folder.rglob("codex"):
        is_ours = any(part.startswith(f"{machine}-unknown-linux") for part in path.parts)
        if is_ours and path.is_file() and path.stat().st_size > _REAL_SIZE:
            yield path
