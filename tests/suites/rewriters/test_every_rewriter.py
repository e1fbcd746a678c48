"""What every rewriter must do, over files that are awkward as bytes. A new language is a ``Language``."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters import rewriter_for

if TYPE_CHECKING:
    from pathlib import Path

CANARY = b"raise RuntimeError('mutkit canary t', open(__file__ + '.mutkit-canary', 'w').close())"


@dataclass(frozen=True)
class Language:
    """A language as its rewriter is tried: ``file``; how ``find`` becomes ``replace``, as text and as bytes;
    awkward files.

    Each awkward file holds ``before`` exactly once, in the scope ``scope``.
    """

    file: str
    find: str
    replace: str
    before: bytes
    after: bytes
    scope: str
    awkward: dict[str, bytes]
    undecodable: bytes
    broken: bytes


BODY = b"class A:\n    def f(self, a):\n        return a + 1  # note\n\n\ndef f(a):\n    return a + 1\n"

PYTHON = Language(
    file="a.py",
    find="$X + 1",
    replace="$X - 1",
    before=b"a + 1",
    after=b"a - 1",
    scope="A.f",
    awkward={
        "plain": BODY,
        "CRLF": BODY.replace(b"\n", b"\r\n"),
        "CR": BODY.replace(b"\n", b"\r"),
        "mixed newlines": b"import os\r\nimport re\rimport sys\n" + BODY + b"x = 1\r\n",
        "mixed newlines in a string": b's = """a\r\nb\nc\r"""\n' + BODY,
        "tabs": BODY.replace(b"    ", b"\t"),
        "two blanks": BODY.replace(b"    ", b"  "),
        "blanks at the ends of lines": BODY.replace(b"\n", b"  \t\n"),
        "no final newline": BODY.rstrip(b"\n"),
        "many final newlines": BODY + b"\n\n\n   \n",
        "a final carriage return": BODY.replace(b"\n", b"\r\n").rstrip(b"\n"),
        "a byte order mark": b"\xef\xbb\xbf" + BODY,
        "a byte order mark and a cookie": b"\xef\xbb\xbf# -*- coding: utf-8 -*-\n" + BODY,
        "latin-1": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n" + BODY + b"y = '\xfc'\n",
        "latin-1 on line 2": b"#!/usr/bin/env python\n# vim: set fileencoding=iso-8859-15 :\nx = '\xa4'\n" + BODY,
        "a Japanese encoding": "# coding: shift_jis\nx = '日本'\n".encode("shift_jis") + BODY,
        "UTF-8": "x = 'é日本🎉'  # ü\n".encode() + BODY + "y = '𝄞'\n".encode(),
        "UTF-8 beside the site": BODY.replace(b"# note", "# ä🎉".encode()).replace(
            b"return a", "é = 'ö'; return a".encode()
        ),
        "form feeds": b"\x0cimport os\n\x0c\n" + BODY.replace(b"\n\n\n", b"\n\x0c\n\n"),
        "backslashes": b"x = 1 + \\\n    2\nif x \\\n   and 1:\n    pass\n\\\n\n" + BODY,
        "a backslash line in a body": BODY.replace(b"        return", b"        b = 1\n\\\n        return"),
        "semicolons": b"x = 1;\ny = 2; z = 3;\n" + BODY.replace(b"return a + 1  #", b"b = 2; return a + 1;  #"),
        "comments at odd depths": b"# top\n"
        + BODY.replace(b"        return a + 1  #", b"  # odd\n            # odd\n        return a + 1  #"),
        "a twin in a string": b"s = 'a + 1'\n" + BODY,
        "new syntax": b"match 1:\n    case [1, *_] if (x := 1): pass\nwith (a() as b, c()): pass\n" + BODY,
    },
    undecodable=b"# coding: ascii\nx = '\xe9'\n" + BODY,
    broken=BODY + b"x = = 1\n",
)
LANGUAGES = [PYTHON]

FILES = [
    pytest.param(language, data, id=f"{language.file}-{name}")
    for language in LANGUAGES
    for name, data in language.awkward.items()
]


@pytest.mark.parametrize(("language", "data"), FILES)
def test_the_identity_is_byte_identical(language: Language, data: bytes) -> None:
    """The null mutant is the file, whatever its newlines, encoding and white space."""
    assert rewriter_for(language.file).identity(data) == data


@pytest.mark.parametrize(("language", "data"), FILES)
def test_all_bytes_outside_of_the_site_stay(language: Language, data: bytes) -> None:
    """The mutant is the file with the site's bytes replaced, and the site is on the line that it says."""
    made = rewriter_for(language.file).rewrite(data, scope=language.scope, find=language.find, replace=language.replace)
    at = data.index(language.before, data.index(b"class A"))
    assert made.mutant == data[:at] + language.after + data[at + len(language.before) :]
    lines_before = data[:at].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
    assert (made.site.first_line, made.site.last_line) == (lines_before + 1, lines_before + 1)
    assert made.site.code.encode() == language.before
    assert made.site.scope == language.scope


