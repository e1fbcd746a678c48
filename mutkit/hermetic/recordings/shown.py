"""Owns how recorded calls are shown to people: all of them, one a line, bytes honestly."""

from __future__ import annotations

import signal
from itertools import groupby
from typing import TYPE_CHECKING

from mutkit.model.describe import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mutkit.model.mock_call import Call, ExactProof

WORD = 80
"""How many characters of one word are shown before it is cut in its middle."""

WORDS = 12
"""How many words of a call are shown before its middle is left out."""

CALLS = 20
"""How many calls are shown before those in the middle are left out."""


def words_shown(words: Sequence[bytes]) -> str:
    """Return words as a list on one line."""
    shown = [quoted(word, WORD) for word in words]
    if len(shown) > WORDS:
        half = WORDS // 2
        shown[half:-half] = [f"... {len(shown) - WORDS} more words ..."]
    return f"[{', '.join(shown)}]"


def signal_name(number: int) -> str:
    """Return ``SIGTERM`` for 15, and the number itself where it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def sizes_shown(sizes: Iterable[int]) -> str:
    """Return sizes of writes with runs of equal ones as ``5 x 1``, the middle left out where there are many."""
    runs = [(size, len(list(run))) for size, run in groupby(sizes)]
    shown = [f"{times:,} x {size:,}" if times > 1 else f"{size:,}" for size, times in runs]
    if len(shown) > CALLS:
        half = CALLS // 2
        shown[half:-half] = [f"... {len(shown) - CALLS} more ..."]
    return f"[{', '.join(shown)}]"


def ending_shown(call: Call) -> str:
    """Return how a call ended."""
    if not call.ended:
        return "hangs, or was killed from outside" if call.hangs else "still runs, or was killed from outside"
    if call.ended == "signal":
        return f"died of {signal_name(call.code or 0)}"
    return f"exit {call.code}" + ("" if call.ended == "exit" else f", {call.ended}")


def proof_shown(proof: ExactProof) -> str:
    """Return what an exact step proved."""
    return f"fd {proof.fd}, a {proof.kind}, {proof.mode}: {proof.chunks:,} chunks, {proof.proofs:,} proofs"


def call_shown(call: Call) -> str:
    """Return a call on one line: its number, words, end, and what came in and went out."""
    facts = [ending_shown(call)]
    facts += [f"got {', '.join(map(signal_name, call.signals))}"] if call.signals else []
    facts += [f"read {len(call.stdin):,} bytes" + ("" if call.stdin_ended else ", not the end")] if call.stdin else []
    for name, chunks in (("stdout", call.chunks), ("stderr", call.stderr_chunks)):
        facts += [f"{name} {sum(chunks):,} bytes in {len(chunks):,}"] if chunks else []
    facts += [f"seed {call.seed}"] if call.seed is not None else []
    return f"{call.name} {call.number}. {words_shown(call.argv_bytes)}: {'; '.join(facts)}"


def calls_shown(calls: Sequence[Call], indent: str = "  ") -> str:
    """Return all calls, one a line; of many those in the middle are left out."""
    lines = [call_shown(call) for call in calls]
    if len(lines) > CALLS:
        half = CALLS // 2
        lines[half:-half] = [f"... {len(lines) - CALLS} more calls ..."]
    return "\n".join(indent + line for line in lines)
