"""Owns the tests of a suite's environment: what is taken away, what is fresh, what is another one for each worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutkit.harnesses.environment import suite_environment
from mutkit.model.campaign import Suite
from mutkit.stage import Stage

SUITE = Suite(("tests",), env={"MINE": "1"})


def _environment(folder: Path, worker: str, inherited: dict[str, str] | None = None) -> dict[str, str]:
    stage = Stage(folder / worker, folder / "scratch", "/usr/bin/python", folder, 1.0, (f"/{worker}/src",))
    return suite_environment(SUITE, stage, inherited or {}, folder / "observations")


def test_two_workers_have_different_names(tmp_path: Path) -> None:
    """A suite that opens a port can derive it from MUTKIT_WORKER: workers that share ports give false failures."""
    names = ("workspace-worker-1", "workspace-worker-12", "workspace")
    assert [_environment(tmp_path, name)["MUTKIT_WORKER"] for name in names] == ["1", "12", "0"]


@pytest.mark.parametrize(
    "name",
    ["PYTEST_ADDOPTS", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE", "MUTKIT_X", "XDG_CACHE_HOME"],
)
def test_what_changes_the_run_or_points_to_the_user_is_not_inherited(tmp_path: Path, name: str) -> None:
    """The run of a variant depends on the variant alone."""
    assert _environment(tmp_path, "w", {name: "from outside"}).get(name) != "from outside"


def test_the_rest_is_inherited_and_the_campaigns_own_variables_win(tmp_path: Path) -> None:
    """A suite may need what its user has set; ``[suite] env`` is added last."""
    found = _environment(tmp_path, "w", {"CARGO_HOME": "/x", "MINE": "0"})
    assert (found["CARGO_HOME"], found["MINE"], found["PYTHONPATH"]) == ("/x", "1", "/w/src")


def test_home_and_temporary_folder_are_fresh(tmp_path: Path) -> None:
    """Nothing that a case writes at home survives its run."""
    found = _environment(tmp_path, "w", {"HOME": "/home/ada", "TMPDIR": "/var/tmp"})
    for name in ("HOME", "TMPDIR"):
        assert Path(found[name]).is_relative_to(tmp_path / "scratch")
        assert Path(found[name]).is_dir()
