"""Owns the tests of effects held against expectations: the kind must be right, then the content."""

from __future__ import annotations

import pytest

from mutkit.model.describe import describe_effect, describe_expectation, quoted
from mutkit.model.effect import (
    Crashes,
    Died,
    Effect,
    ErrorAnswer,
    Exits,
    Expectation,
    Finished,
    Hung,
    NothingSeen,
    RaisedException,
    Raises,
    Refused,
    Returned,
    same_effect,
    shows,
)
from mutkit.model.ending import Exited, Signalled

SEGV = Died(Signalled(11))
LEFT = Died(Exited(1), "AttributeError", "no strip")
EFFECTS: dict[str, Effect] = {
    "returned": Returned("x"),
    "refused": Refused(-32603, "x"),
    "raised": RaisedException("m.Error", "x"),
    "finished": Finished(0, b"x", b""),
    "died": LEFT,
    "signal": SEGV,
    "hung": Hung(1.0),
    "nothing": NothingSeen("nothing-recorded", "x"),
}
ANY: dict[str, Expectation] = {
    "returned": Expectation(returns="*"),
    "refused": Expectation(error=ErrorAnswer()),
    "raised": Expectation(raises="Error"),
    "finished": Expectation(exits=0),
    "died": Expectation(crashes=Crashes(exit=1)),
    "signal": Expectation(crashes="SIGSEGV"),
    "hung": Expectation(hangs=True),
}


@pytest.mark.parametrize("stated", list(ANY))
@pytest.mark.parametrize("seen", list(EFFECTS))
def test_an_effect_is_shown_only_where_its_own_kind_is_stated(stated: str, seen: str) -> None:
    """No kind passes for another one; nothing seen passes for none."""
    assert shows(ANY[stated], EFFECTS[seen]) == (stated == seen)


@pytest.mark.parametrize(
    ("expectation", "effect", "expected"),
    [
        (Expectation(error=ErrorAnswer(-32603, "*x*")), Refused(-32603, "axb"), True),
        (Expectation(error=ErrorAnswer(-32602)), Refused(-32603, "x"), False),
        (Expectation(error=ErrorAnswer(message="y")), Refused(-32603, "x"), False),
        (Expectation(raises=Raises("m.Error", "x")), RaisedException("m.Error", "x"), True),
        (Expectation(raises="n.Error"), RaisedException("m.Error", "x"), False),
        (Expectation(raises=Raises("Error", "y")), RaisedException("m.Error", "x"), False),
        (Expectation(exits=Exits(0, stdout="x", stderr="")), Finished(0, b"x", b""), True),
        (Expectation(exits=Exits(0, stdout="x", stderr="")), Finished(0, b"x", b"warning"), False),
        (Expectation(exits=1), Finished(0, b"", b""), False),
        (Expectation(crashes=Crashes(exit=1, exception="AttributeError", message="*strip")), LEFT, True),
        (Expectation(crashes=Crashes(exit=1, exception="TypeError")), LEFT, False),
        (Expectation(crashes=Crashes(exit=2)), LEFT, False),
        (Expectation(crashes=Crashes(exit=1)), SEGV, False),
        (Expectation(crashes="SIGABRT"), SEGV, False),
        (Expectation(returns=None), Returned(None), True),
        (Expectation(returns=None), Returned(""), False),
    ],
)
def test_the_content_counts_as_much_as_the_kind(expectation: Expectation, effect: Effect, *, expected: bool) -> None:
    """A crash of another kind, another code, another message are not what is stated."""
    assert shows(expectation, effect) is expected


def test_two_observations_are_the_same_by_kind_and_content() -> None:
    """Standard error of the dead and times of the hung differ from run to run and do not count."""
    assert same_effect(Hung(1.0), Hung(2.0))
    assert same_effect(Died(Exited(1), "E", "m", b"pid 1"), Died(Exited(1), "E", "m", b"pid 2"))
    assert not same_effect(Died(Exited(1), "E", "m"), Died(Exited(1), "F", "m"))
    assert not same_effect(Returned("1"), Returned(1))
    assert not same_effect(NothingSeen("a", "b"), NothingSeen("a", "b"))


@pytest.mark.parametrize("name", list(EFFECTS))
def test_every_effect_has_a_sentence(name: str) -> None:
    """What a person reads names the kind and the content."""
    assert describe_effect(EFFECTS[name]) != "was not looked at"
    assert describe_effect(None) == "was not looked at"


@pytest.mark.parametrize("name", list(ANY))
def test_every_expectation_has_a_sentence(name: str) -> None:
    """What is modelled is said in words."""
    assert len(describe_expectation(ANY[name]).split()) >= 1


def test_long_values_are_cut_with_head_tail_and_length_in_bytes() -> None:
    """A value of a megabyte shows both ends and how long it is."""
    shown = quoted("é" * 1000)
    assert shown.startswith('"é')
    assert shown.endswith('é" (2,000 bytes)')
    assert len(shown) < 400


def test_control_characters_and_bytes_that_are_no_text_are_shown_honestly() -> None:
    """Nothing that is printed can move the cursor or hide, and a byte is told from a text that looks like it."""
    assert quoted("a\x1b[31m\n") == '"a\\u001b[31m\\n"'
    assert quoted(b"\xff\x00") == '"\\xff\\u0000"'
    assert quoted(rb"\xff\n") == r'"\\xff\\n"'
    assert quoted("a\u2028b\u202ec\U000e0001\udcff") == r'"a\u2028b\u202ec\U000e0001\udcff"'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r'{"text":"say \"hi\""}', r"""'{"text":"say \"hi\""}'"""),
        ('{"a":1}\n{"b":2}\n', r"""'{"a":1}\n{"b":2}\n'"""),
        ('the last: "it\'s" ', '`the last: "it\'s" `'),
        ("all of \"'`", '"all of \\"\'`"'),
        ("plain", '"plain"'),
        ("C:\\new\\", r'"C:\\new\\"'),
    ],
)
def test_text_that_holds_quotes_is_shown_as_it_is_between_others(text: str, shown: str) -> None:
    """JSON within a text is read as the program wrote it: its quotes and backslashes are not escaped once more."""
    assert quoted(text) == shown


def test_different_texts_are_shown_differently() -> None:
    """What is shown can be read back, whatever stands beside a backslash."""
    pieces = ["\\", '"', "'", "`", "n", "\n", "x41", "u0041", "A", "\x1b"]
    texts = {a + b + c + d for a in pieces for b in pieces for c in pieces for d in pieces}
    assert len({quoted(text) for text in texts}) == len(texts)
