"""Owns the JSON report: a documented, versioned schema that programs may rely on."""

from __future__ import annotations

import platform
from typing import Any

import mutkit
from mutkit.model.case import BROKEN, SuiteRun
from mutkit.model.judgement import Blame, Depth, Verdict
from mutkit.model.matcher import Json
from mutkit.model.observation import Evidence
from mutkit.model.result import RunResult, SpecResult
from mutkit.model.spec import fits
from mutkit.report.isolation import isolation_json, isolation_schema
from mutkit.report.values import because_json, case_json, effect_json, expectation_json

SCHEMA = "mutkit-run/1"
"""The version of the report: the number grows when a key goes or changes its meaning, not when one is added."""


def as_json(result: RunResult) -> dict[str, Json]:
    """Return a run as the JSON object that ``report_schema`` describes."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "mutkit", "version": mutkit.__version__},
        "environment": {"python": platform.python_version(), "platform": platform.platform()},
        "counts": {"selected": result.selected, **result.conclusion.counts},
        "exit": {"code": int(result.conclusion.code), "reason": result.conclusion.reason},
        "seconds": round(result.duration, 2),
        "isolation": isolation_json(result),
        "left_out": list(result.left_out),
        "kept": list(result.kept),
        "cleared": list(result.cleared),
        "problems": [vars(problem) for problem in result.problems],
        "judgements": [_judgement(one) for one in result.results],
    }


def _judgement(result: SpecResult) -> dict[str, Json]:
    loaded, judgement = result.loaded, result.judgement
    mutant = result.evidence.mutant
    return {
        "id": loaded.id,
        "campaign": loaded.campaign.name,
        "spec": loaded.shown,
        "defect": loaded.spec.defect,
        "file": loaded.spec.file,
        "line": result.mutant.site.first_line if result.mutant is not None else None,
        "verdict": judgement.verdict.value,
        "depth": judgement.depth.value,
        "blame": judgement.blame.value,
        "reasons": [
            {"slug": reason.slug, "message": reason.message, "advice": reason.advice} for reason in judgement.reasons
        ],
        "modelled": expectation_json(loaded.spec.defective),
        "healthy": expectation_json(loaded.spec.healthy),
        "observed": {
            "mutant": effect_json(mutant.effect) if mutant is not None else None,
            "baseline": effect_json(_baseline_effect(result.evidence)),
        },
        "cases": _cases(result),
        "changed_files": list(mutant.changed) if mutant is not None else [],
        "repeats": 1 + len(mutant.confirmations) if mutant is not None and mutant.suite is not None else 0,
    }


def _baseline_effect(evidence: Evidence) -> Any:
    return evidence.controls.baseline.effect if evidence.controls is not None else None


def _cases(result: SpecResult) -> list[Json]:
    """Return the named cases, and all others that failed or ended otherwise than on the baseline."""
    loaded = result.loaded
    mutant = result.evidence.mutant
    suite: SuiteRun | None = mutant.suite if mutant is not None else None
    rows: list[Json] = []
    for case_id, because in loaded.killers.items():
        row: dict[str, Json] = {"id": case_id, "named": True, "because": because_json(because)}
        if suite is not None:
            record = suite.case(case_id)
            row |= case_json(record) | {"for_its_reason": fits(because, record)}
        rows.append(row)
    return rows + _others(result, suite) if suite is not None else rows


def _others(result: SpecResult, suite: SuiteRun) -> list[Json]:
    """Return the cases that are not named and failed, or ended otherwise than on the baseline; missing ones too."""
    loaded, controls = result.loaded, result.evidence.controls
    before = controls.baseline.suite if controls is not None else None
    known = [*suite.cases, *(before.cases if before is not None else ())]
    rows: list[Json] = []
    for case_id in dict.fromkeys(record.id for record in known if record.id not in loaded.killers):
        record = suite.case(case_id)
        earlier = before.case(case_id).outcome if before is not None else record.outcome
        if record.outcome in BROKEN or record.outcome is not earlier:
            allowed = case_id in loaded.may_fail
            rows.append({"named": False, "allowed": allowed, "was": earlier.value, **case_json(record)})
    return rows


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the report."""
    text = {"type": "string"}
    reason = _object({"slug": text, "message": text, "advice": text})
    judgement = _object(
        {
            "id": text,
            "campaign": text,
            "spec": text,
            "defect": text,
            "file": text,
            "line": {"type": ["integer", "null"]},
            "verdict": {"enum": [verdict.value for verdict in Verdict]},
            "depth": {"enum": [depth.value for depth in Depth]},
            "blame": {"enum": [blame.value for blame in Blame]},
            "reasons": {"type": "array", "minItems": 1, "items": reason},
            "modelled": {"type": "object", "required": ["text"]},
            "healthy": {"type": "object", "required": ["text"]},
            "observed": _object({"mutant": {"type": ["object", "null"]}, "baseline": {"type": ["object", "null"]}}),
            "cases": {"type": "array", "items": {"type": "object", "required": ["id", "named"]}},
            "changed_files": {"type": "array", "items": text},
            "repeats": {"type": "integer", "minimum": 0},
        }
    )
    counts = {"selected": {"type": "integer"}} | {verdict.value: {"type": "integer"} for verdict in Verdict}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mutkit run report",
        **_object(
            {
                "schema": {"const": SCHEMA},
                "tool": _object({"name": text, "version": text}),
                "environment": {"type": "object"},
                "counts": _object(counts),
                "exit": _object({"code": {"type": "integer"}, "reason": text}),
                "seconds": {"type": "number"},
                "isolation": isolation_schema(),
                "left_out": {"type": "array", "items": text},
                "kept": {"type": "array", "items": text},
                "cleared": {"type": "array", "items": text},
                "problems": {"type": "array", "items": {"type": "object", "required": ["slug", "message", "advice"]}},
                "judgements": {"type": "array", "items": judgement},
            }
        ),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
