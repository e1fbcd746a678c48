"""What the tests of mock children share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import MockCommands

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def mock(tmp_path: Path) -> Iterator[MockCommands]:
    """Return mock commands in a temporary folder; what still runs is ended afterwards."""
    with MockCommands(tmp_path / "mock", check=False) as commands:
        yield commands
