"""How a mock script is read from TOML: strictly, with every fault at once."""

from __future__ import annotations

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


def faults(tmp_path: Path, text: str) -> dict[str, str]:
    """Return the messages of all faults by key."""
    with pytest.raises(SpecError) as caught:
        read(tmp_path, text)
    assert {problem.slug for problem in caught.value.problems} == {"mock-script"}
    assert {problem.file for problem in caught.value.problems} == {str(tmp_path / "s.toml")}
    return {problem.key: problem.message for problem in caught.value.problems}


def test_a_file_and_a_builder_give_the_same_script(tmp_path: Path) -> None:
    """What the documentation shows is what the builder makes."""
    script = read(
        tmp_path,
        """
        argv = ["exec", "**"]
        signals = { TERM = "ignore", INT = 1 }
        record_env = ["HOME"]
        [[step]]
        json = { type = "x" }
        newline = "codex"
        [[step]]
        text = "ab"
        cut_at = [1]
        pace = "exact"
        [[step]]
        read_stdin = "end"
        [end]
        exit = 3
        """,
    )
    built = (
        Script()
        .expecting("exec", "**")
        .on_signal("TERM", "ignore")
        .on_signal("INT", 1)
        .recording("HOME")
        .json({"type": "x"}, newline="codex")
        .write("ab", cut_at=(1,), pace="exact")
        .read_stdin()
        .exit(3)
    )
    assert script == built


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


def test_unknown_keys_and_wrong_types_are_all_told_at_once(tmp_path: Path) -> None:
    """Each with the key at which it stands; text is not taken for a number."""
    found = faults(
        tmp_path,
        """
        exit = 3
        [[step]]
        text = "a"
        chunk = "1"
        [[step]]
        txt = "b"
        [end]
        exit = 1.5
        """,
    )
    assert set(found) == {"exit", "step[0].chunk", "step[1].txt", "end.exit"}
    assert found["exit"] == "is not a key"


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ('[[step]]\ntext = "a"\nread_stdin = "end"', "step[0]", "exactly one"),
        ("[[step]]\n", "step[0]", "exactly one"),
        ('[[step]]\ntext = "abc"\nchunk = 1\ncut_at = [1]', "step[0].cut_at", "beside"),
        ('[[step]]\ntext = "abc"\ncut_at = [2, 1]', "step[0].cut_at", "rise"),
        ('[[step]]\ntext = "abc"\ncut_at = [4]', "step[0].cut_at", "3 bytes"),
        ('[[step]]\ntext = "abc"\nchunk = -1', "step[0].chunk", "less than 0"),
        ('[[step]]\nbase64 = "?"', "step[0].base64", "is not base64"),
        ('[[step]]\nfile = "gone"', "step[0].file", "No such file"),
        ('[[step]]\ntext = "a"\nappend = true', "step[0].append", "files"),
        ('[[step]]\ntext = "a"\nfill = { "/a" = { text = "b", times = 1 } }', "step[0].fill", "json"),
        ('[[step]]\njson = {}\nfill = { "/a/b" = { text = "b", times = 1 } }', "step[0].fill./a/b", "'a'"),
        ("[end]\nexit = 256", "end.exit", "255"),
        ('[end]\nsignal = "NOPE"', "end.signal", "NOPE"),
        ("[end]\nexit = 1\nhang = true", "end", "more than one"),
        ('argv = ["x"]\n[[call]]\n', "argv", "beside"),
        ('[[call]]\n[[call.step]]\nbase64 = "?"', "call[0].step[0].base64", "is not base64"),
        ("note = 2020-01-01", "note", "is a date"),
        ("[[step]", "", "not TOML"),
    ],
)
def test_what_does_not_go_together_is_refused_with_its_key(tmp_path: Path, text: str, key: str, message: str) -> None:
    """Each rule of the format that types cannot say."""
    assert message in faults(tmp_path, text)[key]


def test_a_script_that_is_not_there_is_said(tmp_path: Path) -> None:
    """With the path and what the system says."""
    with pytest.raises(SpecError, match=r"gone\.toml: cannot be read: No such file"):
        Script.from_toml(tmp_path / "gone.toml")
