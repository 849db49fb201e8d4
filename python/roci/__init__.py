# SPDX-License-Identifier: Apache-2.0
"""Simulators of RoCE v2 adapters, programs on their nodes, and faults under them."""
from roci.control import Control, Error
from roci.simulator import Program, Simulator

__all__ = ["Control", "Error", "Program", "Simulator"]
