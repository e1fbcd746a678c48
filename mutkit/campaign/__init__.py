"""Owns the order of a campaign: baseline, controls, mutants, judgements. The only place that knows it."""

from mutkit.campaign.lint import lint
from mutkit.campaign.result import RunResult, SpecResult
from mutkit.campaign.run import Listener, Options, run

__all__ = ["Listener", "Options", "RunResult", "SpecResult", "lint", "run"]
