"""Owns round one of bridge.py: lines carried and characters kept whole, with four defects of its own.

a. The follow-up scans plain text for event lines: an answer that quotes one is cut down to the quote.
b. A truthiness check skips an empty last message: an earlier draft comes back as the answer.
c. A message whose text is no string raises in the event callback, and the process dies.
d. The decoder's last flush reaches the line parser but not the accumulated output.
"""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, Any

from examples.bridge.server import serve
from examples.bridge.tools import (
    ToolError,
    banner_session,
    follow_up_command,
    quote,
    refuse_failure,
    start_command,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from examples.bridge.child import Ending


class LineAssembler:
    """Makes whole lines out of pieces of bytes."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        """Take the function that gets each line, without its newline."""
        self._on_line = on_line
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._carry: list[str] = []

    def push(self, chunk: bytes) -> str:
        """Emit every line that ends in ``chunk``, keep the rest, return the decoded text."""
        text = self._decoder.decode(chunk)
        *ends, rest = text.split("\n")
        for end in ends:
            line = "".join(self._carry) + end
            self._carry.clear()
            self._on_line(line)
        if rest:
            self._carry.append(rest)
        return text

    def end(self) -> None:
        """Emit what is left as a last line (defect d: it is not returned)."""
        line = "".join(self._carry) + self._decoder.decode(b"", final=True)
        self._carry.clear()
        if line:
            self._on_line(line)


class Events:
    """Reads event lines: the last agent message, the session, and what could not be read."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.session = ""
        self.message: str | None = None
        self.is_blank = False
        self.unreadable = 0
        self.last_unreadable = ""
        self.failure = ""

    def on_line(self, line: str) -> None:
        """Take one line."""
        if not line.strip():
            return
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            self.unreadable += 1
            self.last_unreadable = quote(line)
            return
        if not isinstance(event, dict):
            return
        match event.get("type"):
            case "thread.started" if isinstance(event.get("thread_id"), str):
                self.session = event["thread_id"]
            case "item.completed":
                item = event.get("item")
                if isinstance(item, dict) and item.get("type") == "agent_message":
                    self.on_message(item.get("text"))
            case "turn.failed":
                error = event.get("error")
                self.failure = str(error.get("message", "")) if isinstance(error, dict) else ""

    def on_message(self, text: Any) -> None:
        """Select a message (defect c: the blank check raises; defect b: an empty one is skipped)."""
        is_blank = not text.strip()
        if text:
            self.message = text
            self.is_blank = is_blank
            self.unreadable = 0

    def unreadable_lines(self) -> str:
        """Return how many lines could not be read, with the last of them, for an error."""
        if not self.unreadable:
            return ""
        lines = "1 unreadable line" if self.unreadable == 1 else f"{self.unreadable} unreadable lines"
        return f" ({lines}, the last one: {self.last_unreadable})"


class StartRun:
    """A new run: standard output is JSON events, one a line; the last agent message is the answer."""

    def __init__(self, arguments: dict[str, str]) -> None:
        """Take the tool's arguments, checked."""
        self.command = start_command(arguments)
        self.session = ""
        self._events = Events()
        self._lines = LineAssembler(self._events.on_line)

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of standard output."""
        self._lines.push(chunk)

    def finish(self, ending: Ending) -> str:
        """Return the answer of a run that has ended, or raise ToolError."""
        self._lines.end()
        events = self._events
        self.session = events.session or banner_session(ending.head)
        refuse_failure(ending, events.failure)
        if events.message is None:
            raise ToolError(f"codex exited with code 0, but no agent message was read{events.unreadable_lines()}")
        if events.unreadable:
            raise ToolError(f"the last agent message that was read may not be the final one{events.unreadable_lines()}")
        if events.is_blank:
            raise ToolError("codex exited with code 0, but its last agent message was empty")
        return events.message


class FollowUpRun:
    """A follow-up: an event line in standard output is the answer, else the raw output is."""

    def __init__(self, arguments: dict[str, str]) -> None:
        """Take the tool's arguments, checked."""
        self.command = follow_up_command(arguments)
        self.session = arguments["sessionId"]
        self._output: list[str] = []
        self._events = Events()
        self._lines = LineAssembler(self._events.on_line)

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of standard output."""
        self._output.append(self._lines.push(chunk))

    def finish(self, ending: Ending) -> str:
        """Return the answer of a run that has ended, or raise ToolError."""
        self._lines.end()
        self.session = banner_session(ending.head) or self.session
        refuse_failure(ending, self._events.failure)
        text = self._events.message or "".join(self._output)
        if not text.strip():
            raise ToolError("codex exited with code 0, but its reply was empty")
        return text


def main() -> None:
    """Serve on standard input and output until the input ends."""
    serve(StartRun, FollowUpRun)


if __name__ == "__main__":
    main()
