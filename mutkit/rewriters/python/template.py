"""Owns replacements: the pattern's captures put into the replacement's tree, and its text as it is to stand
in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from mutkit.errors import AnchorError
from mutkit.rewriters.python.matcher import Captures, parameters
from mutkit.rewriters.python.metavariables import ANY, PLACEHOLDER, Metavariable, metavariable
from mutkit.rewriters.python.pattern import Pattern, run_in
from mutkit.rewriters.python.runs import STATEMENTS, as_bases, as_parameters, called, moved, separated
from mutkit.rewriters.python.settle import Paren
from mutkit.rewriters.python.shape import children, holds_names_only, meaning
from mutkit.rewriters.python.source import NEWLINE, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mutkit.rewriters.python.shape import Unit

ATOMS = (
    *(
        cst.Name,
        cst.Attribute,
        cst.Call,
        cst.Subscript,
        cst.SimpleString,
        cst.ConcatenatedString,
        cst.FormattedString,
    ),
    *(cst.List, cst.ListComp, cst.Ellipsis),
)
"""Expressions that never need parentheses, wherever they stand, as long as they stand on one line."""


@dataclass(frozen=True)
class Filling:
    """What is needed to fill a replacement: the captures, and for captured statements the lines that they
    stand on.

    ``first`` and ``last`` are the site's first and last statement: comments before and after the site stay
    where they are, and must not be copied along with a capture.
    """

    source: Source
    captures: Captures
    lines: Mapping[cst.CSTNode, Unit]
    first: cst.CSTNode | None
    last: cst.CSTNode | None


def check_names(template: Pattern, pattern: Pattern) -> None:
    """Raise ``AnchorError`` (``metavariable-unknown``) for a metavariable that ``find`` does not capture."""
    for name in sorted(
        template.names - pattern.names | {Metavariable(ANY, run=False), Metavariable(ANY, run=True)}, key=str
    ):
        if name in template.names:
            captured = ", ".join(sorted(str(each) for each in pattern.names if each.name != ANY)) or "nothing"
            why = "captures nothing, so it cannot be replaced by anything" if name.name == ANY else "is not in `find`"
            raise AnchorError("metavariable-unknown", f"{name} in `replace` {why}; `find` captures {captured}.")


def check_places(root: cst.CSTNode, captures: Captures) -> None:
    """Raise ``AnchorError`` (``replace-syntax``) where an expression would have to be an identifier:
    ``self.$X``.
    """
    for node, parent, field, above in _places(root, None):
        found = metavariable(node.value) if isinstance(node, cst.Name) else None
        if found is None or found.run or not holds_names_only(parent, field, above):
            continue
        captured = captures[found.name]
        wanted = (cst.Name, cst.Attribute) if isinstance(parent, (cst.ImportAlias, cst.ImportFrom)) else (cst.Name,)
        if not isinstance(captured, (*wanted, cst.MatchPattern)):
            raise AnchorError(
                "replace-syntax", f"{found} stands for an expression that is no name and cannot stand as one."
            )


def _places(
    node: cst.CSTNode, parent: cst.CSTNode | None
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode, str, cst.CSTNode | None]]:
    for name, child in children(node):
        yield child, node, name, parent
        yield from _places(child, node)


def filled(template: Any, filling: Filling) -> Any:
    """Return the replacement's tree with the runs put in.

    Raises ``AnchorError``: ``replace-syntax`` where one cannot stand there, ``result-syntax`` where what comes out is
    no code.
    """
    try:
        return template.visit(Filler(filling))
    except cst.CSTValidationError as error:
        raise AnchorError("result-syntax", f"`replace` with what was captured is no Python: {error}") from error


class Filler(cst.CSTTransformer):
    """Puts captured runs into a replacement's tree. Captures of one expression stay placeholders: they are
    put in as text.
    """

    def __init__(self, filling: Filling) -> None:
        """Take what is to be put in."""
        super().__init__()
        self.filling = filling

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:  # noqa: ARG002  # libcst's signature
        """Put runs into every sequence that has one, and give blocks the file's own indentation."""
        if isinstance(updated_node, cst.Parameters):
            return as_parameters(updated_node, self._expanded(parameters(updated_node)))
        if isinstance(updated_node, cst.ClassDef):
            updated_node = as_bases(updated_node, self._expanded([*updated_node.bases, *updated_node.keywords]))
        kind: type[cst.CSTNode] = type(updated_node)
        changes: dict[str, Any] = {
            name: self._expanded(value)
            for name in meaning(kind)
            if isinstance(value := getattr(updated_node, name), (list, tuple))
            and any(isinstance(item, cst.CSTNode) and run_in(item) is not None for item in value)
        }
        if isinstance(updated_node, cst.SimpleStatementSuite) and changes:
            return cst.IndentedBlock(_as_lines(changes["body"]))
        if isinstance(updated_node, cst.SimpleStatementLine) and changes and len(updated_node.body) > 1:
            raise AnchorError("replace-syntax", "a run of statements needs a line of its own in `replace`.")
        if isinstance(updated_node, cst.SimpleStatementLine):
            return updated_node
        if isinstance(updated_node, cst.IndentedBlock):
            changes["indent"] = None
        return updated_node.with_changes(**changes) if changes else updated_node

    def _expanded(self, members: Sequence[Any]) -> list[Any]:
        filled: list[Any] = []
        for member in members:
            run = run_in(member)
            if run is None:
                filled.append(member)
                continue
            captured: Any = self.filling.captures["$$$" + run]
            ready = moved(run, captured, member)
            filled += _led(self._statements(ready), member) if called(member) == STATEMENTS else ready
        return separated(filled, members) if any(run_in(each) is not None for each in members) else filled

    def _statements(self, captured: Any) -> list[cst.CSTNode]:
        """Return captured statements as whole lines, with the comments that belong to them."""
        lines: list[cst.CSTNode] = []
        chosen = set(captured)
        for node in captured:
            unit = self.filling.lines[node]
            line = unit.line
            if line is None:
                lines.append(self._edges(node, node, node))
            elif isinstance(line, cst.SimpleStatementLine) and chosen.issuperset(line.body):
                if unit.index == 0:
                    lines.append(self._edges(line, node, line.body[-1]))
            else:
                lines.append(cst.SimpleStatementLine([node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]))
        return lines

    def _edges(self, line: Any, first: cst.CSTNode, last: cst.CSTNode) -> Any:
        if last is self.filling.last:
            line = _without_tail(line)
        return line.with_changes(leading_lines=()) if first is self.filling.first else line


