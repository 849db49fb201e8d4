# SPDX-License-Identifier: Apache-2.0
"""RoCE v2 for benches of cocotb: frames, a peer with faults, a judge, and the tests of conformance.

The module `bench` has what needs cocotb; the rest runs without a simulator too.
"""
from .conform import PEER_MAC, Device, NotSupported, Report, Timing, conform, statements, tests
from .faults import Faults, corrupt, drop, duplicate, mark, nak, reorder
from .frame import Frame, describe, lint, seal
from .judge import Judge
from .library import LibraryError, version
from .link import Link, connect
from .model import ModelDevice
from .peer import Peer

__version__ = version()

__all__ = ["Device", "Faults", "Frame", "Judge", "LibraryError", "Link", "ModelDevice",
           "NotSupported", "PEER_MAC", "Peer", "Report", "Timing", "conform", "connect", "corrupt",
           "describe", "drop", "duplicate", "lint", "mark", "nak", "reorder", "seal",
           "statements", "tests", "version"]
