"""Owns the comparison of a profile with the real program, scenario by scenario."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutkit.errors import HostError, UsageError
from mutkit.hermetic.conformance.captures import load
from mutkit.hermetic.conformance.compare import differences
from mutkit.hermetic.conformance.mock import MockCodex
from mutkit.hermetic.conformance.package import binary_of
from mutkit.hermetic.conformance.real import RealCodex
from mutkit.hermetic.conformance.scenarios import SCENARIOS
from mutkit.hermetic.conformance.shape import shape
from mutkit.hermetic.conformance.watch import Watcher, as_json
from mutkit.hermetic.scripts import Script
from mutkit.hermetic.scripts.profiles.find import file_of
from mutkit.process import Network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mutkit.hermetic.conformance.captures import Shapes
    from mutkit.hermetic.conformance.scenarios import Scenario
    from mutkit.hermetic.conformance.watch import Program

AT_ONCE = 4
"""Scenarios of the real program at a time: it waits for most of the time, not for a processor."""


@dataclass(frozen=True)
class Row:
    """One scenario: what the profile does otherwise than the real program, a text each."""

    scenario: str
    differences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conformance:
    """A comparison: ``program`` as it calls itself, ``rows`` in the scenarios' order, ``real`` what it showed."""

    program: str
    rows: tuple[Row, ...]
    real: Shapes

    @property
    def conforms(self) -> bool:
        """Return whether no scenario differs."""
        return not any(row.differences for row in self.rows)


def scenarios_for(name: str, only: Sequence[str] = ()) -> list[Scenario]:
    """Return the scenarios of a profile, or those whose names hold one of the texts; UsageError where none is left."""
    file_of(name)
    program, _, version = name.partition("/")
    fitting = [one for one in SCENARIOS if one.fits(version)] if program == "codex" else []
    chosen = [one for one in fitting if not only or any(text in one.name for text in only)]
    if not chosen:
        raise UsageError(
            f"no scenario of {name} has {' or '.join(map(repr, only))} in its name", slug="profile-scenario"
        )
    return chosen


def conformance(
    name: str,
    *,
    package: str = "",
    against: Path | None = None,
    only: Sequence[str] = (),
    seen: Callable[[str], None] = lambda _: None,
) -> Conformance:
    """Compare a profile (``codex/0.171``) with the real program, or with what was saved of it (``against``).

    ``package`` is a folder with the program, or what npm knows it as; the package of the profile's own version where it
    is empty. ``only``: parts of scenarios' names. ``seen`` is called with each scenario's name when it is done.
    HostError where the real program cannot be had, or not be run in a network of its own.
    """
    scenarios = scenarios_for(name, only)
    with tempfile.TemporaryDirectory(prefix="mutkit-profile-", ignore_cleanup_errors=True) as place:
        if against is not None:
            program, real = load(against)
        else:
            program, real = _real(name, package, scenarios, Path(place), seen)
        mocked = mock_shapes(name, scenarios, Path(place))
    rows = [Row(one.name, tuple(_compared(one.name, real, mocked))) for one in scenarios]
    return Conformance(program, tuple(rows), real)


def mock_shapes(name: str, scenarios: Sequence[Scenario], folder: Path) -> Shapes:
    """Return what the profile's mock shows in the scenarios, each played in a folder below ``folder``."""
    made = folder / "mock"
    made.mkdir()
    watcher = Watcher(MockCodex(name, made), folder / "mocked", model=_model(name), strace=None)
    return {one.name: _shapes(watcher, one) for one in scenarios}


def _compared(scenario: str, real: Shapes, mocked: Shapes) -> list[str]:
    if scenario not in real:
        return ["nothing was captured of the real program"]
    return differences(real[scenario], mocked[scenario])


def _shapes(watcher: Watcher, scenario: Scenario) -> list[dict[str, Any]]:
    return [shape(one) for one in as_json(watcher.watch(scenario))]


def _version(name: str) -> dict[str, Any]:
    version: dict[str, Any] = Script.from_toml(file_of(name)).model.options["version"]
    return version


def _model(name: str) -> str:
    return str(_version(name)["model"])


def _real(
    name: str, package: str, scenarios: Sequence[Scenario], place: Path, seen: Callable[[str], None]
) -> tuple[str, Shapes]:
    installed = place / "package"
    installed.mkdir()
    binary = binary_of(package or f"@openai/codex@{_version(name)['number']}", installed)
    with Network() as network:
        if not network.isolation.closed:
            raise HostError(
                f"the real program is run with a loopback alone, which cannot be had: {network.isolation.reason}",
                slug="network-namespace",
            )
        try:
            told = subprocess.run(
                network.command([str(binary), "--version"]), capture_output=True, text=True, timeout=60, check=True
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise HostError(f"{binary} does not run here: {error}", slug="profile-package") from error

        def play(numbered: tuple[int, Scenario]) -> tuple[str, list[dict[str, Any]]]:
            number, scenario = numbered
            with _program(RealCodex(binary, _model(name), network)) as program:
                watcher = Watcher(program, place / f"real-{number}", model=_model(name), strace=shutil.which("strace"))
                shapes = _shapes(watcher, scenario)
            shutil.rmtree(place / f"real-{number}", ignore_errors=True)
            seen(scenario.name)
            return scenario.name, shapes

        with ThreadPoolExecutor(AT_ONCE) as threads:
            return told.stdout.strip(), dict(threads.map(play, enumerate(scenarios)))


@contextmanager
def _program(program: RealCodex) -> Iterator[Program]:
    try:
        yield program
    finally:
        program.close()
