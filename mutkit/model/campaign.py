"""Owns campaigns as their authors write them: the subject's tree, its suite and its probes (campaign.toml)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from mutkit.model.matcher import CLOSED

NetworkName: TypeAlias = Literal["loopback", "host"]
"""What a program may reach: a loopback of its own and nothing else, or all that this machine reaches."""


@dataclass(frozen=True)
class Suite:
    """How the cases are run.

    ``cases``: files or folders of the tree, relative to it; ``args``: more words for the harness's command line;
    ``python``: the interpreter (empty: the one that runs mutkit); ``env``: variables added to the inherited ones;
    ``timeout``: seconds for one run, 0 derives it from the baseline; ``confirm``: how often failing killers are run
    again before they count; ``network``: what the cases and all that they start may reach, a loopback of their own
    where this machine allows it, or what the machine reaches.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    cases: tuple[str, ...]
    harness: Literal["pytest"] = "pytest"
    args: tuple[str, ...] = ()
    python: str = ""
    env: dict[str, str] = field(default_factory=dict)
    timeout: float = 0.0
    confirm: int = 2
    network: NetworkName = "loopback"


@dataclass(frozen=True)
class ProcessProbe:
    """Run a program to its end: ``run`` with ``stdin``, observe its exit, standard output and error.

    ``{python}`` in ``run`` is the interpreter; ``{tree}`` the workspace. ``mocks`` maps a command name to a mock
    script, a path relative to campaign.toml, ``services`` a name to the script of a mock HTTP service, whose URL is
    ``{service:name}``; ``tools`` names real programs that may be on its path; ``env`` adds
    variables; ``cwd`` is relative to the tree; ``timeout`` in seconds, 0 derives it from the baseline;
    ``network`` = "host" lets it reach what this machine reaches, not a loopback of its own alone.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    kind: Literal["process"]
    run: tuple[str, ...]
    stdin: str = ""
    mocks: dict[str, str] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    cwd: str = "."
    timeout: float = 0.0
    network: NetworkName = "loopback"


@dataclass(frozen=True)
class JsonRpcProbe:
    """Start a JSON-RPC server on standard streams, send requests, observe the answer to the last one.

    ``send`` is one message or a list of them (``method`` and ``params``; ids are given by mutkit; a message with
    ``notify = true`` is a notification); ``handshake`` = "mcp" does ``initialize`` and ``notifications/initialized``
    first;
    ``framing`` is how messages are cut; ``show`` is a JSON Pointer (RFC 6901) into the answer, an error answer shows as
    error. The rest as in ``ProcessProbe``.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    kind: Literal["jsonrpc"]
    run: tuple[str, ...]
    send: dict[str, Any] | tuple[dict[str, Any], ...]
    show: str = "/result"
    handshake: Literal["mcp", "none"] = "mcp"
    framing: Literal["newline", "content-length"] = "newline"
    mocks: dict[str, str] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    cwd: str = "."
    timeout: float = 0.0
    network: NetworkName = "loopback"


@dataclass(frozen=True)
class PythonProbe:
    """Call a function of the tree in a fresh interpreter, observe what it returns or raises.

    ``call`` is ``package.module:function``; ``args`` and ``kwargs`` are JSON values; ``path`` are folders of the tree
    to import from, before all others. The rest as in ``ProcessProbe``.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    kind: Literal["python"]
    call: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    path: tuple[str, ...] = (".",)
    mocks: dict[str, str] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    cwd: str = "."
    timeout: float = 0.0
    network: NetworkName = "loopback"


Probe: TypeAlias = ProcessProbe | JsonRpcProbe | PythonProbe


@dataclass(frozen=True)
class Campaign:
    """One subject with its suite and probes, as campaign.toml says it.

    ``tree`` is what is copied, relative to the file; ``leave_out`` names files and folders that are not copied,
    wherever they
    are; ``gate`` = false keeps the campaign out of gates (drafts that are known to be wrong).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    title: str
    tree: str
    suite: Suite
    probes: dict[str, Probe] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    gate: bool = True


@dataclass(frozen=True)
class LoadedCampaign:
    """A campaign and where it stands: ``name`` is its folder's name, ``file`` and ``tree`` are absolute paths."""

    name: str
    file: Path
    tree: Path
    campaign: Campaign
