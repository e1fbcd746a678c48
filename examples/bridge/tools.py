"""Owns what all generations share about the two tools: schemas, command lines, the words of failures."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from examples.bridge.child import Ending

_TEXT = {"type": "string"}
_FOLDER = {"type": "string", "description": "Folder in which the agent works; the bridge's own if left out."}
_MODEL = {"type": "string", "description": "Model for this run; the agent's own choice if left out."}

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "codex",
        "description": "Start a new run of the agent. Returns its final message and the session id.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "prompt": {**_TEXT, "description": "What the agent is to do."},
                "model": _MODEL,
                "cwd": _FOLDER,
                "sandbox": {"type": "string", "enum": ["read-only", "workspace-write", "danger-full-access"]},
            },
            "required": ["prompt"],
            "additionalProperties": False,
        },
    },
    {
        "name": "codex-reply",
        "description": "Go on with an earlier run. Returns the agent's final message and the session id.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "sessionId": {**_TEXT, "description": "The session id that an earlier call returned."},
                "prompt": {**_TEXT, "description": "What to say next."},
                "model": _MODEL,
                "cwd": _FOLDER,
            },
            "required": ["sessionId", "prompt"],
            "additionalProperties": False,
        },
    },
)

EXCERPT = 200
"""How much of an unreadable line an error quotes, in UTF-16 code units."""

_USAGE_LIMIT = re.compile(r"^.*\busage limit\b.*$", re.IGNORECASE | re.MULTILINE)
_USAGE_LIMIT_ERROR = re.compile(r"^ERROR: .*\b(?i:usage limit)\b.*$", re.MULTILINE)
_BANNER_SESSION = re.compile(r"session id: (\S+)\s*")
_BANNER_RULE = re.compile(r"-{4,}\s*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class ToolError(Exception):
    """A tool has no answer to give; the message is for the client, as a JSON-RPC error with code -32603."""


def check_arguments(tool: dict[str, Any], arguments: Any) -> dict[str, str]:
    """Return the arguments as the tool's schema wants them: text only, none missing, none unknown."""
    schema = tool["inputSchema"]
    if not isinstance(arguments, dict):
        raise ToolError(f"{tool['name']}: the arguments must be an object")
    for name in schema["required"]:
        if name not in arguments:
            raise ToolError(f"{tool['name']}: the argument {name!r} is missing")
    for name, value in arguments.items():
        if name not in schema["properties"]:
            raise ToolError(f"{tool['name']}: there is no argument {name!r}")
        allowed = schema["properties"][name].get("enum")
        if not isinstance(value, str) or (allowed is not None and value not in allowed):
            wanted = f"one of {', '.join(allowed)}" if allowed else "text"
            raise ToolError(f"{tool['name']}: the argument {name!r} must be {wanted}")
    return arguments


def start_command(arguments: dict[str, str]) -> list[str]:
    """Return the command line of a new run; after ``--`` a prompt that begins with a dash is no option."""
    options = _option("--model", arguments.get("model")) + _option("--sandbox", arguments.get("sandbox"))
    return ["codex", "exec", "--json", *options, "--", arguments["prompt"]]


def follow_up_command(arguments: dict[str, str]) -> list[str]:
    """Return the command line that resumes a session; without ``--json`` it prints the final message only."""
    session = arguments["sessionId"]
    if not session.strip() or session.startswith("-"):
        raise ToolError(f"codex-reply: {quote(session)} is no session id")
    options = _option("--model", arguments.get("model"))
    return ["codex", "exec", "resume", *options, session, "--", arguments["prompt"]]


def refuse_failure(ending: Ending, reason: str = "") -> None:
    """Raise a ToolError unless the child ended by itself with exit code 0.

    ``reason`` is what the child's own events gave as the cause; standard error stands in where there is none.
    There, prompt and transcript may speak of usage limits too: only a line that begins as the agent's own errors do
    names one, and of several the last.
    """
    if ending.cancelled:
        raise ToolError("the run was ended because the client went away")
    if ending.timed_out:
        raise ToolError(f"codex did not finish within {ending.limit:g} seconds and was ended")
    if ending.code == 0:
        return
    limits = _USAGE_LIMIT_ERROR.findall(ending.errors) or _USAGE_LIMIT.findall(reason)
    if limits:
        raise ToolError(f"codex has reached its usage limit: {limits[-1].strip()}")
    how = f"was killed by signal {-ending.code}" if ending.code < 0 else f"exited with code {ending.code}"
    detail = reason.strip() or ending.errors.strip()
    raise ToolError(f"codex {how}" + (f": {detail}" if detail else ""))


def banner_session(head: str) -> str:
    """Return the session id that the banner at the ``head`` of standard error names, or nothing.

    The banner ends at its second rule or at the line ``user``; the transcript after it may quote any id.
    """
    rules = 0
    for line in head.split("\n"):
        rules += _BANNER_RULE.fullmatch(line) is not None
        if rules > 1 or line.strip() == "user":
            break
        if found := _BANNER_SESSION.fullmatch(line):
            return found.group(1)
    return ""


def quote(text: str) -> str:
    """Return the first 200 UTF-16 code units of ``text`` in quotes, escaped as ``JSON.stringify`` does it."""
    units = text[:EXCERPT].encode("utf-16-le", "surrogatepass")[: 2 * EXCERPT]
    quoted = json.dumps(units.decode("utf-16-le", "surrogatepass"), ensure_ascii=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def _option(name: str, value: str | None) -> list[str]:
    return [] if value is None else [name, value]
