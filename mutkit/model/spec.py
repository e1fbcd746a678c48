"""Owns specs as their authors write them: one curated mutation a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from mutkit.model.campaign import LoadedCampaign, Probe
from mutkit.model.case import BROKEN, CaseRecord
from mutkit.model.effect import Expectation, names_exception
from mutkit.model.matcher import CLOSED, MatcherLike, matches


@dataclass(frozen=True)
class Because:
    """For what reason a case must fail: the exception's type, and what its message must look like."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    raises: str
    message: MatcherLike = None


@dataclass(frozen=True)
class MustFail:
    """A case that must fail under the mutant, and why.

    ``case`` is an id relative to the tree or to a folder of the suite.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    case: str
    because: Because


@dataclass(frozen=True)
class Spec:
    """One curated mutation.

    ``defect`` in a sentence; ``file`` the source file, relative to the tree; ``in_`` (key ``in``) a dotted scope;
    ``find`` and
    ``replace`` code patterns, or ``rewrite`` = "file.py:Class", a libcst transformer in a file beside the spec;
    ``probe`` the name of a probe of
    the campaign, or a probe; or ``observe`` the id of the case whose own record is the observation.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    defect: str
    file: str
    healthy: Expectation
    defective: Expectation
    must_fail: tuple[MustFail, ...]
    in_: str = ""
    find: str | None = None
    replace: str | None = None
    rewrite: str | None = None
    probe: str | Probe | None = None
    observe: str | None = None
    may_fail: tuple[str, ...] = ()
    origin: str = ""
    note: str = ""


@dataclass(frozen=True)
class LoadedSpec:
    """A spec and where it stands.

    ``id`` is the file's name without ``.toml``; ``path`` is absolute, ``shown`` is how messages write it; ``source``
    the absolute path of the source file; ``probe`` the probe that is used (None where a case's record is);
    ``killers`` maps full case ids to their reason; ``observed_case`` and ``may_fail`` are full case ids.
    """

    id: str
    path: Path
    shown: str
    campaign: LoadedCampaign
    spec: Spec
    source: Path
    probe: Probe | None
    probe_name: str
    killers: dict[str, Because]
    observed_case: str = ""
    may_fail: frozenset[str] = field(default_factory=frozenset)


def fits(because: Because, record: CaseRecord) -> bool:
    """Return whether a case failed, and for the stated reason."""
    return (
        record.outcome in BROKEN
        and names_exception(because.raises, record.exception)
        and (because.message is None or matches(because.message, record.message))
    )
