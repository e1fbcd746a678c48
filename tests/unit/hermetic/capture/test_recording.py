"""Owns the tests of writing a script's file: whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutkit.errors import UsageError
from mutkit.hermetic.capture import write_script


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """The program ran for a while: what somebody wrote there since stays, unless it was to be replaced."""
    target = tmp_path / "s.toml"
    target.write_text("theirs")
    with pytest.raises(UsageError, match="is there already") as caught:
        write_script(target, "ours", force=False)
    assert (caught.value.slug, target.read_text()) == ("record-target", "theirs")
    write_script(target, "ours", force=True)
    assert target.read_text() == "ours"
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    """The disk's own words, and no half of a script."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="cannot be written") as caught:
        write_script(tmp_path / "folder", "ours", force=True)
    assert caught.value.slug == "record-target"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
