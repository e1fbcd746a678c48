"""Runs that move to a sequence of another kind: converted where that has a meaning, refused in words where not."""

from __future__ import annotations

import io
import tokenize

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python.rewriter import PythonRewriter

FROM = {
    "arguments": ("f(a, *b)", "f($$$A)", "a * b"),
    "keywords": ("f(a=1, **b)", "f($$$A)", "a = 1 ** b"),
    "no arguments": ("f()", "f($$$A)", ""),
    "a generator": ("f(a for b in c)", "f($$$A)", "a for b in c"),
    "a walrus": ("f(a := b)", "f($$$A)", "a := b"),
    "bases": ("class f(a, *b, c=d): pass", "class f($$$A): pass", "a * b c = d"),
    "elements": ("[a, *b]", "[$$$A]", "a * b"),
    "elements of a tuple": ("(a, b)", "($$$A, b)", "a"),
    "no elements": ("[]", "[$$$A]", ""),
    "items of a dict": ("{a: b, **c}", "{a: b, **$$$A}", "** c"),
    "pairs of a dict": ("{a: b, c: d}", "{a: b, **$$$A}", "c : d"),
    "parameters": ("def f(a, /, b=1, *c, d, **e): pass", "def f($$$A): pass", "a / b = 1 * c d ** e"),
    "a lone star": ("def f(a, *, b): pass", "def f($$$A, b): pass", "a *"),
    "statements": ("if a:\n    b(); c = 1\n    if d: e()", "if a:\n    $$$A", "b ( ) c = 1 if d : e ( )"),
    "imported names": ("from f import a, b as c", "from f import $$$A", "a b as c"),
    "declared names": ("global a, b", "global $$$A", "a b"),
    "managers": ("with a as b, c: pass", "with $$$A: pass", "a as b c"),
    "an index": ("f[a, b:c]", "f[$$$A]", "a b : c"),
    "decorators": ("@a\n@b.c\ndef f(): pass", "@$$$A\ndef f(): pass", "@ a @ b . c"),
    "case patterns": ("match f:\n    case [a, *b]: pass", "match f:\n    case [$$$A]: pass", "a * b"),
}
"""What there is a run of: (source, find, the tokens of the run without its commas)."""

INTO = [
    *("$$$A", "if x:\n    $$$A", "if x: $$$A", "g($$$A)", "g($$$A,)", "g($$$A, x)", "g(x, $$$A)", "g(x=y, *$$$A)"),
    *("[$$$A]", "[x, $$$A]", "($$$A,)", "x = $$$A, y", "del $$$A, x", "{$$$A}", "{**$$$A}", "{x: y, **$$$A}"),
    *("class g($$$A): pass", "class g($$$A, metaclass=x): pass", "lambda $$$A: x", "lambda x, $$$A: x"),
    *("def g($$$A): pass", "def g($$$A, x): pass", "def g($$$A, *x): pass", "def g($$$A, /, x): pass"),
    *(
        "def g(*, $$$A): pass",
        "def g($$$A, **x): pass",
        "x[$$$A]",
        "x[$$$A, y:z]",
        "with $$$A: pass",
        "with x, $$$A: pass",
    ),
    *(
        "from x import $$$A",
        "import $$$A",
        "global $$$A",
        "global x, $$$A",
        "@$$$A\ndef g(): pass",
        "@x\n@$$$A\nclass g: pass",
    ),
    *("match x:\n    case [$$$A]: pass", "match x:\n    case g($$$A): pass", "match x:\n    case [$$$A, y]: pass"),
]

RIGHT = {
    "arguments into a list": ("x = f(a, *b)", "f($$$A)", "[$$$A]", "x = [a, *b]"),
    "arguments into a tuple": ("x = f(a)", "f($$$A)", "($$$A,)", "x = (a,)"),
    "no arguments into a list": ("x = f()", "f($$$A)", "[$$$A]", "x = []"),
    "arguments into a longer set": ("x = f(a, *b)", "f($$$A)", "{c, $$$A, d}", "x = {c, a, *b, d}"),
    "arguments into an index": ("x = f(a, b)", "f($$$A)", "c[$$$A]", "x = c[a, b]"),
    "elements into arguments": ("x = [a, *b]", "[$$$A]", "f($$$A, c=d)", "x = f(a, *b, c=d)"),
    "elements of a tuple into arguments": ("x = (a, b)", "($$$A,)", "f($$$A)", "x = (f(a, b))"),
    "a tuple of one into arguments": ("x = (a,)", "($$$A,)", "f($$$A)", "x = (f(a))"),
    "an index into arguments": ("x = a[b, c]", "a[$$$A]", "f($$$A)", "x = f(b, c)"),
    "elements into an index": ("x = [a, b]", "[$$$A]", "c[$$$A]", "x = c[a, b]"),
    "a generator into a list": ("x = f(a for a in b)", "f($$$A)", "[$$$A]", "x = [(a for a in b)]"),
    "a generator among arguments": ("x = f(a for a in b)", "f($$$A)", "f($$$A, c)", "x = f((a for a in b), c)"),
    "a generator alone": ("x = f(a for a in b)", "f($$$A)", "g($$$A)", "x = g(a for a in b)"),
    "comments": ("x = f(\n  a,  # one\n  b,\n)", "f($$$A)", "[$$$A]", "x = [a,  # one\n  b]"),
    "bases with a keyword": (
        "class A(B, metaclass=C): pass",
        "class A($$$B): pass",
        "class D($$$B): pass",
        "class D(B, metaclass=C): pass",
    ),
    "arguments into bases": ("f(a, b=c)", "f($$$A)", "class D($$$A): pass", "class D(a, b=c): pass"),
    "bases into arguments": ("class D(a, b=c): pass", "class D($$$A): pass", "f($$$A)", "f(a, b=c)"),
    "a whole body": (
        "def f():\n    a()\n    b()",
        "$$$A",
        "if c:\n    $$$A",
        "def f():\n    if c:\n        a()\n        b()",
    ),
}
"""Name: (before, find, replace, after)."""

