# SPDX-License-Identifier: Apache-2.0
"""Lines for stock.py: Debian's own verbs programs, in lists by subject.

A line is a program and its options, run with a server on n0 and a client on n1. Lines joined by
" & " run at the same time. Lines of ALONE need no partner and give the text that must be in
their output.
"""
ALONE = [("ibv_devices", "roci0"), ("ibv_devinfo -v -d roci0", "max_qp:")]
MTUS = (256, 512, 1024, 2048, 4096)
BANDWIDTH = ("ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_atomic_bw")
LATENCY = ("ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_atomic_lat")

QUICK = ["ibv_rc_pingpong -g 0 -n 100 -c", "ibv_rc_pingpong -g 0 -n 100 -e",
         "ibv_srq_pingpong -g 0 -n 100 -c"] + [
    f"{tool} -n 50" + ("" if "atomic" in tool else " -s 4096") for tool in BANDWIDTH + LATENCY
] + ["ib_write_bw -n 50 -s 4096 & ib_send_lat -n 50"]

PINGPONG = [f"ibv_rc_pingpong -g 0 -n 20 -s {size} -m {mtu} -c{events}"
            for mtu in MTUS for size in (1, 4096, 65536) for events in ("", " -e")] + [
    f"ibv_rc_pingpong -g 0 -n 3 -s 1048576 -m {mtu} -c{events}"
    for mtu in MTUS for events in ("", " -e")
] + ["ibv_rc_pingpong -g 1 -n 20 -c", "ibv_rc_pingpong -g 2 -n 20 -c",
     "ibv_srq_pingpong -g 0 -n 100 -c", "ibv_srq_pingpong -g 0 -n 100 -q 16 -r 200 -c -e"]

# Options that perftest rejects are not in the lists: -e, -a and -I with atomics or READ, several
# queue pairs with latency tests.
BW = [f"{tool} -n {n} {options}".rstrip() for tool in BANDWIDTH for n, options in (
    (50, ""), (20, "-b"), (20, "-q 8"), (20, "-m 1024"), (20, "-m 4096"), (5, "-a"), (20, "-e"),
    (20, "-s 1"), (5, "-s 1000000"))
    if not ("atomic" in tool and options[:2] in ("-a", "-s"))
    and not (tool == "ib_write_bw" and options == "-e")] + [
    "ib_write_bw -n 50 -s 64 -I 64", "ib_send_bw -n 50 -s 64 -I 64", "ib_send_bw -n 20 --use-srq",
    "ib_send_bw -n 20 --use-srq -q 8", "ib_send_bw -n 20 -b -q 8 -e",
    "ib_atomic_bw -n 50 -A CMP_AND_SWAP", "ib_write_bw -n 20 -q 8 -b -m 1024"]
LAT = [f"{tool} -n {n} {options}".rstrip() for tool in LATENCY for n, options in (
    (50, ""), (20, "-m 1024"), (20, "-m 4096"), (5, "-a"), (20, "-e"), (20, "-s 65536"))
    if not ("atomic" in tool and options[:2] in ("-a", "-s"))
    and not (tool == "ib_write_lat" and options == "-e")] + [
    "ib_write_lat -n 50 -s 64 -I 64", "ib_send_lat -n 50 -s 64 -I 64",
    "ib_send_lat -n 20 --use-srq", "ib_atomic_lat -n 50 -A CMP_AND_SWAP"]
TOGETHER = ["ib_write_bw -n 50 & ib_write_bw -n 50", "ib_write_bw -n 50 & ib_read_bw -n 50",
            "ib_send_bw -n 50 -b & ib_atomic_bw -n 100", "ib_send_lat -n 50 & ib_read_lat -n 50",
            "ib_write_bw -n 20 -q 8 & ib_send_bw -n 20 -q 8 -e",
            "ib_send_bw -n 50 & ib_read_bw -n 50 -b & ibv_rc_pingpong -g 0 -n 100 -c -e"]
# For a link that loses and reorders: every program, with one queue pair and with eight.
FAULTY = [f"{tool} -n 20" for tool in BANDWIDTH + LATENCY] + [
    f"{tool} -n 10 -q 8" for tool in BANDWIDTH] + ["ib_write_bw -n 5 -b", "ib_send_bw -n 5 -e",
    "ib_send_bw -n 10 --use-srq", "ib_send_lat -n 10 -s 65536"]

