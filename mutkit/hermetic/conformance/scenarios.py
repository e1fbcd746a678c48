"""Owns the scenarios in which a profile is compared with the real program: what is called, what the model says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Item = dict[str, Any]
"""An item of a turn as the profiles' options have it: ``{"type": "agent_message", "text": "..."}``."""


@dataclass(frozen=True)
class Turn:
    """What the model does in one call.

    ``items`` in order; ``ending`` one of ``normal``, ``hang`` (the stream stays open), ``cut`` (the stream ends early),
    ``idle`` (nothing comes any more) and ``refused`` (``status`` is the answer's HTTP status).
    """

    items: tuple[Item, ...] = ()
    ending: str = "normal"
    status: int = 200


@dataclass(frozen=True)
class Call:
    """One call of the command.

    ``argv``: the words after the command's name; ``{id}`` is the thread of the scenario's first call. ``stdin``: None
    is /dev/null, bytes are piped and then ended; ``stdin_open``: the pipe is not ended before the program ends or has
    been watched for a while. ``signal`` is sent once the turn runs; ``reader_gone``: standard output is a pipe
    that nobody reads. ``before`` is in ``out.txt`` before the call. ``writes``: the sizes of the writes to standard
    output are compared too.
    """

    argv: tuple[str, ...]
    turn: Turn = Turn()
    stdin: bytes | None = None
    stdin_open: bool = False
    signal: str = ""
    reader_gone: bool = False
    before: str | None = None
    writes: bool = False


@dataclass(frozen=True)
class Scenario:
    """Calls, one after the other, in a fresh folder (a git repository or not, with ``files``) and a fresh CODEX_HOME;
    ``versions`` are those that it is for, all where empty.
    """

    name: str
    calls: tuple[Call, ...]
    git: bool = True
    versions: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)

    def fits(self, version: str) -> bool:
        """Return whether the scenario is for this version (``0.171``)."""
        return not self.versions or version in self.versions


def _says(text: str = "Answer 1") -> Item:
    return {"type": "agent_message", "text": text}


ANSWER = Turn((_says(),))
_SECOND = Turn((_says("Answer 2"),))
_HANGS = Turn(ending="hang")
_EXEC = ("exec", "--json")
_FREE = (*_EXEC, "--dangerously-bypass-approvals-and-sandbox")
_PLANNERS = ("0.74", "0.144")  # later ones do not offer the tool to the model that the scenarios name
_UNKNOWN = "01a22ee0-5cda-73b2-a436-4c2934ac1b1c"
_OUT = ("-o", "out.txt")


def _one(name: str, call: Call, **more: Any) -> Scenario:
    return Scenario(name, (call,), **more)


def _then(name: str, *calls: Call, first: Call | None = None, **more: Any) -> Scenario:
    return Scenario(name, (first or Call((*_EXEC, "hello"), ANSWER), *calls), **more)


_ECHO = {"type": "command_execution", "command": "echo hi", "output": "hi\n", "exit_code": 0}
_FAILS = {"type": "command_execution", "command": "echo no; exit 3", "output": "no\n", "exit_code": 3}
# One at a time: codex keeps several in an order of its own in each run.
_UPDATE = {"path": "one.txt", "kind": "update"}
_DELETE = {"path": "one.txt", "kind": "delete"}
_PLAN = ({"text": "look", "completed": False}, {"text": "write", "completed": False})
_DONE = ({"text": "look", "completed": True}, {"text": "write", "completed": False})

