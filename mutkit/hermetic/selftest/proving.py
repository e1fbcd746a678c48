"""Owns one row of the self-test: one reader, one way to cut, the mock's own record against what was read."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from mutkit.hermetic import MockCommands
from mutkit.hermetic.selftest.compared import Difference, compare
from mutkit.hermetic.selftest.modes import LARGEST_MESSAGE
from mutkit.hermetic.selftest.reading import Task

if TYPE_CHECKING:
    from mutkit.hermetic import Call, Script
    from mutkit.hermetic.selftest.modes import Mode, Pace
    from mutkit.hermetic.selftest.reading import Reader, Reading

_NAME = "written"
_PATIENCE, _PER_BYTE = 120.0, 0.002  # seconds in which a row must come to its end, and more of them for each byte


class State(Enum):
    """What came of a row."""

    HOLDS = "holds"
    BROKEN = "broken"
    CANNOT = "cannot"
    """This machine, or this kind of descriptor on it, does not let it be done."""
    ABSENT = "not run"
    """The reader is not on this machine, or the chunk is more than such a descriptor holds by its nature."""


@dataclass(frozen=True)
class Row:
    """One reader with one mode.

    ``writes`` and ``reads`` are how many there were; ``proofs`` how many reads the mock itself proved; ``ways`` how it
    did; ``seconds`` from the start of the mock to its end.
    """

    reader: Reader
    mode: str
    state: State
    reason: str = ""
    writes: int = 0
    reads: int = 0
    proofs: int = 0
    size: int = 0
    difference: Difference = field(default_factory=Difference)
    seconds: float = 0.0
    ways: tuple[str, ...] = ()


def hindrance(reader: Reader, mode: Mode) -> str:
    """Return why this row is not run on this machine, or nothing."""
    if reader.needs and shutil.which(reader.needs) is None:
        return f"{reader.needs} is not on PATH"
    if reader.descriptor == "unix socket" and mode.largest > LARGEST_MESSAGE:
        return f"one message on a UNIX socket holds {LARGEST_MESSAGE:,} bytes"
    return ""


def prove(reader: Reader, mode: Mode, size: int, folder: Path, pace: Pace = "exact") -> Row:
    """Let the reader read what a mock writes in this mode, ``size`` bytes or about so many; compare.

    ``folder`` is made; its parent must be there. Anything but ``pace="exact"`` is for showing that the comparison can
    fail.
    """
    missing = hindrance(reader, mode)
    if missing:
        return Row(reader, mode.name, State.ABSENT, missing)
    script = mode.script(size, pace)
    written = _content(script)
    folder.mkdir()
    with MockCommands(folder / "mocks", check=False) as mocks:
        mocks.add(_NAME, script)
        argv = (str(Path(mocks.path) / _NAME),)
        patience = _PATIENCE + len(written) * _PER_BYTE
        task = Task(argv, {"PATH": mocks.path}, folder, mode.pause, patience)
        begin = time.perf_counter()
        try:
            reading = reader.read(task)
        except OSError as error:
            return Row(reader, mode.name, State.CANNOT, f"the mock could not be started: {error}")
        seconds = time.perf_counter() - begin
        return _judged(reader, mode, written, reading, mocks.calls(_NAME), _said(task), seconds, paced=pace == "exact")


def _content(script: Script) -> bytes:
    """Return what the script says is written to standard output."""
    steps = script.compiled()["calls"][0]["steps"]
    return b"".join(part * times for step in steps for part, times in step["parts"])


def _judged(
    reader: Reader,
    mode: Mode,
    written: bytes,
    reading: Reading,
    calls: list[Call],
    said: str,
    seconds: float,
    *,
    paced: bool,
) -> Row:
    if not calls:
        return Row(reader, mode.name, State.CANNOT, said or "the mock did not start, or could not record")
    call = calls[0]
    difference = compare(written, call.chunks, reading.data, reading.sizes)
    if reader.refused:
        state, reason = _refused(call, said)
    else:
        state, reason = _state(reader, difference, reading, call, said, paced=paced)
    return Row(
        reader=reader,
        mode=mode.name,
        state=state,
        reason=reason,
        writes=len(call.chunks),
        reads=len(reading.sizes),
        proofs=sum(proof.proofs - (proof.kind == "pipe") for proof in call.exact),
        size=len(written),
        difference=difference,
        seconds=seconds,
        ways=tuple(dict.fromkeys(proof.mode for proof in call.exact)),
    )


def _said(task: Task) -> str:
    """Return the last line on standard error, of the mock or of what was to read it."""
    lines = task.errors.read_text("utf-8", "replace").split("\n") if task.errors.exists() else []
    return next((line for line in reversed(lines) if line.strip()), "")


def _refused(call: Call, said: str) -> tuple[State, str]:
    """Return whether the mock refused to write where nothing can be proved."""
    if call.ended == "unable" and not call.chunks and said:
        return State.HOLDS, said
    return State.BROKEN, f"the mock wrote {len(call.chunks)} chunks where it must refuse"


def _state(
    reader: Reader, difference: Difference, reading: Reading, call: Call, said: str, *, paced: bool
) -> tuple[State, str]:
    """Return what came of it, and why in words where it does not hold."""
    if call.ended == "unable" and not call.chunks:
        return State.CANNOT, said
    faults = _faults(reader, difference)
    if call.fds[1] != reader.descriptor:
        faults.append(f"the mock's standard output was a {call.fds[1]}")
    if reading.expired:
        faults.append("it did not come to its end and was killed")
    if (call.ended, call.code) != ("exit", 0):
        faults.append(f"the mock ended with {call.ended or 'a kill'} {call.code or ''}: {said}".rstrip(": "))
    if paced and not (call.exact and all(proof.complete for proof in call.exact)):
        faults.append("the mock has fewer proofs than chunks")
    elif paced and sum(proof.chunks for proof in call.exact) != len(call.chunks):
        faults.append("the mock's proofs are not those of the chunks that it wrote")
    return (State.BROKEN, "; ".join(faults)) if faults else (State.HOLDS, "")


def _faults(reader: Reader, difference: Difference) -> list[str]:
    """Return what the reader got otherwise than it was written, in words."""
    counts = {"lost": difference.lost, "too many": difference.extra, "altered": difference.altered}
    found = [f"{number:,} byte{'s' if number > 1 else ''} {what}" for what, number in counts.items() if number]
    if reader.sees_reads and difference.merged:
        found.append(f"{difference.merged:,} write{'s' if difference.merged > 1 else ''} merged with the next")
    if reader.sees_reads and difference.split:
        found.append(f"{difference.split:,} read{'s' if difference.split > 1 else ''} ended inside a write")
    return found
