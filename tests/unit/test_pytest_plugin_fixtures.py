"""Owns the tests of the fixtures ``sandbox``, ``mock_child``, ``mock_service`` in a project of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import mutkit.pytest_plugin as plugin
from tests.plugin_words import plugin_words

PROJECT = """
import os, subprocess, sys, urllib.request
import pytest
from mutkit.hermetic import Script, ServiceScript

def codex(sandbox, *words):
    return subprocess.run(["codex", *words], env=sandbox.env, capture_output=True, check=False)

def test_a_mock_is_all_that_is_on_the_path(sandbox, mock_child, tmp_path):
    mock = mock_child("codex", Script().expecting("exec", "**").write("hello"))
    assert sandbox.home.is_relative_to(tmp_path)
    assert os.listdir(os.path.dirname(mock.path)) == ["codex"] or mock.path.is_file()
    assert codex(sandbox, "exec", "hi").stdout == b"hello"
    mock.calls.assert_argv([["exec", "hi"]])
    with pytest.raises(FileNotFoundError):
        subprocess.run(["git"], env=sandbox.env)

def test_swallowed(sandbox, mock_child):
    mock_child("codex", Script().expecting("exec"))
    codex(sandbox, "login")

def test_swallowed_on_purpose(sandbox, mock_child):
    mock = mock_child("codex", Script().expecting("exec"), check=False)
    codex(sandbox, "login")
    mock.calls.assert_ended(exit=97)

def test_fails(sandbox, mock_child):
    mock_child("codex", Script().expecting("exec").exit(3))
    codex(sandbox, "exec")
    codex(sandbox, "login")
    assert "what the program gave" == "what was expected"

def test_fails_without_mocks():
    assert 0

def test_is_expected_to_fail(sandbox, mock_child):
    mock_child("codex", Script().expecting("exec"))
    codex(sandbox, "login")
    pytest.xfail("known")

def get(sandbox, url):
    code = "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())"
    return sandbox.run([sys.executable, "-I", "-S", "-c", code, url])

def test_a_service_is_reached_from_within(sandbox, mock_service):
    service = mock_service(ServiceScript().on("GET", "/a", content="from a"))
    assert get(sandbox, service.url + "/a").stdout.head == b"from a"
    service.assert_requested("GET", "/a", count=1)

def test_swallowed_request(sandbox, mock_service):
    service = mock_service(ServiceScript().on("GET", "/a", content="from a"))
    get(sandbox, service.url + "/b")

def test_fails_after_a_request(sandbox, mock_service):
    service = mock_service(ServiceScript().on("GET", "/a", content="from a"))
    get(sandbox, service.url + "/b")
    assert 0
"""

WORKERS = """
@pytest.mark.parametrize("number", [0, 1])
def test_within(sandbox, number):
    assert sandbox.env["MUTKIT_WORKER"] == str(sandbox.worker) == os.environ["PYTEST_XDIST_WORKER"][2:]
    sandbox.run([sys.executable, "-ISc", "pass"])
"""

OWN_FIXTURE = """
import pytest
from mutkit.hermetic import Script

@pytest.fixture
def sandbox():
    return "the project's own"

def test_own(sandbox, mock_child, mutkit_sandbox):
    assert sandbox == "the project's own"
    mock_child("codex", Script())
    assert "codex" in {path.name for path in mutkit_sandbox.folder.rglob("codex")}
