"""Owns the tests of the ``observe`` fixture and of the ids of cases."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mutkit.pytest_plugin as plugin
from tests.plugin_words import plugin_words


def run(tmp_path: Path, text: str, *args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plug-in on one file that holds ``text``."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(text)
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MUTKIT"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin_words(), "-p", "no:cacheprovider", *args],
        cwd=tmp_path,
        env=known | {"PYTHONPATH": str(Path(plugin.__file__).parents[1])} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_values_are_appended_to_the_file_and_returned(tmp_path: Path) -> None:
    """Each call is one line of JSON with the case, though the case clears its environment."""
    text = """
import os
def test_a(observe):
    os.environ.clear()
    value = [1, {"a": None}]
    assert observe(value) is value
    observe(b"\\x00\\xff"); observe((1.5, True)); observe(KeyError("k"))
"""
    file = tmp_path / "seen"
    done = run(tmp_path, text, MUTKIT_OBSERVATIONS=str(file))
    assert done.returncode == 0, done.stdout
    case = "test_it.py::test_a"
    assert [json.loads(line) for line in file.read_bytes().splitlines()] == [
        {"case": case, "value": [1, {"a": None}]},
        {"case": case, "bytes": base64.b64encode(b"\x00\xff").decode()},
        {"case": case, "value": [1.5, True]},
        {"case": case, "raises": "KeyError", "message": "'k'"},
    ]


def test_without_the_variable_values_are_kept_in_the_report(tmp_path: Path) -> None:
    """An ordinary run passes, writes no file, and the JUnit report shows what was observed."""
    done = run(tmp_path, "def test_a(observe): assert observe(7) == 7\n", "--junitxml=out.xml")
    assert done.returncode == 0, done.stdout
    assert "observed" in (tmp_path / "out.xml").read_text()
    assert {path.name for path in tmp_path.iterdir()} <= {
        "pytest.ini",
        "test_it.py",
        "out.xml",
        "__pycache__",
    }


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({1: 2}, "key 1 of value is not a str"),
        ([{"a": {1, 2}}], r"value\[0\]\['a'\] is of type set"),
        (float("nan"), "value is nan"),
        ([float("-inf")], r"value\[0\] is -inf"),
        (object(), "value is of type object"),
        ([b"inner"], r"value\[0\] is of type bytes"),
        (Path("/x"), "value is of type pathlib"),
    ],
)
def test_a_value_that_is_no_json_is_refused_where_it_is(value: Any, said: str) -> None:
    """The message names the place within the value and its type."""
    with pytest.raises(TypeError, match=said):
        plugin._as_record(value)


def test_a_value_that_contains_itself_is_refused() -> None:
    """A loop is named as such; the same list twice side by side is none."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TypeError, match="contains itself"):
        plugin._as_record(loop)
    twice: list[Any] = []
    assert plugin._as_record([twice, twice]) == {"value": [[], []]}


def test_ids_are_relative_to_the_folder_of_the_start(tmp_path: Path) -> None:
    """A deeper ini file becomes pytest's rootdir and does not shorten the id."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "sub" / "test_deep.py").write_text("class TestIt:\n    def test_a(self, observe): observe(1)\n")
    file = tmp_path / "seen"
    run(tmp_path, "", "sub/test_deep.py", MUTKIT_OBSERVATIONS=str(file))
    assert json.loads(file.read_bytes())["case"] == "sub/test_deep.py::TestIt::test_a"


def test_paths_through_a_link_are_relative_all_the_same(tmp_path: Path) -> None:
    """A tree that is reached by another name gives the same relative path; a file outside stays absolute."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert plugin.relative_path(tmp_path / "link" / "a.py", tmp_path / "real") == "a.py"
    assert plugin.relative_path(tmp_path / "b.py", tmp_path / "real") == str(tmp_path / "b.py")


@pytest.mark.parametrize(
    ("kind", "name"), [(ValueError, "ValueError"), (json.JSONDecodeError, "json.decoder.JSONDecodeError")]
)
def test_names_of_exceptions_leave_builtins_out(kind: type, name: str) -> None:
    """Other modules are named."""
    assert plugin.qualified_name(kind) == name


@pytest.mark.parametrize(
    ("where", "name"),
    [
        *((json, name) for name in ("dumps", "JSONEncoder")),
        *((json.JSONEncoder, name) for name in ("__init__", "encode", "iterencode", "default")),
        *((os, name) for name in ("open", "write", "close")),
    ],
)
def test_a_line_is_appended_whatever_a_case_has_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, name: str
) -> None:
    """What a line needs was bound before any case ran."""
    with monkeypatch.context() as patch:
        patch.setattr(where, name, None)
        plugin.append_line(str(tmp_path / "seen"), {"case": "a", "value": ["é"]})
    assert (tmp_path / "seen").read_bytes() == b'{"case": "a", "value": ["\\u00e9"]}\n'


def test_a_path_in_the_tree_needs_no_look_at_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case may have replaced ``realpath`` when its id is asked for."""
    with monkeypatch.context() as patch:
        patch.setattr(os.path, "realpath", None)
        assert plugin.relative_path(tmp_path / "a" / "b.py", tmp_path) == "a/b.py"
