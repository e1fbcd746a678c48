"""A stand-in for the codex CLI: `codex exec`, also with `resume`, as a profile (0.171.toml, ...) describes a version.

It runs alone in a mock child, so it is one file and uses nothing but the standard library. What differs between
versions is data: `options["version"]`. What the model says is in the other options. docs/codex-profiles.md has both.
"""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False  # importing it from `typing` costs milliseconds at each start
if TYPE_CHECKING:
    from typing import Any, NoReturn

_FAILS = ("refused", "cut", "idle", "failed")
_STREAMS_FAIL = {"cut": "stream closed before response.completed", "idle": "idle timeout waiting for SSE"}
_STATUS = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip
_USAGE = {"input_tokens": 11, "cached_input_tokens": 3, "output_tokens": 5, "reasoning_output_tokens": 2}
_ALONE = ("agent_message", "reasoning", "web_search", "error", "raw")  # items after which the model goes on by itself
_MASK = (1 << 64) - 1


def answer(call: Any) -> None:
    """Answer one call of the command."""
    Codex(call).run()


class Words:
    """The command line, read as clap reads it."""

    def __init__(self, codex: Codex, words: list[str]) -> None:
        """Read the words after `exec`; wrong ones end the run with exit code 2."""
        self._codex, self._level = codex, "exec"
        self.flags: set[str] = set()
        self.values: dict[str, str] = {}
        self.given: list[str] = []
        left, only = list(words), False
        while left:
            word = left.pop(0)
            if word == "--" and not only:
                only = True
            elif only or word == "-" or not word.startswith("-"):
                self._positional(word, only=only)
            else:
                self._option(word, left)

    @property
    def resumes(self) -> bool:
        """Return whether `resume` is asked for."""
        return self._level == "resume"

    def _positional(self, word: str, *, only: bool) -> None:
        if word == "resume" and not only and not self.given and not self.resumes:
            self._level = "resume"
            return
        if len(self.given) == (2 if self.resumes else 1):
            self._wrong(f"unexpected argument '{word}' found", usage=True)
        self.given.append(word)

    def _option(self, word: str, left: list[str]) -> None:
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        known = self._codex.version["words"][self._level]
        for names in known["flags"]:
            if name in names.split():
                self.flags.add(names.split()[-1])
                return
        for names in known["values"]:
            *spellings, shown = names.split()
            if name not in spellings:
                continue
            if not equals:
                if not left or (left[0].startswith("-") and left[0] != "-"):
                    self._wrong(f"a value is required for '{spellings[-1]} {shown}' but none was supplied")
                value = left.pop(0)
            allowed = known.get("allowed", {}).get(spellings[-1])
            if allowed and value not in allowed:
                listed = f"\n  [possible values: {', '.join(allowed)}]"
                self._wrong(f"invalid value '{value}' for '{spellings[-1]} {shown}'{listed}")
            self.values[spellings[-1]] = value
            return
        tip = f"\n\n  tip: to pass '{name}' as a value, use '-- {name}'"
        self._wrong(f"unexpected argument '{name}' found{tip}", usage=True)

    def _wrong(self, what: str, *, usage: bool = False) -> NoReturn:
        shown = f"\n\nUsage: {self._codex.version['words'][self._level]['usage']}" if usage else ""
        self._codex.stop(2, f"error: {what}{shown}\n\nFor more information, try '--help'.")


