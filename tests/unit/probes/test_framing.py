"""How messages are cut out of a stream: whatever the reads are."""

from __future__ import annotations

import time

import pytest

from mutkit.probes import framing as framing_module
from mutkit.probes.framing import ContentLengthFraming, Framing, NewlineFraming, OverLimitError
from mutkit.probes.json_pointer import MISSING, at_pointer

MESSAGES = [b'{"a":"\xc3\xa9"}', b"{}", b'{"long":"' + b"x" * 3000 + b'"}']


@pytest.mark.parametrize("kind", [NewlineFraming, ContentLengthFraming])
@pytest.mark.parametrize("size", [1, 2, 7, 1024, 10_000])
def test_what_is_wrapped_is_cut_out_again(kind: type[Framing], size: int) -> None:
    """With reads of any size every message comes once, whole, in order."""
    stream = b"".join(kind().wrap(message) for message in MESSAGES)
    framing = kind()
    found = [message for at in range(0, len(stream), size) for message in framing.push(stream[at : at + size])]
    assert found == MESSAGES


def test_a_line_without_its_newline_is_no_message() -> None:
    """A client would wait for the rest of it."""
    assert list(NewlineFraming().push(b'{"id":1}')) == []


def test_a_length_header_stands_among_others_and_after_noise() -> None:
    """As language servers write it: in any case, with a content type, after a line that is none of it."""
    stream = b"noise\r\nContent-Type: x\r\ncontent-length: 2\r\nX: y\r\n\r\n{}Content-Length: 3\n\n[1]"
    assert list(ContentLengthFraming().push(stream)) == [b"{}", b"[1]"]


def test_a_message_of_20_mib_costs_no_more_than_its_length() -> None:
    """Only new bytes are looked through: 20 MiB in pieces of 4,096 take far less than rescanning would
    (minutes).
    """
    piece = b"x" * 4096
    framing = NewlineFraming()
    begin = time.process_time()
    for _ in range(5120):
        assert list(framing.push(piece)) == []
    [message] = framing.push(b"\n")
    assert len(message) == 20 * 2**20
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("kind", [NewlineFraming, ContentLengthFraming])
@pytest.mark.parametrize("size", [1, 700, 65536])
def test_what_has_no_end_is_given_up_at_the_limit(
    kind: type[Framing], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small the pieces are, no more than that is held."""
    monkeypatch.setattr(framing_module, "LIMIT", 2000)
    framing = kind()
    with pytest.raises(OverLimitError, match="2,000"):  # noqa: PT012 -- any of the pieces may be the one
        for _ in range(2001):
            assert list(framing.push(b"x" * size)) == []


@pytest.mark.parametrize(("kind", "over"), [(NewlineFraming, b"x" * 2001 + b"\n"), (ContentLengthFraming, None)])
def test_a_message_may_be_as_long_as_the_limit_and_no_longer(
    kind: type[Framing], over: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it comes or is announced."""
    monkeypatch.setattr(framing_module, "LIMIT", 2000)
    assert list(kind().push(kind().wrap(b"x" * 2000))) == [b"x" * 2000]
    with pytest.raises(OverLimitError):
        list(kind().push(over or b"Content-Length: 2001\r\n\r\n"))


@pytest.mark.parametrize("digits", [b"9" * 5000, b"99999999999", b"1" + b"0" * 21])
def test_a_length_of_many_digits_is_over_the_limit(digits: bytes) -> None:
    """It is never made a number: Python refuses that from 4,300 digits on."""
    with pytest.raises(OverLimitError, match="announces"):
        list(ContentLengthFraming().push(b"Content-Length: " + digits + b"\r\n\r\n{}"))


def test_a_length_may_begin_with_zeros_and_be_zero() -> None:
    """An empty message is one, and the next is found behind it."""
    stream = b"Content-Length: 0\r\n\r\nContent-Length: " + b"0" * 5000 + b"2\r\n\r\n{}"
    assert list(ContentLengthFraming().push(stream)) == [b"", b"{}"]


def test_noise_before_a_header_is_looked_at_once() -> None:
    """4 MiB of short lines in small pieces take a second; looking again at all of it with each would take minutes."""
    piece = b"noise\r\n" * 600
    framing = ContentLengthFraming()
    begin = time.process_time()
    for _ in range(1000):
        assert list(framing.push(piece)) == []
    assert list(framing.push(b"Content-Length: 2\r\n\r\n{}")) == [b"{}"]
    assert time.process_time() - begin < 15


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", {"a": [{"b/c": 1, "m~n": 2, "": None}], "0": "zero"}),
        ("/a/0/b~1c", 1),
        ("/a/0/m~0n", 2),
        ("/a/0/", None),
        ("/0", "zero"),
        ("/a/1", MISSING),
        ("/a/00", MISSING),
        ("/a/-", MISSING),
        ("/a/0/b~1c/x", MISSING),
        ("a", MISSING),
    ],
)
def test_a_pointer_names_one_place(pointer: str, value: object) -> None:
    """RFC 6901; null is a value, a place that is not there is not."""
    found = at_pointer({"a": [{"b/c": 1, "m~n": 2, "": None}], "0": "zero"}, pointer)
    assert found is MISSING if value is MISSING else found == value
