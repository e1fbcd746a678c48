"""What a pattern does not match, and what it matches however it is laid out."""

from __future__ import annotations

import sys

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python.rewriter import PythonRewriter

NO_MATCH = {
    "another operator": ("a + $X", "a - b"),
    "another comparison": ("a is None", "a is not None"),
    "another order": ("a < b", "b > a"),
    "another boolean operator": ("a and b", "a or b"),
    "another augmented operator": ("a += 1", "a -= 1"),
    "an else": ("if a:\n    b()", "if a:\n    b()\nelse:\n    c()"),
    "an elif": ("if a:\n    b()", "if a:\n    b()\nelif c:\n    d()"),
    "no else, though the pattern's is a run": ("if a:\n    b()\nelse:\n    $$$X", "if a:\n    b()"),
    "an elif, though the pattern's else is a run": (
        "if a:\n    b()\nelse:\n    $$$X",
        "if a:\n    b()\nelif c:\n    d()",
    ),
    "a for with an else": ("for a in b:\n    c()", "for a in b:\n    c()\nelse:\n    d()"),
    "a try with a finally": (
        "try:\n    a()\nexcept B:\n    c()",
        "try:\n    a()\nexcept B:\n    c()\nfinally:\n    d()",
    ),
    "one more statement in a body": ("if a:\n    b()", "if a:\n    b()\n    c()"),
    "statements that are not adjacent": ("a = 1\nb = 2", "a = 1\nc = 3\nb = 2"),
    "a cause": ("raise E()", "def f():\n    raise E() from e"),
    "a decorator": ("def f():\n    pass", "@d\ndef f():\n    pass"),
    "an async function": ("def f():\n    pass", "async def f():\n    pass"),
    "an async loop": ("for a in b:\n    c()", "async def f():\n    async for a in b:\n        c()"),
    "an async comprehension": ("[a for a in b]", "async def f():\n    return [a async for a in b]"),
    "an annotation": ("def f(a):\n    pass", "def f(a: int):\n    pass"),
    "a return annotation": ("def f():\n    pass", "def f() -> int:\n    pass"),
    "an annotated assignment": ("a = 1", "a: int = 1"),
    "a default": ("def f(a):\n    pass", "def f(a=1):\n    pass"),
    "a keyword-only parameter": ("def f(a):\n    pass", "def f(*, a):\n    pass"),
    "a positional-only parameter": ("def f(a):\n    pass", "def f(a, /):\n    pass"),
    "one more argument": ("f($X)", "f(a, b)"),
    "no argument": ("f($X)", "f()"),
    "a keyword argument": ("f($X)", "f(a=b)"),
    "a starred argument": ("f($X)", "f(*a)"),
    "another keyword": ("f(a=$X)", "f(b=c)"),
    "another string": ("f('a')", "f('b')"),
    "bytes for a string": ("f('a')", "f(b'a')"),
    "a string of another spelling with another value": ("f('\\\\n')", "f('\\n')"),
    "a literal dollar in a string": ("f('$X')", "f('a')"),
    "another text in an f-string": ("f'a{$X}'", "g = f'b{c}'"),
    "another conversion in an f-string": ("f'{$X}'", "g = f'{c!r}'"),
    "an f-string that shows its code": ("f'{a}'", "g = f'{a=}'"),
    "an f-string that shows its code with blanks": ("f'{a=}'", "g = f'{a = }'"),
    "another number": ("f(1)", "f(2)"),
    "a float for an integer": ("f(1)", "f(1.0)"),
    "True for 1": ("f(1)", "f(True)"),
    "two different things for one metavariable": ("$X == $X", "a == b"),
    "two different runs for one metavariable": ("f($$$X) + g($$$X)", "f(a) + g(b)"),
    "an attribute that has the pattern's name": ("a", "b.a"),
    "a keyword that has the pattern's name": ("a", "f(a=b)"),
    "a parameter that has the pattern's name": ("a", "def f(a):\n    pass"),
    "an imported name": ("a", "import a"),
    "the name of a caught exception": ("a", "try:\n    b()\nexcept C as a:\n    pass"),
    "half of a concatenated string": ("'a'", "b = 'a' 'b'"),
    "more relative dots in an import": ("from . import a", "from .. import a"),
    "an import under another name": ("import a", "import a as b"),
    "a tuple as an index": ("a[1]", "a[1,]"),
    "a step in a slice": ("a[1:2]", "a[1:2:3]"),
    "yield from": ("yield a", "def f():\n    yield from a"),
    "a return of nothing": ("return $X", "def f():\n    return"),
    "a compound statement for an expression": ("if a:\n    $X", "if a:\n    while b:\n        c()"),
    "a guard": ("match a:\n    case b:\n        c()", "match a:\n    case b if d:\n        c()"),
    "a commented-out line": ("a()", "# a()"),
    "a string that holds the code": ("a()", "'a()'"),
}
"""Name: (find, source)."""

