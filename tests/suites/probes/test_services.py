"""Mock services in a probe: what they saw is part of what the program did."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.errors import SpecError
from mutkit.model.campaign import JsonRpcProbe, ProcessProbe, PythonProbe
from mutkit.model.describe import describe_effect
from mutkit.model.effect import Expectation, Finished, Hung, Returned, ServiceShows, same_effect, shows
from mutkit.model.isolation import Isolation
from mutkit.probes import run_probe
from mutkit.report.values import effect_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mutkit.model.campaign import Probe
    from mutkit.model.probe_run import ProbeRun
    from mutkit.stage import Stage

LOST = """
[[route]]
request = { method = "POST", path = "/files" }
effect = true
answer = { status = 201 }
fault = { kind = "reset", when = "after", times = 1 }
"""

UPLOAD = """
import http.client, os, sys, urllib.request
{retries}
def post():
    try:
        urllib.request.urlopen(sys.argv[1] + "/files", b"abc")
    except ConnectionResetError:
        return False
    return True
done = post()
if not done and RETRIES:
    post()
print("uploaded or not known")
"""


@pytest.fixture
def probing(tmp_path: Path, tree: Path, stage: Callable[..., Stage]) -> Callable[..., ProbeRun]:
    """Return a function that probes a program with this source and a service with this script."""

    def probe(source: str, script: str, make: Callable[[dict[str, str]], Probe], deadline: float = 30.0) -> ProbeRun:
        (tree / "program.py").write_text(source)
        (tmp_path / "api.toml").write_text(script)
        return run_probe(make({"api": "api.toml"}), stage(deadline))

    return probe


def process(*words: str, **more: Any) -> Callable[[dict[str, str]], Probe]:
    """Return how a process probe of the program is made."""
    return lambda services: ProcessProbe("process", ("{python}", "program.py", *words), services=services, **more)


def test_a_write_that_is_sent_twice_is_another_behaviour(probing: Callable[..., ProbeRun]) -> None:
    """Exit and output are the same: the service alone tells the two programs apart, and reports say so."""
    once = probing(UPLOAD.replace("{retries}", "RETRIES = False"), LOST, process("{service:api}"))
    twice = probing(UPLOAD.replace("{retries}", "RETRIES = True"), LOST, process("{service:api}"))
    assert once.effect == twice.effect == Finished(0, b"uploaded or not known\n", b"")
    assert not same_effect(once.effect, twice.effect)
    healthy = Expectation(exits=0, services={"api": ServiceShows(mutations=1)})
    defective = Expectation(exits=0, services={"api": ServiceShows(mutations=2, written="abc")})
    assert shows(healthy, once.effect)
    assert not shows(healthy, twice.effect)
    assert shows(defective, twice.effect)
    assert not shows(defective, once.effect)
    assert describe_effect(twice.effect).endswith("; service api saw 2 mutations in 2 requests")
    table = effect_json(twice.effect)["services"]["api"]
    assert (table["mutations"], [request["answer"] for request in table["requests"]]) == (2, ["reset", "201"])
    [seen] = twice.services
    assert [request.body for request in seen.requests] == [b"abc", b"abc"]


def test_two_runs_of_one_program_are_the_same(probing: Callable[..., ProbeRun]) -> None:
    """Ports, times and what clients say of themselves are no behaviour."""
    source = UPLOAD.replace("{retries}", "RETRIES = True")
    runs = [probing(source, LOST, process("{service:api}")) for _ in range(2)]
    assert same_effect(runs[0].effect, runs[1].effect)


def test_the_url_is_in_words_variables_and_input(probing: Callable[..., ProbeRun]) -> None:
    """Where the probe names it, and in a variable of its own."""
    source = """
import os, sys
print({sys.argv[1], os.environ["URL"], os.environ["MUTKIT_SERVICE_API"], sys.stdin.read()}, "{python}")
"""
    made = process("{service:api}", env={"URL": "{service:api}"}, stdin="{service:api}")
    effect = probing(source, LOST, made).effect
    assert isinstance(effect, Finished)
    assert effect.stdout.startswith(b"{'http://127.0.0.1:")
    assert effect.stdout.endswith(b"'} {python}\n")


def test_a_function_and_a_server_are_given_the_url_too(probing: Callable[..., ProbeRun]) -> None:
    """In arguments and in messages."""
    source = """
import json, sys, urllib.request

def write(url):
    return urllib.request.urlopen(url + "/files", b"").status

if __name__ == "__main__":
    asked = json.loads(sys.stdin.readline())
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": write(asked["params"]["urls"][0])}))
"""
    script = LOST.partition("fault")[0]
    called = probing(source, script, lambda s: PythonProbe("python", "program:write", ("{service:api}",), services=s))
    send = {"method": "write", "params": {"urls": ["{service:api}"]}}
    asked = probing(
        source,
        script,
        lambda s: JsonRpcProbe("jsonrpc", ("{python}", "program.py"), send, handshake="none", services=s),
    )
    for run in (called, asked):
        assert run.effect == Returned(201)
        assert [seen.mutations for seen in run.services] == [1]


def test_what_a_program_did_before_it_hung_is_seen(probing: Callable[..., ProbeRun]) -> None:
    """The service hangs too, and neither keeps the probe from its end."""
    script = '[[route]]\nrequest = { path = "/h" }\neffect = true\nfault = { kind = "hang", when = "after" }\n'
    source = "import sys, urllib.request\nurllib.request.urlopen(sys.argv[1] + '/h')\n"
    run = probing(source, script, process("{service:api}"), deadline=1.5)
    assert isinstance(run.effect, Hung)
    assert [seen.mutations for seen in run.effect.services] == [1]


def test_a_write_that_the_program_does_not_wait_for_is_counted(probing: Callable[..., ProbeRun]) -> None:
    """It ends as soon as the request is sent."""
    source = """
import os, socket, sys
host, port = sys.argv[1].rpartition("/")[2].split(":")
socket.create_connection((host, int(port))).sendall(b"POST /files HTTP/1.1\\r\\nContent-Length: 0\\r\\n\\r\\n")
os._exit(0)
"""
    run = probing(source, LOST, process("{service:api}"))
    assert [seen.mutations for seen in run.services] == [1]


def test_a_script_that_is_wrong_is_told_before_the_program_starts(probing: Callable[..., ProbeRun]) -> None:
    """By its fault."""
    with pytest.raises(SpecError, match=r"route\[0\]\.efect: is not a key \[service-script\] Did you mean `effect`"):
        probing("", "[[route]]\nefect = true\n", process())


def test_a_program_reaches_its_services_and_nothing_else(
    probing: Callable[..., ProbeRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener of this machine is out of reach, unless the machine allows no network of its own: the run says so."""
    source = """
import socket, sys, urllib.request
urllib.request.urlopen(sys.argv[1] + "/files", b"")
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), 10)
    print("reached")
except ConnectionRefusedError:
    print("refused")
"""
    script = LOST.partition("fault")[0]
    with socket.create_server(("127.0.0.1", 0)) as other:
        made = process("{service:api}", str(other.getsockname()[1]))
        apart = probing(source, script, made)
        monkeypatch.setenv("MUTKIT_NAMESPACES", "off")
        together = probing(source, script, made)
    assert together.isolation == Isolation("open", "namespaces are turned off by MUTKIT_NAMESPACES=off")
    assert together.effect == Finished(0, b"reached\n", b"")
    assert apart.isolation is not None
    assert apart.effect == Finished(0, b"refused\n" if apart.isolation.closed else b"reached\n", b"")
    assert [seen.mutations for run in (apart, together) for seen in run.services] == [1, 1]
