# SPDX-License-Identifier: Apache-2.0
"""The memory of the SoCs in simulation."""
from litedram.modules import MT41K64M16


class SmallDdr3(MT41K64M16):
    """DDR3 with fewer rows: 32 MiB. Its first bank has the first addresses, so that a bench reads
    and writes one array."""

    nrows = 2048
    bank = nrows * 1024 * 2  # bytes
