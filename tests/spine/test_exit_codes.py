"""Owns the tests of every exit code at the process boundary, on a tiny project and the real command line."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mutkit.report import report_schema
from tests.projects import SOURCE, SPEC, TESTS, write_project

S = "specs/greeting/blank-name.toml"
ROOT = Path(__file__).parents[2]


def mutkit(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in ``folder``."""
    inherited = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    return subprocess.run(
        [sys.executable, "-m", "mutkit", *words],
        cwd=folder,
        env=inherited,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the JSON report on standard output, which must fit its schema and say the process's own exit code."""
    report: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(report, report_schema())
    assert report["exit"]["code"] == done.returncode
    return report


RUNS: list[tuple[str, dict[str, str | bytes | None], int, str, str]] = [
    ("killed", {}, 0, "killed", "as-modelled"),
    (
        "survived",
        {
            "tests/test_greeting.py": TESTS.replace(
                '    with pytest.raises(ValueError, match="no name"):\n        greet(" ")',
                '    try:\n        greet(" ")\n    except ValueError:\n        pass',
            )
        },
        1,
        "survived",
        "as-modelled",
    ),
    (
        "wrong reason",
        {S: SPEC.replace('replace = ""', 'replace = "name = None + name"')},
        1,
        "wrong-reason",
        "not-as-modelled",
    ),
    (
        "wrong because",
        {S: SPEC.replace('message = "DID NOT RAISE*"', 'message = "something else"')},
        1,
        "wrong-reason",
        "as-modelled",
    ),
    (
        "no effect",
        {
            S: SPEC.replace(
                'replace = ""', 'replace = """\nif not name.strip():\n    raise ValueError("no " + "name")\n"""'
            )
        },
        1,
        "no-effect",
        "same-as-baseline",
    ),
    ("stale", {"greeting.py": SOURCE.replace("not name.strip()", "name.isspace()")}, 3, "stale", "anchor-missing"),
    ("not viable", {S: SPEC.replace('replace = ""', 'replace = "return = 3"')}, 2, "", "replace-syntax"),
    (
        "baseline red",
        {"tests/test_greeting.py": TESTS + '\n\ndef test_red():\n    assert greet("Bo") == ""\n'},
        4,
        "baseline-failed",
        "baseline-red",
    ),
    (
        "baseline not healthy",
        {S: SPEC.replace('message = "no name" }\n\n[def', 'message = "no-name" }\n\n[def')},
        4,
        "baseline-failed",
        "healthy-not-shown",
    ),
    (
        "inconclusive",
        {"tests/test_greeting.py": TESTS.replace("def test_a_blank", "@pytest.mark.skip\ndef test_a_blank")},
        6,
        "inconclusive",
        "killer-not-run",
    ),
]


@pytest.mark.parametrize(
    ("changes", "code", "verdict", "slug"), [row[1:] for row in RUNS], ids=[row[0] for row in RUNS]
)
def test_run_ends_with_the_exit_code_of_its_verdict(
    tmp_path: Path, changes: dict[str, str | bytes | None], code: int, verdict: str, slug: str
) -> None:
    """The exit code, the verdict and the first reason are those that the documents state."""
    done = mutkit(write_project(tmp_path, changes), "run", "specs", "--json", "-")
    assert done.returncode == code, done.stderr
    if verdict:
        (judgement,) = report_of(done)["judgements"]
        assert (judgement["verdict"], judgement["reasons"][0]["slug"]) == (verdict, slug)
        assert "exit " + str(code) in done.stderr
    else:
        assert f"[{slug}]" in done.stderr


def test_a_wrong_option_is_a_usage_error(tmp_path: Path) -> None:
    """Exit 2 with click's own message."""
    done = mutkit(write_project(tmp_path), "run", "--nonsense")
    assert done.returncode == 2
    assert "No such option" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "nowhere"), "mutkit: nowhere: there is no such file or folder [path-missing]"),
        (("run", "tests"), "mutkit: tests: no campaign.toml in it or below it [campaign-missing]"),
        (
            ("run", "specs", "--only", "blank"),
            "mutkit: --only: no spec has the id blank. Selected ids: blank-name [id-unknown]",
        ),
    ],
)
def test_paths_and_ids_that_are_not_there_are_usage_errors(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    """Exit 2, and the message says which and what there is."""
    done = mutkit(write_project(tmp_path), *words)
    assert (done.returncode, done.stderr.strip()) == (2, message)


def test_an_invalid_spec_is_a_usage_error_and_nothing_runs(tmp_path: Path) -> None:
    """One broken file stops the run before it begins; all faults are told."""
    done = mutkit(write_project(tmp_path, {S: SPEC.replace("defect =", "defekt =")}), "run", "specs")
    assert done.returncode == 2
    assert "defekt: is not a key [key-unknown]" in done.stderr
    assert "defect: is missing [key-missing]" in done.stderr


def test_a_campaign_without_specs_is_nothing_ran(tmp_path: Path) -> None:
    """Exit 5: an empty selection is never a success."""
    for words in (("run", "specs"), ("lint", "specs")):
        done = mutkit(write_project(tmp_path, {S: None}), *words)
        assert done.returncode == 5


def test_a_host_that_cannot_run_it_is_71(tmp_path: Path) -> None:
    """Exit 71 when the interpreter that the campaign names is not there."""
    campaign = (write_project(tmp_path) / "specs/greeting/campaign.toml").read_text()
    changed = campaign.replace('cases = ["tests"]', 'cases = ["tests"]\npython = "no/such/python"')
    done = mutkit(write_project(tmp_path, {"specs/greeting/campaign.toml": changed}), "run", "specs")
    assert done.returncode == 71, done.stderr
    assert "exit 71: the run was ended by an error" in done.stdout
    assert "[host]" in done.stdout


def test_a_bug_of_ours_is_70_with_a_log(tmp_path: Path) -> None:
    """Exit 70 for what nobody foresaw: one sentence, and a log that holds the traceback."""
    write_project(tmp_path)
    (tmp_path / "sitecustomize.py").write_text(
        "import mutkit.load.select\n"
        "def broken(*a, **k):\n    raise RuntimeError('unforeseen')\n"
        "mutkit.load.select.load = broken\nimport mutkit.load\nmutkit.load.load = broken\n"
    )
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    done = mutkit(tmp_path, "lint", "specs", env={"PYTHONPATH": paths, "TMPDIR": str(tmp_path)})
    assert done.returncode == 70, done.stderr
    assert "this is a bug of mutkit: RuntimeError: unforeseen" in done.stderr
    (log,) = tmp_path.glob("mutkit-bug-*.log")
    assert "Traceback" in log.read_text()
    assert "mutkit 0.1.0" in log.read_text()


def test_lint_ends_with_0_2_and_3(tmp_path: Path) -> None:
    """Sound, invalid and stale are told apart."""
    assert mutkit(write_project(tmp_path / "a"), "lint", "specs").returncode == 0
    assert mutkit(write_project(tmp_path / "b", {S: "x"}), "lint", "specs").returncode == 2
    moved = {"greeting.py": SOURCE.replace("not name.strip()", "name.isspace()")}
    assert mutkit(write_project(tmp_path / "c", dict(moved)), "lint", "specs").returncode == 3


def test_a_report_that_cannot_be_written_is_an_error_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    """Exit 2, with the path and the reason."""
    done = mutkit(write_project(tmp_path), "run", "specs", "--json", "no/such/folder/report.json")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "killed" not in done.stdout + done.stderr, "the run was spent before the target was looked at"


def test_keep_leaves_a_workspace_with_the_mutant(tmp_path: Path) -> None:
    """``--keep`` is for looking: the folder holds the mutated file and is named at the end."""
    (tmp_path / "tmp").mkdir()
    folder = write_project(tmp_path / "p")
    done = mutkit(folder, "run", "specs", "--keep", "--json", "-", env={"TMPDIR": str(tmp_path / "tmp")})
    (kept,) = report_of(done)["kept"]
    assert "raise ValueError" not in (Path(kept) / "greeting.py").read_text()
    assert (folder / "greeting.py").read_text() == SOURCE


def test_show_prints_defect_place_diff_and_expectation(tmp_path: Path) -> None:
    """A reviewer reads one spec without opening three files."""
    done = mutkit(write_project(tmp_path), "show", S)
    assert done.returncode == 0
    for piece in (
        "A blank name is greeted.",
        "greeting.py:2 in greet",
        "-        raise ValueError",
        "healthy:",
        "because",
    ):
        assert piece in done.stdout


def test_plain_output_has_no_escape_codes(tmp_path: Path) -> None:
    """Where there is no terminal there is no colour and no bar."""
    done = mutkit(write_project(tmp_path), "run", "specs")
    assert "\x1b" not in done.stdout + done.stderr
    assert "killed" in done.stdout


@pytest.mark.parametrize("target", ["", ".", "/"])
def test_a_report_target_that_is_no_file_is_refused_before_the_run(tmp_path: Path, target: str) -> None:
    """Exit 2 at once."""
    done = mutkit(write_project(tmp_path), "run", "specs", "--json", target)
    assert (done.returncode, "name a file" in done.stderr) == (2, True)


def test_problems_are_in_the_json_report_too(tmp_path: Path) -> None:
    """A program that reads the report learns why nothing was run."""
    done = mutkit(write_project(tmp_path, {S: SPEC.replace("defect =", "defekt =")}), "run", "specs", "--json", "-")
    report = report_of(done)
    assert [problem["slug"] for problem in report["problems"]] == ["key-missing", "key-unknown"]
    assert report["judgements"] == []


def test_show_tells_stale_invalid_and_nothing_apart(tmp_path: Path) -> None:
    """``show`` ends as ``lint`` does."""
    moved = {"greeting.py": SOURCE.replace("not name.strip()", "name.isspace()")}
    assert mutkit(write_project(tmp_path / "a", dict(moved)), "show", S).returncode == 3
    assert mutkit(write_project(tmp_path / "b", {S: "x"}), "show", S).returncode == 2
    assert mutkit(write_project(tmp_path / "c", {S: None}), "show", "specs/greeting").returncode == 5


def test_a_folder_named_beside_one_of_its_specs_is_still_whole(tmp_path: Path) -> None:
    """Naming a spec narrows nothing that is named as a whole."""
    stale = {"specs/greeting/stale.toml": SPEC.replace("not name.strip()", "not name")}
    folder = write_project(tmp_path, dict(stale))
    for words in (("specs/greeting", S), (S, "specs/greeting"), ("specs", S), (S, "specs")):
        done = mutkit(folder, "lint", *words)
        assert (done.returncode, "stale.toml" in done.stderr) == (3, True), words
    assert mutkit(folder, "lint", S).returncode == 0


def test_a_file_that_is_no_spec_is_refused(tmp_path: Path) -> None:
    """A wrong name never shrinks the selection in silence."""
    done = mutkit(write_project(tmp_path), "lint", "greeting.py", S)
    assert done.returncode == 2
    assert "greeting.py: is no spec: a spec is a .toml file beside campaign.toml [path-not-a-spec]" in done.stderr


def test_output_that_cannot_be_written_is_the_hosts_fault(tmp_path: Path) -> None:
    """A full disk is neither a finding nor a bug of ours."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mutkit", "schema", "spec"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 71, done.stderr


def test_an_earlier_report_is_not_left_for_a_run_that_does_not_end(tmp_path: Path) -> None:
    """A program that reads the file never takes an old success for this run's."""
    folder = write_project(tmp_path)
    (folder / "r.json").write_text('{"exit": {"code": 0}}')
    assert mutkit(folder, "run", "nowhere", "--json", "r.json").returncode == 2
    assert not (folder / "r.json").exists()


def test_the_runs_own_log_and_report_in_the_tree_are_no_change_of_the_source(tmp_path: Path) -> None:
    """`mutkit run specs > log.txt` is what people type."""
    folder = write_project(tmp_path)
    with (folder / "log.txt").open("w") as log:
        done = subprocess.run(
            [sys.executable, "-m", "mutkit", "run", "specs", "--json", "report.json"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    assert done.returncode == 0, (folder / "log.txt").read_text()


def test_closed_streams_are_no_bug_of_ours(tmp_path: Path) -> None:
    """Nobody listens: the exit code still says it."""
    command = [sys.executable, "-m", "mutkit", "lint", "specs"]
    shell = f"exec {shlex.join(command)} >&- 2>&-"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["/bin/sh", "-c", shell], cwd=write_project(tmp_path, {S: "x"}), env=env, check=False)
    assert done.returncode == 2
