"""A mock service begins and ends: no thread, port or socket is left, no write is missed."""

from __future__ import annotations

import gc
import socket
import threading

import pytest

from mutkit.hermetic.services import Fault, MockService, ServiceScript
from mutkit.hermetic.services.service import loopback
from tests.unit.hermetic.services.clients import ask, connected, get, received, sent

WRITE = ServiceScript().on("POST", "/w", effect=True)
POST = b"POST /w HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"


def test_no_thread_port_or_socket_is_left() -> None:
    """Though one client hangs, one reads slowly, one sent half a request, and one sent nothing at all."""
    before = set(threading.enumerate())
    script = (
        WRITE.on("GET", "/hang", fault=Fault("hang"))
        .on("GET", "/slow", content="x" * 100, fault=Fault("slow", pause_ms=60_000))
        .on("GET", "/big", content="x" * 50_000_000)
    )
    with MockService(script) as service:
        url = service.url
        held = [
            sent(url, get("/hang")),
            sent(url, get("/slow")),
            sent(url, get("/big")),
            sent(url, b"GET /"),
            connected(url),
        ]
        service.wait_for_requests(3)
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        connected(url)
    for connection in held:
        connection.close()
    del service
    gc.collect()  # a socket that is left warns here, and warnings are errors


def test_a_write_that_nobody_waits_for_is_counted_at_the_end() -> None:
    """The client sends and is gone; the service ends at once: what had arrived took effect."""
    for _ in range(20):
        with MockService(WRITE) as service:
            for _ in range(5):
                sent(service.url, POST).close()
        service.assert_mutations(5)


def test_an_answer_under_way_is_given_whole() -> None:
    """More than sockets hold: the service ends, and the client that reads gets all of it."""
    with MockService(ServiceScript().on("GET", "/big", content="x" * 20_000_000)) as service:
        with sent(service.url, get("/big")) as connection:
            service.wait_for_requests(1)
            serving = service._running().server_thread
            stopping = threading.Thread(target=service.stop)
            stopping.start()
            assert serving is not None
            serving.join()
            assert len(received(connection).partition(b"\r\n\r\n")[2]) == 20_000_000
        stopping.join()
    assert service.requests[0].ended == "sent"


def test_many_at_once_are_each_counted_once() -> None:
    """Forty clients in eight threads."""
    with MockService(WRITE) as service:

        def write() -> None:
            for _ in range(5):
                ask(service.url + "/w", "POST", b"x")

        threads = [threading.Thread(target=write) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        service.assert_mutations(40)
    assert [request.number for request in service.requests] == list(range(1, 41))


def test_two_services_at_once_know_nothing_of_each_other() -> None:
    """A port and a counter each."""
    with MockService(WRITE) as one, MockService(WRITE) as other:
        assert one.url != other.url
        ask(one.url + "/w", "POST", b"x")
        one.assert_mutations(1)
        other.assert_mutations(0)


def test_a_socket_that_is_given_is_the_one_that_is_served_and_closed() -> None:
    """So a service can listen in another network."""
    listening = loopback()
    port = listening.getsockname()[1]
    with MockService(WRITE, listening=listening) as service:
        assert service.url == f"http://127.0.0.1:{port}"
        ask(service.url + "/w", "POST", b"x")
    assert listening.fileno() == -1
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_what_was_seen_remains_when_the_service_has_ended() -> None:
    """And stopping twice is no fault; before its start it says what to do."""
    service = MockService(WRITE)
    with pytest.raises(RuntimeError, match="was not started"):
        _ = service.url
    service.start()
    ask(service.url + "/w", "POST", b"x")
    service.stop()
    service.stop()
    service.assert_mutations(1)
    service.check()


def test_a_condition_that_does_not_come_is_told_with_what_came() -> None:
    """After its seconds."""
    with MockService(WRITE) as service:
        ask(service.url + "/w", "POST", b"x")
        with pytest.raises(AssertionError, match=r"did not hold within 0\.01 s of\nrequests:\n  1\. POST /w"):
            service.wait_for_requests(2, seconds=0.01)


def test_an_error_of_the_service_itself_is_no_quiet_500(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails the check with its traceback."""
    with MockService(WRITE) as service:

        def broken(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(service._book, "decide", broken)
        assert ask(service.url + "/w", "POST", b"x").status == 500
        with pytest.raises(AssertionError, match=r"the mock service itself failed(?s:.*)ZeroDivisionError"):
            service.check()
        service._running().failures.clear()
