"""Owns the older generations of bridge.py, each a drop-in for it, with the defects that they really had."""
