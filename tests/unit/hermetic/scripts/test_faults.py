"""Owns the tests that a wrong script is refused with every fault at once: key, line, what is wrong, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mutkit.errors import SpecError
from mutkit.hermetic import Script
from mutkit.hermetic.scripts import check

if TYPE_CHECKING:
    from pathlib import Path

    from mutkit.errors import Problem


def faults(tmp_path: Path, text: str) -> list[Problem]:
    """Return all faults of a script, none of which is without advice, a slug and the file."""
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    found = check(tmp_path / "s.toml")
    for fault in found:
        assert fault.slug == "mock-script"
        assert fault.file == str(tmp_path / "s.toml")
        assert fault.advice
        assert fault.line is not None or not fault.key
    return found


TYPES = [
    ("exit = 3", "exit", "is not a key", "It is a key of [end]. Known keys: argv,"),
    ("[end]\nrecord_env = []", "end.record_env", "is not a key", "It is a key of the script itself."),
    ('[[step]]\ntext = "a"\nchunk = "1"', "step[0].chunk", "is '1'", "must be a whole number or one of 'each-byte'"),
    ('[[step]]\ntext = "a"\nchunk = 1.5', "step[0].chunk", "is a number", "must be a whole number or one of"),
    ('[[step]]\ntxt = "a"', "step[0].txt", "is not a key", "Did you mean `text`?"),
    ('[[call]]\n[[call.step]]\nexpect = { lines = "a" }', "call[0].step[0].expect.lines", "is not a key", "`line`?"),
    ("[end]\nexit = 1.5", "end.exit", "is a number", "must be a whole number"),
    ("[[step]]\ntext = 1", "step[0].text", "is a whole number", "must be a text"),
    ("step = 1", "step", "is a whole number", "must be a list"),
    ("step = [1]", "step[0]", "is a whole number", "must be a table"),
    ('argv = "exec"', "argv", "is a text", "must be a list"),
    ("argv = [1]", "argv[0]", "is a whole number", "must be a text"),
    ('[signals]\nTREM = "die"', "signals.TREM", "is not a key", "Use one of 'HUP', 'INT'"),
    ('[signals]\nTERM = "dye"', "signals.TERM", "is 'dye'", "must be a whole number or one of 'die' or 'ignore'"),
    ("reader_gone = true", "reader_gone", "is true or false", "must be a whole number or one of 'die' or 'ignore'"),
    ("[[step]]\nrepeat = { times = 1 }", "step[0].repeat.text", "is missing", "Add it."),
    (
        '[[step]]\ngenerate = { kind = "crfl" }',
        "step[0].generate.kind",
        "is 'crfl'",
        "one of 'long-line', 'multi-byte'",
    ),
    ("[[step]]\njson = { a = 2020-01-01 }", "step[0].json.a", "is a date or time", "write a text"),
    ("note = 2020-01-01", "note", "is a date or time", "write a text"),
    ("nth = 2020-01-01", "nth", "is a date or time", "write a text"),
    ("program = 3\n[options]\na = 1", "program", "is a whole number", "must be a text"),
    ("[[step]]\npause_ms = inf", "step[0].pause_ms", "is inf", "finite"),
    ("[[step]]\njson = { a = nan }", "step[0].json.a", "is nan", "finite"),
    ('env = ["A"]', "env", "is a list", "must be a table"),
]

RULES = [
    ('[[step]]\ntext = "a"\nread_stdin = "end"', "step[0]", "exactly one"),
    ("[[step]]\n", "step[0]", "exactly one"),
    ('[[step]]\ntext = "abc"\nchunk = 1\ncut_at = [1]', "step[0].cut_at", "beside `chunk`"),
    ('[[step]]\ntext = "abc"\ncut_at = [2, 1]', "step[0].cut_at", "rise"),
    ('[[step]]\ntext = "abc"\ncut_at = [1, 1]', "step[0].cut_at", "rise"),
    ('[[step]]\ntext = "abc"\ncut_at = [3]', "step[0].cut_at", "within the 3 bytes"),
    ('[[step]]\ntext = "abc"\ncut_at = [0]', "step[0].cut_at", "within the 3 bytes"),
    ('[[step]]\ntext = "abc"\nchunk = -1', "step[0].chunk", "less than 0"),
    ('[[step]]\ntext = "abc"\nchunk = "inside-character"', "step[0].chunk", "no character of more than one byte in it"),
    ('[[step]]\nbase64 = "?"', "step[0].base64", "is not base64"),
    ('[[step]]\nbase64 = "?"\nchunk = "inside-crlf"', "step[0].base64", "is not base64"),
    ('[[step]]\nfile = "gone"', "step[0].file", "No such file"),
    ('[[step]]\nfile = "."', "step[0].file", "Is a directory"),
    ('[[step]]\nfile = "a\\u0000b"', "step[0].file", "null byte"),
    ('[[step]]\ntext = "a"\nappend = true', "step[0].append", "files"),
    ('[[step]]\ntext = "a"\nfill = { "/a" = { text = "b", times = 1 } }', "step[0].fill", "json"),
    ('[[step]]\njson = {}\nfill = { "/a/b" = { text = "b", times = 1 } }', "step[0].fill./a/b", "there is no 'a'"),
    ('[[step]]\njson = [1]\nfill = { "/1" = { text = "b", times = 1 } }', "step[0].fill./1", "there is no '1'"),
    ('[[step]]\njson = [1]\nfill = { "/-1" = { text = "b", times = 1 } }', "step[0].fill./-1", "there is no '-1'"),
    ('[[step]]\njson = { a = 1 }\nfill = { "a" = { text = "b", times = 1 } }', "step[0].fill.a", "begin with `/`"),
    (
        '[[step]]\njson = { a = [1] }\nfill = { "/a/0" = { text = "b", times = 1 }, "/a" = { text = "b", times = 1 } }',
        "step[0].fill./a/0",
        "overwritten",
    ),
    ('[[step]]\nrepeat = { text = "x", times = -1 }', "step[0].repeat.times", "less than 0"),
    ('[[step]]\ngenerate = { kind = "crlf", bytes = -1 }', "step[0].generate", "-1 bytes"),
    ('[[step]]\ngenerate = { kind = "multi-byte", bytes = 8 }', "step[0].generate", "at least 9 bytes"),
    ('[[step]]\ntext = "a"\npause_ms = -1', "step[0].pause_ms", "no time"),
    ('[[step]]\ntext = "a"\npace = "exact"\ndeadline = 0', "step[0].deadline", "no time"),
    ('[[step]]\ntext = "a"\ndeadline = 5', "step[0].deadline", "exact"),
    ('[[step]]\ntext = "a"\npath = "f"\npace = "exact"', "step[0].pace", "for streams"),
    ('[[step]]\ntext = "a"\npath_after = "-o"\nchunk = 1', "step[0].chunk", "for streams"),
    ('[[step]]\ntext = "a"\npath_after = "-o"\nto = "stderr"', "step[0].to", "for streams"),
    ('[[step]]\ntext = "a"\npath = "f"\npath_after = "-o"', "step[0].path_after", "beside `path`"),
    ('[[step]]\ntext = "a"\npath = ""', "step[0].path", "no path"),
    ('[[step]]\nread_stdin = "end"\nchunk = 1', "step[0].chunk", "nothing about `read_stdin`"),
    ('[[step]]\nread_stdin = "end"\npause_ms = 1', "step[0].pause_ms", "nothing about `read_stdin`"),
    ('[[step]]\npause_ms = 1\nto = "stderr"', "step[0].to", "nothing about `pause_ms`"),
    ("[[step]]\nexpect = {}", "step[0].expect", "nothing; it expects exactly one"),
    ('[[step]]\nexpect = { line = "a", end = true }', "step[0].expect", "`line` and `end`"),
    ('[[step]]\nexpect = { line = "(", regex = true }', "step[0].expect.line", "no regular expression"),
    ("[[step]]\nexpect = { end = true, regex = true }", "step[0].expect.regex", "nothing about `end`"),
    ('[[step]]\nexpect = { line = "a\\n" }', "step[0].expect.line", "line feed"),
    ('[[step]]\nwait_for = { path = "x", seconds = 0 }', "step[0].wait_for.seconds", "no time"),
    ('[[step]]\nwait_for = { path = "" }', "step[0].wait_for.path", "no path"),
    ("[[step]]\ngrandchild = { seconds = -1 }", "step[0].grandchild.seconds", "no time"),
    ('[[step]]\nclose = "stdout"\n[[step]]\ntext = "a"', "step[1].to", "needs stdout, which step[0] closes"),
    ('[[step]]\nclose = "stdin"\n[[step]]\nread_stdin = "end"', "step[1].read_stdin", "needs stdin"),
    ('[[step]]\nclose = "stdin"\n[[step]]\nexpect = { end = true }', "step[1].expect", "needs stdin"),
    ('[[step]]\nclose = "stdout"\n[[step]]\nclose = "stdout"', "step[1].close", "which step[0] closes"),
    (
        '[[step]]\nclose = "stdout"\n[[step]]\ngrandchild = { seconds = 1 }',
        "step[1].grandchild.holds",
        "step[0] closes",
    ),
    ('[[step]]\nclose = "stdin"\n[end]\nhang = true\nat_stdin_end = 1', "end.at_stdin_end", "step[0] closes"),
    ('[[step]]\nread_stdin = "end"\n[[step]]\nread_stdin = "line"', "step[1].read_stdin", "to its end"),
    (
        '[[step]]\nread_stdin = "end"\n[[step]]\nexpect = { end = true }\n[[step]]\nread_stdin = "line"',
        "step[2].read_stdin",
        "step[0] takes standard input to its end",
    ),
    (
        '[[step]]\nread_stdin = "end"\n[[step]]\nexpect = { all = "*" }\n[[step]]\ntext = "a"',
        "step[1].expect",
        "finds nothing",
    ),
    ("[end]\nexit = 256", "end.exit", "not 0 to 255"),
    ("[end]\nexit = -1", "end.exit", "not 0 to 255"),
    ("[end]\nhang = true\nat_stdin_end = 300", "end.at_stdin_end", "not 0 to 255"),
    ("[end]\nat_stdin_end = 3", "end.at_stdin_end", "is for `hang = true`"),
    ('[end]\nsignal = "NOPE"', "end.signal", "no signal: NOPE"),
    ('[end]\nsignal = "CONT"', "end.signal", "does not end a process"),
    ("[end]\nexit = 1\nhang = true", "end", "more than one"),
    ("[signals]\nTERM = 256", "signals.TERM", "not 0 to 255"),
    ("reader_gone = 256", "reader_gone", "not 0 to 255"),
    ('argv = ["x"]\n[[call]]\n', "argv", "beside `call`"),
    ("[[call]]\nargv = []\n[[step]]\npause_ms = 1", "step", "beside `call`"),
    ('argv = ["a\\u0000"]', "argv[0]", "NUL"),
    ('argv_regex = "("', "argv_regex", "no regular expression"),
    ('subcommand = " "', "subcommand", "no sub-command"),
    ('subcommand = "exec --json"', "subcommand", "no sub-command"),
    ("nth = -1", "nth", "less than 0"),
    ('[env]\n"A=B" = "1"', "env.A=B", "no name"),
    ('record_env = [""]', "record_env[0]", "no name"),
    ('unredacted = ["A="]', "unredacted[0]", "no name"),
    ("[options]\na = 1", "options", "without `program`"),
    ('program = "p.py"', "program", "is not file.py:function"),
    ('program = "gone.py:answer"', "program", "cannot be read"),
    ('program = "broken.py:answer"', "program", "is no Python"),
    ('program = "good.py:other"', "program", "has no function other"),
    ('program = "good.py:answer"\nargv = ["x"]', "argv", "beside `program`"),
    ('program = "good.py:answer"\n[[step]]\npause_ms = 1', "step", "beside `program`"),
    ('program = "good.py:answer"\nseed = 1', "seed", "beside `program`"),
    ('[[call]]\n[[call.step]]\nbase64 = "?"', "call[0].step[0].base64", "is not base64"),
    ('[[call]]\n[[call]]\nargv = ["x"]', "call[1]", "can never be reached: call[0] answers every such call"),
    ('argv = ["a"]\nargv_exact = ["b"]', "argv_exact", "can never be"),
]


@pytest.mark.parametrize(("text", "key", "message", "advice"), TYPES)
def test_a_key_or_value_of_the_wrong_kind_is_one_fault_in_plain_words(
    tmp_path: Path, text: str, key: str, message: str, advice: str
) -> None:
    """However many ways there were to read it: the words are ours, not those of a library."""
    (fault,) = faults(tmp_path, text)
    assert (fault.key, fault.message) == (key, message)
    assert advice in fault.advice


@pytest.mark.parametrize(("text", "key", "message"), RULES)
def test_what_does_not_go_together_is_one_fault_with_its_key(tmp_path: Path, text: str, key: str, message: str) -> None:
    """Each rule that types cannot say."""
    (tmp_path / "good.py").write_text("def answer(call): pass\n")
    (tmp_path / "broken.py").write_text("def answer(call:\n")
    (fault,) = faults(tmp_path, text)
    assert fault.key == key
    assert message in fault.message


def test_every_fault_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    """A wrong type in one place does not hide what does not go together in another."""
    text = """\
