"""Which number a worker has, and which ports a sandbox gives: none to two at a time."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mutkit
from mutkit.errors import HostError
from mutkit.hermetic import Network, Sandbox
from mutkit.hermetic.sandbox import ports, worker_index
from mutkit.hermetic.sandbox.ports import SIZE, Ports
from mutkit.model.ending import Exited

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTENS = """
import socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
listener.accept()[0].sendall(b"from within")
"""


@pytest.mark.parametrize(
    ("variables", "number"),
    [
        ({}, 0),
        ({"MUTKIT_WORKER": "3"}, 3),
        ({"PYTEST_XDIST_WORKER": "gw12"}, 12),
        ({"MUTKIT_WORKER": "3", "PYTEST_XDIST_WORKER": "gw12"}, 3012),
        ({"MUTKIT_WORKER": "0", "PYTEST_XDIST_WORKER": "gw1"}, 1),
        ({"MUTKIT_WORKER": "three", "PYTEST_XDIST_WORKER": "master"}, 0),
    ],
)
def test_the_number_of_a_worker_is_that_of_mutkit_and_of_xdist(variables: dict[str, str], number: int) -> None:
    """Two suites of a campaign that both use pytest-xdist have no number in common."""
    assert worker_index(variables) == number


def test_a_sandbox_has_the_number_of_the_worker_that_runs_its_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an attribute, in the variable and as a word."""
    monkeypatch.delenv("MUTKIT_WORKER", raising=False)
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw4")
    sandbox = Sandbox(tmp_path)
    assert (sandbox.worker, sandbox.env["MUTKIT_WORKER"], sandbox.fill("w{worker}")) == (4, "4", "w4")


def test_a_sandbox_in_a_campaigns_suite_goes_on_counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program in it starts with mutkit has the same number again."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("MUTKIT_WORKER", "2")
    sandbox = Sandbox(tmp_path)
    assert sandbox.worker == worker_index(sandbox.env) == 2


@pytest.mark.parametrize("namespaces", ["on", "off"])
def test_a_program_listens_on_its_port_and_the_test_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, namespaces: str
) -> None:
    """The same name, the same port; other names, other ports; the same code with a network of its own and without."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", namespaces)
    with Sandbox(tmp_path) as sandbox:
        assert sandbox.port("api") == sandbox.port("api") != sandbox.port() == int(sandbox.fill("{port}"))
        words = [sandbox.fill(word) for word in ("{port:api}", "{port}{port:x", "{port:}", "{ports}")]
        assert words == [str(sandbox.port("api")), f"{sandbox.port()}{{port:x", "{port:}", "{ports}"]
        program = sandbox.start([sys.executable, "-I", "-S", "-c", LISTENS, words[0]])
        assert program.receive(30) == b"listening\n"
        with sandbox.connect(sandbox.port("api")) as ours:
            ours.settimeout(30)
            assert ours.recv(100) == b"from within"
        assert program.finish(30).ending == Exited(0)
        assert sandbox.isolation is not None
        if namespaces == "off":
            assert str(sandbox.isolation.reason) == "namespaces are turned off by MUTKIT_NAMESPACES=off"


def test_ports_of_a_network_of_its_own_are_distinct_by_name(tmp_path: Path) -> None:
    """The kernel may name the same free port twice: nobody listens on it yet."""
    with Sandbox(tmp_path) as sandbox:
        if not sandbox.network.isolation.closed:
            pytest.skip(sandbox.network.isolation.reason)
        listen, first, asked = sandbox.network.listen, sandbox.port("a"), [0]

        def twice(*_: int) -> socket.socket:
            asked[0] += 1
            return listen(first if asked[0] < 3 else 0)

        sandbox.network.listen = twice  # type: ignore[method-assign, assignment]
        assert sandbox.port("b") != first
        assert asked == [3]


OTHER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from mutkit.hermetic.sandbox.ports import Ports
from mutkit.process import Network
network = Network()
def given():
    ports = Ports(int(sys.argv[2]))
    return [ports.port(str(number), network) for number in range(3)]
print(json.dumps(given()), flush=True)
forked = os.fork()
if not forked:
    print(json.dumps(given()), flush=True)
sys.stdin.read()
if forked:
    os.waitpid(forked, 0)
"""


@pytest.fixture
def open_network(monkeypatch: pytest.MonkeyPatch) -> Network:
    """Return the network that all share, as where no other can be made."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", "off")
    return Network()


def test_in_the_shared_network_no_two_processes_have_a_port_in_common(open_network: Network) -> None:
    """Not even with the same number: a worker of another suite, another user's, or a fork."""
    ours = Ports(5)
    root = str(Path(mutkit.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, root, "5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        given = [ours.port(str(number), open_network) for number in range(3)]
        given += [port for _ in range(2) for port in json.loads(other.stdout.readline())]
        other.stdin.close()
    ours.close()
    assert other.returncode == 0
    assert len(set(given)) == 9, given
    assert all(ports.FIRST <= port < ports.BEYOND for port in given)


@pytest.fixture
def shared() -> Iterator[ports._SharedPorts]:
    """Return a block of ports that this process has not had."""
    made = ports._SharedPorts()
    yield made
    if made._claim is not None:
        made._claim.close()


def test_what_a_stranger_listens_on_is_not_given_and_what_is_given_back_is_again(shared: ports._SharedPorts) -> None:
    """Until no port is left: then an error says so, with the ports that it is about."""
    first = shared.take(0)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as stranger:
        stranger.bind(("127.0.0.1", first + 1))
        given = [first]
        with pytest.raises(
            HostError, match=f"none of the ports {first} to {first + SIZE - 1} of this worker"
        ) as caught:
            given.extend(iter(lambda: shared.take(0), None))
        assert caught.value.slug == "no-port"
    assert first + 1 not in given
    assert len(set(given)) == len(given) > SIZE / 2  # others on this machine may have some
    shared.give_back([given[3]])
    assert {shared.take(0), shared.take(0)} == {given[3], first + 1}


def test_workers_begin_with_different_blocks_and_go_on_from_there(
    shared: ports._SharedPorts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a port in a log tells whose it was, where nobody was there first; numbers have no limit."""
    count = (ports._beyond() - ports.FIRST) // SIZE
    tried = []

    def claim(number: int) -> socket.socket | None:
        tried.append(number)
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) if len(tried) == 3 else None

    monkeypatch.setattr(ports, "_claim", claim)
    assert shared.take(3 * count - 2) in range(ports.FIRST, ports.FIRST + SIZE)
    assert tried == [count - 2, count - 1, 0]


def test_where_all_blocks_are_in_use_it_is_said(shared: ports._SharedPorts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is given a port that may be another's."""
    monkeypatch.setattr(ports, "_claim", lambda _: None)
    with pytest.raises(HostError, match=r"all \d+ blocks of ports are in use") as caught:
        shared.take(0)
    assert caught.value.slug == "no-port"


def test_a_sandbox_gives_its_ports_back(tmp_path: Path, open_network: Network) -> None:
    """A session has more cases than a block has ports."""
    before = set(ports._shared._taken)
    with Sandbox(tmp_path, network=open_network) as sandbox:
        port = sandbox.port()
        assert port in ports._shared._taken
    assert ports._shared._taken == before
