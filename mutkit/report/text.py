"""Owns the text for people: one line a spec, and a full account of every spec that is not killed."""

from __future__ import annotations

from mutkit.model.case import BROKEN, CaseRecord
from mutkit.model.describe import counted, describe_effect, describe_expectation, describe_matcher, quoted
from mutkit.model.judgement import Verdict
from mutkit.model.mutant import Mutant
from mutkit.model.result import RunResult, SpecResult
from mutkit.model.spec import Because, LoadedSpec, fits
from mutkit.report.isolation import isolation_line
from mutkit.report.wrapping import wrapped

Line = tuple[str, str]
"""One line: its style (a word of ``STYLES``, or empty) and its text."""

STYLES = {"good": "green", "bad": "red", "unsure": "yellow", "strong": "bold", "faint": "dim"}

_TOLD = frozenset({"as-modelled", "not-as-modelled", "wrong-because", "killer-passed", "killers-failed"})
"""Slugs of reasons that the lines on the mutant and on the cases tell already."""

_STYLE_OF = {
    Verdict.KILLED: "good",
    Verdict.STALE: "unsure",
    Verdict.UNSTABLE: "unsure",
    Verdict.INCONCLUSIVE: "unsure",
}

_CONTROLS = [code for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"]
_REORDERING = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_ESCAPES = {code: f"\\x{code:02x}" for code in _CONTROLS} | {code: f"\\u{code:04x}" for code in _REORDERING}


def harmless(text: str) -> str:
    """Return ``text`` with what a terminal would act on (escape sequences, reordering) written as ``\\x1b``.

    What mutants and their cases say is shown to people, who must not be deceived by it.
    """
    return text.translate(_ESCAPES)


def judged_lines(result: SpecResult) -> list[Line]:
    """Return the one line of a spec: verdict, campaign and id, and the first reason that speaks for the verdict."""
    verdict = result.judgement.verdict
    reasons = result.judgement.reasons
    telling = next((one for one in reasons if one.slug != "as-modelled"), reasons[0])
    reason = telling.message.split("\n")[0]
    if verdict is Verdict.KILLED:
        killers = len(result.loaded.killers)
        seen = describe_effect(result.evidence.mutant.effect, 90) if result.evidence.mutant else ""
        reason = f"it {seen}; noticed by {counted(killers, 'case')}"
    elif len(reason) > 160:
        reason = reason[:157] + "..."
    name = f"{result.loaded.campaign.name}/{result.loaded.id}"
    return [(_STYLE_OF.get(verdict, "bad"), harmless(f"{verdict.value:<15} {name}: {reason}"))]


def final_lines(result: RunResult, width: int | None = None) -> list[Line]:
    """Return the end of a run: an account of each spec that is not killed, the counts, the reason of the exit
    code.

    ``width``: the columns of the terminal, to which lines are wrapped, and on which counts of zero are left out; None:
    there is no terminal.
    """
    return [(style, line) for style, text in _final_lines(result, width) for line in wrapped(text, width)]


def _final_lines(result: RunResult, width: int | None) -> list[Line]:
    lines: list[Line] = []
    for one in result.results:
        if one.judgement.verdict is not Verdict.KILLED:
            lines += [("", ""), *((style, harmless(text)) for style, text in _account(one))]
    lines.append(("", ""))
    lines += [("faint", f"left out (gate = false; name it to run it): {name}") for name in result.left_out]
    lines += [("faint", f"leftover of a dead run removed: {path}") for path in result.cleared]
    lines += [("faint", f"workspace kept: {path}") for path in result.kept]
    isolation = isolation_line(result)
    if isolation:
        lines.append(("unsure" if "OPEN" in isolation else "faint", harmless(isolation)))
    told = {word: number for word, number in result.conclusion.counts.items() if number or width is None}
    counts = ", ".join(f"{number} {word}" for word, number in told.items()) or "no verdict"
    lines.append(("", f"{counts} ({result.duration:.1f} s)"))
    code = int(result.conclusion.code)
    lines.append(("good" if code == 0 else "bad", f"exit {code}: {result.conclusion.reason}"))
    return lines


def _account(result: SpecResult) -> list[Line]:
    """Return everything that a person needs to act on one spec."""
    loaded, judgement = result.loaded, result.judgement
    style = _STYLE_OF.get(judgement.verdict, "bad")
    lines: list[Line] = [
        (style, f"{judgement.verdict.value}: {loaded.shown}"),
        ("", f"  defect    {loaded.spec.defect}"),
    ]
    if result.mutant is not None:
        lines.append(("", f"  place     {loaded.spec.file}:{result.mutant.site.first_line}"))
    lines.append(("", f"  modelled  it {describe_expectation(loaded.spec.defective)}"))
    mutant = result.evidence.mutant
    if mutant is not None:
        lines.append(("strong", f"  really    it {describe_effect(mutant.effect, 600)}"))
    controls = result.evidence.controls
    if controls is not None:
        lines.append(("", f"  baseline  it {describe_effect(controls.baseline.effect, 200)}"))
    lines += _case_lines(result)
    for reason in judgement.reasons:
        if reason.slug not in _TOLD:
            first, *rest = reason.message.split("\n")
            lines.append(("", f"  why       {first} [{reason.slug}]"))
            lines += [("", f"            {line.strip()}") for line in rest]
    lines.append(("", f"  depth     {judgement.depth.value}; to act: {judgement.blame.value}"))
    advice = dict.fromkeys(reason.advice for reason in judgement.reasons if reason.advice)
    if not advice:
        advice = {f"see docs/messages.md, {judgement.reasons[-1].slug}": None}
    lines += [("strong", f"  do next   {text}") for text in advice]
    return lines


def _case_lines(result: SpecResult) -> list[Line]:
    mutant = result.evidence.mutant
    if mutant is None or mutant.suite is None:
        return []
    lines: list[Line] = []
    for case_id, because in result.loaded.killers.items():
        record = mutant.suite.case(case_id)
        lines.append(("", f"  case      {case_id}"))
        if record.outcome not in BROKEN:
            lines.append(("bad", f"            {record.outcome.value}, but must fail"))
        elif fits(because, record):
            lines.append(("", f"            {record.outcome.value} for its reason, {_said_by(record)}"))
        else:
            lines.append(("bad", f"            {record.outcome.value} for another reason:"))
            lines.append(("", f"            really  {_said_by(record)}"))
            lines.append(("", f"            stated  {_because(because)}"))
    for record in mutant.suite.cases:
        if record.outcome in BROKEN and record.id in result.loaded.may_fail:
            lines.append(("", f"  case      {record.id}"))
            lines.append(("", f"            {record.outcome.value} (allowed), {_said_by(record)}"))
    lines += [("faint", f"  changed   {path} (put back)") for path in mutant.changed]
    return lines


def _said_by(record: CaseRecord) -> str:
    return f"{record.exception}: {quoted(record.message, 240)}" + (f" at {record.place}" if record.place else "")


def show_lines(loaded: LoadedSpec, mutant: Mutant, diff: str) -> list[Line]:
    """Return a spec for a reader: defect, anchor in its source, diff, expectation."""
    spec = loaded.spec
    lines: list[Line] = [("strong", f"{loaded.campaign.name}/{loaded.id}"), ("", spec.defect)]
    lines += [("faint", f"origin: {spec.origin}")] if spec.origin else []
    lines += [("", ""), ("strong", f"{spec.file}:{mutant.site.first_line} in {spec.in_ or 'the module'}")]
    first, last = mutant.site.first_line, mutant.site.last_line
    source = mutant.source.decode("utf-8", "backslashreplace").splitlines()[first - 1 : last]
    lines += [("", f"{number:>6}  {text}") for number, text in enumerate(source, first)]
    lines += [("", ""), ("strong", "the mutant")]
    styles = {"+": "good", "-": "bad", "@": "faint"}
    lines += [(styles.get(line[:1], ""), line) for line in diff.splitlines()]
    probe = f"probe {loaded.probe_name}" if loaded.probe is not None else f"record of {loaded.observed_case}"
    lines += [("", ""), ("strong", f"seen through {probe}")]
    lines.append(("good", f"healthy:   it {describe_expectation(spec.healthy)}"))
    lines.append(("bad", f"defective: it {describe_expectation(spec.defective)}"))
    lines += [("", ""), ("strong", "cases that must fail")]
    for case_id, because in loaded.killers.items():
        lines += [("", f"{case_id}"), ("faint", f"    because {_because(because)}")]
    lines += [("", f"{case_id} (may fail)") for case_id in sorted(loaded.may_fail)]
    return lines


def _because(because: Because) -> str:
    return because.raises + ("" if because.message is None else f": {describe_matcher(because.message)}")
