"""Owns the test that docs/mock-children.md is true: its script is read, its Python is run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mutkit.hermetic import Script

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/mock-children.md").read_text(encoding="utf-8")


def test_the_script_on_the_page_is_a_script(tmp_path: Path) -> None:
    """A reader who copies it has no fault in it."""
    (script,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    file = tmp_path / "script.toml"
    file.write_text(script, encoding="utf-8")
    assert len(Script.from_toml(file).model.step) == 2


def test_the_python_on_the_page_runs(tmp_path: Path) -> None:
    """The names that it leaves to the reader are given: a folder, and a program that calls codex."""
    (tmp_path / "silent.toml").write_text("[end]\nexit = 0\n")
    seen: list[subprocess.CompletedProcess[bytes]] = []

    def run_the_program(env: Mapping[str, str]) -> None:
        command = [f"{env['PATH']}/codex", "exec", "--json", "hi"]
        seen.append(subprocess.run(command, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, check=False))

    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {"tmp_path": tmp_path, "run_the_program": run_the_program}
    exec(compile(code, "docs/mock-children.md", "exec"), names)
    assert seen[0].stdout == b'{"type":"turn.started"}\nhalf a li'
    assert names["call"].code == 3