MATCH = {
    "white space": ("f(a,b)", "f( a ,  b )"),
    "several lines": ("f(a, b)", "f(\n    a,  # first\n    b,\n)"),
    "a trailing comma": ("f(a)", "f(a,)"),
    "parentheses around": ("a + b", "c = (a + b)"),
    "parentheses inside": ("not a and b", "c = (not (a)) and (b)"),
    "parentheses in the pattern": ("(a or b) and c", "(a or (b)) and c"),
    "other quotes": ("f('a')", 'f("""a""")'),
    "another prefix case": ("f(b'a')", 'f(B"a")'),
    "another spelling of a string": ("f('\\n')", 'f("\\x0a")'),
    "another spelling of a number": ("f(1000)", "f(1_000)"),
    "quotes of an f-string": ("f'a{b}'", 'x = F"a{ b }"'),
    "quotes at the ends of an f-string's text": ('f"""{a}\'{b}\\""""', "x = f'''{a}\\'{b}\"'''"),
    "an escape in an f-string": ("f'\\t{b}'", 'x = f"\\x09{b}"'),
    "a metavariable in an f-string": ("f'{$X}: {$Y!r:>{$W}}'", "x = f'{a + 1}: {b!r:>{width}}'"),
    "a dollar in a string": ("f('$X')", "f('$X')"),
    "a dollar in the text of an f-string": ("f'$X{a}'", "x = f'$X{a}'"),
    "comments between statements": ("a()\nb()", "a()  # one\n\n# two\nb()"),
    "one line for two": ("a()\nb()", "a(); b()"),
    "two lines for one": ("a(); b()", "a()\nb()"),
    "a body on one line": ("if a:\n    b()", "if a: b()"),
    "another indentation": ("if a:\n    b()", "if a:\n\tb()"),
    "an indented pattern": ("    if a:\n        b()", "if a:\n    b()"),
    "else-if for elif": ("if a:\n    b()\nelif c:\n    d()", "if a:\n    b()\nelse:\n    if c:\n        d()"),
    "a metavariable twice": ("$X == $X", "a.b == (a .b)"),
    "anything twice": ("$_ == $_", "a == b"),
    "an attribute": ("a.$X(1)", "a.b(1)"),
    "a parameter": ("def f($X):\n    return $X", "def f(a):\n    return a"),
    "a keyword": ("f($X=1)", "f(a=1)"),
    "a function's name": ("def $F():\n    pass", "def f():\n    pass"),
    "a global": ("global $X", "def f():\n    global a"),
    "an empty run": ("f($$$A)", "f()"),
    "a run of arguments of all kinds": ("f($$$A)", "f(a, *b, c=d, **e)"),
    "a run between arguments": ("f(a, $$$A, z=$Z)", "f(a, b, c, z=1)"),
    "a run of elements": ("[$$$A, c]", "x = [a, b, c]"),
    "a run in a dict": ("{a: b, **$$$R}", "x = {a: b, c: d, **e}"),
    "a run of parameters": ("def f(self, $$$P):\n    pass", "def f(self, a, /, b=1, *c, d, **e):\n    pass"),
    "a run of statements": (
        "def f():\n    $$$B\n    return a",
        "def f():\n    b()\n    if c: d()\n    return a",
    ),
    "a run of names": ("from a import $$$N", "from a import (b, c as d)"),
    "a run of decorators": ("@$$$D\ndef f(): pass", "@a\n@b(c)\ndef f(): pass"),
    "a run of bases": ("class A($$$B): pass", "class A(B, metaclass=C): pass"),
    "a class without bases": ("class A: pass", "class A(): pass"),
    "with parentheses": ("with a as b, c:\n    pass", "with (a as b, c,):\n    pass"),
    "an index in parentheses": ("a[1, 2]", "a[(1, 2)]"),
    "a slice without a step": ("a[1:]", "a[1::]"),
    "await": ("await $X", "async def f():\n    await a.b()"),
    "a walrus": ("(a := $X)", "if (a := b()) is None: pass"),
    "yield": ("$X = yield $Y", "def f():\n    a = yield b"),
    "a lambda": ("lambda a: $X", "x = lambda a: a + 1"),
    "a comprehension": ("[$X for $X in $Y if $_]", "x = [a for a in b if a]"),
    "a case": ("match a:\n    case $X:\n        b()", "match a:\n    case [1, *_]:\n        b()"),
    "a case in brackets": (
        "match a:\n    case [b, c]:\n        d()",
        "match a:\n    case (b, c):\n        d()",
    ),
    "backslashes": ("a + b + c", "x = a + \\\n    b + c"),
    "an expression over several lines": ("a +\nb", "x = a + b"),
    "an expression with a comment": ("a + b  # sum", "x = a + b"),
    "a global statement": ("nonlocal a", "def f():\n    a = 1\n    def g():\n        nonlocal a"),
    "a decorator, in the scope around": ("d", "@d\ndef f(): pass"),
    "a default": ("def f(a=$X): $$$B", "def f(a=1):\n    b()\n    c()"),
    "a star import": ("from a import *", "from a import *"),
    "del": ("del a, b", "del (a, b)"),
    "assert": ("assert $X, $_", "assert a, 'b'"),
    "a chained comparison": ("$A < $B <= $C", "x = 0 < a.b <= 9"),
    "an ellipsis": ("...", "x = ..."),
}
"""Name: (find, source)."""


