"""Secrets are not recorded, and not told: values of variables and options by the names that they have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import Script
from mutkit.hermetic.child.secrets import Secrets, is_secret
from tests.mock_driving import call, last, start, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.hermetic import MockCommands

_KEY = "sk-0123456789"


def everything_recorded(mock: MockCommands) -> bytes:
    """Return all that is in the files of the record."""
    return b"".join(file.read_bytes() for file in (mock.folder / "calls").iterdir())


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("api-key", True),
        ("GITHUB_TOKEN", True),
        ("AUTHTOKEN", True),
        ("DB_PASSWORD", True),
        ("AWS_SECRET_ACCESS", True),
        ("SSH_AUTH_SOCK", True),
        ("Cookie", True),
        ("CREDENTIALS", True),
        ("passwd", True),
        ("KEYBOARD", False),
        ("AUTHOR", False),
        ("MAX_TOKENS", False),
        ("MONKEY", False),
        ("PATH", False),
    ],
)
def test_a_name_tells_by_its_parts_whether_it_is_one_of_a_secret(name: str, secret: bool) -> None:
    """In variables and in options, whatever the case."""
    assert is_secret(name.encode()) is secret


def test_the_value_of_a_secret_variable_is_nowhere_in_the_record_and_in_no_message(
    mock: MockCommands, tmp_path: Path
) -> None:
    """In words, variables, input, paths and messages its name stands instead."""
    (tmp_path / _KEY).mkdir()
    script = (
        Script()
        .recording("API_KEY", "COPY")
        .write("f", path="$COPY/f")
        .expect(line=f"*{_KEY}*")  # what the script says is no secret; what came is
        .expect(line="nothing")
    )
    env = {"API_KEY": _KEY, "COPY": f"{tmp_path}/{_KEY}"}
    done = call(mock, script, f"x{_KEY}y", stdin=f'{{"k":"{_KEY}"}}\n{_KEY}\n'.encode(), env=env)
    assert done.returncode == 97
    assert _KEY.encode() not in everything_recorded(mock) + done.stderr
    seen = last(mock)
    assert seen.argv == ("x<API_KEY>y",)
    assert seen.env == {"API_KEY": "<API_KEY>", "COPY": f"{tmp_path}/<API_KEY>"}
    assert seen.stdin == b'{"k":"<API_KEY>"}\n<API_KEY>\n'
    assert seen.files == ((f"{tmp_path}/<API_KEY>/f", 1),)
    assert "got:      '<API_KEY>\\n'" in seen.unexpected


def test_the_word_behind_an_option_of_a_secret_is_not_recorded_even_if_it_is_short(mock: MockCommands) -> None:
    """Behind ``=`` or as a word of its own, and wherever else it turns up; another option is no value."""
    done = call(
        mock,
        Script().expecting("never"),
        *(
            "--api-key",
            "abc",
            "--token=hunter2hunter2",
            "-x",
            "hunter2hunter2",
            "--auth",
            "--json",
            "--password",
            "-abc-",
        ),
    )
    assert b"hunter2" not in everything_recorded(mock) + done.stderr
    assert last(mock).argv == (
        *("--api-key", "<api-key>", "--token=<token>", "-x", "<token>", "--auth", "--json", "--password", "<password>"),
    )


@pytest.mark.parametrize("named", ["API_KEY", "--token"])
def test_what_a_script_names_as_unredacted_is_recorded(mock: MockCommands, named: str) -> None:
    """The variable or the option, and nothing else."""
    call(mock, Script().unredacted(named), _KEY, "--token", "hunter2hunter2", env={"API_KEY": _KEY})
    assert (
        last(mock).argv
        == {
            "API_KEY": (_KEY, "--token", "<token>"),
            "--token": ("<API_KEY>", "--token", "hunter2hunter2"),
        }[named]
    )


def test_short_values_are_no_secrets(mock: MockCommands) -> None:
    """They would turn up everywhere."""
    call(mock, Script(), "a12345b", env={"API_KEY": "12345"})
    assert last(mock).argv == ("a12345b",)


def test_a_secret_that_comes_in_two_reads_is_not_recorded(mock: MockCommands) -> None:
    """Its beginning is held back until it is known what it is: a kill in between leaves nothing of it."""
    with start(mock, Script().write("ready\n").read_stdin(), env={"API_KEY": _KEY}) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.readline()
        os.write(child.stdin.fileno(), b"key: " + _KEY[:7].encode())
        wait_until(mock, lambda seen: seen.stdin == b"key: ")
        os.write(child.stdin.fileno(), _KEY[7:].encode() + b" sk-01 end sk-012345678")
        wait_until(mock, lambda seen: seen.stdin == b"key: <API_KEY> sk-01 end ")
        child.stdin.close()
        assert child.wait(30) == 0
    assert last(mock).stdin == b"key: <API_KEY> sk-01 end <API_KEY>"  # so long a beginning tells too much


def test_of_two_secrets_of_which_one_holds_the_other_the_longer_is_told() -> None:
    """Whatever their order in the environment."""
    secrets = Secrets({b"A_KEY": b"123456", b"B_KEY": b"12345678"}, [], [])
    assert secrets.clean(b"12345678 123456 12345") == b"<B_KEY> <A_KEY> 12345"
    assert secrets.clean({"a": ["x123456", (b"12345678", 3, None)]}) == {"a": ["x<A_KEY>", (b"<B_KEY>", 3, None)]}
