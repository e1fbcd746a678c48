"""Owns the pytest fixtures ``observe``, ``sandbox``, ``mock_child``, ``mock_service``; reports show what mocks saw.

Needs pytest and the standard library only: the harness loads this file into interpreters without mutkit. The other
fixtures than ``observe`` import mutkit where a case asks for them.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from mutkit.hermetic import MockChild, MockService, Sandbox, Script, ServiceScript

T = TypeVar("T")

VARIABLE = "MUTKIT_OBSERVATIONS"
"""The environment variable that names the file to which observations are appended, one JSON object a line."""

OPEN_NETWORK = "mutkit: open network"
"""The property of a case's report that says why the network was open for programs in its sandbox."""

_file: pytest.StashKey[str] = pytest.StashKey()

# Kept here because cases replace os.open and others (fake file systems do, in each module that names them).
_system = SimpleNamespace(open=os.open, write=os.write, close=os.close)
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


class _Encoder(json.JSONEncoder):
    """``json.dumps`` as it was before any case replaced it, or a method of the class behind it."""

    iterencode = json.JSONEncoder.iterencode
    encode = json.JSONEncoder.encode
    default = json.JSONEncoder.default


_encode = _Encoder().encode


def pytest_configure(config: pytest.Config) -> None:
    """Remember the file now: a case may clear ``os.environ``."""
    config.stash[_file] = os.environ.get(VARIABLE, "")


@pytest.fixture
def observe(request: pytest.FixtureRequest) -> Callable[[T], T]:
    """Return a function that records a value and returns it unchanged.

    ``observe(value)`` takes a JSON value (tuples count as lists), ``bytes``, or an exception (its type's name and its
    message are recorded); anything else raises ``TypeError`` on the spot. Under mutkit the record is appended to the
    file named by ``MUTKIT_OBSERVATIONS``; without that variable it is kept in the report's ``user_properties`` as
    ``observed``.
    """
    file = request.config.stash[_file]
    case = case_id(request.node, request.config.invocation_params.dir)

    def record(value: T) -> T:
        content = _as_record(value)
        if file:
            append_line(file, {"case": case, **content})
        else:
            request.node.user_properties.append(("observed", _encode(content)))
        return value

    return record


_raised: pytest.StashKey[bool] = pytest.StashKey()
_summaries: pytest.StashKey[dict[str, Callable[[], str]]] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a phase that failed what the mocks of the case saw."""
    raised = call.excinfo is not None
    report = yield
    if _summaries in item.stash:
        item.stash[_raised] = item.stash[_raised] or raised
    if report.failed and _summaries in item.stash:
        report.sections += [(name, summary()) for name, summary in item.stash[_summaries].items()]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it where nothing kept the programs of a sandbox from the network: no case fails for that."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [
        value
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for name, value in report.user_properties
        if name == OPEN_NETWORK
    ]
    if properties:
        reasons = "; ".join(dict.fromkeys(properties))
        number = f"{len(properties)} case" + ("s" if len(properties) > 1 else "")
        terminalreporter.write_line(f"mutkit: programs in the sandbox of {number} had an open network: {reasons}")


@pytest.fixture
def mutkit_sandbox_options() -> dict[str, Any]:
    """Return what ``mutkit_sandbox`` is made with: nothing in particular.

    A project's own fixture of this name returns keyword arguments of ``Sandbox``: tools, keep, env, cwd, network.
    """
    return {}


@pytest.fixture
def mutkit_sandbox(
    request: pytest.FixtureRequest, tmp_path: Path, mutkit_sandbox_options: dict[str, Any]
) -> Iterator[Sandbox]:
    """Return a fresh ``mutkit.hermetic.Sandbox`` in ``tmp_path``; ``sandbox`` is a shorter name for it.

    At the end of the case it ends what still runs in it, and a call of its mocks that was unexpected, unable or
    forgotten is an error, unless the case has raised already or the mock was made with ``check=False``.
    """
    hermetic = _hermetic("sandbox")
    item = request.node
    one = hermetic.Sandbox(tmp_path / "sandbox", **mutkit_sandbox_options)
    try:
        _watch(item, "mock calls", lambda: hermetic.summary(one.calls(), one.isolation))
        yield one
        if not item.stash[_raised]:
            one.check()
    finally:
        if one.isolation is not None and not one.isolation.closed:
            item.user_properties.append((OPEN_NETWORK, one.isolation.reason))
        one.close()


@pytest.fixture
def sandbox(mutkit_sandbox: Sandbox) -> Sandbox:
    """Return ``mutkit_sandbox`` under a shorter name; a project's own fixture of this name goes before it."""
    return mutkit_sandbox


