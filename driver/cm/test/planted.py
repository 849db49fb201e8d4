#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the sources of the connection manager, one rule at a time, and demands that a test fails.

usage: planted.py [--draw N [--seed S]] COMPILER ROOT WORK OBJECTS LIBRARY...

With --draw only N of the changes, drawn with a seed that is printed.
OBJECTS: the objects of the tests, those of a program separated by commas, programs by '+'.
The changed source is compiled and linked before the libraries, which then do not supply it.
"""
import argparse
import pathlib
import random
import subprocess

# File below driver/cm; text as it stands there, exactly once; text instead.
PLANTED = [
    ("connection/transition.cpp", "me().retries_left = me().retries;",
     "me().retries_left = static_cast<std::uint8_t>(me().retries + 1);"),
    ("connection/network_events.cpp",
     "if (me().deadline > now_) return false;\n  if (in(State::kTimeWait))",
     "if (in(State::kTimeWait))"),
    ("connection/network_events.cpp", "--me().retries_left;", ""),
    ("connection/network_events.cpp", "if (dreq.remote_qpn != me().local_qpn) return false;", ""),
    ("connection/network_events.cpp", "me().transaction_id = mad.transaction_id;\n  switch",
     "switch"),
    ("connection/network_events.cpp", "rep.local_id != me().remote_id || ", ""),
    ("connection/network_events.cpp", "rej.reason == Reason::kStale ? enter_time_wait() :", ""),
    ("connection/network_events.cpp", "resend();  // the MRA, or the RTU", ""),
    ("connection/network_events.cpp", "if (in(State::kRtuWait)) enter(State::kRepSent);", ""),
    ("connection/connection.cpp", "interval(active ? req.remote_timeout : req.local_timeout)",
     "interval(req.remote_timeout)"),
    ("connection/network_events.cpp", "case State::kRtuWait:  // the RTU was lost", ""),
    ("connection/transition.cpp", "rej.info_length = sizeof me().local_guid;", ""),
    ("connection/transition.cpp", "me().deadline = now_ + me().path_time;\n", "\n"),
    ("connection/sidr.cpp", "case SidrState::kResponded:\n        resend();",
     "case SidrState::kResponded:"),
    ("connection/manager.cpp", "if (before != kNever) deadlines_.erase({before, id});", ""),
    ("connection/manager.cpp", "} else if (entry.owned) {", "} else {"),
    ("connection/manager.cpp", "erase(by_peer_qpn_,", "if (id == 0) erase(by_peer_qpn_,"),
    ("connection/dispatch.cpp", "found->second.path.remote != path.remote) return nullptr;",
     "false) return nullptr;"),
    ("connection/dispatch.cpp", "return known && connection.remote_id != peer_id ?",
     "return false && peer_id == 0 ?"),
    ("connection/dispatch.cpp", "connection.transaction_id == mad.transaction_id && ", ""),
    ("connection/dispatch.cpp", "if (req.primary.remote_gid != path.local)", "if (false)"),
    ("connection/dispatch.cpp", "if (const std::optional<std::uint64_t> guid = guid_in(rej))",
     "if (const std::optional<std::uint64_t> guid = guid_in(rej); guid && *guid == 0)"),
    ("mad/message.cpp", "qpn > kGsiQpn && qpn != kMulticastQpn", "qpn > kGsiQpn"),
    ("mad/message.cpp", "if (header.class_version != kClassVersion)", "if (false)"),
    ("mad/message.cpp", "if (header.method != kMethodSend)", "if (false)"),
    ("mad/message.cpp", "if (size != kMadBytes)", "if (size < kMadBytes)"),
    ("abi/connect.cpp", "at_most(id->rep.responder_resources, id->req.initiator_depth)",
     "id->rep.responder_resources"),
    ("abi/connect.cpp",
     "at_most(replied ? id->rep.initiator_depth : id->req.responder_resources,\n"
     "                    id->req.responder_resources)",
     "replied ? id->rep.initiator_depth : id->req.responder_resources"),
    ("abi/connect.cpp", "req.retries = at_most(param.retry_count, kMostRetries);", ""),
    ("abi/connect.cpp", "rep.rnr_retries = at_most(param.rnr_retry_count, kMostRetries);", ""),
    ("abi/connect.cpp", "passive ? id->req.psn : id->rep.psn",
     "passive ? id->local_psn : id->req.psn"),
    ("abi/resolve.cpp", "if (resolving.until <= now)", "if (false)"),
    ("abi/native.cpp", "if (!is_wildcard(gid_of(address))) return ENODEV;", ""),
    ("mad/ip.cpp", "if (bytes.major_version != 0) return std::nullopt;", ""),
]


def main(options):
    compiler, root, work, libraries = (options.compiler, options.root, options.work,
                                       options.libraries)
    programs = [one.split(",") for one in options.objects.split("+")]
    planted = PLANTED
    if options.draw is not None:
        seed = random.randrange(2**32) if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        planted = random.Random(seed).sample(PLANTED, options.draw)
    work.mkdir(parents=True, exist_ok=True)
    unchanged = work / "unchanged.o"
    subprocess.run([compiler, "-std=c++17", "-I", root, "-c", root / "driver/cm/mad/ip.cpp", "-o",
                    unchanged], check=True)
    for objects in programs:
        assert not fails(compiler, work, unchanged, objects, libraries), "fails without a change"
    missed = []
    for number, (name, old, new) in enumerate(planted):
        text = (root / "driver/cm" / name).read_text()
        assert text.count(old) == 1, f"{name}: {text.count(old)} times: {old}"
        source = work / pathlib.Path(name).name
        source.write_text(text.replace(old, new))
        changed = work / "changed.o"
        subprocess.run([compiler, "-std=c++17", "-O1", "-I", root, "-c", source, "-o", changed],
                       check=True)
        if not any(fails(compiler, work, changed, objects, libraries) for objects in programs):
            missed.append(f"{name}: {old}")
        print(f"{number + 1} of {len(planted)}: {name}", flush=True)
    assert not missed, "\n".join(["no test noticed:", *missed])


def fails(compiler, work, changed, objects, libraries):
    """Links a test with the changed source; True when it fails."""
    program = work / "program"
    subprocess.run([compiler, *objects, changed, *libraries, "-o", program], check=True)
    try:
        return subprocess.run([program], stdout=subprocess.DEVNULL, timeout=60).returncode != 0
    except subprocess.TimeoutExpired:
        return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int, metavar="N")
    parser.add_argument("--seed", type=int, metavar="S")
    parser.add_argument("compiler")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("objects")
    parser.add_argument("libraries", nargs="+")
    main(parser.parse_args())
