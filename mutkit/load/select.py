"""Owns the way from paths to specs: which campaigns and spec files a path names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutkit.errors import Problem, SpecError, UsageError
from mutkit.load.resolve import resolve_campaign, resolve_spec
from mutkit.load.toml import Document, read, shown
from mutkit.load.validate import validate
from mutkit.model.campaign import Campaign, LoadedCampaign
from mutkit.model.spec import LoadedSpec, Spec

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

    ``only`` keeps the specs with these ids; ``drafts`` takes campaigns with ``gate = false`` also where only a folder
    above
    them is named. Raises UsageError for a path or an id that does not exist. Problems in files are returned, not
    raised.
    """
    folders, files, indirect = _sort(paths)
    specs: list[LoadedSpec] = []
    problems: list[Problem] = []
    left_out: list[str] = []
    for folder in folders:
        campaign = _campaign(folder, problems)
        if campaign is not None and not campaign.campaign.gate and folder in indirect and not drafts:
            left_out.append(shown(folder))
            continue
        chosen = [file for file in _spec_files(folder) if not files.get(folder) or file in files[folder]]
        for file in chosen:
            found = _spec(file, campaign)
            specs += [found] if isinstance(found, LoadedSpec) else []
            problems += found if isinstance(found, list) else []
    wanted = list(only)
    unknown = [i for i in wanted if i not in {spec.id for spec in specs}]
    if unknown and not problems:
        known = ", ".join(sorted(spec.id for spec in specs)) or "none"
        raise UsageError(f"--only: no spec has the id {', '.join(unknown)}. Selected ids: {known}", slug="id-unknown")
    kept = tuple(spec for spec in specs if not wanted or spec.id in wanted)
    return Selection(kept, tuple(problems), tuple(left_out))


def _sort(paths: Sequence[str]) -> tuple[list[Path], dict[Path, list[Path]], set[Path]]:
    """Return the campaign folders in order, the spec files named in each, and the folders named only from above."""
    folders: list[Path] = []
    files: dict[Path, list[Path]] = {}
    direct: set[Path] = set()
    for text in paths:
        path = Path(os.path.abspath(text))
        if path.is_file():
            folder = path.parent
            if path.name != CAMPAIGN_FILE:
                files.setdefault(folder, []).append(path)
            found = [folder]
            direct.add(folder)
        elif path.is_dir():
            found = _campaign_folders(path)
            direct |= {folder for folder in found if folder == path}
        else:
            raise UsageError(f"{text}: there is no such file or folder", slug="path-missing")
        if not found:
            raise UsageError(f"{text}: no {CAMPAIGN_FILE} in it or below it", slug="campaign-missing")
        folders += [folder for folder in found if folder not in folders]
    return folders, files, set(folders) - direct


def _campaign_folders(path: Path) -> list[Path]:
    if (path / CAMPAIGN_FILE).is_file():
        return [path]
    return sorted(file.parent for file in path.rglob(CAMPAIGN_FILE) if "__pycache__" not in file.parts)


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


def refuse(selection: Selection) -> None:
    """Raise SpecError with all problems, if there are any."""
    if selection.problems:
        raise SpecError(list(selection.problems))
