"""What comes out: parentheses, indentation, runs, deletion. Each example is a whole file before and after."""

from __future__ import annotations

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python.rewriter import PythonRewriter

EXPRESSIONS = {
    "no parentheses where none are needed": ("x = f(a + b)", "f($X)", "g($X)", "x = g(a + b)"),
    "around a capture under not": ("x = f(a or b)", "f($X)", "not $X", "x = not (a or b)"),
    "around a capture in a product": ("x = f(a + b)", "f($X)", "$X * 2", "x = (a + b) * 2"),
    "not around a product in a sum": ("x = f(a * b)", "f($X)", "$X + 2", "x = a * b + 2"),
    "around the right side of a difference": ("x = f(a - b)", "f($X)", "c - $X", "x = c - (a - b)"),
    "around the left side of a power": ("x = f(-a)", "f($X)", "$X ** 2", "x = (-a) ** 2"),
    "around a comparison in a comparison": ("x = f(a < b)", "f($X)", "$X == c", "x = (a < b) == c"),
    "around a capture before a dot": ("x = f(a or b)", "f($X)", "$X.y", "x = (a or b).y"),
    "around an integer before a dot": ("x = f(5)", "f($X)", "$X.real", "x = (5).real"),
    "around a conditional": ("x = f(a if b else c)", "f($X)", "$X + 1", "x = (a if b else c) + 1"),
    "around a lambda": ("x = f(lambda: a)", "f($X)", "$X()", "x = (lambda: a)()"),
    "around a walrus": ("x = f(y := a)", "f($X)", "$X", "x = (y := a)"),
    "around a yield": (
        "def f():\n    x = g((yield a))",
        "g($X)",
        "$X + 1",
        "def f():\n    x = (yield a) + 1",
    ),
    "no more than needed around a yield": (
        "def f():\n    x = g((yield a))",
        "g($X)",
        "$X",
        "def f():\n    x = yield a",
    ),
    "around an await": (
        "async def f():\n    x = g(await a)",
        "g($X)",
        "$X.b",
        "async def f():\n    x = (await a).b",
    ),
    "around a tuple": ("def f():\n    return a, b", "$X, $Y", "g($X)", "def f():\n    return g(a)"),
    "around a tuple as an argument": ("for x in a, b: pass", "for x in $X: pass", "f($X)", "f((a, b))"),
    "around a tuple of one": ("x = a,", "x = $X", "f($X)", "f((a,))"),
    "of an empty tuple": ("x = f(())", "f($X)", "g($X, 1)", "x = g((), 1)"),
    "around a generator": ("x = f(a for a in b)", "f($X)", "g($X, 1)", "x = g((a for a in b), 1)"),
    "not around a generator alone": ("x = f(a for a in b)", "f($X)", "g($X)", "x = g(a for a in b)"),
    "around a dict in an f-string": ("x = f({a: b})", "f($X)", "f'{$X}'", "x = f'{({a: b})}'"),
    "around a replacement in a product": ("x = f(a) * b", "f($X)", "$X + 1", "x = (a + 1) * b"),
    "around a replacement before a dot": ("x = f(a).b", "f($X)", "-$X", "x = (-a).b"),
    "around a replacement under not": ("x = not f(a)", "f($X)", "$X or b", "x = not (a or b)"),
    "around a tuple put into a call": ("x = f(g(a))", "g($X)", "$X, b", "x = f((a, b))"),
    "around a starred tuple": ("x = f(g(a))", "g($X)", "*$X, b", "x = f((*a, b))"),
    "those that are there stay": ("x = (a + b) * c", "a + b", "a - b", "x = (a - b) * c"),
    "those around a condition stay": ("if (a): pass", "a", "not a", "if (not a): pass"),
    "around a capture that spans lines": ("f(a +\n  b)", "f($X)", "x = $X", "x = (a +\n  b)"),
    "around a call chain that spans lines": ("f(a\n  .b())", "f($X)", "x = $X", "x = (a\n  .b())"),
    "not around one that spans lines in brackets": ("f(a +\n  b)", "f($X)", "g($X)", "g(a +\n  b)"),
    "of a walrus as a keyword's value": ("g(k=f(y))", "f($Y)", "z := $Y", "g(k=(z := y))"),
    "of a walrus as an index": ("x = a[f(y)]", "f($Y)", "z := $Y", "x = a[(z := y)]"),
    "of a walrus with a comment": ("x = f(y)", "f($Y)", "z := $Y  # why", "x = (\nz := y  # why\n)"),
    "a string that looks like a placeholder": (
        "x = f('__mutkit_one_A', b)",
        "f($$$A)",
        "g($$$A)",
        "x = g('__mutkit_one_A', b)",
    ),
    "of a replacement that spans lines": ("x = f(a)", "f($X)", "$X +\n1", "x = (\na +\n1\n)"),
    "a string keeps its quotes": ("x = f('a')", "f($X)", 'g($X, "b")', "x = g('a', \"b\")"),
    "an argument that is a keyword's value": ("x = f(a=b or c)", "f(a=$X)", "g($X)", "x = g(b or c)"),
    "an attribute's name": ("x = a.b", "a.$X", "c.$X", "x = c.b"),
    "a target": ("f(a).b = 1", "f($X)", "$X", "a.b = 1"),
    "a decorator": ("@f(a)\ndef g(): pass", "f($X)", "$X", "@a\ndef g(): pass"),
    "a default": ("def f(a=1): pass", "1", "2", "def f(a=2): pass"),
    "an annotation": ("def f(a: int): pass", "int", "str", "def f(a: str): pass"),
    "inside an f-string": ("x = f'{a + b}'", "a + $X", "a - $X", "x = f'{a - b}'"),
    "an argument of a decorator": ("@f(a=1)\nclass A: pass", "1", "2", "@f(a=2)\nclass A: pass"),
    "a comment inside the site goes with it": ("x = f(a,  # why\n      b)", "f($X, $Y)", "g($Y)", "x = g(b)"),
    "an empty run at the end": ("x = f(a)", "f(a, $$$A)", "g(b, $$$A)", "x = g(b)"),
    "an empty run at the start": ("x = f(a)", "f($$$A, a)", "g($$$A, b)", "x = g(b)"),
    "an empty run alone": ("x = f()", "f($$$A)", "g($$$A)", "x = g()"),
    "two empty runs": ("x = f() + g()", "f($$$A) + g($$$B)", "h($$$A, $$$B)", "x = h()"),
    "a run that leaves a tuple of one": ("x = f(a)", "f(a, $$$A)", "(b, $$$A)", "x = (b,)"),
    "a run in a longer list": (
        "x = f(a, *b, c=d)",
        "f($$$A)",
        "g(1, $$$A, e=2)",
        "x = g(1, a, *b, c=d, e=2)",
    ),
    "a run with comments": (
        "x = f(\n    a,  # one\n    b,\n)",
        "f($$$A)",
        "g($$$A)",
        "x = g(a,  # one\n    b)",
    ),
    "a run in another order": ("x = [a, b, c]", "[$$$A, c]", "[c, $$$A]", "x = [c, a, b]"),
    "a run in a dict": ("x = {a: b, c: d}", "{a: b, **$$$R}", "{**$$$R}", "x = {c: d}"),
    "the whole of an expression statement": ("f(a)", "f($X)", "return_($X)", "return_(a)"),
}
"""Name: (before, find, replace, after)."""

