# SPDX-License-Identifier: Apache-2.0
"""The RoCE v2 adapter for SoCs of LiteX; README.md of this folder's parent shows how."""
from .core import RociCore
from .mac import MacStreams
from .memory import BusPort, DramPort, Widen
from .sources import defaults, small

__all__ = ["BusPort", "DramPort", "MacStreams", "RociCore", "Widen", "defaults", "small"]
