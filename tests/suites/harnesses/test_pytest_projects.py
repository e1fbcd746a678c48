"""Owns the shapes of project that the pytest harness must run as they are: plug-ins, layouts, odd ids."""

from __future__ import annotations

from typing import Any

import pytest

MIXED = """
import pytest
def test_passes(): pass
def test_fails(): assert 0, "why"
@pytest.fixture
def bad(): raise KeyError("k")
def test_errs(bad): pass
def test_skips(): pytest.skip("no")
def test_observes(observe): observe("seen")
"""

MIXED_OUTCOMES = {
    "test_mixed.py::test_passes": "passed",
    "test_mixed.py::test_fails": "failed",
    "test_mixed.py::test_errs": "error",
    "test_mixed.py::test_skips": "skipped",
    "test_mixed.py::test_observes": "passed",
}


@pytest.mark.parametrize(
    "addopts",
    [
        "",
        "-n 2",
        "-n 2 --dist=loadfile",
        "-p randomly",
        "--randomly-seed=last",
        "--timeout=30 --timeout-method=thread",
        "--cov=. --cov-report= --cov-fail-under=100",
        "--import-mode=prepend",
        "--import-mode=append",
        "--import-mode=importlib",
        "-s -vv -ra --tb=no",
        "-p no:terminal",
        "-p no:cacheprovider",
        "-p no:randomly -p no:mutkit",
        "--strict-markers --strict-config -W error",
        "--doctest-modules",
    ],
)
def test_the_report_is_the_same_whatever_the_projects_options(project: Any, addopts: str) -> None:
    """Plug-ins and options of the project change neither outcomes nor reasons."""
    project.write("pytest.ini", f"[pytest]\naddopts = {addopts}\n").write("test_mixed.py", MIXED)
    whole = project.run()
    assert whole.outcomes == MIXED_OUTCOMES
    assert whole.full
    assert whole.run.case("test_mixed.py::test_fails").message == "why\nassert 0"
    assert whole.run.case("test_mixed.py::test_observes").observed == ("seen",)


@pytest.mark.parametrize("addopts", ["", "-n 2"])
def test_named_cases_run_alone(project: Any, addopts: str) -> None:
    """Only the named cases have outcomes; files without one of them are not even imported."""
    project.write("pytest.ini", f"[pytest]\naddopts = {addopts}\n").write("test_mixed.py", MIXED)
    project.write("test_broken.py", "raise ValueError\n")
    ran = project.run(["test_mixed.py::test_errs", "test_mixed.py::test_passes"])
    assert ran.outcomes == {"test_mixed.py::test_errs": "error", "test_mixed.py::test_passes": "passed"}
    assert ran.full


def test_a_crashed_xdist_worker_is_a_run_cut_short_that_names_the_case(project: Any) -> None:
    """xdist replaces the worker and goes on; the case that it was running has no outcome."""
    project.write("test_it.py", "import os\ndef test_a(): os._exit(0)\ndef test_b(): pass\n")
    ran = project.run(args=("-n", "1"))
    assert not ran.run.complete
    assert "while test_it.py::test_a ran" in ran.troubles["report-cut-short"]
    assert ran.outcomes == {"test_it.py::test_b": "passed"}


def test_a_collection_error_in_xdist_workers_is_named(project: Any) -> None:
    """Each worker meets the same error; it is told once."""
    project.write("test_bad.py", "import no_such_module\n").write("test_it.py", "def test_a(): pass\n")
    ran = project.run(args=("-n", "2"))
    assert [trouble.slug for trouble in ran.run.troubles].count("collection-failed") == 1
    assert "no_such_module" in ran.troubles["collection-failed"]


def test_odd_parameters_can_be_named(project: Any) -> None:
    """Brackets, colons, spaces, quotes, slashes and other alphabets in ids select exactly their case."""
    odd = ["a[b", "]", "x::y", " ", "é", "日本", "'", '"', "\\", "a/b", "-k", "a b c", "", "\n"]
    project.write("test_odd.py", f"import pytest\n@pytest.mark.parametrize('x', {odd!r})\ndef test_it(x): pass\n")
    every = list(project.run().outcomes)
    assert len(every) == len(odd)
    some = every[::3]
    ran = project.run(some)
    assert list(ran.outcomes) == some
    assert ran.full


def test_unescaped_ids_can_be_named(project: Any) -> None:
    """A project that keeps other alphabets in its ids gets the same ids back in the next run."""
    project.write(
        "pytest.ini",
        "[pytest]\ndisable_test_id_escaping_and_forfeit_all_rights_to_community_support = True\n",
    )
    project.write(
        "test_odd.py",
        "import pytest\n@pytest.mark.parametrize('x', ['é', '日'], ids=str)\ndef test_it(x): pass\n",
    )
    assert list(project.run(["test_odd.py::test_it[日]"]).outcomes) == ["test_odd.py::test_it[日]"]


def test_files_with_odd_names_can_be_named(project: Any) -> None:
    """A bracket, a space or a dash in a file's name is no trouble."""
    for name in ("test_a[1].py", "-odd/test_b.py", "with space/test_c é.py"):
        project.write(name, "def test_it(): pass\ndef test_other(): assert 0\n")
    cases = ["-odd/test_b.py::test_it", "test_a[1].py::test_it", "with space/test_c é.py::test_it"]
    ran = project.run(cases)
    assert sorted(ran.outcomes) == cases
    assert ran.full