STATEMENTS = {
    "a statement for a statement": ("x = 1  # one", "x = $X", "y = $X", "y = 1  # one"),
    "two for one": (
        "if a:\n    x = 1\n    y = 2",
        "x = 1",
        "x = 2\nz = 3",
        "if a:\n    x = 2\n    z = 3\n    y = 2",
    ),
    "wrapped in a condition": (
        "def f():\n  x = 1",
        "x = $X",
        "if a:\n    x = $X",
        "def f():\n  if a:\n    x = 1",
    ),
    "wrapped, with tabs": (
        "def f():\n\tx = 1",
        "x = $X",
        "if a:\n    x = $X",
        "def f():\n\tif a:\n\t\tx = 1",
    ),
    "an indented replacement": (
        "def f():\n    x = 1",
        "x = $X",
        "    y = $X\n    z = 1",
        "def f():\n    y = 1\n    z = 1",
    ),
    "a string over lines in a replacement": (
        "def f():\n    x = 1",
        "x = 1",
        'x = """a\n  b"""',
        'def f():\n    x = """a\n  b"""',
    ),
    "a bracket over lines in a replacement": (
        "def f():\n    x = 1",
        "x = 1",
        "x = [\n    1,\n]",
        "def f():\n    x = [\n        1,\n    ]",
    ),
    "a comment in a replacement": (
        "def f():\n    x = 1",
        "x = 1",
        "# why\nx = 2",
        "def f():\n    # why\n    x = 2",
    ),
    "a condition dropped, its body kept": (
        "def f():\n    if a:\n        # why\n        b()  # one\n\n        c()\n    d()",
        "if a:\n    $$$B",
        "$$$B",
        "def f():\n    # why\n    b()  # one\n\n    c()\n    d()",
    ),
    "a body wrapped": (
        "def f():\n    a()  # one\n    # two\n    b()  # three",
        "a()\n$$$B",
        "try:\n    $$$B\nfinally:\n    a()",
        "def f():\n    try:\n        # two\n        b()\n    finally:\n        a()  # three",
    ),
    "comments before the site are not copied": (
        "def f():\n    # why\n    a()\n    b()",
        "$$$A\nb()",
        "$$$A\nc()",
        "def f():\n    # why\n    a()\n    c()",
    ),
    "newlines as the site's line has them": (
        "x = 1\nif a:\r\n    y = 1\r\nz = 1",
        "y = 1",
        "if b:\n    y = 2",
        "x = 1\nif a:\r\n    if b:\r\n        y = 2\r\nz = 1",
    ),
    "a string over lines in a body": (
        'if a:\n    x = """b\n  c"""',
        "if a:\n    $$$B",
        "if d:\n    if e:\n        $$$B",
        'if d:\n    if e:\n        x = """b\n  c"""',
    ),
    "a run without statements": (
        "if a:\n    b()",
        "if a:\n    b()\n    $$$B",
        "if c:\n    $$$B",
        "if c:\n    pass",
    ),
    "a body on one line": (
        "if a: b(); c()",
        "if a:\n    $$$B",
        "while a:\n    $$$B",
        "while a:\n    b()\n    c()",
    ),
    "into a body on one line": ("if a: b()", "if a: $$$B", "while a: $$$B", "while a:\n    b()"),
    "half of a body on one line kept": (
        "x = 1; y = 2\nif a:\n    z = 3",
        "y = $Y\nif a:\n    $$$B",
        "y = 4",
        "x = 1; y = 4",
    ),
    "one of several on a line": ("a(); b(); c()", "b()", "d()", "a(); d(); c()"),
    "one of several on a line by two": ("a(); x = 1; c()", "x = 1", "x = 2\ny = 3", "a(); x = 2; y = 3; c()"),
    "all on a line": ("a(); b()  # why", "a()\nb()", "if c:\n    d()", "if c:\n    d()  # why"),
    "a body on one line by two": ("if a: x = 1", "x = 1", "x = 2\ny = 3", "if a: x = 2; y = 3"),
    "a body on one line by a compound": (
        "def f():\n  if a: x = 1  # why",
        "x = 1",
        "for b in c:\n    x = 2",
        "def f():\n  if a:\n    for b in c:\n      x = 2  # why",
    ),
    "an else on one line by a compound": (
        "if a:\n    pass\nelse: x = 1",
        "x = 1",
        "if b:\n    x = 1",
        "if a:\n    pass\nelse:\n    if b:\n        x = 1",
    ),
    "a decorated function": (
        "class A:\n    @d\n    def f(self): pass",
        "@d\ndef f(self): $$$B",
        "def f(self): $$$B",
        "class A:\n    def f(self):\n        pass",
    ),
    "parameters": (
        "def f(self, a, /, b=1, *c, d, **e): pass",
        "def f(self, $$$P): pass",
        "def g($$$P): pass",
        "def g(a, /, b=1, *c, d, **e): pass",
    ),
    "an expression statement by a statement": ("if a:\n    f()", "f()", "x = 1", "if a:\n    x = 1"),
    "a match statement": (
        "match a:\n    case [b, *_]:\n        c()",
        "match a:\n    case $P:\n        c()",
        "match a:\n    case $P if d:\n        c()",
        "match a:\n    case [b, *_] if d:\n        c()",
    ),
}
"""Name: (before, find, replace, after)."""