"""


def run(tmp_path: Path, text: str, *args: str, **variables: str) -> tuple[dict[str, list[str]], str]:
    """Run pytest on one file that holds ``text``; return how each case ended, and what was printed."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(text)
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MUTKIT"))}
    words = [*plugin_words(), "-p", "no:cacheprovider", "-p", "no:randomly", "--junitxml=out.xml", *args]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env=known | {"PYTHONPATH": str(Path(plugin.__file__).parents[1])} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    ended: dict[str, list[str]] = {}
    for case in ET.parse(tmp_path / "out.xml").getroot().iter("testcase"):
        ends = ended.setdefault(str(case.get("name")), [])
        ends += [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
    return ended, done.stdout


def part_of(printed: str, title: str) -> str:
    """Return what stands below a case's title in pytest's output, up to the next title."""
    (found,) = re.findall(rf"\n_+ {re.escape(title)} _+\n(.*?)(?=\n___|\n===)", printed, re.DOTALL)
    return str(found)


def test_the_fixtures_in_a_project(tmp_path: Path) -> None:
    """What passes, what fails when a case ends though the case passed, and what reports of failures show."""
    ended, printed = run(tmp_path, PROJECT)
    assert ended == {
        "test_a_mock_is_all_that_is_on_the_path": [],
        "test_swallowed": ["error"],
        "test_swallowed_on_purpose": [],
        "test_fails": ["failure"],
        "test_fails_without_mocks": ["failure"],
        "test_is_expected_to_fail": ["skipped"],
        "test_a_service_is_reached_from_within": [],
        "test_swallowed_request": ["error"],
        "test_fails_after_a_request": ["failure"],
    }, printed
    swallowed = part_of(printed, "ERROR at teardown of test_swallowed")
    assert "MockTrouble: mock codex, call 1: it was called with words for which its script has no answer" in swallowed
    failed = part_of(printed, "test_fails")
    assert re.search(r'- mock calls -+\ncodex 1\. \["exec"\]: exit 3\ncodex 2\. \["login"\]: exit 97, unexp', failed)
    assert "mock calls" not in part_of(printed, "test_fails_without_mocks")
    assert "GET /b" in part_of(printed, "ERROR at teardown of test_swallowed_request")
    assert "network: " in part_of(printed, "test_fails_after_a_request")
    assert re.search(r"- mock service requests -+\n.*GET /b", part_of(printed, "test_fails_after_a_request"), re.DOTALL)


def test_workers_of_xdist_have_the_same_fixtures_and_reports(tmp_path: Path) -> None:
    """Each case has a sandbox of its own, on any worker; sections, and what is said of the network, get through."""
    pytest.importorskip("xdist")
    words = ("-n", "2", "-k", "path or swallowed or test_fails or within")
    ended, printed = run(tmp_path, PROJECT + WORKERS, *words, MUTKIT_NAMESPACES="off")
    assert ended["test_within[0]"] == ended["test_within[1]"] == []
    assert ended["test_a_mock_is_all_that_is_on_the_path"] == ended["test_swallowed_on_purpose"] == []
    assert ended["test_swallowed"] == ["error"]
    assert "- mock calls -" in part_of(printed, "test_fails")
    said = re.findall(
        "^mutkit: programs in the sandbox of (\\d+) cases had an open network: (.*)$", printed, re.MULTILINE
    )
    assert said == [("5", "namespaces are turned off by MUTKIT_NAMESPACES=off")], printed


def test_a_projects_own_fixture_of_the_same_name_goes_first(tmp_path: Path) -> None:
    """``sandbox`` is then the project's, also beside ``mock_child``, which goes on with ``mutkit_sandbox``."""
    ended, printed = run(tmp_path, OWN_FIXTURE)
    assert ended == {"test_own": []}, printed


def test_without_mutkit_the_fixtures_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness takes the file with the fixtures to interpreters that have pytest alone."""
    monkeypatch.setitem(sys.modules, "mutkit.hermetic", None)
    with pytest.raises(pytest.fail.Exception) as caught:
        plugin._hermetic("sandbox")
    said = str(caught.value)
    assert said.startswith("the fixture `sandbox` needs mutkit in the interpreter that runs the tests")
    assert f"{sys.executable} -m pip install mutkit" in said


def test_a_session_that_uses_none_of_it_pays_for_none_of_it(tmp_path: Path) -> None:
    """To load the plug-in imports no other module of mutkit and none of what these need."""
    code = (
        "import sys, pytest; before = set(sys.modules); import mutkit.pytest_plugin; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(re.findall(r"'([^']+)'", done.stdout))
    assert {name for name in loaded if not name.startswith(("base64", "json"))} == {"mutkit", "mutkit.pytest_plugin"}


def test_the_plugin_can_be_left_out(tmp_path: Path) -> None:
    """``-p no:mutkit`` where mutkit is installed: no fixture of ours is there."""
    if plugin_words():
        pytest.skip("mutkit is not installed here, so there is no entry point")
    ended, printed = run(tmp_path, "def test_a(sandbox): pass\n", "-p", "no:mutkit")
    assert ended == {"test_a": ["error"]}
    assert "fixture 'sandbox' not found" in printed
