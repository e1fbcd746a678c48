"""Owns rewriting of Python files. The only package that may import libcst."""
