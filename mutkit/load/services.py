"""Owns the check of mock services in probes and specs: scripts that are there and sound, names that are known."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mutkit.errors import Problem, SpecError
from mutkit.model.campaign import JsonRpcProbe, ProcessProbe, PythonProbe
from mutkit.toml import Document, Key, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mutkit.model.campaign import Probe
    from mutkit.model.effect import ServiceShows

_NAME = re.compile("[a-z][a-z0-9_]*")
_USE = re.compile(r"\{service:([^{}]*)\}")

Routes = dict[str, "frozenset[str] | None"]
"""The services of a probe with the titles of their routes; None where a script cannot be read."""


def service_problems(document: Document, probe: Probe, folder: Path, key: Key) -> list[Problem]:
    """Return what is wrong with the services of a probe; their scripts are relative to ``folder``, the campaign's."""
    problems: list[Problem] = []
    for name, script in probe.services.items():
        at = (*key, "services", name)
        if not _NAME.fullmatch(name):
            advice = "Write a lower-case word: it is part of a variable's name."
            problems.append(document.problem("service-name", f"{name!r} is no name of a service", advice, at))
        if (folder / script).is_file():
            problems += _script(folder / script, shown(folder / script))[1]
        else:
            advice = "It is relative to campaign.toml."
            problems.append(document.problem("service-missing", f"{script} does not exist", advice, at))
    known = ", ".join(sorted(probe.services)) or "none"
    for name, text in _texts(probe):
        for used in _USE.findall(text):
            if used not in probe.services and (probe.services or name in ("run", "env")):
                message = f"{{service:{used}}} names no service of the probe"
                problems.append(document.problem("service-unknown", message, f"Services: {known}.", (*key, name)))
    return problems


def _texts(probe: Probe) -> Iterator[tuple[str, str]]:
    """Give the texts of a probe in which a service's URL may stand, each with its key."""
    values: dict[str, Any] = {"env": probe.env}
    match probe:
        case ProcessProbe():
            values |= {"run": list(probe.run), "stdin": probe.stdin}
        case JsonRpcProbe():
            values |= {"run": list(probe.run), "send": probe.send}
        case PythonProbe():
            values |= {"args": probe.args, "kwargs": probe.kwargs}
    for name, value in values.items():
        yield from ((name, text) for text in _leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _leaves(one)


def routes_of(probe: Probe | None, folder: Path) -> Routes:
    """Return the services of a probe with the routes that can be stated of them."""
    if probe is None:
        return {}
    return {name: _script(folder / script, "")[0] for name, script in probe.services.items()}


@functools.lru_cache(maxsize=1024)
def _script(path: Path, named: str) -> tuple[frozenset[str] | None, tuple[Problem, ...]]:
    """Return the titles of a service's routes and what is wrong with its script; several probes may use one."""
    from mutkit.hermetic.services import ServiceScript

    try:
        return ServiceScript.from_toml(path).titles, ()
    except SpecError as error:
        return None, tuple(replace(problem, file=named) for problem in error.problems)


def checked_services(
    document: Document,
    stated: dict[str, ServiceShows],
    table: str,
    routes: Routes,
    problems: list[Problem],
    checked: Callable[[Any, Key], Any],
) -> dict[str, ServiceShows]:
    """Return what a spec states of services with its matchers ``checked``; what is wrong is added to ``problems``."""
    done = {}
    for name, shows in stated.items():
        key: Key = (table, "services", name)
        if name not in routes:
            known = ", ".join(sorted(routes)) or "none"
            message = "is no service of the probe"
            problems.append(document.problem("service-unknown", message, f"Services: {known}.", key))
        if not shows.given():
            advice = "State mutations, requests, routes, unexpected or written."
            problems.append(document.problem("matcher-empty", "is empty", advice, key))
        counts = {"mutations": shows.mutations, "requests": shows.requests, "unexpected": shows.unexpected}
        for what, count in counts.items():
            if count is not None and count < 0:
                problems.append(document.problem("value-range", f"is {count}", "It is 0 or more.", (*key, what)))
        titles = routes.get(name)
        for route, count in shows.routes.items():
            if titles is not None and route not in titles:
                advice = f"Routes: {', '.join(sorted(titles))}."
                problems.append(
                    document.problem("route-unknown", f"{route} is no route", advice, (*key, "routes", route))
                )
            if count < 0:
                problems.append(
                    document.problem("value-range", f"is {count}", "It is 0 or more.", (*key, "routes", route))
                )
        done[name] = replace(shows, written=checked(shows.written, (*key, "written")))
    return done
