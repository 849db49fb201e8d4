# SPDX-License-Identifier: Apache-2.0
"""What docs/measured/ecpix5.json has: cells of the parts of the SoC, clocks that seeds reach."""
import json
import pathlib

from rtl import yosys
from rtl.board.ecpix5 import flow
from rtl.syn import measure, pypi

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[2] / "docs/measured/ecpix5.json"
MORE = 1.03  # cells that Yosys may need more of, as other names move its mapping


def commit():
    """The last one that changed what is synthesized."""
    return measure.commit([*yosys.sources("roci_core"), HERE / "soc.py"])


def read(path=TABLE):
    return json.loads(path.read_text()) if path.exists() else {"parts": {}, "seeds": {}}


def write(table, path=TABLE):
    """A line for each part and seed."""
    def lines(rows):
        return ",\n".join(f"  {json.dumps(name)}: {json.dumps(rows[name])}" for name in rows)
    head = json.dumps({"device": flow.DEVICE_NAME, "tools": pypi.PLACE}, indent=1)
    path.write_text(f"""{head.rstrip("}").rstrip()},
 "parts": {{
{lines(table["parts"])}
 }},
 "seeds": {{
{lines(table["seeds"])}
 }}
}}
""")


def with_parts(table, parts):
    of = commit()
    return {**table, "parts": {name: {**row, "commit": of} for name, row in parts.items()}}


def with_seed(table, seed, report, compiled):
    """`compiled`: the tools that were used in place of PyPI's."""
    used = report["utilization"]
    row = {"clocks": {name: [round(reached, 1), needed]
                      for name, reached, needed in flow.clocks(report)},
           "comb": used["TRELLIS_COMB"]["used"], "bram": used["DP16KD"]["used"],
           "compiled": compiled, "commit": commit()}
    seeds = {**table["seeds"], str(seed): row}
    return {**table, "seeds": {key: seeds[key] for key in sorted(seeds, key=int)}}


def larger(table, parts):
    """What parts have more of than the table says, a line each."""
    return [f"{name}: {old[key]:,} -> {parts[name][key]:,} {key}"
            for name, old in table["parts"].items() for key in flow.LIMITS
            if parts[name][key] > MORE * old[key]]
