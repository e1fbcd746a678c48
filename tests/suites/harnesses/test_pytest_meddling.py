"""Owns what cases, conftest files and plugins may do to the session itself: a failure is never taken for a pass."""

from __future__ import annotations

from typing import Any

import pytest

TWO = "def test_a(): pass\ndef test_b(): pass\n"

PASSED_BY = {
    "a wrapper around all others": """
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.when == "call": report.outcome = "passed"
            return report
        """,
    "the exception is dropped": """
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_makereport(item, call): call.excinfo = None
        """,
    "the report is replaced": """
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            yield
            call.excinfo = None
            return pytest.TestReport.from_item_and_call(item, call)
        """,
    "failures become skips": """
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.failed: report.outcome, report.longrepr = "skipped", ("", 1, "later")
            return report
        """,
    "changed when it is logged": """
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(report): report.outcome = "passed"
        """,
    "a word of its own": """
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.failed: report.outcome = "retried"
            return report
        """,
}


@pytest.mark.parametrize("conftest", PASSED_BY.values(), ids=PASSED_BY)
def test_a_plugin_that_makes_a_pass_of_a_failure_is_told(project: Any, conftest: str) -> None:
    """Whatever hook it uses: the case has failed, and the run says who disagrees."""
    project.write("conftest.py", f"        import pytest\n{conftest}")
    ran = project.write("test_it.py", "def test_a(): pass\ndef test_b(): assert 0\n").run()
    assert ran.troubles.keys() == {"outcome-changed"}
    assert "test_it.py::test_b (call) failed, and was made " in ran.troubles["outcome-changed"]
    assert "test_a" not in ran.troubles["outcome-changed"]
    assert ran.outcomes == {"test_it.py::test_a": "passed", "test_it.py::test_b": "failed"}


def test_a_conftest_that_is_loaded_after_our_plugin_is_told_as_well(project: Any) -> None:
    """Hooks of sub-folders are called around ours: what pytest counts in the end is compared too."""
    for number, conftest in enumerate(PASSED_BY.values()):
        project.write(f"sub{number}/conftest.py", f"        import pytest\n{conftest}")
        project.write(f"sub{number}/test_{number}.py", "def test_a(): pass\ndef test_b(): assert 0\n")
    ran = project.run()
    assert ran.troubles.keys() == {"outcome-changed"}
    for number in range(len(PASSED_BY)):
        case = f"sub{number}/test_{number}.py::test_b"
        assert f"{case} (call) failed, and was made " in ran.troubles["outcome-changed"]
        assert ran.outcomes[case] == "failed"
    assert "test_a" not in ran.troubles["outcome-changed"]


def test_an_outcome_that_is_changed_in_an_xdist_worker_is_told(project: Any) -> None:
    """Reports come to the main process without their exceptions; the worker has them."""
    project.write("conftest.py", f"        import pytest\n{PASSED_BY['a wrapper around all others']}")
    ran = project.write("test_it.py", "def test_b(): assert 0\n").run(args=("-n", "1"))
    assert ran.troubles.keys() == {"outcome-changed"}


def test_expected_failures_repeats_and_subtests_are_no_changed_outcomes(project: Any) -> None:
    """What pytest itself and plugins for reruns do to outcomes is no trouble."""
    project.write(
        "conftest.py",
        """
        import pytest
        from _pytest.runner import runtestprotocol

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.failed and isinstance(call.excinfo.value, ConnectionError):
                report.outcome, report.wasxfail = "skipped", "no network"
            return report

        def pytest_runtest_protocol(item, nextitem):
            if item.name != "test_again":
                return None
            for report in runtestprotocol(item, nextitem=item, log=False):
                report.outcome = "rerun" if report.failed else report.outcome
                item.ihook.pytest_runtest_logreport(report=report)
            runtestprotocol(item, nextitem=nextitem)
            return True
        """,
    )
    project.write(
        "test_it.py",
        """
        import pytest, unittest
        def test_again(): assert 0
        def test_network(): raise ConnectionError
        @pytest.mark.xfail
        def test_xfail(): assert 0
        def test_skip(): raise unittest.SkipTest("unittest's")
        class TestIt(unittest.TestCase):
            @unittest.expectedFailure
            def test_expected(self): assert 0
            def test_parts(self):
                for i in range(3):
                    with self.subTest(i=i): assert i != 1
        """,
    )
    ran = project.run()
    assert ran.full
    assert {case.partition("::")[2]: outcome for case, outcome in ran.outcomes.items()} == {
        "test_again": "failed",
        "test_network": "skipped",
        "test_xfail": "skipped",
        "test_skip": "skipped",
        "TestIt::test_expected": "skipped",
        "TestIt::test_parts": "failed",
    }


