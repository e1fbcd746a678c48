"""Owns the tests that the pages on the hermetic toolkit are true: what they show happens, what they name exists."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from mutkit.hermetic import Call, Calls

ROOT = Path(__file__).parents[2]


def text_of(name: str) -> str:
    """Return a page."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_the_failure_on_the_page_is_what_an_assertion_says() -> None:
    """Word for word."""
    (shown,) = re.findall(r"```text\nAssertionError: (.*?)\n```", text_of("mock-children.md"), re.DOTALL)
    first = Call("codex", 1, (b"exec", b"--json", b"fix the bug"), ended="exit", code=0, chunks=(60, 1))
    second = Call("codex", 2, (b"exec", b"resume", b"s-1"), ended="signal", code=15, signals=(15,))
    with pytest.raises(AssertionError) as caught:
        Calls([first, second], "codex").assert_called_with("exec", "--json", "-o", "*", "**")
    assert str(caught.value) == shown


def test_every_assertion_on_calls_is_on_the_page() -> None:
    """And every one on the page can be called."""
    page = text_of("mock-children.md")
    there = {name for name, _ in inspect.getmembers(Calls) if name.startswith("assert_")}
    assert set(re.findall(r"`(assert_\w+)\(", page)) == there
    assert all(f"`{name}" in page for name in ("one()", "last", "matching("))