if sys.version_info >= (3, 11):
    NO_MATCH["an exception group"] = (
        "try:\n    a()\nexcept B:\n    c()",
        "try:\n    a()\nexcept* B:\n    c()",
    )
if sys.version_info >= (3, 12):
    NO_MATCH["a type parameter"] = ("def f(): pass", "def f[T](): pass")
    MATCH["a type parameter"] = ("def f[T](a: $T): pass", "def f[T](a: S): pass")
    MATCH["a type alias"] = ("type A = $B", "type A = b[int]")


def rewrite(find: str, source: str) -> str:
    """Return the source with the match replaced by ``mark``."""
    return PythonRewriter().rewrite(source.encode(), scope="", find=find, replace="mark").mutant.decode()


@pytest.mark.parametrize(("find", "source"), NO_MATCH.values(), ids=NO_MATCH)
def test_a_pattern_does_not_match_code_that_means_something_else(find: str, source: str) -> None:
    """Where the code differs by more than its layout, the rewrite stops and says that nothing matches."""
    with pytest.raises(AnchorError) as caught:
        rewrite(find, source + "\n")
    assert caught.value.slug == "anchor-missing"


@pytest.mark.parametrize(("find", "source"), MATCH.values(), ids=MATCH)
def test_a_pattern_matches_the_same_code_in_another_layout(find: str, source: str) -> None:
    """Where the code differs by its layout alone, it matches, and what matched is replaced."""
    assert "mark" in rewrite(find, source + "\n")


@pytest.mark.parametrize(("find", "source"), MATCH.values(), ids=MATCH)
def test_two_equal_places_never_pass_for_one(find: str, source: str) -> None:
    """Where a pattern matches twice, the rewrite stops and names both lines."""
    twice = f"if 1:\n{indented(source)}\nif 2:\n{indented(source)}\n"
    with pytest.raises(AnchorError) as caught:
        rewrite(find, twice)
    assert caught.value.slug == "anchor-ambiguous"
    first, second = caught.value.lines
    assert second - first == len(source.split("\n")) + 1


def indented(source: str) -> str:
    """Return ``source`` one level deeper; none of the examples has a string over several lines."""
    return "\n".join("    " + line for line in source.split("\n"))


def test_an_outer_and_an_inner_match_are_two() -> None:
    """Nested matches count one by one: which of them was meant is not for us to guess."""
    with pytest.raises(AnchorError) as caught:
        rewrite("f($X)", "f(f(a))\n")
    assert (caught.value.slug, caught.value.lines) == ("anchor-ambiguous", (1, 1))


def test_overlapping_runs_of_statements_are_two() -> None:
    """``a; a`` stands twice in ``a; a; a``."""
    with pytest.raises(AnchorError) as caught:
        rewrite("a()\na()", "a()\na()\na()\n")
    assert (caught.value.slug, caught.value.lines) == ("anchor-ambiguous", (1, 2))