def _led(lines: list[Any], member: Any) -> list[Any]:
    """Return captured statements with the comments that the replacement has before the run."""
    comments = getattr(member, "leading_lines", ())
    if not lines or not comments:
        return lines
    return [lines[0].with_changes(leading_lines=[*comments, *lines[0].leading_lines]), *lines[1:]]


def _without_tail(node: Any) -> Any:
    """Return a statement without the comments after its last line."""
    if isinstance(node, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
        return node.with_changes(trailing_whitespace=cst.TrailingWhitespace())
    if isinstance(node, cst.IndentedBlock):
        return node.with_changes(body=[*node.body[:-1], _without_tail(node.body[-1])], footer=())
    for name in ("finalbody", "orelse", "handlers", "cases", "body"):
        part = getattr(node, name, None)
        if isinstance(part, (list, tuple)) and part:
            return node.with_changes(**{name: [*part[:-1], _without_tail(part[-1])]})
        if isinstance(part, cst.CSTNode):
            return node.with_changes(**{name: _without_tail(part)})
    return node


def _as_lines(statements: Sequence[Any]) -> list[Any]:
    return [
        cst.SimpleStatementLine([each]) if isinstance(each, cst.BaseSmallStatement) else each for each in statements
    ]


def pieces(text: str, filling: Filling, newline: str, count: int = 0) -> list[str | Paren]:
    """Return ``text`` with captures in place of placeholders, parentheses (numbered from ``count``) around
    the compound ones.
    """
    made: list[str | Paren] = []
    at = 0
    for match in PLACEHOLDER.finditer(text):
        made.append(NEWLINE.sub(newline, text[at : match.start()]))
        at = match.end()
        node = filling.captures.get(match[2])
        if not isinstance(node, cst.CSTNode):  # a string of the file's that happens to hold a placeholder
            made.append(match[0])
            continue
        code = filling.source.slice(filling.source.span(node))
        if isinstance(node, cst.MatchPattern) or is_atom(node, code):
            made.append(code)
        else:
            made += [Paren("(", count), code, Paren(")", count)]
            count += 1
    return [*made, NEWLINE.sub(newline, text[at:])]


def is_atom(node: cst.CSTNode, code: str) -> bool:
    """Return whether ``node``, written as ``code``, never needs parentheses."""
    return isinstance(node, ATOMS) and not NEWLINE.search(code)