# UC and UD. perftest's UD takes no --use-srq with several queue pairs.
UNRELIABLE = [f"ibv_u{kind}_pingpong -g {gid} -n 100{options}" for kind in "cd" for gid in (0, 1, 2)
              for options in ("", " -e")] + [
    "ibv_ud_pingpong -g 0 -n 100 -s 4096", "ibv_ud_pingpong -g 0 -n 100 -s 1",
    "ibv_uc_pingpong -g 0 -n 20 -s 65536 -m 256 -c"] + [
    f"{tool} -n 50 {options}".rstrip() for tool in ("ib_send_bw -c UD", "ib_send_lat -c UD")
    for options in ("", "-e", "-s 64 -I 64", "--use-srq", "-m 1024")] + [
    "ib_send_bw -c UD -n 50 -b", "ib_send_bw -c UD -n 50 -q 8"] + [
    f"{tool} -c UC -n 20 {options}".rstrip()
    for tool in ("ib_send_bw", "ib_write_bw", "ib_send_lat", "ib_write_lat")
    for options in ("", "-m 4096", "-s 64 -I 64")] + [
    f"{tool} -c UC -n 20 {options}" for tool in ("ib_send_bw", "ib_write_bw")
    for options in ("-b", "-q 8")] + [
    "ib_send_bw -c UC -n 20 -e", "ib_send_bw -c UC -n 20 --use-srq",
    "ib_send_bw -c UD -n 50 & ib_write_bw -n 50 & ib_write_bw -c UC -n 50"]
# All sizes, up to 8 MiB.
UNRELIABLE_SIZES = [f"{tool} -n 5 -a" for tool in (
    "ib_send_bw -c UD", "ib_send_lat -c UD", "ib_send_bw -c UC", "ib_write_bw -c UC",
    "ib_send_lat -c UC", "ib_write_lat -c UC")]
# The same in short, for the RTL: what runs at once fits into the receive buffer of an adapter.
UNRELIABLE_QUICK = [f"ibv_u{kind}_pingpong -g {gid} -n 40" for kind in "cd" for gid in (0, 1, 2)
                    ] + [
    "ibv_uc_pingpong -g 0 -n 20 -s 65536 -m 256 -c", "ibv_ud_pingpong -g 0 -n 50 -s 4096 -e"] + [
    f"{tool} -c UD -n 20 -s 1024{srq}" for tool in ("ib_send_bw", "ib_send_lat")
    for srq in ("", " --use-srq")] + [
    f"{tool} -c UC -n 20 -s 4096"
    for tool in ("ib_send_bw", "ib_write_bw", "ib_send_lat", "ib_write_lat")] + [
    "ib_send_bw -c UC -n 20 --use-srq", "ib_send_bw -c UD -n 20 -s 1024 & ib_write_bw -c UC -n 20"]
UNRELIABLE_SHORT = ["ibv_uc_pingpong -g 0 -n 40", "ibv_ud_pingpong -g 1 -n 40",
                    "ib_send_bw -c UD -n 20 -s 1024 --use-srq", "ib_write_lat -c UC -n 20 -s 4096",
                    "ib_send_bw -c UD -n 20 -s 1024 & ib_write_bw -c UC -n 20"]
# For a link that loses: programs that do not wait for each message.
LOSSY = ["ib_write_bw -c UC -n 200", "ib_write_bw -c UC -n 50 -q 8 -b", "ib_send_bw -c UD -D 2",
         "ib_send_bw -c UC -D 2", "ib_send_bw -c UD -D 2 -q 4 & ib_write_bw -n 50"]

LISTS = {"quick": QUICK, "unreliable": UNRELIABLE, "unreliable_sizes": UNRELIABLE_SIZES,
         "unreliable_quick": UNRELIABLE_QUICK, "unreliable_short": UNRELIABLE_SHORT, "lossy": LOSSY,
         "pingpong": PINGPONG, "bw": BW, "lat": LAT, "together": TOGETHER,
         "faulty": FAULTY, "all": PINGPONG + BW + LAT + TOGETHER}
