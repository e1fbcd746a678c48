"""Owns the tests of `mutkit doctor` at the process boundary: what it says, and its exit codes."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.projects import write_project

ROOT = Path(__file__).parents[2]
MUTKIT = [sys.executable, "-m", "mutkit"]


def _mutkit(
    *words: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    around: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """Run the command line; ``around`` are words before the command."""
    return subprocess.run(
        [*around, *MUTKIT, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


NO_FILE_MAY_BE_WRITTEN = ("/bin/sh", "-c", 'ulimit -f 0 && exec "$@"', "sh")
"""What makes every write to a file fail, also for root."""


def _rows(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found = json.loads(done.stdout)
    assert found["schema"] == "mutkit-doctor/1"
    assert found["exit"]["code"] == done.returncode
    return {row["name"]: row for row in found["checks"]}


def test_a_machine_that_can_make_runs_gives_0_and_every_check_has_a_row_in_the_document() -> None:
    """The JSON has all rows, required ones are not "no", and docs/doctor.md knows each by its name."""
    done = _mutkit("doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = _rows(done)
    assert [name for name, row in rows.items() if row["required"] and row["result"] == "no"] == []
    text = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")
    assert [name for name in rows if f"| `{name}` " not in text] == []
    keys = {*json.loads(done.stdout), *next(iter(rows.values()))} | {
        key for row in rows.values() for key in row["measured"]
    }
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []


def test_without_a_place_to_write_no_run_can_be_made_and_all_commands_say_so(tmp_path: Path) -> None:
    """Exit 71 of the doctor, of a run and of a mock, not a bug and never a verdict."""
    done = _mutkit("doctor", "--json", around=NO_FILE_MAY_BE_WRITTEN)
    assert done.returncode == 71, done.stdout + done.stderr
    assert _rows(done)["temporary-folder"]["result"] == "no"
    project = write_project(tmp_path)
    (tmp_path / "mock.toml").write_text('[[step]]\ntext = "hi"\n')
    for words in (("run", "specs"), ("mock", "run", "mock.toml")):
        done = _mutkit(*words, cwd=project, around=NO_FILE_MAY_BE_WRITTEN)
        assert done.returncode == 71, done.stdout + done.stderr
        assert "[temporary-folder]" in done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr


def test_a_bug_whose_log_cannot_be_written_is_still_70_with_its_traceback(tmp_path: Path) -> None:
    """The traceback goes to standard error then; exit 1 would read as a finding."""
    (tmp_path / "sitecustomize.py").write_text(
        "import mutkit.load\ndef broken(*a, **k):\n    raise RuntimeError('unforeseen')\nmutkit.load.load = broken\n"
    )
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    done = _mutkit("lint", "specs", env={"PYTHONPATH": paths}, around=NO_FILE_MAY_BE_WRITTEN)
    assert done.returncode == 70, done.stderr
    assert "this is a bug of mutkit: RuntimeError: unforeseen" in done.stderr
    assert "in broken" in done.stderr


def test_a_temporary_folder_where_programs_may_not_run_gives_71_and_says_why(tmp_path: Path) -> None:
    """A noexec mount: written to, but no mock can start there."""
    around = ("unshare", "-rm", "/bin/sh", "-c", 'mount -t tmpfs -o noexec tmpfs "$TMPDIR" && exec "$@"', "sh")
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    try_it = subprocess.run(
        [*around, "true"], env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, check=False
    )
    if try_it.returncode != 0:
        pytest.skip("no mount namespace here")
    done = _mutkit("doctor", "--json", env={"TMPDIR": str(tmp_path)}, around=around)
    assert done.returncode == 71, done.stdout + done.stderr
    rows = _rows(done)
    assert rows["temporary-folder"]["result"] == "yes"
    assert {name for name, row in rows.items() if row["required"] and row["result"] == "no"} == {
        "temporary-programs",
        "mock-child",
    }
    assert "noexec" in rows["temporary-programs"]["detail"]
    assert "exit 71" in rows["temporary-programs"]["follows"]


def test_what_is_not_there_limits_runs_but_does_not_hinder_them(tmp_path: Path) -> None:
    """No such TMPDIR, no Node and no git on PATH, namespaces turned off, few descriptors: exit 0, and each is said."""
    env = {"TMPDIR": str(tmp_path / "none"), "PATH": str(tmp_path), "MUTKIT_NAMESPACES": "off"}
    done = _mutkit("doctor", env=env, around=("/bin/sh", "-c", 'ulimit -n 120 && exec "$@"', "sh"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\x1b" not in done.stdout
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line and not line.startswith(" ")}
    assert "with limits" in lines["temporary-folder"]
    assert str(tmp_path / "none") in lines["temporary-folder"]
    assert lines["node"].split() == ["node", "no", "not", "on", "PATH"]
    assert lines["git"].split() == ["git", "no", "not", "on", "PATH"]
    assert "MUTKIT_NAMESPACES=off" in lines["network-namespace"]
    assert "open network, and the report says so" in done.stdout
    assert "with limits" in lines["open-files"]
    assert done.stdout.splitlines()[-1].startswith("runs can be made here; not all that is possible: temporary-folder")


def test_on_a_terminal_the_table_fits_its_width() -> None:
    """80 columns are enough, whatever the paths; in CI there is no escape code."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "TERM": "xterm", "MUTKIT_NAMESPACES": "off"}
    env.pop("CI", None)
    env.pop("NO_COLOR", None)
    with subprocess.Popen([*MUTKIT, "doctor"], cwd=ROOT, env=env, stdout=theirs, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        read = b""
        try:
            while piece := os.read(ours, 65536):
                read += piece
        except OSError:  # the terminal's other end is closed
            pass
        os.close(ours)
    assert process.returncode == 0
    text = read.decode().replace("\r\n", "\n")
    assert "\x1b[33mnetwork-namespace" in text
    plain = text.replace("\x1b[33m", "").replace("\x1b[32m", "").replace("\x1b[0m", "")
    assert "\x1b" not in plain
    assert max(len(line) for line in plain.splitlines()) <= 80
