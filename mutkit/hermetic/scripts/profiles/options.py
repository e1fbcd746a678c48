"""Owns profiles as scripts: a profile's own script with an author's options in it, checked."""

from __future__ import annotations

import difflib
import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mutkit.errors import UsageError
from mutkit.hermetic.scripts.profiles.find import file_of
from mutkit.toml import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mutkit.hermetic.scripts import Script
    from mutkit.hermetic.scripts.faults import Faults
    from mutkit.model.mock import MockScript
    from mutkit.toml import Key

OF_A_TURN = {
    "messages": list, "items": list, "ending": str, "status": int, "error": str, "body": str, "url": str,
    "usage": dict, "warnings": list, "model": str, "provider": str, "write": dict,
}  # fmt: skip
OF_A_SCRIPT = {**OF_A_TURN, "turns": list, "now": str, "seed": int}
ENDINGS = ("normal", "refused", "cut", "idle", "failed", "hang")
ITEMS = {
    "agent_message": ("text",),
    "reasoning": ("text",),
    "command_execution": ("command",),
    "file_change": ("changes",),
    "mcp_tool_call": ("server", "tool"),
    "web_search": ("query",),
    "todo_list": ("items",),
    "error": ("message",),
    "raw": ("text",),
}


_NOT_BESIDE = ("program", "step", "end", "signals", "reader_gone", "call")


def profile(name: str, **options: Any) -> Script:
    """Return the script of a ready-made mock (``"codex/0.171"``) with these options; docs/codex-profiles.md has them.

    UsageError for a profile that is not there (``profile-unknown``) and for options that it does not have
    (``profile-options``), all of them at once.
    """
    from mutkit.hermetic.scripts import Script

    file = file_of(name)
    base = _read(file, file.stat().st_mtime_ns)
    faults = [f"`{dotted(key)}` {message}" for key, message in faults_of(options)]
    if faults:
        raise UsageError(f"options of {name}: {'; '.join(faults)}", slug="profile-options")
    return Script(replace(base, options={**base.options, **options}))


@functools.lru_cache
def _read(file: Path, _changed: int) -> MockScript:
    from mutkit.hermetic.scripts.read import read

    return read(file)


def on_profile(script: MockScript, faults: Faults) -> MockScript:
    """Return an author's script that names a profile as what it stands for: the profile's, with his options.

    What is wrong is added to ``faults``.
    """
    assert script.profile is not None
    for name in _NOT_BESIDE:
        if getattr(script, name) != getattr(type(script)(), name):
            faults.add((name,), "stands beside `profile`, which does all of it", "Keep one of them.")
    for key, message in faults_of(script.options):
        faults.add(("options", *key), message, "See docs/codex-profiles.md.")
    try:
        file = file_of(script.profile)
        base = _read(file, file.stat().st_mtime_ns)
    except UsageError as error:
        faults.add(("profile",), f"is none: {error}", "`mutkit mock profiles` lists them.")
        return replace(script, profile=None, options={})
    return replace(script, profile=None, program=base.program, options={**base.options, **script.options})


def faults_of(options: Mapping[str, Any]) -> list[tuple[Key, str]]:
    """Return what is wrong with options: the key and how the sentence about it goes on."""
    faults = [*_keys(options, OF_A_SCRIPT, ()), *_turn(options, ())]
    turns = options.get("turns")
    for at, turn in enumerate(turns if isinstance(turns, list) else []):
        where: Key = ("turns", at)
        if not isinstance(turn, dict):
            faults.append((where, "is no table"))
            continue
        faults += [*_keys(turn, OF_A_TURN, where), *_turn(turn, where)]
    return faults


def _keys(options: Mapping[str, Any], known: Mapping[str, type], where: Key) -> Iterator[tuple[Key, str]]:
    words = {list: "a list", str: "a text", int: "a whole number", dict: "a table"}
    for key, value in options.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            yield (*where, key), "is no option" + (f"; did you mean `{near[0]}`?" if near else "")
        elif not isinstance(value, known[key]) or (known[key] is int and isinstance(value, bool)):
            yield (*where, key), f"is not {words[known[key]]}"


def _turn(options: Mapping[str, Any], where: Key) -> Iterator[tuple[Key, str]]:
    ending = options.get("ending", "normal")
    if ending not in ENDINGS:
        yield (*where, "ending"), f"is none of {', '.join(ENDINGS)}: {ending!r}"
    if "items" in options and "messages" in options:
        yield (*where, "messages"), "stands beside `items`, which has messages too"
    messages, items = options.get("messages"), options.get("items")
    if isinstance(messages, list) and not all(isinstance(text, str) for text in messages):
        yield (*where, "messages"), "holds what is no text"
    for at, item in enumerate(items if isinstance(items, list) else []):
        kind = item.get("type") if isinstance(item, dict) else None
        if kind not in ITEMS:
            yield (*where, "items", at, "type"), f"is none of {', '.join(ITEMS)}: {kind!r}"
            continue
        for key in ITEMS[kind]:
            if key not in item:
                yield (*where, "items", at, key), f"is missing: {kind} needs it"
