"""Owns what a campaign and a spec refer to: tree, source file, probe, cases - all looked up, all faults told."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path

from mutkit.errors import Problem, SpecError
from mutkit.load.cases import CaseFinder
from mutkit.load.expectations import checked_because, checked_expectation, differ
from mutkit.load.services import routes_of, service_problems
from mutkit.model.campaign import Campaign, JsonRpcProbe, LoadedCampaign, Probe, ProcessProbe, PythonProbe
from mutkit.model.effect import Expectation
from mutkit.model.spec import Because, LoadedSpec, Spec
from mutkit.toml import Document, Key, shown
from mutkit.workspace import LEFT_OUT

POSSIBLE = {
    ProcessProbe: ("exits", "crashes", "hangs"),
    JsonRpcProbe: ("returns", "error", "crashes", "hangs"),
    PythonProbe: ("returns", "raises", "crashes", "hangs"),
    None: ("returns", "raises"),
}
"""Which effects each kind of probe (None: a case's own record) can show."""


def resolve_campaign(document: Document, campaign: Campaign) -> tuple[LoadedCampaign, list[Problem]]:
    """Return the campaign with its absolute paths, and what it refers to in vain."""
    folder = document.path.parent
    tree = Path(os.path.abspath(folder / campaign.tree))
    problems: list[Problem] = []
    if not tree.is_dir():
        message = f"{campaign.tree} is no folder"
        problems.append(document.problem("tree-missing", message, "It is relative to campaign.toml.", ("tree",)))
    else:
        for number, case in enumerate(campaign.suite.cases):
            if not _is_plain(case):
                key = ("suite", "cases", number)
                advice = "Name a file or folder of the tree, without `..`."
                problems.append(document.problem("cases-missing", f"{case} is not written plainly", advice, key))
            elif not (tree / case).exists():
                key = ("suite", "cases", number)
                message = f"{case} is not in the tree"
                problems.append(document.problem("cases-missing", message, "It is relative to the tree.", key))
    if not campaign.suite.cases:
        advice = "Name the suite's files or folders."
        problems.append(document.problem("cases-missing", "names nothing", advice, ("suite", "cases")))
    problems += _out_of_range(document, campaign.suite.timeout, 0, LONGEST, ("suite", "timeout"))
    problems += _out_of_range(document, campaign.suite.confirm, 1, MOST_REPEATS, ("suite", "confirm"))
    problems += [
        document.problem("env-name", f"{name!r} is no name of a variable", "Correct it.", ("suite", "env"))
        for name in campaign.suite.env
        if not name or "=" in name
    ]
    for name, probe in campaign.probes.items():
        problems += probe_problems(document, probe, folder, ("probes", name))
    return LoadedCampaign(folder.name, document.path, tree, campaign), problems


LONGEST, MOST_REPEATS = 86400, 100
"""Bounds of seconds and of repeats: what is above is a slip of the hand."""


def _out_of_range(document: Document, value: float, least: int, most: int, key: Key) -> list[Problem]:
    if least <= value <= most:
        return []
    return [document.problem("value-range", f"is {value}", f"It must be from {least} to {most:,}.", key)]


def _is_plain(path: str) -> bool:
    """Return whether a path is relative and leads nowhere but down."""
    return not os.path.isabs(path) and os.path.normpath(path) == path and not path.startswith("..")


def probe_problems(document: Document, probe: Probe, folder: Path, key: tuple[str | int, ...]) -> list[Problem]:
    """Return what a probe refers to in vain; mock scripts are relative to ``folder``, the campaign's."""
    problems = _out_of_range(document, probe.timeout, 0, LONGEST, (*key, "timeout"))
    problems += [
        document.problem("env-name", f"{name!r} is no name of a variable", "Correct it.", (*key, "env"))
        for name in probe.env
        if not name or "=" in name
    ]
    for command, script in probe.mocks.items():
        if (folder / script).is_file():
            problems += _script_problems(folder / script, shown(folder / script))
        else:
            at = (*key, "mocks", command)
            advice = "It is relative to campaign.toml."
            problems.append(document.problem("mock-missing", f"{script} does not exist", advice, at))
    problems += service_problems(document, probe, folder, key)
    if not _is_plain(probe.cwd):
        message = f"{probe.cwd} is not written plainly"
        problems.append(
            document.problem("cwd-form", message, "Name a folder of the tree, without `..`.", (*key, "cwd"))
        )
    if isinstance(probe, JsonRpcProbe) and probe.show and not probe.show.startswith("/"):
        advice = "Write a JSON Pointer, such as /result/content/0/text."
        problems.append(document.problem("show-form", f"is {probe.show!r}", advice, (*key, "show")))
    if not isinstance(probe, PythonProbe) and not probe.run:
        problems.append(document.problem("run-empty", "names no program", 'Use ["{python}", ...].', (*key, "run")))
    if isinstance(probe, PythonProbe) and not all(probe.call.partition(":")[::2]):
        advice = "Write package.module:function."
        problems.append(document.problem("call-form", f"is {probe.call!r}", advice, (*key, "call")))
    if isinstance(probe, JsonRpcProbe):
        messages = (probe.send,) if isinstance(probe.send, dict) else probe.send
        if not messages or any(not isinstance(m.get("method"), str) for m in messages):
            advice = "Each message needs a `method`."
            problems.append(document.problem("send-form", "is no message", advice, (*key, "send")))
    return problems


@functools.lru_cache(maxsize=1024)
def _script_problems(path: Path, named: str) -> tuple[Problem, ...]:
    """Return what is wrong with a mock script; several probes may use one."""
    from mutkit.hermetic import Script

    try:
        Script.from_toml(path)
    except SpecError as error:
        return tuple(replace(problem, file=named) for problem in error.problems)
    return ()


def resolve_spec(document: Document, spec: Spec, campaign: LoadedCampaign) -> LoadedSpec | list[Problem]:
    """Return the spec with all that it refers to, or everything that is wrong with it."""
    problems: list[Problem] = []
    if not spec.defect.strip():
        problems.append(document.problem("defect-blank", "is blank", "Say the defect in a sentence.", ("defect",)))
    source = _source(document, spec, campaign, problems)
    _rewrite(document, spec, problems)
    probe, probe_name = _probe(document, spec, campaign, problems)
    healthy, defective = _expectations(document, spec, probe, campaign, problems)
    finder = CaseFinder(campaign)
    killers = _killers(document, spec, finder, problems)
    observed = ""
    if spec.observe is not None:
        observed = _case(document, spec.observe, finder, problems, ("observe",))
    may_fail = frozenset(
        _case(document, case, finder, problems, ("may_fail", number)) for number, case in enumerate(spec.may_fail)
    )
    for number, case in enumerate(spec.may_fail):
        if finder.find(case) in killers:
            advice = "A case that must fail cannot be one that may."
            key = ("may_fail", number)
            problems.append(document.problem("case-contradicted", f"{case} stands in must_fail too", advice, key))
    if problems:
        return problems
    final = replace(spec, healthy=healthy, defective=defective)
    return LoadedSpec(
        document.path.stem,
        document.path,
        document.shown,
        campaign,
        final,
        source,
        probe,
        probe_name,
        killers,
        observed,
        may_fail,
    )


def _source(document: Document, spec: Spec, campaign: LoadedCampaign, problems: list[Problem]) -> Path:
    path = campaign.tree / spec.file
    key = ("file",)
    normal = Path(os.path.normpath(path))
    if os.path.isabs(spec.file) or not normal.is_relative_to(campaign.tree):
        advice = "Only files of the tree can be mutated."
        problems.append(document.problem("file-outside-tree", f"{spec.file} is outside of the tree", advice, key))
    elif link := next(
        (p for p in (normal, *normal.parents) if p != campaign.tree and _is_link_below(p, campaign)), None
    ):
        shown = link.relative_to(campaign.tree).as_posix()
        advice = "Name the file that it points to."
        problems.append(document.problem("file-is-link", f"{shown} is a symbolic link", advice, key))
    elif spec.file != normal.relative_to(campaign.tree).as_posix():
        plain = normal.relative_to(campaign.tree).as_posix()
        message = f"{spec.file} is not written plainly"
        problems.append(document.problem("file-not-plain", message, f"Write {plain}.", key))
    elif left_out := set(spec.file.split("/")) & (LEFT_OUT | set(campaign.campaign.leave_out)):
        message = f"{spec.file} is left out of copies, by the name {sorted(left_out)[0]}"
        advice = "Take it out of `leave_out`, or name another file."
        problems.append(document.problem("file-left-out", message, advice, key))
    elif not normal.is_file():
        message = f"{spec.file} is not a file of the tree"
        problems.append(document.problem("file-missing", message, "It is relative to the campaign's tree.", key))
    return normal


def _is_link_below(path: Path, campaign: LoadedCampaign) -> bool:
    return path.is_relative_to(campaign.tree) and path.is_symlink()


def _rewrite(document: Document, spec: Spec, problems: list[Problem]) -> None:
    if spec.rewrite is not None:
        if spec.find is not None or spec.replace is not None:
            advice = "Keep `find` and `replace`, or `rewrite`."
            problems.append(
                document.problem("rewrite-twice", "stands beside `find` or `replace`", advice, ("rewrite",))
            )
        file, _, name = spec.rewrite.rpartition(":")
        if not file or not name.isidentifier():
            problems.append(
                document.problem("rewrite-form", f"is {spec.rewrite!r}", "Write file.py:Class.", ("rewrite",))
            )
        elif not (document.path.parent / file).is_file():
            advice = "It is relative to the spec."
            problems.append(document.problem("rewrite-missing", f"{file} does not exist", advice, ("rewrite",)))
        return
    for key in ("find", "replace"):
        if getattr(spec, key) is None:
            problems.append(document.problem("key-missing", "is missing", "Add it (or `rewrite`).", (key,)))
    if spec.find is not None and not spec.find.strip():
        problems.append(document.problem("find-blank", "is blank", "Write the code that is taken away.", ("find",)))


def _probe(
    document: Document, spec: Spec, campaign: LoadedCampaign, problems: list[Problem]
) -> tuple[Probe | None, str]:
    if (spec.probe is None) == (spec.observe is None):
        which = "stands beside `observe`" if spec.probe is not None else "is missing"
        advice = "Give `probe` (a name or a table), or `observe` (a case that records)."
        problems.append(document.problem("probe-or-observe", which, advice, ("probe",)))
    if isinstance(spec.probe, str):
        found = campaign.campaign.probes.get(spec.probe)
        if found is None:
            known = ", ".join(sorted(campaign.campaign.probes)) or "none"
            message = f"{spec.probe} is not a probe of the campaign"
            problems.append(document.problem("probe-unknown", message, f"Probes: {known}.", ("probe",)))
        return found, spec.probe
    if spec.probe is not None:
        problems += probe_problems(document, spec.probe, campaign.file.parent, ("probe",))
        return spec.probe, f"{document.path.stem} (its own)"
    return None, ""


def _expectations(
    document: Document, spec: Spec, probe: Probe | None, campaign: LoadedCampaign, problems: list[Problem]
) -> tuple[Expectation, Expectation]:
    before = len(problems)
    possible = POSSIBLE[type(probe) if probe is not None else None]
    if isinstance(spec.probe, str) and probe is None:
        possible = ()  # the probe is unknown: its own problem
    services = routes_of(probe, campaign.file.parent) if possible else None
    healthy = checked_expectation(document, spec.healthy, "healthy", possible, problems, services)
    defective = checked_expectation(document, spec.defective, "defective", possible, problems, services)
    if len(problems) == before and not differ(healthy, defective):
        message = "says the same as [healthy]"
        advice = "The two must differ: else the mutant cannot be told from the healthy program."
        problems.append(document.problem("expectations-equal", message, advice, ("defective",)))
    return healthy, defective


def _killers(document: Document, spec: Spec, finder: CaseFinder, problems: list[Problem]) -> dict[str, Because]:
    killers: dict[str, Because] = {}
    if not spec.must_fail:
        advice = "Name at least one case, with its because."
        problems.append(document.problem("must-fail-empty", "names no case", advice, ("must_fail",)))
    for number, entry in enumerate(spec.must_fail):
        key = ("must_fail", number)
        case_id = _case(document, entry.case, finder, problems, (*key, "case"))
        if case_id in killers:
            problems.append(document.problem("case-twice", f"{entry.case} is named twice", "Keep one.", (*key, "case")))
        killers[case_id] = checked_because(document, entry.because, (*key, "because"), problems)
    return killers


def _case(
    document: Document, case: str, finder: CaseFinder, problems: list[Problem], key: tuple[str | int, ...]
) -> str:
    found = finder.find(case)
    if isinstance(found, str):
        return found
    problems.append(document.problem(found.slug, found.message, found.advice, key))
    return case
