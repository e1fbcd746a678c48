"""Eleven specs as authors write them, on a program as they meet it, under harmless edits of that program."""

from __future__ import annotations

import ast
import difflib
import re
from typing import TYPE_CHECKING

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python.rewriter import PythonRewriter

if TYPE_CHECKING:
    from collections.abc import Callable

BRIDGE = '''\
"""A bridge between a client and a child that answers in lines."""

import codecs
import json


class BridgeError(Exception):
    """What a client is told."""


class LineAssembler:
    """Puts lines together out of chunks of bytes."""

    def __init__(self):
        self._carry = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, chunk):
        """Return the lines that are complete now."""
        text = self._carry + self._decoder.decode(chunk)
        *lines, self._carry = text.split("\\n")
        return [line.rstrip("\\r") for line in lines]

    def close(self):
        """Return the last line, which has no end."""
        text = self._carry + self._decoder.decode(b"", final=True)
        self._carry = ""
        if text:
            return [text.rstrip("\\r")]
        return []


class Turn:
    """What a child said so far."""

    def __init__(self):
        self.message = None
        self.unreadable = 0

    def on_line(self, line):
        """Take a line of the child."""
        try:
            event = json.loads(line)
        except ValueError:
            self.unreadable += 1
            return
        if event.get("type") == "message":
            text = event.get("text")
            if not isinstance(text, str):
                raise BridgeError("message text is not a string")
            self.message = text
            self.unreadable = 0

    def result(self):
        """Return the last message."""
        if self.message is None:
            raise BridgeError("child exited 0 but sent no message")
        if self.unreadable:
            raise BridgeError("unreadable output after the last message")
        if not self.message.strip():
            raise BridgeError("final message is empty")
        return self.message


class Bridge:
    """Answers a client."""

    def reply(self, text):
        """Return the answer for a text."""
        if not text.strip():
            raise BridgeError("reply is empty")
        return {"text": text}
'''

SPECS = {
    "drop-line-carry": ("LineAssembler.feed", "self._carry + $DECODED", "$DECODED"),
    "decode-each-chunk": (
        "LineAssembler.feed",
        "self._decoder.decode($CHUNK)",
        '$CHUNK.decode("utf-8", "replace")',
    ),
    "drop-final-line-flush": ("LineAssembler.close", "\nif $TEXT:\n    return [$_]\n", ""),
    "drop-decoder-flush": ("LineAssembler.close", '$CARRY + self._decoder.decode(b"", final=True)', "$CARRY"),
    "accept-exit0-no-message": (
        "Turn.result",
        "\nif self.message is None:\n    raise $_\n",
        '\nif self.message is None:\n    return "Completed"\n',
    ),
    "ignore-unreadable-tail": ("Turn.result", "\nif self.unreadable:\n    raise $_\n", ""),
    "keep-unreadable-count": ("Turn.on_line", "self.unreadable = 0", ""),
    "skip-empty-text": ("Turn.on_line", "self.message = $TEXT", "\nif $TEXT:\n    self.message = $TEXT\n"),
    "drop-text-type-check": ("Turn.on_line", "\nif not isinstance($TEXT, str):\n    raise $_\n", ""),
    "accept-empty-final": ("Turn.result", "\nif not self.message.strip():\n    raise $_\n", ""),
    "accept-empty-reply": ("Bridge.reply", "\nif not $TEXT.strip():\n    raise $_\n", ""),
}
"""Id: (in, find, replace)."""

MUTANTS = {
    "drop-line-carry": [
        "-        text = self._carry + self._decoder.decode(chunk)",
        "+        text = self._decoder.decode(chunk)",
    ],
    "decode-each-chunk": [
        "-        text = self._carry + self._decoder.decode(chunk)",
        '+        text = self._carry + chunk.decode("utf-8", "replace")',
    ],
    "drop-final-line-flush": ["-        if text:", '-            return [text.rstrip("\\r")]'],
    "drop-decoder-flush": [
        '-        text = self._carry + self._decoder.decode(b"", final=True)',
        "+        text = self._carry",
    ],
    "accept-exit0-no-message": [
        '-            raise BridgeError("child exited 0 but sent no message")',
        '+            return "Completed"',
    ],
    "ignore-unreadable-tail": [
        "-        if self.unreadable:",
        '-            raise BridgeError("unreadable output after the last message")',
    ],
    "keep-unreadable-count": ["-            self.unreadable = 0"],
    "skip-empty-text": [
        "-            self.message = text",
        "+            if text:",
        "+                self.message = text",
    ],
    "drop-text-type-check": [
        "-            if not isinstance(text, str):",
        '-                raise BridgeError("message text is not a string")',
    ],
    "accept-empty-final": [
        "-        if not self.message.strip():",
        '-            raise BridgeError("final message is empty")',
    ],
    "accept-empty-reply": [
        "-        if not text.strip():",
        '-            raise BridgeError("reply is empty")',
    ],
}
"""Id: the lines of the diff."""


def requoted(text: str) -> str:
    """Return the program in single quotes and one indentation unit of three blanks."""
    text = re.sub(r'(?<!")"([^"\n]+)"(?!")', r"'\1'", text)
    return re.sub(r"(?m)^( +)", lambda match: match[1].replace("    ", "   "), text)


def reformatted(text: str) -> str:
    """Return the program with parentheses around conditions and calls split over lines."""
    text = re.sub(r"(?m)^( +)if (.+):$", r"\1if (\n\1    \2\n\1):", text)
    text = text.replace("decode(chunk)", "decode(\n            chunk,\n        )")
    text = text.replace("text = self._carry + ", "text = (self._carry) + \\\n            ")
    return re.sub(r"BridgeError\((\"[^\"]+\")\)", r"(BridgeError(\n    \1,\n))", text)


