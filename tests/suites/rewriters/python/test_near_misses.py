"""What an author is told when a pattern matches nothing."""

from __future__ import annotations

import sys

import pytest

from mutkit.errors import AnchorError, NearMiss
from mutkit.rewriters.python.rewriter import PythonRewriter

WHY = {
    "an operator": ("a + b", "x = a - b", "operator is `-`, not `+`"),
    "a comparison": ("a is None", "x = a is not None", "operator is `is not`, not `is`"),
    "an else": ("if a:\n    b()", "if a:\n    b()\nelse:\n    c()", "has an `else`"),
    "an elif": ("if a:\n    b()", "if a:\n    b()\nelif c:\n    d()", "has an `elif`"),
    "no else": ("if a:\n    b()\nelse:\n    c()", "if a:\n    b()", "has no `else`"),
    "a finally": (
        "try:\n    a()\nexcept B:\n    c()",
        "try:\n    a()\nexcept B:\n    c()\nfinally:\n    d()",
        "has a `finally`",
    ),
    "a cause": ("raise E()", "raise E() from e", "has a `from`"),
    "async": ("def f(): pass", "async def f(): pass", "has an `async`"),
    "a return annotation": ("def f(): pass", "def f() -> int: pass", "has a return annotation"),
    "a decorator": ("def f(): pass", "@d\ndef f(): pass", "has 1 decorator more"),
    "more statements": ("if a:\n    b()", "if a:\n    b()\n    c()\n    d()", "has 2 statements more"),
    "fewer statements": ("if a:\n    b()\n    c()", "if a:\n    b()", "has 1 statement fewer"),
    "more arguments": ("f(a)", "f(a, b)", "has 1 argument more"),
    "another name": ("f(a)", "f(b)", "has `b`, not `a`"),
    "another string": ("f('a')", "f('b')", "has `'b'`, not `'a'`"),
    "another kind of expression": ("f(a.b)", "f(a[b])", "has `a[b]`, not `a.b`"),
    "another condition deep inside": (
        "if not a.b(c):\n    $$$_",
        "if not a.b(d):\n    e()",
        "has `d`, not `c`",
    ),
    "a metavariable that stands twice": (
        "$X == $X",
        "x = a == b",
        "has two different things where a metavariable stands twice",
    ),
    "a keyword": ("f(a)", "f(k=a)", "has a keyword"),
    "a string in several pieces": ("'ab'", "x = 'a' 'b'", "is the concatenated string 'a' 'b'"),
    "a piece of a string": ("'a'", "x = 'a' 'b'", "is a part of a concatenated string"),
    "a piece in the middle of a string": ("f'{b}'", "x = 'a' f'{b}' 'c'", "is a part of a concatenated string"),
    "an annotation": ("x = 1", "x: int = 1", "has an annotation"),
    "no annotation": ("x: int = 1", "x = 1", "has no annotation"),
    "an augmented assignment": ("x = 1", "x += 1", "is an augmented assignment"),
    "a plain assignment": ("x += 1", "x = 1", "is a plain assignment"),
    "an annotation, no augmented assignment": ("x += 1", "x: int = 1", "has an annotation"),
    "a float": ("1", "x = 1.0", "is the float 1.0"),
    "an integer": ("1.0", "x = (1)", "is the integer 1"),
    "a complex number": ("0", "x = 0j", "is the complex number 0j"),
    "a boolean": ("1", "x = True", "is the constant True"),
    "a number for a boolean": ("False", "x = 0", "is the integer 0"),
    "a float deep inside": ("f(x, 1)", "f(x, 1.0)", "is the float 1.0"),
    "a tuple": ("[a, b]", "x = (a, b)", "is a tuple"),
    "a list": ("{a, b}", "x = [a, b]", "is a list"),
    "a generator": ("[a for a in b]", "x = f(a for a in b)", "is a generator"),
    "an elif itself": ("if b:\n    x", "if a:\n    pass\nelif c:\n    y\nelif b:\n    x", "is an `elif`"),
    "a star": ("f(a)", "f(*a)", "has a `*`"),
    "no star": ("f(**a)", "f(a)", "has no `**`"),
    "another star": ("f(*a)", "f(**a)", "has `**`, not `*`"),
    "a metavariable in the reason": ("f($X + 1)", "f(g)", "has `g`, not `$X + 1`"),
}
"""Name: (find, source, why)."""


def misses(find: str, source: str, scope: str = "") -> tuple[NearMiss, ...]:
    """Return the near misses of a pattern that matches nothing."""
    with pytest.raises(AnchorError) as caught:
        PythonRewriter().rewrite((source + "\n").encode(), scope=scope, find=find, replace="mark")
    assert caught.value.slug == "anchor-missing"
    return caught.value.near


@pytest.mark.parametrize(("find", "source", "why"), WHY.values(), ids=WHY)
def test_the_nearest_miss_says_what_differs(find: str, source: str, why: str) -> None:
    """The one place of the same kind is named with the first thing that differs."""
    assert misses(find, source)[0].why == why


@pytest.mark.skipif(sys.version_info < (3, 11), reason="`except*` is new in Python 3.11")
def test_the_two_kinds_of_except_are_near_misses() -> None:
    """One star is easily overlooked, in the statement itself and in one around it."""
    plain, star = "try:\n    a\nexcept B:\n    c", "try:\n    a\nexcept* B:\n    c"
    assert [miss.why for miss in misses(plain, star)] == ["is except*"]
    assert [miss.why for miss in misses(star, plain)] == ["is except"]
    within = "if d:\n    " + star.replace("\n", "\n    ")
    assert [miss.why for miss in misses("if d:\n    " + plain.replace("\n", "\n    "), within)] == ["is except*"]


def test_kin_with_other_differences_come_after_those_with_none() -> None:
    """An assignment to the same target of the same value is nearer than one of another."""
    near = misses("x = 1", "y = 2\ny += 2\nx += 1\nx += 2")
    assert [(miss.line, miss.why) for miss in near] == [
        (3, "is an augmented assignment"),
        (1, "has `y`, not `x`"),
        (4, "is an augmented assignment"),
    ]


def test_near_misses_are_ranked_and_few() -> None:
    """The place with the fewest differences comes first; three are enough."""
    source = "a.x(1, 2)\na.y(1)\nb.z(3, 4, 5)\na.x(1, b=2)\nq(7)"
    near = misses("a.x(1)", source)
    assert [(miss.line, miss.code) for miss in near] == [(1, "a.x(1, 2)"), (2, "a.y(1)"), (4, "a.x(1, b=2)")]


def test_a_match_outside_of_the_scope_is_a_near_miss() -> None:
    """A pattern in the wrong scope is an author's usual mistake; what differs in one thing comes before."""
    source = "def f():\n    return a - 1, b * 2\n\ndef g():\n    return a + 1"
    assert [(miss.line, miss.why) for miss in misses("a + 1", source, "f")] == [
        (2, "operator is `-`, not `+`"),
        (5, "is outside of `f`"),
        (2, "has `b`, not `a`"),
    ]


def test_nothing_of_the_same_kind_gives_no_near_miss() -> None:
    """A list of unlike places would not help."""
    assert misses("while a:\n    b()", "x = 1") == ()


def test_the_message_names_the_nearest_miss() -> None:
    """Who reads only the message still learns where to look."""
    with pytest.raises(
        AnchorError, match=r"matches nothing in `f`; the nearest is line 2: operator is `-`, not `\+`\."
    ):
        PythonRewriter().rewrite(b"def f():\n    return a - 1\n", scope="f", find="a + 1", replace="a")
