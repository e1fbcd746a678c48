"""A mock service: what it matches, stores, counts and records, and what its assertions show."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic.services import Fault, Matcher, MockService, ServiceScript
from mutkit.model.service import Operation
from tests.unit.hermetic.services.clients import ask, get, received, sent

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.hermetic.services.script import Where

STORE = (
    ServiceScript()
    .on(
        "POST",
        "/files",
        status=201,
        json={"id": "{id}", "sha256": "{sha256}", "size": "{size}", "url": "{url}/files/{id}"},
        effect=True,
        stores="files",
        operation="{header:Idempotency-Key}",
    )
    .on("GET", "/files/{id}", reads="files")
)


def test_what_is_written_is_read_back_with_its_type_under_the_id_that_was_answered() -> None:
    """Ids are the same in every run; the receipt names digest, size and address."""
    body = b"\x00\xffabc"
    with MockService(STORE) as service:
        written = ask(service.url + "/files", "POST", body, {"Content-Type": "image/x"})
        receipt = json.loads(written.body)
        assert receipt == {
            "id": "files-1",
            "sha256": hashlib.sha256(body).hexdigest(),
            "size": 5,
            "url": f"{service.url}/files/files-1",
        }
        read = ask(receipt["url"])
        assert (read.status, read.body, read.headers["content-type"]) == (200, body, "image/x")
        assert ask(service.url + "/files/files-2").status == 404
    assert [request.resource for request in service.requests] == ["files-1", "files-1", "files-2"]


def test_deliveries_of_one_operation_are_told_from_two_operations() -> None:
    """The counter counts effects; the operations say how many were meant."""
    with MockService(STORE) as service:
        for key in ("a", "a", "b"):
            ask(service.url + "/files", "POST", b"x", {"Idempotency-Key": key})
        service.assert_mutations(3)
        assert service.operations == {"a": Operation("a", 2, 2), "b": Operation("b", 1, 1)}
    assert [request.header("idempotency-key") for request in service.requests] == ["a", "a", "b"]


def test_an_idempotent_write_has_one_effect_and_its_first_answer_again() -> None:
    """Also where that answer was lost; without a key nothing is known to be a repeat."""
    script = ServiceScript().on(
        "POST",
        "/pay",
        json={"n": "{n}"},
        effect=True,
        operation="{header:Idempotency-Key}",
        idempotent=True,
        fault=Fault("close", "after", times=1),
    )
    with MockService(script) as service:
        request = b"POST /pay HTTP/1.1\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n\r\n"
        assert received(sent(service.url, request)) == b""
        assert json.loads(ask(service.url + "/pay", "POST", b"", {"Idempotency-Key": "a"}).body) == {"n": 1}
        service.assert_mutations(1)
        assert service.operations == {"a": Operation("a", 2, 1)}
        for _ in range(2):
            ask(service.url + "/pay", "POST", b"")
        service.assert_mutations(3)


WHERE: list[tuple[Where, str, bytes, dict[str, str], bool]] = [
    ({"query": {"kind": "a*"}}, "/p?kind=abc", b"", {}, True),
    ({"query": {"kind": "a*"}}, "/p?kind=b", b"", {}, False),
    ({"query": {"kind": "a*"}}, "/p", b"", {}, False),
    ({"query": {"kind": "b"}}, "/p?kind=a&kind=b", b"", {}, True),
    ({"headers": {"X-Mode": Matcher(regex="^[0-9]+$")}}, "/p", b"", {"x-mode": "12"}, True),
    ({"headers": {"X-Mode": Matcher(regex="^[0-9]+$")}}, "/p", b"", {"x-mode": "12a"}, False),
    ({"json": {"a": {"b": 1}}}, "/p", b'{"a": {"b": 1, "c": 2}}', {}, True),
    ({"json": {"a": {"b": 1}}}, "/p", b'{"a": {"b": true}}', {}, False),
    ({"json": {"a": {"b": 1}}}, "/p", b'{"a": ', {}, False),
    ({"body": "abc*"}, "/p", b"abcdef", {}, True),
    ({"body": Matcher(equal="abc*")}, "/p", b"abcdef", {}, False),
]


@pytest.mark.parametrize(("where", "path", "body", "headers", "fits"), WHERE)
def test_a_route_is_meant_where_all_fits(
    where: Where, path: str, body: bytes, headers: dict[str, str], fits: bool
) -> None:
    """Query, headers, JSON that is contained, body; each with what does not fit beside."""
    with MockService(ServiceScript().on("POST", "/p", where=where)) as service:
        assert ask(service.url + path, "POST", body, headers).status == (200 if fits else 500)
        if not fits:
            with pytest.raises(AssertionError, match="closest: POST /p: "):
                service.check()


def test_a_path_captures_single_segments_and_a_star_is_any_run() -> None:
    """Captured texts are templates; the first route that fits answers."""
    script = (
        ServiceScript()
        .on("GET", "/a/{first}/{second}", content="{second}-{first} {{first}}")
        .on("GET", "/a/*", content="rest")
        .on("*", "*", status=404)
    )
    with MockService(script) as service:
        assert ask(service.url + "/a/x%20y/z").body == b"z-x y {first}"
        assert ask(service.url + "/a/x/y/z").body == b"rest"
        assert ask(service.url + "/b", "DELETE").status == 404


def test_the_nth_request_is_counted_over_all_routes_that_mean_the_same() -> None:
    """The second request gets the second answer though another route took the first; the fourth is unexpected."""
    script = ServiceScript()
    for number in (2, 1, 3):
        script = script.on("GET", "/n", content=str(number), where={"nth": number})
    with MockService(script) as service:
        assert [ask(service.url + "/n").body for _ in range(3)] == [b"1", b"2", b"3"]
        last = ask(service.url + "/n")
        assert last.status == 500
        assert b"it is request 4 of this route, which answers request 2 alone" in last.body
        with pytest.raises(AssertionError, match="request 4: GET /n is not expected"):
            service.check()


def test_templates_take_values_from_the_request() -> None:
    """Alone they keep their type; line ends from a request make no further header; what is missing is empty."""
    script = ServiceScript().on(
        "POST",
        "/t",
        headers={"X-Echo": "{json:/line}"},
        json={"whole": "{json:/a/0}", "part": "<{json:/a/0}>", "gone": "{json:/b}", "q": "{query:q}", "n": "{number}"},
    )
    with MockService(script) as service:
        body = json.dumps({"a": [{"x": 1}], "line": "one\r\nSet-Cookie: two"}).encode()
        answer = ask(service.url + "/t?q=7", "POST", body)
    assert json.loads(answer.body) == {"whole": {"x": 1}, "part": '<{"x":1}>', "gone": None, "q": "7", "n": 1}
    assert answer.headers["x-echo"] == "one  Set-Cookie: two"
    assert "set-cookie" not in answer.headers


def test_answers_are_bytes_or_files_as_they_are(tmp_path: Path) -> None:
    """Templates in them are none; a HEAD request and a 204 have no body."""
    (tmp_path / "file.bin").write_bytes(b"\xff{id}")
    script = (
        ServiceScript()
        .on("GET", "/bytes", content=b"\x00{id}")
        .on("*", "/file", content=tmp_path / "file.bin", headers={"Content-Type": "x/y"})
        .on("GET", "/none", status=204)
    )
    with MockService(script) as service:
        (tmp_path / "file.bin").unlink()  # it was read with the script
        assert ask(service.url + "/bytes").body == b"\x00{id}"
        assert ask(service.url + "/file").headers["content-type"] == "x/y"
        head = ask(service.url + "/file", "HEAD")
        assert (head.body, head.headers["content-length"]) == (b"", "5")
        assert received(sent(service.url, get("/none"))) == b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


def test_secrets_are_not_recorded_unless_they_are_named() -> None:
    """Headers and query values by their names; no message shows them either."""
    secrets = {
        "Authorization": "hidden-1",
        "Cookie": "hidden-2",
        "X-Api-Key": "hidden-3",
        "X-Access-Token": "hidden-4",
        "X-Named-Key": "shown-1",
    }
    script = ServiceScript().on("GET", "/s", where={"headers": {"Authorization": "other"}}).recording("x-named-key")
    with MockService(script) as service:
        answer = ask(service.url + "/s?api_key=hidden-5&plain=shown-2", headers=secrets)
        with pytest.raises(AssertionError) as checked:
            service.check()
        with pytest.raises(AssertionError) as counted:
            service.assert_requested("GET", "/other")
    [request] = service.requests
    said = "".join([repr(request), answer.body.decode(), str(checked.value), str(counted.value)])
    assert "hidden" not in said
    assert request.header("x-named-key") == "shown-1"
    assert request.query == (("api_key", "(not recorded)"), ("plain", "shown-2"))


def test_an_unexpected_request_is_answered_at_once_recorded_and_told_once() -> None:
    """With the closest route; a check that has raised does not raise for it again."""
    with MockService(STORE) as service:
        answer = ask(service.url + "/file", "POST", b"x")
        assert answer.status == 500
        why = "POST /file is not expected by this mock service; closest: POST /files: path /file is not /files"
        assert answer.body.decode() == why + "\n"
        with pytest.raises(AssertionError) as caught:
            service.check()
        assert str(caught.value) == f"request 1: {why}"
        service.check()
    assert service.unexpected == service.requests


def test_leaving_the_context_checks_unless_something_else_was_raised() -> None:
    """What nobody looked at is not lost; what a test says itself is not hidden."""
    with pytest.raises(AssertionError, match="is not expected"), MockService(STORE) as service:
        ask(service.url + "/file")

    def fails_first() -> None:
        with MockService(STORE) as service:
            ask(service.url + "/file")
            raise KeyError

    with pytest.raises(KeyError):
        fails_first()


def test_what_is_no_http_is_unexpected() -> None:
    """The line is told."""
    with MockService(STORE) as service:
        assert b"400" in received(sent(service.url, b"HELLO\r\n\r\n"))
        with pytest.raises(AssertionError, match="request 1: 'HELLO' is no HTTP request"):
            service.check()


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /files HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc",
        b"POST /files HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
)
def test_a_write_whose_body_did_not_all_arrive_has_no_effect(request_: bytes) -> None:
    """The client went away in mid-upload: that is on record, and nobody's fault."""
    with MockService(STORE) as service:
        sent(service.url, request_).close()
        [request] = service.wait_for_requests(1)
        service.assert_mutations(0)
    assert (request.route, request.answer) == ("(incomplete request)", "the body did not come to its end")


