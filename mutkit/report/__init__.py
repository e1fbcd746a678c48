"""Owns what people and programs read of a run: text for terminals, JSON for programs."""

from mutkit.report.json_report import SCHEMA, as_json, report_schema
from mutkit.report.text import final_lines, judged_lines, show_lines

__all__ = ["SCHEMA", "as_json", "final_lines", "judged_lines", "report_schema", "show_lines"]
