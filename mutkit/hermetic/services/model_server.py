"""Owns the mock model server: a mock service that answers as a model would, turn by turn.

It speaks, streamed and not, OpenAI's Responses API (``POST /v1/responses``) and chat completions
(``POST /v1/chat/completions``), both also without ``/v1``, and Ollama's chat (``POST /api/chat``); models are listed
at ``/v1/models`` and ``/api/tags``. Each request takes the next turn, whichever API it uses::

    with ModelServer("Answer number 1", Turn(call=(ToolCall("shell", {"command": ["ls"]}),)), "done") as server:
        base_url = server.base_url            # http://127.0.0.1:PORT/v1
        ...
        server.check()                        # no request was unexpected, none too many
        [first, *_] = server.requests         # what the client sent: first.json()["input"]

The codex CLI takes it as a provider of its own: ``-c`` options, or config.toml, with
``model_provider = "mock"`` and ``[model_providers.mock]`` ``base_url = server.base_url``, ``wire_api = "responses"``,
``request_max_retries = 0``, ``stream_max_retries = 0``, ``supports_websockets = false``, and ``env_key`` the name of a
variable with any text.

Faults: ``Turn(error=TurnError(401))``, ``Turn("text", fault=TurnFault("cut", after=3))`` and the other kinds of
``TurnFault``. In a namespace of its own: ``ModelServer(..., listening=network.listen)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutkit.hermetic.services.script import ServiceScript
from mutkit.hermetic.services.service import MockService
from mutkit.model.service import ToolCall, Turn, TurnError, TurnFault, Usage

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

__all__ = ["ModelServer", "ToolCall", "Turn", "TurnError", "TurnFault", "Usage"]


class ModelServer(MockService):
    """A mock service that answers as a model would; see the module for how."""

    def __init__(
        self, *turns: Turn | str, listening: socket.socket | Callable[[], socket.socket] | None = None
    ) -> None:
        """Take the turns in their order; a text is a turn with that message."""
        script = ServiceScript().answering(*(Turn(one) if isinstance(one, str) else one for one in turns))
        super().__init__(script, listening=listening)

    def __enter__(self) -> ModelServer:  # noqa: PYI034 - typing.Self came with 3.11
        """Serve; return itself."""
        self.start()
        return self

    @property
    def base_url(self) -> str:
        """Return the address that clients of the OpenAI APIs take: ``http://127.0.0.1:PORT/v1``."""
        return f"{self.url}/v1"
