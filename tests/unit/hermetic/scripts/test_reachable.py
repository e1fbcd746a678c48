"""Owns the tests that an answer which no call can get is refused, and that no other is."""

from __future__ import annotations

import itertools
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutkit.errors import SpecError
from mutkit.hermetic import Script
from mutkit.hermetic.child.matching import plain_words
from mutkit.hermetic.child.words import word_matches, words_match
from mutkit.hermetic.scripts import languages
from mutkit.hermetic.scripts.languages import is_covered, is_disjoint, text_glob, words_glob
from mutkit.hermetic.scripts.reachable import contradiction, takers
from mutkit.model.mock import Answer

WORDS = ["", "a", "b", "ab", "-a", "z", "zb", "az", "zaz", "*", "--"]
LISTS = [[], *([one] for one in WORDS), *map(list, itertools.product(WORDS, repeat=2))]
LONGER = [*LISTS, *map(list, itertools.product(["a", "b", "ab", "z", "--"], repeat=3))]
PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "**", "a*", "*b", "*a*", "", "***"]), max_size=3)


@cache
def _fitting(pattern: tuple[str, ...]) -> frozenset[int]:
    """Return which of the word lists the child itself takes for the pattern."""
    wanted = [word.encode() for word in pattern]
    return frozenset(at for at, words in enumerate(LONGER) if words_match(wanted, [word.encode() for word in words]))


def _glob(pattern: list[str]) -> tuple[int, ...]:
    return words_glob([word.encode() for word in pattern])


@given(PATTERNS, st.lists(PATTERNS, min_size=1, max_size=3))
@settings(max_examples=400, deadline=None)
def test_what_is_said_to_be_covered_is_so_for_every_word_list(wanted: list[str], by: list[list[str]]) -> None:
    """Never a false refusal: the child would give a call to the later answer in no case."""
    fitted = frozenset().union(*(_fitting(tuple(one)) for one in by))
    if is_covered(_glob(wanted), [_glob(one) for one in by]):
        assert _fitting(tuple(wanted)) <= fitted
    elif len(wanted) < 3 and all(len(one) < 3 for one in by):
        assert not _fitting(tuple(wanted)) <= fitted, "a call is left over, and nobody can say which"


@given(PATTERNS, PATTERNS)
@settings(max_examples=300, deadline=None)
def test_what_is_said_to_be_disjoint_is_so_for_every_word_list(one: list[str], other: list[str]) -> None:
    """A contradiction is told only where there is one, and mostly found."""
    both = _fitting(tuple(one)) & _fitting(tuple(other))
    if is_disjoint(_glob(one), _glob(other)):
        assert not both
    elif len(one) < 3 and len(other) < 3:
        assert both


TEXTS = ["".join(one) for size in range(5) for one in itertools.product("ab\0", repeat=size)]


@given(st.text("ab*\0", max_size=4), st.text("ab*\0", max_size=4))
@settings(max_examples=300, deadline=None)
def test_text_is_compared_as_the_child_compares_it(wanted: str, by: str) -> None:
    """Standard input and variables: a star is any run of bytes, NUL too."""
    covered = all(
        word_matches(by.encode(), one.encode()) for one in TEXTS if word_matches(wanted.encode(), one.encode())
    )
    assert is_covered(text_glob(wanted.encode()), [text_glob(by.encode())]) <= covered


@st.composite
def _answers(draw: st.DrawFn) -> Answer:
    keys: dict[str, Any] = {
        "argv": st.none() | PATTERNS.map(tuple),
        "argv_exact": st.none() | st.lists(st.sampled_from(WORDS), max_size=2).map(tuple),
        "argv_regex": st.sampled_from([None, None, None, "a.*"]),
        "subcommand": st.sampled_from([None, None, "a", "a b"]),
        "nth": st.sampled_from([0, 0, 1, 2]),
        "env": st.sampled_from([{}, {}, {"A": "a"}, {"A": "*"}, {"A": ""}]),
        "stdin": st.sampled_from([None, None, "a", "*", "a*"]),
    }
    return Answer(**{name: draw(one) for name, one in keys.items()})


def _fits(answer: Answer, words: list[str], number: int, variable: str | None, stdin: str) -> bool:
    given_words = [word.encode() for word in words]
    sub = [] if answer.subcommand is None else answer.subcommand.split()
    return (
        (answer.argv is None or words_match([word.encode() for word in answer.argv], given_words))
        and (answer.argv_exact is None or list(answer.argv_exact) == words)
        and (answer.argv_regex is None or bool(re.fullmatch(answer.argv_regex, " ".join(words))))
        and plain_words(given_words)[: len(sub)] == [word.encode() for word in sub]
        and answer.nth in (0, number)
        and ("A" not in answer.env or word_matches(answer.env["A"].encode(), (variable or "").encode()))
        and (answer.stdin is None or word_matches(answer.stdin.encode(), stdin.encode()))
    )


MORE = [["--", "a", "b"], ["-a", "a", "b"], ["a", "-a", "b"], ["a", "--", "b"]]
CALLS = list(itertools.product([*LISTS[:40:2], *MORE], (1, 2, 3), (None, "", "a", "b"), ("", "a", "ab")))


