"""Owns the real program in a scenario: its configuration, and the loopback model server that it talks to."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from mutkit.hermetic.conformance.model import Model
from mutkit.hermetic.conformance.watch import MCP_SERVER

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from mutkit.hermetic.conformance.scenarios import Call, Scenario
    from mutkit.process import Network

CONFIG = """\
model = "{model}"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 1
stream_idle_timeout_ms = 1500
supports_websockets = false
"""

SETTLES = 0.5
"""Seconds after its request, in which the program has long come to wait for the answer."""


class RealCodex:
    """The real binary, with a model server of its own."""

    def __init__(self, binary: Path, model: str, network: Network) -> None:
        """Start the model server on the loopback of the network that the program is to run in."""
        self._binary, self._model_name = binary, model
        self._model = Model()
        self._asked = 0.0
        self._network = network
        self._server = _Server(self, network.listen())
        self.env = {"PATH": os.environ.get("PATH", os.defpath), "MOCK_KEY": "none"}

    def prepare(self, home: Path, scenario: Scenario) -> None:
        """Write config.toml."""
        text = CONFIG.format(model=self._model_name, port=self._server.server_address[1])
        if any(item["type"] == "mcp_tool_call" for call in scenario.calls for item in call.turn.items):
            server = home / "demo.py"
            server.write_text(MCP_SERVER, encoding="utf-8")
            text += f"[mcp_servers.demo]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(server))}]\n"
        (home / "config.toml").write_text(text, encoding="utf-8")

    def begin(self, call: Call, number: int) -> list[str]:  # noqa: ARG002 - the mock needs it
        """Tell the model what it says in this call."""
        self._asked = 0.0
        self._model.begin(call.turn)
        return [str(self._binary)]

    def within(self, argv: list[str]) -> list[str]:
        """Return the command that starts it in its network."""
        return self._network.command(argv)

    def chunks(self) -> None:
        """Return nothing: strace tells them."""

    def is_in_turn(self) -> bool:
        """Return whether it has asked the model, and has had time to go to wait."""
        return self._asked > 0 and time.monotonic() - self._asked > SETTLES

    def answer(self, request: dict[str, Any]) -> tuple[int, list[dict[str, Any]], str]:
        """Return what the model answers."""
        answer = self._model.answer(request)
        self._asked = time.monotonic()
        return answer

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, program: RealCodex, listening: socket.socket) -> None:
        super().__init__(listening.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.program = program
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: programs that are killed leave broken connections behind."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Have no list of models."""
        self._whole(404, b"{}")

    def do_POST(self) -> None:
        """Answer as the model does."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self.path.endswith("/responses"):
            self._whole(404, b"{}")
            return
        status, events, how = self.server.program.answer(json.loads(body))
        if status != 200:
            self._whole(status, json.dumps(events[0]).encode())
            return
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        while how in ("open", "idle"):
            if how == "open":  # a comment is no event, but keeps the stream from being idle
                self.wfile.write(b": still here\n\n")
            self.wfile.flush()
            time.sleep(0.3)
            if how == "idle" and self._is_gone():
                return

    def _is_gone(self) -> bool:
        import select
        import socket

        readable = select.select([self.connection], [], [], 0)[0]
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _whole(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
