"""Owns the list of recorded calls and its assertions, which say what was expected, what was called, how they differ."""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NoReturn, overload

from mutkit.hermetic.child.words import words_match
from mutkit.hermetic.recordings.compared import bytes_compared, nearest, words_compared
from mutkit.hermetic.recordings.shown import (
    calls_shown,
    ending_shown,
    proof_shown,
    signal_name,
    sizes_shown,
    words_shown,
)
from mutkit.hermetic.recordings.trouble import troubles
from mutkit.model.describe import quoted
from mutkit.model.mock_call import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Literal, SupportsIndex

    Word = str | bytes | os.PathLike[str]


class Calls(list[Call]):
    """The recorded calls of one command, or of all, in order.

    An assertion about what a call did (``assert_env`` ... ``assert_ended``) holds where each call of the list meets it
    and there is at least one; ``matching``, a slice or ``calls[0:1]`` makes the list shorter. All raise AssertionError.
    """

    def __init__(self, calls: Iterable[Call] = (), name: str | None = None) -> None:
        """Take the calls, and the command's name for messages (None: of several)."""
        super().__init__(calls)
        self.name = name

    @overload
    def __getitem__(self, at: SupportsIndex) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> Calls: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Call | Calls:
        """Return one call, or for a slice the shorter list."""
        found: Any = super().__getitem__(at)
        return Calls(found, self.name) if isinstance(at, slice) else found

    @property
    def last(self) -> Call:
        """The last call; AssertionError where there is none."""
        __tracebackhide__ = True
        self.assert_called()
        return self[-1]

    def one(self) -> Call:
        """Return the call where it is the only one; AssertionError otherwise."""
        __tracebackhide__ = True
        self.assert_called(times=1)
        return self[0]

    def matching(self, *words: Word) -> Calls:
        """Return the calls with these words: ``*`` in a word is any run of bytes, the word ``**`` any run of words."""
        wanted = _words(words)
        return Calls((call for call in self if words_match(wanted, list(call.argv_bytes))), self.name)

    def assert_called(self, times: int | None = None) -> None:
        """Assert that there was a call, or exactly so many."""
        __tracebackhide__ = True
        if not self if times is None else len(self) != times:
            wanted = "a call" if times is None else _number(times)
            self._fail(f"{self._subject}: {wanted} expected, {_number(len(self))} made")

    def assert_not_called(self) -> None:
        """Assert that there was no call."""
        __tracebackhide__ = True
        self.assert_called(times=0)

    def assert_called_with(self, *words: Word, times: int | None = None) -> None:
        """Assert that a call, or exactly ``times`` calls, had these words (as in ``matching``); others may be there."""
        __tracebackhide__ = True
        wanted = _words(words)
        found = self.matching(*words)
        if found and times in (None, len(found)):
            return
        how_often = "" if times is None else f" {_times(times)}, but {_times(len(found)) if found else 'never'}"
        close = None if found else nearest(wanted, self, patterns=True)
        compared = ""
        if close is not None:
            compared = f"\n  nearest is call {close.number} (- expected, + called):\n" + words_compared(
                wanted, close.argv_bytes, patterns=True
            )
        self._fail(f"{self._subject} was not called with {words_shown(wanted)}{how_often}{compared}")

    def assert_argv(self, expected: Iterable[Sequence[Word]]) -> None:
        """Assert that these were all calls, in this order: for each the list of its words, nothing in them special."""
        __tracebackhide__ = True
        wanted = [tuple(_words(words)) for words in expected]
        given = [call.argv_bytes for call in self]
        if wanted == given:
            return
        lines = [f"{self._subject}: other calls than expected (- expected, + called)"]
        for tag, a, b, c, d in SequenceMatcher(None, wanted, given, autojunk=False).get_opcodes():
            both = min(b - a, d - c) if tag == "replace" else 0
            for at in range(both):
                lines.append(f"  ! call {self[c + at].number}:")
                lines.append(words_compared(wanted[a + at], given[c + at], patterns=False))
            sign, rest = (" ", wanted[a:b]) if tag == "equal" else ("-", wanted[a + both : b])
            lines += [f"  {sign} {words_shown(words)}" for words in rest]
            lines += [f"  + {words_shown(words)}" for words in given[c + both : d] if tag != "equal"]
        self._fail("\n".join(lines))

    def assert_env(self, expected: Mapping[str, str | None]) -> None:
        """Assert these values of recorded variables (None: it was not set)."""
        __tracebackhide__ = True

        def differs(call: Call) -> str:
            said = []
            for name, value in expected.items():
                if name not in call.env:
                    said.append(f"{name} was not recorded; name it in `record_env`, or with Script.recording()")
                elif call.env[name] != value:
                    given = call.env[name]
                    secret = " (recorded as a secret unless named in `unredacted`)" if given == f"<{name}>" else ""
                    said.append(f"{name} was {_value(given)}{secret} instead of {_value(value)}")
            return "; ".join(said)

        self._each("another environment than expected", differs)

    def assert_cwd(self, expected: str | os.PathLike[str]) -> None:
        """Assert the working directory; links on the way to it do not matter."""
        __tracebackhide__ = True
        real = os.path.realpath(expected)
        self._each(
            "another working directory than expected",
            lambda call: "" if call.cwd in (real, os.fspath(expected)) else f"{call.cwd} instead of {real}",
        )

    def assert_stdin(self, expected: bytes | str, *, ended: bool | None = None) -> None:
        """Assert the bytes (text: as UTF-8) that were read, and with ``ended`` whether the end was seen."""
        __tracebackhide__ = True
        wanted = expected.encode() if isinstance(expected, str) else expected

        def differs(call: Call) -> str:
            if call.stdin != wanted:
                unread = not call.stdin and not call.stdin_ended
                advice = "; nothing was read: does the script have `read_stdin`?" if unread else ""
                return bytes_compared(wanted, call.stdin) + advice
            if ended is None or call.stdin_ended == ended:
                return ""
            return "its end was not seen" if ended else "its end was seen"

        self._each("another standard input than expected", differs)

    def assert_signals(self, *expected: str | int) -> None:
        """Assert the signals that were received, in order: ``"TERM"``, ``"SIGTERM"`` or numbers; none for none."""
        __tracebackhide__ = True
        wanted = [_signal(one) for one in expected]

        def differs(call: Call) -> str:
            given = [signal_name(number) for number in call.signals]
            return "" if given == wanted else f"{', '.join(given) or 'none'} instead of {', '.join(wanted) or 'none'}"

        self._each("other signals than expected", differs)

    def assert_chunks(self, expected: Iterable[int], *, stream: Literal["stdout", "stderr"] = "stdout") -> None:
        """Assert the sizes in bytes of all writes to the stream, in order."""
        __tracebackhide__ = True
        wanted = tuple(expected)

        def differs(call: Call) -> str:
            given = call.chunks if stream == "stdout" else call.stderr_chunks
            if given == wanted:
                return ""
            return f"{len(given):,} {sizes_shown(given)} instead of {len(wanted):,} {sizes_shown(wanted)}"

        self._each(f"other writes to {stream} than expected", differs)

    def assert_exact(self, *, stream: Literal["stdout", "stderr"] = "stdout", every_write: bool = True) -> None:
        """Assert that each write of the exact steps was proved to be a read of its own, and that there was one.

        ``every_write``: none of the stream's writes may be outside of such steps.
        """
        __tracebackhide__ = True

        def differs(call: Call) -> str:
            fd, chunks = (1, call.chunks) if stream == "stdout" else (2, call.stderr_chunks)
            proofs = [proof for proof in call.exact if proof.fd == fd]
            exact = sum(proof.chunks for proof in proofs)
            said = [proof_shown(proof) for proof in proofs if not proof.complete]
            if not exact or (every_write and exact != len(chunks)):
                said.append(f'{exact:,} of {len(chunks):,} writes to {stream} had pace = "exact" and came to their end')
            return "; ".join(said)

        self._each("boundaries of reads that are not proved", differs)

    def assert_ended(
        self,
        *,
        exit: int | None = None,  # noqa: A002 - as in a script
        signal: str | int | None = None,
        how: str | None = None,
    ) -> None:
        """Assert the end: an exit code, a signal, or one of the words of ``Call.ended``; without any: some end."""
        __tracebackhide__ = True
        name = None if signal is None else _signal(signal)

        def differs(call: Call) -> str:
            fits = (
                bool(call.ended)
                and (exit is None or (call.ended != "signal" and call.code == exit))
                and (name is None or (call.ended == "signal" and signal_name(call.code or 0) == name))
                and (how is None or call.ended == how)
            )
            wanted = [f"exit {exit}"] if exit is not None else []
            wanted += [f"death of {name}"] if name is not None else []
            wanted += [how] if how is not None else []
            return "" if fits else f"{ending_shown(call)} instead of {', '.join(wanted) or 'an end'}"

        self._each("another end than expected", differs)

    def assert_no_unexpected(self) -> None:
        """Assert that no call was unexpected, unable or forgotten; holds where there was no call."""
        __tracebackhide__ = True
        said = troubles(self)
        if said:
            self._fail(said)

    @property
    def _subject(self) -> str:
        return "the mocks" if self.name is None else self.name

    def _each(self, what: str, differs: Callable[[Call], str]) -> None:
        __tracebackhide__ = True
        self.assert_called()
        said = [f"  call {call.number} of {call.name}: {text}" for call in self if (text := differs(call))]
        if said:
            self._fail(f"{self._subject}: {what}\n" + "\n".join(said))

    def _fail(self, said: str) -> NoReturn:
        __tracebackhide__ = True
        recorded = f"  all calls:\n{calls_shown(self, '    ')}" if self else "  there was no call"
        raise AssertionError(f"{said}\n{recorded}")


def _words(words: Iterable[Word]) -> list[bytes]:
    return [os.fsencode(word) for word in words]


def _signal(given: str | int) -> str:
    return signal_name(given) if isinstance(given, int) else f"SIG{given.removeprefix('SIG')}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _number(count: int) -> str:
    return {0: "no call", 1: "one call"}.get(count, f"{count:,} calls")


def _value(value: str | None) -> str:
    return "not set" if value is None else quoted(value)
