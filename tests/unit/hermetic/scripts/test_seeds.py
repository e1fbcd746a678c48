"""Owns the test that what was drawn by chance can be had again: the seed is told where an assertion fails."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import MockCommands, Script
from mutkit.hermetic.scripts import generate

if TYPE_CHECKING:
    from pathlib import Path


def test_a_failed_assertion_tells_the_seed_and_the_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """It was chosen when the script was compiled, and nobody had named it."""
    mock = MockCommands(tmp_path / "mock")
    mock.add("codex", Script().generate("invalid-utf-8"))
    done = subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=True)
    with pytest.raises(AssertionError) as failed:
        mock.calls("codex").assert_not_called()
    seed = re.search(r"codex 1\. \[\]: exit 0; stdout 256 bytes in 1; seed (\d+)", str(failed.value))
    assert seed, str(failed.value)
    assert generate("invalid-utf-8", seed=int(seed[1])) == done.stdout


def test_no_seed_is_told_where_nothing_was_drawn(tmp_path: Path) -> None:
    """A number that says nothing would be in every message."""
    mock = MockCommands(tmp_path / "mock")
    mock.add("codex", Script().write("x"))
    subprocess.run(["codex"], env={"PATH": mock.path}, capture_output=True, check=True)
    with pytest.raises(AssertionError) as failed:
        mock.calls("codex").assert_not_called()
    assert "seed" not in str(failed.value)
