"""Owns the tests of matchers: what each key accepts and, first, what it does not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mutkit.model.matcher import UNSET, Matcher, MatcherLike, is_json_subset, is_same_json, matches

DIGEST = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

LONG = "error line column " * 20000

NO_MATCH: list[tuple[MatcherLike | bytes, Any]] = [
    ("Completed", "Completed."),
    ("*error*line*column*end", LONG),
    ("*a*a*b", "a" * 100000),
    ("a*a", "a"),
    ("ab*bc", "abc"),
    (Matcher(glob="*[ab]?"), "xa"),
    ("Completed", "completed"),
    ("Completed", None),
    ("*ab*", "ba"),
    ("a?c", "abc"),
    ("[ab]", "a"),
    ("", " "),
    (1, True),
    (True, 1),
    (1, "1"),
    (None, ""),
    (None, False),
    ([1, 2], [1]),
    ([1], [True]),
    (Matcher(equal="*"), "x"),
    (Matcher(glob="a?c"), "ac"),
    (Matcher(glob="[!a]"), "a"),
    (Matcher(glob="?"), "ab"),
    (Matcher(regex="^b"), "ab"),
    (Matcher(regex="a.b"), "a\nb"),
    (Matcher(contains="x"), "abc"),
    (Matcher(length=1), "é"),
    (Matcher(sha256=DIGEST), "hellO"),
    (Matcher(blank=True), " x "),
    (Matcher(blank=False), "\n\t "),
    (Matcher(blank=True), "\u200b"),
    (Matcher(json={"a": 1}), '{"a": 2}'),
    (Matcher(json={"a": 1}), "not json"),
    (Matcher(json={"a": [1]}), {"a": [1, 2]}),
    (Matcher(json=None), "0"),
    (Matcher(contains="a", length=2), "abc"),
]
MATCH: list[tuple[MatcherLike | bytes, Any]] = [
    ("Completed", "Completed"),
    ("Completed", b"Completed"),
    (b"\xff", b"\xff"),
    ("*no message*", "there was\nno message\n"),
    ("a*", "a"),
    ("[ab]*", "[ab] literal"),
    ("naïve*", "naïve €"),
    ("*", ""),
    ("*error*line*end", LONG + "end"),
    ("a*a", "aa"),
    ("ab*bc", "abbc"),
    ("*b*", "abc"),
    (Matcher(glob="*[ab]?"), "xaac"),
    (Matcher(glob="?*[!a]"), "ab"),
    (1, 1.0),
    (None, None),
    ([1, "a"], [1, "a"]),
    (Matcher(equal="*"), "*"),
    (Matcher(equal=None), None),
    (Matcher(glob="a?c"), "a€c"),
    (Matcher(glob="[!a]*"), "bcd"),
    (Matcher(glob="*.t[xy]t"), b"a.txt"),
    (Matcher(regex="(?s)a.b"), "xa\nbx"),
    (Matcher(contains="€"), "100 €".encode()),
    (Matcher(length=2), "é"),
    (Matcher(length=0), ""),
    (Matcher(sha256=DIGEST.upper()), "hello"),
    (Matcher(blank=True), " \n\u2003"),
    (Matcher(blank=False), "x"),
    (Matcher(json={"a": 1}), '{"a": 1, "b": 2}'),
    (Matcher(json={"a": {"b": None}}), {"a": {"b": None, "c": 1}, "d": 2}),
    (Matcher(json=[1]), "[1]"),
    (Matcher(contains="a", length=3), "abc"),
]


@pytest.mark.parametrize(("wanted", "given"), NO_MATCH, ids=map(repr, range(len(NO_MATCH))))
def test_does_not_match(wanted: MatcherLike | bytes, given: Any) -> None:
    """What a matcher must refuse."""
    assert not matches(wanted, given)


@pytest.mark.parametrize(("wanted", "given"), MATCH, ids=map(repr, range(len(MATCH))))
def test_matches(wanted: MatcherLike | bytes, given: Any) -> None:
    """What a matcher must accept."""
    assert matches(wanted, given)


def test_a_json_subset_is_not_symmetric() -> None:
    """More keys are allowed in what is given, not in what is wanted."""
    assert is_json_subset({"a": 1}, {"a": 1, "b": 2})
    assert not is_json_subset({"a": 1, "b": 2}, {"a": 1})


def test_equal_json_has_equal_keys_and_types_all_the_way_down() -> None:
    """Equality of JSON is stricter than Python's."""
    assert is_same_json({"a": [1, None]}, {"a": [1, None]})
    assert not is_same_json({"a": [1]}, {"a": [True]})
    assert not is_same_json({"a": 1}, {"a": 1, "b": 1})
    assert not is_same_json(0, None)


def test_what_is_not_given_is_not_given_in_a_copy_either() -> None:
    """Readers of files copy defaults; the mark is looked for by identity."""
    assert copy.deepcopy({"json": UNSET})["json"] is UNSET
