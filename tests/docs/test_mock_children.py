"""Owns the tests that docs/mock-children.md is true: scripts are read, Python is run, tables are complete."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from mutkit.hermetic import MockCommands, Script
from mutkit.hermetic.scripts import check
from mutkit.hermetic.scripts.generators import KINDS
from mutkit.model.mock import (
    Answer,
    ChunkMode,
    End,
    Expect,
    Generate,
    Grandchild,
    MockScript,
    Newline,
    Repeat,
    SignalName,
    Step,
    WaitFor,
)

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/mock-children.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
EXAMPLE, PROGRAM = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def _file(folder: Path, text: str, name: str = "script.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_each_script_on_the_page_is_sound(tmp_path: Path, script: str) -> None:
    """A reader who copies it has no fault in it."""
    assert check(_file(tmp_path, script)) == []


def test_the_python_on_the_page_runs(tmp_path: Path) -> None:
    """The names that it leaves to the reader are given: a folder, and a program that calls codex."""
    _file(tmp_path, "[end]\nexit = 0\n", "silent.toml")
    seen: list[subprocess.CompletedProcess[bytes]] = []

    def run_the_program(env: Mapping[str, str]) -> None:
        command = [f"{env['PATH']}/codex", "exec", "--json", "hi"]
        seen.append(subprocess.run(command, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, check=False))

    names: dict[str, Any] = {"tmp_path": tmp_path, "run_the_program": run_the_program}
    exec(compile(EXAMPLE, "docs/mock-children.md", "exec"), names)
    assert seen[0].stdout == b'{"type":"turn.started"}\nhalf a li'
    assert names["call"].code == 3


def _mock(folder: Path, script: Path, stdin: bytes, *words: str) -> list[subprocess.CompletedProcess[bytes]]:
    """Return two calls of a mock with the same words."""
    mock = MockCommands(folder / "mock", check=False)
    mock.add("codex", script)
    command = ["codex", *words]
    return [
        subprocess.run(command, env={"PATH": mock.path}, input=stdin, capture_output=True, check=False)
        for _ in range(2)
    ]


def test_the_answers_on_the_page_do_what_it_says(tmp_path: Path) -> None:
    """The first call fails, the second goes on with the right answer."""
    first, second = _mock(tmp_path, _file(tmp_path, SCRIPTS[1]), b"tok-1\n", "login")
    assert (first.returncode, first.stdout) == (1, b"")
    assert (second.returncode, second.stdout) == (0, b"Token: Welcome\n")


def test_the_program_on_the_page_answers(tmp_path: Path) -> None:
    """With its options, the words and the number of the call."""
    _file(tmp_path, PROGRAM, "answers.py")
    script = _file(tmp_path, 'program = "answers.py:answer"\noptions = { greeting = "Hello" }\n')
    first, second = _mock(tmp_path, script, b"Ada", "a", "--fail")
    assert (first.returncode, first.stderr) == (3, b"it failed\n")
    assert (first.stdout, second.stdout) == (b"Hello Ada, call 1: a --fail\n", b"Hello Ada, call 2: a --fail\n")


def test_every_key_of_scripts_is_in_a_table() -> None:
    """A key that is added to the model is added to the page."""
    code = " ".join(re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)))
    words = set(re.findall(r"\w+", code))
    kinds: tuple[Any, ...] = (MockScript, Answer, Step, End, Expect, Generate, Grandchild, Repeat, WaitFor)
    assert {item.name for kind in kinds for item in fields(kind)} - words == set()
    named = {name for alias in (ChunkMode, Newline) for name in get_args(alias)}
    assert {name for name in named if f'"{name}"' not in TEXT} == set()
    assert ", ".join(get_args(SignalName)) in TEXT


def test_every_method_of_the_builder_is_in_a_table() -> None:
    """As the way to say a key in Python."""
    methods = {name for name, value in vars(Script).items() if callable(value) and not name.startswith("_")}
    assert {name for name in methods - {"compiled"} if f".{name}(" not in TEXT} == set()


def test_the_table_of_awkward_output_has_each_kind_with_its_size() -> None:
    """Read from the page and from the code."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (\d+) \| (no|yes|CR LF) \|$", TEXT, re.MULTILINE)
    assert {name: int(size) for name, size, _ in rows} == {name: size for name, (_, size) in KINDS.items()}
    from mutkit.hermetic.scripts import generate

    ends = {name: generate(name, 1000)[-2:] for name in KINDS}
    assert {name: end for name, _, end in rows} == {
        name: "CR LF" if last == b"\r\n" else "yes" if last.endswith(b"\n") else "no" for name, last in ends.items()
    }
