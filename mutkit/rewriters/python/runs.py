"""Owns captured runs as members of a replacement's sequences: what they are runs of, and what they become elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import libcst as cst

from mutkit.errors import AnchorError
from mutkit.rewriters.python.matcher import parameters
from mutkit.rewriters.python.pattern import run_in

if TYPE_CHECKING:
    from collections.abc import Sequence

STATEMENTS = "statements"

CALLED: tuple[tuple[str, tuple[type[cst.CSTNode], ...]], ...] = (
    (STATEMENTS, (cst.BaseStatement, cst.BaseSmallStatement)),
    ("arguments", (cst.Arg,)),
    ("items of a dict", (cst.BaseDictElement,)),
    ("elements", (cst.BaseElement,)),
    ("parameters", (cst.Param, cst.ParamStar, cst.ParamSlash)),
    ("indices", (cst.SubscriptElement,)),
    ("imported names", (cst.ImportAlias,)),
    ("declared names", (cst.NameItem,)),
    ("items of a `with`", (cst.WithItem,)),
    ("decorators", (cst.Decorator,)),
    ("`case` patterns", (cst.MatchSequenceElement, cst.MatchStar)),
)
"""What the members of each kind of sequence are called."""


def called(member: cst.CSTNode) -> str:
    """Return what ``member``, and so a run of its like, is called."""
    return next((name for name, kinds in CALLED if isinstance(member, kinds)), "members")


def moved(run: str, captured: Sequence[Any], place: cst.CSTNode) -> list[Any]:
    """Return what ``$$$run`` captured as members of the sequence in which ``place`` stands for it.

    Arguments, elements and indices are values, and become each other. Raises ``AnchorError`` (``replace-syntax``) for
    what has no meaning there: keywords in a list, parameters in a call.
    """
    return [_moved(run, member, place) for member in captured]


def _moved(run: str, member: Any, place: cst.CSTNode) -> Any:
    if called(member) == called(place):
        return member
    value = _value(member)
    if value is not None and isinstance(place, cst.Arg):
        return cst.Arg(value[1], star=value[0], comma=member.comma)
    if value is not None and isinstance(place, cst.SubscriptElement):
        return cst.SubscriptElement(cst.Index(value[1], star=value[0] or None), comma=member.comma)
    if value is not None and isinstance(place, cst.Element):
        kind: Any = cst.StarredElement if value[0] else cst.Element
        return kind(value[1], comma=member.comma)
    raise AnchorError(
        "replace-syntax",
        f"$$${run} is a run of {called(member)} (`{_code(member)}`) and cannot stand among {called(place)}.",
    )


def _code(member: cst.CSTNode) -> str:
    """Return a member on one line, without its comma, for messages."""
    return " ".join(cst.Module([]).code_for_node(member).split()).rstrip(",")


def _value(member: cst.CSTNode) -> tuple[Literal["", "*"], cst.BaseExpression] | None:
    """Return (``*`` or nothing, value) for a member that is nothing else."""
    if isinstance(member, cst.Arg) and member.keyword is None and member.star != "**":
        return member.star, _enclosed(member.value)
    if isinstance(member, (cst.Element, cst.StarredElement)):
        return "*" if isinstance(member, cst.StarredElement) else "", member.value
    if isinstance(member, cst.SubscriptElement) and isinstance(member.slice, cst.Index):
        return member.slice.star or "", member.slice.value
    return None


def _enclosed(value: cst.BaseExpression) -> cst.BaseExpression:
    """Return a generator that has no parentheses, as the only argument of a call may, with them."""
    if isinstance(value, cst.GeneratorExp) and not value.lpar:
        return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return value


def separated(filled: list[Any], members: Sequence[Any]) -> list[Any]:
    """Return the ``filled`` members of a sequence with a comma after each, after the last only where the
    replacement's ``members`` have one.
    """
    if not filled or not hasattr(filled[0], "comma") or isinstance(filled[0], cst.BaseSmallStatement):
        return filled
    last = filled[-1]
    final = members[-1].comma if members and hasattr(members[-1], "comma") else cst.MaybeSentinel.DEFAULT
    changes: dict[str, Any] = {"comma": final}
    for name in ("whitespace_after_arg", "whitespace_after_param"):
        if hasattr(last, name):
            changes[name] = cst.SimpleWhitespace("")
    made = filled if isinstance(last, cst.ParamStar) else [*filled[:-1], last.with_changes(**changes)]
    if len(made) == 1 and not isinstance(final, cst.Comma):
        return made
    return [each.with_changes(value=_enclosed(each.value)) if isinstance(each, cst.Arg) else each for each in made]


def as_parameters(node: cst.Parameters, members: list[Any]) -> cst.Parameters:
    """Return parameters made of a flat list, which has ``/`` and ``*`` in it.

    Raises ``AnchorError`` (``result-syntax``) where their order is none that Python knows.
    """
    if all(run_in(each) is None for each in parameters(node)):
        return node
    parts: dict[str, Any] = {"params": [], "kwonly_params": [], "posonly_params": []}
    for member in members:
        star = "*" if isinstance(member, cst.ParamStar) else getattr(member, "star", "")
        name = {"*": "star_arg", "**": "star_kwarg"}.get(star if isinstance(star, str) else "", "")
        name = "posonly_ind" if isinstance(member, cst.ParamSlash) else name
        if name in parts or "star_kwarg" in parts or (name == "posonly_ind" and "star_arg" in parts):
            code = ", ".join(map(_code, members))
            raise AnchorError("result-syntax", f"parameters cannot stand in this order: `{code}`.")
        if name == "posonly_ind":
            parts["posonly_params"], parts["params"] = parts["params"], []
        if name:
            parts[name] = member
        else:
            parts["kwonly_params" if "star_arg" in parts else "params"].append(member)
    return node.with_changes(**parts)


def as_bases(node: cst.ClassDef, members: Sequence[cst.Arg]) -> cst.ClassDef:
    """Return a class with one flat list of arguments as its bases and keywords."""
    bases = [each for each in members if each.keyword is None and each.star != "**"]
    keywords = [each for each in members if each.keyword is not None or each.star == "**"]
    return node.with_changes(bases=bases, keywords=keywords)
