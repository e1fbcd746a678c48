"""Service scripts: TOML and Python say the same, and every fault is told at once, with file, line and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mutkit.errors import SpecError
from mutkit.hermetic.services import Fault, Matcher, MockService, ServiceScript, ToolCall, Turn, TurnError, TurnFault
from mutkit.model.service import Usage

if TYPE_CHECKING:
    from pathlib import Path

TOML = """\
note = "a store"
record_secrets = ["X-Key"]

[[route]]
name = "upload"
request = { method = "POST", path = "/files", query = { a = "b*" }, json = { x = 1 }, nth = 2 }
answer = { status = 201, headers = { X-Id = "{id}" }, json = { id = "{id}" } }
effect = true
operation = "{header:Idempotency-Key}"
idempotent = true
stores = "files"
id = "file-{n}"
fault = { kind = "slow", chunk = 3, pause_ms = 1 }
reads_fail = { kind = "hang", times = 1 }

[[route]]
request = { path = "/files/{id}", headers = { Accept = { regex = "^a" } }, body = { blank = true } }
reads = "files"
compare = "none"

[[turn]]
message = "hi"
chunk = 2
call = [{ name = "ls", arguments = { path = "." } }, { name = "bad", arguments = "{" }]
reasoning = "why"
usage = { input = 1, output = 2 }
fault = { kind = "idle", after = 2 }
expect = { contains = "x" }

[[turn]]
error = { status = 429, headers = { Retry-After = "1" } }
times = 0
"""


def read(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> ServiceScript:
    """Return the script in a file of the working directory."""
    (tmp_path / "api.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return ServiceScript.from_toml(tmp_path / "api.toml")


def test_toml_and_python_build_the_same_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One model, with all keys in both."""
    built = (
        ServiceScript(note="a store")
        .on(
            "POST",
            "/files",
            status=201,
            headers={"X-Id": "{id}"},
            json={"id": "{id}"},
            where={"query": {"a": "b*"}, "json": {"x": 1}, "nth": 2},
            name="upload",
            effect=True,
            operation="{header:Idempotency-Key}",
            idempotent=True,
            stores="files",
            id="file-{n}",
            fault=Fault("slow", chunk=3, pause_ms=1),
            reads_fail=Fault("hang", times=1),
        )
        .on(
            "*",
            "/files/{id}",
            where={"headers": {"Accept": Matcher(regex="^a")}, "body": Matcher(blank=True)},
            reads="files",
            compare="none",
        )
        .answering(
            Turn(
                "hi",
                (ToolCall("ls", {"path": "."}), ToolCall("bad", "{")),
                "why",
                chunk=2,
                usage=Usage(1, output=2),
                fault=TurnFault("idle", 2),
                expect=Matcher(contains="x"),
            ),
            Turn(error=TurnError(429, headers={"Retry-After": "1"}), times=0),
        )
        .recording("X-Key")
    )
    assert read(tmp_path, TOML, monkeypatch) == built
    assert built.recorded == {"x-key", "idempotency-key"}


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of its form and those of what it means, in the order of its lines, each with what to do."""
    text = """\
notes = "x"

[[route]]
request = { method = "post", path = "files" }
effect = true
fault = { kind = "reset" }

[[route]]
request = { path = "/a", nht = 1 }
answer = { status = "200" }

[[route]]
request = { path = "/b/{id}" }
answer = { text = "{idd}", json = 1 }
fault = { kind = "cat" }

