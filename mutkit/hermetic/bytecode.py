"""Owns the byte-code of mock children: one file that holds all modules, made by the interpreter that will run it.

Imported here, and run as a program (standard library only) by interpreters of other versions:
``python bytecode.py modules FOLDER`` and ``python bytecode.py program FILE`` write to standard output.
"""

from __future__ import annotations
import __future__

import ast
import marshal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

TAG = sys.implementation.cache_tag
"""What byte-code must be named after: that of one version is nothing to another."""


def modules(folder: Path) -> bytes:
    """Return the bundle of the modules in a folder: the code of boot.py, and a table of names and marshalled code."""
    table = {path.stem: _module(path) for path in sorted(folder.glob("*.py"))}
    boot = table.pop("boot")
    table[""] = table.pop("__init__")
    return marshal.dumps((boot, {name: marshal.dumps(code) for name, code in table.items()}))


def program(file: Path) -> bytes:
    """Return the marshalled code of one file."""
    return marshal.dumps(compile(file.read_bytes(), str(file), "exec", dont_inherit=True))


def _module(path: Path) -> CodeType:
    """Return a module's code without what costs time at a start: documentation, and the import of ``__future__``."""
    tree = ast.parse(path.read_bytes(), str(path))
    tree.body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]
    flags = __future__.annotations.compiler_flag
    code: CodeType = compile(tree, str(path), "exec", flags=flags, dont_inherit=True, optimize=2)
    return code


def main() -> None:
    """Write the tag in a line, then what the first word asks for."""
    what, path = sys.argv[1:]
    made = modules(Path(path)) if what == "modules" else program(Path(path))
    sys.stdout.buffer.write(f"{TAG}\n".encode() + made)


if __name__ == "__main__":
    main()
