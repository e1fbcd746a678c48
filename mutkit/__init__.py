"""Mutkit: prove that a test suite notices the very defect that a mutation is named after."""

__version__ = "0.1.0"
