"""Owns rewrites by a class of the user: a libcst transformer that must change exactly one place."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import libcst as cst

from mutkit.errors import AnchorError
from mutkit.model.site import Rewriting, Site
from mutkit.rewriters.python.places import start_of
from mutkit.rewriters.python.scopes import Scope, find_scope
from mutkit.rewriters.python.settle import check
from mutkit.rewriters.python.shape import BODIES
from mutkit.rewriters.python.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Region = tuple[cst.CSTNode, ...]
"""Adjacent nodes of the file as it was that a transformer changed or removed."""


def load(path: Path, class_name: str) -> type:
    """Return class ``class_name`` of the file at ``path``; see ``mutkit.rewriters.load_transformer``."""
    name = f"_mutkit_transformer_{abs(hash((str(path), class_name)))}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise AnchorError("rewrite-invalid", f"{path}: there is no such Python file.")
    module = importlib.util.module_from_spec(spec)
    writes, sys.dont_write_bytecode = (
        sys.dont_write_bytecode,
        True,
    )  # the specs' folder is not ours to write in
    sys.modules[name] = module  # dataclasses and pickles look their module up by name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's code: whatever it raises is what there is to report
        raise AnchorError("rewrite-invalid", f"{path}: importing it raised {type(error).__name__}: {error}.") from error
    finally:
        sys.dont_write_bytecode = writes
        del sys.modules[name]
    found = getattr(module, class_name, None)
    if found is None:
        raise AnchorError("rewrite-invalid", f"{path}: it defines no class `{class_name}`.")
    if not (isinstance(found, type) and issubclass(found, cst.CSTTransformer)):
        raise AnchorError("rewrite-invalid", f"{path}: `{class_name}` is no subclass of libcst.CSTTransformer.")
    return found


def transform(source: Source, scope: str, transformer: type) -> Rewriting:
    """Return the file with ``scope`` rewritten by an instance of ``transformer``.

    Raises ``AnchorError``: ``rewrite-invalid`` where the class raises, removes the whole scope, or changes
    more than one place; ``rewrite-no-effect``, ``result-syntax``, and those of scopes.
    """
    inside = find_scope(source, scope)
    made = _run(inside, transformer)
    after = _printed(_rebuilt(inside, made), transformer)
    if source.module.code != source.text:
        raise AnchorError("source-syntax", "libcst does not print this file as it is, so no transformer can change it.")
    regions = _changes(inside.node, made)
    if not regions:
        raise AnchorError("rewrite-no-effect", f"{transformer.__name__} changed nothing in `{scope or 'the file'}`.")
    places = [_span(source, region) for region in regions]
    lines = tuple(source.line_of(place.start) for place in places)
    if len(regions) > 1:
        raise AnchorError(
            "rewrite-invalid",
            f"{transformer.__name__} changed {len(regions)} places, on lines {', '.join(map(str, lines))}; "
            "it must change exactly one.",
            lines=lines,
        )
    changed, new = _difference(source.text, after)
    mutant = source.splice(changed, new)
    check(source, changed, mutant)
    place = places[0]
    site = Site(source.line_of(place.start), source.line_of(place.end), scope, source.slice(place))
    return Rewriting(mutant, site)


def _run(scope: Scope, transformer: type) -> cst.CSTNode:
    try:
        made = scope.node.visit(transformer())
    except (Exception, SystemExit) as error:  # the user's code: whatever it raises is what there is to report
        raise AnchorError(
            "rewrite-invalid", f"{transformer.__name__} raised {type(error).__name__}: {error}."
        ) from error
    if not isinstance(made, type(scope.node)):
        raise AnchorError(
            "rewrite-invalid",
            f"{transformer.__name__} put something else in the place of `{scope.name}` itself; name the "
            "scope around it.",
        )
    return made


def _printed(made: cst.Module, transformer: type) -> str:
    try:
        return made.code
    except Exception as error:  # libcst checks the kinds of nodes nowhere: a wrong one raises whatever it happens to
        raise AnchorError(
            "rewrite-invalid", f"{transformer.__name__} made a tree that cannot be printed: {error}."
        ) from error


def _rebuilt(scope: Scope, made: cst.CSTNode) -> cst.Module:
    """Return the module with ``made`` in the place of the scope, without visiting the rest of it."""
    new: Any = made
    for parent, old in zip(scope.path[-2::-1], scope.path[:0:-1], strict=True):
        changes: dict[str, Any] = {}
        for name in type(parent).__dataclass_fields__:
            value = getattr(parent, name)
            if value is old:
                changes[name] = new
            elif isinstance(value, (list, tuple)) and any(item is old for item in value):
                changes[name] = [new if item is old else item for item in value]
        new = parent.with_changes(**changes)
    module: cst.Module = new
    return module


def _span(source: Source, region: Region) -> Span:
    return Span(start_of(source, region[0]), source.span(region[-1]).end)


def _changes(old: Any, new: Any) -> list[Region]:
    """Return the places in which two trees differ, each as small as can be.

    Several differences inside of one expression or one simple statement are one place.
    """
    if old is new or old.deep_equals(new):
        return []
    if type(old) is not type(new):
        return [(old,)]
    regions: list[Region] = []
    for name in type(old).__dataclass_fields__:
        if name.startswith("__"):
            continue
        mine, its = getattr(old, name), getattr(new, name)
        if isinstance(mine, cst.CSTNode) and isinstance(its, cst.CSTNode):
            regions += _changes(mine, its)
        elif isinstance(mine, (list, tuple)) and isinstance(its, (list, tuple)):
            regions += _changes_in_run(old, mine, its)
        elif mine != its:
            regions.append((old,))
    one_place = not isinstance(old, (*BODIES, cst.BaseCompoundStatement, cst.Else, cst.Finally))
    return [(old,)] if len(regions) > 1 and one_place else regions


def _changes_in_run(parent: cst.CSTNode, old: Sequence[Any], new: Sequence[Any]) -> list[Region]:
    first = 0
    while first < min(len(old), len(new)) and old[first].deep_equals(new[first]):
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last].deep_equals(new[-1 - last]):
        last += 1
    mine, its = old[first : len(old) - last], new[first : len(new) - last]
    if not mine and not its:
        return []
    if len(mine) == len(its):
        return [region for one, other in zip(mine, its, strict=True) for region in _changes(one, other)]
    kept = [node for node in mine if any(node.deep_equals(other) for other in its)]
    if kept:
        return [(mine[0],), (mine[-1],)]
    return [tuple(mine) or (old[max(0, first - 1)],) if old else (parent,)]


def _difference(before: str, after: str) -> tuple[Span, str]:
    """Return the smallest span of ``before`` that differs, and what stands there in ``after``."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    return Span(start, len(before) - end), after[start : len(after) - end]


def _common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    both = min(len(one), len(other))
    return next((index for index in range(both) if one[index] != other[index]), both)
