"""Owns how a scenario's turn is said to the real program: as answers of the Responses API, one for each request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mutkit.hermetic.conformance.scenarios import Item, Turn

USAGE = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 3},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 16,
}
"""What each single answer is said to have cost."""


def batches(turn: Turn) -> list[list[Item]]:
    """Return the items of each request: what uses a tool ends an answer, since its output goes into a new request."""
    done: list[list[Item]] = [[]]
    for item in turn.items:
        done[-1].append(item)
        if item["type"] not in ("agent_message", "reasoning", "web_search"):
            done.append([])
    return done


class Model:
    """The model of one scenario's real calls: a turn at a time, an answer a request."""

    def __init__(self) -> None:
        """Begin without a turn."""
        self.requests: list[dict[str, Any]] = []
        self._turn: Turn | None = None
        self._answers: list[list[Item]] = []
        self._items = 0

    def begin(self, turn: Turn) -> None:
        """Take what is said next."""
        self._turn = turn
        self._answers = batches(turn)
        self.requests.clear()

    def answer(self, request: dict[str, Any]) -> tuple[int, list[dict[str, Any]], str]:
        """Return HTTP status, the events of the stream and how it ends: ``whole``, ``open``, ``cut`` or ``idle``."""
        self.requests.append(request)
        turn = self._turn
        assert turn is not None
        if turn.ending == "refused":
            return turn.status, [{"error": {"message": "not today", "type": "test", "code": "refused"}}], "whole"
        items = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": f"resp_{len(self.requests)}"}}]
        for item in items:
            self._items += 1
            output = self._output(item, {_name(tool) for tool in request.get("tools", [])})
            events.append({"type": "response.output_item.added", "output_index": 0, "item": output})
            events.append({"type": "response.output_item.done", "output_index": 0, "item": output})
        how = "whole" if len(self._answers) > 1 else {"hang": "open"}.get(turn.ending, turn.ending)
        if how in ("whole", "normal"):
            answered = {"id": f"resp_{len(self.requests)}", "usage": USAGE}
            return 200, [*events, {"type": "response.completed", "response": answered}], "whole"
        return 200, events, how

    def _output(self, item: Item, tools: set[str]) -> dict[str, Any]:
        number = f"{self._items:04d}"
        kind = item["type"]
        if kind == "agent_message":
            content = [{"type": "output_text", "text": item["text"]}]
            return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
        if kind == "reasoning":
            summary = [{"type": "summary_text", "text": item["text"]}]
            return {"type": "reasoning", "id": f"rs_{number}", "summary": summary, "encrypted_content": "x"}
        if kind == "web_search":
            action = {"type": "search", "query": item["query"]}
            return {"type": "web_search_call", "id": f"ws_{number}", "status": "completed", "action": action}
        if kind == "file_change" and "apply_patch" in tools:
            return {"type": "custom_tool_call", "id": f"ctc_{number}", "call_id": f"call_{number}",
                    "name": "apply_patch", "input": _patch(item), "status": "completed"}  # fmt: skip
        name, arguments = _tool(item, tools)
        return {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}",
                **name, "arguments": json.dumps(arguments)}  # fmt: skip


def _name(tool: dict[str, Any]) -> str:
    return str(tool.get("name") or tool.get("type"))


def _tool(item: Item, tools: set[str]) -> tuple[dict[str, str], dict[str, Any]]:
    match item["type"]:
        case "todo_list":
            plan = [
                {"step": one["text"], "status": "completed" if one["completed"] else "pending"} for one in item["items"]
            ]
            return {"name": "update_plan"}, {"plan": plan}
        case "mcp_tool_call":
            joined = f"mcp__{item['server']}__{item['tool']}"
            if joined in tools:
                return {"name": joined}, item["arguments"]
            space = next(
                (name for name in tools if name.startswith(f"mcp__{item['server']}")), f"mcp__{item['server']}"
            )
            return {"name": item["tool"], "namespace": space}, item["arguments"]
    command = item.get("command") or f"apply_patch <<'EOF'\n{_patch(item)}EOF\n"
    if "exec_command" in tools:
        return {"name": "exec_command"}, {"cmd": command}
    if "shell_command" in tools:
        return {"name": "shell_command"}, {"command": command}
    return {"name": "shell"}, {"command": ["bash", "-lc", command]}


def _patch(item: Item) -> str:
    lines = ["*** Begin Patch"]
    for change in item["changes"]:
        lines.append(f"*** {change['kind'].capitalize()} File: {change['path']}")
        lines += {"add": ["+new"], "update": ["@@", "-old", "+new"], "delete": []}[change["kind"]]
    return "\n".join([*lines, "*** End Patch", ""])
