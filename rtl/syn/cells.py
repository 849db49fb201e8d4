# SPDX-License-Identifier: Apache-2.0
"""What the cells of a mapped netlist are, and how many LUTs, flip-flops and memories each takes."""
import collections
import re

# Resource -> cells that occupy it, and how much of it one cell takes.
XCUP = {
    "LUT": {r"LUT[1-6]": 1, r"SRL(16E|C32E)": 1},
    "LUTRAM": {r"RAM(32M16|64M8|32X16DR8|64X8SW|256X1D|512X1S)": 8,
               r"RAM(32M|64M|128X1D|256X1S)": 4, r"RAM(64X1D|128X1S)": 2, r"RAM64X1S": 1},
    "FF": {r"FD[RSCP]E(_1)?": 1},
    "BRAM36": {r"RAMB36E2": 1},
    "BRAM18": {r"RAMB18E2": 1},
    "DSP": {r"DSP48E2": 1},
}
# A CCU2C has two LUT4s. A TRELLIS_DPR16X4 keeps a slice of four busy, and its write port two more.
ECP5 = {
    "LUT": {r"LUT4": 1, r"CCU2C": 2},
    "LUTRAM": {r"TRELLIS_DPR16X4": 6},
    "FF": {r"TRELLIS_FF": 1},
    "BRAM": {r"DP16KD|PDPW16KD": 1},
    "DSP": {r"MULT18X18D": 1},
}


def sizes(counts, kinds):
    """Resource -> amount, from the number of cells of each type."""
    found = collections.Counter(dict.fromkeys(kinds, 0))
    for cell, count in counts.items():
        for resource, patterns in kinds.items():
            for pattern, weight in patterns.items():
                if re.fullmatch(pattern, cell):
                    found[resource] += weight * count
    return dict(found)
