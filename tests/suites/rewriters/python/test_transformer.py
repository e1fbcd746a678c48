"""Rewrites by a class of the user: loaded from a file, held to one place."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import libcst as cst
import pytest

from mutkit.errors import AnchorError
from mutkit.model.site import Rewriting, Site
from mutkit.rewriters import load_transformer
from mutkit.rewriters.python.rewriter import PythonRewriter

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import os  \t
class A:
    def f(self, a, b=1):
        # one
        x = g(a, b)  # two
        if x:
            y = h(x)
            return y
        return None

    def other(self, a, b=1):
        x = g(a, b)
"""


class SwapArguments(cst.CSTTransformer):
    """Changes one expression in two of its parts."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: N802, ARG002
        """Swap the arguments of ``g``."""
        if isinstance(updated_node.func, cst.Name) and updated_node.func.value == "g":
            first, second = updated_node.args
            return updated_node.with_changes(
                args=[first.with_changes(value=second.value), second.with_changes(value=first.value)]
            )
        return updated_node


class DropCondition(cst.CSTTransformer):
    """Changes a compound statement into the statements of its body."""

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.FlattenSentinel[cst.BaseStatement]:  # noqa: N802, ARG002
        """Put the body in the place of the condition."""
        return cst.FlattenSentinel(cst.ensure_type(updated_node.body, cst.IndentedBlock).body)


class DropReturn(cst.CSTTransformer):
    """Removes a statement."""

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        """Remove ``return None``."""
        is_it = cst.Module([original_node]).code.strip() == "return None"
        return cst.RemoveFromParent() if is_it else updated_node


class DropsEveryLine(cst.CSTTransformer):
    """Removes statements."""

    def leave_SimpleStatementLine(  # noqa: N802
        self,
        original_node: cst.SimpleStatementLine,  # noqa: ARG002
        updated_node: cst.SimpleStatementLine,  # noqa: ARG002
    ) -> cst.RemovalSentinel:
        """Remove the line."""
        return cst.RemoveFromParent()


class DropDefault(cst.CSTTransformer):
    """Changes a parameter."""

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:  # noqa: N802, ARG002
        """Drop the default."""
        if updated_node.default is None:
            return updated_node
        return updated_node.with_changes(default=cst.Integer("2"))


class RenameEverywhere(cst.CSTTransformer):
    """Changes several places."""

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:  # noqa: N802, ARG002
        """Rename ``x``."""
        return updated_node.with_changes(value="z") if updated_node.value == "x" else updated_node


class ChangesComment(cst.CSTTransformer):
    """Changes nothing that runs."""

    def leave_Comment(self, original_node: cst.Comment, updated_node: cst.Comment) -> cst.Comment:  # noqa: N802, ARG002
        """Change the first comment."""
        return updated_node.with_changes(value="# 1") if updated_node.value == "# one" else updated_node


class Nothing(cst.CSTTransformer):
    """Changes nothing."""


class Raises(cst.CSTTransformer):
    """Fails."""

    def visit_Name(self, node: cst.Name) -> None:  # noqa: N802
        """Fail."""
        raise LookupError(node.value)


class Exits(cst.CSTTransformer):
    """Ends the interpreter."""

    def visit_Name(self, node: cst.Name) -> None:  # noqa: N802
        """Exit."""
        raise SystemExit(node.value)


class PutsABlock(cst.CSTTransformer):
    """Makes a tree that is none."""

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.BaseSmallStatement:  # noqa: N802, ARG002
        """Put what is no statement in the place of one."""
        return cast("cst.BaseSmallStatement", cst.IndentedBlock([]))


class NeedsArguments(cst.CSTTransformer):
    """Cannot be made without arguments."""

    def __init__(self, what: str) -> None:
        """Take something that nobody gives."""
        super().__init__()
        self.what = what


class RemovesTheScope(cst.CSTTransformer):
    """Removes what it was to change."""

    def leave_FunctionDef(  # noqa: N802
        self,
        original_node: cst.FunctionDef,  # noqa: ARG002
        updated_node: cst.FunctionDef,  # noqa: ARG002
    ) -> cst.RemovalSentinel:
        """Remove the function."""
        return cst.RemoveFromParent()


class MakesNonsense(cst.CSTTransformer):
    """Makes a program that does not compile."""

    def leave_Integer(self, original_node: cst.Integer, updated_node: cst.Integer) -> cst.BaseExpression:  # noqa: N802, ARG002
        """Put a yield from into a default."""
        return cst.Name("not")


def transform(transformer: type, scope: str = "A.f", source: str = SOURCE) -> Rewriting:
    """Return what a transformer makes of the source."""
    return PythonRewriter().transform(source.encode(), scope=scope, transformer=transformer)


@pytest.mark.parametrize(
    ("transformer", "slug"),
    [
        (RenameEverywhere, "rewrite-invalid"),
        (Raises, "rewrite-invalid"),
        (Exits, "rewrite-invalid"),
        (PutsABlock, "rewrite-invalid"),
        (NeedsArguments, "rewrite-invalid"),
        (RemovesTheScope, "rewrite-invalid"),
        (Nothing, "rewrite-no-effect"),
        (ChangesComment, "rewrite-no-effect"),
        (MakesNonsense, "result-syntax"),
    ],
)
def test_a_transformer_that_breaks_the_rules_is_refused(transformer: type, slug: str) -> None:
    """It must change exactly one place, to a program that differs."""
    with pytest.raises(AnchorError) as caught:
        transform(transformer)
    assert caught.value.slug == slug


def test_a_transformer_that_changes_several_places_is_told_their_lines() -> None:
    """The lines say where it went too far."""
    with pytest.raises(AnchorError) as caught:
        transform(RenameEverywhere)
    assert caught.value.lines == (5, 6, 7)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("transformer", "before", "after", "lines"),
    [
        (SwapArguments, "x = g(a, b)  # two", "x = g(b, a)  # two", (5, 5)),
        (
            DropCondition,
            "        if x:\n            y = h(x)\n            return y\n",
            "        y = h(x)\n        return y\n",
            (6, 8),
        ),
        (DropReturn, "        return None\n", "", (9, 9)),
        (DropDefault, "b=1", "b=2", (3, 3)),
    ],
)
def test_one_change_in_the_scope_leaves_all_else_as_it_is(
    transformer: type, before: str, after: str, lines: tuple[int, int], newline: str
) -> None:
    """Only the place in the scope changes, whatever stands elsewhere in the file."""
    source = SOURCE.replace("\n", newline)
    made = transform(transformer, source=source)
    expected = source.replace(before.replace("\n", newline), after.replace("\n", newline), 1)
    assert made.mutant == expected.encode()
    assert (made.site.first_line, made.site.last_line, made.site.scope) == (*lines, "A.f")


def test_the_site_of_a_transformer_is_the_code_that_it_changed() -> None:
    """Two changes inside of one call are one place: the call."""
    assert transform(SwapArguments).site == Site(5, 5, "A.f", "g(a, b)")


def test_a_transformer_may_have_the_whole_module_as_scope() -> None:
    """Then it must still change one place only."""
    assert b"x = g(b, a)\n" in transform(SwapArguments, scope="", source="x = g(a, b)\n").mutant


def test_a_transformer_may_remove_all_that_a_module_has() -> None:
    """An empty file is a program as well."""
    assert transform(DropsEveryLine, scope="", source="x = 1\n").mutant == b"\n"


def test_a_transformer_is_loaded_from_a_file(tmp_path: Path) -> None:
    """The file is executed as it is, leaves no module and no byte-code behind."""
    path = tmp_path / "rewrites.py"
    path.write_text("import libcst as cst\nclass Mine(cst.CSTTransformer):\n    pass\n")
    before = set(sys.modules)
    loaded = load_transformer(path, "Mine")
    assert issubclass(loaded, cst.CSTTransformer)
    assert loaded.__name__ == "Mine"
    assert set(sys.modules) == before
    assert [each.name for each in tmp_path.iterdir()] == ["rewrites.py"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (None, "no such Python file"),
        ("x = = 1", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("x = 1", "defines no class `Mine`"),
        ("class Mine: pass", "no subclass of libcst.CSTTransformer"),
        ("def Mine(): pass", "no subclass of libcst.CSTTransformer"),
    ],
)
def test_a_file_without_a_usable_transformer_is_refused(tmp_path: Path, code: str | None, message: str) -> None:
    """The message names the file and what is wrong with it."""
    path = tmp_path / "rewrites.py"
    if code is not None:
        path.write_text(code)
    with pytest.raises(AnchorError, match=message) as caught:
        load_transformer(path, "Mine")
    assert caught.value.slug == "rewrite-invalid"
    assert str(path) in str(caught.value)
