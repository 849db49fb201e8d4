#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what programs other than perftest learn about roci0: its PCI function, NUMA node
and network interface, by the names that scripts, hwloc, NCCL and UCX use.

usage: sysfs.py ROCI
"""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

FUNCTION = "524f:00:00.0"

# The interface of a device is the one whose PCI function has the same resources, as in the script
# ibdev2netdev of vendors; newer ones read gid_attrs/ndevs.
IBDEV2NETDEV = r'''
for ibdev in /sys/class/infiniband/*; do
  name=$(basename $ibdev)
  for port in $(ls $ibdev/ports); do
    state=$(cut -d" " -f2 $ibdev/ports/$port/state)
    for net in $(ls /sys/class/net); do
      file=/sys/class/net/$net/device/resource
      [ -f $file ] && [ "$(cat $file)" = "$(cat $ibdev/device/resource)" ] || continue
      [ $((16#$(cut -c3- /sys/class/net/$net/dev_id) + 1)) = $port ] || continue
      echo "$name port $port ==> $net ($state)"
    done
    echo "ndev $(cat $ibdev/ports/$port/gid_attrs/ndevs/0)"
  done
done
cd /sys/class/infiniband/roci0/device && echo "net $(ls net)"
[ -r /sys/class/infiniband/roci0/device/numa_node ] && cat /sys/class/infiniband/*/device/numa_node
readlink -f /sys/class/infiniband/roci0/device
ls -l /sys/class/infiniband | tail -n 1
'''

# NCCL resolves the device, and the function by its bus.
PYTHON = r'''
import os, json
real = os.path.realpath
first = real("/sys/class/infiniband/roci0/device")
print(json.dumps({
    "device": first, "function": real("/sys/class/pci_bus/524f:00/../../524f:00:00.0"),
    "class": open(first + "/class").read().strip(),
    "listed": "524f:00:00.0" in os.listdir("/sys/bus/pci/devices"),
    "others": len(os.listdir("/sys/bus/pci/devices")),
    "devices": os.listdir("/sys/class/infiniband"), "net": os.listdir(first + "/net"),
    "address": open(first + "/net/lo/address").read().strip(),
}))
'''


def check_script(simulator):
    text = simulator.output("n0", "bash", "-c", IBDEV2NETDEV)
    lines = text.splitlines()
    assert lines[0] == "roci0 port 1 ==> lo (ACTIVE)", text
    assert lines[1:3] == ["ndev lo", "net lo"], text
    assert lines[3] in ("0", "-1"), text
    assert lines[4] == f"/sys/devices/pci524f:00/{FUNCTION}", text
    link = "roci0 -> ../../devices/pci524f:00/524f:00:00.0/infiniband/roci0"
    assert lines[5].endswith(link), text


def check_paths(simulator):
    facts = json.loads(simulator.output("n0", sys.executable, "-c", PYTHON))
    where = f"/sys/devices/pci524f:00/{FUNCTION}"
    assert facts["device"] == facts["function"] == where, facts
    assert facts["class"] == "0x020000" and facts["listed"], facts
    own = len(os.listdir("/sys/bus/pci/devices")) if os.path.isdir("/sys/bus/pci/devices") else 0
    assert facts["others"] == own + 1, facts
    assert facts["devices"] == ["roci0"] and facts["net"] == ["lo"], facts
    assert facts["address"] == "00:00:00:00:00:00", facts


def check_lstopo(simulator):
    text = simulator.output("n0", "lstopo-no-graphics", "--whole-io", "--of", "console", "-v")
    lines = text.splitlines()
    function = next((i for i, line in enumerate(lines) if FUNCTION in line), None)
    assert function is not None, text
    assert any("roci0" in line for line in lines[function:function + 4]), text
    assert "Port1State=4" in text, text


def main():
    args = argument_parser(__doc__).parse_args()
    with Simulator(args.roci, "sysfs", ["--engine", args.engine]) as simulator:
        for check in (check_script, check_paths, check_lstopo):
            check(simulator)
            print(f"ok {check.__name__}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