def commented(text: str) -> str:
    """Return the program with a comment beside and above its statements."""
    text = re.sub(r"(?m)^( +)(if|raise|return|self|text)\b(.*)$", r"\1# about \2\n\1\2\3  # why", text)
    return text.replace("\n\n\n", "\n\n# ---\n\n\n")


def reversed_classes(text: str) -> str:
    """Return the program with its classes in another order and more lines on top."""
    head, *classes = re.split(r"(?m)^(?=class )", text)
    return "#\n" * 48 + head + classes[0] + "".join(each.rstrip("\n") + "\n\n\n" for each in reversed(classes[1:]))


def annotated(text: str) -> str:
    """Return the program with annotated methods."""
    text = text.replace("def feed(self, chunk):", "def feed(self, chunk: bytes) -> list[str]:")
    text = text.replace("def on_line(self, line):", "def on_line(self, line: str) -> None:")
    text = text.replace('self._carry = ""\n', 'self._carry: str = ""\n')
    return text.replace("def reply(self, text):", "def reply(self, text: str) -> dict[str, str]:")


EDITS: dict[str, Callable[[str], str]] = {
    "as written": lambda text: text,
    "other quotes and indentation": requoted,
    "classes moved": reversed_classes,
    "comments everywhere": commented,
    "parentheses and split lines": reformatted,
    "locals renamed": lambda text: re.sub(r"(?<!\.get\(\")(?<!{\")\btext\b(?! is)", "content", text),
    "twin classes": lambda text: text + "\n\n" + BRIDGE.replace("class ", "class Old"),
    "annotations": annotated,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
}

PAIRS = [pytest.param(spec, edit, id=f"{spec}-{edit}") for spec in SPECS for edit in EDITS]


def mutant_of(spec: str, text: str) -> str:
    """Return the program rewritten by a spec."""
    scope, find, replace = SPECS[spec]
    return PythonRewriter().rewrite(text.encode(), scope=scope, find=find, replace=replace).mutant.decode()


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_changes_the_lines_that_it_is_about(spec: str) -> None:
    """The diff of a mutant is what a reviewer expects from reading the spec."""
    diff = difflib.unified_diff(BRIDGE.splitlines(), mutant_of(spec, BRIDGE).splitlines(), lineterm="", n=0)
    assert [line for line in diff if not line.startswith(("---", "+++", "@@"))] == MUTANTS[spec]


@pytest.mark.parametrize(("spec", "edit"), PAIRS)
def test_a_spec_survives_a_harmless_edit(spec: str, edit: str) -> None:
    """The mutant of the edited program is the edited mutant."""
    change = EDITS[edit]
    edited = change(BRIDGE)
    assert edit == "as written" or edited != BRIDGE
    assert ast.dump(ast.parse(mutant_of(spec, edited))) == ast.dump(ast.parse(change(mutant_of(spec, BRIDGE))))


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_whose_anchor_is_gone_stops(spec: str) -> None:
    """Applied to its own mutant, whose anchor it removed, a spec never finds another place."""
    scope, find, replace = SPECS[spec]
    mutant = mutant_of(spec, BRIDGE)
    if spec == "skip-empty-text":  # its mutant still assigns: remove that as well
        mutant = mutant.replace("self.message = text", "pass")
    with pytest.raises(AnchorError) as caught:
        PythonRewriter().rewrite(mutant.encode(), scope=scope, find=find, replace=replace)
    assert caught.value.slug == "anchor-missing"


@pytest.mark.parametrize("spec", SPECS)
def test_a_spec_whose_anchor_stands_twice_stops(spec: str) -> None:
    """With the method's body twice, both places are named and none is chosen."""
    scope, find, replace = SPECS[spec]
    name = scope.partition(".")[2]
    method = re.search(rf"(?ms)^    def {name}\(self.*?(?=^    def |^class |\Z)", BRIDGE)
    assert method
    head, _, body = method[0].partition("\n")
    twice = BRIDGE.replace(method[0], head + "\n" + body.rstrip() + "\n" + body)
    with pytest.raises(AnchorError) as caught:
        PythonRewriter().rewrite(twice.encode(), scope=scope, find=find, replace=replace)
    assert caught.value.slug == "anchor-ambiguous"
    assert len(caught.value.lines) == 2


@pytest.mark.parametrize("spec", [name for name, parts in SPECS.items() if parts[1].startswith("\nif")])
def test_a_condition_that_got_an_else_is_not_the_one_that_was_meant(spec: str) -> None:
    """Rewriting it would drop the ``else``: the near miss says that there is one."""
    scope, find, replace = SPECS[spec]
    site = PythonRewriter().rewrite(BRIDGE.encode(), scope=scope, find=find, replace=replace).site
    lines = BRIDGE.splitlines()
    indent = lines[site.first_line - 1][: -len(lines[site.first_line - 1].lstrip())]
    lines[site.last_line : site.last_line] = [f"{indent}else:", f"{indent}    pass"]
    with pytest.raises(AnchorError) as caught:
        PythonRewriter().rewrite("\n".join(lines).encode(), scope=scope, find=find, replace=replace)
    assert caught.value.slug == "anchor-missing"
    assert (caught.value.near[0].line, caught.value.near[0].why) == (site.first_line, "has an `else`")
