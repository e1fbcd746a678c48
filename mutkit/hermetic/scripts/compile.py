"""Owns the compiled form of a mock script: plain values that a child follows, and the faults that hinder it."""

from __future__ import annotations

import signal
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.scripts.expects import check_regex
from mutkit.hermetic.scripts.flow import check_flow
from mutkit.hermetic.scripts.programs import compile_program
from mutkit.hermetic.scripts.reachable import check_reachable
from mutkit.hermetic.scripts.steps import Surroundings, compile_step
from mutkit.hermetic.scripts.system_text import system_bytes
from mutkit.model.mock import Answer, End, MockScript

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.toml import Key

READER_GONE = 96
"""The exit code of a mock whose reader has closed the stream, unless the script says otherwise."""

_DOES_NOT_END = frozenset({"CHLD", "CLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH"})


def answer_at_the_top(script: MockScript) -> Answer:
    """Return what stands at the top of a script as an answer."""
    return Answer(**{item.name: getattr(script, item.name) for item in fields(Answer)})


def compile_script(
    script: MockScript, base: Path | None, seed: int, faults: Faults, *, whole: bool = True
) -> dict[str, Any]:
    """Return the script as the child follows it, adding to ``faults`` all that does not go together.

    ``base`` is the folder of ``file`` keys and the program; ``seed`` is drawn from where the script gives none. What
    needs the ``whole`` script is not looked for where parts of it are left out.
    """
    chosen = seed if script.seed is None else script.seed
    around = Surroundings(base, chosen, faults)
    top = answer_at_the_top(script)
    for item in fields(Answer):
        if script.call and getattr(top, item.name) != getattr(Answer(), item.name):
            faults.add((item.name,), "stands beside `call`", "Put it into a [[call]] of its own.")
    answers: list[tuple[Key, Answer]] = (
        [((), top)] if not script.call else [(("call", at), one) for at, one in enumerate(script.call)]
    )
    _check_names(script, faults)
    if whole:
        check_reachable(answers, faults)
    return {
        "calls": [compile_answer(answer, at, around) for at, answer in answers],
        "env": list(script.record_env),
        "unredacted": list(script.unredacted),
        "seed": chosen if script.seed is not None or _draws(answers) else None,
        "program": compile_program(script, base, faults),
    }


def _draws(answers: list[tuple[Key, Answer]]) -> bool:
    """Return whether a step draws from the script's seed."""
    steps = (step.generate for _, answer in answers for step in answer.step)
    return any(drawn is not None and drawn.seed is None for drawn in steps)


def compile_answer(answer: Answer, at: Key, around: Surroundings) -> dict[str, Any]:
    """Return the answer, which stands at the key ``at``, as the child follows it."""
    faults = around.faults
    _check_matchers(answer, at, faults)
    steps: list[dict[str, Any]] = []
    for number, step in enumerate(answer.step):
        steps += compile_step(step, (*at, "step", number), around)
    check_flow(answer, at, faults)
    for key, reaction in (*_reactions(answer), (("reader_gone",), answer.reader_gone)):
        if isinstance(reaction, int) and not 0 <= reaction <= 255:
            faults.add((*at, *key), f"is not 0 to 255: {reaction}")
    return {
        "argv": _words(answer.argv),
        "argv_exact": _words(answer.argv_exact),
        "argv_regex": answer.argv_regex,
        "subcommand": None if answer.subcommand is None else _words(tuple(answer.subcommand.split())),
        "nth": answer.nth,
        "env": {system_bytes(name): system_bytes(value) for name, value in answer.env.items()},
        "stdin": None if answer.stdin is None else system_bytes(answer.stdin),
        "steps": steps,
        "end": _end(answer.end, (*at, "end"), faults),
        "signals": {int(signal.Signals[f"SIG{name}"]): what for name, what in answer.signals.items()},
        "reader_gone": READER_GONE if answer.reader_gone is None else answer.reader_gone,
    }


def _words(words: tuple[str, ...] | None) -> list[bytes] | None:
    return None if words is None else [system_bytes(word) for word in words]


def _reactions(answer: Answer) -> list[tuple[Key, object]]:
    return [(("signals", name), reaction) for name, reaction in answer.signals.items()]


def _check_matchers(answer: Answer, at: Key, faults: Faults) -> None:
    for name in ("argv", "argv_exact"):
        for number, word in enumerate(getattr(answer, name) or ()):
            if "\0" in word:
                faults.add((*at, name, number), "holds a NUL character, which no word does")
    if answer.argv_regex is not None:
        check_regex(answer.argv_regex, (*at, "argv_regex"), faults)
    if answer.subcommand is not None:
        words = answer.subcommand.split()
        if not words or any(word.startswith("-") for word in words):
            faults.add((*at, "subcommand"), "is no sub-command", "Write its words, as `exec resume`; no options.")
    if answer.nth < 0:
        faults.add((*at, "nth"), f"is less than 0: {answer.nth}", "Calls are counted from 1; 0 is each call.")
    for name in answer.env:
        if not _is_variable(name):
            faults.add((*at, "env", name), "is no name that a variable can have")


def _check_names(script: MockScript, faults: Faults) -> None:
    for key in ("record_env", "unredacted"):
        for number, name in enumerate(getattr(script, key)):
            if not _is_variable(name):
                faults.add((key, number), f"is no name that a variable can have: {name!r}")


def _is_variable(name: str) -> bool:
    return bool(name) and "=" not in name and "\0" not in name


def _end(end: End, at: Key, faults: Faults) -> dict[str, Any]:
    if (end.exit is not None) + (end.signal is not None) + end.hang > 1:
        faults.add(at, "has more than one of `exit`, `signal`, `hang`", "Keep one of them.")
    for key in ("exit", "at_stdin_end"):
        code = getattr(end, key)
        if code is not None and not 0 <= code <= 255:
            faults.add((*at, key), f"is not 0 to 255: {code}")
    if end.at_stdin_end is not None and not end.hang:
        faults.add((*at, "at_stdin_end"), "is for `hang = true`")
    number = 0
    if end.signal is not None:
        name = end.signal.removeprefix("SIG")
        if f"SIG{name}" not in signal.Signals.__members__:
            faults.add((*at, "signal"), f"is no signal: {end.signal}", 'Write a name as "KILL".')
        elif name in _DOES_NOT_END:
            faults.add((*at, "signal"), f"does not end a process: {end.signal}", 'Write a name as "KILL".')
        else:
            number = int(signal.Signals[f"SIG{name}"])
    return {"exit": end.exit or 0, "signal": number, "hang": end.hang, "at_stdin_end": end.at_stdin_end}
