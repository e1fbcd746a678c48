"""Owns the tests of ready-made mocks at the process boundary: the commands, and the bridge on a real protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from examples.bridge.tests.driver import Bridge, assert_answer, assert_refused
from mutkit.hermetic import Network, Sandbox
from mutkit.hermetic.scripts.profiles import profile

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
UNKNOWN = "01a22ee0-5cda-73b2-a436-4c2934ac1b1c"
GOLDENS = ROOT / "tests" / "unit" / "hermetic" / "conformance" / "goldens"


def _mutkit(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mutkit", "mock", *words],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_profiles_are_listed_with_files_that_can_be_run() -> None:
    """The list names each, and says where it is."""
    done = _mutkit("profiles", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows] == ["codex/0.74", "codex/0.144", "codex/0.171"]
    assert all(Path(row["file"]).is_file() and row["note"] for row in rows)
    shown = _mutkit("profiles")
    assert all(row["file"] in shown.stdout and row["name"] in shown.stdout for row in rows)


def test_a_script_that_names_a_profile_can_be_run_by_hand(tmp_path: Path) -> None:
    """`mutkit mock run` is the mock: its events, its exit code, its files."""
    script = tmp_path / "answer.toml"
    script.write_text('profile = "codex/0.144"\n[options]\nending = "refused"\nstatus = 429\n', encoding="utf-8")
    words = ("run", str(script), "--name", "codex", "--", "exec", "--json", "--skip-git-repo-check", "-")
    done = subprocess.run(
        [sys.executable, "-m", "mutkit", "mock", *words],
        cwd=ROOT,
        env={**os.environ, "CODEX_HOME": str(tmp_path / "home")},
        input="hi",
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["error"]["message"] == "exceeded retry limit, last status: 429 Too Many Requests"
    assert len(list((tmp_path / "home").rglob("*.jsonl"))) == 1


def test_conformance_with_a_capture_tells_what_differs_and_ends_with_0_or_1() -> None:
    """The same version conforms; another does not, and the table says where."""
    only = ("--only", "an unknown id", "--only", "SIGTERM")
    same = _mutkit("conformance", "codex/0.171", "--against", str(GOLDENS / "codex-0.171.json"), *only)
    assert same.returncode == 0, same.stdout + same.stderr
    assert "3 scenarios, 0 of them differ" in same.stdout
    other = _mutkit("conformance", "codex/0.171", "--against", str(GOLDENS / "codex-0.74.json"), "--json", *only)
    assert other.returncode == 1, other.stderr
    rows = {row["scenario"]: row["differences"] for row in json.loads(other.stdout)["scenarios"]}
    assert rows["an unknown id"][0] == "exit: 0, by the profile 1"
    assert json.loads(other.stdout)["program"] == "codex-cli 0.74.0"


@pytest.mark.parametrize(
    ("words", "code", "slug"),
    [
        (("conformance", "codex/9"), 2, "profile-unknown"),
        (("conformance", "codex/0.171", "--only", "no such scenario"), 2, "profile-scenario"),
        (("conformance", "codex/0.171", "--against", "pyproject.toml", "--only", "SIGTERM"), 2, "profile-capture"),
        (("conformance", "codex/0.171", "--package", "docs", "--only", "SIGTERM"), 2, "profile-package"),
        (("conformance", "codex/0.171", "--only", "SIGTERM"), 71, "profile-package"),
    ],
)
def test_what_cannot_be_compared_is_told_with_its_slug(
    words: tuple[str, ...], code: int, slug: str, tmp_path: Path
) -> None:
    """A wrong name, no such scenario, no capture, no program in the folder; and a machine without npm."""
    done = _mutkit(*words, PATH=str(tmp_path))
    assert done.returncode == code, done.stdout + done.stderr
    assert f"[{slug}]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def mock(tmp_path: Path) -> Iterator[Sandbox]:
    """Return surroundings with mock commands."""
    env = {"CODEX_HOME": str(tmp_path / "home")}
    with Sandbox(tmp_path / "sandbox", env=env, network=Network(closed=False)) as sandbox:
        yield sandbox


@pytest.fixture
def bridge(mock: Sandbox, tmp_path: Path) -> Iterator[Bridge]:
    """Return a bridge that reaches the mock alone."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    one = Bridge("final", mock)
    one.shake_hands()
    yield one
    one.close()


def test_the_bridge_starts_and_goes_on_with_the_profile_of_a_real_codex(
    mock: Sandbox, bridge: Bridge, tmp_path: Path
) -> None:
    """A run gives its answer and its session; the follow-up is answered in it, and its file is appended to."""
    turns = [{"messages": ["Draft", "The answer\u2028in one line"]}, {"messages": ["More"]}]
    mock.mock("codex", profile("codex/0.171", turns=turns, now="2026-01-31T12:00:00Z"))
    work = str(tmp_path / "work")
    first = bridge.start("hi", cwd=work)
    assert_answer(first, "The answer\u2028in one line", first.session)
    (file,) = (tmp_path / "home").rglob("*.jsonl")
    assert file.name.endswith(f"-{first.session}.jsonl")
    begun = file.read_text("utf-8")
    assert_answer(bridge.follow_up(first.session or "", cwd=work), "More\n", first.session)
    assert list((tmp_path / "home").rglob("*.jsonl")) == [file]
    appended = file.read_text("utf-8")
    assert appended.startswith(begun)
    ends = [json.loads(line)["payload"] for line in appended.split("\n") if '"task_complete"' in line]
    assert [end["last_agent_message"] for end in ends] == ["The answer\u2028in one line", "More"]


def test_the_bridge_names_the_session_that_an_old_codex_begins_instead_of_an_unknown_one(
    mock: Sandbox, bridge: Bridge, tmp_path: Path
) -> None:
    """0.74 answers in a new thread without a word."""
    mock.mock("codex", profile("codex/0.74", messages=["Hello"]))
    answer = bridge.follow_up(UNKNOWN, cwd=str(tmp_path / "work"))
    assert answer.session not in (None, UNKNOWN)
    assert_answer(answer, "Hello\n", answer.session)


def test_the_bridge_passes_on_that_a_new_codex_knows_no_such_session(
    mock: Sandbox, bridge: Bridge, tmp_path: Path
) -> None:
    """0.171 refuses, and nothing is on standard output."""
    mock.mock("codex", profile("codex/0.171", messages=["Hello"]))
    reason = f"thread/resume: thread/resume failed: no rollout found for thread id {UNKNOWN} (code -32600)"
    answer = bridge.follow_up(UNKNOWN, cwd=str(tmp_path / "work"))
    assert_refused(answer, f"codex exited with code 1: Error: {reason}")