DELETIONS = {
    "a line": ("a()\nb()  # why\nc()", "b()", "a()\nc()"),
    "a compound statement": ("a()\nif b:\n    c()\n\nd()", "if b:\n    c()", "a()\n\nd()"),
    "comments before it stay": ("a()\n# why\nb()\nc()", "b()", "a()\n# why\nc()"),
    "the last line of a body": ("if a:\n    b()\n    c()\nd()", "c()", "if a:\n    b()\nd()"),
    "a whole body": ("if a:\n    b()  # why\nc()", "b()", "if a:\n    pass  # why\nc()"),
    "a body of a docstring": ('def f():\n    """Doc."""\na()', '"""Doc."""', "def f():\n    pass\na()"),
    "a body on one line": ("if a: b()", "b()", "if a: pass"),
    "all of a body on one line": ("if a: b(); c()", "b(); c()", "if a: pass"),
    "one of a body on one line": ("if a: b(); c()", "b()", "if a: c()"),
    "the last of a body on one line": ("if a: b(); c()  # why", "c()", "if a: b()  # why"),
    "the first on a line": ("a(); b(); c()", "a()", "b(); c()"),
    "the middle of a line": ("a(); b(); c()", "b()", "a(); c()"),
    "the last on a line": ("a(); b()", "b()", "a()"),
    "all on a line": ("a(); b();\nc()", "a(); b()", "c()"),
    "the only statement of a file": ("a()", "a()", ""),
    "an else's body": ("if a:\n    b()\nelse:\n    c()", "c()", "if a:\n    b()\nelse:\n    pass"),
    "a handler's body": ("try:\n    a()\nexcept B:\n    c()", "c()", "try:\n    a()\nexcept B:\n    pass"),
    "a case's body": ("match a:\n    case b:\n        c()", "c()", "match a:\n    case b:\n        pass"),
    "a decorated method": (
        "class A:\n    x = 1\n    @d\n    def f(self): pass\n    y = 2",
        "@d\ndef f(self): pass",
        "class A:\n    x = 1\n    y = 2",
    ),
    "a statement that spans lines": ("a()\nb = [\n    1,\n]  # why\nc()", "b = $_", "a()\nc()"),
    "a run": ("def f():\n    a()\n    b()\n    return c", "$$$B\nreturn c", "def f():\n    pass"),
    "a global": ("def f():\n    global a\n    a = 1", "global $_", "def f():\n    a = 1"),
}
"""Name: (before, find, after); ``replace`` is empty."""

