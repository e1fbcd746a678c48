"""Owns processes: everything that is started is contained, ends, and leaves nothing running behind.

Each program is started by a supervisor, a small process of its own (see ``supervisor``), that ends the
program and all its descendants at the end, at a time-out, and when the process that uses this package
vanishes. A program reaches the network of this machine, or one of its own with nothing but a loopback
(see ``network``).
"""

from __future__ import annotations

from mutkit.process.cancellation import Cancellation, Cancelled
from mutkit.process.child import CAP, Child
from mutkit.process.network import Network
from mutkit.process.run import run

__all__ = ["CAP", "Cancellation", "Cancelled", "Child", "Network", "run"]
