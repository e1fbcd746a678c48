"""Owns the tests of the wheel: it holds what users need, and works where it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.projects import write_project

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of this tree, built without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("mutkit-*.whl")
    return built


def test_the_wheel_holds_every_module_the_typing_mark_and_the_licence(wheel: Path) -> None:
    """What is in the package's folder is in the wheel, and nothing of the repository beside it."""
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "mutkit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources - names == set()
    assert "mutkit/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    ready_made = {f"mutkit/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "mocks").rglob("*.*")}
    assert "mutkit/mocks/codex/0.171.toml" in names
    assert {name for name in ready_made if "__pycache__" not in name} - names == set()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"mutkit"}


def test_an_installed_wheel_runs_a_campaign(wheel: Path, tmp_path: Path) -> None:
    """Away from the repository the installed package proves a spec, with its plugin and supervisor scripts."""
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    folder = write_project(tmp_path / "project")
    env = {**os.environ, "PYTHONPATH": str(site)}
    code = "import mutkit, sys; assert mutkit.__file__.startswith(sys.argv[1]), mutkit.__file__"
    subprocess.run([sys.executable, "-c", code, str(site)], env=env, cwd=folder, check=True)
    listed = subprocess.run(
        [sys.executable, "-m", "mutkit", "mock", "profiles"],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(site / "mutkit" / "mocks" / "codex" / "0.171.toml") in listed.stdout
    done = subprocess.run(
        [sys.executable, "-m", "mutkit", "run", "specs"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
