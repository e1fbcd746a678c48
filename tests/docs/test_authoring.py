"""Owns the test that docs/authoring.md is true: its files are written, its commands are run, in its order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from mutkit.load.validate import toml_keys
from mutkit.model.campaign import JsonRpcProbe, ProcessProbe, PythonProbe, Suite
from mutkit.model.effect import Expectation
from mutkit.model.matcher import Matcher
from mutkit.model.spec import Spec

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/authoring.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- (file: (?P<file>\S+)|run) -->\n```\w+\n(?P<body>.*?)\n```", re.DOTALL)


def test_the_guides_files_and_commands_work_in_their_order(tmp_path: Path) -> None:
    """A reader who copies everything gets what the guide says: each command ends with 0."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = 0
    for block in BLOCK.finditer(TEXT):
        if block["file"]:
            path = tmp_path / block["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["body"] + "\n", encoding="utf-8")
            continue
        for line in block["body"].splitlines():
            command = [sys.executable, "-m", *line.split()]
            done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            ran += 1
    assert ran == 7


def test_every_key_of_the_format_is_in_the_guide() -> None:
    """A key that is not explained is a key that nobody finds."""
    kinds: list[Any] = [Spec, Suite, Matcher, Expectation, ProcessProbe, JsonRpcProbe, PythonProbe]
    for kind in kinds:
        assert fields(kind)
        missing = [
            key for key in toml_keys(kind) if f"`{key}" not in TEXT and f"[{key}" not in TEXT and f"[[{key}" not in TEXT
        ]
        assert missing == [], kind
