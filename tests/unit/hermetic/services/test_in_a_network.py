"""A mock service in a network of its own: the program in it reaches the service, nobody else does."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from mutkit.hermetic.services import MockService, ServiceScript
from mutkit.model.ending import Exited
from mutkit.process import Network, run

WRITE = ServiceScript().on("POST", "/w", content="done", effect=True)
PROGRAM = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + '/w', b'x').read().decode())"


def write(url: str, network: Network) -> bytes:
    """Have a program in the network write; return what it printed."""
    result = run(
        (sys.executable, "-c", PROGRAM, url), cwd=Path.cwd(), env=dict(os.environ), deadline=30, network=network
    )
    assert result.ending == Exited(0), result.stderr.tail
    return result.stdout.head


def test_a_program_in_a_closed_network_reaches_the_service_that_listens_there() -> None:
    """And this process, which is outside, does not."""
    with Network() as network:
        if not network.isolation.closed:
            pytest.skip(network.isolation.reason)
        with MockService(WRITE, listening=network.listen) as service:
            assert write(service.url, network) == b"done\n"
            port = int(service.url.rpartition(":")[2])
            with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                pass
            with network.connect(port) as connection:  # unless it asks for a socket of that network
                connection.sendall(b"POST /w HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
                assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        service.assert_mutations(2)


def test_without_namespaces_the_service_is_on_this_machines_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same calls, the same answers."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", "off")
    with Network() as network, MockService(WRITE, listening=network.listen()) as service:
        assert not network.isolation.closed
        assert write(service.url, network) == b"done\n"
        service.assert_mutations(1)
