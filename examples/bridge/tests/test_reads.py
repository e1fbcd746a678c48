"""Owns the cases on how the child's output is cut into reads: none of it may show in an answer."""

from __future__ import annotations

import fcntl
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from examples.bridge.tests.driver import assert_answer
from examples.bridge.tests.payloads import (
    EVENT_BYTES,
    MIB,
    READ,
    SESSION,
    cut,
    filled,
    five_mib_cut_in_characters,
    message,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from examples.bridge.tests.conftest import StartBridge
    from examples.bridge.tests.mock_codex import Codex


@pytest.mark.v1
def test_a_line_of_70_kib_is_longer_than_any_single_read(codex: Codex, observe: Callable[[Any], Any]) -> None:
    """A pipe such as the bridge reads from holds 65,536 bytes: no read of it can return a line of 70 KiB."""
    codex.prints(message(filled("long ", EVENT_BYTES)))
    reads = []
    with subprocess.Popen([codex.path], env=codex.env, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdout is not None
        capacity = fcntl.fcntl(child.stdout, fcntl.F_GETPIPE_SZ)
        while chunk := os.read(child.stdout.fileno(), 1 << 20):  # asks for more than the bridge does
            reads.append(len(chunk))
    observe({"capacity": capacity, "at most": max(reads), "in all": sum(reads)})
    assert capacity == READ
    assert max(reads) <= READ < EVENT_BYTES < sum(reads)


@pytest.mark.v1
def test_an_answer_of_70_kib_comes_back_whole(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """An event line that cannot arrive in one read is put together again."""
    text = filled("long ", EVENT_BYTES)
    codex.prints(run(message(text)))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, text, SESSION)


@pytest.mark.v1
def test_5_mib_of_ascii_come_back_whole(bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]) -> None:
    """An answer of 5 MiB in one event line arrives in some eighty reads, cut wherever the pipe was full."""
    text = filled("All work is done. ", 5 * MIB)
    codex.prints(run(message(text)))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, text, SESSION)


@pytest.mark.v1
def test_5_mib_of_multi_byte_text_come_back_whole(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """An answer of 5 MiB of two-, three- and four-byte characters keeps every one of them."""
    text = filled("é€😀", 5 * MIB)
    codex.prints(run(message(text)))
    answer = bridge().start()
    observe(answer.record())
    assert_answer(answer, text, SESSION)


@pytest.mark.v1
def test_a_reply_of_5_mib_of_multi_byte_text_comes_back_whole(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A reply of 5 MiB whose reads cut 23 characters, each read proved, is not longer than what was sent."""
    text, pieces = five_mib_cut_in_characters()
    codex.prints_by_read(pieces)
    answer = bridge().follow_up(SESSION)
    observe(answer.record())
    codex.assert_reads(pieces)
    assert_answer(answer, text, SESSION)


@pytest.mark.v2
def test_an_event_line_that_two_reads_cut_comes_back_whole(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A short event line whose halves arrive in two proved reads is one line."""
    output = run(message("cut in two"))
    pieces = cut(output, output.index(b"in two"), len(output))
    codex.prints_by_read(pieces)
    answer = bridge().start()
    observe(answer.record())
    codex.assert_reads(pieces)
    assert_answer(answer, "cut in two", SESSION)


@pytest.mark.v1
@pytest.mark.parametrize("character", ["é", "€", "😀"], ids=["two-bytes", "three-bytes", "four-bytes"])
def test_a_character_that_reads_cut_stays_whole(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any], character: str
) -> None:
    """A character whose every byte arrives in a proved read of its own is that character in the reply."""
    data = character.encode()
    pieces = [
        b"before " + data[:1],
        *(data[at : at + 1] for at in range(1, len(data) - 1)),
        data[-1:] + b" after",
    ]
    codex.prints_by_read(pieces)
    answer = bridge().follow_up(SESSION)
    observe(answer.record())
    codex.assert_reads(pieces)
    assert_answer(answer, f"before {character} after", SESSION)


@pytest.mark.v1
def test_one_byte_a_read_gives_the_same_answer(
    bridge: StartBridge, codex: Codex, observe: Callable[[Any], Any]
) -> None:
    """A run that arrives byte by byte gives its answer; that each byte was a read of its own is proved."""
    pieces = cut(run(message("byte by byte: é€😀")), 1)
    codex.prints_by_read(pieces)
    answer = bridge().start()
    observe(answer.record())
    codex.assert_reads(pieces)
    assert_answer(answer, "byte by byte: é€😀", SESSION)
