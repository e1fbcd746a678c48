"""What mock services saw as a part of effects: when two are the same, what a spec says of them, and in which words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mutkit.model.describe import describe_effect, describe_expectation
from mutkit.model.effect import (
    Died,
    Effect,
    Expectation,
    Finished,
    Hung,
    RaisedException,
    Refused,
    Returned,
    ServiceShows,
    same_effect,
    shows,
)
from mutkit.model.ending import Exited
from mutkit.model.matcher import Matcher
from mutkit.model.service import Request, ServiceSeen

WRITE = Request(1, "POST", "/files", body=b"abc", route="upload", effect=True, at=1.0, headers=(("Host", "a:1"),))
READ = Request(2, "GET", "/files/1", (("q", "x"),), route="read")
SEEN = ServiceSeen("api", (WRITE, READ))
EFFECTS: list[Effect] = [
    Returned(1),
    Refused(1, "no"),
    RaisedException("E", "m"),
    Finished(0, b"", b""),
    Died(Exited(1)),
    Hung(1.0),
]


@pytest.mark.parametrize("effect", EFFECTS)
def test_an_effect_of_any_kind_is_another_where_a_service_saw_a_write_more(effect: Any) -> None:
    """And the same where it saw the same."""
    one = replace(effect, services=(SEEN,))
    other = replace(effect, services=(ServiceSeen("api", (WRITE, READ, replace(WRITE, number=3))),))
    assert same_effect(one, replace(effect, services=(SEEN,)))
    assert not same_effect(one, other)
    assert not same_effect(one, effect)


ALIKE: list[tuple[Request, bool]] = [
    (replace(READ, at=9.0, until=9.5, headers=(("Host", "b:2"),), sends=(1,), ended="sent"), True),
    (replace(READ, query=(("q", "y"),)), False),
    (replace(READ, body=b"x"), False),
    (replace(READ, method="PUT"), False),
    (replace(READ, path="/files/2"), False),
    (replace(READ, route=""), False),
    (replace(READ, effect=True), False),
]


@pytest.mark.parametrize(("request_", "same"), ALIKE)
def test_what_of_a_request_is_behaviour(request_: Request, same: bool) -> None:
    """Method, path, query, body, route and effect; not headers, times, order or how the answer was sent."""
    one = Finished(0, b"", b"", services=(SEEN,))
    assert same_effect(one, Finished(0, b"", b"", services=(ServiceSeen("api", (request_, WRITE)),))) is same


def test_requests_are_compared_as_their_route_says() -> None:
    """``count``: how many, whatever is in them; ``none``: not at all, but a write is always counted."""

    def seen(*requests: Request) -> Effect:
        return Finished(0, b"", b"", services=(ServiceSeen("api", requests),))

    counted, polled = replace(READ, compare="count"), replace(READ, compare="none")
    assert same_effect(seen(counted), seen(replace(counted, body=b"x", query=())))
    assert not same_effect(seen(counted), seen(counted, counted))
    assert same_effect(seen(polled), seen(polled, polled))
    assert not same_effect(seen(), seen(replace(WRITE, compare="none")))


STATED: list[tuple[ServiceShows, bool]] = [
    (ServiceShows(mutations=1), True),
    (ServiceShows(mutations=2), False),
    (ServiceShows(mutations=0), False),
    (ServiceShows(requests=2, unexpected=0), True),
    (ServiceShows(requests=1), False),
    (ServiceShows(unexpected=1), False),
    (ServiceShows(routes={"upload": 1, "read": 1, "other": 0}), True),
    (ServiceShows(routes={"upload": 2}), False),
    (ServiceShows(written="a*"), True),
    (ServiceShows(written=Matcher(equal="b")), False),
]


@pytest.mark.parametrize(("stated", "holds"), STATED)
def test_what_a_spec_states_must_hold_beside_the_effect(stated: ServiceShows, holds: bool) -> None:
    """All of it; where no service was, nothing of it holds."""
    effect = Finished(0, b"", b"", services=(SEEN,))
    expectation = Expectation(exits=0, services={"api": stated})
    assert shows(expectation, effect) is holds
    assert not shows(replace(expectation, exits=1), effect)
    assert not shows(expectation, Finished(0, b"", b""))


def test_nothing_was_written_where_no_write_took_effect() -> None:
    """A matcher that fits anything does not fit nothing."""
    effect = Finished(0, b"", b"", services=(ServiceSeen("api", (READ,)),))
    assert not shows(Expectation(exits=0, services={"api": ServiceShows(written="*")}), effect)


def test_the_words_say_the_counter_and_what_was_stated() -> None:
    """One and many, and what was not expected."""
    one = Hung(1.0, services=(ServiceSeen("api", (WRITE,)), ServiceSeen("web", (READ, replace(READ, route="")))))
    assert describe_effect(one) == (
        "hung: no answer within 1.0 s; service api saw 1 mutation in 1 request; "
        "service web saw 0 mutations in 2 requests, 1 of them unexpected"
    )
    stated = ServiceShows(mutations=2, requests=3, routes={"upload": 2}, unexpected=0, written="abc")
    assert describe_expectation(Expectation(hangs=True, services={"api": stated})) == (
        'hangs; service api sees 2 mutations, 3 requests, 0 unexpected, 2 of upload, "abc" written'
    )
