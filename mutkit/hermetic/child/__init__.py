"""Owns what runs inside a mock child. install.py copies this folder out; nothing else of mutkit is there."""