@pytest.mark.parametrize(("language", "data"), FILES)
def test_a_canary_only_adds_bytes(language: Language, data: bytes) -> None:
    """What a canary adds is in one piece, and holds its token."""
    rewriter = rewriter_for(language.file)
    line = rewriter.rewrite(data, scope=language.scope, find=language.find, replace=language.replace).site.first_line
    mutant = rewriter.canary(data, scope=language.scope, site_line=line, token="t0ken")  # no password
    start = next(index for index in range(len(mutant)) if mutant[: index + 1] != data[: index + 1])
    end = len(data) - start
    assert data.endswith(mutant[len(mutant) - end :])
    assert b"mutkit canary t0ken" in mutant[: len(mutant) - end]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.file)
def test_a_file_in_no_known_encoding_is_refused(language: Language) -> None:
    """Bytes that are not text in the file's declared encoding are never guessed."""
    with pytest.raises(AnchorError) as caught:
        rewriter_for(language.file).identity(language.undecodable)
    assert caught.value.slug == "source-encoding"


def test_a_file_whose_bytes_decoding_loses_is_refused() -> None:
    """Escapes of a stateful encoding that say nothing would vanish from the mutant."""
    with pytest.raises(AnchorError) as caught:
        rewriter_for("a.py").identity(b"# coding: iso2022_jp\nx = '\x1b(B\x1b(B'\n")
    assert caught.value.slug == "source-encoding"


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.file)
def test_a_file_that_does_not_parse_is_refused_with_its_line(language: Language) -> None:
    """A broken source file is named as such, with the line."""
    with pytest.raises(AnchorError) as caught:
        rewriter_for(language.file).rewrite(
            language.broken, scope=language.scope, find=language.find, replace=language.replace
        )
    assert (caught.value.slug, caught.value.lines) == ("source-syntax", (language.broken.count(b"\n"),))


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.file)
def test_a_replacement_that_the_encoding_cannot_express_is_refused(language: Language) -> None:
    """A character that the file's encoding does not have is not written as something else."""
    with pytest.raises(AnchorError) as caught:
        rewriter_for(language.file).rewrite(
            language.awkward["latin-1"], scope=language.scope, find=language.find, replace="'日本'"
        )
    assert caught.value.slug == "source-encoding"


