"""Owns the stage that probe suites play on: a tree with one tiny program, in a temporary folder."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mutkit.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return an empty tree."""
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def stage(tmp_path: Path, tree: Path) -> Callable[..., Stage]:
    """Return a function that makes a stage on the tree with a deadline in seconds."""
    (tmp_path / "scratch").mkdir()

    def make(deadline: float = 30.0) -> Stage:
        return Stage(tree, tmp_path / "scratch", sys.executable, tmp_path, deadline)

    return make
