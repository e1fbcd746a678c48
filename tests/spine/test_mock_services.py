"""Owns the test of a defect that a mock service alone shows: from campaign.toml to the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.projects import write_project
from tests.spine.test_exit_codes import mutkit, report_of

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import sys
import urllib.request


def upload(post):
    try:
        return post()
    except ConnectionError:
        return "unknown"


if __name__ == "__main__":
    upload(lambda: urllib.request.urlopen(sys.argv[1] + "/files", b"abc").status)
    print("ended")
"""

TESTS = """\
from greeting import upload


def test_an_unknown_outcome_is_not_replayed():
    calls = []

    def post():
        calls.append(1)
        raise ConnectionError if len(calls) == 1 else KeyError

    assert upload(post) == "unknown"


def test_an_answer_is_handed_on():
    assert upload(lambda: 201) == 201
"""

CAMPAIGN = """\
title = "Upload"
tree = "../.."

[suite]
cases = ["tests"]
confirm = 1
env = { PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1" }

[probes.upload]
kind = "process"
run = ["{python}", "greeting.py", "{service:api}"]
services = { api = "mocks/api.toml" }
"""

SERVICE = """\
[[route]]
name = "upload"
request = { method = "POST", path = "/files" }
effect = true
answer = { status = 201 }
fault = { kind = "reset", when = "after", times = 1 }
"""

SPEC = """\
defect = "A write of which the outcome is unknown is sent again."
file = "greeting.py"
in = "upload"
find = 'return "unknown"'
replace = "return post()"
probe = "upload"

[healthy]
exits = { code = 0, stdout = "ended\\n" }
services.api.mutations = 1

[defective]
exits = { code = 0, stdout = "ended\\n" }
services.api = { mutations = 2, routes = { upload = 2 }, written = "abc" }

[[must_fail]]
case = "test_greeting.py::test_an_unknown_outcome_is_not_replayed"
because = { raises = "KeyError" }
"""


def test_a_write_sent_twice_is_killed_for_what_the_service_saw(tmp_path: Path) -> None:
    """Exit and output of the two programs are the same; the report has both counters and all requests."""
    files = {
        "greeting.py": SOURCE,
        "tests/test_greeting.py": TESTS,
        "specs/greeting/campaign.toml": CAMPAIGN,
        "specs/greeting/blank-name.toml": SPEC,
        "specs/greeting/mocks/api.toml": SERVICE,
    }
    done = mutkit(write_project(tmp_path, files), "run", "specs", "--json", "-")
    assert done.returncode == 0, done.stderr
    (judgement,) = report_of(done)["judgements"]
    assert judgement["verdict"] == "killed"
    seen = {name: judgement["observed"][name]["services"]["api"] for name in ("baseline", "mutant")}
    assert [seen[name]["mutations"] for name in ("baseline", "mutant")] == [1, 2]
    assert [request["answer"] for request in seen["mutant"]["requests"]] == ["reset", "201"]
    assert judgement["observed"]["mutant"]["text"].endswith("service api saw 2 mutations in 2 requests")
    assert json.dumps(judgement["modelled"]["services"]) == (
        '{"api": {"mutations": 2, "routes": {"upload": 2}, "written": "abc"}}'
    )
