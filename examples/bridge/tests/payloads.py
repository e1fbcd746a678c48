"""Owns what the mock ``codex`` prints: events, answers of every size, and where they are cut."""

from __future__ import annotations

import json
from typing import Any

KIB = 1024
MIB = 1024 * KIB
READ = 64 * KIB
"""The most that one read of the bridge asks for."""

SESSION = "01a22ee0-5cda-73b2-a436-4c2934ac1b1c"
EVENT_BYTES = 70 * KIB

STARTED = {"type": "thread.started", "thread_id": SESSION}
BANNER = b"Agent v9\n--------\nmodel: o9\nsession id: %s\n--------\n"
"""What the agent says on standard error first, with room for the session id."""
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 11, "output_tokens": 5}}


def line(event: Any) -> bytes:
    """Return an event as the agent prints it: compact JSON, UTF-8 not escaped, one newline."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def message(text: Any) -> bytes:
    """Return the line of an agent message."""
    return line({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": text}})


def run(*lines: bytes) -> bytes:
    """Return the output of a whole run around these lines."""
    return b"".join([line(STARTED), line({"type": "turn.started"}), *lines, line(COMPLETED)])


def failed(reason: Any) -> bytes:
    """Return the line of a turn that failed for this reason."""
    return line({"type": "turn.failed", "error": {"message": reason}})


def filled(pattern: str, size: int) -> str:
    """Return ``size`` bytes of text: the pattern over and over, then full stops where it does not fit."""
    width = len(pattern.encode())
    return pattern * (size // width) + "." * (size % width)


def cut(data: bytes, *sizes: int) -> list[bytes]:
    """Return ``data`` in pieces of these sizes, the last size over and over to the end."""
    pieces, at, rest = [], 0, list(sizes)
    while at < len(data):
        size = rest.pop(0) if len(rest) > 1 else rest[0]
        pieces.append(data[at : at + size])
        at += size
    return pieces


def five_mib_cut_in_characters() -> tuple[str, list[bytes]]:
    """Return 5 MiB of three-byte characters, and pieces of at most 65,536 bytes that cut 23 of them.

    A cut after the second of three bytes shows as two U+FFFD, six bytes instead of three, where each read is
    decoded by itself: 23 * 3 = 69 bytes more than were sent.
    """
    text = filled("あ", 5 * MIB)
    pairs = [
        READ - 2,
        READ - 3,
    ] * 23  # 65,534 = 3 * 21,844 + 2: the character's last byte begins the next read
    return text, cut(text.encode(), *pairs, READ - 1)


def quoted_event() -> tuple[str, str]:
    """Return an answer of 75,955 bytes that quotes an event line, and the 71,712 bytes in the quote."""
    inner = filled("The agent said this in an earlier run. ", 71_712)
    event = message(inner).decode()
    before = filled("This is what the log of the earlier run says. ", 2_000) + "\n"
    after = filled("So the earlier run ended well. ", 75_955 - len(before) - len(event))
    return before + event + after, inner
