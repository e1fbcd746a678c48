"""What a program finds around it in a sandbox: fresh folders, a fixed environment, the commands that were put there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from mutkit.errors import UsageError
from mutkit.hermetic import Network, Sandbox, Script
from mutkit.hermetic.sandbox.folders import FIXED, FOLDERS
from mutkit.model.ending import Exited, NotStarted

PYTHON = [sys.executable, "-I", "-S", "-c"]


def box(folder: Path, **more: object) -> Sandbox:
    """Return a sandbox in the network of this machine, which needs no process of its own."""
    return Sandbox(folder, network=Network(closed=False), **more)  # type: ignore[arg-type]


def put_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Make real programs, each of which says its name, on the PATH of this process."""
    for name in names:
        program = tmp_path / "outside" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho the real {name}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'outside'}{os.pathsep}{os.environ['PATH']}")


def test_a_program_has_the_fixed_variables_and_of_the_inherited_those_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept does not replace what is fixed; what the test gives does."""
    for name in ("KEPT", "SECRET", "HOME", "TZ"):
        monkeypatch.setenv(name, f"of whoever runs it: {name}")
    monkeypatch.delenv("NOT_THERE", raising=False)
    keep, env = ("KEPT", "HOME", "TZ", "NOT_THERE"), {"LANG": "C", "MINE": "1"}
    with box(tmp_path / "box", keep=keep, env=env, worker=3) as sandbox:
        result = sandbox.run([*PYTHON, "import json, os; print(json.dumps(dict(os.environ)))"])
    folders = {name: str(tmp_path / "box" / place) for name, place in FOLDERS.items()}
    more = {"PATH": sandbox.path, "MUTKIT_WORKER": "3", "KEPT": "of whoever runs it: KEPT"}
    assert json.loads(result.stdout.head) == FIXED | folders | more | env


def test_the_folders_are_there_empty_and_below_that_of_the_sandbox(tmp_path: Path) -> None:
    """Nothing of the user's can be found or changed, and nothing of another sandbox."""
    before = os.umask(0)
    try:
        one, two = box(tmp_path / "one"), box(tmp_path / "two")
    finally:
        os.umask(before)
    for name in FOLDERS:
        mine = Path(one.env[name])
        assert mine.is_relative_to(tmp_path / "one"), name
        assert [path for path in mine.rglob("*") if not path.is_dir()] == [], name
        (mine / "mine").touch()
        assert not (Path(two.env[name]) / "mine").exists()
    assert Path(one.env["XDG_RUNTIME_DIR"]).stat().st_mode & 0o777 == 0o700  # as the standard demands
    assert (one.home, one.tmp) == (Path(one.env["HOME"]), Path(one.env["TMPDIR"]))


def test_a_relative_folder_does_not_depend_on_where_programs_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All variables are absolute."""
    monkeypatch.chdir(tmp_path)
    sandbox = box(Path("box"))
    assert all(sandbox.env[name].startswith(str(tmp_path)) for name in ("PATH", *FOLDERS))


@pytest.mark.parametrize("where", ["left out", "of the sandbox", "of the call"])
def test_programs_run_where_the_test_says(tmp_path: Path, where: str) -> None:
    """In an empty folder of the sandbox, if it says nothing."""
    given = tmp_path / "given"
    given.mkdir()
    with box(tmp_path / "box", cwd=given if where == "of the sandbox" else None) as sandbox:
        code = "import os; print(os.getcwd(), os.listdir())"
        result = sandbox.run([*PYTHON, code], cwd=given if where == "of the call" else None)
    expected = tmp_path / "box" / "work" if where == "left out" else given
    assert result.stdout.text == f"{expected} []\n"


def test_a_command_without_a_mock_is_not_found_though_the_real_one_is_on_the_path_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the test itself nor by a program that it runs: a forgotten mock may not start the real one."""
    put_outside(tmp_path, monkeypatch, "codex")
    calls = "import subprocess\ntry: subprocess.run(['codex'])\nexcept FileNotFoundError: print('not found')"
    with box(tmp_path / "box") as sandbox:
        assert isinstance(sandbox.run(["codex"]).ending, NotStarted)
        assert sandbox.run([*PYTHON, calls]).stdout.text == "not found\n"
        sandbox.mock("codex", Script().write("the mock\n"))
        assert sandbox.run([*PYTHON, calls]).stdout.text == "the mock\n"
        sandbox.calls("codex").assert_argv([[]])


def test_only_the_named_ones_of_the_real_programs_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one beside it, nor any of the machine's."""
    put_outside(tmp_path, monkeypatch, "named", "beside")
    with box(tmp_path / "box", tools=["named"]) as sandbox:
        assert sandbox.run(["named"]).stdout.text == "the real named\n"
        assert [type(sandbox.run([name]).ending) for name in ("named", "beside", "sh")] == [
            Exited,
            NotStarted,
            NotStarted,
        ]


def test_a_tool_that_is_missing_is_said_when_the_sandbox_is_made(tmp_path: Path) -> None:
    """Before anything runs."""
    with pytest.raises(UsageError, match="no-such-tool") as caught:
        box(tmp_path / "box", tools=["no-such-tool"])
    assert caught.value.slug == "tool-missing"