RUNS = {
    "a function": ("f", "def f():\n    return 1\nf()\n"),
    "a function with a docstring": ("f", 'def f():\n    """Doc."""\n    return 1\nf()\n'),
    "a function that is its docstring": ("f", 'def f():\n    """Doc."""\nf()\n'),
    "a docstring and more on one line": ("f", 'def f(): "Doc."; return 1\nf()\n'),
    "a function on one line": ("f", "def f(): return 1\nf()\n"),
    "a function that begins with a compound statement": (
        "f",
        "def f():\n    # why\n    if 0:\n        pass\nf()\n",
    ),
    "a function that begins with a decorated one": ("f", "def f():\n\t@staticmethod\n\tdef g(): pass\nf()\n"),
    "a method": ("A.f", "class A:\n    def f(self):\n        return 1\nA().f()\n"),
    "an inner function": ("f.g", "def f():\n    def g():\n        return 1\n    g()\nf()\n"),
    "a decorated function": ("f", "@staticmethod\ndef f():\n    return 1\nf()\n"),
    "an async function": (
        "f",
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)\nasyncio.run(f())\n",
    ),
    "a generator": ("f", "def f():\n    yield 1\nlist(f())\n"),
    "an async generator": (
        "f",
        "import asyncio\nasync def f():\n    yield 1\nasync def g():\n    async for _ in f(): pass\nasyncio.run(g())\n",
    ),
    "a class": ("A", 'class A:\n    """Doc."""\n    x = 1\n'),
    "a class on one line": ("A", "class A: x = 1\n"),
    "a module": ("", "x = 1\n"),
    "a module with a docstring and futures": (
        "",
        '"""Doc."""\nfrom __future__ import annotations\nfrom __future__ import division; x = 1\n',
    ),
    "a module that is its docstring": ("", '"""Doc."""\n'),
    "an empty module": ("", ""),
    "a module of comments": ("", "# nothing"),
    "a global declared later": ("f", "x = 1\ndef f():\n    global x\n    x = 2\nf()\n"),
}
"""Name: (scope, program that executes it)."""


@pytest.mark.parametrize(("scope", "program"), RUNS.values(), ids=RUNS)
def test_a_canary_raises_as_soon_as_its_scope_runs(tmp_path: Path, scope: str, program: str) -> None:
    """The program with a canary ends with the canary's exception; without, it ends well."""
    line = program[: program.find("return 1")].count("\n") + 1 if "return 1" in program else 1
    mutant = rewriter_for("a.py").canary(program.encode(), scope=scope, site_line=line, token="t0ken")
    for name, data in (("plain.py", program.encode()), ("mutant.py", mutant)):
        (tmp_path / name).write_bytes(data)
    plain = subprocess.run([sys.executable, "-I", "plain.py"], cwd=tmp_path, capture_output=True, check=False)
    canary = subprocess.run([sys.executable, "-I", "mutant.py"], cwd=tmp_path, capture_output=True, check=False)
    assert (plain.returncode, plain.stderr) == (0, b"")
    assert canary.returncode == 1
    assert b"RuntimeError: ('mutkit canary t0ken', None)" in canary.stderr


def test_a_canary_goes_to_the_innermost_definition_around_the_site() -> None:
    """With the module as scope, the function around the site raises, and importing the module does not."""
    source = b"class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    mutant = rewriter_for("a.py").canary(source, scope="", site_line=6, token="t")
    assert mutant == source.replace(b"return 2", CANARY + b"; return 2")


def test_a_canary_for_a_site_in_the_parameters_goes_to_the_named_scope() -> None:
    """A default on the line of the ``def`` is in no body: the named function itself raises."""
    source = b"def f(\n    a=1,\n):\n    return a\n"
    mutant = rewriter_for("a.py").canary(source, scope="f", site_line=2, token="t")
    assert mutant == source.replace(b"return a", CANARY + b"; return a")


@pytest.mark.parametrize("joint", [" + ", "\n    ", " or ", ".a."], ids=["sums", "strings", "ors", "attributes"])
def test_deeply_nested_code_is_rewritten(joint: str) -> None:
    """Tables of strings and long sums nest as deep as they are long, deeper than Python's usual limit."""
    part = "a" if joint == ".a." else "'a'"
    table = "TABLE = (\n    " + joint.join([part] * 400) + "\n)\n"
    source = table + "x = 1\n"
    rewriter = rewriter_for("a.py")
    assert rewriter.rewrite(source.encode(), scope="", find="x = 1", replace="x = 2").mutant == (
        table.encode() + b"x = 2\n"
    )
    assert rewriter.rewrite(source.encode(), scope="", find=table, replace="x = 2").mutant == b"x = 2\nx = 1\n"
