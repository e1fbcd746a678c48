"""How messages are cut out of a stream: whatever the reads are."""

from __future__ import annotations

import time

import pytest

from mutkit.probes.framing import ContentLengthFraming, Framing, NewlineFraming
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
