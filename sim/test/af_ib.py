#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rdma_cm with native addresses (AF_IB): the results of each call are those of Linux.

usage: af_ib.py ROCI PROGRAM [--engine E] [UP OPTIONS...]

PROGRAM is verbs/af_ib.cpp; verbs/af_ib.expected is what it printed on Linux 6.1 with Soft-RoCE, in
the guest of testbench/verify/interop.
"""
import difflib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.simulator import Simulator, argument_parser, begin  # noqa: E402

EXPECTED = pathlib.Path(__file__).with_name("verbs") / "af_ib.expected"


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("program")
    args, options = begin(parser)
    with Simulator(args.roci, "af_ib", options) as simulator:
        before = simulator.holdings()
        found = simulator.output("n0", args.program, "10.0.0.1", "10.0.0.2")
        assert simulator.holdings() == before, (simulator.holdings(), before)
    wanted = EXPECTED.read_text()
    print("".join(difflib.unified_diff(wanted.splitlines(True), found.splitlines(True),
                                       "Linux", "here")) or "as on Linux")
    sys.exit(found != wanted)


if __name__ == "__main__":
    main()