REFUSED = {
    "deleting an expression": ("x = f(a)", "f(a)", "", "replace-syntax"),
    "a statement for an expression": ("x = f(a)", "f(a)", "y = 1", "replace-syntax"),
    "a replacement that is no Python": ("x = f(a)", "f(a)", "g(", "replace-syntax"),
    "a compound statement into a shared line": ("a(); b()", "b()", "if c: d()", "replace-syntax"),
    "an expression for a name": ("x = f(a + b)", "f($X)", "c.$X", "replace-syntax"),
    "a call for an attribute's name": ("x = f(a())", "f($X)", "c.$X", "replace-syntax"),
    "a string for a parameter": ("x = f('a')", "f($X)", "lambda $X: 1", "replace-syntax"),
    "a run of statements on a shared line": (
        "if a:\n    b()",
        "if a:\n    $$$B",
        "c(); $$$B",
        "replace-syntax",
    ),
    "a run for one thing": ("x = f(a)", "f($$$X)", "$$$X + 1", "replace-syntax"),
    "a pattern that is no Python": ("x = f(a)", "f(", "g()", "pattern-syntax"),
    "a pattern whose brackets are inside out": ("x = f(a)", "f) + (a", "g()", "pattern-syntax"),
    "a pattern with a name of mutkit's own": ("x = f(a)", "f(__mutkit_one_A)", "g()", "pattern-syntax"),
    "a pattern with an escape that says nothing": ("x = 'a'", "'\\x'", "'b'", "pattern-syntax"),
    "a replacement with an escape that says nothing": ("x = f'a'", "x = $_", "f'\\u12{a}'", "replace-syntax"),
    "a pattern with a number too long": ("x = 1", "1" * 5000, "2", "pattern-syntax"),
    "a pattern that joins text and bytes": ("x = 'a'", "'a' b'b'", "'b'", "pattern-syntax"),
    "a pattern with half a character": ("x = 'a'", "'\ud800'", "'b'", "pattern-syntax"),
    "a pattern without code": ("x = f(a)", "# f", "g()", "pattern-syntax"),
    "an empty pattern": ("x = f(a)", " \n", "g()", "pattern-syntax"),
    "a pattern that is only a run": ("x = f(a)", "x = $$$A", "g()", "pattern-syntax"),
    "a lower-case metavariable": ("x = f(a)", "f($x)", "g()", "pattern-syntax"),
    "a metavariable that is stuck to a word": ("x = f(a)", "f(a$X)", "g()", "pattern-syntax"),
    "an unknown metavariable": ("x = f(a)", "f($X)", "g($Y)", "metavariable-unknown"),
    "one for a run": ("x = f(a)", "f($$$X)", "g($X)", "metavariable-unknown"),
    "anything in a replacement": ("x = f(a)", "f($_)", "g($_)", "metavariable-unknown"),
    "any run in a replacement": ("x = f(a)", "f($$$_)", "g($$$_)", "metavariable-unknown"),
    "a result that does not parse": ("f(a).b = 1", "f($X).b", "1", "result-syntax"),
    "a result that does not compile": ("x = f(a)", "x = f(a)", "return 1", "result-syntax"),
    "the same code": ("x = f(a)", "f($X)", "f($X)", "rewrite-no-effect"),
    "the same code in another layout": ("x = f('a')", "f('a')", 'f( "a" )', "rewrite-no-effect"),
    "pass for pass": ("if a:\n    pass", "pass", "", "rewrite-no-effect"),
}
"""Name: (before, find, replace, slug)."""


