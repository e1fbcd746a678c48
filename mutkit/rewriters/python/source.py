"""Owns Python source as bytes: decoding, parsing, where each node stands, and splicing."""

from __future__ import annotations

import ast
import bisect
import codecs
import io
import re
import tokenize
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from mutkit.errors import AnchorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libcst.metadata import CodeSpan

NEWLINE = re.compile(r"\r\n|\r|\n")
BLANK = " \t\f\r\n\\"
_NO_BLANKS = str.maketrans("", "", BLANK)


@dataclass(frozen=True)
class Span:
    """A piece of the text: character offsets, ``end`` exclusive."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A parsed file. ``text`` is the decoded file without its byte order mark; ``tree`` the same file as
    ``ast`` sees it.
    """

    data: bytes
    mark: bytes
    encoding: str
    text: str
    module: cst.Module
    tree: ast.Module
    spans: Mapping[cst.CSTNode, CodeSpan]
    emitted: _Emitted
    lines: tuple[int, ...] = field(repr=False)

    def span(self, node: cst.CSTNode) -> Span:
        """Return where ``node`` stands in ``text``, without white space, comments, parentheses around it."""
        raw = self.spans[node]
        start, end = self.emitted.characters(raw.start), self.emitted.characters(raw.start + raw.length)
        if start == end and isinstance(node, cst.Tuple):  # libcst leaves the parentheses out: nothing remains of ``()``
            return Span(self.span(node.lpar[0]).start, self.span(node.rpar[-1]).end)
        return self.emitted.in_text(start, end)

    def slice(self, span: Span) -> str:
        """Return the text of ``span``."""
        return self.text[span.start : span.end]

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of a character offset."""
        return bisect.bisect_right(self.lines, offset)

    def line_start(self, offset: int) -> int:
        """Return the offset of the first character of the line that holds ``offset``."""
        return self.lines[self.line_of(offset) - 1]

    def splice(self, span: Span, new: str) -> bytes:
        """Return the whole file as bytes with ``span`` of the text replaced by ``new``; all other bytes are
        as they were.

        Raises ``AnchorError`` (``source-encoding``) where the file's encoding cannot express ``new``.
        """
        prefix = self.mark + self.text[: span.start].encode(self.encoding)
        suffix = self.text[span.end :].encode(self.encoding)
        if not (self.data.startswith(prefix) and self.data.endswith(suffix)):
            raise AssertionError("bytes outside of the site would change")
        try:
            return prefix + new.encode(self.encoding) + suffix
        except UnicodeEncodeError as error:
            raise AnchorError(
                "source-encoding",
                f"the file is in {self.encoding}, which cannot express the replacement: {error}.",
            ) from error


@dataclass(frozen=True)
class _Emitted:
    """The text as libcst prints it: nearly always the file's own; it drops a few blanks (a form feed on line
    1).
    """

    code: str
    text: str

    def characters(self, utf8_offset: int) -> int:
        """Return the character offset in ``code`` of an offset in its UTF-8 bytes."""
        if self.code.isascii():
            return utf8_offset
        return len(self.code.encode()[:utf8_offset].decode())

    def in_text(self, start: int, end: int) -> Span:
        """Return the span of the file's text for a span of ``code``, by counting printable characters."""
        if self.code == self.text or start == end:
            return Span(start, end)
        mine, its = _solid(self.code), _solid(self.text)
        first, last = bisect.bisect_left(mine, start), bisect.bisect_left(mine, end) - 1  # a module ends with blanks
        return Span(its[first], its[last] + 1) if first <= last else Span(len(self.text), len(self.text))


def _solid(text: str) -> list[int]:
    return [index for index, char in enumerate(text) if char not in BLANK]


def _decode(data: bytes) -> tuple[bytes, str, str]:
    """Return (byte order mark, encoding, text)."""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        text = data[len(mark) :].decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise AnchorError("source-encoding", f"the file cannot be decoded: {error}.") from error
    if text.encode(encoding) != data[len(mark) :]:
        raise AnchorError("source-encoding", f"the file does not survive decoding from {encoding} and back.")
    return mark, encoding, text


def parse_ast(data: bytes | str) -> ast.Module:
    """Return ``ast.parse`` of a file, silently as to warnings; raises ``SyntaxError`` or ``ValueError``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(data)


@lru_cache(maxsize=8)
def load(data: bytes) -> Source:
    """Return the parsed file.

    Raises ``AnchorError``: ``source-encoding`` where it cannot be decoded, ``source-syntax`` where it does
    not parse.
    """
    mark, encoding, text = _decode(data)
    try:
        tree = parse_ast(data)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise AnchorError(
            "source-syntax",
            f"the file does not parse: line {line}: {getattr(error, 'msg', error)}.",
            lines=(line,) if line else (),
        ) from error
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise AnchorError(
            "source-syntax",
            f"the file's syntax is not known to libcst: line {error.raw_line}: {error.message}.",
            lines=(error.raw_line,),
        ) from error
    emitted = _Emitted(module.code, text)
    if emitted.code != text and emitted.code.translate(_NO_BLANKS) != text.translate(_NO_BLANKS):
        raise AnchorError("source-syntax", "libcst does not print the file as it read it, so no rewrite would be safe.")
    spans = MetadataWrapper(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
    lines = (0, *(match.end() for match in NEWLINE.finditer(text)))
    return Source(data, mark, encoding, text, module, tree, spans, emitted, lines)
