"""Owns what the pytest harness says of cases: how each ended, in which phase, and why."""

from __future__ import annotations

from typing import Any

import pytest


def test_every_way_in_which_a_case_can_end_is_told_apart(project: Any) -> None:
    """Passed, failed, errors of set-up and tear-down, skips and expected failures are different outcomes."""
    project.write(
        "test_ways.py",
        """
        import pytest

        @pytest.fixture
        def bad_setup():
            raise KeyError("k")

        @pytest.fixture
        def bad_teardown():
            yield
            raise OSError(5, "disk")

        def test_passed(): pass
        def test_failed(): assert 1 == 2, "why"
        def test_setup(bad_setup): pass
        def test_teardown(bad_teardown): pass
        def test_skipped(): pytest.skip("not here")
        @pytest.mark.skip(reason="never")
        def test_marked(): pass
        @pytest.mark.xfail(reason="known")
        def test_xfailed(): assert 0
        @pytest.mark.xfail(reason="known", strict=True)
        def test_xpassed_strict(): pass
        @pytest.mark.xfail(reason="known", strict=False)
        def test_xpassed(): pass
        @pytest.mark.xfail(raises=ValueError)
        def test_xfailed_otherwise(): raise TypeError("t")
        def test_fail(): pytest.fail("told so")
        def test_system_exit(): raise SystemExit(0)
        """,
    )
    ran = project.run()
    seen = {
        case.id.partition("::")[2]: (case.outcome.value, case.phase.value, case.exception, case.message)
        for case in ran.run.cases
    }
    assert seen == {
        "test_passed": ("passed", "call", "", ""),
        "test_failed": ("failed", "call", "AssertionError", "why\nassert 1 == 2"),
        "test_setup": ("error", "setup", "KeyError", "'k'"),
        "test_teardown": ("error", "teardown", "OSError", "[Errno 5] disk"),
        "test_skipped": ("skipped", "call", "", "not here"),
        "test_marked": ("skipped", "setup", "", "never"),
        "test_xfailed": ("skipped", "call", "", "expected failure: known"),
        "test_xpassed_strict": ("failed", "call", "Failed", "[XPASS(strict)] known"),
        "test_xpassed": ("passed", "call", "", ""),
        "test_xfailed_otherwise": ("failed", "call", "TypeError", "t"),
        "test_fail": ("failed", "call", "Failed", "told so"),
        "test_system_exit": ("failed", "call", "SystemExit", "0"),
    }
    assert ran.full


def test_the_place_is_the_innermost_frame_in_the_tree(project: Any) -> None:
    """A failure in the subject names the subject's line, one in a library the tree's line before it."""
    project.write("subject.py", "import json\ndef load(text):\n    return json.loads(text)\ndef boom():\n    1 / 0\n")
    project.write(
        "test_place.py",
        """
        import subject
        def test_subject(): subject.boom()
        def test_library(): subject.load("{")
        def test_own(): assert 0
        """,
    )
    places = {case.id.partition("::")[2]: case.place for case in project.run().run.cases}
    assert places == {
        "test_subject": "subject.py:5",
        "test_library": "subject.py:3",
        "test_own": "test_place.py:5",
    }


def test_the_name_of_an_exception_is_qualified(project: Any) -> None:
    """An exception of a module is named with its module, a builtin one without."""
    project.write("errs.py", "class Outer:\n    class Refused(Exception): pass\n")
    project.write("test_name.py", "import errs\ndef test_it(): raise errs.Outer.Refused('no')\n")
    assert project.run().only.exception == "errs.Outer.Refused"


def test_a_message_is_whole_up_to_the_cap_and_says_where_it_was_cut(project: Any) -> None:
    """Explanations of assertions are not shortened; a huge message is cut at 65536 characters with a note."""
    project.write(
        "test_long.py",
        """
        def test_explained(): assert list(range(300)) == list(range(1, 301))
        def test_huge(): raise ValueError("x" * 100_000)
        def test_unprintable():
            class Odd(Exception):
                def __str__(self): raise RuntimeError("no text")
            raise Odd
        """,
    )
    explained, huge, unprintable = project.run().run.cases
    assert "truncated" not in explained.message
    assert "299" in explained.message
    assert len(huge.message) < 66_000
    assert huge.message.endswith("[mutkit: cut after 65536 of 100000 characters]")
    assert unprintable.message == "<str() of it raised RuntimeError>"