_TURNS = (
    _one("an answer", Call((*_EXEC, "hello"), ANSWER)),
    _one("nothing is said", Call((*_EXEC, "hello"), Turn())),
    _one("a draft, then an answer", Call((*_EXEC, "hello"), Turn((_says("Draft"), _says("Answer 1"))))),
    _one("reasoning", Call((*_EXEC, "hello"), Turn(({"type": "reasoning", "text": "**Thinking**"}, _says())))),
    _one("a command", Call((*_FREE, "hello"), Turn((_ECHO, _says())))),
    _one("a command that fails", Call((*_FREE, "hello"), Turn((_FAILS, _says())))),
    _one("a command, without --json", Call(("exec", *_FREE[2:], "hello"), Turn((_ECHO, _says())))),
    _one("a failing command, without --json", Call(("exec", *_FREE[2:], "hello"), Turn((_FAILS, _says())))),
    _one(
        "a file is added",
        Call(
            (*_FREE, "hello"), Turn(({"type": "file_change", "changes": [{"path": "new.txt", "kind": "add"}]}, _says()))
        ),
    ),
    _one(
        "a file is changed",
        Call((*_FREE, "hello"), Turn(({"type": "file_change", "changes": [_UPDATE]}, _says()))),
        files={"one.txt": "old\n"},
    ),
    _one(
        "a file is deleted",
        Call((*_FREE, "hello"), Turn(({"type": "file_change", "changes": [_DELETE]}, _says()))),
        files={"one.txt": "old\n"},
    ),
    _one(
        "a plan",
        Call((*_EXEC, "hello"), Turn(({"type": "todo_list", "items": [*_PLAN]}, _says()))),
        versions=_PLANNERS,
    ),
    _one(
        "a plan that moves on",
        Call(
            (*_EXEC, "hello"),
            Turn(({"type": "todo_list", "items": [*_PLAN]}, {"type": "todo_list", "items": [*_DONE]}, _says())),
        ),
        versions=_PLANNERS,
    ),
    _one("a web search", Call((*_EXEC, "hello"), Turn(({"type": "web_search", "query": "what"}, _says())))),
    _one("characters beyond ASCII", Call((*_EXEC, "hello"), Turn((_says('ä€😀\u2028\u0085\x7f\x1b"\\/'),)))),
    _one(
        "lines of 1,024 and 1,025 bytes",
        Call((*_EXEC, "hello"), Turn((_says("x" * 942), _says("x" * 943))), writes=True),
    ),
    _one("a long line", Call((*_EXEC, "hello"), Turn((_says("é" * 40_000),)), writes=True)),
    _one("the answer alone", Call(("exec", "hello"), ANSWER, writes=True)),
    _one("no answer, without --json", Call(("exec", "hello"), Turn())),
)

_MCP = (
    _one(
        "an MCP tool answers",
        Call(
            (*_FREE, "hello"),
            Turn(({"type": "mcp_tool_call", "server": "demo", "tool": "echo", "arguments": {"text": "hi"},
                   "result": {"content": [{"type": "text", "text": "hi"}]}}, _says())),
        ),
    ),
    _one(
        "an MCP tool says that it failed",
        Call(
            (*_FREE, "hello"),
            Turn(({"type": "mcp_tool_call", "server": "demo", "tool": "fail", "arguments": {},
                   "result": {"content": [{"type": "text", "text": "it failed"}], "isError": True}}, _says())),
        ),
    ),
    _one(
        "an MCP server answers with an error",
        Call(
            (*_FREE, "hello"),
            Turn(({"type": "mcp_tool_call", "server": "demo", "tool": "boom", "arguments": {},
                   "error": {"code": -32603, "message": "boom"}}, _says())),
        ),
    ),
)  # fmt: skip

_FAILURES = (
    _one("the provider refuses: 401", Call((*_EXEC, *_OUT, "hello"), Turn(ending="refused", status=401), before="old")),
    _one("the provider refuses: 400", Call((*_EXEC, "hello"), Turn(ending="refused", status=400))),
    _one("the provider fails: 500", Call((*_EXEC, "hello"), Turn(ending="refused", status=500))),
    _one("too many requests: 429", Call((*_EXEC, "hello"), Turn(ending="refused", status=429))),
    _one("the stream is cut", Call((*_EXEC, "hello"), Turn(ending="cut"))),
    _one("the stream is cut after a draft", Call((*_EXEC, *_OUT, "hello"), Turn((_says("Draft"),), ending="cut"))),
    _one("the stream falls silent", Call((*_EXEC, "hello"), Turn(ending="idle"))),
    _one("a failure that is tried again, without --json", Call(("exec", "hello"), Turn(ending="refused", status=401))),
    _one("a failure without --json", Call(("exec", "hello"), Turn(ending="refused", status=400))),
    _then("a failure, then a resume", Call((*_EXEC, "resume", "{id}", "again"), ANSWER),
          first=Call((*_EXEC, "hello"), Turn(ending="refused", status=400))),
)  # fmt: skip

