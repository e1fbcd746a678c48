"""Owns the reasons for which a run of pytest is no evidence: each is named, none passes for a result."""

from __future__ import annotations

from typing import Any

import pytest

TWO = "def test_a(): pass\ndef test_b(): pass\n"


def test_no_case_at_all_is_named(project: Any) -> None:
    """An empty suite is no success."""
    ran = project.write("readme.txt", "").run()
    assert ran.troubles.keys() == {"nothing-collected"}
    assert not ran.run.cases


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def test_a(:\n", "SyntaxError"),
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module' (test_bad.py:1)"),
        ("import subject\n", "ZeroDivisionError: division by zero (subject.py:2)"),
    ],
)
def test_a_file_that_cannot_be_collected_is_named_and_the_others_run(project: Any, text: str, said: str) -> None:
    """The trouble says which file and why; cases of other files still have outcomes."""
    project.write("subject.py", "\n1 / 0\n").write("test_bad.py", text).write("test_good.py", TWO)
    ran = project.run()
    assert ran.troubles.keys() == {"collection-failed"}
    assert said in ran.troubles["collection-failed"]
    assert ran.troubles["collection-failed"].startswith("test_bad.py: ")
    assert ran.outcomes == {"test_good.py::test_a": "passed", "test_good.py::test_b": "passed"}


def test_a_file_that_exits_on_import_is_no_full_evidence(project: Any) -> None:
    """``sys.exit(0)`` while collecting ends the session (or spoils the file): the run says why."""
    ran = project.write("test_bad.py", "raise SystemExit(0)\n").write("test_good.py", TWO).run()
    assert not ran.full
    assert "SystemExit: 0" in str(ran.run.troubles)


@pytest.mark.parametrize("folder", ["", "sub/"])
def test_a_conftest_that_cannot_be_loaded_is_named(project: Any, folder: str) -> None:
    """A conftest file that raises is a collection failure with its exception, on any level."""
    project.write(f"{folder}conftest.py", "raise ValueError('conf')\n").write(f"{folder}test_it.py", TWO)
    ran = project.run()
    assert "ValueError: conf" in ran.troubles["collection-failed"]
    assert f"{folder}conftest.py" in ran.troubles["collection-failed"]
    assert not ran.run.cases


def test_a_case_that_does_not_exist_is_missing_and_the_other_named_cases_run(project: Any) -> None:
    """Each id that was not found is a trouble of its own: unknown case, unknown file, unknown parameter."""
    project.write("test_it.py", TWO)
    unknown = ["test_it.py::test_c", "test_gone.py::test_a", "test_it.py::test_a[1]"]
    ran = project.run([*unknown, "test_it.py::test_b"])
    assert [(trouble.slug, trouble.message) for trouble in ran.run.troubles] == [
        ("case-missing", f"{case} was not found") for case in unknown
    ]
    assert ran.outcomes == {"test_it.py::test_b": "passed"}
    assert ran.run.case("test_it.py::test_c").outcome.value == "missing"


def test_a_missing_case_of_a_file_that_skips_itself_is_told_so(project: Any) -> None:
    """A file that skips itself on import has no cases; the reason is part of the trouble."""
    project.write("test_it.py", "import pytest\npytest.importorskip('no_such_module')\ndef test_a(): pass\n")
    ran = project.run(["test_it.py::test_a"])
    assert "no_such_module" in ran.troubles["case-missing"]


