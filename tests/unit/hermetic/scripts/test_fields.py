"""Owns the test that a script in TOML and one built in Python can say the same: every key of the model, both ways."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mutkit.hermetic import Script
from mutkit.model.mock import (
    Answer,
    End,
    Expect,
    Generate,
    Grandchild,
    MockScript,
    Repeat,
    Step,
    WaitFor,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path("/nowhere")
PROGRAM = "def answer(call): call.write('x')\n"

SAME: dict[str, tuple[str, Script]] = {
    "text": ('[[step]]\ntext = "é"', Script().write("é")),
    "base64": ('[[step]]\nbase64 = "/wA="', Script().write(b"\xff\x00")),
    "file": ('[[step]]\nfile = "data.bin"', Script().file(HERE / "data.bin")),
    "json": ("[[step]]\njson = { a = [1, true] }", Script().json({"a": [1, True]})),
    "fill": (
        '[[step]]\njson = { a = "" }\nfill = { "/a" = { text = "x", times = 3 } }',
        Script().json({"a": ""}, fill={"/a": Repeat("x", 3)}),
    ),
    "repeat": ('[[step]]\nrepeat = { text = "x", times = 3 }', Script().repeat("x", 3)),
    "generate": (
        '[[step]]\ngenerate = { kind = "flood", bytes = 70000, seed = 4 }',
        Script().generate("flood", bytes=70000, seed=4),
    ),
    "expect line": ('[[step]]\nexpect = { line = "a+", regex = true }', Script().expect("a+", regex=True)),
    "expect all": ('[[step]]\nexpect = { all = "a*" }', Script().expect(all="a*")),
    "expect json": ("[[step]]\nexpect = { json = { id = 1 } }", Script().expect(json={"id": 1})),
    "expect end": ("[[step]]\nexpect = { end = true }", Script().expect(end=True)),
    "read_stdin": ('[[step]]\nread_stdin = "line"', Script().read_stdin("line")),
    "close": ('[[step]]\nclose = "stdin"', Script().close("stdin")),
    "pause": ("[[step]]\npause_ms = 5", Script().pause(5.0)),
    "wait_for": ('[[step]]\nwait_for = { path = "/x/go", seconds = 2 }', Script().wait_for(Path("/x/go"), 2.0)),
    "grandchild": (
        '[[step]]\ngrandchild = { seconds = 3, holds = ["stderr", "stdin"] }',
        Script().grandchild(3.0, "stderr", "stdin"),
    ),
    "to a stream": (
        '[[step]]\ntext = "ab"\nto = "stderr"\nnewline = "codex"\nchunk = 2\n'
        'pace = "exact"\npause_ms = 1\ndeadline = 4',
        Script().write("ab", to="stderr", newline="codex", chunk=2, pace="exact", pause_ms=1.0, deadline=4.0),
    ),
    "cut_at": ('[[step]]\ntext = "ab"\ncut_at = [1]', Script().write("ab", cut_at=(1,))),
    "path": ('[[step]]\ntext = "ab"\npath = "out"\nappend = true', Script().write("ab", path="out", append=True)),
    "path_after": ('[[step]]\ntext = "ab"\npath_after = "-o"', Script().write("ab", path_after="-o")),
    "exit": ("[end]\nexit = 3", Script().exit(3)),
    "signal": ('[end]\nsignal = "KILL"', Script().kill("KILL")),
    "hang": ("[end]\nhang = true\nat_stdin_end = 2", Script().hang(at_stdin_end=2)),
    "signals": ('signals = { TERM = "ignore", INT = 1 }', Script().on_signal("TERM", "ignore").on_signal("INT", 1)),
    "reader_gone": ('reader_gone = "die"', Script().on_reader_gone("die")),
    "argv": ('argv = ["exec", "**"]', Script().expecting("exec", "**")),
    "argv_exact": ('argv_exact = ["*"]', Script().expecting_exactly("*")),
    "argv_regex": ('argv_regex = "a|b"', Script().expecting_regex("a|b")),
    "subcommand": ('subcommand = "exec resume"', Script().on_subcommand("exec resume")),
    "nth": ("nth = 2", Script().on_call(2)),
    "env": ('env = { A = "x*", B = "" }', Script().on_env("A", "x*").on_env("B", "")),
    "stdin": ('stdin = "*?"', Script().on_stdin("*?")),
    "call": (
        '[[call]]\nnth = 1\n[[call.step]]\ntext = "x"\n[[call]]\nargv = ["a"]\n[call.end]\nexit = 1\n[[call]]',
        Script().answering(Script().write("x"), nth=1).answering(Script().exit(1), argv=["a"]).answering(Script()),
    ),
    "script": (
        'note = "n"\nrecord_env = ["A", "B"]\nunredacted = ["B"]\nseed = 7',
        Script().note("n").recording("A").recording("B").unredacted("B").seeded(7),
    ),
    "program": (
        'program = "p.py:answer"\n[options]\na = [1, { b = "c" }]',
        Script().program(HERE / "p.py", options={"a": [1, {"b": "c"}]}),
    ),
}
BY_PROFILES = {("MockScript", "profile")}
"""Keys that stand for others: mutkit.hermetic.scripts.profiles.profile() is how Python says them."""


@pytest.mark.parametrize("name", SAME)
def test_toml_and_python_say_the_same(tmp_path: Path, name: str) -> None:
    """What the page says of a key holds for the method, and neither way is a fault."""
    text, built = SAME[name]
    (tmp_path / "data.bin").write_bytes(b"x")
    (tmp_path / "p.py").write_text(PROGRAM)
    (tmp_path / "s.toml").write_text(text.replace("/nowhere", str(tmp_path)))
    read = Script.from_toml(tmp_path / "s.toml")
    assert repr(read) == repr(built).replace("/nowhere", str(tmp_path))
    assert read.compiled()["calls"]


def test_every_key_of_the_model_is_said_both_ways() -> None:
    """A key that is added to the model must be here, so that no method for it is forgotten."""
    said = {key for _, built in SAME.values() for key in _said(built.model)}
    keys = {
        (kind.__name__, item.name)
        for kind in (MockScript, Answer, Step, End, Expect, Generate, Grandchild, Repeat, WaitFor)
        for item in fields(kind)
    }
    assert keys - said - BY_PROFILES == set()


def _said(value: Any) -> Iterator[tuple[str, str]]:
    """Return the keys that differ from what is so when they are left out; those of a script count for its answer."""
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from _said(one)
    elif isinstance(value, dict):
        yield from _said(list(value.values()))
    elif is_dataclass(value):
        for item in fields(value):
            given = getattr(value, item.name)
            default = item.default_factory() if callable(item.default_factory) else item.default
            if repr(given) != repr(default):
                yield type(value).__name__, item.name
                if isinstance(value, MockScript):
                    yield Answer.__name__, item.name
            yield from _said(given)


def test_what_an_answer_brings_with_it_is_kept() -> None:
    """Its seed goes to its own generators, its recorded variables to the script."""
    part = Script().generate("crlf").generate("nul", seed=1).seeded(5).recording("A").unredacted("A")
    joined = Script().answering(part).model
    assert [step.generate.seed for step in joined.call[0].step if step.generate] == [5, 1]
    assert (joined.record_env, joined.unredacted, joined.seed) == (("A",), ("A",), None)


def test_an_answer_cannot_be_a_program_or_have_answers() -> None:
    """Nothing of it is dropped in silence."""
    for part in (Script().program(HERE / "p.py"), Script().answering(Script())):
        with pytest.raises(Exception, match="a program or answers of its own"):
            Script().answering(part)


def test_a_builders_call_leaves_the_script_as_it_was() -> None:
    """Scripts can be built upon one another."""
    base = Script().write("a").on_signal("INT", 1).on_env("A", "1")
    before = repr(base)
    base.write("b").on_signal("INT", 2).on_env("A", "2").exit(1)
    assert repr(base) == before


def test_a_seed_is_chosen_where_something_is_drawn_and_none_is_given() -> None:
    """And is in what the child records; without need there is none to be told."""
    drawn = [Script().generate("nul").compiled() for _ in range(2)]
    assert drawn[0]["seed"] != drawn[1]["seed"], "2 in 4 thousand million"
    assert drawn[0]["calls"][0]["steps"][0]["parts"] != drawn[1]["calls"][0]["steps"][0]["parts"]
    again = Script().generate("nul").seeded(drawn[0]["seed"]).compiled()
    assert again == drawn[0]
    assert Script().write("x").compiled()["seed"] is None
    assert Script().generate("nul", seed=3).compiled()["seed"] is None
    assert Script().write("x").seeded(0).compiled()["seed"] == 0
