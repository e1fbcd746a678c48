"""Owns effects: what a program was seen to do, and what a spec says that it must be seen to do."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias

from mutkit.model.ending import Ending, Exited, Signalled
from mutkit.model.matcher import CLOSED, UNSET, Json, MatcherLike, is_same_json, matches
from mutkit.model.service import ServiceSeen

# What was seen. No opinion in it.


@dataclass(frozen=True)
class _Watched:
    """An effect with what the mock services of the probe saw meanwhile."""

    services: tuple[ServiceSeen, ...] = field(default=(), kw_only=True, compare=False)


@dataclass(frozen=True)
class Returned(_Watched):
    """The program answered, or the function returned, with ``value``."""

    value: Json | bytes


@dataclass(frozen=True)
class Refused(_Watched):
    """The program answered with a protocol error (JSON-RPC: ``code``, ``message``, ``data``)."""

    code: int
    message: str
    data: Json = None


@dataclass(frozen=True)
class RaisedException(_Watched):
    """The function raised; ``type`` is the exception's qualified name, ``line`` where (``file:line``)."""

    type: str
    message: str
    line: str = ""


@dataclass(frozen=True)
class Finished(_Watched):
    """The program ended by itself with an exit code, having printed ``stdout`` and ``stderr``."""

    code: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True)
class Died(_Watched):
    """The program died: by a signal, or by ending instead of answering.

    ``exception`` and ``message`` are those of the Python exception that ended it, empty where none did or that is not
    sure; ``stderr`` is the end of its standard error.
    """

    ending: Exited | Signalled
    exception: str = ""
    message: str = ""
    stderr: bytes = b""


@dataclass(frozen=True)
class Hung(_Watched):
    """The program neither answered nor ended within ``after`` seconds."""

    after: float


@dataclass(frozen=True)
class NothingSeen:
    """No effect could be read; ``slug`` and ``reason`` say why (the run is inconclusive)."""

    slug: str
    reason: str


Effect: TypeAlias = Returned | Refused | RaisedException | Finished | Died | Hung | NothingSeen


def watched(effect: Effect) -> tuple[ServiceSeen, ...]:
    """Return what mock services saw beside an effect."""
    return () if isinstance(effect, NothingSeen) else effect.services


def same_effect(one: Effect, other: Effect) -> bool:
    """Return whether two observations show the same behaviour (times and standard error of the dead aside)."""
    if [seen.comparable() for seen in watched(one)] != [seen.comparable() for seen in watched(other)]:
        return False
    match one, other:
        case Returned(a), Returned(b):
            return is_same_json(a, b)
        case Refused(), Refused():
            return one.code == other.code and one.message == other.message and is_same_json(one.data, other.data)
        case RaisedException(), RaisedException():
            return (one.type, one.message) == (other.type, other.message)
        case Died(), Died():
            return (one.ending, one.exception, one.message) == (other.ending, other.exception, other.message)
        case Hung(), Hung():
            return True
        case NothingSeen(), _:
            return False
    return one == other


# What a spec says.


@dataclass(frozen=True)
class ErrorAnswer:
    """A protocol error: its ``code``, and what its ``message`` must look like."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    code: int | None = None
    message: MatcherLike = None


@dataclass(frozen=True)
class Raises:
    """An exception: its ``type`` (qualified, or its last part alone), and its ``message``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    type: str
    message: MatcherLike = None


@dataclass(frozen=True)
class Exits:
    """A process that ends by itself: its exit ``code`` and what its streams must look like."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    code: int
    stdout: MatcherLike = None
    stderr: MatcherLike = None


@dataclass(frozen=True)
class Crashes:
    """A process that dies: by ``signal`` (``SIGSEGV``), or by ``exit`` code instead of answering.

    ``exception`` and ``message`` are those of the Python exception that ended it, read from standard error.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    signal: str | None = None
    exit: int | None = None
    exception: str | None = None
    message: MatcherLike = None


