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
    facts: dict[str, list[Any]] = {}
    for line in path.read_bytes().split(b"\n")[:-1]:  # after the last newline: nothing, or a line cut short
        key, value = ast.literal_eval(line.decode("ascii"))
        facts.setdefault(key, []).append(value)

    def one(key: str, default: Any) -> Any:
        return facts.get(key, [default])[-1]

    ended, code = one("ended", ("", None))
    pid, ppid = one("pids", (0, 0))
    return Call(
        name=name,
        number=int(number),
        argv_bytes=tuple(one("argv", ())),
        cwd=os.fsdecode(one("cwd", b"")),
        pid=pid,
        ppid=ppid,
        env={key: None if value is None else os.fsdecode(value) for key, value in one("env", {}).items()},
        fds=one("fds", ()),
        stdin=b"".join(facts.get("stdin", [])),
        stdin_ended=one("stdin-ended", False),
        signals=tuple(facts.get("signal", [])),
        exact=tuple(ExactProof(*proof) for proof in facts.get("exact", [])),
        chunks=_sizes(facts, 1),
        stderr_chunks=_sizes(facts, 2),
        files=tuple((os.fsdecode(file), size) for file, size in facts.get("file", [])),
        grandchildren=tuple(facts.get("grandchild", [])),
        unexpected=one("unexpected", ""),
        hangs=one("hangs", False),
        ended=ended,
        code=code,
    )


def _sizes(facts: dict[str, list[Any]], wanted: int) -> tuple[int, ...]:
    """Return the sizes of all writes to one descriptor; the record has them as runs of equal size."""
    return tuple(
        size for runs, _ in facts.get("wrote", []) for fd, size, times in runs if fd == wanted for _ in range(times)
    )