WRONG = {
    "keywords": ("f(a=1)", "f($$$A)", "[$$$A]", "replace-syntax", "a run of arguments .*`a=1`.* among elements"),
    "a mapping": ("f(**a)", "f($$$A)", "[$$$A]", "replace-syntax", r"`\*\*a`.* among elements"),
    "a slice": ("a[b:c]", "a[$$$A]", "f($$$A)", "replace-syntax", "a run of indices .*`b:c`.* among arguments"),
    "alone": ("f(a)", "f($$$A)", "$$$A", "replace-syntax", "a run of arguments .*among statements"),
    "elements alone": ("x = [a]", "[$$$A]", "$$$A", "replace-syntax", "a run of elements .*among statements"),
    "parameters": (
        "def f(a): pass",
        "def f($$$A): pass",
        "def f($$$A): g($$$A)",
        "replace-syntax",
        "a run of parameters",
    ),
    "statements": ("if a:\n    b", "if a:\n    $$$B", "f($$$B)", "replace-syntax", "a run of statements .*arguments"),
    "an empty set": ("f()", "f($$$A)", "{$$$A}", "result-syntax", "at least one element"),
    "after keywords": ("f(a=1, b=2)", "f($$$A)", "g($$$A, b)", "result-syntax", "after keyword"),
    "two stars": ("def f(*a): pass", "def f($$$A): pass", "def f($$$A, *b): pass", "result-syntax", "order"),
    "after the last": ("def f(**a): pass", "def f($$$A): pass", "def f($$$A, b): pass", "result-syntax", "order"),
}
"""Name: (before, find, replace, slug, words of the message)."""


def rewrite(before: str, find: str, replace: str) -> str:
    """Return the rewritten file; ``before`` gets a final newline."""
    scope = "f" if find == "$$$A" else ""
    return PythonRewriter().rewrite((before + "\n").encode(), scope=scope, find=find, replace=replace).mutant.decode()


def outcome(before: str, find: str, replace: str) -> str | AnchorError:
    """Return the rewritten file, or why there is none."""
    try:
        return rewrite(before, find, replace)
    except AnchorError as error:
        return error


def tokens(code: str) -> str:
    """Return the tokens of code, layout and separators left out, as text."""
    left_out = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    found = tokenize.generate_tokens(io.StringIO(code).readline)
    return " ".join(each.string for each in found if each.type not in left_out and each.string not in {",", ";"})


@pytest.mark.parametrize(("source", "find", "run"), FROM.values(), ids=FROM)
def test_a_run_moves_whole_or_is_refused_wherever_it_is_put(source: str, find: str, run: str) -> None:
    """Into every kind of sequence: the run stands there, all of it and in its order, or an ``AnchorError`` says why."""
    results = [(replace, outcome(source, find, replace)) for replace in INTO]
    moved = [(replace, made) for replace, made in results if isinstance(made, str)]
    slugs = {made.slug for _, made in results if isinstance(made, AnchorError)}
    assert slugs <= {"replace-syntax", "result-syntax", "rewrite-no-effect"}
    assert moved
    assert [each for each in moved if run not in tokens(each[1]).replace("(a for b in c)", "a for b in c")] == []


@pytest.mark.parametrize(("before", "find", "replace", "after"), RIGHT.values(), ids=RIGHT)
def test_a_run_becomes_what_its_new_sequence_is_made_of(before: str, find: str, replace: str, after: str) -> None:
    """Arguments, elements and indices are values, and move between each other with their stars and comments."""
    assert rewrite(before, find, replace) == after + "\n"


@pytest.mark.parametrize(("before", "find", "replace", "slug", "words"), WRONG.values(), ids=WRONG)
def test_a_run_that_has_no_meaning_there_is_refused_in_words(
    before: str, find: str, replace: str, slug: str, words: str
) -> None:
    """The message says what the run is of, and among what it cannot stand."""
    with pytest.raises(AnchorError, match=words) as caught:
        rewrite(before, find, replace)
    assert caught.value.slug == slug
