"""Owns the tests that the pages on the self-test and on recording are true."""

from __future__ import annotations

import json
import re
from pathlib import Path

from mutkit.cli.mock_record import record
from mutkit.errors import ExitCode
from mutkit.hermetic import selftest
from mutkit.hermetic.capture import scrubbing

DOCS = Path(__file__).parents[2] / "docs"


def _rows(page: str, title: str) -> list[list[str]]:
    """Return the cells of the first table below a heading."""
    section = (DOCS / page).read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_page_has_all_readers_with_their_descriptors() -> None:
    """And says of each whether its reads are compared, its content, or that it is refused."""
    told = [
        (name.strip("`"), descriptor, what.split(":")[0])
        for name, descriptor, what in _rows("mock-selftest.md", "Readers")
    ]
    assert told == [
        (
            reader.name,
            reader.descriptor,
            "that it is refused" if reader.refused else "each read" if reader.sees_reads else "content",
        )
        for reader in selftest.readers()
    ]


def test_the_page_has_all_modes() -> None:
    """In the order of the table that is printed."""
    told = [name for row in _rows("mock-selftest.md", "Ways to cut") for name in re.findall(r"`([^`]+)`", row[0])]
    assert told == [mode.name for mode in selftest.MODES]


def test_the_page_has_all_keys_of_the_json() -> None:
    """A row's keys and those around it."""
    row = selftest.Row(selftest.readers()[0], "each byte", selftest.State.HOLDS)
    report = json.loads(json.dumps(selftest.as_json([row], ExitCode.KILLED, "")))
    keys = {*report, *report["machine"], *report["exit"], *report["rows"][0]}
    text = (DOCS / "mock-selftest.md").read_text(encoding="utf-8")
    assert sorted(key for key in keys if f"`{key}`" not in text) == []
    assert sorted(state.value for state in selftest.State if f"`{state.value}`" not in text) == []


def test_the_page_has_all_options_and_all_kinds_of_tokens() -> None:
    """What can be asked for, and what is looked for."""
    text = (DOCS / "mock-record.md").read_text(encoding="utf-8")
    options = {name for option in record.params for name in option.opts if name.startswith("--")} - {"--output"}
    assert sorted(name for name in options if f"`{name}" not in text) == []
    kinds = {"xox-": "xox?-", "Bearer": "Bearer ...", "JSON web token": "JSON web tokens"}
    kinds |= {"password in a URL": "passwords in URLs", "private key": "private keys"}
    assert [name for name, _ in scrubbing.TOKENS if kinds.get(name, f"`{name}`").strip("`") not in text] == []