def test_subtests_in_set_up_and_tear_down_are_parts_of_their_case(project: Any) -> None:
    """A fixture may use them: the case fails, and the report is whole."""
    pytest.importorskip("_pytest.subtests", reason="subtests came with pytest 9")
    project.write(
        "test_it.py",
        """
        import pytest
        @pytest.fixture
        def before(subtests):
            with subtests.test(): assert 0
        @pytest.fixture
        def after(subtests):
            yield
            with subtests.test(): assert 0
        def test_a(before): pass
        def test_b(after): pass
        """,
    )
    ran = project.run()
    assert set(ran.outcomes.values()) == {"failed"}
    assert ran.full


HIDDEN_BY = {
    "the list is cut": "def pytest_collection_modifyitems(items): del items[1:]\n",
    "in the second half of a wrapper": """
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_collection_modifyitems(items):
            yield
            items[:] = items[:1]
        """,
    "when collecting has finished": "def pytest_collection_finish(session): del session.items[1:]\n",
}


@pytest.mark.parametrize("conftest", HIDDEN_BY.values(), ids=HIDDEN_BY)
def test_cases_that_a_plugin_drops_without_a_word_are_told(project: Any, conftest: str) -> None:
    """A case that was found and did not run is named, though nothing reported it as deselected."""
    project.write(
        "conftest.py", f"import pytest\n{conftest}" if conftest[0] == "d" else f"        import pytest{conftest}"
    )
    project.write("test_it.py", "def test_a(): pass\ndef test_b(): assert 0\n")
    ran = project.run()
    assert ran.troubles.keys() == {"cases-deselected"}
    assert "test_it.py::test_b" in ran.troubles["cases-deselected"]
    assert ran.outcomes == {"test_it.py::test_a": "passed"}


def test_a_plugin_that_reorders_cases_hides_none(project: Any) -> None:
    """The same cases in another order are all there."""
    project.write("conftest.py", "def pytest_collection_modifyitems(items): items[:] = items[::-1]\n")
    ran = project.write("test_it.py", "def test_a(observe): observe(1)\ndef test_b(): pass\n").run()
    assert [(case.id, case.observed) for case in ran.run.cases] == [
        ("test_it.py::test_b", ()),
        ("test_it.py::test_a", (1,)),
    ]
    assert ran.full


@pytest.mark.parametrize("names", ["'a', 'a'", "'a', 'b', 'a'"])
def test_two_cases_with_one_id_are_told(project: Any, names: str) -> None:
    """A collector that gives one id twice: which of them failed cannot be said."""
    project.write(
        "conftest.py",
        f"""
        import pytest
        class Case(pytest.Item):
            def runtest(self): pass
        class File(pytest.File):
            def collect(self):
                for name in ({names},):
                    yield Case.from_parent(self, name=name)
        def pytest_collect_file(parent, file_path):
            if file_path.suffix == ".case": return File.from_parent(parent, path=file_path)
        """,
    )
    ran = project.write("all.case", "").run()
    assert ran.troubles.keys() == {"case-id-ambiguous"}
    assert "all.case::a" in ran.troubles["case-id-ambiguous"]
    assert "all.case::b" not in ran.troubles["case-id-ambiguous"]


@pytest.mark.parametrize("child", ["return", "raise ValueError"])
def test_a_forked_child_that_comes_back_to_the_session_is_told(project: Any, child: str) -> None:
    """The child ends at once: later cases run once, and the parent's report is what counts."""
    project.write(
        "test_it.py",
        f"""
        import os
        def test_a():
            if os.fork() == 0: {child}
            os.wait()
        def test_b(observe): observe(1)
        """,
    )
    ran = project.run()
    assert ran.troubles.keys() == {"forked-session"}
    assert "test_it.py::test_a" in ran.troubles["forked-session"]
    assert [case.observed for case in ran.run.cases] == [(), (1,)]


def test_a_session_that_only_a_forked_child_brings_to_its_end_is_incomplete(project: Any) -> None:
    """The process that started the session vanished: what its child says is no end."""
    project.write(
        "conftest.py", "import os\ndef pytest_runtest_logfinish():\n    if os.fork(): os.wait(); os._exit(0)\n"
    )
    ran = project.write("test_it.py", "def test_a(): pass\ndef test_b(): assert 0\n").run()
    assert not ran.run.complete
    assert ran.troubles.keys() == {"report-cut-short", "forked-session"}


