"""Every step and every ending of a mock, as three kinds of parents see it: subprocess, asyncio, Node.

One parent of each kind runs all the scripts; each test looks at what it saw of one.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mutkit.hermetic import MockCommands, Script
from mutkit.model.mock import Repeat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NODE = shutil.which("node")
_LIMIT = 60  # seconds for all scripts of one parent


@dataclass(frozen=True)
class Case:
    """A script, what it is given, and what any parent must see: both outputs to their ends, and how it ended.

    ``kill`` is a signal that the parent sends when the first output has come.
    """

    script: Script
    stdout: bytes = b""
    stderr: bytes = b""
    ended: int | str = 0  # the exit code, or the signal's name
    stdin: bytes = b""
    kill: str = ""
    argv: tuple[str, ...] = ()


CASES: dict[str, Case] = {
    "nothing": Case(Script()),
    "text": Case(Script().write("é\u2028\r\n"), "é\u2028\r\n".encode()),
    "bytes": Case(Script().write(b"\xff\x00\xfe"), b"\xff\x00\xfe"),
    "file": Case(Script().file(Path(__file__)), Path(__file__).read_bytes()),
    "json": Case(Script().json({"a": "é", "b": [1, None]}), '{"a":"é","b":[1,null]}\n'.encode()),
    "json filled": Case(
        Script().json({"a": ""}, fill={"/a": Repeat("é", 200_000)}), f'{{"a":"{"é" * 200_000}"}}\n'.encode()
    ),
    "repeated": Case(Script().repeat("ab", 150_000), b"ab" * 150_000),
    "generated": Case(Script().generate("crlf", 300, seed=1).generate("crlf", 300, seed=1)),
    "input to its end": Case(Script().read_stdin().write("x"), b"x", stdin=b"in" * 40_000),
    "input of a line": Case(Script().read_stdin("line").write("x"), b"x", stdin=b"one\ntwo\n"),
    "input expected": Case(Script().expect(json={"id": 1}).expect(line="b*").write("x"), b"x", stdin=b'{"id":1}\nbc\n'),
    "input not expected": Case(
        Script().write("1").expect(line="b").write("2"),
        b"1",
        b"mock input not expected: unexpected input at step[1]\n  expected: the line 'b'\n  got:      'a\\n'\n",
        97,
        stdin=b"a\n",
    ),
    "standard error": Case(Script().write("no", to="stderr"), b"", b"no"),
    "both in turns": Case(Script().write("1").write("a", to="stderr").write("2").write("b", to="stderr"), b"12", b"ab"),
    "a flood of both": Case(
        Script().repeat("e", 150_000, to="stderr").repeat("o", 150_000).repeat("e", 150_000, to="stderr"),
        b"o" * 150_000,
        b"e" * 300_000,
    ),
    "small chunks": Case(Script().write("hello", chunk=2), b"hello"),
    "cut inside a character": Case(Script().write("é", chunk="inside-character"), "é".encode()),
    "exact": Case(Script().write("hello", chunk=1, pace="exact").write("!", to="stderr", pace="exact"), b"hello", b"!"),
    "plain, exact, plain": Case(Script().write("a").write("b", pace="exact").write("c"), b"abc"),
    "pauses": Case(Script().write("ab", chunk=1, pause_ms=1).pause(1).write("c"), b"abc"),
    "stdout closed": Case(Script().write("a").close("stdout").write("b", to="stderr").exit(2), b"a", b"b", 2),
    "stderr closed": Case(Script().write("a", to="stderr").close("stderr").write("b"), b"b", b"a"),
    "stdin closed": Case(Script().close("stdin").write("b"), b"b"),
    "grandchild": Case(Script().write("a").grandchild(0.2, "stdout", "stderr").exit(4), b"a", ended=4),
    "waits in vain": Case(
        Script().wait_for(Path("/nowhere/at/all"), 0.05),
        stderr=b"mock waits in vain: step[0]: /nowhere/at/all did not appear within 0.05 s\n",
        ended=98,
    ),
    "exit code": Case(Script().write("a").exit(255), b"a", ended=255),
    "in mid-line": Case(Script().write('{"half').exit(1), b'{"half', ended=1),
    "death in mid-line": Case(Script().write('{"half').kill("KILL"), b'{"half', ended="SIGKILL"),
    "death behind exact chunks": Case(Script().write("ab", chunk=1, pace="exact").kill("TERM"), b"ab", ended="SIGTERM"),
    "death by a fault": Case(Script().kill("SEGV"), ended="SIGSEGV"),
    "hangs, dies by TERM": Case(Script().write("a\n").hang(), b"a\n", ended="SIGTERM", kill="SIGTERM"),
    "hangs, exits by INT": Case(Script().write("a\n").hang().on_signal("INT", 130), b"a\n", ended=130, kill="SIGINT"),
    "hangs, ignores HUP": Case(
        Script().write("a\n").hang(at_stdin_end=6).on_signal("HUP", "ignore"), b"a\n", ended=6, kill="SIGHUP"
    ),
    "ends with its input": Case(Script().hang(at_stdin_end=5), ended=5, stdin=b"x"),
    "unexpected": Case(
        Script().expecting("exec"),
        stderr=b"mock unexpected: unexpected call 1\n  called:   ['x']\n  expected: ['exec']\n"
        b"    argv[0]: expected 'exec', got 'x'\n",
        ended=97,
        argv=("x",),
    ),
}


Seen = dict[str, tuple[bytes, bytes, "int | str"]]


def by_subprocess(path: str, cases: Mapping[str, Case]) -> Seen:
    """Run each case from Python's subprocess."""
    seen: Seen = {}
    for name, case in cases.items():
        pipe = subprocess.PIPE
        child = subprocess.Popen([f"{path}/{name}", *case.argv], stdin=pipe, stdout=pipe, stderr=pipe)
        first = b""
        if case.kill:
            assert child.stdout is not None
            first = child.stdout.readline()
            child.send_signal(signal.Signals[case.kill])
        out, err = child.communicate(case.stdin, timeout=_LIMIT)
        seen[name] = first + out, err, _ended(child.returncode)
    return seen


