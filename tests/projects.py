"""Owns tiny target projects for tests: files written into a folder, changed by keyword."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CAMPAIGN = """\
title = "Greeting"
tree = "../.."

[suite]
cases = ["tests"]
env = { PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1" }   # the plugins of this machine are no matter here, and slow

[probes.greet]
kind = "python"
call = "greeting:greet"
args = ["Ada"]
"""

SPEC = """\
defect = "A blank name is greeted."
file = "greeting.py"
in = "greet"
find = '''
if not name.strip():
    raise $_
'''
replace = ""

[probe]
kind = "python"
call = "greeting:greet"
args = [" "]

[healthy]
raises = { type = "ValueError", message = "no name" }

[defective]
returns = "Hello  !"

[[must_fail]]
case = "test_greeting.py::test_a_blank_name_is_refused"
because = { raises = "Failed", message = "DID NOT RAISE*" }
"""

SOURCE = """\
def greet(name):
    if not name.strip():
        raise ValueError("no name")
    return f"Hello {name}!"
"""

TESTS = """\
import pytest

from greeting import greet


def test_a_name_is_greeted():
    assert greet("Ada") == "Hello Ada!"


def test_a_blank_name_is_refused():
    with pytest.raises(ValueError, match="no name"):
        greet(" ")
"""

FILES: Mapping[str, str | bytes] = {
    "specs/greeting/campaign.toml": CAMPAIGN,
    "specs/greeting/blank-name.toml": SPEC,
    "greeting.py": SOURCE,
    "tests/test_greeting.py": TESTS,
}


def write_project(folder: Path, changes: Mapping[str, str | bytes | None] | None = None) -> Path:
    """Write the greeting project with some files changed, added, or (None) left out; return its folder."""
    for name, content in {**FILES, **(changes or {})}.items():
        if content is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
