"""Metavariables in the text of patterns."""

from __future__ import annotations

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python.metavariables import Metavariable, readable, show

FOUND = {
    "f($X)": ["$X"],
    "f($X, $$$REST)": ["$X", "$$$REST"],
    "$_ + $$$_": ["$_", "$$$_"],
    "$A1 + $A_B": ["$A1", "$A_B"],
    "'$X' + \"$X\"": [],
    "'''$X\n$X''' + $Y": ["$Y"],
    "'\\'$X' + $Y": ["$Y"],
    "r'\\' + $Y": [],
    "rb'$X' + b'$X'": [],
    "a  # $X\n$Y": ["$Y"],
    "'#' + $Y": ["$Y"],
    "f'$X{$Y}$Z'": ["$Y"],
    "f'{{$X}}{$Y}'": ["$Y"],
    "f'{$X!r:>{$Y}$Z}'": ["$X", "$Y"],
    "f'{$X[\"$Y\"]:$Z}'": ["$X"],
    "f'{$X != $Y}'": ["$X", "$Y"],
    "rf'''{$X}\n$Y'''": ["$X"],
    'F"{f($X, {1: $Y})}" + $Z': ["$X", "$Y", "$Z"],
    "f'{$X:{$Y}}' '$Z'": ["$X", "$Y"],
}


@pytest.mark.parametrize(("pattern", "names"), FOUND.items())
def test_a_dollar_is_a_metavariable_in_code_alone(pattern: str, names: list[str]) -> None:
    """In plain strings, comments and the text of f-strings it is a dollar."""
    assert [str(each) for each in readable(pattern, "pattern-syntax").found] == names


@pytest.mark.parametrize("pattern", FOUND)
def test_nothing_but_the_metavariables_changes(pattern: str) -> None:
    """Spelled as in patterns again, the readable text is the pattern."""
    assert show(readable(pattern, "pattern-syntax").text) == pattern


@pytest.mark.parametrize("pattern", ["$x", "$Xy", "$1", "a$X", "$X$Y", "$$X", "$$$$X", "$", "f'{$x}'", "$_X", "_$X"])
def test_a_dollar_that_begins_no_metavariable_is_refused(pattern: str) -> None:
    """A misspelled metavariable must not become a part of another name."""
    with pytest.raises(AnchorError, match=r"line 1, column \d+: .* is no metavariable") as caught:
        readable(pattern, "replace-syntax")
    assert caught.value.slug == "replace-syntax"


def test_offsets_lead_back_into_the_pattern() -> None:
    """What the parser says of the readable text is told as a place in the pattern."""
    read = readable("f($X, $$$REST) +", "pattern-syntax")
    assert read.original(len(read.text)) == len("f($X, $$$REST) +")
    assert read.original(read.text.index(",")) == len("f($X")
    assert read.found == [Metavariable("X", run=False), Metavariable("REST", run=True)]