@pytest.mark.parametrize(
    "head", [b"POST /files", b"POST /files HTTP/1.1\r\nHost: x\r\n", b"GET /files/a HTTP/1.1\r\nHos"]
)
def test_a_head_that_did_not_all_arrive_is_no_request(head: bytes) -> None:
    """A client that died in it asked for nothing."""
    with MockService(STORE) as service:
        sent(service.url, head).close()
        [request] = service.wait_for_requests(1)
        service.assert_mutations(0)
    assert (request.route, request.answer) == ("(incomplete request)", "the head did not come to its end")


def test_a_chunked_body_is_read_whole() -> None:
    """Node and curl send such."""
    with MockService(STORE) as service:
        received(
            sent(
                service.url,
                b"POST /files HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            )
        )
    assert service.requests[0].body == b"abcde"


def test_assertions_show_what_came() -> None:
    """The count, each request, the nearest one and where it differs."""
    with MockService(STORE) as service:
        ask(service.url + "/files", "POST", b'{"name": "a", "size": 1}', {"Idempotency-Key": "k"})
        assert service.assert_requested("POST", "/files", count=1, json={"name": "a"}) == service.requests
        with pytest.raises(AssertionError) as mutations:
            service.assert_mutations(2)
        with pytest.raises(AssertionError) as requested:
            service.assert_requested("POST", "/files", json={"name": "b"})
    listing = (
        'requests:\n  1. POST /files \'{"name": "a", "size": 1}\' -> 201, by POST /files, operation k,'
        " effect took place"
    )
    assert str(mutations.value) == f"1 mutations, not 2:\n{listing}"
    assert str(requested.value) == (
        "POST /files was requested 0 times, not one at least\n"
        "closest is request 1:\n"
        '  --- wanted\n  +++ sent\n  @@ -1,3 +1,4 @@\n   {\n  - "name": "b"\n  + "name": "a",\n  + "size": 1\n   }\n'
        f"{listing}"
    )


def test_base64_in_a_body_survives_the_record() -> None:
    """A body is kept byte for byte, whatever is in it."""
    body = base64.b64decode("AP/+gA==") * 100_000
    with MockService(STORE) as service:
        ask(service.url + "/files", "POST", body)
    assert service.requests[0].body == body
