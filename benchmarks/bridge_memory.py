"""Owns the measurement of the bridge's memory and time: ``python benchmarks/bridge_memory.py``.

Starts the final bridge for each size and tool, has a mock ``codex`` print an answer of that size, and reads
the bridge's peak of resident memory from the kernel. The bound is counted from the design: how often the text
exists at the same time, in the form that Python gives it. Exit code 1 where a peak is above its bound.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

TREE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TREE))

from mutkit.hermetic import MockCommands, Script  # noqa: E402 - found in the tree above

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 2**20
IDLE = 32
"""MiB of the interpreter and the modules alone, and room for the allocator."""


class Text(NamedTuple):
    """A kind of text: its unit, and how many bytes Python keeps for each byte of its UTF-8 form."""

    name: str
    unit: str
    width: float


TEXTS = (
    Text("ASCII", "All work is done. ", 1.0),
    Text("two-byte", "é", 0.5),  # Latin-1 fits into one byte a character
    Text("mixed", "é€😀", 12 / 9),  # one emoji makes every character four bytes wide
)


class Row(NamedTuple):
    """One measurement: ``seconds`` until the last byte of the answer, ``peak`` and ``bound`` in MiB."""

    tool: str
    text: str
    size: int
    seconds: float
    peak: float
    bound: float


def measure(tool: str, text: Text, size: int, folder: Path) -> Row:
    """Return what one answer of ``size`` MiB costs."""
    times = size * MIB // len(text.unit.encode())
    script = Script()
    if tool == "codex":
        item = {"id": "item_0", "type": "agent_message", "text": text.unit * times}
        answer = folder / "answer"
        line = json.dumps({"type": "item.completed", "item": item}, ensure_ascii=False) + "\n"
        answer.write_text(line, encoding="utf-8")
        script = script.file(answer)
    else:
        script = script.repeat(text.unit, times)
    with MockCommands(folder / "mocks") as mocks:
        mocks.add("codex", script)
        seconds, peak = run(tool, {"PATH": mocks.path, "LC_ALL": "C.UTF-8"}, times * len(text.unit.encode()))
    return Row(tool, text.name, size, seconds, peak, bound(text, size))


def bound(text: Text, size: int) -> float:
    """Return how many MiB the design may need: the copies of the text that exist at the same time.

    The pieces as they were read, each in room for as many characters as it has bytes (the allocator may keep
    that room after they are gone); the text; and the JSON text around it, twice while it is put together,
    then once with its bytes. In the start tool the line and its parts come before these, and are not more.
    """
    pieces = max(1.0, text.width)
    writing = max(3 * text.width, 2 * text.width + 1)
    return IDLE + size * (pieces + writing)


def run(tool: str, env: dict[str, str], expected: int) -> tuple[float, float]:
    """Return the seconds until the answer was read, and the bridge's peak in MiB."""
    arguments = {"prompt": "hi"} | ({"sessionId": "s"} if tool == "codex-reply" else {})
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    with subprocess.Popen(
        [sys.executable, "-m", "examples.bridge"],
        cwd=TREE,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        begin = time.perf_counter()
        bridge.stdin.write(json.dumps(call).encode() + b"\n")
        bridge.stdin.flush()
        total = sum(len(chunk) for chunk in until_newline(bridge.stdout.fileno()))
        seconds = time.perf_counter() - begin
        if total < expected:
            raise SystemExit(f"{tool}: {total} bytes came back of {expected}")
        peak = peak_of(bridge.pid)
        bridge.stdin.close()
    return seconds, peak


def until_newline(fd: int) -> Iterator[bytes]:
    """Yield what is read up to the end of the line."""
    while chunk := os.read(fd, MIB):
        yield chunk
        if chunk.endswith(b"\n"):
            return


def peak_of(pid: int) -> float:
    """Return the peak of resident memory of a running process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Memory and time of the bridge for long answers.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 5, 50], metavar="MIB")
    sizes = parser.parse_args().sizes
    print("tool         text        MiB  seconds  peak MiB  bound MiB  peak/size")
    over = False
    for tool in ("codex", "codex-reply"):
        for text in TEXTS:
            for size in sizes:
                with tempfile.TemporaryDirectory() as folder:
                    row = measure(tool, text, size, Path(folder))
                over = over or row.peak > row.bound
                print(
                    f"{row.tool:12} {row.text:10} {row.size:4} {row.seconds:8.2f} {row.peak:9.1f} "
                    f"{row.bound:10.1f} {row.peak / row.size:10.2f}{'  above' * (row.peak > row.bound)}"
                )
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
