"""The python probe: what a function returns or raises, and how its process can die of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.model.campaign import PythonProbe
from mutkit.model.effect import Died, Hung, NothingSeen, RaisedException, Returned
from mutkit.model.ending import Capture, Exited, ProcessResult, Signalled, TimedOut
from mutkit.probes import run_probe
from mutkit.probes.python_probe import _answer, _effect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mutkit.model.probe_run import ProbeRun
    from mutkit.stage import Stage


@pytest.fixture
def probing(tree: Path, stage: Callable[..., Stage]) -> Callable[..., ProbeRun]:
    """Return a function that probes ``call`` of a module with the given source."""

    def probe(source: str, call: str = "subject:f", **more: Any) -> ProbeRun:
        (tree / "subject.py").write_text(textwrap.dedent(source), encoding="utf-8")
        return run_probe(PythonProbe("python", call, **more), stage())

    return probe


def slug(run: ProbeRun) -> str:
    """Return why nothing was seen."""
    assert isinstance(run.effect, NothingSeen), run.effect
    return run.effect.slug


def test_arguments_go_in_and_the_value_comes_out(probing: Callable[..., ProbeRun]) -> None:
    """JSON both ways, words in any script."""
    run = probing("def f(a, *, b): return {'a': a, 'b': [b, (1, 2.5)]}", args=("é\u2028",), kwargs={"b": None})
    assert run.effect == Returned({"a": "é\u2028", "b": [None, [1, 2.5]]})


@pytest.mark.parametrize("value", ["b'\\xff\\x00'", "bytearray(b'\\xff\\x00')", "memoryview(b'\\xff\\x00')"])
def test_bytes_are_bytes(probing: Callable[..., ProbeRun], value: str) -> None:
    """Not text, not a list of numbers."""
    assert probing(f"def f(): return {value}").effect == Returned(b"\xff\x00")


def test_what_the_subject_prints_or_reads_disturbs_nobody(probing: Callable[..., ProbeRun]) -> None:
    """The result has a way of its own, even if standard streams are closed."""
    run = probing(
        """
        import os, sys
        print("on import")
        def f():
            print('{"kind": "json", "value": "forged"}')
            seen = sys.stdin.read()
            sys.stdout.close(); os.close(2)
            return seen
        """,
    )
    assert run.effect == Returned("")


def test_a_coroutine_is_awaited(probing: Callable[..., ProbeRun]) -> None:
    """Its value counts, its exception too."""
    assert probing("async def f(): return 7").effect == Returned(7)
    effect = probing("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    raise OSError('x')").effect
    assert isinstance(effect, RaisedException)
    assert effect.type == "OSError"


def test_an_exception_is_told_with_its_place_in_the_tree(probing: Callable[..., ProbeRun]) -> None:
    """Type with its module, message, and the innermost line of the tree, not of the library below it."""
    effect = probing("import json\ndef f():\n    g()\ndef g():\n    json.loads('{')").effect
    assert isinstance(effect, RaisedException)
    assert (effect.type, effect.line) == ("json.decoder.JSONDecodeError", "subject.py:5")
    assert effect.message.startswith("Expecting")


@pytest.mark.parametrize(
    ("source", "type_", "message"),
    [
        ("class E(Exception): pass\ndef f(): raise E('a\\nb')", "subject.E", "a\nb"),
        ("def f(): raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("def f(): f()", "RecursionError", "*"),
        (
            "class E(Exception):\n    def __str__(self): 1/0\ndef f(): raise E",
            "subject.E",
            "<its str() raised ZeroDivisionError>",
        ),
    ],
)
def test_exceptions_of_all_kinds_are_seen(
    probing: Callable[..., ProbeRun],
    source: str,
    type_: str,
    message: str,
) -> None:
    """Own classes, those that no ``except Exception`` sees, deep ones, and ones that cannot say what they
    are.
    """
    from mutkit.model.matcher import matches

    effect = probing(source).effect
    assert isinstance(effect, RaisedException), effect
    assert effect.type == type_
    assert matches(message, effect.message)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("import sys\ndef f(): sys.exit(3)", 3),
        ("import sys\ndef f(): sys.exit()", 0),
        ("import os\ndef f(): os._exit(0)", 0),
    ],
)
def test_leaving_instead_of_returning_is_a_death(probing: Callable[..., ProbeRun], source: str, code: int) -> None:
    """Also with exit code 0: no value came."""
    effect = probing(source).effect
    assert isinstance(effect, Died)
    assert effect.ending == Exited(code)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{1, 2}", "builtins.set at /"),
        ("{'a': [0, object()]}", "builtins.object at /a/1"),
        ("{1: 2}", "a key of type int at /"),
        ("[b'x']", "builtins.bytes at /0"),
        ("float('nan')", "ValueError"),
        ("(x for x in [])", "builtins.generator at /"),
    ],
)
def test_a_value_that_is_no_json_is_named_and_not_guessed(
    probing: Callable[..., ProbeRun],
    value: str,
    reason: str,
) -> None:
    """With its type and where in the value it is."""
    run = probing(f"def f(): return {value}")
    assert slug(run) == "not-json"
    assert reason in run.effect.reason  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "source",
    [
        "class D(dict):\n    def items(self): raise KeyError(1)\ndef f(): return D(a=1)",
        "class D(dict):\n    def items(self): raise SystemExit(1)\ndef f(): return D(a=1)",
        "class L(list):\n    def __iter__(self): raise OSError('x')\ndef f(): return L([1])",
        "class B(bytes):\n    def __bytes__(self): raise OSError('x')\ndef f(): return B(b'1')",
    ],
)
def test_a_value_that_cannot_be_looked_at_is_no_json(probing: Callable[..., ProbeRun], source: str) -> None:
    """The function did return: what its value's class raises afterwards is no crash."""
    assert slug(probing(source)) == "not-json"


