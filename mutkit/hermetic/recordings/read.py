"""Owns what mock children recorded: one file a call, readable however the child ended."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Any

from mutkit.model.mock_call import Call, ExactProof

if TYPE_CHECKING:
    from pathlib import Path


def calls(record: Path, name: str | None = None) -> list[Call]:
    """Return the calls recorded in a folder, of one command or of all, in order of command and number."""
    found = sorted(record.glob("*.call"))
    parsed = [_parse(path) for path in found]
    return [call for call in parsed if name is None or call.name == name]


def _parse(path: Path) -> Call:
    name, number, _ = path.name.rsplit(".", 2)
    lines = path.read_bytes().split(b"\n")[:-1]  # after the last newline: nothing, or a line cut short
    return call_of(name, int(number), [ast.literal_eval(line.decode("ascii")) for line in lines])


def call_of(name: str, number: int, told: list[tuple[str, Any]]) -> Call:
    """Return the call of which these facts were recorded, in this order."""
    facts: dict[str, list[Any]] = {}
    for key, value in told:
        facts.setdefault(key, []).append(value)

    def one(key: str, default: Any) -> Any:
        return facts.get(key, [default])[-1]

    ended, code, message, seconds, _ = one("ended", ("", None, "", None, None))
    pid, ppid, parent, uid = one("pids", (0, 0, b"", 0))
    return Call(
        name=name,
        number=number,
        argv_bytes=tuple(one("argv", ())),
        cwd=os.fsdecode(one("cwd", b"")),
        pid=pid,
        ppid=ppid,
        parent=os.fsdecode(parent),
        uid=uid,
        env={key: None if value is None else os.fsdecode(value) for key, value in one("env", {}).items()},
        fds=one("fds", ()),
        inherited=one("inherited", ()),
        seed=one("seed", None),
        began=one("began", 0.0),
        answer=one("answer", None),
        step=one("step", ""),
        stdin=b"".join(facts.get("stdin", [])),
        stdin_ended=one("stdin-ended", False),
        signals=tuple(signal for signal, _ in facts.get("signal", [])),
        signal_times=tuple(when for _, when in facts.get("signal", [])),
        exact=_exact(told),
        chunks=_sizes(facts, 1),
        stderr_chunks=_sizes(facts, 2),
        unfinished=_unfinished(told),
        reader_gone=tuple(facts.get("reader-gone", [])),
        not_taken=tuple(facts.get("not-taken", [])),
        files=tuple((os.fsdecode(file), size) for file, size in facts.get("file", [])),
        grandchildren=tuple(facts.get("grandchild", [])),
        unexpected=message if ended == "unexpected" else "",
        message=message,
        hangs=one("hangs", False),
        ended=ended,
        code=code,
        seconds=seconds,
    )


def _sizes(facts: dict[str, list[Any]], wanted: int) -> tuple[int, ...]:
    """Return the sizes of all writes to one descriptor; the record has them as runs of equal size."""
    return tuple(
        size for runs, _ in facts.get("wrote", []) for fd, size, times in runs if fd == wanted for _ in range(times)
    )


def _exact(told: list[tuple[str, Any]]) -> tuple[ExactProof, ...]:
    """Return what each exact step proved; of the one in which the mock was killed, what its chunks tell."""
    proofs: list[ExactProof] = []
    begun: tuple[int, str, str, int] | None = None
    written = 0
    for key, value in told:
        if key == "exact-begun":
            begun, written = value, 0
        elif key == "wrote" and begun is not None:
            written += sum(times for fd, _, times in value[0] if fd == begun[0])
        elif key == "exact" and begun is not None:
            fd, kind, mode, chunks, seen = value
            proofs.append(ExactProof(fd, kind, mode, chunks, seen, begun[3]))
            begun = None
    if begun is not None:  # each chunk was written behind the proof that the one before was taken
        proofs.append(ExactProof(*begun[:3], written, written, begun[3]))
    return tuple(proofs)


def _unfinished(told: list[tuple[str, Any]]) -> tuple[int, int] | None:
    """Return descriptor and size of a chunk that was begun, and of which nothing more is known."""
    begun: tuple[int, int] | None = None
    for key, value in told:
        if key == "begun":
            begun = value
        elif key == "wrote":
            begun = None
    return begun
