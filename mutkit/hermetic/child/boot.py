"""Owns how a mock child finds its modules: in one file of byte-code, so that a start looks into no folders.

Part of the child. install.py puts the byte-code of this module and of all others into the bundle.
"""

from __future__ import annotations

import marshal
import sys

TYPE_CHECKING = False  # importing it from `typing` would import re and enum at each start
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class Bundle:
    """Finder and loader of the modules in a bundle: name and marshalled byte-code."""

    def __init__(self, package: str, modules: dict[str, bytes]) -> None:
        """Take the package's name and its modules; the package itself is the one called ""."""
        self._modules = {f"{package}.{name}".rstrip("."): code for name, code in modules.items()}
        self._package = package

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Return where the module is, or None where it is another's."""
        if name not in self._modules:
            return None
        make: Any = type(sys.__spec__)  # ModuleSpec, whose module would be an import
        return make(name, self, is_package=name == self._package)

    def create_module(self, _spec: object) -> None:
        """Leave the making of a module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code in it."""
        exec(marshal.loads(self._modules[module.__name__]), module.__dict__)  # noqa: S102, S302 - install.py made it


def boot(package: str, modules: dict[str, bytes]) -> None:
    """Let the modules be imported as those of ``package``."""
    sys.meta_path.insert(0, Bundle(package, modules))
