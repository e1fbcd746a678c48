"""Owns the script of a mock child as it is built in Python: a method for everything that TOML can say."""

from __future__ import annotations

import base64
import dataclasses
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from mutkit.errors import SpecError
from mutkit.hermetic.scripts.compile import answer_at_the_top, compile_script
from mutkit.hermetic.scripts.faults import Faults
from mutkit.model.matcher import UNSET, Json
from mutkit.model.mock import (
    ChunkMode,
    End,
    Expect,
    Generate,
    GeneratorName,
    Grandchild,
    MockScript,
    Newline,
    Repeat,
    SignalName,
    Step,
    StreamName,
    WaitFor,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import TypedDict

    from typing_extensions import Unpack

    class How(TypedDict, total=False):
        """The keys of a step that say how content is written."""

        to: Literal["stdout", "stderr"]
        path: str | None
        path_after: str | None
        append: bool
        newline: Newline | None
        chunk: int | ChunkMode
        cut_at: tuple[int, ...]
        pace: Literal["none", "exact"]
        pause_ms: float
        deadline: float


@dataclass(frozen=True)
class Script:
    """What one mock command does; immutable, so that a builder's call gives a new script.

    ``model`` is all that it says, as a script in TOML has it.
    """

    model: MockScript = MockScript()  # noqa: RUF009 - it is frozen

    @classmethod
    def from_toml(cls, path: Path) -> Script:
        """Return the script in the file; SpecError (slug ``mock-script``) names every fault in it."""
        from mutkit.hermetic.scripts.read import read

        return cls(read(path))

    # What is written

    def write(self, content: str | bytes, **how: Unpack[How]) -> Script:
        """Write text (as UTF-8) or bytes."""
        if isinstance(content, bytes):
            return self._step(base64=base64.b64encode(content).decode(), **how)
        return self._step(text=content, **how)

    def json(self, value: Json, fill: Mapping[str, Repeat] | None = None, **how: Unpack[How]) -> Script:
        """Write a value as one line of compact JSON, characters beyond ASCII as they are.

        ``fill`` puts repeated text at JSON Pointers of it.
        """
        return self._step(json=value, fill=dict(fill or {}), **how)

    def repeat(self, text: str, times: int, **how: Unpack[How]) -> Script:
        """Write ``text`` so many times over."""
        return self._step(repeat=Repeat(text, times), **how)

    def file(self, source: Path, **how: Unpack[How]) -> Script:
        """Write the bytes of the file ``source``."""
        return self._step(file=str(source.absolute()), **how)

    def generate(
        self,
        kind: GeneratorName,
        bytes: int = 0,  # noqa: A002 - the key of the script
        seed: int | None = None,
        **how: Unpack[How],
    ) -> Script:
        """Write awkward output made from a seed (None: the script's), ``bytes`` long (0: as long as its default)."""
        return self._step(generate=Generate(kind, bytes, seed), **how)

    # What else is done

    def expect(
        self,
        line: str | None = None,
        *,
        all: str | None = None,  # noqa: A002 - the key of the script
        json: Json = UNSET,
        end: bool = False,
        regex: bool = False,
    ) -> Script:
        """Go on only if standard input gives this next: a line, all up to its end, a line of JSON, or its end."""
        return self._step(expect=Expect(line, all, json, end, regex))

    def read_stdin(self, until: Literal["end", "line"] = "end") -> Script:
        """Read and record standard input to its end, or one line of it."""
        return self._step(read_stdin=until)

    def close(self, stream: StreamName) -> Script:
        """Close a stream and go on."""
        return self._step(close=stream)

    def pause(self, ms: float) -> Script:
        """Do nothing for ``ms`` milliseconds."""
        return self._step(pause_ms=ms)

    def wait_for(self, path: Path, seconds: float = 30.0) -> Script:
        """Go on when ``path`` exists; fail (exit 98) where it does not within ``seconds``."""
        return self._step(wait_for=WaitFor(str(path), seconds))

    def grandchild(self, seconds: float, *holds: StreamName) -> Script:
        """Leave a process behind that keeps streams (standard output) open for ``seconds``."""
        return self._step(grandchild=Grandchild(seconds, holds or ("stdout",)))

    # How it ends

    def exit(self, code: int) -> Script:
        """End with an exit code."""
        return self._with(end=End(exit=code))

    def kill(self, name: str) -> Script:
        """End by a signal, ``"KILL"``."""
        return self._with(end=End(signal=name))

    def hang(self, at_stdin_end: int | None = None) -> Script:
        """Do not end by itself, or only when standard input ends, with the exit code ``at_stdin_end``."""
        return self._with(end=End(hang=True, at_stdin_end=at_stdin_end))

    def on_signal(self, name: SignalName, reaction: Literal["die", "ignore"] | int) -> Script:
        """Say what a signal does: ``"die"``, ``"ignore"`` or an exit code."""
        return self._with(signals={**self.model.signals, name: reaction})

    def on_reader_gone(self, reaction: Literal["die", "ignore"] | int) -> Script:
        """Say what happens when the reader has closed the stream: ``"die"`` (SIGPIPE), ``"ignore"`` or an exit code."""
        return self._with(reader_gone=reaction)

    # Which calls it fits

    def expecting(self, *argv: str) -> Script:
        """Fit only calls with these words: ``*`` is any run of characters in one, the word ``**`` any run of words."""
        return self._with(argv=argv)

    def expecting_exactly(self, *argv: str) -> Script:
        """Fit only calls with these words, in which nothing is special."""
        return self._with(argv_exact=argv)

    def expecting_regex(self, regex: str) -> Script:
        """Fit only calls whose words, joined by single blanks, match the whole of a regular expression."""
        return self._with(argv_regex=regex)

    def on_subcommand(self, words: str) -> Script:
        """Fit only calls of a sub-command, ``"exec resume"``."""
        return self._with(subcommand=words)

    def on_call(self, nth: int) -> Script:
        """Fit only the nth call of the command, counted from 1."""
        return self._with(nth=nth)

    def on_env(self, name: str, value: str) -> Script:
        """Fit only calls with this environment variable; ``*`` as in ``expecting``, ``""`` also where it is not set."""
        return self._with(env={**self.model.env, name: value})

    def on_stdin(self, text: str) -> Script:
        """Fit only calls with this as the whole of standard input; ``*`` as in ``expecting``."""
        return self._with(stdin=text)

    def answering(self, script: Script, argv: Iterable[str] | None = None, nth: int | None = None) -> Script:
        """Add an answer: what ``script`` does is done for the calls that it fits, or for these words or the nth call.

        What ``script`` has recorded is recorded. SpecError where it has a program or answers of its own.
        """
        other = script.model
        if other.program is not None or other.call:
            faults = Faults("script")
            faults.add(("call", len(self.model.call)), "is a script with a program or answers of its own")
            raise SpecError(faults.problems)
        answer = answer_at_the_top(other)
        if argv is not None:
            answer = replace(answer, argv=tuple(argv))
        if nth is not None:
            answer = replace(answer, nth=nth)
        if other.seed is not None:
            answer = replace(answer, step=tuple(_seeded(step, other.seed) for step in answer.step))
        added = self._with(call=(*self.model.call, answer))
        return added.recording(*other.record_env).unredacted(*other.unredacted)

    # The script as a whole

    def note(self, text: str) -> Script:
        """Add a remark."""
        return self._with(note=text)

    def recording(self, *names: str) -> Script:
        """Record these environment variables."""
        return self._with(record_env=(*self.model.record_env, *names))

    def unredacted(self, *names: str) -> Script:
        """Record these as they are, although they look like secrets."""
        return self._with(unredacted=(*self.model.unredacted, *names))

    def seeded(self, seed: int) -> Script:
        """Let generators draw from this seed."""
        return self._with(seed=seed)

    def program(self, file: Path, function: str = "answer", options: Mapping[str, Json] | None = None) -> Script:
        """Let a function in a Python file answer every call; it finds ``options`` in the call."""
        return self._with(program=f"{file.absolute()}:{function}", options=dict(options or {}))

    def compiled(self, base: Path | None = None, shown: str = "script") -> dict[str, Any]:
        """Return what a child follows, of plain values only; ``base`` is the folder of ``file`` keys.

        Where the script has no seed, one is chosen. SpecError (slug ``mock-script``) holds everything that does not go
        together; ``shown`` is the script's name in it.
        """
        faults = Faults(shown)
        done = compile_script(self.model, base, int.from_bytes(os.urandom(4), "big"), faults)
        faults.tell()
        return done

    def _step(self, **keys: Any) -> Script:
        return self._with(step=(*self.model.step, Step(**keys)))

    def _with(self, **keys: Any) -> Script:
        return dataclasses.replace(self, model=replace(self.model, **keys))


def _seeded(step: Step, seed: int) -> Step:
    if step.generate is None or step.generate.seed is not None:
        return step
    return replace(step, generate=replace(step.generate, seed=seed))
