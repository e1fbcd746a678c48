"""Owns the report of one pytest session: JSON lines, appended at once by whichever process runs the case.

Loaded with ``-p``; does nothing without ``--mutkit-run FILE``. FILE is JSON: ``report`` (the file to append
to), ``tree`` (the workspace), ``source`` (the tree it is a copy of, or empty), ``cases`` (the ids to run,
or null for all), ``observations`` (a file), ``allowed`` (the campaign's own words on the command line).
"""

from __future__ import annotations

import fnmatch
import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from mutkit.harnesses.pytest_inside.on_path.mutkit_report_file import (
        OBSERVE_FILE,
        REPORT_FILE,
        Report,
        cut,
        observe,
        text_of,
    )
else:  # the subject's interpreter has this folder on its path, not mutkit
    from mutkit_report_file import OBSERVE_FILE, REPORT_FILE, Report, cut, observe, text_of

ENDS = ("passed", "failed", "skipped")
"""How a phase can end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file with the instructions."""
    parser.addoption("--mutkit-run", default="", help="used by mutkit")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    """Report a conftest file that cannot be loaded: pytest gives up before a session starts."""
    try:
        return (yield)
    except Exception as error:
        run_file = early_config.known_args_namespace.mutkit_run
        path = getattr(error, "path", None)
        if run_file and path is not None and error.__cause__ is not None:
            Report(run_file).collect_error(Path(path), error.__cause__)
        raise


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Start the report, and make the run whole and repeatable whatever the project's ``addopts`` say."""
    run_file = config.getoption("mutkit_run")
    if not run_file:
        return
    reporter = Reporter(Report(run_file), config)
    _settle_options(config.option, reporter.report.run["allowed"])
    config.pluginmanager.register(reporter, "mutkit-reporter")
    names = {getattr(plugin, "__name__", "") for plugin in config.pluginmanager.get_plugins()}
    if "mutkit.pytest_plugin" not in names:
        config.pluginmanager.register(observe, "mutkit-observe-fixture")


def _settle_options(option: Any, allowed: list[str]) -> None:
    for name in ("collectonly", "stepwise", "stepwise_skip", "usepdb", "trace", "setuponly", "setupplan"):
        if getattr(option, name, False):
            setattr(option, name, False)
    if not any(word.startswith(("-x", "--exitfirst", "--maxfail")) for word in allowed):
        option.maxfail = 0
    # Full explanations of assertions: otherwise their text is cut, and in another place when CI is set.
    option.verbose = 2
    # Order and seeds of plugins that shuffle: the same in each run.
    if getattr(option, "randomly_seed", None) in ("default", "last"):
        option.randomly_seed = 0
    if getattr(option, "randomly_reorganize", False):
        option.randomly_reorganize = False
    if getattr(option, "hypothesis_seed", 0) is None:
        option.hypothesis_seed = "0"


