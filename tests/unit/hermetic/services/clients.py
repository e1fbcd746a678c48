"""Owns small clients for tests of mock services: real sockets, nothing of the service's own code."""

from __future__ import annotations

import http.client
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Answered:
    """What a client got."""

    status: int
    body: bytes
    headers: dict[str, str]


def ask(url: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None) -> Answered:
    """Send one request with http.client; return the answer, or raise as http.client does."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return Answered(answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()})
    finally:
        connection.close()


def connected(url: str) -> socket.socket:
    """Return a socket that is connected to a service."""
    parts = urlsplit(url)
    return socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=20)


def sent(url: str, data: bytes) -> socket.socket:
    """Return a socket on which these bytes were sent."""
    connection = connected(url)
    connection.sendall(data)
    return connection


def received(connection: socket.socket) -> bytes:
    """Return all that comes until the end; OSError as the kernel tells it."""
    with connection:
        return b"".join(iter(lambda: connection.recv(65536), b""))


def get(path: str) -> bytes:
    """Return a bare request."""
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
