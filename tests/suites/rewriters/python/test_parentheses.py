"""Every kind of expression put into every kind of place: the result means what the trees say."""

from __future__ import annotations

import ast
import copy
import itertools

import pytest

from mutkit.rewriters.python.rewriter import PythonRewriter

CODES = [
    *(
        "a",
        "1",
        "1.5",
        "'s'",
        "'s' 't'",
        "f'{s}'",
        "a.b",
        "a[0]",
        "a()",
        "()",
        "(a,)",
        "(a, b)",
        "[a]",
        "{a}",
        "{a: b}",
    ),
    *("-a", "not a", "~a", "a + b", "a * b", "a ** b", "a << b", "a & b", "a | b", "a < b", "a in b", "a is not b"),
    *("a and b", "a or b", "a if b else c", "lambda: a", "lambda a, *b: (a, b)", "(a := b)", "(yield)", "(yield a)"),
    *("(yield from a)", "await a", "(a for a in b)", "[a for a in b]", "{a: b for a in b}", "...", "None", "a @ b"),
    *("(a +\n    b)", "(a\n    .b)", "a(\n    b)", "(\n    # why\n    a or b)"),
]
PLACES = [
    *(
        "$X",
        "not $X",
        "-$X",
        "$X + 1",
        "1 + $X",
        "1 - $X",
        "$X * 2",
        "2 * $X",
        "$X ** 2",
        "2 ** $X",
        "$X < 1",
        "1 in $X",
    ),
    *("$X and d", "$X or d", "$X if d else e", "d if $X else e", "d if e else $X", "lambda: $X", "lambda d=$X: d"),
    *(
        "$X.d",
        "$X[d]",
        "d[$X]",
        "d[$X:$X]",
        "$X(d)",
        "d($X)",
        "d($X, e)",
        "d(e=$X)",
        "d(*$X)",
        "d(**$X)",
        "[$X]",
        "[*$X]",
    ),
    *("{$X}", "{$X: $X}", "{**$X}", "($X, d)", "($X,)", "[d for d in $X]", "[d for d in e if $X]", "[$X for d in e]"),
    *("{$X: d for d in e}", "(d := $X)", "(yield $X)", "(yield from $X)", "await $X", "not $X or $X", "$X < $X < $X"),
]
AROUND = [
    *(
        "x = f($S)",
        "x = $S",
        "x = not $S",
        "x = $S.y",
        "x = $S ** 2",
        "x = 2 ** $S",
        "x = -$S",
        "x = $S, 1",
        "x = y[$S]",
    ),
    *(
        "return $S",
        "return $S < 1",
        "x = [y for y in $S if $S2]",
        "x = lambda: $S",
        "x = y if $S else z",
        "$S",
        "x: $S = 1",
    ),
    *("if $S: pass", "while $S: pass", "for x in $S: pass", "with $S as x: pass", "assert $S", "raise $S", "x += $S"),
    *("x = f(y, *$S)", "x = f(y=$S)", "x = {$S: 1}", "x = ($S)", "print(1, (\n    $S\n))"),
]


class Substitute(ast.NodeTransformer):
    """Puts one tree in the place of a name."""

    def __init__(self, name: str, instead: ast.expr) -> None:
        """Take the name and what stands for it."""
        self.name = name
        self.instead = instead

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the method's name is ast's
        """Replace the name."""
        return copy.deepcopy(self.instead) if node.id == self.name else node


def tree(code: str) -> ast.expr:
    """Return an expression's tree, whatever the function that it may stand in."""
    return ast.parse(f"({code}\n)", mode="eval").body


def shape(node: ast.AST) -> str:
    """Return a tree as text, whether its names are read or written left out."""
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()")


def in_function(line: str) -> str:
    """Return a module in which ``line`` may use ``await`` and ``yield``."""
    return "async def g():\n    " + line + "\n"


@pytest.mark.parametrize("place", PLACES)
def test_a_capture_keeps_its_meaning_wherever_it_is_put(place: str) -> None:
    """The mutant's tree is the replacement's with the capture's in the place of the metavariable."""
    wrong = []
    for code in CODES:
        source = in_function(f"x = f({code})")
        expected = Substitute("CAPTURED", tree(code)).visit(tree(place.replace("$X", "CAPTURED")))
        if place in {"(yield $X)", "(yield from $X)"} and code == "(yield from a)":
            continue  # in an async function there is no ``yield from``
        try:
            compile(in_function(f"x = {ast.unparse(expected)}"), "", "exec")
        except SyntaxError:
            continue  # a yield in a lambda's default, a walrus in a comprehension: no program either way
        if f"f({code})" == f"f({place})":
            continue
        mutant = PythonRewriter().rewrite(source.encode(), scope="g", find="f($X)", replace=place).mutant.decode()
        got = ast.parse(mutant).body[0]
        assert isinstance(got, ast.AsyncFunctionDef)
        assigned = got.body[0]
        assert isinstance(assigned, ast.Assign)
        if shape(assigned.value) != shape(expected):
            wrong.append((code, mutant))
    assert wrong == []


@pytest.mark.parametrize("around", AROUND)
def test_a_replacement_keeps_its_meaning_whatever_is_around(around: str) -> None:
    """The mutant's tree is the original's with the replacement's in the place of the site."""
    tried = 0
    for code in CODES:
        source = in_function(around.replace("$S2", "h").replace("$S", "site()"))
        original = ast.parse(source)
        expected = SubstituteCall(tree(code)).visit(original)
        try:
            compile(ast.unparse(expected), "", "exec")
        except SyntaxError:
            continue
        mutant = PythonRewriter().rewrite(source.encode(), scope="g", find="site()", replace=code).mutant.decode()
        assert shape(ast.parse(mutant)) == shape(expected), mutant
        tried += 1
    assert tried > len(CODES) // 2


class SubstituteCall(ast.NodeTransformer):
    """Puts one tree in the place of ``site()``."""

    def __init__(self, instead: ast.expr) -> None:
        """Take what stands for it."""
        self.instead = instead

    def visit_Call(self, node: ast.Call) -> ast.expr:  # the method's name is ast's
        """Replace the call."""
        if isinstance(node.func, ast.Name) and node.func.id == "site":
            return copy.deepcopy(self.instead)
        self.generic_visit(node)
        return node


def test_no_parentheses_around_what_needs_none() -> None:
    """Atoms get none in any place."""
    for code, place in itertools.product(["a", "a.b", "a[0]", "a()", "'s'", "[a]"], PLACES):
        if place in {"(yield from $X)", "$X"}:
            continue
        source = in_function(f"x = f({code})")
        mutant = PythonRewriter().rewrite(source.encode(), scope="g", find="f($X)", replace=place).mutant.decode()
        assert mutant == in_function("x = " + without_outer(place).replace("$X", code))


def without_outer(place: str) -> str:
    """Return what remains of a place where parentheses around the whole are not needed."""
    keeps = {"(d := $X)", "($X, d)", "($X,)", "(yield $X)"}
    return place if place in keeps or not place.startswith("(") else place[1:-1]
