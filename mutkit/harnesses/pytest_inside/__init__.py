"""Owns what runs inside the subject's interpreter, without mutkit: standard library and pytest only."""
