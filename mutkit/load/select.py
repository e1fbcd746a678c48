"""Owns the way from paths to specs: which campaigns and spec files a path names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutkit.errors import Problem, UsageError
from mutkit.load.resolve import resolve_campaign, resolve_spec
from mutkit.load.validate import validate
from mutkit.model.campaign import Campaign, LoadedCampaign
from mutkit.model.spec import LoadedSpec, Spec
from mutkit.toml import Document, read, shown

CAMPAIGN_FILE = "campaign.toml"


@dataclass(frozen=True)
class Selection:
    """What was read: the specs in a fixed order (by campaign, then id), and what is wrong with the others.

    ``left_out`` names campaigns with ``gate = false`` that a parent folder would have selected.
    """

    specs: tuple[LoadedSpec, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...] = ()


def load(paths: Sequence[str], *, only: Iterable[str] = (), drafts: bool = False) -> Selection:
    """Return the specs that ``paths`` name: spec files, campaign folders, or folders of campaigns.

    ``only`` keeps the specs with these ids (``id`` or ``campaign/id``); ``drafts`` takes campaigns with
    ``gate = false`` also where only a folder above them is named. Raises UsageError for a path or an id that does not
    exist, and for a file that is no spec. Problems in files are returned, not raised.
    """
    named = _sort(paths)
    specs: list[LoadedSpec] = []
    problems: list[Problem] = []
    left_out: list[str] = []
    for folder, files in named.items():
        campaign = _campaign(folder, problems)
        if campaign is not None and not campaign.campaign.gate and files is FROM_ABOVE and not drafts:
            left_out.append(shown(folder))
            continue
        for file in _spec_files(folder) if isinstance(files, str) else files:
            found = _spec(file, campaign)
            specs += [found] if isinstance(found, LoadedSpec) else []
            problems += found if isinstance(found, list) else []
    return Selection(_only(specs, list(only), problems), tuple(problems), tuple(left_out))


def _only(specs: list[LoadedSpec], wanted: list[str], problems: list[Problem]) -> tuple[LoadedSpec, ...]:
    if not wanted:
        return tuple(specs)
    names = {word for spec in specs for word in (spec.id, f"{spec.campaign.name}/{spec.id}")}
    unknown = [word for word in wanted if word not in names]
    if unknown and not problems:
        known = ", ".join(sorted(spec.id for spec in specs)) or "none"
        raise UsageError(f"--only: no spec has the id {', '.join(unknown)}. Selected ids: {known}", slug="id-unknown")
    return tuple(spec for spec in specs if spec.id in wanted or f"{spec.campaign.name}/{spec.id}" in wanted)


WHOLE, FROM_ABOVE = "whole", "from above"
"""How a campaign's folder was named: itself, or a folder above it. Else its spec files are listed one by one."""


def _sort(paths: Sequence[str]) -> dict[Path, str | list[Path]]:
    """Return the campaign folders in order; a folder that is named as a whole keeps all its specs."""
    named: dict[Path, str | list[Path]] = {}
    for text in paths:
        path = Path(os.path.abspath(text))
        if path.is_file():
            _sort_file(path, text, named)
        elif path.is_dir():
            folders = _campaign_folders(path)
            if not folders:
                raise UsageError(f"{text}: no {CAMPAIGN_FILE} in it or below it", slug="campaign-missing")
            for folder in folders:
                if folder == path or named.get(folder) != WHOLE:
                    named[folder] = WHOLE if folder == path else FROM_ABOVE
        else:
            near = f". Did you mean {text}.toml?" if Path(f"{path}.toml").is_file() else ""
            raise UsageError(f"{text}: there is no such file or folder{near}", slug="path-missing")
    return named


def _sort_file(path: Path, text: str, named: dict[Path, str | list[Path]]) -> None:
    folder = path.parent
    if path.name == CAMPAIGN_FILE:
        named[folder] = WHOLE
        return
    if path.suffix != ".toml" or not (folder / CAMPAIGN_FILE).is_file():
        message = f"{text}: is no spec: a spec is a .toml file beside {CAMPAIGN_FILE}"
        raise UsageError(message, slug="path-not-a-spec")
    files = named.setdefault(folder, [])
    if files == FROM_ABOVE:
        named[folder] = WHOLE
    elif isinstance(files, list) and path not in files:
        files.append(path)


def _campaign_folders(path: Path) -> list[Path]:
    """Return all campaign folders in a folder, itself first; links are not followed."""
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", ".git", "node_modules"))
        found += [Path(folder)] if CAMPAIGN_FILE in files else []
    return sorted(found)


def _spec_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.toml") if file.name != CAMPAIGN_FILE)


def _campaign(folder: Path, problems: list[Problem]) -> LoadedCampaign | None:
    file = folder / CAMPAIGN_FILE
    document = read(file, shown(file))
    if isinstance(document, Problem):
        problems.append(document)
        return None
    campaign = validate(document, Campaign)
    if isinstance(campaign, list):
        problems += campaign
        return None
    loaded, found = resolve_campaign(document, campaign)
    problems += found
    return loaded if loaded.tree.is_dir() else None


def _spec(file: Path, campaign: LoadedCampaign | None) -> LoadedSpec | list[Problem] | None:
    document = read(file, shown(file))
    if isinstance(document, Problem):
        return [document]
    found = _renamed(document)
    spec = validate(document, Spec)
    if isinstance(spec, list):
        return found + spec
    if campaign is None:
        return found
    return found or resolve_spec(document, spec, campaign)


def _renamed(document: Document) -> list[Problem]:
    """Put the key ``in`` (a word of Python) under the name that the dataclass has."""
    if "in_" in document.data:
        return [document.problem("key-unknown", "is not a key", "Did you mean `in`?", ("in_",))]
    if "in" in document.data:
        document.rename("in", "in_")
    return []
