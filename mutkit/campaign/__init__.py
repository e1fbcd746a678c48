"""Owns the order of a campaign: baseline, controls, mutants, judgements. The only place that knows it."""

from mutkit.campaign.run import Listener, Options, run_campaigns

__all__ = ["Listener", "Options", "run_campaigns"]
