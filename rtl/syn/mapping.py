# SPDX-License-Identifier: Apache-2.0
"""How Yosys maps a design to the LUT4s of an ECP5."""
import re

COMMAND = "synth_ecp5 -nowidelut -noflatten"
# What ABC9 takes each wire for, and how much later the data of a block RAM come than those of a
# register, ps. Yosys takes 300 and 0; placed designs have 500 to 1,500 and 5,200.
WIRE, RAM_DATA = 1000, 5300


def commands(folder, top):
    """Yosys commands that map a design as COMMAND does, with the delays of WIRE and RAM_DATA.

    They read a file, which is written into the folder.
    """
    (folder / "ram_data.v").write_text(ram_data())
    return (f"{COMMAND} -top {top} -run begin:coarse; "
            "read_verilog -lib -specify -overwrite ram_data.v; "
            f"{COMMAND} -top {top} -run coarse:map_luts; abc9 -maxlut 4 -W {WIRE}; clean; "
            f"{COMMAND} -top {top} -run map_cells:;")


def ram_data():
    """Verilog of a block RAM that says when its data come."""
    inputs = [f"{name}{bit}" for name, bits in (("DI", 18), ("AD", 14), ("CS", 3))
              for bit in range(bits)] + ["CE", "OCE", "CLK", "WE", "RST"]
    ports, arcs = [], []
    for side in "AB":
        ports += [f"input {re.sub('(?=[0-9])|$', side, name, count=1)}" for name in inputs]
        for bit in range(18):
            ports.append(f"output DO{side}{bit}")
            arcs.append(f"    (posedge CLK{side} => (DO{side}{bit} : 1'bx)) = {RAM_DATA};")
    names = [f"{name}_{side}" for side in "AB"
             for name in ("DATA_WIDTH", "REGMODE", "CSDECODE", "WRITEMODE")]
    names += ["RESETMODE", "ASYNC_RESET_RELEASE", "GSR", "CLKAMUX", "CLKBMUX"]
    names += [f"INITVAL_{row:02X}" for row in range(64)]
    lines = [f"(* blackbox *) module DP16KD({', '.join(ports)});",
             *(f"  parameter {name} = 0;" for name in names), "  specify", *arcs, "  endspecify",
             "endmodule"]
    return "\n".join(lines) + "\n"