def test_a_value_is_looked_at_once(probing: Callable[..., ProbeRun]) -> None:
    """A class that shows something else each time cannot get past the check."""
    source = """
    class D(dict):
        seen = 0
        def items(self):
            D.seen += 1
            return [("a", 1)] if D.seen < 3 else [("a", {2})]
    def f(): return D(a=1)
    """
    assert probing(source).effect == Returned({"a": 1})


@pytest.mark.parametrize(
    "replaced",
    [
        "json.dumps = json.loads = json.JSONEncoder = lambda *a, **k: '{}'",
        "builtins.open = None",
        "os.getpid = os._exit = os.path.realpath = None",
        "base64.b64encode = traceback.extract_tb = inspect.isawaitable = None",
    ],
)
def test_what_the_subject_replaces_in_the_library_does_not_change_what_is_told(
    probing: Callable[..., ProbeRun], replaced: str
) -> None:
    """Neither while it is imported nor when it is called."""
    source = (
        f"import base64, builtins, inspect, json, os, traceback\n{replaced}\ndef f():\n    {replaced}\n    return 1"
    )
    assert probing(source).effect == Returned(1)


@pytest.mark.parametrize(
    "text", ["{}\n", "[]\n", "null\n", "{\n", "é\n", '{"kind": "raised"}\n', '{"kind": [], "message": ""}\n']
)
def test_a_result_that_cannot_be_read_is_no_answer(text: str, tmp_path: Path) -> None:
    """Of a process that ended well nothing was seen; of another it is known how it ended."""
    (tmp_path / "result").write_text(text, encoding="utf-8")
    answer = _answer(tmp_path / "result")
    for ending, effect in (
        (Exited(1), Died(Exited(1))),
        (Signalled(9), Died(Signalled(9))),
        (TimedOut(2.0), Hung(2.0)),
    ):
        assert _effect(answer, ProcessResult((), ending, Capture(), Capture(), 0.1), 2.0) == effect
    told = _effect(answer, ProcessResult((), Exited(0), Capture(), Capture(), 0.1), 2.0)
    assert told == Died(Exited(0)) if text == "null\n" else isinstance(told, NothingSeen)


@pytest.mark.parametrize("over", [0, 1])
def test_a_value_over_the_limit_is_not_read(
    probing: Callable[..., ProbeRun], monkeypatch: pytest.MonkeyPatch, over: int
) -> None:
    """It could fill the memory of who asks; one at the limit is read."""
    size = 1000
    monkeypatch.setattr("mutkit.probes.python_probe.LIMIT", len('{"kind": "json", "value": ""}\n') + size)
    run = probing(f"def f(): return 'x' * {size + over}")
    if over:
        assert slug(run) == "output-over-cap"
    else:
        assert run.effect == Returned("x" * size)


