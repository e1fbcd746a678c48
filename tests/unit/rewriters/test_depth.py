"""Code that is nested deeper than can be walked."""

from __future__ import annotations

from typing import NoReturn

import pytest

from mutkit.errors import AnchorError
from mutkit.rewriters.python import rewriter


def test_code_that_is_nested_too_deeply_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the limit is reached after all, that is an error of the file and not a bug of ours."""

    def too_deep(*_: object) -> NoReturn:
        raise RecursionError

    monkeypatch.setattr(rewriter, "find_site", too_deep)
    with pytest.raises(AnchorError, match="nested too deeply") as caught:
        rewriter.PythonRewriter().rewrite(b"x = 1\n", scope="", find="x", replace="y")
    assert caught.value.slug == "source-syntax"