@given(st.lists(_answers(), min_size=1, max_size=3), _answers())
@settings(max_examples=100, deadline=None)
def test_no_call_that_would_get_an_answer_is_overlooked(earlier: list[Answer], answer: Answer) -> None:
    """With all conditions at once: whoever is told that the answer is dead cannot show a call that it gets."""
    if contradiction(answer):
        assert not any(_fits(answer, *call) for call in CALLS)
    elif taken := takers(earlier, answer):
        left = [call for call in CALLS if _fits(answer, *call) and not any(_fits(earlier[at], *call) for at in taken)]
        assert left == []


def _refused(*answers: Script) -> list[str]:
    script = Script()
    for answer in answers:
        script = script.answering(answer)
    try:
        script.compiled()
    except SpecError as error:
        return [f"{problem.key}: {problem.message}" for problem in error.problems]
    return []


ONE = Script()


@pytest.mark.parametrize(
    ("answers", "who"),
    [
        ([ONE, ONE.expecting("a")], "call[0] answers"),
        ([ONE.expecting("**"), ONE.expecting("a", "*")], "call[0] answers"),
        ([ONE.expecting("exec", "**"), ONE.expecting("exec", "--json", "*")], "call[0] answers"),
        ([ONE.expecting("**", "x*"), ONE.expecting("a", "**", "xy")], "call[0] answers"),
        ([ONE.expecting_exactly("a"), ONE.expecting("a")], "call[0] answers"),
        ([ONE.on_subcommand("exec"), ONE.on_subcommand("exec resume")], "call[0] answers"),
        ([ONE.on_subcommand("exec"), ONE.expecting("-q", "exec", "--json")], "call[0] answers"),
        ([ONE.on_subcommand("exec"), ONE.expecting("--", "exec", "**")], "call[0] answers"),
        ([ONE.on_env("A", "*"), ONE.expecting("a")], "call[0] answers"),
        ([ONE.expecting_regex("a+"), ONE.expecting_regex("a+").on_call(2)], "call[0] answers"),
        ([ONE.on_call(1), ONE.on_call(1).expecting("a")], "call[0] answers"),
        ([ONE.on_env("A", "x*"), ONE.on_env("A", "xy").on_env("B", "1")], "call[0] answers"),
        ([ONE.on_stdin("*"), ONE.on_stdin("question")], "call[0] answers"),
        ([ONE.expecting(), ONE.expecting("a", "b"), ONE.expecting("*", "**"), ONE], "call[0] and call[2] answer"),
    ],
)
def test_an_answer_that_others_take_everything_from_is_refused(answers: list[Script], who: str) -> None:
    """The message has its key and who takes its calls."""
    assert _refused(*answers) == [f"call[{len(answers) - 1}]: can never be reached: {who} every such call"]


@pytest.mark.parametrize(
    "answers",
    [
        [ONE.on_call(1), ONE],
        [ONE.expecting("a", "**"), ONE],
        [ONE.expecting("exec", "*"), ONE.expecting("exec", "**")],
        [ONE.on_env("A", "1"), ONE],
        [ONE.on_env("A", "a*"), ONE.on_env("A", "")],
        [ONE.on_stdin("a"), ONE.on_stdin("*")],
        [ONE.expecting_regex("a.*"), ONE.expecting("a", "b")],
        [ONE.expecting_exactly("*"), ONE.expecting("*")],
        [ONE.on_subcommand("exec resume"), ONE.on_subcommand("exec")],
        [ONE.expecting("exec", "**"), ONE.on_subcommand("exec")],
        [ONE.on_subcommand("exec"), ONE.expecting("*", "exec")],
        [ONE.on_subcommand("exec"), ONE.expecting("--", "-x", "exec")],
        [ONE.expecting(), ONE.expecting("*"), ONE.expecting("*", "*"), ONE],
        [ONE.expecting(), ONE.expecting("*", "**").expecting_regex("q"), ONE],
        [ONE.on_call(1).expecting("a"), ONE.on_call(2).expecting("a")],
    ],
)
def test_an_answer_that_is_left_a_call_is_none_of_them(answers: list[Script]) -> None:
    """The special case before the general one is how such scripts are written."""
    assert _refused(*answers) == []


def test_conditions_that_exclude_one_another_are_refused() -> None:
    """Alone or in a list, with both keys."""
    with pytest.raises(SpecError, match="script: argv_exact: can never be: no words fit `argv` too"):
        Script().expecting("a", "**").expecting_exactly("b").compiled()
    assert _refused(ONE, ONE.expecting("exec").on_subcommand("exec resume"))[0].startswith("call[1].subcommand: can")


def test_what_takes_too_long_to_be_sure_of_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not certain is no fault, and the check ends."""
    wanted, by = _glob(["a", "*b*"]), [_glob(["**", "*b"]), _glob(["a", "*"])]
    assert is_covered(wanted, by)
    assert is_disjoint(wanted, _glob(["a", "c"]))
    monkeypatch.setattr(languages, "LIMIT", 1)
    assert not is_covered(wanted, by)
    assert not is_disjoint(wanted, _glob(["a", "c"]))
