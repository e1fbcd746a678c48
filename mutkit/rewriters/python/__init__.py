"""Owns rewriting of Python files. The only package that may import libcst.

The pattern language, as authors may rely on it; tests/suites/rewriters/python/ has each rule as an example.

What matches:
  - ``find`` that is one expression matches expressions; anything else matches adjacent statements of one body.
  - ``$X`` is exactly one expression. Twice the same name must be twice equal code. It may also stand for a
    name: of an attribute, a parameter, a keyword (``f($K=1)``), a function or class, an import, in ``global``;
    and for a ``case`` pattern. ``$_`` is the same without capturing, so that twice ``$_`` may differ.
  - ``$$$X`` is a run, maybe empty, of statements, arguments, bases, parameters, elements, subscripts, names,
    ``with`` items or decorators (``@$$$D``); in a dict it is written ``**$$$X``. Where two runs could share
    members in several ways, the first takes as few as it can. A pattern that begins (ends) with a run of
    statements begins (ends) with the body.
  - ``$`` in plain strings, comments and the text of f-strings is a dollar.
  - An expression matches where an expression stands: ``text`` is not the keyword of ``f(text=1)``, nor
    ``a.text``.

Equal are: other white space, comments, parentheses that change nothing, trailing commas, other spellings of a
string or a number of the same value, ``a; b`` and two lines, a body on its head's line, ``elif`` and ``else``
around one ``if``. Strings that are concatenated from parts are compared part by part. All else counts:
operators, ``else``, one more statement, decorators, ``async``, annotations, ``from``, defaults, order.

Scopes: a dotted name of one definition. Its parameters, annotations and bases are in its scope; its decorators,
and the definition as a statement, are in the scope around.

Replacements: one expression for an expression; statements for statements, or for an expression that is a whole
statement. Nothing deletes whole statements. Comments before and beside the site stay; those inside of it go,
but for those in a captured run of statements. In a line shared with other statements only simple statements can
be put.
"""