def rewrite(before: str, find: str, replace: str) -> str:
    """Return the rewritten file; ``before`` gets a final newline."""
    return PythonRewriter().rewrite((before + "\n").encode(), scope="", find=find, replace=replace).mutant.decode()


@pytest.mark.parametrize(("before", "find", "replace", "slug"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_by_name(before: str, find: str, replace: str, slug: str) -> None:
    """A rewrite that is not possible stops with the slug that says why."""
    with pytest.raises(AnchorError) as caught:
        rewrite(before, find, replace)
    assert caught.value.slug == slug


@pytest.mark.parametrize(("before", "find", "replace", "after"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_an_expression_gets_the_parentheses_that_it_needs(before: str, find: str, replace: str, after: str) -> None:
    """Captures and replacements are parenthesised where, and only where, the meaning would change without."""
    assert rewrite(before, find, replace) == after + "\n"


@pytest.mark.parametrize(("before", "find", "replace", "after"), STATEMENTS.values(), ids=STATEMENTS)
def test_statements_are_laid_out_as_the_file_is(before: str, find: str, replace: str, after: str) -> None:
    """Replacements are indented to the site by the file's own unit, with comments that were captured."""
    assert rewrite(before, find, replace) == after + "\n"


@pytest.mark.parametrize(("before", "find", "after"), DELETIONS.values(), ids=DELETIONS)
def test_deletion_takes_whole_lines_and_leaves_no_empty_body(before: str, find: str, after: str) -> None:
    """An empty replacement removes the statements with their lines, or puts ``pass`` where a body would be
    empty.
    """
    assert rewrite(before, find, "") == (after + "\n" if after else "")
