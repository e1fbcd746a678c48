"""Owns the report of one pytest session: JSON lines, appended at once by whichever process runs the case.

Loaded with ``-p``; does nothing without ``--mutkit-run FILE``. FILE is JSON: ``report`` (the file to append
to), ``tree`` (the workspace), ``source`` (the tree it is a copy of, or empty), ``cases`` (the ids to run,
or null for all), ``observations`` (a file), ``allowed`` (the campaign's own words on the command line).
"""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType

CAP = 65536
"""Messages are cut to this many characters, and say so."""

OBSERVE_FILE = Path(__file__).resolve().parents[3] / "pytest_plugin.py"
"""The module with the `observe` fixture, which must come from the same mutkit as this file."""


def _load_observe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutkit_observe_fixture", OBSERVE_FILE)
    if spec is None or spec.loader is None:
        raise ImportError(str(OBSERVE_FILE))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_observe = _load_observe()


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
        config.pluginmanager.register(_observe, "mutkit-observe-fixture")


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


class Report:
    """The file of the report, and what its lines are made of."""

    def __init__(self, run_file: str) -> None:
        """Take the file with the instructions."""
        self.run: dict[str, Any] = json.loads(Path(run_file).read_bytes())
        self.file: str = self.run["report"]
        self.tree = Path(self.run["tree"])

    def line(self, event: str, **content: Any) -> None:
        """Append one event."""
        _observe.append_line(self.file, {"event": event, "pid": os.getpid(), **content})

    def collect_error(self, path: Path, error: BaseException) -> None:
        """Append that a file or folder could not be collected."""
        self.line("collect-error", path=_observe.relative_path(path, self.tree), **self.exception(error))

    def exception(self, error: BaseException) -> dict[str, str]:
        """Return type, message and innermost place in the tree of an exception."""
        try:
            message = str(error)
        except Exception as failure:  # noqa: BLE001  (the subject's own __str__ may raise anything)
            message = f"<str() of it raised {_observe.qualified_name(type(failure))}>"
        return {
            "exception": _observe.qualified_name(type(error)),
            "message": cut(message),
            "place": self._place(error.__traceback__),
        }

    def _place(self, traceback: TracebackType | None) -> str:
        place = ""
        while traceback is not None:
            file = traceback.tb_frame.f_code.co_filename
            if file.startswith("/"):
                relative = _observe.relative_path(Path(file), self.tree)
                if not relative.startswith("/"):
                    place = f"{relative}:{traceback.tb_lineno}"
            traceback = traceback.tb_next
        return place

    def observed_bytes(self) -> int:
        """Return how long the file of observations is now."""
        try:
            return int(_system.stat(self.run["observations"]).st_size)
        except OSError:
            return 0


_system = SimpleNamespace(stat=os.stat)  # kept here because fake file systems replace it where it is named


def cut(message: str) -> str:
    """Return the message, cut to ``CAP`` characters with a note at its end where it is longer."""
    if len(message) <= CAP:
        return message
    return f"{message[:CAP]}\n[mutkit: cut after {CAP} of {len(message)} characters]"


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

    def case_id(self, item: pytest.Item) -> str:
        """Return the id of a case, relative to the tree."""
        return str(_observe.case_id(item, self.report.tree))

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
        if self.files is not None and _observe.relative_path(file_path, self.report.tree) not in self.files:
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
                self.report.line("ignored", path=_observe.relative_path(collection_path, self.report.tree))
        return ignored

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Append which cases something other than this plugin deselected."""
        self.report.line("deselected", ids=[self.case_id(item) for item in items])

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, Any, Any]:
        """Keep the wanted cases, after all other plugins have chosen; append what is left."""
        total = len(items)
        result = yield
        if self.wanted is not None:
            items[:] = [item for item in items if self.case_id(item) in self.wanted]
        self.report.line("collected", total=total, ids=[self.case_id(item) for item in items])
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
            self.report.line("collect-skipped", node=report.nodeid, message=cut(str(reason)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Append that a case starts."""
        self.report.line("start", id=self.case_id(item), observed=self.report.observed_bytes())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Append how a phase of a case (or a subtest of it) ended."""
        report = yield
        facts = {"exception": "", "message": "", "place": ""}
        if call.excinfo is not None:
            facts = self.report.exception(call.excinfo.value)
        elif report.outcome == "failed":  # an expected failure that passed under strict
            facts.update(exception="Failed", message=cut(str(report.longrepr)))
        if hasattr(report, "wasxfail") and report.outcome == "skipped":
            facts["message"] = cut(f"expected failure: {report.wasxfail}")
        self.report.line(
            "phase",
            id=self.case_id(item),
            when=call.when,
            outcome=report.outcome,
            duration=report.duration,
            observed=self.report.observed_bytes(),
            **facts,
        )
        return report

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
        own = {os.path.realpath(__file__), str(OBSERVE_FILE)}
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
