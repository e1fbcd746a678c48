"""Profiles as scripts: found by name, options checked and merged, in Python and in TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mutkit.errors import SpecError, UsageError
from mutkit.hermetic import Script
from mutkit.hermetic.scripts.profiles import names, profile
from mutkit.hermetic.scripts.profiles.find import file_of

if TYPE_CHECKING:
    from pathlib import Path


def test_profiles_are_listed_by_their_versions_as_numbers() -> None:
    """0.144 comes after 0.74, which text would not say."""
    assert names() == ["codex/0.74", "codex/0.144", "codex/0.171"]


def test_an_unknown_profile_is_refused_with_the_nearest() -> None:
    """A name with a slip in it is told what it may have meant."""
    with pytest.raises(UsageError, match=r"no profile 'codex/0\.17'.*'codex/0\.171'") as caught:
        profile("codex/0.17")
    assert caught.value.slug == "profile-unknown"


def test_all_wrong_options_are_told_at_once() -> None:
    """Unknown keys, wrong types, unknown items, missing fields: each with its place."""
    with pytest.raises(UsageError) as caught:
        profile(
            "codex/0.171",
            mesages=["a"],
            ending="sad",
            items=[{"type": "raw"}, {"type": "song"}],
            turns=[{"now": "x"}, 3],
        )
    told = str(caught.value)
    for words in (
        "`mesages` is no option; did you mean `messages`?",
        "`ending` is none of normal,",
        "`items[0].text` is missing",
        "`items[1].type` is none of agent_message,",
        "`turns[0].now` is no option",
        "`turns[1]` is no table",
    ):
        assert words in told
    assert caught.value.slug == "profile-options"


def test_a_script_that_names_a_profile_is_the_profile_with_its_options(tmp_path: Path) -> None:
    """TOML and Python come to the same."""
    script = tmp_path / "codex.toml"
    script.write_text('profile = "codex/0.144"\n[options]\nmessages = ["a"]\nseed = 7\n', encoding="utf-8")
    assert (
        Script.from_toml(script).compiled()["program"]
        == profile("codex/0.144", messages=["a"], seed=7).compiled()["program"]
    )


def test_faults_of_a_script_with_a_profile_have_file_line_and_key(tmp_path: Path) -> None:
    """What stands beside `profile`, and wrong options, are told with their places, all at once."""
    script = tmp_path / "codex.toml"
    script.write_text('profile = "codex/0.9"\n[options]\nseed = "x"\n[[step]]\ntext = "hi"\n', encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        Script.from_toml(script)
    told = [str(problem) for problem in caught.value.problems]
    assert len(told) == 3
    assert told[0].startswith(f"{script}:1: profile: is none: there is no profile 'codex/0.9'")
    assert told[1].startswith(f"{script}:3: options.seed: is not a whole number")
    assert told[2].startswith(f"{script}:4: step: stands beside `profile`")


def test_the_profiles_own_scripts_can_be_used_as_they_are() -> None:
    """Each file is a sound script with a program."""
    for name in names():
        assert Script.from_toml(file_of(name)).compiled()["program"]["function"] == "answer"
