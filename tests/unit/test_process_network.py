"""What a program reaches in a network of its own, and what happens where there can be none."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mutkit
from mutkit.errors import HostError
from mutkit.model.ending import Exited
from mutkit.model.isolation import Isolation
from mutkit.process import Network, run
from tests.dialling import OUTSIDE, dials, outside

if TYPE_CHECKING:
    from collections.abc import Iterator

PYTHON = [sys.executable, "-I", "-S", "-c"]


@pytest.fixture
def network() -> Iterator[Network]:
    """Give a network of its own."""
    with Network() as made:
        if not made.isolation.closed:
            pytest.skip(made.isolation.reason)
        yield made


def said(code: str, network: Network | None, *words: str) -> str:
    """Return what a Python prints that runs `code`."""
    result = run([*PYTHON, code, *words], cwd=Path("/"), env={}, deadline=30, network=network)
    assert result.ending == Exited(0), result.stderr.text
    return result.stdout.text.strip()


def test_a_child_of_a_program_reaches_the_outside_only_without_a_network_of_its_own(network: Network) -> None:
    """The same listener, on an interface of this machine, the same program: only the network differs."""
    with outside() as listener:
        assert said(dials(listener), None) == "reached"
        assert said(dials(listener), network) == OUTSIDE


def test_with_namespaces_turned_off_the_outside_is_reached_and_the_reason_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run all the same, and nobody may believe that they were kept apart."""
    monkeypatch.setenv("MUTKIT_NAMESPACES", "off")
    with Network() as network, outside() as listener:
        assert network.isolation == Isolation("open", "namespaces are turned off by MUTKIT_NAMESPACES=off")
        assert said(dials(listener), network) == "reached"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_program_reaches_a_server_of_its_owner_on_its_loopback(network: Network, host: str) -> None:
    """The socket is made inside, and is used outside; the loopback outside is another one."""
    try:
        listener = network.listen(host=host)
    except OSError as error:
        if host == "127.0.0.1":
            raise
        pytest.skip(f"no IPv6 here: {error}")
    with listener:
        listener.settimeout(30)
        assert said(dials(listener), network) == "reached"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(listener.getsockname()[:2], 10)


def test_the_owner_reaches_a_server_that_runs_inside(network: Network) -> None:
    """A test talks to the program under test from its own process."""
    listens = "import socket; it = socket.create_server(('127.0.0.1', 0)); print(it.getsockname()[1], flush=True);"
    argv = [*PYTHON, listens + "it.accept()[0].sendall(b'from inside')"]
    from mutkit.process import Child

    with Child(argv, cwd=Path("/"), env={}, network=network) as server:
        port = int(server.receive(30) or b"0")
        with network.connect(port) as ours:
            ours.settimeout(30)
            assert ours.recv(100) == b"from inside"
        assert server.finish(30).ending == Exited(0)
    with pytest.raises(ConnectionRefusedError):
        network.connect(port)


def test_a_program_is_who_it_would_be_outside(network: Network) -> None:
    """User, groups, working directory, environment and open files are those of a program that is not kept apart."""
    code = (
        "import os, sys; print(os.getuid(), os.geteuid(), os.getgid(), os.getgroups(), os.getcwd(), dict(os.environ),"
        " os.listdir('/proc/self/fd'), os.umask(0), os.stat(sys.executable).st_uid)"
    )
    assert said(code, network) == said(code, None)


def test_two_networks_have_ports_of_their_own(network: Network) -> None:
    """What one worker's subject listens on is free for another's."""
    with Network() as other, network.listen() as one, other.listen(one.getsockname()[1]) as two:
        assert one.getsockname() == two.getsockname()
        with pytest.raises(OSError, match="in use"):
            network.listen(one.getsockname()[1])


