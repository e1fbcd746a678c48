"""Owns what the tests of the shipped bridge share: its surroundings, and the mock that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from examples.bridge.tests.mock_codex import Codex
    from mutkit.hermetic import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """Return what is around the bridge; the tests start it by themselves, in the network of this machine."""
    from mutkit.hermetic import Network, Sandbox

    env = {"PYTHONPYCACHEPREFIX": str(tmp_path)}
    with Sandbox(tmp_path / "sandbox", env=env, network=Network(closed=False)) as one:
        yield one


@pytest.fixture
def codex(sandbox: Sandbox) -> Codex:
    """Return a mock ``codex``, the only program in reach of the bridge."""
    from examples.bridge.tests.mock_codex import Codex

    return Codex(sandbox)
