"""How mock children are started: by which interpreter, with what loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mutkit.hermetic import MockCommands, Script


@pytest.mark.parametrize("folder", ["plain", "with blank", 'it\'s $HOME "quoted"', "long" + "g" * 200])
def test_an_interpreter_at_any_path_is_found(tmp_path: Path, folder: str) -> None:
    """A first line takes no blanks and not every length: such go through a shell, arguments unharmed."""
    (tmp_path / folder).mkdir()
    python = tmp_path / folder / "python"
    python.symlink_to(sys.executable)
    mock = MockCommands(tmp_path / "mock", python=str(python))
    mock.add("codex", Script().write("ok"))
    done = subprocess.run(["codex", "a b", "", "$x"], env={"PATH": mock.path}, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"ok", b"")
    assert mock.calls("codex")[0].argv == ("a b", "", "$x")


def test_a_mock_starts_without_the_modules_that_cost_time(mock: MockCommands) -> None:
    """What a mock imports beside what a bare interpreter has is its own few modules, and nothing of the library."""
    mock.add("codex", Script().write("x\n"))
    program = Path(mock.path) / "codex"
    source = program.read_text()
    told = source.replace("main('", "import posix\nposix._exit = lambda code: print(*sys.modules)\nmain('")
    assert told != source
    program.write_text(told)
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, text=True, check=False)
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.splitlines()[1].split()) - set(bare.stdout.split())
    assert loaded == {
        "mutkit_mock",
        *(
            f"mutkit_mock.{name}"
            for name in ("main", "matching", "mock", "record", "secrets", "stdin", "streams", "words")
        ),
    }


def test_an_interpreter_without_byte_code_takes_the_sources(mock: MockCommands, tmp_path: Path) -> None:
    """After an upgrade behind the same path what was made for another version is left alone."""
    mock.add("codex", Script().write("ok", chunk=1, pace="exact"))
    bundle = Path(mock.path) / ".mutkit" / str(sys.implementation.cache_tag)
    bundle.unlink()
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"ok", b"")


def test_another_interpreter_makes_its_own_byte_code(tmp_path: Path) -> None:
    """It is asked once; where it cannot answer, mocks are made none the less."""
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    with MockCommands(tmp_path / "mock", python=str(other)) as mock:
        mock.add("codex", Script().write("ok"))
        assert (Path(mock.path) / ".mutkit" / str(sys.implementation.cache_tag)).exists()
        done = subprocess.run([f"{mock.path}/codex"], capture_output=True, check=False)
        assert done.stdout == b"ok"
    MockCommands(tmp_path / "other", python=str(tmp_path / "missing")).add("codex", Script())