def test_ids_do_not_depend_on_ini_files_in_sub_folders(project: Any) -> None:
    """A folder with its own ini file becomes pytest's rootdir; ids stay relative to the tree."""
    project.write("part/pytest.ini", "[pytest]\npython_functions = check_*\n")
    project.write("part/tests/test_it.py", "class TestIt:\n    def check_a(self): pass\ndef check_b(): pass\n")
    whole = project.run(places=("part/tests",))
    assert list(whole.outcomes) == [
        "part/tests/test_it.py::TestIt::check_a",
        "part/tests/test_it.py::check_b",
    ]
    named = project.run(["part/tests/test_it.py::TestIt::check_a"], places=("part/tests",))
    assert list(named.outcomes) == ["part/tests/test_it.py::TestIt::check_a"]
    assert named.full


def test_a_named_case_runs_under_the_same_ini_file_as_in_the_whole_suite(project: Any) -> None:
    """A deeper ini file does not take over because only its folder's cases are named."""
    project.write("pytest.ini", "[pytest]\nmarkers = top\naddopts = --strict-markers\n")
    project.write("sub/pytest.ini", "[pytest]\nmarkers = other\naddopts = --strict-markers\n")
    project.write("sub/test_it.py", "import pytest\n@pytest.mark.top\ndef test_a(): pass\n")
    project.write("test_top.py", "def test_a(): pass\n")
    assert project.run().full
    assert project.run(["sub/test_it.py::test_a"]).full


def test_a_suite_that_changes_its_own_parameters_runs_the_same_each_time(project: Any) -> None:
    """Each run is a fresh process: what one run did to its lists is gone in the next."""
    project.write(
        "test_lists.py",
        """
        import pytest
        ARGS = [[1, 1], [2, 2]]
        @pytest.mark.parametrize("pair", ARGS, ids=lambda pair: "\\u2070" + str(pair))
        def test_it(pair):
            pair[0] *= -1
            assert sum(pair) == 0
        """,
    )
    first, second = project.run(), project.run()
    assert first.outcomes == second.outcomes
    second_only = list(first.outcomes)[1]
    assert project.run([second_only]).outcomes == {second_only: "passed"}
    assert set(first.outcomes.values()) == {"passed"}


def test_a_case_that_changes_the_working_directory_leaves_ids_alone(project: Any) -> None:
    """What runs after a ``chdir`` still has its id relative to the tree, and its record."""
    project.write(
        "sub/test_it.py",
        """
        import os
        def test_a(tmp_path, observe):
            os.chdir(tmp_path)
            observe(1)
        def test_b(observe): observe(2)
        """,
    )
    ran = project.run()
    assert [(case.id, case.observed) for case in ran.run.cases] == [
        ("sub/test_it.py::test_a", (1,)),
        ("sub/test_it.py::test_b", (2,)),
    ]


def test_two_runs_have_the_same_order_and_seeds(project: Any) -> None:
    """Plug-ins that shuffle are held still, and ``random`` and ``hash`` give the same values."""
    project.write(
        "test_random.py",
        """
        import random, pytest
        from hypothesis import given, strategies
        @pytest.mark.parametrize("x", range(8))
        def test_it(x, observe): observe([random.random(), hash("x")])
        def test_drawn(observe):
            drawn = []
            given(strategies.integers())(lambda n: drawn.append(n))()
            observe(drawn)
        """,
    )
    one, other = project.run(), project.run()
    assert list(one.outcomes) == [
        *(f"test_random.py::test_it[{n}]" for n in range(8)),
        "test_random.py::test_drawn",
    ]
    assert [case.observed for case in one.run.cases] == [case.observed for case in other.run.cases]


def test_the_working_directory_comes_first_on_the_path_and_the_runner_is_not_on_it(project: Any) -> None:
    """Imports work as under ``python -m pytest``; no module of mutkit can be taken for the project's."""
    project.write("run.py", "MINE = True\n")
    project.write(
        "tests/test_it.py",
        "import run\ndef test_a(): assert run.MINE\n",
    )
    project.write("pytest.ini", "[pytest]\naddopts = --import-mode=importlib\n")
    assert project.run().outcomes == {"tests/test_it.py::test_a": "passed"}


def test_conftest_fixtures_and_plugins_of_the_project_work(project: Any) -> None:
    """Conftest files on several levels are used in whole and in named runs."""
    project.write("conftest.py", "import pytest\n@pytest.fixture\ndef top(): return 1\n")
    project.write("a/conftest.py", "import pytest\n@pytest.fixture\ndef low(top): return top + 1\n")
    project.write("a/test_it.py", "def test_a(low): assert low == 2\n")
    assert project.run().full
    assert project.run(["a/test_it.py::test_a"]).outcomes == {"a/test_it.py::test_a": "passed"}


def test_nothing_is_written_into_the_tree(project: Any) -> None:
    """Caches, coverage and examples stay out; byte-code is the workspace's own affair."""
    project.write("pytest.ini", "[pytest]\naddopts = --cov=. --cov-report=\n")
    project.write(
        "test_it.py",
        """
        from hypothesis import given, strategies
        @given(strategies.integers())
        def test_a(n): assert n < 100
        """,
    )
    before = sorted(project.tree.iterdir())
    assert set(project.run().outcomes.values()) == {"failed"}
    after = sorted(path for path in project.tree.iterdir() if path.name != "__pycache__")
    assert after == before
