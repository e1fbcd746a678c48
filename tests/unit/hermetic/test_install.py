"""What is on the path of a program under test, and what is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mutkit.errors import UsageError
from mutkit.hermetic import MockCommands, Script
from tests.mock_driving import call


def test_only_mocks_and_named_tools_are_on_the_path(tmp_path: Path) -> None:
    """A real tool is there if it is named, and is the real one."""
    mock = MockCommands(tmp_path / "mock", tools=["env"])
    mock.add("codex", Script())
    assert {entry.name for entry in Path(mock.path).iterdir()} == {"codex", "env", ".mutkit"}
    shown = subprocess.run(["env"], env={"PATH": mock.path, "A": "1"}, capture_output=True, text=True, check=True)
    assert "A=1" in shown.stdout


def test_a_tool_that_is_missing_is_said(tmp_path: Path) -> None:
    """With its name and the slug of its explanation."""
    with pytest.raises(UsageError, match="no-such-tool") as caught:
        MockCommands(tmp_path / "mock", tools=["no-such-tool"])
    assert caught.value.slug == "tool-missing"


@pytest.fixture
def mock(tmp_path: Path) -> MockCommands:
    """Return mock commands in a temporary folder."""
    return MockCommands(tmp_path / "mock")


@pytest.mark.parametrize("name", ["", "a/b", ".hidden"])
def test_a_mock_needs_the_name_of_a_command(mock: MockCommands, name: str) -> None:
    """A path is no name: PATH would not be asked."""
    with pytest.raises(UsageError) as caught:
        mock.add(name, Script())
    assert caught.value.slug == "mock-name"


def test_a_stopped_builder_is_not_changed_by_later_calls(mock: MockCommands) -> None:
    """Scripts are values: what is derived from one leaves it as it was."""
    base = Script().write("a")
    assert call(mock, base.write("b").exit(2)).stdout == b"ab"
    assert call(mock, base).stdout == b"a"
