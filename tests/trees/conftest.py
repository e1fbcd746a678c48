"""Owns that nothing below is collected by this project's own run: the trees are subjects, run from copies."""

collect_ignore_glob = ["*"]