def test_a_forked_child_that_ends_by_itself_is_no_trouble(project: Any) -> None:
    """A child that never comes back to the session may observe, and is nobody's business otherwise."""
    project.write(
        "test_it.py",
        """
        import os
        def test_a(observe):
            if os.fork() == 0:
                observe(1)
                os._exit(0)
            os.wait()
        """,
    )
    ran = project.run()
    assert ran.only.observed == (1,)
    assert ran.full


def test_what_a_case_replaces_or_raises_does_not_reach_the_report(project: Any) -> None:
    """Functions of the standard library that pytest does without while a case runs, and exceptions without a text."""
    project.write(
        "test_it.py",
        """
        import json, os, os.path, time, pathlib, pytest

        def boom(*args, **kwargs): raise AssertionError("replaced")

        REPLACED = [
            (os, "getpid"), (os, "open"), (os, "write"), (os, "close"), (os, "_exit"),
            (os.path, "realpath"), (time, "time"), (time, "perf_counter"), (json, "dumps"),
            (json.JSONEncoder, "encode"), (json.JSONEncoder, "iterencode"), (json.JSONEncoder, "default"),
            (pathlib.PurePath, "is_relative_to"),
        ]

        @pytest.mark.parametrize("where,name", REPLACED, ids=[name for _, name in REPLACED])
        def test_replaced(where, name, observe):
            patch = pytest.MonkeyPatch()
            patch.setattr(where, name, (lambda: 42) if name == "getpid" else boom)
            test_replaced.undo = patch.undo
            observe(name)
            assert 0, "told"

        class Dumb(Exception):
            def __str__(self): raise SystemExit(3)

        def test_dumb(): raise Dumb

        def test_last(): pass
        """,
    )
    project.write(
        "conftest.py",
        """
        import pytest
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_teardown(item):
            undo = getattr(getattr(item, "obj", None), "undo", None)
            if undo: undo()
            return (yield)
        """,
    )
    ran = project.run()
    assert ran.full
    *replaced, dumb, last = ran.run.cases
    assert len(replaced) == 13
    assert {(case.outcome.value, case.message) for case in replaced} == {("failed", "told\nassert 0")}
    assert all(f"[{case.observed[0]}]" in case.id for case in replaced)
    assert (dumb.outcome.value, dumb.message) == ("failed", "<str() of it raised SystemExit>")
    assert last.outcome.value == "passed"


def test_a_hook_that_raises_before_a_case_starts_is_an_error_of_the_case(project: Any) -> None:
    """A conftest file that fails in the set-up hook, before ours: the case has its outcome."""
    project.write(
        "sub/conftest.py",
        """
        import pytest
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_setup(item):
            if item.name == "test_a": raise OSError("down")
            return (yield)
        """,
    )
    ran = project.write("sub/test_it.py", TWO).run()
    assert [(case.outcome.value, case.message) for case in ran.run.cases] == [("error", "down"), ("passed", "")]
    assert ran.full


def test_anything_may_stand_in_the_file_of_observations(project: Any) -> None:
    """Lines nested too deep, endless numbers, no JSON: a trouble, and the other lines count."""
    project.write(
        "test_it.py",
        """
        import os
        LINES = [b"[" * 100_000, b'{"value": ' + b"[" * 150 + b"]" * 150 + b"}", b'{"value": NaN}', b'{"value": 1e999}',
                 b'{"value": 1, "bytes": 5}', b'{"raises": "E"}', b"null", b'"value"', b"\\xff", b"{}", b'{"value": 1}']
        def test_a():
            with open(os.environ["MUTKIT_OBSERVATIONS"], "ab") as file:
                file.writelines(line + b"\\n" for line in LINES)
        """,
    )
    ran = project.run()
    assert ran.only.observed == (1,)
    assert ran.troubles.keys() == {"observation-unclaimed"}
    assert ran.troubles["observation-unclaimed"].startswith("10 observed lines")


@pytest.mark.parametrize("place", ["file.unlink(); file.mkdir()", "file.unlink(); os.mkfifo(file)"])
def test_a_file_of_observations_that_is_replaced_breaks_nothing(project: Any, place: str) -> None:
    """A folder or a pipe in its place holds no observation."""
    project.write(
        "test_it.py",
        f"""
        import os, pathlib
        def test_a(observe):
            file = pathlib.Path(os.environ["MUTKIT_OBSERVATIONS"])
            observe(1)
            {place}
        """,
    )
    assert project.run().only.observed == ()