def test_a_message_does_not_depend_on_ci_or_quiet_options(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same failure gives the same message with CI set, and with ``-q`` in addopts."""
    project.write("test_long.py", "def test_it(): assert list(range(300)) == list(range(1, 301))\n")
    monkeypatch.delenv("CI", raising=False)
    plain = project.run().only.message
    monkeypatch.setenv("CI", "true")
    project.write("pytest.ini", "[pytest]\naddopts = -qq\n")
    assert project.run().only.message == plain


def test_unittest_classes_and_subtests_fail_for_their_first_failing_subtest(project: Any) -> None:
    """A subtest that fails makes its case fail, with the subtest's own exception."""
    project.write(
        "test_unit.py",
        """
        import unittest

        class TestIt(unittest.TestCase):
            def test_plain(self): self.assertEqual(1, 1)
            def test_subs(self):
                for i in range(3):
                    with self.subTest(i=i):
                        self.assertNotEqual(i, 1)
            def test_skip(self): self.skipTest("no")
        """,
    )
    ran = project.run()
    assert ran.outcomes == {
        "test_unit.py::TestIt::test_plain": "passed",
        "test_unit.py::TestIt::test_subs": "failed",
        "test_unit.py::TestIt::test_skip": "skipped",
    }
    failed = ran.run.case("test_unit.py::TestIt::test_subs")
    assert (failed.exception, failed.message) == ("AssertionError", "1 == 1")


def test_the_subtests_fixture_fails_its_case_with_the_subtests_exception(project: Any) -> None:
    """pytest's own subtests count as parts of their case."""
    pytest.importorskip("_pytest.subtests", reason="subtests came with pytest 9")
    project.write(
        "test_subs.py",
        """
        def test_subs(subtests):
            for i in range(3):
                with subtests.test(i=i):
                    if i: raise LookupError(f"no {i}")
        """,
    )
    case = project.run().only
    assert (case.outcome.value, case.exception, case.message) == ("failed", "LookupError", "no 1")


def test_a_class_fixture_that_fails_makes_errors_of_all_its_cases(project: Any) -> None:
    """Each case of the class ends with an error in set-up that names the cause."""
    project.write(
        "test_class.py",
        """
        import pytest
        class TestIt:
            @pytest.fixture(scope="class", autouse=True)
            def shared(self): raise ConnectionError("down")
            def test_a(self): pass
            def test_b(self): pass
        """,
    )
    ran = project.run()
    assert set(ran.outcomes.values()) == {"error"}
    assert [case.message for case in ran.run.cases] == ["down", "down"]


def test_a_failed_call_counts_even_if_the_tear_down_fails_too(project: Any) -> None:
    """The first failure of a case is the one that is kept."""
    project.write(
        "test_both.py",
        """
        import pytest
        @pytest.fixture
        def bad():
            yield
            raise OSError("later")
        def test_it(bad): raise ValueError("first")
        """,
    )
    case = project.run().only
    assert (case.outcome.value, case.exception) == ("failed", "ValueError")


def test_observed_values_come_back_with_their_case(project: Any) -> None:
    """JSON, bytes and exceptions are recorded in order, though the case clears its environment and moves."""
    project.write(
        "test_observe.py",
        """
        import os
        def test_it(observe, tmp_path):
            os.environ.clear()
            os.chdir(tmp_path)
            assert observe({"a": [1, None, "é\\ud800"]}) == {"a": [1, None, "é\\ud800"]}
            observe(b"\\xff")
            observe(ValueError("no"))
            assert 0
        def test_other(observe): observe(2)
        """,
    )
    first, second = project.run().run.cases
    assert first.observed == ({"a": [1, None, "é\ud800"]}, b"\xff", {"raises": "ValueError", "message": "no"})
    assert first.outcome.value == "failed"
    assert second.observed == (2,)


def test_a_line_of_another_program_belongs_to_the_case_that_was_running(project: Any) -> None:
    """A child that appends a JSON line to the file of observations needs no case id; rubbish is a trouble."""
    project.write(
        "test_child.py",
        """
        import subprocess
        line = '{"value": "from the shell"}'
        def test_a(): subprocess.run(f"echo '{line}' >> $MUTKIT_OBSERVATIONS", shell=True)
        def test_b(): pass
        def test_c(): subprocess.run('echo rubbish >> "$MUTKIT_OBSERVATIONS"', shell=True)
        """,
    )
    ran = project.run()
    assert [case.observed for case in ran.run.cases] == [("from the shell",), (), ()]
    assert ran.troubles.keys() == {"observation-unclaimed"}


def test_a_case_that_replaces_the_systems_functions_is_reported_all_the_same(project: Any) -> None:
    """The report does not go through functions that a case has replaced."""
    project.write(
        "test_mocked.py",
        """
        import os
        def nothing(*args, **kwargs): raise AssertionError("mocked")
        def test_it(monkeypatch, observe):
            for name in ("open", "write", "close"):
                monkeypatch.setattr(os, name, nothing)
            observe(1)
            raise ValueError("reported")
        """,
    )
    case = project.run().only
    assert (case.message, case.observed) == ("reported", (1,))
