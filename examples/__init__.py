"""Owns the subjects that mutkit is shown and tested on: small real programs with suites of their own."""
