"""What a mock expects of its standard input, and how it fails where that does not come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mutkit.hermetic import Script
from tests.mock_driving import call, last

if TYPE_CHECKING:
    from mutkit.hermetic import MockCommands

_JSON = {"id": 1, "params": {"a": [1, {"b": "é"}]}}


@pytest.mark.parametrize(
    ("wanted", "given", "complaint"),
    [
        ({"line": "hello *"}, b"hello you\n", ""),
        ({"line": "hello *"}, b"hello you", ""),
        ({"line": "hello"}, b"hello you\n", "expected: the line 'hello'\n  got:      'hello you\\n'"),
        ({"line": "hello"}, b"hello\r\n", "got:      'hello\\r\\n'"),
        ({"line": "hello"}, b"", "got:      the end of input"),
        ({"line": "h.l+o", "regex": True}, b"hello\n", ""),
        ({"line": "h.l", "regex": True}, b"hello\n", "expected: the line like 'h.l'"),
        ({"all": "a*z"}, b"a\n\nz", ""),
        ({"all": "a*z"}, b"a\nz\n", "expected: 'a*z'"),
        ({"all": "(?s)a.+z", "regex": True}, b"a\nz", ""),
        ({"all": "a.+z", "regex": True}, b"a\nz", "expected: like 'a.+z'"),
        ({"end": True}, b"", ""),
        ({"end": True}, b"more", "expected: the end of input\n  got:      'more'"),
        ({"json": _JSON}, '{"x":0,"id":1,"params":{"y":2,"a":[1,{"b":"é","c":3}]}}\n'.encode(), ""),
        ({"json": _JSON}, b'{"id":true,"params":{}}\n', "at /id: expected 1, got True"),
        ({"json": _JSON}, b'{"id":1,"params":{"a":[1]}}\n', "at /params/a: expected [1, {'b': 'é'}], got [1]"),
        ({"json": _JSON}, b'{"id":1}\n', "at /params: nothing is there"),
        ({"json": _JSON}, b'{"id":1\n', "it is no JSON"),
        ({"json": _JSON}, b"", "got:      the end of input"),
    ],
)
def test_input_is_what_a_step_expects_or_the_mock_fails_at_once(
    mock: MockCommands, wanted: dict[str, Any], given: bytes, complaint: str
) -> None:
    """Exit 97, nothing of the steps behind it, what was expected and what came on standard error and in the record."""
    done = call(mock, Script().write("1").expect(**wanted).write("2").exit(3), stdin=given)
    if complaint:
        assert (done.returncode, done.stdout, last(mock).ended) == (97, b"1", "unexpected")
        assert done.stderr.decode().startswith("mock codex: unexpected input at step[1]\n")
        assert complaint in done.stderr.decode()
        assert complaint in last(mock).unexpected
    else:
        assert (done.returncode, done.stdout, done.stderr) == (3, b"12", b"")


def test_what_a_step_expects_is_taken_and_the_next_goes_on_behind_it(mock: MockCommands) -> None:
    """Lines, then JSON, then the rest: a dialogue in one script."""
    script = Script().expect(line="one").expect(json={"n": 2}).expect(all="three\n*").expect(end=True)
    assert call(mock, script, stdin=b'one\n{"n":2}\nthree\nfour\n').returncode == 0


def test_an_answer_chosen_by_its_input_reads_it_again_in_its_steps(mock: MockCommands) -> None:
    """It is read once, recorded once, and there for the steps."""
    script = (
        Script()
        .answering(Script().on_stdin("*stop*").write("stopped"))
        .answering(Script().on_stdin("go*").expect(line="go on").expect(all="now").write("gone"))
    )
    assert call(mock, script, stdin=b"go on\nnow").stdout == b"gone"
    assert (last(mock).stdin, last(mock).stdin_ended, last(mock).answer) == (b"go on\nnow", True, 1)
    assert call(mock, script, stdin=b"please stop").stdout == b"stopped"
    refused = call(mock, script, stdin=b"what")
    assert refused.returncode == 97
    assert b"stdin: expected '*stop*', got 'what'" in refused.stderr
