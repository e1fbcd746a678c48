"""Owns bridge.py as it was before any fix: each read of the child's output is taken for whole lines.

Nothing is carried from one read into the next, and each read is decoded by itself. A line that does not
parse is dropped in silence, and a clean exit with no message read is the literal ``Completed``. So an answer
of 64 KiB or more is lost, and a character that two reads cut comes back as U+FFFD.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from examples.bridge.server import serve
from examples.bridge.tools import banner_session, follow_up_command, refuse_failure, start_command

if TYPE_CHECKING:
    from examples.bridge.child import Ending


class Events:
    """Reads event lines out of one read after the other."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.session = ""
        self.message = ""
        self.failure = ""

    def on_read(self, text: str) -> None:
        """Take one read for whole lines; what does not parse is dropped."""
        for line in text.split("\n"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(event, dict):
                continue
            item, error = event.get("item"), event.get("error")
            if event.get("type") == "thread.started":
                self.session = str(event.get("thread_id", ""))
            elif event.get("type") == "turn.failed" and isinstance(error, dict):
                self.failure = str(error.get("message", ""))
            elif event.get("type") == "item.completed" and isinstance(item, dict):
                is_message = item.get("type") == "agent_message"
                self.message = (is_message and item.get("text")) or self.message


class StartRun:
    """A new run: the last agent message is the answer, else ``Completed``."""

    def __init__(self, arguments: dict[str, str]) -> None:
        """Take the tool's arguments, checked."""
        self.command = start_command(arguments)
        self.session = ""
        self._events = Events()

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of standard output."""
        self._events.on_read(chunk.decode("utf-8", "replace"))

    def finish(self, ending: Ending) -> str:
        """Return the answer of a run that has ended, or raise ToolError."""
        self.session = self._events.session or banner_session(ending.head)
        refuse_failure(ending, self._events.failure)
        return self._events.message or "Completed"


class FollowUpRun:
    """A follow-up: an event line in the output is the answer, else the raw output, else ``Completed``."""

    def __init__(self, arguments: dict[str, str]) -> None:
        """Take the tool's arguments, checked."""
        self.command = follow_up_command(arguments)
        self.session = arguments["sessionId"]
        self._output = ""
        self._events = Events()

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of standard output."""
        text = chunk.decode("utf-8", "replace")
        self._output += text
        self._events.on_read(text)

    def finish(self, ending: Ending) -> str:
        """Return the answer of a run that has ended, or raise ToolError."""
        self.session = banner_session(ending.head) or self.session
        refuse_failure(ending, self._events.failure)
        return self._events.message or self._output or "Completed"


def main() -> None:
    """Serve on standard input and output until the input ends."""
    serve(StartRun, FollowUpRun)


if __name__ == "__main__":
    main()
