"""Owns the script of a mock child, as it is built in Python or was read from TOML."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mutkit.errors import Problem, SpecError
from mutkit.hermetic.scripts.compile import Compiler, problem
from mutkit.model.matcher import CLOSED, Json
from mutkit.model.mock import Answer, End, Grandchild, Repeat, SignalName, Step, WaitFor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import TypedDict

    from typing_extensions import Unpack

    class How(TypedDict, total=False):
        """The keys of a step that say how content is written."""

        to: Literal["stdout", "stderr"]
        path: str | None
        path_after: str | None
        append: bool
        newline: Literal["none", "with", "separate", "codex"] | None
        chunk: int
        cut_at: tuple[int, ...]
        pace: Literal["none", "exact"]
        pause_ms: float


@dataclass(frozen=True)
class Script:
    """What one mock command does; immutable, so that a builder's call gives a new script.

    Either one answer (``argv``, ``step``, ``end``, ``signals``) or several (``call``), of which the first
    that fits is given. ``record_env`` names the environment variables that are recorded. ``base`` is the
    folder of ``file`` keys.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    note: str = ""
    argv: tuple[str, ...] | None = None
    step: tuple[Step, ...] = ()
    end: End = End()  # noqa: RUF009 - it is frozen
    signals: dict[SignalName, Literal["die", "ignore"] | int] = field(default_factory=dict)
    call: tuple[Answer, ...] = ()
    record_env: tuple[str, ...] = ()

    @classmethod
    def from_toml(cls, path: Path) -> Script:
        """Return the script in the file; SpecError names every fault in it."""
        from mutkit.hermetic.scripts.read import read

        return read(path)

    def write(self, content: str | bytes, **how: Unpack[How]) -> Script:
        """Write text (as UTF-8) or bytes."""
        if isinstance(content, bytes):
            return self._with(Step(base64=base64.b64encode(content).decode(), **how))
        return self._with(Step(text=content, **how))

    def json(self, value: Json, **how: Unpack[How]) -> Script:
        """Write a value as one line of compact JSON, other than ASCII characters as they are."""
        return self._with(Step(json=value, **how))

    def repeat(self, text: str, times: int, **how: Unpack[How]) -> Script:
        """Write ``text`` so many times over."""
        return self._with(Step(repeat=Repeat(text, times), **how))

    def file(self, source: Path, **how: Unpack[How]) -> Script:
        """Write the bytes of the file ``source``."""
        return self._with(Step(file=str(source.absolute()), **how))

    def read_stdin(self, until: Literal["end", "line"] = "end") -> Script:
        """Read and record standard input to its end, or one line of it."""
        return self._with(Step(read_stdin=until))

    def close(self, stream: Literal["stdin", "stdout", "stderr"]) -> Script:
        """Close a stream and go on."""
        return self._with(Step(close=stream))

    def pause(self, ms: float) -> Script:
        """Do nothing for ``ms`` milliseconds."""
        return self._with(Step(pause_ms=ms))

    def wait_for(self, path: Path, seconds: float = 30.0) -> Script:
        """Go on when ``path`` exists."""
        return self._with(Step(wait_for=WaitFor(str(path), seconds)))

    def grandchild(self, seconds: float, *holds: Literal["stdin", "stdout", "stderr"]) -> Script:
        """Leave a process behind that keeps streams (standard output) open for ``seconds``."""
        return self._with(Step(grandchild=Grandchild(seconds, holds or ("stdout",))))

    def exit(self, code: int) -> Script:
        """End with an exit code."""
        return replace(self, end=End(exit=code))

    def kill(self, name: str) -> Script:
        """End by a signal, ``"KILL"``."""
        return replace(self, end=End(signal=name))

    def hang(self) -> Script:
        """Do not end by itself."""
        return replace(self, end=End(hang=True))

    def on_signal(self, name: SignalName, reaction: Literal["die", "ignore"] | int) -> Script:
        """Say what a signal does: ``"die"``, ``"ignore"`` or an exit code."""
        return replace(self, signals={**self.signals, name: reaction})

    def expecting(self, *argv: str) -> Script:
        """Refuse, with exit 97, any call whose words are not these (``*``, ``**`` as in ``Answer.argv``)."""
        return replace(self, argv=argv)

    def recording(self, *names: str) -> Script:
        """Record these environment variables."""
        return replace(self, record_env=(*self.record_env, *names))

    def answering(self, script: Script, argv: Iterable[str] | None = None, nth: int = 0) -> Script:
        """Add an answer: what ``script`` does is done for calls with these words, or for the nth call."""
        words = script.argv if argv is None else tuple(argv)
        return replace(
            self, call=(*self.call, Answer(words, nth=nth, step=script.step, end=script.end, signals=script.signals))
        )

    def _with(self, step: Step) -> Script:
        return replace(self, step=(*self.step, step))

    def compiled(self, base: Path | None = None, shown: str = "script") -> dict[str, Any]:
        """Return what child.py follows, of plain values only; ``base`` is the folder of ``file`` keys.

        SpecError (slug ``mock-script``) holds everything that does not go together.
        """
        problems: list[Problem] = []
        answers = self.call or (Answer(self.argv, step=self.step, end=self.end, signals=self.signals),)
        if self.call and (self.step or self.argv is not None or self.end != End() or self.signals):
            problems.append(problem(shown, "call", "stands beside `step`, `end`, `argv` or `signals`"))
        calls = []
        for at, answer in enumerate(answers):
            compiler = Compiler(base, shown, f"call[{at}]." if self.call else "", problems)
            calls.append(compiler.answer(answer))
        if problems:
            raise SpecError(problems)
        return {"calls": calls, "env": list(self.record_env)}
