"""Owns where the ready-made profiles are: `mocks/` of the repository, or the copy of it in the installed package."""

from __future__ import annotations

import difflib
from pathlib import Path

from mutkit.errors import UsageError

_PACKAGE = Path(__file__).parents[3]
_PLACES = (_PACKAGE / "mocks", _PACKAGE.parent / "mocks")
"""In a wheel the profiles are within the package; in a checkout, also an editable one, they are beside it."""


def names() -> list[str]:
    """Return the names of all profiles (``codex/0.171``), those of a program by their version's numbers."""
    place = folder()
    found = [path.relative_to(place).with_suffix("").as_posix() for path in place.glob("*/*.toml")]
    return sorted(found, key=_by_number)


def file_of(name: str) -> Path:
    """Return the script of a profile; UsageError (slug ``profile-unknown``) where there is none of this name."""
    known = names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
        hint = f" The nearest is {near[0]!r}." if near else ""
        raise UsageError(
            f"there is no profile {name!r}.{hint} `mutkit mock profiles` lists them.", slug="profile-unknown"
        )
    return folder() / f"{name}.toml"


def folder() -> Path:
    """Return the folder of the profiles."""
    return next((place for place in _PLACES if (place / "codex" / "codex.py").is_file()), _PLACES[0])


def _by_number(name: str) -> tuple[str, list[int]]:
    program, _, version = name.partition("/")
    return program, [int(part) for part in version.split(".") if part.isdigit()]
