"""Owns lint: everything that can be said of specs without running the subject."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mutkit.errors import INVALID_SLUGS, NOT_VIABLE_SLUGS, STALE_SLUGS, Problem
from mutkit.load import Selection
from mutkit.model.mutant import Mutant
from mutkit.model.observation import Hindrance
from mutkit.model.spec import LoadedSpec
from mutkit.mutate import mutate
from mutkit.toml import Document, read

KEYS = {
    "scope-missing": "in",
    "scope-ambiguous": "in",
    "anchor-missing": "find",
    "anchor-ambiguous": "find",
    "pattern-syntax": "find",
    "source-encoding": "file",
    "source-syntax": "file",
    "rewrite-invalid": "rewrite",
}
"""The key of the spec that a hindrance is about; the others are about ``replace``."""

ADVICE = {
    "scope-missing": "Name a definition that is there, dotted: Class.method.",
    "scope-ambiguous": "Name a scope that is defined once.",
    "anchor-missing": "Correct `find` (or `in`) so that it matches one place.",
    "anchor-ambiguous": "Make `find` or `in` narrower, so that one place matches.",
    "pattern-syntax": "Write code of the target language; $X is one expression, $$$X a run.",
    "replace-syntax": "Write code of the target language, or leave it empty to delete statements.",
    "metavariable-unknown": "Use only what `find` captures.",
    "rewrite-no-effect": "Write another replacement: this one gives the same program.",
    "result-syntax": "Correct `replace`: the mutant does not parse.",
    "source-encoding": "Correct the source file.",
    "source-syntax": "Correct the source file.",
    "rewrite-invalid": "See docs/authoring.md, the transformer form.",
}


def lint(selection: Selection) -> tuple[Problem, ...]:
    """Return all problems of the selected specs: those of the files, then those of anchors and rewrites."""
    problems = list(selection.problems)
    for loaded in selection.specs:
        made = mutate(loaded)
        if isinstance(made, Hindrance):
            problems.append(hindrance_problem(loaded, made))
    return tuple(sorted(problems, key=lambda p: (p.file, p.line or 0)))


def hindrance_problem(loaded: LoadedSpec, hindrance: Hindrance) -> Problem:
    """Return a hindrance as a problem at its key in the spec's file."""
    document = read(loaded.path, loaded.shown)
    key = KEYS.get(hindrance.slug, "replace")
    if key == "rewrite" and loaded.spec.rewrite is None:
        key = "file"
    if key != "file" and loaded.spec.rewrite is not None:
        key = "in" if key == "in" else "rewrite"
    line = document.line((key,)) if isinstance(document, Document) else None
    return Problem(hindrance.slug, hindrance.message, ADVICE.get(hindrance.slug, ""), loaded.shown, line, key)


def only_stale(problems: Iterable[Problem]) -> bool:
    """Return whether all problems are stale anchors: the specs are sound, the source has moved on."""
    return all(problem.slug in STALE_SLUGS for problem in problems)


def make_all(
    specs: Iterable[LoadedSpec],
) -> tuple[dict[Path, Mutant], dict[Path, Hindrance], list[Problem]]:
    """Make all mutants, by the spec's path: return them, the hindrances that are verdicts, and those that make a spec
    invalid.
    """
    mutants: dict[Path, Mutant] = {}
    hindrances: dict[Path, Hindrance] = {}
    invalid: list[Problem] = []
    for loaded in specs:
        made = mutate(loaded)
        if isinstance(made, Mutant):
            mutants[loaded.path] = made
        elif made.slug in STALE_SLUGS | NOT_VIABLE_SLUGS:
            hindrances[loaded.path] = made
        elif made.slug in INVALID_SLUGS:
            invalid.append(hindrance_problem(loaded, made))
    return mutants, hindrances, invalid
