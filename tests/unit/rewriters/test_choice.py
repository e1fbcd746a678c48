"""The choice of a rewriter, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mutkit.errors import ExitCode, UsageError
from mutkit.rewriters import rewriter_for


@pytest.mark.parametrize("path", ["a.py", "a/b.c/d.py", "stub.pyi", "window.pyw"])
def test_python_files_have_a_rewriter(path: str) -> None:
    """The suffix alone decides."""
    assert type(rewriter_for(path)).__name__ == "PythonRewriter"


@pytest.mark.parametrize("path", ["a.rb", "Makefile", "py", ".py", "a.PY"])
def test_a_file_of_no_known_language_is_a_usage_error(path: str) -> None:
    """The message names the file and what is known."""
    with pytest.raises(UsageError, match=r"\.py, \.pyi, \.pyw") as caught:
        rewriter_for(path)
    assert (caught.value.slug, caught.value.exit_code) == ("language-unknown", ExitCode.USAGE)
    assert str(caught.value).startswith(f"{path}: ")


def test_importing_the_package_does_not_import_libcst() -> None:
    """It is slow to import; ``mutkit --help`` must not pay for it."""
    code = "import sys, mutkit.rewriters; print('libcst' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
