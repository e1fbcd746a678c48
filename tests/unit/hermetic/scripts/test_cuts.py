"""Owns the tests of chunk modes: every place that a mode names is a cut, and nothing else is."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutkit.errors import SpecError
from mutkit.hermetic import Script
from mutkit.hermetic.scripts.cuts import LIMIT, cuts
from mutkit.model.mock import ChunkMode, Repeat

BYTES = st.lists(
    st.sampled_from(
        [b"a", b"\0", b"\1", b"\n", b"\r", b"\r\n", "é".encode(), "€".encode(), "😀".encode(), b"\xe2\x82", b"\xff"]
    ),
    max_size=12,
).map(b"".join)


def _pieces(content: bytes, offsets: list[int]) -> list[bytes]:
    return [content[start:stop] for start, stop in zip([0, *offsets], [*offsets, len(content)], strict=True)]


def _cuts(mode: ChunkMode, content: bytes) -> list[int]:
    try:
        return cuts(mode, [(content, 1)])
    except ValueError:
        return []


@given(BYTES)
@settings(max_examples=300, deadline=None)
def test_characters_are_cut_at_each_place_inside_of_them(content: bytes) -> None:
    """As Python's decoder sees characters, in content that is no UTF-8 too."""
    expected: list[int] = []
    at = 0
    for character in content.decode("utf-8", "surrogateescape"):
        size = len(character.encode("utf-8", "surrogateescape"))
        expected += range(at + 1, at + size)
        at += size
    assert _cuts("inside-character", content) == expected


@given(BYTES)
@settings(max_examples=200, deadline=None)
def test_line_ends_of_two_bytes_are_cut_between_them(content: bytes) -> None:
    """All of them, no CR or LF by itself."""
    expected = [at for at in range(1, len(content)) if content[at - 1 : at + 1] == b"\r\n"]
    assert _cuts("inside-crlf", content) == expected
    assert [at for piece in _pieces(content, expected) for at in [piece.find(b"\r\n")] if at >= 0] == []


@given(st.text(st.sampled_from('a"\\/\n\u0001é😀u0')))
@settings(max_examples=200, deadline=None)
def test_escapes_are_cut_at_each_place_inside_of_them(text: str) -> None:
    """Each escape of JSON is told from its surroundings by what is left if it is taken out: pairs, backslashes too."""
    written = json.dumps(text).encode()
    expected: list[int] = []
    at = 1
    for character in text:
        size = len(json.dumps(character)) - 2
        expected += range(at + 1, at + size)
        at += size
    assert _cuts("inside-escape", written) == expected


@pytest.mark.parametrize(
    ("how", "writes"),
    [
        ({"chunk": "each-byte"}, [b"a", b"\xc3", b"\xa9"]),
        ({"chunk": "inside-character"}, [b"a\xc3", b"\xa9"]),
        ({"chunk": "inside-character", "newline": "with"}, [b"a\xc3", b"\xa9\n"]),
        ({"chunk": "inside-character", "newline": "separate"}, [b"a\xc3", b"\xa9", b"\n"]),
        ({"cut_at": (1,), "newline": "codex"}, [b"a", b"\xc3\xa9\n"]),
        ({"cut_at": (1, 3), "newline": "with"}, [b"a", b"\xc3\xa9", b"\n"]),
        ({"chunk": 2}, [b"a\xc3", b"\xa9"]),
    ],
)
def test_the_compiled_script_has_offsets_over_the_whole_content(how: dict[str, Any], writes: list[bytes]) -> None:
    """The newline is part of it where it is no write of its own."""
    assert _writes(Script().write("aé", **how)) == writes


def _writes(script: Script) -> list[bytes]:
    """Return the writes of a compiled script, cut as the child does."""
    from mutkit.hermetic.child.streams import pieces

    found: list[bytes] = []
    for step in script.compiled()["calls"][0]["steps"]:
        content = b"".join(part * times for part, times in step["parts"])
        found += pieces(content, step["chunk"], step["cut_at"])
    return found


def test_the_newline_of_codex_is_a_write_of_its_own_where_the_line_has_more_than_1024_bytes() -> None:
    """As it was measured: the newline counts."""
    assert [len(one) for one in _writes(Script().write("x" * 1023, newline="codex"))] == [1024]
    assert [len(one) for one in _writes(Script().write("x" * 1024, newline="codex"))] == [1024, 1]


def test_a_line_end_that_a_newline_completes_is_cut() -> None:
    """Whether the newline is part of the write or one of its own."""
    assert _writes(Script().write("a\r", chunk="inside-crlf", newline="with")) == [b"a\r", b"\n"]
    assert _writes(Script().write("a\r", chunk="inside-crlf", newline="separate")) == [b"a\r", b"\n"]


def test_repeated_content_is_cut_in_each_repetition_and_where_two_meet() -> None:
    """Places are those of the whole, not of its parts."""
    assert _writes(Script().repeat("\nx\r", 3, chunk="inside-crlf")) == [b"\nx\r", b"\nx\r", b"\nx\r"]
    filled = Script().json({"a": ""}, fill={"/a": Repeat("é", 2)}, chunk="inside-character")
    assert _writes(filled) == [b'{"a":"\xc3', b"\xa9\xc3", b'\xa9"}\n']


@pytest.mark.parametrize("mode", get_args(ChunkMode))
def test_a_mode_that_finds_nothing_is_a_fault_in_words(mode: ChunkMode) -> None:
    """A test that believes to cut and does not proves nothing."""
    with pytest.raises(SpecError, match=rf"step\[0\]\.chunk: = \"{mode}\" has nowhere to cut: there is no "):
        Script().write("a", chunk=mode).compiled()


def test_what_is_too_long_to_look_through_is_a_fault_and_not_made() -> None:
    """The mode's places would take more memory than anybody means to spend."""
    tracemalloc.start()
    try:
        with pytest.raises(SpecError, match=f"in at most {LIMIT} bytes, and this has 9999999996"):
            Script().repeat("é\r\n.,", 10_000_000_000 // 6, newline="none", chunk="inside-crlf").write("x").compiled()
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_megabyte_with_a_cut_in_every_character_takes_some_bytes_for_each_and_no_more() -> None:
    """A list of half a million offsets is needed, and not much beside it: five megabytes take a fifth of a gigabyte."""
    tracemalloc.start()
    try:
        steps = Script().repeat("é", 2**19, chunk="inside-character").compiled()["calls"][0]["steps"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert steps[0]["cut_at"][-1] == 2**20 - 1
    assert len(steps[0]["cut_at"]) == 2**19
    assert peak < 80 * 2**19
