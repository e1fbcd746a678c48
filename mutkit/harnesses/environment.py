"""Owns the environment that a suite runs in: what is inherited, what is taken away, what is set."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mutkit.model.campaign import Suite
    from mutkit.stage import Stage

TAKEN_AWAY = ("PYTEST_", "PYTHON", "MUTKIT_", "COV_CORE_", "COVERAGE_", "XDG_", "__PYVENV_LAUNCHER__")
"""Beginnings of the names that are not inherited: they change what runs, or point to folders of the user."""


def suite_environment(suite: Suite, stage: Stage, inherited: Mapping[str, str], observations: Path) -> dict[str, str]:
    """Return the variables for one run, and make the folders in ``stage.scratch`` that they name.

    Inherited is all but ``TAKEN_AWAY``. HOME, TMPDIR, hypothesis' examples and coverage data are in the
    scratch folder; byte-code goes beside its source, where the workspace removes it between variants (an
    empty PYTHONPYCACHEPREFIX would double the time of each run: all packages would be compiled again);
    packages of the user's own site folder stay importable; PYTHONHASHSEED is 0. ``suite.env`` comes
    last and wins, but PYTHONPATH always begins with ``stage.python_path``; the inherited one is not used.
    """
    variables = {name: value for name, value in inherited.items() if not name.startswith(TAKEN_AWAY)}
    home = inherited.get("HOME", "")
    folders = {name: stage.scratch / name for name in ("home", "tmp", "hypothesis")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    if "PYTHONUSERBASE" in inherited or home:
        variables["PYTHONUSERBASE"] = inherited.get("PYTHONUSERBASE") or os.path.join(home, ".local")
    variables |= {
        "HOME": str(folders["home"]),
        "TMPDIR": str(folders["tmp"]),
        "PYTHONHASHSEED": "0",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folders["hypothesis"]),
        "COVERAGE_FILE": str(stage.scratch / "coverage"),
        "MUTKIT_OBSERVATIONS": str(observations),
        # One number for each of the workspaces that are in use at a time: for ports and the like.
        "MUTKIT_WORKER": str(stage.worker),
    }
    variables |= suite.env
    path = [*stage.python_path, *filter(None, [suite.env.get("PYTHONPATH")])]
    if path:
        variables["PYTHONPATH"] = os.pathsep.join(path)
    return variables