_OUTS = (
    _one("-o, no such file", Call((*_EXEC, *_OUT, "hello"), ANSWER)),
    _one("-o, an old file", Call((*_EXEC, *_OUT, "hello"), ANSWER, before="old and longer than the answer")),
    _one("-o, nothing is said", Call((*_EXEC, *_OUT, "hello"), Turn(), before="old")),
    _one("-o, a failure, no such file", Call((*_EXEC, *_OUT, "hello"), Turn(ending="refused", status=400))),
    _one(
        "-o, a failure, an old file", Call((*_EXEC, *_OUT, "hello"), Turn(ending="refused", status=400), before="old")
    ),
    _one("-o in a folder that is not there", Call((*_EXEC, "-o", "no/out.txt", "hello"), ANSWER)),
)

_SIGNALS = (
    *(
        _one(f"SIG{name}", Call((*_EXEC, *_OUT, "hello"), _HANGS, signal=name, before="old"))
        for name in ("INT", "TERM", "KILL", "HUP")
    ),
    _one("SIGINT after a draft", Call((*_EXEC, *_OUT, "hello"), Turn((_says("Draft"),), ending="hang"), signal="INT")),
    _then(
        "SIGINT, then a resume",
        Call((*_EXEC, "resume", "{id}", "again"), ANSWER),
        first=Call((*_EXEC, "hello"), _HANGS, signal="INT"),
    ),
    _one("SIGINT without --json", Call(("exec", "hello"), _HANGS, signal="INT")),
    _one("the reader is gone", Call((*_EXEC, *_OUT, "hello"), ANSWER, reader_gone=True)),
)

_WORDS = (
    _one("an unknown option", Call((*_EXEC, "--frobnicate", "hello"))),
    _one("no prompt", Call(_EXEC)),
    _one("a dash for the prompt, and nothing on standard input", Call((*_EXEC, "-"), stdin=b"")),
    _one("an empty prompt", Call((*_EXEC, ""), ANSWER)),
    _one("no git repository", Call((*_EXEC, "hello"), ANSWER), git=False),
    _one("no git repository, and none wanted", Call((*_EXEC, "--skip-git-repo-check", "hello"), ANSWER), git=False),
    _one("the prompt on standard input", Call((*_EXEC, "-"), ANSWER, stdin=b"hello\nthere\n")),
    _one("no prompt, but standard input", Call(_EXEC, ANSWER, stdin=b"hello")),
    _one("a prompt and standard input", Call((*_EXEC, "hello"), ANSWER, stdin=b"more\nof it\n")),
    _one("a prompt and standard input without a newline", Call((*_EXEC, "hello"), ANSWER, stdin=b"more")),
    _one("a prompt and empty standard input", Call((*_EXEC, "hello"), ANSWER, stdin=b"")),
    _one("a prompt and standard input that stays open", Call((*_EXEC, "hello"), ANSWER, stdin_open=True)),
    _one("standard input is not UTF-8", Call((*_EXEC, "-"), stdin=b"abcd\xff\xfe")),
    _one("a prompt, and standard input is not UTF-8", Call((*_EXEC, "hello"), ANSWER, stdin=b"abcd\xff\xfe")),
    _one("standard input begins with a byte order mark", Call((*_EXEC, "-"), ANSWER, stdin=b"\xef\xbb\xbfhello")),
    _one("standard input is UTF-16", Call((*_EXEC, "-"), ANSWER, stdin="hé".encode("utf-16"))),
    _one(
        "no git repository, and everything allowed",
        Call((*_EXEC, "--dangerously-bypass-approvals-and-sandbox", "hello"), ANSWER),
        git=False,
    ),
    _one("--version", Call(("--version",))),
    _one("--ephemeral", Call((*_EXEC, "--ephemeral", "hello"), ANSWER)),
    _one("a prompt after --", Call((*_EXEC, "--", "-hello"), ANSWER)),
    _one("another sandbox", Call((*_EXEC, "--sandbox", "workspace-write", "hello"), ANSWER)),
    _one("an unknown sandbox", Call((*_EXEC, "--sandbox", "none", "hello"))),
    _one("two prompts", Call((*_EXEC, "hello", "there"))),
    _one("-o without a word", Call((*_EXEC, "-o"))),
    _one("a model that nobody knows", Call((*_EXEC, "--model", "nobody", "hello"), ANSWER)),
    _one("another folder", Call((*_EXEC, "-C", "sub", "hello"), ANSWER)),
)

