"""How a mock script is read from TOML: strictly, with every fault at once."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from mutkit.errors import SpecError
from mutkit.hermetic import MockCommands, Script

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, text: str) -> Script:
    """Return the script in a file that holds ``text``."""
    (tmp_path / "s.toml").write_text(text)
    return Script.from_toml(tmp_path / "s.toml")


def test_repeated_text_is_put_into_json(tmp_path: Path) -> None:
    """``fill`` makes 5 MiB inside of a line, at several places, escaped as JSON."""
    text = """
        [[step]]
        json = { a = ["", { "b/c" = "" }], z = 1 }
        fill = { "/a/1/b~1c" = { text = "\\"é", times = 3 }, "/a/0" = { text = "x", times = 2000000 } }
        """
    mock = MockCommands(tmp_path / "mock")
    mock.add("codex", read(tmp_path, text))
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=True)
    expected = '{"a":["' + "x" * 2_000_000 + '",{"b/c":"' + '\\"é' * 3 + '"}],"z":1}\n'
    assert done.stdout == expected.encode()


def test_a_file_step_is_relative_to_the_script(tmp_path: Path) -> None:
    """The script may be installed from anywhere; the bytes are those beside it."""
    (tmp_path / "answer.bin").write_bytes(b"\xff\x00")
    mock = MockCommands(tmp_path / "mock")
    mock.add("codex", read(tmp_path, '[[call]]\n[[call.step]]\nfile = "answer.bin"\n'))
    assert subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=True).stdout == b"\xff\x00"


def test_a_script_that_is_not_there_is_said(tmp_path: Path) -> None:
    """With the path and what the system says."""
    with pytest.raises(SpecError, match=r"gone\.toml: cannot be read: No such file"):
        Script.from_toml(tmp_path / "gone.toml")


def test_bytes_that_are_no_text_can_be_expected_as_python_shows_them(tmp_path: Path) -> None:
    """In words, variables and standard input: what a recording shows can be put into a script."""
    shown = os.fsdecode(b"\xff") + "é"
    mock = MockCommands(tmp_path / "mock")
    mock.add("codex", Script().expecting(shown).on_env("A", shown).on_stdin(shown).write("fits"))
    env = {"PATH": mock.path, "A": shown}
    done = subprocess.run(["codex", shown], env=env, input=b"\xff\xc3\xa9", capture_output=True, check=True)
    assert done.stdout == b"fits"
    assert mock.calls("codex").one().argv == (shown,)
