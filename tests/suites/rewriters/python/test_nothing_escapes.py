"""Whatever stands in a spec and in a source: there is a rewritten file, or an ``AnchorError`` that says why not."""

from __future__ import annotations

import ast
import contextlib
import itertools
import random

from mutkit.errors import AnchorError
from mutkit.rewriters.python.rewriter import PythonRewriter

SNIPPETS = [
    *(
        "f($A)",
        "f($$$A)",
        "f($A, $$$B)",
        "f(k=$A)",
        "f(*$$$A)",
        "f(**$A)",
        "f(k=$$$A)",
        "f(a for a in b)",
        "f(a, *b, c=d)",
    ),
    *(
        "[$$$A]",
        "[a, *b]",
        "($$$A,)",
        "a, b",
        "{$$$A}",
        "{a: b, **$$$A}",
        "{$A: $$$B}",
        "[$A for a in b]",
        "x[$$$A]",
        "x[a:b, c]",
    ),
    *(
        "$A",
        "$_",
        "$$$A",
        "$$$_",
        "$$$A\n$$$B",
        "$$$A; $$$B",
        "$$$A, $$$B",
        "$A := $B",
        "$A = $B",
        "$A: $B = $A",
        "$A += $B",
    ),
    *(
        "x = 1",
        "x: int = 1",
        "x += 1.0",
        "a = *b, c",
        "a < b < c",
        "a if b else c",
        "'a' 'b'",
        "'a' f'{b}' 'c'",
        "b'a'",
        "True",
    ),
    *(
        "f'{$A}'",
        "f'{$A=}'",
        "f'{$A!r:>{$B}}'",
        "f'''{a}'{b}'''",
        "f'\\N{DASH}{a}'",
        "'\\x'",
        "'$A'",
        "1" * 5000,
        "0777",
        "1_",
    ),
    *(
        "def f($$$A): $$$B",
        "def f(a, /, b=1, *c, d, **e): pass",
        "def f(*, $A): pass",
        "lambda $$$A: $B",
        "lambda *a: a",
    ),
    *(
        "class A($$$A): $$$B",
        "class A(b, c=d): x = 1",
        "@$$$A\ndef f(): pass",
        "@a\n@b\nclass A: pass",
        "async def f(): await a",
    ),
    *(
        "if a: b",
        "if a:\n    $$$A",
        "if a:\n    b\nelif c:\n    d; e\nelse:\n    $$$A",
        "while a:\n    b\n    # why\n    c",
    ),
    *(
        "for a, b in c: pass",
        "for $A in $B: $$$A",
        "with a as b, c: pass",
        "with $$$A: pass",
        "try: a\nexcept B as c: d",
    ),
    *("try:\n    $$$A\nfinally:\n    b", "match a:\n    case [b, *c]: d", "match $A:\n    case B($$$A, k=$B) if c: d"),
    *(
        "import a.b as c",
        "from a import $$$A",
        "from . import (a, b)",
        "global $$$A",
        "global a, b",
        "nonlocal a",
        "del $A, a",
    ),
    *(
        "return a",
        "yield",
        "await a",
        "break",
        "raise a from b",
        "assert $A, $B",
        "a.$B",
        "a.b().c",
        "$A.b",
        "not a",
        "(a)",
        "()",
    ),
    *(
        "",
        "\n",
        "#",
        "$",
        "a$",
        "(",
        "'",
        "f'{",
        "a) + (b",
        "\\\na",
        "a\\",
        "\x00",
        "\x0ca",
        "a\rb",
        "\ufeffa",
        "é",
        "\ud800",
    ),
    *(
        "  a\n  b",
        "\ta",
        " a\nb",
        "a #c",
        "a;",
        "else: b",
        "case a: b",
        "__mutkit_one_A",
        "a := b",
        "*a",
        "**a",
        "a:",
        "print a",
    ),
]
SEED = 20240229
CALLS = 500


def sources() -> list[str]:
    """Return files made of the snippets, alone and in a function, the metavariables being names."""
    plain = [snippet.replace("$$$", "v").replace("$", "v") for snippet in SNIPPETS]
    return [*plain, *("def f():\n    " + each.replace("\n", "\n    ") for each in plain)]


def test_any_spec_on_any_source_gives_a_result_or_an_anchor_error() -> None:
    """A seeded sample of all sources, patterns and replacements, half of them matching their source by themselves."""
    chance = random.Random(SEED)  # the same each time
    outcomes = {"rewritten": 0, "refused": 0}
    files = [each for each in sources() if "\ud800" not in each]
    for number in range(CALLS):
        source = chance.choice(files)
        fits = [each for each in SNIPPETS if each.replace("$$$", "v").replace("$", "v") == source]
        find = fits[0] if fits and number % 2 else chance.choice(SNIPPETS)
        replace = chance.choice([each for each in SNIPPETS if number % 3 or "$B" not in each])
        try:
            PythonRewriter().rewrite((source + "\n").encode(), scope="", find=find, replace=replace)
            outcomes["rewritten"] += 1
        except AnchorError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > CALLS // 50


def test_any_source_is_printed_and_gets_its_canary_or_an_anchor_error() -> None:
    """The null mutant and the canary have no spec to blame: the file is sound, or said to be not."""
    rewriter = PythonRewriter()
    printed = 0
    for source, end in itertools.product(sources(), ["", "\n"]):
        data = (source + end).encode(errors="surrogatepass")
        with contextlib.suppress(AnchorError):
            assert rewriter.identity(data) == data
            ast.parse(rewriter.canary(data, scope="", site_line=1, token="t"))  # no password
            printed += 1
    assert printed > len(SNIPPETS)