argv = ["exec", 1]
exit = 3
[[step]]
text = "a"
chunk = "1"
[[step]]
txt = "b"
[[step]]
text = "abc"
cut_at = [9]
[[step]]
base64 = "?"
pause_ms = inf
[end]
exit = 256
[signals]
TERM = 999
INT = "dye"
"""
    found = {fault.key: fault.line for fault in faults(tmp_path, text)}
    assert found == {
        "argv[1]": 1,
        "exit": 2,
        "step[0].chunk": 5,
        "step[1].txt": 7,
        "step[2].cut_at": 10,
        "step[3].base64": 12,
        "step[3].pause_ms": 13,
        "end.exit": 15,
        "signals.TERM": 17,
        "signals.INT": 18,
    }


def test_a_condition_of_the_wrong_type_makes_no_other_answer_unreachable(tmp_path: Path) -> None:
    """What is left out since it is wrong must not be taken for what the author meant."""
    text = '[[call]]\nargv = "exec"\n[[call]]\nargv = ["resume"]\n[[call.step]]\nbase64 = "?"\n'
    assert [fault.key for fault in faults(tmp_path, text)] == ["call[0].argv", "call[1].step[0].base64"]


def test_a_step_behind_one_that_never_goes_on_is_told_once(tmp_path: Path) -> None:
    """And so is why that does not go on."""
    steps = '[[step]]\nread_stdin = "end"\n[[step]]\nexpect = { line = "*" }\n' + '[[step]]\ntext = "a"\n' * 3
    told = [f"{fault.key} {fault.message}" for fault in faults(tmp_path, steps)]
    assert told == [
        "step[1].expect finds nothing: step[0] takes standard input to its end",
        "step[2] can never be reached: step[1] never goes on",
    ]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"[[step]", 1, "is not TOML"),
        (b"a = 1\nb = \xff", 2, "is not UTF-8"),
        (b"\xef\xbb\xbfa = 1", 1, "byte order mark"),
    ],
)
def test_what_is_no_toml_is_told_with_its_line(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    """As for any file of ours."""
    (tmp_path / "s.toml").write_bytes(content)
    (fault,) = check(tmp_path / "s.toml")
    assert (fault.line, fault.slug) == (line, "mock-script")
    assert message in fault.message


def test_a_script_built_in_python_is_told_by_the_name_of_its_mock() -> None:
    """It has keys and no lines; the same rules hold."""
    script = Script().write("a", chunk=-1).answering(Script().exit(999))
    with pytest.raises(SpecError) as caught:
        script.compiled(shown="mock codex")
    assert [str(problem).partition(" [")[0] for problem in caught.value.problems] == [
        "mock codex: step: stands beside `call`",
        "mock codex: call[0].end.exit: is not 0 to 255: 999",
    ]


def test_a_value_that_is_no_json_is_refused() -> None:
    """Python has values that TOML has not."""
    for value in ({1, 2}, float("nan"), {"a": object()}):
        with pytest.raises(SpecError, match=r"step\[0\]\.json: is no JSON"):
            Script().json(value).compiled()
        with pytest.raises(SpecError, match=r"step\[0\]\.expect\.json: is no JSON"):
            Script().expect(json=value).compiled()


def test_a_sound_script_has_no_faults(tmp_path: Path) -> None:
    """Conditions, expectations, and a stream closed at its last use."""
    text = """
subcommand = "exec"
argv = ["exec", "**"]
[[step]]
expect = { line = "a*" }
[[step]]
expect = { all = "*" }
[[step]]
expect = { end = true }
[[step]]
text = "x"
newline = "with"
cut_at = [1]
[[step]]
close = "stdout"
[[step]]
text = "y"
to = "stderr"
[[step]]
text = "z"
path = "out"
newline = "separate"
"""
    assert faults(tmp_path, text) == []


@pytest.mark.parametrize(
    "source",
    [
        "from elsewhere import answer\n",
        "answer = print\n",
        "if True:\n    x = 1\n    def answer(call): pass\n",
        "class answer: pass\n",
    ],
)
def test_a_function_may_come_to_its_name_in_any_way(tmp_path: Path, source: str) -> None:
    """Only what surely is not there is refused."""
    (tmp_path / "p.py").write_text(source)
    assert faults(tmp_path, 'program = "p.py:answer"') == []