def test_a_value_that_holds_itself_is_no_json(probing: Callable[..., ProbeRun]) -> None:
    """And does not bring the probe down."""
    assert slug(probing("def f():\n    a = []\n    a.append(a)\n    return a")) == "not-json"


@pytest.mark.parametrize("source", ["1/0", "def f(:", "import sys; sys.exit(0)", "import no_such_module"])
def test_a_module_that_cannot_be_imported_shows_nothing(probing: Callable[..., ProbeRun], source: str) -> None:
    """It is not what the function does: the reason says what importing raised."""
    assert slug(probing(source)) == "probe-import-failed"


@pytest.mark.parametrize("call", ["subject:g", "subject:f.g", "subject:x", "subject:C.missing"])
def test_a_function_that_is_not_there_shows_nothing(probing: Callable[..., ProbeRun], call: str) -> None:
    """Nor does a name that is no function."""
    assert slug(probing("x = 1\ndef f(): pass\nclass C: pass", call)) == "probe-function-missing"


def test_a_method_may_be_called(probing: Callable[..., ProbeRun]) -> None:
    """By its dotted name."""
    assert probing("class C:\n    @staticmethod\n    def f(): return 1", "subject:C.f").effect == Returned(1)


def test_the_tree_comes_before_what_is_installed(tmp_path: Path, tree: Path, stage: Callable[..., Stage]) -> None:
    """A copy of the package elsewhere on the path does not hide the one under test; ``path`` comes first."""
    for folder, value in ((tmp_path / "installed", "wrong"), (tree / "src", "right")):
        (folder / "pkg").mkdir(parents=True)
        (folder / "pkg" / "__init__.py").write_text(f"def f(): return {value!r}\n")
    env = {"PYTHONPATH": str(tmp_path / "installed")}
    assert run_probe(PythonProbe("python", "pkg:f", path=("src",), env=env), stage()).effect == Returned("right")


def test_a_module_from_outside_of_the_tree_is_no_evidence(tmp_path: Path, stage: Callable[..., Stage]) -> None:
    """An installed copy would show the same whatever the mutation."""
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "pkg.py").write_text("def f(): return 1\n")
    env = {"PYTHONPATH": str(tmp_path / "installed")}
    assert slug(run_probe(PythonProbe("python", "pkg:f", env=env), stage())) == "wrong-tree"


def test_threads_that_are_left_behind_do_not_hold_up_the_answer(probing: Callable[..., ProbeRun]) -> None:
    """The value came; what else runs is ended with the process."""
    run = probing("from threading import *\ndef f():\n    Thread(target=Event().wait).start()\n    return 1")
    assert run.effect == Returned(1)
    assert run.result is not None
    assert run.result.ending == Exited(0)


def test_the_answer_of_a_forked_copy_is_not_the_subjects(probing: Callable[..., ProbeRun]) -> None:
    """A copy returned a value, the subject itself died: that is a death."""
    run = probing(
        """
        import os
        def f():
            pid = os.fork()
            if pid:
                os.waitpid(pid, 0)
                os._exit(0)
            return "copy"
        """,
    )
    assert run.effect == Died(Exited(0))


def test_both_copies_of_a_fork_return_and_the_first_process_counts(probing: Callable[..., ProbeRun]) -> None:
    """The copy's value is thrown away, even if it comes last."""
    run = probing(
        """
        import os
        def f():
            pid = os.fork()
            if pid:
                os.waitpid(pid, 0)
            return "parent" if pid else "copy"
        """,
    )
    assert run.effect == Returned("parent")


def test_the_probe_module_folder_is_not_importable(probing: Callable[..., ProbeRun]) -> None:
    """Modules of mutkit beside its runner cannot take the place of the subject's."""
    source = """
    import importlib.util
    def f(): return [importlib.util.find_spec(name) is not None for name in ("framing", "endings")]
    """
    assert probing(source).effect == Returned([False, False])
