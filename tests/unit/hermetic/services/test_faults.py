"""Each fault of a mock service as real clients see it over real sockets, and what is counted."""

from __future__ import annotations

import errno
import http.client
import json
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic.services import Fault, MockService, ServiceScript
from mutkit.hermetic.services.delivery import Delivery, deliver
from tests.unit.hermetic.services.clients import ask, get, received, sent

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.model.service import FaultKind

BODY = "0123456789" * 20


def one(fault: Fault | None) -> ServiceScript:
    """Return a service that answers GET /x with a text of 200 bytes and a fault."""
    return ServiceScript().on("GET", "/x", content=BODY, fault=fault)


def test_without_a_fault_the_answer_comes_whole_and_in_one_send() -> None:
    """Head and body: a client that reads once has all."""
    with MockService(one(None)) as service:
        answer = ask(service.url + "/x")
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, BODY.encode(), "200")
    assert len(service.requests[0].sends) == 1
    assert service.requests[0].ended == "sent"


@pytest.mark.parametrize(("at", "before"), [(None, b""), (7, b"0123456")])
def test_a_reset_is_an_rst(at: int | None, before: bytes) -> None:
    """The client reads what was sent, then ECONNRESET and no end of file."""
    with MockService(one(Fault("reset", at=at))) as service, sent(service.url, get("/x")) as connection:
        got, number = b"", 0
        try:
            while piece := connection.recv(65536):
                got += piece
        except OSError as error:
            number = error.errno or 0
    assert number == errno.ECONNRESET, "the end of the connection came, not a reset"
    assert got.partition(b"\r\n\r\n")[2] == before
    assert service.requests[0].ended == "reset"


def test_a_closed_connection_ends_without_a_byte() -> None:
    """And without a reset."""
    with MockService(one(Fault("close"))) as service:
        assert received(sent(service.url, get("/x"))) == b""
        with pytest.raises(http.client.RemoteDisconnected):
            ask(service.url + "/x")
    assert [request.answer for request in service.requests] == ["closed without a byte"] * 2


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("at", "length"), [(None, 100), (3, 3)])
def test_a_cut_body_is_told_by_its_length_or_its_missing_end(chunked: bool, at: int | None, length: int) -> None:
    """http.client has the part that came."""
    cut = one(Fault("cut", at=at, chunked=chunked))
    with MockService(cut) as service, pytest.raises(http.client.IncompleteRead) as caught:
        ask(service.url + "/x")
    assert caught.value.partial == BODY[:length].encode()
    assert service.requests[0].answer == f"200 cut after {length} of 200 bytes"


def test_a_malformed_status_line_is_no_answer() -> None:
    """The line is the script's."""
    malformed = one(Fault("malformed", status_line="SMTP ready"))
    with MockService(malformed) as service, pytest.raises(http.client.BadStatusLine, match="SMTP ready"):
        ask(service.url + "/x")


def test_a_slow_answer_is_a_send_for_each_byte_and_comes_whole() -> None:
    """The record has the sizes, for both paces; so many bytes a send where the script says so."""
    script = (
        one(Fault("slow"))
        .on("GET", "/acked", content=BODY, fault=Fault("slow", pace="acked"))
        .on("GET", "/seven", content=BODY, fault=Fault("slow", chunk=7, pause_ms=0.1))
    )
    with MockService(script) as service:
        answers = [ask(service.url + path) for path in ("/x", "/acked", "/seven")]
    assert {answer.body for answer in answers} == {BODY.encode()}
    whole = sum(service.requests[0].sends)
    assert [request.sends for request in service.requests[:2]] == [(1,) * whole] * 2
    assert set(service.requests[2].sends[:-1]) == {7}


class Never:
    """A service that does not end."""

    def fileno(self) -> int:
        """Return no descriptor: nothing waits for it here."""
        return -1

    def wait(self, _: float) -> bool:
        """Return at once."""
        return False


