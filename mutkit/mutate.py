"""Owns the way from a spec to a mutant's bytes: anchor located, rewrite made, or what hinders it."""

from __future__ import annotations

import difflib

from mutkit.errors import AnchorError, UsageError
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Hindrance
from mutkit.model.spec import LoadedSpec
from mutkit.rewriters import load_transformer, rewriter_for

CANARY_TOKEN = "canary"  # noqa: S105  a word in an exception, not a password


def mutate(loaded: LoadedSpec) -> Mutant | Hindrance:
    """Return the mutant that the spec describes, or why it cannot be made."""
    spec = loaded.spec
    try:
        source = loaded.source.read_bytes()
        rewriter = rewriter_for(spec.file)
        if spec.rewrite is not None:
            file, _, name = spec.rewrite.rpartition(":")
            transformer = load_transformer(loaded.path.parent / file, name)
            made = rewriter.transform(source, scope=spec.in_, transformer=transformer)
        else:
            made = rewriter.rewrite(source, scope=spec.in_, find=spec.find or "", replace=spec.replace or "")
        canary = rewriter.canary(source, scope=spec.in_, site_line=made.site.first_line, token=CANARY_TOKEN)
        null = rewriter.identity(source)
    except AnchorError as error:
        return Hindrance(error.slug, _with_places(loaded, error), error.lines)
    except UsageError as error:
        return Hindrance("rewrite-invalid", str(error))
    except OSError as error:
        return Hindrance("source-encoding", f"{spec.file} cannot be read: {error.strerror}")
    return Mutant(source, made.mutant, made.site, canary, null)


def _with_places(loaded: LoadedSpec, error: AnchorError) -> str:
    """Return the error's sentence with the nearest misses, each on a line of its own."""
    text = str(error)
    for miss in error.near[:3]:
        first = miss.code.strip().split("\n")[0]
        text += f"\n  near miss: {loaded.spec.file}:{miss.line}: {first}   ({miss.why})"
    return text


def diff(mutant: Mutant, path: str) -> str:
    """Return the unified diff from the source to the mutant, for people (bytes that are no UTF-8 show as
    ``\\xNN``).
    """
    before, after = (
        content.decode("utf-8", "backslashreplace").splitlines(keepends=True)
        for content in (mutant.source, mutant.content)
    )
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
