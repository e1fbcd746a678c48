"""Profiles beside captures of the real programs, which `mutkit mock conformance PROFILE --save FILE` has written.

Endings and resumes are played at the process boundary, all else with the profile's program in this process.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic.conformance.captures import load
from mutkit.hermetic.conformance.compare import differences
from mutkit.hermetic.conformance.conformance import mock_shapes, scenarios_for
from mutkit.hermetic.conformance.scenarios import ENDINGS, RESUMES, SCENARIOS
from tests.unit.hermetic.conformance.in_process import play

if TYPE_CHECKING:
    from mutkit.hermetic.conformance.scenarios import Scenario

GOLDENS = Path(__file__).with_name("goldens")
VERSIONS = ("0.74", "0.144", "0.171")
AT_THE_BOUNDARY = {one.name for one in (*ENDINGS, *RESUMES)}


def _scenarios(version: str, *, at_the_boundary: bool) -> list[Scenario]:
    return [one for one in scenarios_for(f"codex/{version}") if (one.name in AT_THE_BOUNDARY) == at_the_boundary]


def _differing(version: str, shapes: dict[str, list[dict[str, object]]]) -> dict[str, list[str]]:
    program, real = load(GOLDENS / f"codex-{version}.json")
    assert program == f"codex-cli {version}.0"
    compared = {name: differences(real[name], shape) for name, shape in shapes.items()}
    return {name: found for name, found in compared.items() if found}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_ending_and_resume_is_as_the_real_program_has_it(version: str, tmp_path: Path) -> None:
    """Exit code, events, standard error, the file of -o and the rollout file are those of the real program."""
    scenarios = _scenarios(version, at_the_boundary=True)
    shapes = mock_shapes(f"codex/{version}", scenarios, tmp_path)
    assert _differing(version, shapes) == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_else_is_as_the_real_program_has_it(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Items, prompts, options: the same, where the profile's program runs in this process."""
    scenarios = _scenarios(version, at_the_boundary=False)
    shapes = {
        one.name: play(f"codex/{version}", one, tmp_path / str(at), monkeypatch) for at, one in enumerate(scenarios)
    }
    assert _differing(version, shapes) == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_each_scenario_of_a_version_has_been_captured(version: str) -> None:
    """A scenario that is added, or taken out, needs a new capture."""
    _, real = load(GOLDENS / f"codex-{version}.json")
    assert list(real) == [one.name for one in SCENARIOS if one.fits(version)]


def test_a_profile_that_differs_is_told_with_the_place_and_both_sides(tmp_path: Path) -> None:
    """The comparison is not blind: another version's capture differs in events, files and exit codes."""
    chosen = [
        one for one in SCENARIOS if one.name in ("an answer", "-o, a failure, an old file", "SIGINT", "an unknown id")
    ]
    _, real = load(GOLDENS / "codex-0.171.json")
    shapes = mock_shapes("codex/0.74", chosen, tmp_path)
    told = {name: "\n".join(differences(real[name], shape)) for name, shape in shapes.items()}
    assert (
        '-{"type":"turn.completed","usage":{"input_tokens":11,"cached_input_tokens":3,"cache_write' in told["an answer"]
    )
    assert "rollout, lines:" in told["an answer"]
    assert "out: 'old', by the profile ''" in told["-o, a failure, an old file"]
    assert "exit: 1, by the profile 0" in told["SIGINT"]
    assert "rollout: 0 files written, by the profile 1 file" in told["an unknown id"]
