"""Owns the tests that the documents are complete and true: maps, tables, slugs, snippets, commands."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mutkit.cli import cli
from mutkit.errors import ExitCode
from mutkit.model.judgement import Depth, Verdict
from tests.readme_command import commands
from tests.slugs import slugs_of

ROOT = Path(__file__).parents[2]
NOT_OURS = {"__pycache__", "node_modules"}


def text_of(name: str) -> str:
    """Return a document."""
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["mutkit", "mutkit/hermetic"])
def test_the_map_of_the_code_names_exactly_the_modules_that_are_there(folder: str) -> None:
    """CONTRIBUTING.md's tables of the code and the folders agree, in both directions."""
    table = text_of("CONTRIBUTING.md").partition(f"<!-- map: {folder} -->")[2].partition("\n\n")[0]
    named = set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / folder).iterdir()
        if path.name not in NOT_OURS | {"__init__.py", "py.typed"} and not path.name.endswith(".egg-info")
    }
    assert named == there


def test_the_map_of_the_top_names_exactly_the_folders_of_the_repository() -> None:
    """The second table and the folders that git keeps agree."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    if not listed:
        pytest.skip("no git checkout here")
    there = {f"{line.partition('/')[0]}/" for line in listed.splitlines() if "/" in line}
    table = text_of("CONTRIBUTING.md").partition("<!-- map: . -->")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([^`]+/)` \|", table, re.MULTILINE)) == there


def test_every_slug_has_an_anchor_in_the_messages_and_every_anchor_a_slug() -> None:
    """What stands in brackets behind a message can be looked up."""
    anchors = set(re.findall(r'<a id="([a-z0-9-]+)"></a>', text_of("docs/messages.md")))
    assert slugs_of(ROOT / "mutkit") - anchors == set()
    assert anchors - slugs_of(ROOT / "mutkit") == set()


def test_every_verdict_depth_and_exit_code_is_in_the_readme_or_glossary() -> None:
    """The words of a report are explained."""
    readme, glossary = text_of("README.md"), text_of("docs/glossary.md")
    for verdict in Verdict:
        assert f"| `{verdict.value}` |" in readme
        assert f"| {verdict.value} |" in glossary
    for depth in Depth:
        assert depth.value in glossary
    for code in ExitCode:
        assert f"| {code.value} |" in readme


def test_every_command_is_in_the_readme_and_has_help_with_an_example() -> None:
    """Help texts say what a command does and show how it is called."""
    for name, command in cli.commands.items():
        assert f"`mutkit {name}" in text_of("README.md")
        assert "Example" in (command.help or "")
        assert f"mutkit {name}" in (command.help or "")
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help


def test_the_readme_shows_the_spec_as_it_is() -> None:
    """The snippet is the file."""
    readme = text_of("README.md")
    found = re.findall(r"<!-- spec: (\S+) -->\n```toml\n(.*?)\n```", readme, re.DOTALL)
    assert found
    for file, shown in found:
        assert shown == text_of(file).strip()


def test_the_readmes_commands_are_the_ones_that_ci_runs() -> None:
    """`.ci/run` takes the commands from the README by name."""
    assert set(commands()) == {"main", "drafts", "test"}
    assert "tests/readme_command.py main drafts=1 test" in text_of(".ci/run")
    assert "mutkit run specs/bridge" in commands()["main"]


def test_links_between_documents_lead_somewhere() -> None:
    """A relative link names a file of the repository."""
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_help_does_not_import_what_it_does_not_use() -> None:
    """Start-up counts: help imports neither libcst nor pydantic nor rich nor pytest."""
    code = (
        "import sys\nfrom mutkit.cli import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'libcst', 'pydantic', 'rich', 'pytest'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_lint_does_not_import_what_it_does_not_use() -> None:
    """Lint of specs needs libcst and pydantic, but no test runner and no terminal drawing."""
    code = (
        "import sys\nfrom mutkit.cli import cli\n"
        "cli.main(['lint', 'specs'], standalone_mode=False)\n"
        "print(sorted({'rich', 'pytest', 'asyncio', 'mutkit.process'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_every_key_of_the_json_report_is_documented() -> None:
    """docs/report.md has all keys that the schema has."""
    from mutkit.report import report_schema

    text = text_of("docs/report.md")
    schema = report_schema()
    keys = {*schema["properties"], *schema["properties"]["judgements"]["items"]["properties"]}
    assert sorted(key for key in keys if f"`{key}`" not in text) == []


def test_the_tests_and_trees_that_the_traps_name_exist() -> None:
    """A guard is only as good as the test that fails without it: each is there."""
    rows = re.findall(r"^\| (?!trap|---)(.+) \| (.+) \| (.+) \|$", text_of("docs/traps.md"), re.MULTILINE)
    assert len(rows) > 20
    for trap, _, held in rows:
        names = re.findall(r"`([^`]+)`", held)
        assert names, trap
        for name in names:
            file, _, case = name.partition("::")
            if "/" not in name:
                assert (ROOT / "tests/trees" / name / "README.md").is_file(), name
            else:
                assert f"def {case}" in text_of(file), name


def test_every_environment_of_tox_has_a_description_of_its_own() -> None:
    """`tox list` tells what can be run; a colon early in a description would be read as a condition."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / "tox.ini")
    texts = [parser[name]["description"] for name in parser.sections() if name.startswith("testenv")]
    assert len(set(texts)) == len(texts) == 6
    assert not any(re.match(r"[a-z0-9,{}-]+:", text) for text in texts)
