"""Mock services in campaigns and specs: the exact messages, with file, line and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mutkit.load import load
from tests.projects import CAMPAIGN, SPEC, write_project

if TYPE_CHECKING:
    from pathlib import Path

S = "specs/greeting/blank-name.toml"
C = "specs/greeting/campaign.toml"
M = "specs/greeting/mocks/api.toml"
SCRIPT = '[[route]]\nrequest = { path = "/a" }\nname = "a"\n\n[[turn]]\n'
WITH = SPEC.replace('args = [" "]', 'args = [" "]\nservices = { api = "mocks/api.toml" }')
LINE = WITH.splitlines().index("[healthy]") + 3


def problems(folder: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | bytes | None]) -> list[str]:
    """Return the messages of the project with some files changed."""
    monkeypatch.chdir(write_project(folder, {M: SCRIPT, **changes}))
    return [str(problem) for problem in load(["specs"]).problems]


def stating(text: str) -> dict[str, str | bytes | None]:
    """Return the spec with a line more in [healthy]."""
    return {S: WITH.replace("\n\n[defective]", f"\n{text}\n\n[defective]")}


def test_a_spec_may_state_what_services_saw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All keys at once, with a matcher for what was written."""
    text = (
        'services.api = { mutations = 1, requests = 2, unexpected = 0, routes = { a = 1 }, written = { glob = "a*" } }'
    )
    assert problems(tmp_path, monkeypatch, stating(text)) == []


def test_one_effect_may_differ_by_what_services_saw_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables that state the same but for the counter are not equal."""
    same = WITH.replace('returns = "Hello  !"', 'raises = { type = "ValueError", message = "no name" }')
    assert "expectations-equal" in "".join(problems(tmp_path / "1", monkeypatch, {S: same}))
    apart = same.replace("\n\n[[must_fail]]", "\nservices.api.mutations = 2\n\n[[must_fail]]")
    assert problems(tmp_path / "2", monkeypatch, {S: apart}) == []


STATED = [
    (
        "services.web.mutations = 1",
        f"{S}:{LINE}: healthy.services.web: is no service of the probe [service-unknown] Services: api.",
    ),
    (
        "services.api.mutation = 1",
        f"{S}:{LINE}: healthy.services.api.mutation: is not a key [key-unknown] Did you mean `mutations`? "
        "Known keys: mutations, requests, routes, unexpected, written.",
    ),
    (
        "services.api = {}",
        f"{S}:{LINE}: healthy.services.api: is empty [matcher-empty] "
        "State mutations, requests, routes, unexpected or written.",
    ),
    (
        "services.api.requests = -1",
        f"{S}:{LINE}: healthy.services.api.requests: is -1 [value-range] It is 0 or more.",
    ),
    (
        "services.api.routes = { b = 1 }",
        f"{S}:{LINE}: healthy.services.api.routes.b: b is no route [route-unknown] "
        "Routes: POST /api/chat, POST /v1/chat/completions, POST /v1/responses, a.",
    ),
    (
        "services.api.routes = { a = -1 }",
        f"{S}:{LINE}: healthy.services.api.routes.a: is -1 [value-range] It is 0 or more.",
    ),
    (
        'services.api.written = { file = "gone" }',
        f"{S}:{LINE}: healthy.services.api.written: gone cannot be read: No such file or directory "
        "[matcher-file-missing] It stands beside the spec.",
    ),
]


@pytest.mark.parametrize(("text", "expected"), STATED, ids=[text for text, _ in STATED])
def test_what_cannot_be_stated_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: str
) -> None:
    """With its line and key."""
    assert problems(tmp_path, monkeypatch, stating(text)) == [expected]


PROBES = [
    (
        'services = { api = "mocks/none.toml" }',
        [
            "probes.greet.services.api: mocks/none.toml does not exist [service-missing] "
            "It is relative to campaign.toml."
        ],
    ),
    (
        'services = { Api-1 = "mocks/api.toml" }',
        [
            "probes.greet.services.Api-1: 'Api-1' is no name of a service [service-name] "
            "Write a lower-case word: it is part of a variable's name."
        ],
    ),
    (
        'env = { URL = "{service:api}" }',
        ["probes.greet.env: {service:api} names no service of the probe [service-unknown] Services: none."],
    ),
    (
        'kwargs = { a = ["{service:app}"] }\nservices = { api = "mocks/api.toml" }',
        ["probes.greet.kwargs: {service:app} names no service of the probe [service-unknown] Services: api."],
    ),
    ('kwargs = { a = "{service:app}" }', []),
]


@pytest.mark.parametrize(("text", "expected"), PROBES, ids=[text for text, _ in PROBES])
def test_what_is_wrong_with_the_services_of_a_probe_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: list[str]
) -> None:
    """A program's own input may hold any words, as long as the probe has no services."""
    campaign = CAMPAIGN.replace('args = ["Ada"]', f'args = ["Ada"]\n{text}')
    found = problems(tmp_path, monkeypatch, {C: campaign})
    assert [message.partition(": ")[2] for message in found] == expected


def test_a_script_that_is_wrong_is_told_by_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is said of routes that could not be read."""
    wrong = {M: SCRIPT.replace('"/a"', '"a"'), **stating("services.api.routes = { b = 1 }")}
    assert problems(tmp_path, monkeypatch, wrong) == [
        f"{M}:2: route[0].request.path: is 'a' [service-script] It begins with / or *."
    ]