_RESUMES = (
    _then(
        "a known id",
        Call((*_EXEC, "resume", "{id}", "again"), _SECOND),
        Call((*_EXEC, "resume", "{id}", "once more"), ANSWER),
    ),
    _then("--json after resume", Call(("exec", "resume", "--json", "{id}", "again"), _SECOND)),
    _then("--model after resume", Call(("exec", "resume", "--model", "{model}", "{id}", "--", "again"), _SECOND)),
    _then("a resume without --json", Call(("exec", "resume", "{id}", "--", "again"), _SECOND)),
    _then("-o and a resume", Call((*_EXEC, *_OUT, "resume", "{id}", "again"), _SECOND)),
    _then("--last", Call((*_EXEC, "resume", "--last", "again"), _SECOND)),
    _then(
        "a resume and the prompt on standard input", Call((*_EXEC, "resume", "{id}", "-"), _SECOND, stdin=b"again\n")
    ),
    _then(
        "a resume and standard input beside the prompt",
        Call((*_EXEC, "resume", "{id}", "again"), _SECOND, stdin=b"more\n"),
    ),
    _then("a resume that fails", Call((*_EXEC, "resume", "{id}", "again"), Turn(ending="refused", status=400))),
    _then("a resume without a prompt", Call((*_EXEC, "resume", "{id}"))),
    _one("an unknown id", Call((*_EXEC, *_OUT, "resume", _UNKNOWN, "again"), ANSWER, before="old")),
    _one("an unknown id without --json", Call(("exec", "resume", _UNKNOWN, "--", "again"), ANSWER)),
    _one("an unknown name", Call((*_EXEC, "resume", "nobody", "again"), ANSWER)),
    _one("--last, and there is none", Call((*_EXEC, "resume", "--last", "again"), ANSWER)),
    _then("a resume of nothing in particular", Call((*_EXEC, "resume"))),
    _then("--last with --all", Call((*_EXEC, "resume", "--last", "--all", "again"), _SECOND)),
    _then("--last from another folder", Call((*_EXEC, "-C", "sub", "resume", "--last", "again"), _SECOND)),
    _then("an ephemeral resume", Call((*_EXEC, "--ephemeral", "resume", "{id}", "again"), _SECOND)),
    _then("an id in capitals", Call((*_EXEC, "resume", "{ID}", "again"), _SECOND)),
)

ENDINGS: tuple[Scenario, ...] = (
    *_FAILURES,
    *_OUTS,
    *_SIGNALS,
    *(one for one in _WORDS if one.calls[0].stdin_open or not one.calls[0].turn.items),
    *(one for one in _TURNS if one.calls[0].writes),
)
RESUMES: tuple[Scenario, ...] = _RESUMES
SCENARIOS: tuple[Scenario, ...] = (*_TURNS, *_MCP, *_FAILURES, *_OUTS, *_SIGNALS, *_WORDS, *_RESUMES)
