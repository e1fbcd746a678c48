"""What mock commands do when they are left: end what runs, and tell what must not pass silently."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import MockCommands, MockTrouble, Script

if TYPE_CHECKING:
    from pathlib import Path


def run(mocks: MockCommands, *words: str) -> int:
    """Call a mock to its end and return its exit code; nobody reads what it says."""
    return subprocess.run(words, env={"PATH": mocks.path}, stderr=subprocess.DEVNULL, check=False).returncode


def test_an_unexpected_call_that_the_program_swallows_is_told_when_the_mocks_are_left(tmp_path: Path) -> None:
    """The program under test ignored exit 97 and standard error: the test fails all the same."""
    mocks = MockCommands(tmp_path)
    mocks.add("codex", Script().expecting("exec", "--json"))
    assert run(mocks, "codex", "exec", "--jsno") == 97
    with pytest.raises(MockTrouble) as caught, mocks:
        pass
    said = str(caught.value)
    assert said.startswith("mock codex, call 1: it was called with words for which its script has no answer (exit 97)")
    assert "--json" in said
    assert "--jsno" in said


def test_a_call_that_its_script_makes_impossible_is_told(tmp_path: Path) -> None:
    """Exit 98 is the script's own fault, whatever the program made of it."""
    mocks = MockCommands(tmp_path)
    mocks.add("codex", Script().write("x", path_after="-o"))
    assert run(mocks, "codex") == 98
    with pytest.raises(MockTrouble, match="could not do what its script says"), mocks:
        pass


def test_checks_can_be_left_out_for_one_command_or_for_all(tmp_path: Path) -> None:
    """A test that is about an unexpected call says so."""
    with MockCommands(tmp_path / "one") as mocks:
        mock = mocks.add("codex", Script().expecting("a"), check=False)
        run(mocks, "codex", "b")
        mock.calls.assert_ended(how="unexpected")
        mock.follow(Script().expecting("c"))
        run(mocks, "codex", "b")
        assert len(mock.calls) == 2
    with MockCommands(tmp_path / "all", check=False) as mocks:
        mocks.add("codex", Script().expecting("a"))
        run(mocks, "codex", "b")


def test_an_error_within_the_block_is_not_hidden(tmp_path: Path) -> None:
    """What the test itself found comes first."""
    mocks = MockCommands(tmp_path)
    mocks.add("codex", Script().expecting("a"))
    run(mocks, "codex", "b")
    with pytest.raises(ZeroDivisionError), mocks:
        raise ZeroDivisionError


def test_a_hanging_mock_that_nobody_ended_is_told_and_ended(tmp_path: Path) -> None:
    """A program that leaves its child behind has leaked it; nothing of it is left all the same."""
    mocks = MockCommands(tmp_path)
    mocks.add("codex", Script().write("x").hang())
    child = subprocess.Popen(["codex"], env={"PATH": mocks.path}, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert os.read(child.stdout.fileno(), 1) == b"x"
    with pytest.raises(MockTrouble, match="nobody had ended it"), mocks:
        pass
    with child:
        assert child.wait(30) == -9


def test_a_hanging_mock_that_was_ended_is_no_trouble(tmp_path: Path) -> None:
    """The signal may still be on its way when the mocks are left."""
    with MockCommands(tmp_path) as mocks:
        mocks.add("codex", Script().write("x").hang())
        child = subprocess.Popen(["codex"], env={"PATH": mocks.path}, stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert os.read(child.stdout.fileno(), 1) == b"x"
        child.kill()
    with child:
        assert child.wait(30) == -9