@pytest.fixture
def mock_child(mutkit_sandbox: Sandbox) -> Callable[..., MockChild]:
    """Return a function that makes a command of ``mutkit_sandbox`` a mock.

    ``mock_child("codex", script)`` takes a ``Script`` or the path of a TOML file, and ``check=False`` where calls that
    are unexpected, unable or forgotten are no error; the handle has ``calls``, ``path``, ``follow(script)``.
    """

    def make(name: str, script: Script | Path, *, check: bool = True) -> MockChild:
        return mutkit_sandbox.mock(name, script, check=check)

    return make


@pytest.fixture
def mock_service(request: pytest.FixtureRequest, mutkit_sandbox: Sandbox) -> Iterator[Callable[..., MockService]]:
    """Return a function that starts a mock HTTP service which programs in ``mutkit_sandbox`` reach.

    ``mock_service(script)`` takes a ``ServiceScript`` or the path of a TOML file. At the end of the case each service
    is stopped, and a request that no route expects is an error, unless the case has raised already.
    """
    services = _hermetic("mock_service", "mutkit.hermetic.services")
    item, running = request.node, []
    with ExitStack() as stack:

        def start(script: ServiceScript | Path) -> MockService:
            service: MockService = services.MockService(script, listening=mutkit_sandbox.listen())
            running.append(service.start())
            stack.callback(service.stop)
            number = f" {len(running)}" if len(running) > 1 else ""
            _watch(item, f"mock service{number} requests", lambda: services.listing(service.requests))
            return service

        yield start
    for service in running if not item.stash[_raised] else []:
        service.check()


def _watch(item: pytest.Item, name: str, summary: Callable[[], str]) -> None:
    """Have ``summary`` in reports of ``item`` from now on; a first one also begins a case anew, run again or not."""
    if name == "mock calls":
        item.stash[_raised] = False
        item.stash[_summaries] = {}
    item.stash[_summaries][name] = summary


def _hermetic(fixture: str, module: str = "mutkit.hermetic") -> Any:
    """Return that module of mutkit, or fail the case with what is missing and how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        pytest.fail(
            f"the fixture `{fixture}` needs mutkit in the interpreter that runs the tests, and there is no module "
            f"{error.name!r}. Install it: {sys.executable} -m pip install mutkit",
            pytrace=False,
        )


def case_id(item: pytest.Item, tree: Path) -> str:
    """Return ``path/of/file.py::Class::test[param]`` of ``item``, the path relative to ``tree`` with ``/``.

    The path does not depend on pytest's rootdir; where the file is not below ``tree`` it is absolute.
    """
    file = next((node for node in reversed(item.listchain()) if isinstance(node, pytest.File)), None)
    prefix = file.nodeid if file is not None else ""
    rest = item.nodeid[len(prefix) :] if item.nodeid.startswith(prefix) else item.nodeid.partition("::")[2]
    return f"{relative_path(item.path, tree)}::{rest.removeprefix('::')}"


def relative_path(path: Path, tree: Path) -> str:
    """Return ``path`` relative to ``tree`` with ``/``, or the absolute path where it is not below it."""
    if path.is_relative_to(tree):
        return path.relative_to(tree).as_posix()
    # Only now: a case may have replaced what these need.
    real, real_tree = Path(os.path.realpath(path)), Path(os.path.realpath(tree))
    return (real.relative_to(real_tree) if real.is_relative_to(real_tree) else path).as_posix()


def append_line(file: str, content: dict[str, Any]) -> None:
    """Append ``content`` as one line of JSON in one write, so that lines of several processes do not mix."""
    line = _encode(content).encode("ascii") + b"\n"
    descriptor = _system.open(file, _APPENDING, 0o600)
    try:
        _system.write(descriptor, line)
    finally:
        _system.close(descriptor)


def qualified_name(kind: type) -> str:
    """Return the dotted name of an exception type, ``builtins`` left out."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _as_record(value: object) -> dict[str, Any]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, BaseException):
        return {"raises": qualified_name(type(value)), "message": str(value)}
    _check_json(value, "value", ())
    return {"value": value}


def _check_json(value: object, place: str, inside: tuple[int, ...]) -> None:
    """Raise ``TypeError`` naming where ``value`` is no JSON; ``inside`` holds its containers."""
    if id(value) in inside:
        raise TypeError(f"observe() takes JSON values, bytes and exceptions: {place} contains itself")
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _check_json(item, f"{place}[{index}]", (*inside, id(value)))
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"observe() takes JSON values: key {key!r} of {place} is not a str")
            _check_json(item, f"{place}[{key!r}]", (*inside, id(value)))
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise TypeError(f"observe() takes JSON values, bytes and exceptions: {place} is {value!r}")
    elif value is not None and not isinstance(value, (str, int, float)):
        raise TypeError(
            "observe() takes JSON values, bytes and exceptions: "
            f"{place} is of type {qualified_name(type(value))}; convert it first, for example with repr()"
        )