@pytest.mark.parametrize(
    ("death", "ending"),
    [
        ("os._exit(0)", "exit 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
        ("pytest.exit('enough', returncode=0)", "Exit: enough"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ],
)
def test_a_run_that_ends_in_a_case_names_the_case(project: Any, death: str, ending: str) -> None:
    """However well the process seems to end, a case that never ended makes the run incomplete."""
    project.write(
        "test_it.py",
        f"import os, signal, pytest\ndef test_a(): pass\ndef test_b(): {death}\ndef test_c(): pass\n",
    )
    ran = project.run()
    assert not ran.run.complete
    assert ran.outcomes == {"test_it.py::test_a": "passed"}
    assert ran.troubles.keys() == {"report-cut-short"}
    assert "while test_it.py::test_b ran" in ran.troubles["report-cut-short"]
    assert ending in ran.troubles["report-cut-short"]


def test_a_run_that_exits_between_cases_is_incomplete(project: Any) -> None:
    """A plug-in that stops the session with success leaves cases without an outcome: that is said."""
    project.write("conftest.py", "def pytest_runtest_logfinish(nodeid): __import__('pytest').exit('x', returncode=0)\n")
    ran = project.write("test_it.py", TWO).run()
    assert not ran.run.complete
    assert "with 1 case not run: _pytest.outcomes.Exit: x" in ran.troubles["report-cut-short"]


def test_a_session_that_asks_to_stop_is_incomplete(project: Any) -> None:
    """``session.shouldstop`` ends a session early: the reason is told."""
    project.write("test_it.py", "def test_a(request): request.session.shouldstop = 'had enough'\ndef test_b(): pass\n")
    ran = project.run()
    assert not ran.run.complete
    assert "had enough" in ran.troubles["report-cut-short"]


def test_a_case_that_hangs_is_named_at_the_time_out(project: Any) -> None:
    """The trouble names the case that was running when the deadline passed."""
    project.write("test_it.py", "import signal\ndef test_a(): pass\ndef test_b(): signal.pause()\n")
    ran = project.run(deadline=6.0)
    assert ran.troubles.keys() == {"suite-timed-out"}
    assert "while test_it.py::test_b ran" in ran.troubles["suite-timed-out"]
    assert ran.outcomes == {"test_it.py::test_a": "passed"}


def test_a_hang_while_collecting_is_told(project: Any) -> None:
    """A module that hangs on import is a time-out while collecting."""
    ran = project.write("test_it.py", "import signal\nsignal.pause()\n").run(deadline=2.0)
    assert "while collecting" in ran.troubles["suite-timed-out"]


def test_an_interpreter_that_does_not_exist_is_told(project: Any) -> None:
    """No process, no report: the trouble names the interpreter."""
    project.python = "/no/such/python"
    ran = project.write("test_it.py", TWO).run()
    assert ran.troubles.keys() == {"suite-not-started"}
    assert "/no/such/python" in ran.troubles["suite-not-started"]


def test_an_interpreter_without_pytest_is_told(project: Any) -> None:
    """The trouble shows what the interpreter said."""
    project.env = {"PYTHONNOUSERSITE": "1"}
    project.write("pytest.py", "raise ImportError('No pytest here')\n").write("test_it.py", TWO)
    ran = project.run()
    assert ran.troubles.keys() == {"report-missing"}
    assert "No pytest here" in ran.troubles["report-missing"]


def test_an_unknown_option_is_told_with_pytests_own_words(project: Any) -> None:
    """A usage error is no result: the trouble shows pytest's message."""
    ran = project.write("test_it.py", TWO).run(args=("--no-such-option",))
    assert ran.troubles.keys() == {"report-missing"}
    assert "--no-such-option" in ran.troubles["report-missing"]


def test_a_place_that_does_not_exist_is_told(project: Any) -> None:
    """A folder of the suite that is not in the tree is named; nothing passes for a run."""
    ran = project.write("test_it.py", TWO).run(places=("no_such_folder",))
    assert not ran.run.complete
    assert "no_such_folder" in str(ran.run.troubles)


@pytest.mark.parametrize("option", ["-x", "--maxfail=1", "--sw", "--collect-only", "--lf", "--setup-plan"])
def test_options_of_the_project_do_not_shorten_the_run(project: Any, option: str) -> None:
    """Stopping at the first failure, or not running at all, is switched off."""
    project.write("pytest.ini", f"[pytest]\naddopts = {option}\n")
    ran = project.write("test_it.py", "def test_a(): assert 0\ndef test_b(): pass\n").run()
    assert ran.outcomes == {"test_it.py::test_a": "failed", "test_it.py::test_b": "passed"}
    assert ran.full


@pytest.mark.parametrize(
    ("option", "hidden"),
    [
        ("-k test_a", "test_it.py::test_b"),
        ("-m 'not slow'", "test_it.py::test_b"),
        ("--deselect test_it.py::test_b", "test_it.py::test_b"),
        ("--ignore=test_more.py", "test_more.py"),
        ("--ignore-glob=*more*", "test_more.py"),
    ],
)
def test_cases_that_the_projects_options_hide_are_told(project: Any, option: str, hidden: str) -> None:
    """A run that is smaller than it looks names what it left out; the campaign's own words may ask for it."""
    project.write("pytest.ini", f"[pytest]\naddopts = {option}\nmarkers = slow\n")
    project.write("test_it.py", "import pytest\ndef test_a(): pass\n@pytest.mark.slow\ndef test_b(): pass\n")
    project.write("test_more.py", "def test_a(): pass\n")
    ran = project.run()
    assert ran.troubles.keys() == {"cases-deselected"}
    assert hidden in ran.troubles["cases-deselected"]
    assert project.run(args=("-k", "test_a")).full


def test_a_named_case_that_is_deselected_is_not_called_missing(project: Any) -> None:
    """The case exists; what hides it is the project's option."""
    project.write("pytest.ini", "[pytest]\naddopts = -k test_a\n").write("test_it.py", TWO)
    assert project.run(["test_it.py::test_b"]).troubles.keys() == {"cases-deselected"}


def test_variables_of_pytest_and_python_are_not_inherited(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTEST_ADDOPTS, PYTEST_PLUGINS, PYTHONOPTIMIZE and PYTHONPATH of the caller change nothing."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k nothing")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    project.env = {"GIVEN": "by the suite"}
    project.write(
        "test_it.py",
        """
        import os, tempfile, pathlib
        def test_a():
            assert __debug__
            assert "PYTHONPATH" not in os.environ
            assert os.environ["PYTHONHASHSEED"] == "0"
            assert os.environ["GIVEN"] == "by the suite"
            assert tempfile.gettempdir() == os.environ["TMPDIR"]
            assert not any(pathlib.Path.home().iterdir())
        """,
    )
    ran = project.run()
    assert ran.only.message == ""
    assert ran.full


def test_a_subject_that_is_loaded_from_the_source_tree_is_told(project: Any) -> None:
    """When the cases import the original and not the copy, the run says which file."""
    source = project.root / "source"
    source.mkdir()
    (source / "subject.py").write_text("A = 1\n")
    project.source = source
    project.env = {"PYTHONPATH": str(source)}
    ran = project.write("test_it.py", "import subject\ndef test_a(): pass\n").run()
    assert ran.troubles.keys() == {"wrong-tree"}
    assert str(source / "subject.py") in ran.troubles["wrong-tree"]


def test_the_workspaces_folders_come_before_the_suites_own_path(project: Any) -> None:
    """What the suite puts on PYTHONPATH cannot make the cases import the original."""
    source = project.root / "source"
    source.mkdir()
    (source / "subject.py").write_text("WHERE = 'source'\n")
    project.write("src/subject.py", "WHERE = 'tree'\n")
    project.source, project.python_path = source, (str(project.tree / "src"),)
    project.env = {"PYTHONPATH": str(source)}
    ran = project.write("test_it.py", "import subject\ndef test_a(): assert subject.WHERE == 'tree'\n").run()
    assert ran.outcomes == {"test_it.py::test_a": "passed"}
    assert ran.full


def test_cases_from_outside_of_the_workspace_are_told(project: Any) -> None:
    """A place that leads out of the tree is not the variant that was to be run."""
    elsewhere = project.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "test_far.py").write_text("def test_a(): pass\n")
    ran = project.run(places=("../elsewhere",))
    assert "test_far.py" in ran.troubles["wrong-tree"]


def test_a_case_that_ends_differently_when_repeated_is_told(project: Any) -> None:
    """The last attempt counts, and the run says that they disagreed."""
    project.write(
        "conftest.py",
        """
        from _pytest.runner import runtestprotocol
        def pytest_runtest_protocol(item, nextitem):
            runtestprotocol(item, nextitem=item, log=False)
            runtestprotocol(item, nextitem=nextitem)
            return True
        """,
    )
    project.write(
        "test_it.py",
        "tries = []\ndef test_a():\n    tries.append(1)\n    assert len(tries) > 1\ndef test_b(): pass\n",
    )
    ran = project.run()
    assert ran.outcomes == {"test_it.py::test_a": "passed", "test_it.py::test_b": "passed"}
    assert ran.troubles.keys() == {"case-unsettled"}
    assert "test_it.py::test_a ended differently in one run: failed, passed" in ran.troubles["case-unsettled"]


def test_a_flood_of_output_neither_hangs_the_run_nor_hides_the_report(project: Any) -> None:
    """Megabytes on both streams, uncaptured: the report is whole, the output is capped."""
    project.write(
        "test_it.py",
        """
        import os
        def test_a():
            for _ in range(300):
                os.write(1, b"o" * 65536)
                os.write(2, b"e" * 65536)
        def test_b(): assert 0
        """,
    )
    ran = project.run(args=("--capture=no",))
    assert ran.outcomes == {"test_it.py::test_a": "passed", "test_it.py::test_b": "failed"}
    assert ran.full
    assert ran.run.result.stdout.truncated