def test_each_piece_is_a_send_of_its_own() -> None:
    """Proved where the kernel keeps messages apart: what one send holds is what one read gets."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pieces = tuple(bytes([number]) for number in range(100))
    with ours, theirs:
        assert list(deliver(ours, Delivery(pieces, "", 200), Never())) == [1] * 100
        assert [theirs.recv(65536) for _ in range(100)] == list(pieces)


@pytest.mark.parametrize(
    ("fault", "mutations", "error"),
    [
        (Fault("status", "before", times=1, status=500), 1, None),
        (Fault("status", "after", times=1, status=502), 2, None),
        (Fault("reset", "before", times=1), 1, ConnectionResetError),
        (Fault("reset", "after", times=1), 2, ConnectionResetError),
        (Fault("close", "before", times=1), 1, http.client.RemoteDisconnected),
        (Fault("close", "after", times=1), 2, http.client.RemoteDisconnected),
        (Fault("cut", "after", times=1), 2, http.client.IncompleteRead),
        (Fault("malformed", "after", times=1), 2, http.client.BadStatusLine),
        (Fault("slow", times=1), 2, None),
    ],
)
def test_what_fails_before_the_effect_is_not_counted_and_what_fails_after_it_is(
    fault: Fault, mutations: int, error: type[Exception] | None
) -> None:
    """The client sees the same failure either way, and asks again: the counter tells the two apart."""
    script = ServiceScript().on("POST", "/files", status=201, json={"id": "{id}"}, effect=True, stores="f", fault=fault)
    with MockService(script) as service:
        if error is None:
            first = ask(service.url + "/files", "POST", b"a")
            assert first.status == (fault.status if fault.kind == "status" else 201)
        else:
            with pytest.raises(error):
                ask(service.url + "/files", "POST", b"a")
        assert service.mutations == mutations - 1
        again = ask(service.url + "/files", "POST", b"a")
        assert (again.status, json.loads(again.body)) == (201, {"id": f"f-{mutations}"})
        service.assert_mutations(mutations)
    assert [request.effect for request in service.requests] == [mutations == 2, True]


def test_a_hang_blocks_nobody_else_and_ends_with_the_client() -> None:
    """A hundred other requests are answered while three hang; when a client goes, the record says so."""
    script = ServiceScript().on("GET", "/hang", fault=Fault("hang")).on("GET", "/ok", content="ok")
    with MockService(script) as service:
        hanging = [sent(service.url, get("/hang")) for _ in range(3)]
        service.wait_for_requests(3)
        assert {ask(service.url + "/ok").body for _ in range(100)} == {b"ok"}
        assert [request.ended for request in service.requests[:3]] == [""] * 3
        hanging[0].close()
        service.wait_for(lambda requests: "client-gone" in [request.ended for request in requests[:3]])
        service.stop()
        assert [received(connection) for connection in hanging[1:]] == [b"", b""]
    assert sorted(request.ended for request in service.requests[:3]) == [
        "client-gone",
        "service-ended",
        "service-ended",
    ]


def test_a_hang_in_mid_body_sends_its_part_first() -> None:
    """What a reader of a stream has when nothing more comes."""
    with MockService(one(Fault("hang", at=5))) as service, sent(service.url, get("/x")) as connection:
        got = b""
        while not got.endswith(b"01234"):
            got += connection.recv(65536)
        assert service.requests[0].ended == ""


def test_a_write_that_hangs_after_its_effect_is_counted_while_it_hangs() -> None:
    """The client knows nothing, the counter does."""
    script = ServiceScript().on("POST", "/w", effect=True, fault=Fault("hang", "after"))
    with MockService(script) as service, sent(service.url, b"POST /w HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"):
        service.wait_for_requests(1)
        service.assert_mutations(1)


@pytest.mark.parametrize(("times", "statuses"), [(2, [503, 503, 200]), (0, [503, 503, 503])])
def test_a_write_is_acknowledged_and_reads_of_it_fail(times: int, statuses: list[int]) -> None:
    """For each thing that was written by itself; the counter stays."""
    script = (
        ServiceScript()
        .on("POST", "/f", json={"id": "{id}"}, effect=True, stores="f", reads_fail=Fault("status", times=times))
        .on("GET", "/f/{id}", reads="f")
    )
    with MockService(script) as service:
        for number in (1, 2):
            assert json.loads(ask(service.url + "/f", "POST", b"abc").body) == {"id": f"f-{number}"}
            assert [ask(service.url + f"/f/f-{number}").status for _ in range(3)] == statuses
        service.assert_mutations(2)


CURL: list[tuple[FaultKind, int]] = [("reset", 56), ("close", 52), ("cut", 18)]


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_curl_tells_the_faults_apart() -> None:
    """Its exit codes: reset while receiving, empty reply, transfer ended with bytes outstanding."""
    script = ServiceScript()
    for kind, _ in CURL:
        script = script.on("GET", f"/{kind}", content=BODY, fault=Fault(kind))
    with MockService(script) as service:
        command = ["curl", "-q", "--noproxy", "*", "--silent", "--output", "/dev/null"]
        for kind, code in CURL:
            assert subprocess.run([*command, f"{service.url}/{kind}"], check=False).returncode == code, kind


NODE = """
const got = {}
for (const path of ['reset', 'close', 'cut', 'malformed', 'slow']) {
  try { got[path] = (await (await fetch(process.argv[2] + '/' + path)).text()).length }
  catch (error) { got[path] = (error.cause || error).code || error.message }
}
console.log(JSON.stringify(got))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")
def test_node_tells_the_faults_apart(tmp_path: Path) -> None:
    """Its fetch names a reset, an end by the other side, and what is no HTTP."""
    kinds: list[FaultKind] = ["reset", "close", "cut", "malformed", "slow"]
    script = ServiceScript()
    for kind in kinds:
        script = script.on("GET", f"/{kind}", content=BODY, fault=Fault(kind))
    (tmp_path / "client.mjs").write_text(NODE)
    with MockService(script) as service:
        done = subprocess.run(
            ["node", str(tmp_path / "client.mjs"), service.url], capture_output=True, text=True, check=True
        )
    got = json.loads(done.stdout)
    assert got["reset"] == "ECONNRESET"
    assert got["close"] == "UND_ERR_SOCKET"
    assert got["cut"] in ("UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_SOCKET")  # by the version of Node
    assert got["malformed"].startswith("HPE_")
    assert got["slow"] == 200
