"""Owns the tests of help texts: all exit codes are in them, every command shows how it is called."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mutkit.cli import cli
from mutkit.errors import ExitCode


def _commands(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))


ROOT = Path(__file__).parents[3]
ALL = dict(_commands(cli, ("mutkit",)))


def _help(words: tuple[str, ...]) -> str:
    done = CliRunner().invoke(cli, [*words[1:], "--help"], terminal_width=80)
    assert done.exit_code == 0
    return done.output


def test_the_help_has_every_exit_code_once() -> None:
    """An installed mutkit has no documents beside it."""
    table = _help(("mutkit",)).partition("Exit codes:")[2]
    assert re.findall(r"^ +(\d+)  \w", table, re.MULTILINE) == [str(code.value) for code in sorted(ExitCode)]
    table = _help(("mutkit", "mock")).partition("Exit codes")[2]
    assert re.findall(r"^ +(\d+)  \w", table, re.MULTILINE) == ["95", "96", "97", "98"]


@pytest.mark.parametrize("words", list(ALL), ids=" ".join)
def test_every_command_and_sub_command_shows_how_it_is_called(words: tuple[str, ...]) -> None:
    """An example each, a text for each option, and examples of 100 columns at most, the rest of 80."""
    text = _help(words)
    assert "Example" in text
    assert f"{' '.join(words)} " in text.partition("Example")[2]
    wide = [line for line in text.splitlines() if len(line) > (100 if line.lstrip().startswith("mutkit") else 80)]
    assert wide == []
    assert all(option.help or option.hidden for option in ALL[words].params if isinstance(option, click.Option))


@pytest.mark.parametrize(
    ("code", "unused"),
    [
        ("cli.main(['mock', 'run', '--help'])", {"mutkit.hermetic", "mutkit.workspace", "ctypes"}),
        ("import mutkit.hermetic.doctor", {"libcst", "pydantic", "rich", "pytest"}),
    ],
    ids=["help of a sub-command", "doctor"],
)
def test_what_a_command_does_not_use_is_not_imported(code: str, unused: set[str]) -> None:
    """Start-up counts."""
    code = (
        f"import sys\nfrom mutkit.cli import cli\ntry:\n    {code}\nexcept SystemExit:\n    pass\n"
        f"print(sorted({unused!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
