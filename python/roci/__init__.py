# SPDX-License-Identifier: Apache-2.0
"""Simulators of RoCE v2 adapters, programs on their nodes, and faults under them."""
from .capture import Packet, packets
from .control import Control, Error
from .program import Program, free_port
from .simulator import Simulator

__version__ = "0.2.0"
__all__ = ["Control", "Error", "Packet", "Program", "Simulator", "free_port", "packets"]
