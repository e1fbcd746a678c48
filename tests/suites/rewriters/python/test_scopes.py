"""Which definition a dotted scope names, and what belongs to it."""

from __future__ import annotations

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python.rewriter import PythonRewriter

SOURCE = """\
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    class Late:
        def f(self): return "late"
else:
    try:
        def g(): return "try"
    except ImportError:
        def h(): return "except"
    finally:
        def i(): return "finally"


class A(object):
    @property
    def p(self): return "getter"

    @p.setter
    def p(self, value): self.q = "setter"

    @overload
    def o(self, a: int): ...
    @overload
    def o(self, a: str): ...
    def o(self, a): return "real"

    class Inner:
        def f(self): return "inner"

    def f(self, a="default") -> "annotation":
        def f(): return "nested"
        with a as b:
            async def j(): return "with"
        match a:
            case 1:
                def k(): return "case"
        return "outer"


def f(): return "function"
"""

FOUND = {
    "Late.f": '"late"',
    "g": '"try"',
    "h": '"except"',
    "i": '"finally"',
    "A.Inner.f": '"inner"',
    "A.f.f": '"nested"',
    "A.f.j": '"with"',
    "A.f.k": '"case"',
    "f": '"function"',
}
"""Scope: the only string that it returns."""


def rewrite(scope: str, find: str, replace: str = "mark") -> str:
    """Return the source rewritten."""
    return PythonRewriter().rewrite(SOURCE.encode(), scope=scope, find=find, replace=replace).mutant.decode()


@pytest.mark.parametrize(("scope", "code"), FOUND.items())
def test_a_dotted_name_finds_its_definition(scope: str, code: str) -> None:
    """Classes, nested functions, and definitions under ``if``, ``try``, ``with`` and ``match`` have their
    dotted names.
    """
    assert rewrite(scope, "return $X", "return mark") == SOURCE.replace(f"return {code}", "return mark")


@pytest.mark.parametrize(
    ("scope", "lines"),
    [("A.p", (17, 20)), ("A.o", (23, 25, 26))],
    ids=["a property and its setter", "overloads"],
)
def test_a_name_that_is_defined_twice_is_ambiguous(scope: str, lines: tuple[int, ...]) -> None:
    """The lines of all definitions are named."""
    with pytest.raises(AnchorError) as caught:
        rewrite(scope, "return $X")
    assert (caught.value.slug, caught.value.lines) == ("scope-ambiguous", lines)
    assert all(str(line) in str(caught.value) for line in lines)


def test_one_of_several_definitions_is_found_by_its_own_code_in_the_scope_around() -> None:
    """A setter is rewritten with its class as scope, by a pattern that begins with its decorator."""
    mutant = rewrite("A", "@p.setter\ndef p(self, value):\n    $$$B", "@p.setter\ndef p(self, value):\n    pass")
    assert mutant == SOURCE.replace('def p(self, value): self.q = "setter"', "def p(self, value):\n        pass")


@pytest.mark.parametrize(("scope", "nearest"), [("Inner.f", "A.Inner.f"), ("A.g", "g"), ("A.Iner.f", "A.Inner.f")])
def test_a_name_that_is_not_defined_is_answered_with_the_nearest(scope: str, nearest: str) -> None:
    """What was most probably meant comes with its line."""
    with pytest.raises(AnchorError) as caught:
        rewrite(scope, "return $X")
    assert caught.value.slug == "scope-missing"
    assert nearest in [miss.code for miss in caught.value.near]
    assert f"`{nearest}` (line " in str(caught.value)


def test_a_file_without_definitions_says_so() -> None:
    """There are no nearest names then."""
    with pytest.raises(AnchorError, match="no function and no class") as caught:
        PythonRewriter().rewrite(b"x = 1\n", scope="f", find="x", replace="y")
    assert caught.value.slug == "scope-missing"


@pytest.mark.parametrize("find", ['"default"', '"annotation"'])
def test_parameters_and_annotations_belong_to_their_definition(find: str) -> None:
    """They are written in its head."""
    assert rewrite("A.f", find) == SOURCE.replace(find, "mark")


def test_bases_belong_to_their_class() -> None:
    """They are written in its head."""
    assert rewrite("A", "object") == SOURCE.replace("object", "mark")


@pytest.mark.parametrize("find", ["overload", "@$$$_\ndef $F(): $$$B", "@overload\ndef f(): return 1"])
def test_decorators_and_the_definition_itself_belong_to_the_scope_around(find: str) -> None:
    """Inside of a function's scope neither its decorators nor its own ``def`` are found."""
    source = b"@overload\ndef f(): return 1\n"
    with pytest.raises(AnchorError) as caught:
        PythonRewriter().rewrite(source, scope="f", find=find, replace="mark")
    assert caught.value.slug == "anchor-missing"
    assert "mark" in PythonRewriter().rewrite(source, scope="", find=find, replace="mark").mutant.decode()
