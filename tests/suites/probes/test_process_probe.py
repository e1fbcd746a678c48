"""The process probe alone: how a program ends, what it is fed, and what cannot be compared."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.model.campaign import ProcessProbe
from mutkit.model.effect import Died, Finished, Hung, NothingSeen
from mutkit.model.ending import Signalled
from mutkit.probes import run_probe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mutkit.model.probe_run import ProbeRun
    from mutkit.stage import Stage


@pytest.fixture
def probing(tree: Path, stage: Callable[..., Stage]) -> Callable[..., ProbeRun]:
    """Return a function that probes a program with this source."""

    def probe(source: str, deadline: float = 30.0, **more: Any) -> ProbeRun:
        (tree / "program.py").write_text(f"import os, signal, sys\n{source}\n")
        return run_probe(ProcessProbe("process", ("{python}", "program.py"), **more), stage(deadline))

    return probe


@pytest.mark.parametrize("code", [0, 3, 255])
def test_an_exit_is_seen_with_its_code_and_both_streams(probing: Callable[..., ProbeRun], code: int) -> None:
    """Byte for byte, and no code is better than another."""
    run = probing(f"os.write(1, b'out\\xff'); os.write(2, b'err\\r\\n'); os._exit({code})")
    assert run.effect == Finished(code, b"out\xff", b"err\r\n")


def test_an_uncaught_exception_is_an_exit_like_others(probing: Callable[..., ProbeRun]) -> None:
    """The program's exit and output are what this kind of probe shows."""
    effect = probing("raise KeyError('gone')").effect
    assert isinstance(effect, Finished)
    assert (effect.code, effect.stdout) == (1, b"")
    assert effect.stderr.endswith(b"KeyError: 'gone'\n")


def test_a_signal_is_a_death_with_what_was_said_before(probing: Callable[..., ProbeRun]) -> None:
    """And no exception is named: a traceback that was printed did not send the signal."""
    said = 'Traceback (most recent call last):\\n  File "a", line 1, in <module>\\nE: x\\n'
    effect = probing(f"os.write(2, b'{said}'); os.kill(os.getpid(), signal.SIGKILL)").effect
    assert isinstance(effect, Died)
    assert (effect.ending, effect.exception, effect.message) == (Signalled(signal.SIGKILL), "", "")
    assert effect.stderr.endswith(b"E: x\n")


def test_a_program_that_does_not_end_hung(probing: Callable[..., ProbeRun]) -> None:
    """Also one that has closed its streams."""
    assert probing("os.close(1); os.close(2)\nwhile True: signal.pause()", deadline=0.7).effect == Hung(0.7)


def test_the_text_is_fed_and_then_the_input_ends(probing: Callable[..., ProbeRun]) -> None:
    """In UTF-8; and it is kept with the run."""
    run = probing("os.write(1, sys.stdin.buffer.read())", stdin="é\n\u2028")
    assert run.effect == Finished(0, "é\n\u2028".encode(), b"")
    assert run.sent == "é\n\u2028".encode()


def test_without_a_text_the_input_is_empty_and_one_that_is_not_read_does_not_matter(
    probing: Callable[..., ProbeRun],
) -> None:
    """A program that ends without reading 1 MiB ended all the same."""
    assert probing("os.write(1, sys.stdin.buffer.read() + b'end')").effect == Finished(0, b"end", b"")
    assert probing("os._exit(4)", stdin="x" * 2**20).effect == Finished(4, b"", b"")


@pytest.mark.parametrize(("number", "name"), [(1, "stdout"), (2, "stderr")])
def test_output_over_the_cap_shows_nothing(probing: Callable[..., ProbeRun], number: int, name: str) -> None:
    """Two streams of which only the beginning is known may not be taken for equal."""
    effect = probing(f"for _ in range(17): os.write({number}, b'x' * 2**20)").effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "output-over-cap"
    assert effect.reason.startswith(f"{name} has 17,825,792 bytes")


@pytest.mark.parametrize("program", ["no-such-program", "./data", "{tree}"])
def test_a_program_that_cannot_be_started_shows_nothing(tree: Path, stage: Callable[..., Stage], program: str) -> None:
    """One that is not there, a file that may not be run, a folder."""
    (tree / "data").write_text("x")
    effect = run_probe(ProcessProbe("process", (program,)), stage()).effect
    assert isinstance(effect, NothingSeen)
    assert effect.slug == "probe-not-started"
