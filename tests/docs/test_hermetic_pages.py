"""Owns the tests that the pages on the hermetic toolkit are true: what they show happens, what they name exists."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mutkit import pytest_plugin as plugin
from mutkit.hermetic import Call, Calls
from tests.plugin_words import plugin_words

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


def test_every_field_of_a_call_is_in_the_section_on_recordings() -> None:
    """What is recorded and not documented is looked for in vain."""
    section = text_of("mock-children.md").partition("## Recordings")[2].partition("The calls come as a list")[0]
    assert [one.name for one in fields(Call) if f"`{one.name}`" not in section] == []


def test_every_assertion_on_calls_is_on_the_page() -> None:
    """And every one on the page can be called."""
    page = text_of("mock-children.md")
    there = {name for name, _ in inspect.getmembers(Calls) if name.startswith("assert_")}
    assert set(re.findall(r"`(assert_\w+)\(", page)) == there
    assert all(f"`{name}" in page for name in ("one()", "last", "matching("))


def test_the_example_of_the_readme_is_a_test_that_passes(tmp_path: Path) -> None:
    """As it stands, in a file of its own."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ((name, body),) = re.findall(r"<!-- test: (\w+) -->\n```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / f"test_{name}.py").write_text(body, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MUTKIT"))}
    words = [sys.executable, "-m", "pytest", *plugin_words(), "-q"]
    done = subprocess.run(words, cwd=tmp_path, env=known, capture_output=True, text=True, timeout=60, check=False)
    assert "1 passed" in done.stdout, done.stdout


def test_the_examples_of_the_plugin_run_and_give_what_the_page_shows(tmp_path: Path) -> None:
    """A reader who copies all files has a project whose tests end as the page says."""
    page = text_of("pytest-plugin.md")
    blocks = re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```\n", page, re.DOTALL)
    assert len(blocks) == 6
    for name, body in blocks:
        (tmp_path / name).write_text(body, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MUTKIT"))}
    words = [*plugin_words(), "-p", "no:cacheprovider", "-p", "no:randomly", "-rA"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env=known | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    ends = re.findall(r"^(PASSED|FAILED|ERROR) (test_\S+)", done.stdout, re.MULTILINE)
    assert {name: end for end, name in ends} == {
        "test_answer.py::test_the_answer_is_printed": "PASSED",
        "test_answer.py::test_a_line_that_comes_byte_by_byte_is_one_line": "PASSED",
        "test_answer.py::test_the_exit_code_of_the_agent_is_that_of_the_program": "PASSED",
        "test_publish.py::test_a_post_that_fails_is_sent_again": "PASSED",
        "test_swallowed.py::test_the_status_is_asked_for": "ERROR",
        "test_failing.py::test_that_fails": "FAILED",
    }, done.stdout
    for shown in re.findall(r"```text\n(.*?)```", page, re.DOTALL):
        for line in shown.splitlines():
            assert line in done.stdout, line


def test_every_fixture_is_on_the_page_of_the_plugin() -> None:
    """And what a project may set is, too."""
    page = text_of("pytest-plugin.md")
    fixtures = {name for name, value in vars(plugin).items() if "FixtureFunctionDefinition" in type(value).__name__}
    assert {"sandbox", "observe"} < fixtures
    assert sorted(name for name in fixtures if f"`{name}`" not in page) == []


def test_the_tests_that_stand_behind_the_comparison_exist() -> None:
    """Each row of the table names at least one, and each named one is there."""
    rows = re.findall(r"^\| (?!what|---)(.+) \| (.+) \| (.+) \|$", text_of("hermetic.md"), re.MULTILINE)
    assert len(rows) >= 15
    for what, _, held in rows:
        names = re.findall(r"\[([^\]]+)\]\(\.\./(tests/[^)]+\.py)\)", held)
        assert names, what
        for case, file in names:
            text = (ROOT / file).read_text(encoding="utf-8")
            assert re.search(rf"^(?:async )?def test_{case.replace(' ', '_')}\(", text, re.MULTILINE), f"{file}: {case}"


def test_the_example_of_the_toolkit_runs(tmp_path: Path) -> None:
    """The names that it leaves to the reader are a folder and a program that calls codex."""
    (code,) = re.findall(r"```python\n(.*?)```", text_of("hermetic.md"), re.DOTALL)
    program = [sys.executable, "-c", "import subprocess; subprocess.run(['codex', 'exec', '--json', 'hi'])"]
    names: dict[str, Any] = {"tmp_path": tmp_path, "program": program}
    exec(compile(code, "docs/hermetic.md", "exec"), names)
    assert names["result"].stdout.head == b"half a li"
