"""Owns the proof that the bridge's two first drafts, which a plain runner counts as caught, are told from kills."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mutkit.load import load

TREE = Path(__file__).resolve().parents[2]
COPIED = ("examples", "mutkit", "specs", "pyproject.toml")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the report on the first drafts; of several test workers one makes it, for all."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    made = folder / "first-drafts.json"
    with (folder / "first-drafts.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.is_file():
            made.write_text(_run_first_drafts(tmp_path_factory.mktemp("drafts")), "utf-8")
    content: dict[str, Any] = json.loads(made.read_text("utf-8"))
    return content


def _run_first_drafts(folder: Path) -> str:
    """Return the report, from a run in a copy so that nobody else changes the tree during the run."""
    tree = folder / "tree"
    tree.mkdir()
    for name in COPIED:
        if (TREE / name).is_dir():
            shutil.copytree(TREE / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(TREE / name, tree / name)
    done = subprocess.run(
        [sys.executable, "-m", "mutkit", "run", "specs/bridge-first-drafts", "--json", "report.json"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return (tree / "report.json").read_text("utf-8")


def test_a_run_of_the_first_drafts_is_no_success(report: dict[str, Any]) -> None:
    """Both specs are judged, none as killed, and the exit code says so."""
    assert report["counts"]["selected"] == report["counts"]["wrong-reason"] == 2
    assert report["exit"]["code"] == 1


@pytest.mark.parametrize(
    ("spec", "modelled", "really"),
    [
        ("accept-exit-0-without-message", 'returns "Completed"', "AttributeError"),
        ("skip-empty-text", 'returns "draft"', "may not be the final one"),
    ],
)
def test_a_first_draft_is_killed_for_the_wrong_reason(
    report: dict[str, Any], spec: str, modelled: str, really: str
) -> None:
    """Every named case of a first draft fails, and the verdict is *wrong-reason*, with what was really seen."""
    (judgement,) = (one for one in report["judgements"] if one["id"] == spec)
    assert (judgement["verdict"], judgement["blame"]) == ("wrong-reason", "spec"), judgement["reasons"]
    assert modelled in judgement["modelled"]["text"]
    assert really in judgement["observed"]["mutant"]["text"]


def test_the_eleven_mutations_came_in_three_steps() -> None:
    """Six with round one, four after the first review, one after the second; each says so in its origin."""
    specs = load([str(TREE / "specs/bridge")]).specs
    steps = [loaded.spec.origin.partition(";")[0] for loaded in specs]
    assert [steps.count(step) for step in ("step v1", "step v2", "step v3")] == [6, 4, 1]