class Codex:
    """One run of the command."""

    def __init__(self, call: Any) -> None:
        """Take the call, with its options."""
        self.call = call
        self.version: dict[str, Any] = call.options["version"]
        turns = call.options.get("turns") or [call.options]
        turn = turns[min(call.number, len(turns)) - 1]
        hidden = ("items", "messages") if {"items", "messages"} & set(turn) else ()
        self.turn: dict[str, Any] = {**{k: v for k, v in call.options.items() if k not in hidden}, **turn}
        self.clock = Clock(call.options, call.number)
        self.last: str | None = None
        self.items = self.calls = 0
        self.plan: dict[str, Any] | None = None
        self.is_waiting = False

    def run(self) -> None:
        """Do what the command line asks for."""
        words = self.call.argv
        if words[:1] in (["--version"], ["-V"]):
            self.call.write(f"codex-cli {self.version['number']}\n")
            return
        if words[:1] not in (["exec"], ["e"]):
            self.call.fail("the profile knows `codex exec` and `codex --version`")
        self.words = Words(self, words[1:])
        if "--help" in self.words.flags:
            self.call.fail("the profile has no help texts")
        self.is_json = "--json" in self.words.flags
        self.out = self.words.values.get("--output-last-message")
        self.cwd = os.path.join(self.call.cwd, self.words.values.get("--cd", "")).rstrip("/")
        self.model = self.words.values.get("--model") or self.turn.get("model") or self.version["model"]
        given = self.words.given
        self.asked = ""
        if self.words.resumes and "--last" not in self.words.flags:
            self.asked, given = (given[0] if given else ""), given[1:]
        self._begin(given[0] if given else None)
        self._converse()

    def stop(self, code: int, message: str) -> NoReturn:
        """Say something on standard error and end."""
        self.log(message)
        self.call.exit(code)
        raise AssertionError("it has ended")

    def log(self, message: str) -> None:
        """Say a line on standard error."""
        self.call.write(message + "\n", to="stderr")

    def _begin(self, given: str | None) -> None:
        """Read the prompt and find the thread, in the version's order."""
        early = self.version["thread_first"]
        self.prompt = "" if early else self._prompt(given)
        free = {"--skip-git-repo-check"}
        if not self.version["bypass_needs_git"]:
            free.add("--dangerously-bypass-approvals-and-sandbox")
        if not free & self.words.flags and not _in_git(self.cwd):
            self.stop(1, "Not inside a trusted directory and --skip-git-repo-check was not specified.")
        self.rollout = Rollout(self, self._found())
        if early:
            self.rollout.start()
            self.prompt = self._prompt(given)
        if self.out and self.version["out_at_start"]:
            try:
                with open(self._out_path(), "ab"):
                    pass
            except OSError as error:
                self._out_failed("Error: Failed to open last message file", error, 1)

    def _prompt(self, given: str | None) -> str:
        if given is not None and given != "-":
            if not self.version["appends_stdin"] or self.words.resumes or os.isatty(0):
                return given
            self.log("Reading additional input from stdin...")
            more = self._stdin()
            ended = "" if more.endswith("\n") else "\n"
            return f"{given}\n\n<stdin>\n{more}{ended}</stdin>" if more.strip() else given
        if given is None:
            if os.isatty(0):
                self.stop(1, "No prompt provided. Either specify one as an argument or pipe the prompt into stdin.")
            self.log("Reading prompt from stdin...")
        text = self._stdin()
        if not text.strip():
            self.stop(1, "No prompt provided via stdin.")
        return text

    def _stdin(self) -> str:
        data: bytes = self.call.read_stdin()
        if self.version["decodes_marks"]:
            if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
                return data.decode("utf-16", "replace")
            data = data.removeprefix(b"\xef\xbb\xbf")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.stop(1, self.version["not_utf8"].replace("${at}", str(error.start)))

    def _found(self) -> str | None:
        """Return the rollout file of the thread that is to go on, None for a new one."""
        if not self.words.resumes:
            return None
        if not self.asked and "--last" not in self.words.flags:
            return None
        kept = []
        for folder, _, names in os.walk(os.path.join(_home(), "sessions")):
            kept += [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]
        if not self.asked:
            every = "--all" in self.words.flags or not self.version["last_of_folder"]
            kept = [path for path in kept if every or _first(path).get("cwd") == self.cwd]
            return max(kept, key=lambda path: (os.stat(path).st_mtime_ns, path), default=None)
        is_id = _is_uuid(self.asked)
        asked = self.asked.lower() if self.version["ids_in_any_case"] else self.asked
        for path in kept:
            if is_id and path.endswith(f"-{asked}.jsonl"):
                return path
        if is_id and self.version.get("unknown_id"):
            self.stop(1, self.version["unknown_id"].replace("${asked}", asked))
        return None

    # The conversation.

    def _converse(self) -> None:
        self.call.reader_gone = lambda _call: self._panic()
        self.call.on_signal("INT", lambda _call, _number: self._interrupted())
        self.event({"type": "thread.started", "thread_id": self.rollout.thread})
        self.rollout.turn()
        self._warn()
        if not self.is_json:
            self.log(self.rollout.text(self.version["banner"]))
        self.event({"type": "turn.started"})
        ending = self.turn.get("ending", "normal")
        if ending in _FAILS:
            self._fail(ending)
        self._attempt(ending)
        if ending == "hang":
            self.call.hang()
        self._end_plan()
        self.rollout.add("normal")
        self._finish()

    def _warn(self) -> None:
        warnings = list(self.turn.get("warnings", ()))
        known = self.version.get("models")
        if known and self.model not in known and "unknown_model" in self.version:
            warnings.insert(0, self.version["unknown_model"].replace("${model}", self.model))
        for message in warnings:
            self._item({"type": "error", "message": message})

    def _finish(self) -> None:
        usage = self.rollout.usage_total if self.version["usage_goes_on"] else self.rollout.usage_turn
        self.event({"type": "turn.completed", "usage": {key: usage.get(key, 0) for key in self.version["usage"]}})
        if not self.is_json:
            spent = usage["input_tokens"] - usage["cached_input_tokens"] + usage["output_tokens"]
            self.log(f"tokens used\n{spent:,}")
            if self.last is not None:
                self.call.write(self.last, newline="codex", **self._how())
        self._write_out()

    def _fail(self, ending: str) -> NoReturn:
        """Fail as the provider makes it fail: tried again once where the version does that, then told."""
        status = int(self.turn.get("status", 400))
        refusals = self.version["refusals"]
        how = {"refused": refusals.get(str(status), refusals["other"]), "failed": refusals["failed"]}.get(
            ending, {"message": f"stream disconnected before completion: {_STREAMS_FAIL.get(ending)}", "again": True}
        )
        message = self.turn.get("error") or how["message"]
        body = self.turn.get("body") or '{"error": {"message": "not today", "type": "test", "code": "refused"}}'
        url = self.turn.get("url") or "https://api.openai.com/v1/responses"
        named = f"{status} {_STATUS.get(status, '')}".strip()
        for mark, text in (("body", body), ("reason", _reason(body)), ("status", named), ("url", url)):
            message = message.replace(f"${{{mark}}}", text)
        info: Any = json.loads(json.dumps(how.get("info", "other")).replace('"${number}"', str(status)))
        for attempt in range(2 if how.get("again") else 1):
            if attempt:
                again = self.version["reconnecting"].replace("${message}", message)
                self._error(again, self.version["reconnecting_told"])
            self._attempt(ending)
            if ending == "refused" and "log_refusal" in self.version:
                logged = self.version["log_refusal"].replace("${status}", named).replace("${body}", json.dumps(body))
                self.log(f"{self.clock.iso(micro=True)} {logged}")
        self._error(message, "ERROR: ${message}" if self.version["error_told_twice"] else "")
        self._end_plan()
        self.event({"type": "turn.failed", "error": {"message": message}})
        if not self.is_json:
            self.log(f"ERROR: {message}")
        self.rollout.add("failed", error=message, error_info=info)
        if self.version["out_on_failure"] == "emptied":
            self.last = None
            self._write_out()
        self.call.exit(1)
        raise AssertionError("it has ended")

    def _error(self, message: str, told: str) -> None:
        self.event({"type": "error", "message": message})
        if told and not self.is_json:
            self.log(told.replace("${message}", message))

    def _attempt(self, ending: str) -> None:
        """Ask the model: a request, its items, and for what uses a tool the next request."""
        rollout = self.rollout
        batches: list[list[dict[str, Any]]] = [[]]
        for item in _items(self.turn):
            batches[-1].append(item)
            if item["type"] not in _ALONE:
                batches.append([])
        usage = {**_USAGE, "cache_write_input_tokens": 0, **self.turn.get("usage", {})}
        for at, batch in enumerate(batches):
            is_last = at == len(batches) - 1
            rollout.add("request")
            if is_last and ending in ("refused", "failed"):
                return
            rollout.add("stream")
            dones = [self._item(item) for item in batch]
            if is_last and ending != "normal":
                self.is_waiting = True
                if ending != "hang":
                    self._broken()
                return
            share = {key: value // len(batches) for key, value in usage.items()}
            left = {key: value - share[key] * (len(batches) - 1) for key, value in usage.items()}
            rollout.spent(left if is_last else share)
            rollout.add("answered")
            for done in dones:
                done()
            rollout.add("settled")

    def _broken(self) -> None:
        if self.is_waiting:
            self.rollout.add("broken")
        self.is_waiting = False

    def _interrupted(self) -> None:
        self._broken()
        self.rollout.add("interrupted")
        if self.version["interrupted"] and not self.is_json:
            self.log(self.version["interrupted"])
        self.call.exit(self.version["interrupt_exit"])

    def _panic(self) -> None:
        self.call.write(self.version["panic"].replace("${pid}", str(os.getpid())), to="stderr")
        self.call.exit(101)

    # Items.

    def _item(self, item: dict[str, Any]) -> Any:
        """Show an item as it begins; return what shows it when its tool is done."""
        kind = item["type"]
        if kind == "raw":
            self.call.write(item["text"], **self._how())
        if kind == "raw" or (kind == "reasoning" and not item["text"]):
            return _nothing
        if kind == "todo_list":
            return self._todo(item)
        if kind not in self.version["items"]:
            self.call.fail(f"an item of type {kind!r} is none that the profile knows")
        number, shape, known = f"item_{self.items}", Shape(item, self.version, self.cwd), self.version["items"][kind]
        self.items += 1
        self.calls += kind not in _ALONE
        if kind == "agent_message":
            self.last = item["text"]
        names = {**shape.names, "item": f"{known['id']}_{self.items:04d}", "call_id": f"call_{self.calls:04d}"}
        self._tell(known, "begun", names)
        if "begun" in known["events"]:
            self.event({"type": "item.started", "item": {"id": number, "type": kind, **shape.begun(names)}})
        self.rollout.write(known["said"], names)

        def done() -> None:
            shape.act(self.call)
            self._tell(known, "done", names)
            self.event({"type": "item.completed", "item": {"id": number, "type": kind, **shape.done(names)}})
            self.rollout.write(known["done"], names)

        if kind in _ALONE:
            done()
            return _nothing
        return done

    def _tell(self, known: dict[str, Any], when: str, names: dict[str, Any]) -> None:
        """Tell people of an item, where no events are asked for."""
        template = known.get("told", {}).get(when)
        if template and not self.is_json:
            self.log(_fill(template, {**names, "cwd": self.cwd}.__getitem__))

    def _todo(self, item: dict[str, Any]) -> Any:
        """Show a plan: the first begins an item, later ones change it, the turn's end completes it."""
        known = self.version["items"]["todo_list"]
        word = "item.updated"
        if self.plan is None:
            word = "item.started"
            self.plan = {"id": f"item_{self.items}"}
            self.items += 1
        self.plan = {"id": self.plan["id"], "type": "todo_list", "items": item["items"]}
        self.calls += 1
        plan = [
            {"step": one["text"], "status": "completed" if one["completed"] else "pending"} for one in item["items"]
        ]
        arguments = json.dumps({"plan": plan})
        names = {
            "tool": "update_plan",
            "arguments": arguments,
            "output": "Plan updated",
            "item": f"fc_{self.calls:04d}",
        }
        names["call_id"] = f"call_{self.calls:04d}"
        self.rollout.write(known["said"], names)
        self.event({"type": word, "item": self.plan})
        return lambda: self.rollout.write(known["done"], names)

    def _end_plan(self) -> None:
        if self.plan is not None:
            self.event({"type": "item.completed", "item": self.plan})

    # Output.

    def _how(self) -> dict[str, Any]:
        return dict(self.turn.get("write", {}))

    def event(self, event: dict[str, Any]) -> None:
        """Write an event as a line, where events are asked for; `#2` marks a key that the real program writes twice."""
        if self.is_json:
            line = json.dumps(event, ensure_ascii=False, separators=(",", ":")).replace('"id#2":', '"id":')
            self.call.write(line, newline="codex", **self._how())

    def _out_path(self) -> str:
        return os.path.join(self.call.cwd, self.out or "")

    def _write_out(self) -> None:
        if not self.out:
            return
        if not os.path.isdir(os.path.dirname(self._out_path())):
            self._out_failed("Failed to write last message file", FileNotFoundError(2, "No such file or directory"))
            return
        if self.last is None:
            self.log(f"Warning: no last agent message; wrote empty content to {self.out}")
        self.call.write_file(self._out_path(), self.last or "")

    def _out_failed(self, what: str, error: OSError, code: int | None = None) -> None:
        self.log(f'{what} "{self.out}": {error.strerror} (os error {error.errno})')
        if code is not None:
            self.call.exit(code)


class Shape:
    """What one item looks like: in the events, and in the lines of the rollout file."""

    def __init__(self, item: dict[str, Any], version: dict[str, Any], cwd: str) -> None:
        """Take the item as the options have it."""
        self._item, self._kind, self._version, self._cwd = item, item["type"], version, cwd
        self.names: dict[str, Any] = dict(item)
        getattr(self, f"_{self._kind}", _nothing)()

    def begun(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the item's fields as it begins."""
        return _fill_fields(self._version["items"][self._kind]["events"]["begun"], names)

    def done(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the item's fields when it is complete."""
        return _fill_fields(self._version["items"][self._kind]["events"]["done"], names)

    def act(self, call: Any) -> None:
        """Change the files for whose new content the options say."""
        for change in self._item.get("changes", ()) if self._kind == "file_change" else ():
            path = os.path.join(self._cwd, change["path"])
            if change["kind"] == "delete" and change.get("content") is not None and os.path.exists(path):
                os.remove(path)
            elif change.get("content") is not None:
                call.write_file(path, change["content"])

    def _command_execution(self) -> None:
        item, tool = self._item, self._version["command_tool"]
        command, code, said = item["command"], item.get("exit_code", 0), item.get("output", "")
        self.names.update(
            command=command,
            shown=f"/bin/bash -lc {_quoted(command)}",
            aggregated=said,
            bare=said.removesuffix("\n"),
            exit_code=code,
            how="succeeded" if code == 0 else f"exited {code}",
            status=item.get("status") or ("completed" if code == 0 else "failed"),
            tool=tool["name"],
            arguments=json.dumps({tool["key"]: command}),
            output=self._version["command_output"].replace("${code}", str(code)).replace("${output}", said),
        )

    def _file_change(self) -> None:
        changes: dict[str, Any] = {}
        lines, said = ["*** Begin Patch"], "Success. Updated the following files:\n"
        for change in self._item["changes"]:
            path, kind, content = change["path"], change["kind"], change.get("content") or "new\n"
            said += f"{ {'add': 'A', 'update': 'M', 'delete': 'D'}[kind] } {path}\n"
            lines.append(f"*** {kind.capitalize()} File: {path}")
            whole: dict[str, Any] = {"type": kind, "content": content}
            if kind == "update":
                whole = {"type": kind, "unified_diff": "@@ -1 +1 @@\n-old\n+new\n", "move_path": None}
                lines += ["@@", "-old", "+new"]
            elif kind == "add":
                lines += [f"+{line}" for line in content.split("\n")[:-1]]
            changes[os.path.join(self._cwd, path)] = whole
        template = self._version["patch_output"]
        self.names.update(
            changes=changes,
            shown=[
                {"path": os.path.join(self._cwd, one["path"]), "kind": one["kind"]} for one in self._item["changes"]
            ],
            patch="\n".join([*lines, "*** End Patch", ""]),
            stdout=said,
            patch_output=template.replace("${said}", json.dumps(said)[1:-1] if template.startswith("{") else said),
            status=self._item.get("status", "completed"),
        )

    def _mcp_tool_call(self) -> None:
        item, result, error = self._item, self._item.get("result"), self._item.get("error")
        arguments = item.get("arguments", {})
        content = list((result or {}).get("content", ()))
        if self._version["sorts_results"]:
            content = [dict(sorted(one.items())) for one in content]
        failure = None
        if error is not None:
            told = error if isinstance(error, str) else f"Mcp error: {error['code']}: {error['message']}"
            cause = self._version["mcp_cause"].replace("${told}", told)
            where = f"`{item['server']}/{item['tool']}`"
            failure = f"tool call error: tool call failed for {where}\n\nCaused by:\n    {cause}"
            content = [{"type": "text", "text": failure}]
        joined = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        took = "Wall time: 0.0010 seconds\nOutput:"
        texts = [{"type": "input_text", "text": one.get("text", "")} for one in content]
        is_bad = failure is not None or bool(result and result.get("isError"))
        structured = (result or {}).get("structuredContent")
        self.names.update(
            arguments=arguments,
            arguments_text=json.dumps(arguments),
            status="failed" if is_bad else "completed",
            shown=None if failure is not None else {"content": content, "structured_content": structured},
            error=None if failure is None else {"message": failure},
            outcome={"result": result} if failure is None else {"error": {"message": failure}},
            either={"Ok": result} if failure is None else {"Err": failure},
            output_text=f"{took}\n{joined}",
            output_bare=joined if failure is None else f"err: {json.dumps(failure, ensure_ascii=False)}",
            output_list=[{"type": "input_text", "text": took}, *texts],
        )


class Rollout:
    """The file of a thread in CODEX_HOME, new or gone on with."""

    def __init__(self, codex: Codex, path: str | None) -> None:
        """Take the run, and the file of the thread that goes on."""
        self._codex, self._clock, self._version = codex, codex.clock, codex.version
        self.is_new, self._started = path is None, path is not None
        self.lines = self.history = self.order = self.sampled = 0
        self.usage_last: dict[str, int] = {}
        self.usage_turn: dict[str, int] = dict.fromkeys([*_USAGE, "cache_write_input_tokens"], 0)
        self.usage_total = dict(self.usage_turn)
        self.thread = self._clock.uuid()
        self.turn_id = self._clock.uuid()
        self._kept = path is not None or "--ephemeral" not in codex.words.flags
        self._is_known = codex.model in self._version["models"]
        if path is None:
            local = time.localtime(self._clock.ms / 1000)
            name = time.strftime("rollout-%Y-%m-%dT%H-%M-%S", local)
            path = f"{_home()}/sessions/{time.strftime('%Y/%m/%d', local)}/{name}-{self.thread}.jsonl"
        else:
            self.thread = path[-len(self.thread) - 6 : -6]
            self._go_on(path)
        self.path = path

    def _go_on(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file.read().split("\n") if line]
        self.lines = len(lines)
        for line in lines:
            meta = line.get("metadata", {})
            self.history += line["type"] == "response_item"
            self.order += "user_input_order" in meta
            self.sampled = meta.get("sampled_through_sequence", self.sampled)
            goes_on = self._version["usage_goes_on"]
            info = line["payload"].get("info") if goes_on and line["payload"].get("type") == "token_count" else None
            if info:
                self.usage_total.update(info["total_token_usage"])

    def start(self) -> None:
        """Write how a new file begins, once."""
        if not self._started:
            self._started = True
            self.add("start")

    def turn(self) -> None:
        """Write how a turn begins."""
        self.start()
        self.add("first" if self.is_new else "again")
        self.add("prompt")

    def spent(self, usage: dict[str, int]) -> None:
        """Count what an answer of the model took."""
        self.usage_last = usage
        for total in (self.usage_turn, self.usage_total):
            for key, value in usage.items():
                total[key] = total.get(key, 0) + value

    def add(self, when: str, **names: Any) -> None:
        """Write the lines that a version has at this point."""
        if when == "request":
            self.sampled = self.history
        self.write(self._version["order"][when], names)

    def write(self, lines: list[str], names: dict[str, Any]) -> None:
        """Write lines, by their names."""
        for name in lines:
            templates = self._version["lines"]
            template = templates[name] if self._is_known else templates.get(f"{name}_unknown", templates[name])
            now = self._clock.iso()
            own = {"id": self._clock.uuid(), **self._names(now), **names}
            line = _fill(json.loads(template), lambda key, own=own: self._value(key, own))
            head: dict[str, Any] = {"timestamp": now}
            if self._version["ordinals"]:
                head["ordinal"] = self.lines
            self.lines += 1
            if self._kept:
                text = json.dumps({**head, **line}, ensure_ascii=False, separators=(",", ":"))
                self._codex.call.write_file(self.path, text + "\n", append=True)

    def text(self, template: str) -> str:
        """Return a text with the names in it replaced."""
        names = self._names()
        return str(_fill(template, lambda key: self._value(key, names)))

    def _value(self, key: str, names: dict[str, Any]) -> Any:
        if key == "uuid":
            return self._clock.uuid()
        if key in ("history", "order"):
            setattr(self, key, getattr(self, key) + 1)
            return getattr(self, key)
        if key == "info":
            return self._info()
        return names[key]

    def _info(self) -> Any:
        if not self.usage_last and not any(self.usage_total.values()):
            return None
        names = {**self._names(), "usage_last": self._usage(self.usage_last)}
        return _fill(json.loads(self._version["lines"]["info"]), names.__getitem__)

    def _usage(self, usage: dict[str, int]) -> dict[str, int]:
        counted = {key: usage.get(key, 0) for key in self._version["usage_kept"]}
        return {**counted, "total_tokens": counted["input_tokens"] + counted["output_tokens"]}

    def _servers(self) -> dict[str, str]:
        """Return the MCP servers that the turn uses, as tools of the model."""
        used = {item["server"] for item in _items(self._codex.turn) if item["type"] == "mcp_tool_call"}
        return {f"mcp__{name}": "Tools of an MCP server." for name in sorted(used)}

    def _names(self, now: str = "") -> dict[str, Any]:
        codex, ms = self._codex, self._clock.ms
        mode = codex.words.values.get("--sandbox") or "read-only"
        if "--dangerously-bypass-approvals-and-sandbox" in codex.words.flags:
            mode = "danger-full-access"
        sandbox = json.loads(self._version["sandboxes"][mode].replace("${cwd}", codex.cwd))
        day = time.strftime("%Y-%m-%d", time.localtime(ms / 1000))
        places = f"<cwd>{codex.cwd}</cwd>"
        return {
            "thread": self.thread, "turn": self.turn_id, "cwd": codex.cwd, "model": codex.model,
            "provider": codex.turn.get("provider") or "mock", "version": self._version["number"],
            "now": now, "now_s": ms // 1000, "now_ms": ms, "now_f": ms / 1000, "date": day,
            "timezone": time.strftime("%Z") or "UTC", "prompt": codex.prompt, "sandbox": mode, "sampled": self.sampled,
            "environment": f"<environment_context>\n  {places}\n  <shell>bash</shell>\n</environment_context>",
            "last": codex.last, "git": {"git": {}} if _in_git(codex.cwd) else {},
            "first_token": {"time_to_first_token_ms": 40} if codex.items else {},
            "window": 258400 if self._is_known else self._version.get("unknown_window"),
            "comp": {"comp_hash": "2911"} if self._is_known else {}, "servers": self._servers(),
             "response": f"resp_{codex.items + 1}", "usage_last": self._usage(self.usage_last),
            "usage_turn": self._usage(self.usage_turn), "usage_total": self._usage(self.usage_total), **sandbox,
        }  # fmt: skip


class Clock:
    """The time and the ids: real ones, or the same in each run where the options say so."""

    def __init__(self, options: dict[str, Any], number: int) -> None:
        """Take `now` (ISO 8601 in UTC) and `seed`; each call is a second later and has ids of its own."""
        now, seed = options.get("now"), options.get("seed")
        self._fixed = None if now is None else _epoch(now) * 1000 + (number - 1) * 1000
        if seed is None and now is None:
            self._state = int.from_bytes(os.urandom(8), "big")
        else:
            self._state = (int(seed or 0) * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03) & _MASK

    @property
    def ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        return int(time.time() * 1000) if self._fixed is None else self._fixed

    def iso(self, *, micro: bool = False) -> str:
        """Return the time as it is written, in UTC; a clock that is not the real one then goes on."""
        ms = self.ms
        if self._fixed is not None:
            self._fixed += 1
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000))
        return f"{text}.{ms % 1000:03d}{'000' if micro else ''}Z"

    def uuid(self) -> str:
        """Return a UUID of version 7."""
        high, low = self._random(), self._random()
        text = f"{self.ms:012x}7{high & 0xFFF:03x}{0x8000 | (high >> 16) & 0x3FFF:04x}{low & 0xFFFFFFFFFFFF:012x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _random(self) -> int:
        """Return 64 bits of splitmix64: `random` takes longer to import than all the rest."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)


def _items(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the turn's items; `messages` is short for messages of the agent, a text for one."""
    if "items" in turn:
        return list(turn["items"])
    return [{"type": "agent_message", "text": text} for text in turn.get("messages", ["Answer"])]


def _nothing() -> None:
    """Do nothing."""


def _in_git(folder: str) -> bool:
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder in ("", "/"):
            return False
        folder = os.path.dirname(folder)
    return True


def _reason(body: str) -> str:
    """Return the message in a provider's refusal, or the whole of it."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return body


def _home() -> str:
    return os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")


def _first(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        line = file.readline()
    payload: dict[str, Any] = json.loads(line)["payload"] if line else {}
    return payload


def _is_uuid(text: str) -> bool:
    parts = [len(part) for part in text.split("-")]
    return parts == [8, 4, 4, 4, 12] and all(one in "0123456789abcdefABCDEF-" for one in text)


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _epoch(text: str) -> int:
    """Return the seconds since 1970 of `2026-01-31T12:00:00Z`; strptime takes longer to import than all the rest."""
    year, month, day = int(text[0:4]), int(text[5:7]), int(text[8:10])
    year, month = (year, month) if month > 2 else (year - 1, month + 12)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469
    return days * 86400 + int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])


def _fill(value: Any, get: Any) -> Any:
    """Return a template with values for its names: `"$name"` is the value itself, `${name}` within a text its text."""
    if isinstance(value, dict):
        filled: dict[str, Any] = {}
        for key, one in value.items():
            filled.update(get(key[1:]) if key.startswith("$") else {key: _fill(one, get)})
        return filled
    if isinstance(value, list):
        return [_fill(one, get) for one in value]
    if not isinstance(value, str):
        return value
    if value.startswith("$") and value[1:].isidentifier():
        return get(value[1:])
    head, *rest = value.split("${")
    return head + "".join(f"{get(one.split('}', 1)[0])}{one.split('}', 1)[1]}" for one in rest)


def _fill_fields(template: str, names: dict[str, Any]) -> dict[str, Any]:
    filled: dict[str, Any] = _fill(json.loads(template), names.__getitem__)
    return filled
