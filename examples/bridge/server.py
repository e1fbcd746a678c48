"""Owns the MCP side: newline-delimited JSON-RPC 2.0 on standard streams, one thread for each running call."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, Protocol

from examples.bridge.child import Limits, kill_all, run_child
from examples.bridge.tools import TOOLS, ToolError, check_arguments

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from examples.bridge.child import Ending

PROTOCOL_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)


class Run(Protocol):
    """One call of a tool: what is run, what its output means, and which session it belongs to."""

    command: list[str]
    session: str

    def on_output(self, chunk: bytes) -> None:
        """Take one piece of the child's standard output."""

    def finish(self, ending: Ending) -> str:
        """Return the answer, or raise ToolError."""


class RpcError(Exception):
    """A request that gets an error answer; ``code`` is JSON-RPC's."""

    def __init__(self, code: int, message: str) -> None:
        """Take the code and the sentence for people."""
        super().__init__(message)
        self.code = code


class Server:
    """Serves requests; calls run side by side, so answers may come out of order."""

    def __init__(self, runs: dict[str, Callable[[dict[str, str]], Run]], limits: Limits) -> None:
        """Take how each tool's run is made, and the time limits."""
        self._runs = runs
        self._limits = limits
        self._writing = threading.Lock()
        self._calls: dict[str | int, int] = {}  # request id -> the eventfd that ends the call
        self._silent: set[str | int] = set()  # cancelled by the client, which wants no answer
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def read_all(self) -> None:
        """Serve until standard input ends."""
        while line := sys.stdin.buffer.readline():
            if line.strip():
                self._take(line)

    def end_calls(self) -> None:
        """End every running call with its child, and wait until their answers are written."""
        with self._lock:
            for stop in self._calls.values():
                os.eventfd_write(stop, 1)
        for thread in self._threads:
            thread.join()

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            self._refuse(None, RpcError(PARSE_ERROR, f"Parse error: {error}"))
            return
        if isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message):
            return  # an answer, though we never ask
        request = message.get("id") if isinstance(message, dict) else None
        if isinstance(request, bool) or not isinstance(request, (str, int)):
            request = None
        try:
            self._dispatch(request, message)
        except RpcError as error:
            self._refuse(request, error)

    def _dispatch(self, request: str | int | None, message: Any) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            raise RpcError(INVALID_REQUEST, "Invalid Request: no JSON-RPC 2.0 message with a method")
        method, params = message["method"], message.get("params", {})
        if "id" not in message:
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._cancel(params.get("requestId"))
            return
        if request is None:
            raise RpcError(INVALID_REQUEST, "Invalid Request: an id is a text or a whole number")
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "Invalid params: they must be an object")
        match method:
            case "initialize":
                self._answer(request, _initialized(params))
            case "ping":
                self._answer(request, {})
            case "tools/list":
                self._answer(request, {"tools": TOOLS})
            case "tools/call":
                self._call(request, params)
            case _:
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def _call(self, request: str | int, params: dict[str, Any]) -> None:
        tool = next((tool for tool in TOOLS if tool["name"] == params.get("name")), None)
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {params.get('name')}")
        try:
            arguments = check_arguments(tool, params.get("arguments", {}))
            run = self._runs[tool["name"]](arguments)
        except ToolError as error:
            raise RpcError(INTERNAL_ERROR, str(error)) from error
        stop = os.eventfd(0)
        with self._lock:
            if request in self._calls:
                os.close(stop)
                raise RpcError(INVALID_REQUEST, "Invalid Request: a call with this id is still running")
            self._calls[request] = stop
        thread = threading.Thread(target=self._run, args=(request, run, arguments.get("cwd"), stop), daemon=True)
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()

    def _run(self, request: str | int, run: Run, cwd: str | None, stop: int) -> None:
        """Run one call to its end. ToolError is an answer; anything else is a bug, and ends the process."""
        answer: dict[str, Any] | RpcError
        try:
            ending = run_child(run.command, cwd=cwd, limits=self._limits, stop=stop, on_output=run.on_output)
            answer = _content(run.finish(ending), run.session)
        except ToolError as error:
            answer = RpcError(INTERNAL_ERROR, str(error))
        with self._lock:
            del self._calls[request]
            silent = request in self._silent
            self._silent.discard(request)
        os.close(stop)
        if silent:
            return
        if isinstance(answer, RpcError):
            self._refuse(request, answer)
        else:
            self._answer(request, answer)

    def _cancel(self, request: Any) -> None:
        with self._lock:
            if isinstance(request, (str, int)) and request in self._calls:
                self._silent.add(request)
                os.eventfd_write(self._calls[request], 1)

    def _answer(self, request: str | int, result: dict[str, Any]) -> None:
        self._write({"jsonrpc": "2.0", "id": request, "result": result})

    def _refuse(self, request: str | int | None, error: RpcError) -> None:
        self._write({"jsonrpc": "2.0", "id": request, "error": {"code": error.code, "message": str(error)}})

    def _write(self, message: dict[str, Any]) -> None:
        try:
            line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        except UnicodeEncodeError:  # half of a surrogate pair has no UTF-8 form, but it has an escape
            line = json.dumps(message, separators=(",", ":")).encode("ascii")
        with self._writing, contextlib.suppress(BrokenPipeError):  # nobody is left to read it
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.write(b"\n")
            sys.stdout.buffer.flush()


def serve(start: Callable[[dict[str, str]], Run], follow_up: Callable[[dict[str, str]], Run]) -> None:
    """Serve both tools on standard input and output until the input ends; SIGTERM and SIGINT end it as well.

    The time limits come from the variables BRIDGE_TIMEOUT and BRIDGE_GRACE, in seconds.
    """
    limits = Limits(_seconds("BRIDGE_TIMEOUT", Limits().timeout), _seconds("BRIDGE_GRACE", Limits().grace))
    server = Server({"codex": start, "codex-reply": follow_up}, limits)
    threading.excepthook = _end_process
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    try:
        server.read_all()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)  # already on the way out
        server.end_calls()


def _initialized(params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "codex-bridge", "version": "3.0.0"},
    }


def _content(answer: str, session: str) -> dict[str, Any]:
    """Return a call's result: the answer, whole and alone, in one block, the session id in the next."""
    blocks = [{"type": "text", "text": answer}]
    if session:
        blocks.append({"type": "text", "text": f"session id: {session}"})
    return {"content": blocks}


def _seconds(name: str, default: float) -> float:
    given = os.environ.get(name, "")
    try:
        seconds = float(given) if given else default
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        sys.exit(f"{name} must be a number of seconds above 0, not {given!r}")
    return seconds


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _end_process(args: threading.ExceptHookArgs) -> None:
    """End the process on a bug in a call: after it, nothing that the bridge says could be trusted."""
    threading.__excepthook__(args)  # prints the traceback
    sys.stderr.flush()
    kill_all()
    os._exit(1)
