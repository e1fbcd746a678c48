"""Owns the order of a campaign: baseline, controls, mutants, judgements.

The only place that knows it. Nothing is imported here: ``mutkit.campaign.lint`` must not pay for what only
``mutkit.campaign.run`` needs.
"""
