"""Owns the suite's fixtures, its marks for the steps, and two switches, ``--generation`` and ``--step``."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from examples.bridge.tests.driver import GENERATIONS, Bridge
from examples.bridge.tests.mock_codex import Codex
from mutkit.hermetic import Network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mutkit.hermetic import Sandbox

STEPS = {
    "v1": "came with round one",
    "v2": "came after the first review",
    "v3": "came after the second review",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switches that repeat the table of the README."""
    group = parser.getgroup("bridge")
    group.addoption("--generation", choices=list(GENERATIONS), default="final", help="the bridge to start")
    group.addoption(
        "--step",
        choices=list(STEPS),
        default="v3",
        help="run the cases that the suite had at this step, with what they expected then",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    for step, what in STEPS.items():
        config.addinivalue_line("markers", f"{step}: the case {what}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the bridge's cases that came after the step."""
    later = list(STEPS)[list(STEPS).index(config.getoption("--step")) + 1 :]
    gone = [item for item in items if any(item.get_closest_marker(step) for step in later)]
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]


class StartBridge(Protocol):
    """How a case starts a bridge: with more environment variables, or none."""

    def __call__(self, **env: str) -> Bridge:
        """Return a bridge that has shaken hands."""


@pytest.fixture(scope="session")
def byte_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for this session's byte-code: none of an earlier version can be there."""
    return tmp_path_factory.mktemp("byte-code")


@pytest.fixture
def step(request: pytest.FixtureRequest) -> str:
    """Return the step whose expectations hold."""
    return str(request.config.getoption("--step"))


@pytest.fixture(scope="session")
def network() -> Iterator[Network]:
    """Return one network for all cases, with nothing but a loopback: no case listens in it."""
    with Network() as closed:
        yield closed


@pytest.fixture
def mutkit_sandbox_options(network: Network, byte_code: Path) -> dict[str, Any]:
    """Return what the sandbox of each case is made with."""
    return {"network": network, "env": {"PYTHONPYCACHEPREFIX": str(byte_code)}}


@pytest.fixture
def codex(sandbox: Sandbox) -> Codex:
    """Return a mock ``codex`` that a case tells what to do."""
    return Codex(sandbox)


@pytest.fixture
def bridge(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Callable[..., Bridge]]:
    """Return a function that starts a bridge of the chosen generation, with nothing but the mock in reach."""
    with ExitStack() as running:

        def start(**env: str) -> Bridge:
            one = Bridge(request.config.getoption("--generation"), sandbox, **env)
            running.callback(one.close)
            one.shake_hands()
            return one

        yield start
