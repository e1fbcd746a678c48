"""Owns the tests of what a run keeps apart from this machine's network, and of what its reports say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.dialling import outside
from tests.projects import CAMPAIGN, SOURCE, SPEC, TESTS, write_project
from tests.spine.test_exit_codes import mutkit, report_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from pathlib import Path

OFF = {"MUTKIT_NAMESPACES": "off"}
DIAL = """
import socket

def dial(address):
    try:
        socket.create_connection(tuple(address), 10).close()
    except OSError:
        return "out of reach"
    return "reached"
"""
CASE = """

def test_the_outside_is_reached():
    from dialling import dial
    assert dial({address!r}) == "reached"
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Return a socket that listens outside of the loopback: without isolation it is reached."""
    with outside() as one:
        yield one


def project(folder: Path, listener: socket.socket, *, suite: str = "", probe: str = "") -> None:
    """Write a project with a case that calls out; ``suite`` and ``probe`` are more keys of them."""
    write_project(
        folder,
        {
            "dialling.py": DIAL,
            "tests/test_greeting.py": TESTS + CASE.format(address=list(listener.getsockname()[:2])),
            "specs/greeting/campaign.toml": CAMPAIGN.replace("[probes.greet]", f"{suite}\n[probes.greet]"),
            "specs/greeting/blank-name.toml": SPEC.replace('args = [" "]', f'args = [" "]\n{probe}'),
            "greeting.py": SOURCE,
        },
    )


def test_a_suite_that_calls_out_is_red_and_the_report_says_what_it_could_reach(
    tmp_path: Path, listener: socket.socket
) -> None:
    """The case fails in a network with only a loopback; the reasons name that, and the key that opens it."""
    project(tmp_path, listener)
    done = mutkit(tmp_path, "run", "specs")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "isolation: network loopback only" in done.stdout
    assert "[network-closed]" in done.stdout
    assert 'set network = "host" in [suite]' in done.stdout


def test_a_suite_that_asks_for_the_network_has_it_and_the_report_says_so(
    tmp_path: Path, listener: socket.socket
) -> None:
    """With the key the same case passes, and the spec is killed; suite and probe are told apart."""
    project(tmp_path, listener, suite='network = "host"')
    report = report_of(mutkit(tmp_path, "run", "specs", "--json", "-"))
    assert report["exit"]["code"] == 0
    assert report["isolation"] == {
        "network": "mixed",
        "parts": {
            "greeting: suite": {"network": "open", "reason": "it was asked for"},
            "greeting/blank-name: probe": {"network": "loopback only", "reason": ""},
        },
    }


def test_without_namespaces_the_network_is_open_and_the_text_says_why(tmp_path: Path, listener: socket.socket) -> None:
    """The run goes on: the case reaches the outside, the spec is judged, and nobody is told that it was kept apart."""
    project(tmp_path, listener)
    done = mutkit(tmp_path, "run", "specs", env=OFF)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "isolation: network OPEN (namespaces are turned off by MUTKIT_NAMESPACES=off)" in done.stdout
    assert "loopback only" not in done.stdout


def test_without_namespaces_the_json_says_of_each_part_that_its_network_was_open(tmp_path: Path) -> None:
    """No part is left out, and each has its reason."""
    write_project(tmp_path)
    report = report_of(mutkit(tmp_path, "run", "specs", "--json", "-", env=OFF))
    reason = "namespaces are turned off by MUTKIT_NAMESPACES=off"
    assert report["isolation"]["network"] == "open"
    assert report["isolation"]["parts"] == {
        name: {"network": "open", "reason": reason} for name in ("greeting: suite", "greeting/blank-name: probe")
    }


def test_a_probe_may_ask_for_the_network(tmp_path: Path, listener: socket.socket) -> None:
    """A probed function reaches the outside with the key alone; without it the healthy program is not seen."""
    address = list(listener.getsockname()[:2])
    calls_out = SPEC.replace('call = "greeting:greet"\nargs = [" "]', f'call = "dialling:dial"\nargs = [{address}]')
    healthy = calls_out.replace('raises = { type = "ValueError", message = "no name" }', 'returns = "reached"')
    project(tmp_path, listener, suite='network = "host"')
    spec = tmp_path / "specs/greeting/blank-name.toml"
    spec.write_text(healthy, encoding="utf-8")
    closed = report_of(mutkit(tmp_path, "run", "specs", "--json", "-"))
    [judgement] = closed["judgements"]
    assert judgement["verdict"] == "baseline-failed"
    assert [reason["slug"] for reason in judgement["reasons"]] == ["healthy-not-shown", "network-closed"]
    spec.write_text(healthy.replace("[healthy]", 'network = "host"\n\n[healthy]'), encoding="utf-8")
    opened = report_of(mutkit(tmp_path, "run", "specs", "--json", "-"))
    [judgement] = opened["judgements"]
    assert judgement["verdict"] != "baseline-failed"
    assert judgement["observed"]["baseline"]["text"] == 'returned "reached"'
