"""Owns the tests that awkward output has what it is named for, in every size and from every seed, and is the same
everywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutkit.hermetic.scripts import generate
from mutkit.hermetic.scripts.generators import KINDS
from mutkit.model.mock import GeneratorName

if TYPE_CHECKING:
    from collections.abc import Callable


def _json_lines(data: bytes) -> list[Any]:
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data[:-1].split(b"\n")]


def _is_long_line(data: bytes) -> bool:
    return data.isascii() and not re.search(rb"[\0-\x1f]", data)


def _is_multi_byte(data: bytes) -> bool:
    return {len(one.encode()) for one in data.decode()} >= {2, 3, 4} and b"\n" not in data


def _is_invalid(data: bytes) -> bool:
    """Each way of being no UTF-8 is there, as Python's own decoder words it."""
    reasons = set()
    rest = data
    while rest:
        try:
            rest.decode()
        except UnicodeDecodeError as error:
            reasons.add((error.reason, error.object[error.start]))
            rest = rest[error.end :]
        else:
            break
    starts = {start for _, start in reasons}
    return (
        {reason for reason, _ in reasons} == {"invalid start byte", "invalid continuation byte"}
        and starts >= {0xC3, 0xE2, 0xF0, 0xC0, 0xE0, 0xED, 0x80, 0xBF, 0xF4, 0xFF}
        and {b"\xed\xa0\x80" in data, b"\xed\xb2\xa9" in data} == {True}
        and b"\n" not in data
    )


def _is_crlf(data: bytes) -> bool:
    return data.endswith(b"\r\n") and data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r")


def _is_lone_cr(data: bytes) -> bool:
    return b"\r" in data and b"\n" not in data and not data.endswith(b"\r") and not data.startswith(b"\r")


def _is_bom(data: bytes) -> bool:
    return data.startswith(b"\xef\xbb\xbf{") and len(_json_lines(data[3:])) == 1


def _is_nul(data: bytes) -> bool:
    return data.count(b"\0") == 4 and b"\0\0" in data and data.decode().isascii() and b"\n" not in data


def _has_separators(data: bytes) -> bool:
    texts = [line["text"] for line in _json_lines(data)]
    lines = len(texts)
    return {"\u2028", "\u2029", "\x85"} <= set("".join(texts)) and len(data.decode().splitlines()) > lines


def _has_duplicates(data: bytes) -> bool:
    pairs: list[list[str]] = []
    json.loads(data, object_pairs_hook=lambda found: pairs.append([key for key, _ in found]))
    (keys,) = pairs
    values = json.loads(data, object_pairs_hook=lambda found: [value for key, value in found if key == "type"])
    return keys.count("type") == keys.count("id") == 2 and values[0] != values[1]


def _is_nested(data: bytes) -> bool:
    opening, inner, closing = re.fullmatch(rb"((?:\[|\{\"a\":)+)(1+)([\]}]+)\n", data).groups()  # type: ignore[union-attr]
    depth = opening.count(b"[") + opening.count(b"{")
    if depth < 200:
        json.loads(data)
    return depth == len(closing) and len(inner) < 8 and depth >= (len(data) - 9) // 6


def _has_banner(data: bytes) -> bool:
    *banner, first, second = data[:-1].split(b"\n")
    for line in banner:
        with pytest.raises(ValueError, match=r"Expecting value"):
            json.loads(line)
    return len(banner) == 4 and json.loads(first)["id"] == 1 and json.loads(second)["id"] == 2


def _has_two_on_a_line(data: bytes) -> bool:
    rests = []
    for line in data[:-1].decode().split("\n"):
        value, at = json.JSONDecoder().raw_decode(line)
        other, end = json.JSONDecoder().raw_decode(line.lstrip(" "), line.index("{", at))
        rests.append((line[at : line.index("{", at)], value["id"], other["id"], end == len(line)))
    return sorted(rest for rest, *_ in rests) == ["", " "] and [one[1:] for one in rests] == [
        (1, 2, True),
        (3, 4, True),
    ]


def _is_flood(data: bytes) -> bool:
    return data.endswith(b"\n") and b"\r" not in data and max(map(len, data.split(b"\n"))) < 82


PROPERTIES: dict[GeneratorName, Callable[[bytes], bool]] = {
    "long-line": _is_long_line,
    "multi-byte": _is_multi_byte,
    "invalid-utf-8": _is_invalid,
    "crlf": _is_crlf,
    "lone-cr": _is_lone_cr,
    "bom": _is_bom,
    "nul": _is_nul,
    "line-separators": _has_separators,
    "duplicate-keys": _has_duplicates,
    "deep-nesting": _is_nested,
    "banner-before-json": _has_banner,
    "two-objects-on-a-line": _has_two_on_a_line,
    "flood": _is_flood,
}


def test_every_kind_of_the_format_is_made_and_tested() -> None:
    """None is forgotten."""
    assert set(get_args(GeneratorName)) == set(KINDS) == set(PROPERTIES)


@pytest.mark.parametrize("kind", PROPERTIES)
def test_each_kind_has_what_it_is_named_for_in_its_own_size(kind: GeneratorName) -> None:
    """And its own size is what the table says."""
    data = generate(kind)
    assert len(data) == KINDS[kind][1]
    assert PROPERTIES[kind](data)


@given(st.sampled_from(sorted(PROPERTIES)), st.integers(1, 3000), st.integers())
@settings(max_examples=400, deadline=None)
def test_each_kind_has_it_in_any_size_from_any_seed(kind: GeneratorName, size: int, seed: int) -> None:
    """Exactly so many bytes, or a sentence that says how many it takes."""
    try:
        data = generate(kind, size, seed)
    except ValueError as error:
        least = int(re.fullmatch(r"takes at least (\d+) bytes, not \d+", str(error))[1])  # type: ignore[index]
        assert size < least <= 300
        data = generate(kind, least, seed)
        assert len(data) == least
    else:
        assert len(data) == size
    assert PROPERTIES[kind](data), data


def test_the_bytes_are_the_same_on_every_machine_and_python() -> None:
    """A seed in a failure's message is worth something: these were made once, and must not change."""
    data = b"".join(generate(kind, 1000, seed) for kind in PROPERTIES for seed in (0, 1, 2**40))
    assert hashlib.sha256(data).hexdigest() == "cc5f700a52d9e80fb859a2344261ca2274a36f91ae43446e43d8cd6ef428a197"


def test_another_seed_gives_other_bytes() -> None:
    """Otherwise it would be no seed."""
    for kind in PROPERTIES:
        assert len({generate(kind, 1000, seed) for seed in range(8)}) == (8 if kind != "deep-nesting" else 1), kind


def test_sizes_at_the_edge_of_a_readers_buffer_are_exact() -> None:
    """64 KiB + 1 is what an asyncio reader chokes on, 5 MiB what a pipe never holds."""
    assert len(generate("long-line", 65537, 1)) == 65537
    assert len(generate("long-line")) == 5 * 2**20