[[route]]
request = { path = "/c/{id}", query = { q = 1 } }
reads = "files"
"""
    with pytest.raises(SpecError) as caught:
        read(tmp_path, text, monkeypatch)
    assert str(caught.value).splitlines() == [
        "api.toml:1: notes: is not a key [service-script] Did you mean `note`? "
        "Known keys: note, route, turn, record_secrets.",
        "api.toml:4: route[0].request.method: is 'post' [service-script] Write GET, POST, ... or *.",
        "api.toml:4: route[0].request.path: is 'files' [service-script] It begins with / or *.",
        "api.toml:6: route[0].fault.when: is missing [service-script] "
        'Say whether the effect takes place: when = "before" (not) or "after".',
        "api.toml:9: route[1].request.nht: is not a key [service-script] Did you mean `nth`? "
        "Known keys: method, path, query, headers, json, body, nth.",
        "api.toml:10: route[1].answer.status: is wrong: input should be a valid integer [service-script] "
        "See docs/mock-services.md.",
        "api.toml:15: route[2].fault.kind: is 'cat' [service-script] "
        "Use one of 'status', 'close', 'reset', 'hang', 'cut', 'slow' or 'malformed'.",
        "api.toml:18: route[3].request.query.q: is wrong: input should be a valid string [service-script] "
        "See docs/mock-services.md.",
    ]


ROUTE = '[[route]]\nrequest = { method = "POST", path = "/a" }\n'
STORED = '[[route]]\nrequest = { method = "PUT", path = "/s" }\neffect = true\nstores = "s"\n'

FAULTS: list[tuple[str, str, str]] = [
    (ROUTE.replace('" }', '", headers = { A = { gob = "" } } }'), "route[0].request.headers.A.gob", "is not a key"),
    ("", "", "has neither a route nor a turn"),
    (ROUTE.replace("/a", "/{x}/{x}"), "route[0].request.path", "cannot be used: redefinition of group name 'x'"),
    (ROUTE.replace("/a", "/a?b=1"), "route[0].request.path", "holds a query"),
    (ROUTE.replace('" }', '", nth = -1 }'), "route[0].request.nth", "is -1"),
    (ROUTE.replace('" }', '", body = {} }'), "route[0].request.body", "is empty"),
    (ROUTE.replace('" }', '", body = { file = "x" } }'), "route[0].request.body", "has `file`"),
    (ROUTE.replace('" }', '", body = { regex = "(" } }'), "route[0].request.body", "is no pattern"),
    (ROUTE + "answer = { status = 100 }", "route[0].answer.status", "is 100"),
    (ROUTE + 'answer = { text = "a", json = 1 }', "route[0].answer", "has `text` and `json`"),
    (ROUTE + 'answer = { base64 = "a" }', "route[0].answer.base64", "is not base64"),
    (ROUTE + 'answer = { file = "gone" }', "route[0].answer.file", "gone cannot be read: No such file or directory"),
    (ROUTE + 'answer = { text = "{nn}" }', "route[0].answer.text", "holds {nn}, which is no template here"),
    (ROUTE + 'answer = { json = [{ a = "{x:y}" }] }', "route[0].answer.json", "holds {x:y}, which is no template here"),
    (ROUTE + 'answer = { headers = { "A B" = "" } }', "route[0].answer.headers.A B", "is no name of a header"),
    (
        ROUTE + 'answer = { headers = { Connection = "" } }',
        "route[0].answer.headers.Connection",
        "is set by the service",
    ),
    (ROUTE + 'operation = "{header:K}"', "route[0].operation", "is for writes"),
    (ROUTE + 'effect = true\noperation = "{key}"', "route[0].operation", "holds {key}, which is no template here"),
    (ROUTE + "effect = true\nidempotent = true", "route[0].idempotent", "needs `operation`"),
    (ROUTE + 'effect = true\nid = "x"', "route[0].id", "needs `stores`"),
    (ROUTE + 'effect = true\nreads_fail = { kind = "hang" }', "route[0].reads_fail", "needs `stores`"),
    (STORED + ROUTE.replace("/a", "/{id}") + 'effect = true\nreads = "s"', "route[1].reads", "stands beside `effect`"),
    (STORED + ROUTE + 'reads = "s"', "route[1].reads", "needs {id} in the path"),
    (ROUTE.replace("/a", "/{id}") + 'reads = "s"', "route[0].reads", "names s, which no route stores"),
    (ROUTE + 'fault = { kind = "hang", when = "after" }', "route[0].fault.when", "is for writes"),
    (ROUTE + 'fault = { kind = "hang", chunk = 2 }', "route[0].fault.chunk", "means nothing for hang"),
    (ROUTE + 'fault = { kind = "hang", chunked = true }', "route[0].fault.chunked", "needs `at`"),
    (ROUTE + 'fault = { kind = "status", status = 200 }', "route[0].fault.status", "is 200"),
    (ROUTE + 'fault = { kind = "slow", chunk = 0 }', "route[0].fault.chunk", "is 0"),
    (
        ROUTE + 'fault = { kind = "slow", pace = "acked", pause_ms = 1 }',
        "route[0].fault.pace",
        "stands beside `pause_ms`",
    ),
    (ROUTE + 'fault = { kind = "cut", at = -1 }', "route[0].fault.at", "is -1"),
    (ROUTE + ROUTE + "effect = true", "route[1]", "is never reached: POST /a answers all that fits it"),
    ('[[route]]\n[[route]]\nrequest = { path = "/x" }', "route[1]", "is never reached: * * answers all that fits it"),
    (ROUTE.replace("/a", "/{x}") + ROUTE.replace("/a", "/{y}"), "route[1]", "is never reached: POST /{x} answers"),
    ('[[turn]]\nmessage = "x"\nerror = { status = 500 }', "turn[0].error", "stands beside an answer"),
    ("[[turn]]\nerror = { status = 200 }", "turn[0].error.status", "is 200"),
    ("[[turn]]\ntimes = 0\n[[turn]]", "turn[0].times", "is 0, so that later turns are never reached"),
    ('[[turn]]\nfault = { kind = "cut", after = -1 }', "turn[0].fault.after", "is -1"),
    ("[[turn]]\nchunk = -1", "turn[0].chunk", "is -1"),
    ("[[turn]]\nexpect = {}", "turn[0].expect", "is empty"),
    ("route = 1", "route", "is wrong: input should be a valid array"),
    ("[[route]]\nanswer = { json = 2026-01-01 }", "route[0].answer.json", "is a date or time"),
]


@pytest.mark.parametrize(("text", "key", "message"), FAULTS, ids=[f"{key} {message}" for _, key, message in FAULTS])
def test_each_fault_has_its_key_and_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, key: str, message: str
) -> None:
    """One fault in a script that is otherwise sound: one message."""
    with pytest.raises(SpecError) as caught:
        read(tmp_path, text, monkeypatch)
    [problem] = caught.value.problems
    assert (problem.file, problem.key) == ("api.toml", key)
    assert problem.message.startswith(message)
    assert problem.advice
    assert problem.message != "is not a key" or problem.advice.startswith("Did you mean `glob`? Known keys: equal, ")


def test_routes_that_differ_in_any_condition_are_all_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be told from the words is not refused."""
    conditions = ["", ", nth = 1", ", json = { a = 1 }", ', query = { a = "b" }', ', body = "x"']
    routes = [ROUTE.replace('" }', f'"{one} }}') for one in reversed(conditions)]
    assert len(read(tmp_path, "".join(routes), monkeypatch).route) == 5


@pytest.mark.parametrize(
    ("content", "message"), [(b"a = ", "is not TOML"), (b"\xff", "is not UTF-8"), (None, "cannot be read")]
)
def test_a_file_that_is_no_toml_is_told(tmp_path: Path, content: bytes | None, message: str) -> None:
    """By file, without a traceback."""
    if content is not None:
        (tmp_path / "x.toml").write_bytes(content)
    with pytest.raises(SpecError, match=message):
        MockService(tmp_path / "x.toml")


def test_a_script_that_was_built_is_checked_as_one_that_was_read() -> None:
    """Before anything is served."""
    wrong: Any = ServiceScript().on("GET", "x").on("GET", "/y", reads="z")
    with pytest.raises(SpecError) as caught:
        MockService(wrong)
    assert [problem.key for problem in caught.value.problems] == [
        "route[0].request.path",
        "route[1].reads",
        "route[1].reads",
    ]
