"""Owns the proof that the bridge is an MCP server: the official client of the protocol talks to it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from examples.bridge.tests.payloads import MIB, SESSION, filled, message, run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from examples.bridge.tests.mock_codex import Codex

TREE = Path(__file__).resolve().parents[2]


def talk(codex: Codex, conversation: Callable[[Any], Awaitable[Any]]) -> Any:
    """Return what the conversation with a connected client returns; it may take a minute."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=sys.executable, args=["-m", "examples.bridge"], env=codex.env, cwd=str(TREE))

    async def connect() -> Any:
        async with Client(stdio_client(server), mode="legacy") as client:
            return await conversation(client)

    return asyncio.run(asyncio.wait_for(connect(), timeout=60))


def test_the_client_shakes_hands_and_lists_both_tools(codex: Codex) -> None:
    """After the handshake the client knows the server, a protocol version and the two tools' inputs."""

    async def conversation(client: Any) -> Any:
        tools = (await client.list_tools()).tools
        return (
            client.server_info.name,
            client.protocol_version,
            {tool.name: tool.input_schema for tool in tools},
        )

    name, version, schemas = talk(codex, conversation)
    assert (name, version) == ("codex-bridge", "2025-11-25")
    assert {tool: schema["required"] for tool, schema in schemas.items()} == {
        "codex": ["prompt"],
        "codex-reply": ["sessionId", "prompt"],
    }


def test_the_client_gets_an_answer_of_5_mib_and_its_session(codex: Codex) -> None:
    """A long answer of multi-byte text reaches the client whole, with the session id in the second block."""
    text = filled("é€😀", 5 * MIB)
    codex.prints(run(message(text)))

    async def conversation(client: Any) -> Any:
        return await client.call_tool("codex", {"prompt": "hi"}, read_timeout_seconds=50)

    result = talk(codex, conversation)
    assert not result.is_error
    assert result.content[0].text == text
    assert result.content[1].text == f"session id: {SESSION}"


def test_the_client_sees_an_error_of_a_tool_as_a_protocol_error(codex: Codex) -> None:
    """A run without an answer raises MCPError with code -32603, and the next call is answered."""
    from mcp import MCPError

    codex.prints_in_turn([b"", b"the reply"])

    async def conversation(client: Any) -> Any:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("codex", {"prompt": "hi"}, read_timeout_seconds=50)
        reply = await client.call_tool(
            "codex-reply", {"sessionId": SESSION, "prompt": "go on"}, read_timeout_seconds=50
        )
        return raised.value, reply.content[0].text

    error, text = talk(codex, conversation)
    assert error.code == -32603
    assert error.message == "codex exited with code 0, but no agent message was read"
    assert text == "the reply"


def test_two_calls_of_the_client_run_side_by_side(codex: Codex, tmp_path: Path) -> None:
    """The first call is answered after the second, which it waits for."""
    from mutkit.hermetic import Script

    done = tmp_path / "second-is-done"
    first = Script().wait_for(done).write("first")
    codex.does(Script().answering(first, ["**", "first"]).answering(Script().write("second"), ["**", "second"]))

    async def conversation(client: Any) -> Any:
        async def call(prompt: str) -> str:
            arguments = {"sessionId": SESSION, "prompt": prompt}
            result = await client.call_tool("codex-reply", arguments, read_timeout_seconds=50)
            return str(result.content[0].text)

        waiting = asyncio.create_task(call("first"))
        text = await call("second")
        assert not waiting.done()
        done.touch()
        return [text, await waiting]

    assert talk(codex, conversation) == ["second", "first"]