def test_sockets_are_made_for_many_threads_at_once(network: Network) -> None:
    """Each gets its own: answers are not mixed up."""
    made: list[socket.socket] = []
    threads = [threading.Thread(target=lambda: made.extend(network.listen() for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({listener.getsockname()[1] for listener in made}) == 80
    for listener in made:
        listener.close()


def test_a_network_that_was_given_up_makes_no_sockets(network: Network) -> None:
    """An error that says so, not a socket of the network outside."""
    network.close()
    with pytest.raises(HostError, match="no socket can be made"):
        network.listen()


def test_a_network_that_cannot_be_joined_is_no_refusal_of_the_program(network: Network) -> None:
    """The machine is to blame: neither an ending of the program nor a run outside."""
    with open(os.devnull, "rb") as no_namespace:
        network_like = Network(closed=False)
        network_like.namespaces = (os.dup(no_namespace.fileno()),)
    with network_like, pytest.raises(HostError, match="no program can be started in a network of its own") as caught:
        run(["true"], cwd=Path("/"), env={}, deadline=10, network=network_like)
    assert caught.value.slug == "network-namespace"


OWNER = """
import os, signal, sys
sys.path.insert(0, {root!r})
from mutkit.process import Network
network = Network()
forked = os.fork()
if forked:
    print(os.readlink(f"/proc/{{network._holder.pid}}/ns/net"), network._holder.pid, forked, flush=True)
signal.pause()
"""


def test_the_holder_ends_when_its_owner_is_killed_though_a_fork_of_it_lives_on(network: Network) -> None:
    """No process is left behind, and so no network."""
    root = str(Path(mutkit.__file__).parents[1])
    owner = subprocess.Popen([sys.executable, "-c", OWNER.format(root=root)], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    _, holder, fork = owner.stdout.readline().split()
    watch = os.pidfd_open(int(holder))
    assert not select.select([watch], [], [], 0)[0]
    owner.kill()
    owner.wait()
    assert select.select([watch], [], [], 30)[0]
    os.close(watch)
    os.kill(int(fork), signal.SIGKILL)
    owner.stdout.close()


AS_NOBODY = """
import os, sys
os.setgroups([])
os.setgid({gid})
os.setuid({uid})
sys.path.insert(0, {root!r})
if sys.version_info < (3, 10) or not os.access({root!r} + "/mutkit/__init__.py", os.R_OK):
    raise SystemExit("nobody has a Python that mutkit supports, or may not read this repository")
from pathlib import Path
from mutkit.process import Network, run
with Network() as network:
    print(network.isolation, len(network.namespaces))
    with network.listen() as listener:
        code = sys.argv[1].replace("PORT", str(listener.getsockname()[1]))
        argv = [{python!r}, "-I", "-S", "-c", code]
        print(run(argv, cwd=Path("/"), env={{}}, deadline=30, network=network).stdout.text)
"""


def test_a_user_without_rights_has_networks_of_their_own_too(network: Network) -> None:
    """In a user namespace, in which the program is who it was."""
    if os.getuid() != 0:
        pytest.skip("the tests run without rights anyhow")
    python = next((p for p in ("/usr/bin/python3", "/usr/local/bin/python3") if Path(p).exists()), None)
    if python is None:
        pytest.skip("there is no Python that every user may start")
    code = (
        "import os, socket; print(os.getuid(), os.getgid()); socket.create_connection(('127.0.0.1', PORT), 9);"
        "print(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect_ex(('192.0.2.1', 9)))"
    )
    root = str(Path(mutkit.__file__).parents[1])
    script = AS_NOBODY.format(uid=65534, gid=65534, root=root, python=python)
    done = subprocess.run([python, "-I", "-c", script, code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines()[:3] == ["Isolation(network='loopback only', reason='') 2", "65534 65534", "101"], (
        done
    )


def test_where_namespaces_are_forbidden_the_reason_says_by_what(tmp_path: Path) -> None:
    """The kernel's own words, and the setting behind them: tried in a user namespace that allows no others."""
    forbid = 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"'
    root = str(Path(mutkit.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {root!r}); from mutkit.process import Network; print(Network().isolation)"
    argv = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh", sys.executable, "-c", code]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare command")
    if "Isolation" not in done.stdout:
        pytest.skip(f"the limit cannot be set here: {done.stderr}")
    assert "network='open'" in done.stdout
    assert "No space left on device" in done.stdout
    assert "user.max_net_namespaces is 0" in done.stdout