def by_asyncio(path: str, cases: Mapping[str, Case]) -> Seen:
    """Run each case from asyncio, four at a time."""

    async def run(name: str, case: Case, at_once: asyncio.Semaphore) -> tuple[bytes, bytes, int | str]:
        async with at_once:
            pipe = asyncio.subprocess.PIPE
            child = await asyncio.create_subprocess_exec(
                f"{path}/{name}", *case.argv, stdin=pipe, stdout=pipe, stderr=pipe
            )
            first = b""
            if case.kill:
                assert child.stdout is not None
                first = await child.stdout.readline()
                child.send_signal(signal.Signals[case.kill])
            out, err = await child.communicate(case.stdin)
            return first + out, err, _ended(child.returncode or 0)

    async def run_all() -> Seen:
        at_once = asyncio.Semaphore(4)
        runs = asyncio.gather(*(run(name, case, at_once) for name, case in cases.items()))
        return dict(zip(cases, await asyncio.wait_for(runs, _LIMIT), strict=True))

    return asyncio.run(run_all())


_NODE_READER = """
const {spawn} = require("child_process");
const cases = JSON.parse(require("fs").readFileSync(0));
async function run(one) {
  const child = spawn(one.path, one.argv);
  const out = [], err = [];
  let ends = 0;
  child.stdout.on("data", data => { if (!out.length && one.kill) child.kill(one.kill); out.push(data); });
  child.stderr.on("data", data => err.push(data));
  child.stdout.on("end", () => ends++);
  child.stderr.on("end", () => ends++);
  child.stdin.on("error", () => {});
  if (one.kill) child.stdout.once("data", () => child.stdin.end());
  else child.stdin.end(Buffer.from(one.stdin, "base64"));
  const [code, signal] = await new Promise(done => child.on("close", (...how) => done(how)));
  return [Buffer.concat(out).toString("base64"), Buffer.concat(err).toString("base64"), signal ?? code, ends];
}
(async () => {
  const seen = {};
  for (const one of cases) seen[one.name] = await run(one);
  console.log(JSON.stringify(seen));
})();
"""


def by_node(path: str, cases: Mapping[str, Case]) -> Seen:
    """Run each case from one Node process, whose streams to children are sockets."""
    if _NODE is None:
        pytest.skip("there is no Node on this machine")
    asked = [
        {
            "name": name,
            "path": f"{path}/{name}",
            "argv": case.argv,
            "kill": case.kill,
            "stdin": base64.b64encode(case.stdin).decode(),
        }
        for name, case in cases.items()
    ]
    done = subprocess.run(
        [_NODE, "-e", _NODE_READER], input=json.dumps(asked).encode(), capture_output=True, timeout=_LIMIT, check=True
    )
    told = json.loads(done.stdout)
    assert {ends for *_, ends in told.values()} == {2}
    return {name: (base64.b64decode(out), base64.b64decode(err), ended) for name, (out, err, ended, _) in told.items()}


def _ended(code: int) -> int | str:
    return code if code >= 0 else signal.Signals(-code).name


_PARENTS: dict[str, Callable[[str, Mapping[str, Case]], Seen]] = {
    "subprocess": by_subprocess,
    "asyncio": by_asyncio,
    "node": by_node,
}


@pytest.fixture(scope="module", params=_PARENTS)
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Return what one kind of parent saw of all the cases."""
    with MockCommands(tmp_path_factory.mktemp(request.param) / "mock", check=False) as mock:
        for name, case in CASES.items():
            mock.add(name, case.script)
        return _PARENTS[request.param](mock.path, CASES)


@pytest.mark.parametrize("name", CASES)
def test_each_parent_sees_all_of_the_output_its_end_and_how_the_mock_ended(seen: Seen, name: str) -> None:
    """Byte for byte, whatever the streams between them are."""
    case = CASES[name]
    out, err, ended = seen[name]
    if name == "generated":  # what it is stands elsewhere: here it is the same twice
        assert out[: len(out) // 2] * 2 == out
        assert len(out) >= 600
    else:
        assert out == case.stdout
    assert (err, ended) == (case.stderr, case.ended)
