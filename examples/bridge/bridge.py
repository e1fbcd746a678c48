"""Owns what the child's output means (final generation): which text is the answer, and when there is none."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, Any, NamedTuple

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
    """Makes whole lines out of pieces of bytes that were cut anywhere, in mid-line and in mid-character."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        """Take the function that gets each line, without its newline (a carriage return is left on)."""
        self._on_line = on_line
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._carry: list[str] = []  # pieces of the line that has not ended yet: only new text is ever scanned

    def push(self, chunk: bytes) -> str:
        """Emit every line that ends in ``chunk``, keep the rest, return the decoded text of this piece."""
        text = self._decoder.decode(chunk)
        *ends, rest = text.split("\n")
        for end in ends:
            line = "".join(self._carry) + end
            self._carry.clear()
            self._on_line(line)
        if rest:
            self._carry.append(rest)
        return text

    def end(self) -> str:
        """Emit what is left as a last line, and return the tail: the text that ``push`` could not return."""
        tail = self._decoder.decode(b"", final=True)
        line = "".join(self._carry) + tail
        self._carry.clear()
        if line:
            self._on_line(line)
        return tail


class AgentMessage(NamedTuple):
    """A message of the agent, and whether it says nothing."""

    text: str
    is_blank: bool


class StartRun:
    """A new run: standard output is JSON events, one a line; the last agent message is the answer."""

    def __init__(self, arguments: dict[str, str]) -> None:
        """Take the tool's arguments, checked."""
        self.command = start_command(arguments)
        self.session = ""
        self.message: AgentMessage | None = None
        self.unreadable = 0
        self._last_unreadable = ""
        self._failure = ""
        self._lines = LineAssembler(self.on_line)

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of standard output."""
        self._lines.push(chunk)

    def on_line(self, line: str) -> None:
        """Take one line; what is JSON but no event that we know is none of our business."""
        if not line.strip():
            return
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            self._count_unreadable(line)
            return
        if not isinstance(event, dict):
            return
        match event.get("type"):
            case "thread.started" if isinstance(event.get("thread_id"), str):
                self.session = event["thread_id"]
            case "item.completed":
                item = event.get("item")
                if isinstance(item, dict) and item.get("type") == "agent_message":
                    self.on_message(item.get("text"), line)
            case "turn.failed":
                error = event.get("error")
                reason = error.get("message") if isinstance(error, dict) else None
                self._failure = reason.strip() if isinstance(reason, str) else ""

    def on_message(self, text: Any, line: str) -> None:
        """Select a message, an empty one too; what was unreadable before it counts no more."""
        if not isinstance(text, str):
            self._count_unreadable(line)
            return
        self.message = AgentMessage(text, is_blank=not text.strip())
        self.unreadable = 0

    def finish(self, ending: Ending) -> str:
        """Return the answer of a run that has ended, or raise ToolError."""
        self._lines.end()
        self.session = self.session or banner_session(ending.head)
        refuse_failure(ending, self._failure)
        if self.message is None:
            raise ToolError(f"codex exited with code 0, but no agent message was read{self._why_none()}")
        if self.unreadable:
            raise ToolError(f"the last agent message that was read may not be the final one{self._unreadable()}")
        if self.message.is_blank:
            raise ToolError("codex exited with code 0, but its last agent message was empty")
        return self.message.text

    def _count_unreadable(self, line: str) -> None:
        self.unreadable += 1
        self._last_unreadable = quote(line)

    def _why_none(self) -> str:
        return self._unreadable() + (f"; the turn failed: {self._failure}" if self._failure else "")

    def _unreadable(self) -> str:
        if not self.unreadable:
            return ""
        lines = "1 unreadable line" if self.unreadable == 1 else f"{self.unreadable} unreadable lines"
        return f" ({lines}, the last one: {self._last_unreadable})"


class FollowUpRun:
    """A follow-up: standard output is the final message as plain text, and is never searched for anything."""

    def __init__(self, arguments: dict[str, str]) -> None:
        """Take the tool's arguments, checked."""
        self.command = follow_up_command(arguments)
        self.session = arguments["sessionId"]
        self._output: list[str] = []
        self._lines = LineAssembler(lambda _line: None)

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of standard output."""
        self._output.append(self._lines.push(chunk))

    def finish(self, ending: Ending) -> str:
        """Return the answer of a run that has ended, untrimmed, or raise ToolError."""
        self._output.append(self._lines.end())
        self.session = banner_session(ending.head) or self.session
        refuse_failure(ending)
        text = "".join(self._output)
        self._output.clear()  # a long reply need not be held twice
        if not text.strip():
            raise ToolError("codex exited with code 0, but its reply was empty")
        return text


def main() -> None:
    """Serve on standard input and output until the input ends."""
    serve(StartRun, FollowUpRun)


if __name__ == "__main__":
    main()
