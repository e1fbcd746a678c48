"""Owns what is on the loopback of a probe: mock services, which are started before the program and ended after it, what
they saw meanwhile, and ports that are kept for the program.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from mutkit.hermetic.sandbox.ports import Ports
from mutkit.hermetic.sandbox.words import fill
from mutkit.model.effect import NothingSeen
from mutkit.model.service import ServiceSeen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mutkit.hermetic.services import MockService
    from mutkit.model.campaign import Probe
    from mutkit.model.probe_run import ProbeRun
    from mutkit.process import Network
    from mutkit.stage import Stage


class ProbeServices:
    """The running services of one probe, and its ports, by name."""

    def __init__(self, services: dict[str, MockService], fill: Callable[[str], str]) -> None:
        """Take services that serve, and what replaces ``{port}``, ``{port:name}`` and ``{worker}`` in a text."""
        self._services = services
        self.fill = fill

    @property
    def words(self) -> dict[str, str]:
        """Return what stands for the URLs in a probe: ``{service:api}``."""
        return {f"{{service:{name}}}": service.url for name, service in self._services.items()}

    @property
    def env(self) -> dict[str, str]:
        """Return the variables that hold the URLs: ``MUTKIT_SERVICE_API``."""
        return {f"MUTKIT_SERVICE_{name.upper()}": service.url for name, service in self._services.items()}

    def added_to(self, run: ProbeRun) -> ProbeRun:
        """Return the run with what the services saw; they are ended first, so that each count is complete."""
        for service in self._services.values():
            service.stop()
        seen = tuple(ServiceSeen(name, service.requests) for name, service in self._services.items())
        failures = [f"{name}: {text}" for name, service in self._services.items() for text in service.failures]
        if failures:
            return replace(run, effect=NothingSeen("service-failed", "; ".join(failures)), services=seen)
        if isinstance(run.effect, NothingSeen):
            return replace(run, services=seen)
        return replace(run, effect=replace(run.effect, services=seen), services=seen)


@contextlib.contextmanager
def serving(probe: Probe, stage: Stage, network: Network) -> Iterator[ProbeServices]:
    """Give the services of a probe, which listen on the loopback of ``network`` until the context is left; so long its
    ports are given to no other.

    SpecError for a script that is wrong, HostError where nothing can listen.
    """
    ports = Ports(stage.worker)
    with contextlib.ExitStack() as stack:
        stack.callback(ports.close)
        services = {}
        for name, script in probe.services.items():
            from mutkit.hermetic.services import MockService  # late: few probes have services

            service = MockService(stage.base / script, listening=network.listen)
            stack.callback(service.stop)
            services[name] = service.start()
        yield ProbeServices(services, lambda text: fill(text, stage.worker, lambda name: ports.port(name, network)))