@dataclass(frozen=True)
class ServiceShows:
    """What a mock service must have seen: all keys that are given must hold.

    ``mutations`` how many effects took place; ``requests`` how many requests came; ``routes`` how many each of the
    routes that are named here got; ``unexpected`` how many had no route; ``written`` what the body of the last one with
    an effect looks like.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    mutations: int | None = None
    requests: int | None = None
    routes: dict[str, int] = field(default_factory=dict)
    unexpected: int | None = None
    written: MatcherLike = None

    def given(self) -> dict[str, Any]:
        """Return the keys that are given, with their values."""
        pairs = {item.name: getattr(self, item.name) for item in fields(self)}
        return {key: value for key, value in pairs.items() if value is not None and value != {}}


@dataclass(frozen=True)
class Expectation:
    """An effect that a variant must be seen to have: exactly one of these keys, and beside it ``services``: what mock
    services of the probe must have seen.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    returns: MatcherLike = UNSET
    error: ErrorAnswer | None = None
    raises: str | Raises | None = None
    exits: int | Exits | None = None
    crashes: str | Crashes | None = None
    hangs: bool | None = None
    services: dict[str, ServiceShows] = field(default_factory=dict)

    def given(self) -> dict[str, Any]:
        """Return the keys that are given but for ``services``, with their values (exactly one in a valid spec)."""
        pairs = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "services"}
        return {
            key: value
            for key, value in pairs.items()
            if value is not UNSET and not (value is None and key != "returns")
        }


def names_exception(wanted: str, given: str) -> bool:
    """Return whether ``given``, a qualified name, is the exception that ``wanted`` names (in full or its last
    part).
    """
    return given == wanted or given.rpartition(".")[2] == wanted or given == f"builtins.{wanted}"


def shows(expectation: Expectation, effect: Effect) -> bool:
    """Return whether the effect is the one that the expectation states: kind and content, and what services saw."""
    seen = {one.name: one for one in watched(effect)}
    for name, wanted_of in expectation.services.items():
        if name not in seen or not _shows_service(wanted_of, seen[name]):
            return False
    match effect:
        case Returned(value):
            return expectation.returns is not UNSET and matches(expectation.returns, value)
        case Refused():
            wanted = expectation.error
            return (
                wanted is not None
                and wanted.code in (None, effect.code)
                and (wanted.message is None or matches(wanted.message, effect.message))
            )
        case RaisedException():
            return _shows_raised(expectation.raises, effect)
        case Finished():
            return _shows_finished(expectation.exits, effect)
        case Died():
            return _shows_died(expectation.crashes, effect)
        case Hung():
            return expectation.hangs is True
    return False


def _shows_service(wanted: ServiceShows, seen: ServiceSeen) -> bool:
    stated = (wanted.mutations, wanted.requests, wanted.unexpected)
    found = (seen.mutations, len(seen.requests), seen.unexpected)
    return (
        all(count in (None, number) for count, number in zip(stated, found, strict=True))
        and all(seen.routes.get(route, 0) == count for route, count in wanted.routes.items())
        and (wanted.written is None or (seen.written is not None and matches(wanted.written, seen.written)))
    )


def _shows_raised(wanted: str | Raises | None, effect: RaisedException) -> bool:
    if wanted is None:
        return False
    if isinstance(wanted, str):
        wanted = Raises(wanted)
    return names_exception(wanted.type, effect.type) and (
        wanted.message is None or matches(wanted.message, effect.message)
    )


def _shows_finished(wanted: int | Exits | None, effect: Finished) -> bool:
    if wanted is None:
        return False
    if isinstance(wanted, int):
        wanted = Exits(wanted)
    return (
        wanted.code == effect.code
        and (wanted.stdout is None or matches(wanted.stdout, effect.stdout))
        and (wanted.stderr is None or matches(wanted.stderr, effect.stderr))
    )


def _shows_died(wanted: str | Crashes | None, effect: Died) -> bool:
    if wanted is None:
        return False
    if isinstance(wanted, str):
        wanted = Crashes(signal=wanted)
    ending: Ending = effect.ending
    return (
        (wanted.signal is None or (isinstance(ending, Signalled) and ending.name == wanted.signal))
        and (wanted.exit is None or (isinstance(ending, Exited) and ending.code == wanted.exit))
        and (wanted.exception is None or names_exception(wanted.exception, effect.exception))
        and (wanted.message is None or matches(wanted.message, effect.message))
    )