class Reporter:
    """The hooks of one session in one process."""

    def __init__(self, report: Report, config: pytest.Config) -> None:
        """Take the report and the session's configuration."""
        self.report = report
        self.config = config
        wanted = report.run["cases"]
        self.wanted = None if wanted is None else frozenset(wanted)
        self.files = None if wanted is None else frozenset(case.partition("::")[0] for case in wanted)
        self.worker = getattr(config, "workerinput", {}).get("workerid", "")
        self.collected: list[pytest.Item] = []
        self.open = ""
        self.whole = self.inside = False
        self.made: list[tuple[pytest.TestReport, str]] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Append that the session has started."""
        self.report.line(
            "session",
            worker=self.worker,
            rootdir=str(session.config.rootpath),
            python=sys.version.split()[0],
            pytest=pytest.__version__,
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, Any, Any]:
        """Leave out files that hold none of the wanted cases; they are not imported."""
        nodes = yield
        if self.files is not None and self.report.relative_path(file_path) not in self.files:
            return []
        return nodes

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path) -> Generator[None, Any, Any]:
        """Append which paths ``--ignore`` and ``--ignore-glob`` hide."""
        ignored = yield
        option = self.config.option
        if ignored and (getattr(option, "ignore", None) or getattr(option, "ignore_glob", None)):
            here = Path(self.config.invocation_params.dir)
            exact = {here / path for path in option.ignore or ()}
            globs = [str(here / pattern) for pattern in option.ignore_glob or ()]
            if collection_path in exact or any(fnmatch.fnmatch(str(collection_path), glob) for glob in globs):
                self.report.line("ignored", path=self.report.relative_path(collection_path))
        return ignored

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Append which cases something other than this plugin deselected."""
        self.report.line("deselected", ids=[self.report.case_id(item) for item in items])

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Remember each case that was found, whatever plugins make of the list later."""
        self.collected.append(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self) -> None:
        """Remember that collecting came to its end (the hook below is called in any case)."""
        self.whole = True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Keep the wanted cases, after all other plugins have chosen; append what is left, and what is gone."""
        dropped: list[str] = []
        if self.wanted is not None:
            dropped = [case for case in map(self.report.case_id, session.items) if case not in self.wanted]
            session.items[:] = [item for item in session.items if self.report.case_id(item) in self.wanted]
        result = yield
        if not self.whole:
            return result
        left = [self.report.case_id(item) for item in session.items]
        gone = Counter(map(self.report.case_id, self.collected)) - Counter(left) - Counter(dropped)
        if gone:
            self.report.line("deselected", ids=list(gone))
        self.report.line("collected", total=max(len(self.collected), len(left)), ids=left)
        return result

    def pytest_exception_interact(self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[Any]) -> None:
        """Append a file or folder that could not be collected."""
        if isinstance(node, pytest.Collector) and call.excinfo is not None:
            error = call.excinfo.value
            if error.__cause__ is not None and isinstance(error, node.CollectError):
                error = error.__cause__
            self.report.collect_error(node.path, error)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Append a file that skips itself while it is collected: its cases are not there."""
        if report.skipped and not isinstance(report.longrepr, (str, type(None))):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self.report.line("collect-skipped", node=report.nodeid, message=cut(text_of(reason)))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Append that a case starts."""
        self._start(item)
        return (yield from self._within())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        """Tell reports of subtests from that of the whole phase."""
        return (yield from self._within())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, Any]:
        """Tell reports of subtests from that of the whole phase."""
        return (yield from self._within())

    def _within(self) -> Generator[None, Any, Any]:
        self.inside = True
        try:
            return (yield)
        finally:
            self.inside = False

    def _start(self, item: pytest.Item) -> None:
        self.open = self.report.case_id(item)
        self.made.clear()
        self.report.line("start", id=self.open, observed=self.report.observed_bytes())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Append how a phase of a case (or a subtest of it) ended."""
        raised = call.excinfo
        report = yield
        error = raised if call.excinfo is None else call.excinfo
        case = self.report.case_id(item)
        if call.when == "setup" and self.open != case:  # a hook before ours raised
            self._start(item)
        said, outcome = report.outcome, how_it_ended(report, error)
        if said != outcome:
            self.report.line("changed", id=case, when=call.when, ended=outcome, said=text_of(said))
        facts = {"exception": "", "message": "", "place": ""}
        if error is not None:
            facts = self.report.exception(error.value)
        elif outcome == "failed":  # an expected failure that passed under strict
            facts.update(exception="Failed", message=cut(text_of(report.longrepr)))
        if hasattr(report, "wasxfail") and outcome == "skipped":
            facts["message"] = cut(f"expected failure: {text_of(report.wasxfail)}")
        self.report.line(
            "phase",
            id=case,
            when=call.when,
            part=self.inside,
            outcome=outcome,
            duration=call.duration,
            observed=self.report.observed_bytes(),
            **facts,
        )
        self.made.append((report, said))
        if call.when == "teardown" and not self.inside:
            self.open = ""
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, Any, Any]:
        """Append where what pytest counts in the end is not what was reported above."""
        result = yield
        made = [(one, said) for one, said in self.made if (one.nodeid, one.when) == (report.nodeid, report.when)]
        said = next((said for one, said in made if one is report), made[-1][1] if made else report.outcome)
        # pytest itself marks a case as failed of which a subtest failed; plugins mark a failure that they repeat.
        subtest = report.outcome == "failed" and any(said == "failed" for _, said in made)
        repeated = str(report.outcome) == "rerun" and said == "failed"
        if report.outcome != said and not subtest and not repeated:
            self.report.line("changed", id=self.open, when=report.when, ended=said, said=text_of(report.outcome))
        return result

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Append why the session was left: ``pytest.exit`` or an interrupt."""
        self.report.line("interrupted", **self.report.exception(excinfo.value))

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Append what broke pytest itself or a plugin."""
        self.report.line("internal-error", **self.report.exception(excinfo.value))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Append how the session ended and what was loaded from the wrong place."""
        self.report.line(
            "end",
            worker=self.worker,
            status=int(exitstatus),
            stopped=str(session.shouldfail or session.shouldstop or ""),
            foreign=self._foreign(),
        )

    def _foreign(self) -> list[str]:
        """Return files of the original source, and conftest files of anywhere else, that were loaded."""
        tree = os.path.realpath(self.report.tree) + "/"
        source = os.path.realpath(self.report.run["source"]) + "/" if self.report.run["source"] else ""
        # The harness's own files are read from where mutkit runs, also when mutkit is the subject.
        own = {os.path.realpath(file) for file in (__file__, REPORT_FILE, OBSERVE_FILE)}
        found = set()
        for module in list(sys.modules.values()):
            file = vars(module).get("__file__") if isinstance(module, ModuleType) else None
            if not isinstance(file, str) or not file.startswith("/"):
                continue
            real = os.path.realpath(file)
            if real.startswith((tree, os.path.realpath(sys.prefix) + "/lib")) or "/site-packages/" in real:
                continue
            if real in own:
                continue
            if (source and real.startswith(source)) or real.endswith("/conftest.py"):
                found.add(real)
        return sorted(found)


def how_it_ended(report: pytest.TestReport, error: pytest.ExceptionInfo[BaseException] | None) -> str:
    """Return the outcome of a phase: what the report says, unless that hides the exception."""
    said = str(report.outcome)
    if said not in ENDS:
        return "passed" if error is None else "failed"
    if error is None or said == "failed":
        return said
    unittest = sys.modules.get("unittest")
    skips = (pytest.skip.Exception, *([unittest.SkipTest] if unittest else []))
    expected = hasattr(report, "wasxfail") or isinstance(error.value, skips)
    return "skipped" if said == "skipped" and expected else "failed"
