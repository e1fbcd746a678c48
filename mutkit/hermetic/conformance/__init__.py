"""Owns the comparison of ready-made mocks with the real programs that they stand for, scenario by scenario."""
