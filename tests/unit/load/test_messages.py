"""Owns the tests of every broken kind of spec and campaign: the exact message, with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutkit.load import load
from tests.projects import CAMPAIGN, SPEC, write_project

S = "specs/greeting/blank-name.toml"
C = "specs/greeting/campaign.toml"


def _problems(folder: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | bytes | None]) -> list[str]:
    monkeypatch.chdir(write_project(folder, changes))
    return [str(problem) for problem in load(["specs"]).problems]


def _spec(old: str, new: str) -> dict[str, str | bytes | None]:
    assert old in SPEC
    return {S: SPEC.replace(old, new)}


def _campaign(old: str, new: str) -> dict[str, str | bytes | None]:
    assert old in CAMPAIGN
    return {C: CAMPAIGN.replace(old, new)}


OWN_PROBE = '[probe]\nkind = "python"\ncall = "greeting:greet"\nargs = [" "]\n'
assert OWN_PROBE in SPEC

BROKEN: list[tuple[str, dict[str, str | bytes | None], list[str]]] = [
    (
        "unknown key",
        _spec('file = "greeting.py"', 'file = "greeting.py"\nfinds = ""'),
        [
            f"{S}:3: finds: is not a key [key-unknown] Did you mean `find`? Known keys: defect, file, healthy, "
            "defective, must_fail, in, find, replace, rewrite, probe, observe, may_fail, origin, note."
        ],
    ),
    (
        "two faults in one file are told at once",
        _spec('defect = "A blank name is greeted."', 'defect = 3\norigins = "x"'),
        [
            f"{S}:1: defect: is a whole number [value-type] It must be a text.",
            f"{S}:2: origins: is not a key [key-unknown] Did you mean `origin`? Known keys: defect, file, healthy, "
            "defective, must_fail, in, find, replace, rewrite, probe, observe, may_fail, origin, note.",
        ],
    ),
    (
        "the Python name of a key is not the key",
        _spec('in = "greet"', 'in_ = "greet"'),
        [f"{S}:3: in_: is not a key [key-unknown] Did you mean `in`?"],
    ),
    (
        "unknown key in a nested table",
        _spec('because = { raises = "Failed"', 'because = { raise = "Failed"'),
        [
            f"{S}:23: must_fail[0].because.raise: is not a key [key-unknown] Did you mean `raises`? "
            "Known keys: raises, message.",
            f"{S}:23: must_fail[0].because.raises: is missing [key-missing] Add it.",
        ],
    ),
    (
        "bad TOML",
        _spec('in = "greet"', "in = greet"),
        [f"{S}:3: is not TOML: Invalid value [toml-syntax] Correct the line."],
    ),
    (
        "TOML that is not UTF-8",
        {S: SPEC.encode().replace(b"A blank", b"A\n# \xff blank")},
        [f"{S}:2: is not UTF-8, which TOML must be [toml-encoding] Save it as UTF-8."],
    ),
    (
        "missing keys",
        _spec('defect = "A blank name is greeted."\n', ""),
        [f"{S}: defect: is missing [key-missing] Add it."],
    ),
    (
        "blank defect",
        _spec("A blank name is greeted.", " "),
        [f"{S}:1: defect: is blank [defect-blank] Say the defect in a sentence."],
    ),
    (
        "file outside of the tree",
        _spec('"greeting.py"', '"../greeting.py"'),
        [
            f"{S}:2: file: ../greeting.py is outside of the tree [file-outside-tree] Only files of the tree can "
            f"be mutated."
        ],
    ),
    (
        "absolute file",
        _spec('"greeting.py"', '"/etc/passwd"'),
        [f"{S}:2: file: /etc/passwd is outside of the tree [file-outside-tree] Only files of the tree can be mutated."],
    ),
    (
        "file that is not there",
        _spec('"greeting.py"', '"greetings.py"'),
        [f"{S}:2: file: greetings.py is not a file of the tree [file-missing] It is relative to the campaign's tree."],
    ),
    (
        "neither find nor rewrite",
        _spec('replace = ""\n', ""),
        [f"{S}: replace: is missing [key-missing] Add it (or `rewrite`)."],
    ),
    (
        "find and rewrite",
        _spec('replace = ""', 'replace = ""\nrewrite = "r.py:Drop"'),
        [
            f"{S}:9: rewrite: stands beside `find` or `replace` [rewrite-twice] "
            "Keep `find` and `replace`, or `rewrite`.",
            f"{S}:9: rewrite: r.py does not exist [rewrite-missing] It is relative to the spec.",
        ],
    ),
    (
        "case id in a file that does not exist",
        _spec("test_greeting.py::", "test_greetings.py::"),
        [
            f"{S}:22: must_fail[0].case: test_greetings.py::test_a_blank_name_is_refused: there is no file "
            "test_greetings.py in the tree or in the suite's folders [case-unknown] Correct the path."
        ],
    ),
    (
        "case id that does not exist",
        _spec("::test_a_blank_name_is_refused", "::test_a_blank_name_is_refuse"),
        [
            f"{S}:22: must_fail[0].case: test_greeting.py::test_a_blank_name_is_refuse: tests/test_greeting.py has no "
            "test_a_blank_name_is_refuse [case-unknown] Did you mean test_a_blank_name_is_refused?"
        ],
    ),
    (
        "no case id at all",
        _spec("test_greeting.py::test_a_blank_name_is_refused", "test_greeting.py"),
        [f"{S}:22: must_fail[0].case: test_greeting.py is no case id [case-form] Write file.py::test_name."],
    ),
    (
        "no killers",
        {S: SPEC[: SPEC.index("[[must_fail]]")].replace('replace = ""', 'replace = ""\nmust_fail = []')},
        [f"{S}:9: must_fail: names no case [must-fail-empty] Name at least one case, with its because."],
    ),
    (
        "healthy equal to defective",
        _spec('returns = "Hello  !"', 'raises = { type = "ValueError", message = "no name" }'),
        [
            f"{S}:18: defective: says the same as [healthy] [expectations-equal] "
            "The two must differ: else the mutant cannot be told from the healthy program."
        ],
    ),
    (
        "two effects in one expectation",
        _spec('returns = "Hello  !"', 'returns = "Hello  !"\nhangs = true'),
        [
            f"{S}:18: defective: states 2 effects (returns, hangs) [expectation-form] "
            "State exactly one: returns, error, raises, exits, crashes or hangs."
        ],
    ),
    (
        "an effect that the probe cannot show",
        _spec('returns = "Hello  !"', "exits = 3"),
        [
            f"{S}:19: defective.exits: is nothing that this probe can show [expectation-impossible] "
            "It shows returns, raises, crashes, hangs."
        ],
    ),
    (
        "a crash of no kind",
        _spec('returns = "Hello  !"', "crashes = {}"),
        [f"{S}:19: defective.crashes: does not say how it crashes [crash-kind] Say how: signal, exit or exception."],
    ),
    (
        "an unknown signal",
        _spec('returns = "Hello  !"', 'crashes = "SIGFOO"'),
        [f"{S}:19: defective.crashes: SIGFOO is no signal [signal-unknown] Use a name such as SIGSEGV."],
    ),
    (
        "an empty matcher",
        _spec('returns = "Hello  !"', "returns = {}"),
        [f"{S}:19: defective.returns: is empty [matcher-empty] A matcher that says nothing matches everything."],
    ),
    (
        "a regular expression that is none",
        _spec('returns = "Hello  !"', 'returns = { regex = "(" }'),
        [
            f"{S}:19: defective.returns: is no regular expression: missing ), unterminated subpattern at position 0 "
            "[regex-syntax] Correct the regular expression."
        ],
    ),
    (
        "a sibling file that is not there",
        _spec('returns = "Hello  !"', 'returns = { file = "blank-name.stdout" }'),
        [
            f"{S}:19: defective.returns: blank-name.stdout cannot be read: No such file or directory "
            "[matcher-file-missing] It stands beside the spec."
        ],
    ),
    (
        "unknown probe",
        {S: 'probe = "great"\n' + SPEC.replace(OWN_PROBE, "")},
        [f"{S}:1: probe: great is not a probe of the campaign [probe-unknown] Probes: greet."],
    ),
    (
        "a probe of an unknown kind",
        _spec('kind = "python"', 'kind = "pyton"'),
        [f"{S}:11: probe.kind: is 'pyton' [value-unknown] Use one of 'process', 'jsonrpc', 'python'."],
    ),
    (
        "a tree that is not there",
        _campaign('"../.."', '"../../nowhere"'),
        [f"{C}:2: tree: ../../nowhere is no folder [tree-missing] It is relative to campaign.toml."],
    ),
    (
        "suite files that are not there",
        _campaign('["tests"]', '["test"]'),
        [
            f"{C}:5: suite.cases[0]: test is not in the tree [cases-missing] It is relative to the tree.",
            f"{S}:22: must_fail[0].case: test_greeting.py::test_a_blank_name_is_refused: there is no file "
            "test_greeting.py in the tree or in the suite's folders [case-unknown] Correct the path.",
        ],
    ),
    (
        "a mock script that is not there",
        _campaign('args = ["Ada"]', 'args = ["Ada"]\nmocks = { codex = "mocks/x.toml" }'),
        [
            f"{C}:12: probes.greet.mocks.codex: mocks/x.toml does not exist [mock-missing] "
            "It is relative to campaign.toml."
        ],
    ),
    (
        "numbers out of range",
        _campaign('cases = ["tests"]', 'cases = ["tests"]\ntimeout = -1.5\nconfirm = 0'),
        [
            f"{C}:6: suite.timeout: is -1.5 [value-range] It must be from 0 to 86,400.",
            f"{C}:7: suite.confirm: is 0 [value-range] It must be from 1 to 100.",
        ],
    ),
    (
        "a number that is not finite, a date, and another fault beside them",
        _campaign('cases = ["tests"]', 'cases = ["tests"]\ntimeout = inf\nargs = [2020-01-01]\nbogus = 1'),
        [
            f"{C}:6: suite.timeout: is inf [value-type] It must be a finite number.",
            f"{C}:7: suite.args[0]: is a date or time [value-type] No key takes one: write a text.",
            f"{C}:8: suite.bogus: is not a key [key-unknown] "
            "Known keys: cases, harness, args, python, env, timeout, confirm, network.",
        ],
    ),
    (
        "a NUL in a path",
        _spec('file = "greeting.py"', 'file = "greeting.py\\u0000"'),
        [f"{S}:2: file: holds a NUL character [value-type] Take it out."],
    ),
    (
        "a variable that can be none",
        _campaign('cases = ["tests"]\nenv = { PYTEST', 'cases = ["tests"]\nenv = { "A=B" = "", PYTEST'),
        [f"{C}:6: suite.env: 'A=B' is no name of a variable [env-name] Correct it."],
    ),
    (
        "a kind that is no text",
        _spec('kind = "python"', "kind = []"),
        [f"{S}:11: probe.kind: is [] [value-unknown] Use one of 'process', 'jsonrpc', 'python'."],
    ),
    (
        "a value of a type that nothing there takes",
        _spec('returns = "Hello  !"', "raises = [1]"),
        [
            f"{S}:19: defective.raises: is a list [value-type] "
            "No value of that type can stand there; docs/authoring.md has what can."
        ],
    ),
    (
        "a byte order mark",
        {S: b"\xef\xbb\xbf" + SPEC.encode()},
        [f"{S}:1: begins with a byte order mark [toml-encoding] Save it as UTF-8 without a byte order mark."],
    ),
    (
        "a number too long to read",
        {S: SPEC + "\nx = " + "1" * 5000 + "\n"},
        [
            f"{S}: is not TOML that can be read: a number is too long [toml-syntax] Shorten it.",
        ],
    ),
    (
        "brackets without end",
        {S: SPEC + "\nx = " + "[" * 5000 + "]" * 5000 + "\n"},
        [f"{S}: is not TOML that can be read: nested too deeply [toml-syntax] Flatten it."],
    ),
    (
        "a file that is not written plainly",
        _spec('"greeting.py"', '"./greeting.py"'),
        [f"{S}:2: file: ./greeting.py is not written plainly [file-not-plain] Write greeting.py."],
    ),
    (
        "a file that is left out of copies",
        {C: 'leave_out = ["greeting.py"]\n' + CAMPAIGN},
        [
            f"{S}:2: file: greeting.py is left out of copies, by the name greeting.py [file-left-out] "
            "Take it out of `leave_out`, or name another file."
        ],
    ),
    (
        "a case that must fail and may fail",
        _spec('defect = "A', 'may_fail = ["tests/test_greeting.py::test_a_blank_name_is_refused"]\ndefect = "A'),
        [
            f"{S}:1: may_fail[0]: tests/test_greeting.py::test_a_blank_name_is_refused stands in must_fail too "
            "[case-contradicted] A case that must fail cannot be one that may."
        ],
    ),
    (
        "a glob that is none",
        _spec('returns = "Hello  !"', 'returns = { glob = "[z-a]" }'),
        [
            f"{S}:19: defective.returns: is no glob: bad character range z-a at position 1 [regex-syntax] "
            "Correct the glob."
        ],
    ),
    (
        "a matcher that says the whole twice",
        _spec('returns = "Hello  !"', 'returns = { equal = "x", file = "blank-name.toml" }'),
        [f"{S}:19: defective.returns: has `equal` and `file` [matcher-twice] Both say the whole: keep one."],
    ),
    (
        "a mock script that is wrong",
        _campaign('args = ["Ada"]', 'args = ["Ada"]\nmocks = { codex = "mocks/m.toml" }')
        | {"specs/greeting/mocks/m.toml": "nth = -1\n[[step]]\ntext = 5\n"},
        [
            "specs/greeting/mocks/m.toml:1: nth: is less than 0: -1 [mock-script] "
            "Calls are counted from 1; 0 is each call.",
            "specs/greeting/mocks/m.toml:3: step[0].text: is a whole number [mock-script] It must be a text.",
        ],
    ),
    (
        "an unknown key in a probe",
        _campaign('args = ["Ada"]', 'arg = ["Ada"]'),
        [
            f"{C}:11: probes.greet.arg: is not a key [key-unknown] Did you mean `args`? Known keys: kind, call, args, "
            "kwargs, path, mocks, services, tools, env, cwd, timeout, network."
        ],
    ),
]


@pytest.mark.parametrize(("changes", "expected"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_each_broken_kind_has_its_exact_message(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str | bytes | None],
    expected: list[str],
) -> None:
    """A message says what is wrong, where (file, line, key) and what to do; nothing else is said beside it."""
    found = _problems(tmp_path, monkeypatch, changes)
    assert found == expected


def test_the_project_as_it_is_has_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table above changes one thing of a sound project."""
    assert _problems(tmp_path, monkeypatch, {}) == []


def test_a_link_in_the_way_to_the_source_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A symbolic link is never mutated: what it points to may lie outside of the tree."""
    folder = write_project(tmp_path)
    (folder / "greeting.py").rename(folder / "real.py")
    (folder / "greeting.py").symlink_to("real.py")
    monkeypatch.chdir(folder)
    assert [str(problem) for problem in load(["specs"]).problems] == [
        f"{S}:2: file: greeting.py is a symbolic link [file-is-link] Name the file that it points to."
    ]


def test_problems_of_several_files_are_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken spec does not hide another."""
    changes: dict[str, str | bytes | None] = {"specs/greeting/a.toml": "x", "specs/greeting/b.toml": "y"}
    found = _problems(tmp_path, monkeypatch, changes)
    assert [message.split(":")[0] for message in found] == ["specs/greeting/a.toml", "specs/greeting/b.toml"]
