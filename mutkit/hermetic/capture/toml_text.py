"""Owns text as TOML writes it, so that people can read it and every byte comes back."""

from __future__ import annotations

_SHORT = {"\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def string(text: str) -> str:
    """Return ``text`` as a TOML string: of several lines where it has them, with as few escapes as can be."""
    return _lines(text) if "\n" in text[:-1] else line(text)


def line(text: str) -> str:
    """Return ``text`` as a TOML string on one line."""
    if '"' not in text and "\\" not in text:
        return '"' + "".join(map(_escaped, text)) + '"'
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + "".join('\\"' if sign == '"' else _escaped(sign) for sign in text) + '"'


def _lines(text: str) -> str:
    plain = all(sign.isprintable() or sign in "\n\t" for sign in text)
    if plain and "'''" not in text and not text.endswith("'") and ("\\" in text or '""' in text):
        return f"'''\n{text}'''"
    kept = "".join(sign if sign in "\n\t" else _escaped(sign) for sign in text)
    kept = kept.replace('""', '"\\"')  # no three in a row, and none before the closing ones
    if kept.endswith('"'):
        kept = kept[:-1] + '\\"'
    return f'"""\n{kept}"""'


def _escaped(sign: str) -> str:
    """Return a character as it stands between quotes: what cannot be seen, as an escape."""
    if sign in _SHORT:
        return _SHORT[sign]
    if sign.isprintable():
        return sign
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"
