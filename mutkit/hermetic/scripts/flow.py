"""Owns what steps of one answer do to those that follow: closed streams, input that has ended, steps that none can
reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.scripts.content import CONTENT, is_given
from mutkit.toml import dotted

if TYPE_CHECKING:
    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.model.mock import Answer, Step
    from mutkit.toml import Key


def check_flow(answer: Answer, at: Key, faults: Faults) -> None:
    """Add a fault for each step of the answer, which stands at the key ``at``, that those before it make pointless."""
    flow = _Flow(faults)
    for number, step in enumerate(answer.step):
        flow.follow(step, (*at, "step", number))
    if answer.end.at_stdin_end is not None and "stdin" in flow.closed:
        faults.add(
            (*at, "end", "at_stdin_end"),
            f"can never be: {dotted(flow.closed['stdin'])} closes standard input",
            "Take one of them out.",
        )


class _Flow:
    """What is known after some steps."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.closed: dict[str, Key] = {}
        self.ended: Key = ()
        """The step after which standard input has nothing more."""
        self.never: Key = ()
        """The step that can never be passed."""

    def follow(self, step: Step, at: Key) -> None:
        if self.never:
            self.faults.add(at, f"can never be reached: {dotted(self.never)} never goes on", "Take one of them out.")
            self.never = ()  # told once
            return
        for key, stream in _uses(step):
            if stream in self.closed:
                self.faults.add((*at, *key), f"needs {stream}, which {dotted(self.closed[stream])} closes")
        if step.close is not None:
            self.closed.setdefault(step.close, at)
        self._read(step, at)

    def _read(self, step: Step, at: Key) -> None:
        """Follow what the step takes of standard input."""
        wanted = step.expect
        if self.ended and (step.read_stdin is not None or (wanted is not None and not wanted.end)):
            key = "read_stdin" if wanted is None else "expect"
            why = f"finds nothing: {dotted(self.ended)} takes standard input to its end"
            self.faults.add((*at, key), why, "Take one of them out.")
            if wanted is not None and wanted.all is None:
                self.never = at
        if step.read_stdin == "end" or (wanted is not None and (wanted.end or wanted.all is not None)):
            self.ended = self.ended or at


def _uses(step: Step) -> list[tuple[Key, str]]:
    """Return the streams that the step needs open, each with the key that says so."""
    if step.close is not None:
        return [(("close",), step.close)]
    if step.expect is not None:
        return [(("expect",), "stdin")]
    if step.read_stdin is not None:
        return [(("read_stdin",), "stdin")]
    if step.grandchild is not None:
        return [(("grandchild", "holds"), stream) for stream in step.grandchild.holds]
    if step.path is not None or step.path_after is not None or not any(is_given(step, name) for name in CONTENT):
        return []
    return [(("to",), step.to)]
