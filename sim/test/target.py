#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges roci0, the model engine, as a foreign adapter: agent, wire, and `roci conform --target`.

usage: target.py ROCI AGENT [--all | --rtl]

With --all: every test, and every planted fault. With --rtl: every test, on the RTL engine. Else a
few tests, two faults and the bad input.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import target_rig

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402

ROCI, AGENT = sys.argv[1:3]
RTL = "--rtl" in sys.argv[3:]
EVERYTHING = "--all" in sys.argv[3:] or RTL
ENGINE = ("--width", "64") if RTL else ("--engine", "model")
HEAD = struct.Struct("<IHHII")  # agent_head of protocol.h
MAGIC = 0x41434F52
VERSION = int(re.search(r"kAgentVersion = (\d+)", (
    ROOT / "testbench/verify/conform/agent/protocol.h").read_text())[1])

# A fault of the adapter's packets, and the statements that it breaks. `repair` makes the ICRC
# right, so that only the field is wrong.
FAULTS = {
    "action=corrupt field=msn repair=true node=n0 opcode=ack": ["RSP-13"],
    "action=drop node=n0 opcode=nak": ["RSP-03", "RSP-04"],
    "action=corrupt field=psn repair=true node=n0 opcode=RcWriteOnly": ["QP-13"],
    "action=corrupt field=icrc node=n0 opcode=RcSendOnly": ["RQ-25"],
    "action=corrupt field=syndrome value=99 repair=true node=n0 opcode=nak": ["RSP-03"],
    "action=corrupt field=payload repair=true node=n0 opcode=read_response": ["RSP-32"],
    "action=corrupt field=ack_req repair=true node=n0 opcode=RcSendOnly": ["WIRE-19"],
    "action=corrupt field=immediate repair=true node=n0 opcode=RcSendOnlyImm": ["RQ-05"],
    "action=corrupt field=rkey repair=true node=n0 opcode=RcWriteFirst": ["RQ-06"],
    "action=corrupt field=length repair=true node=n0 opcode=RcReadRequest": ["RQ-02"],
}
QUICK_FAULTS = 2
# None of them measures a time, so a busy host changes no verdict.
QUICK_IDS = ("RQ-20", "RQ-48", "RSP-05", "RSP-17", "QP-12", "CQ-05")


def verdicts(report):
    return {one["id"]: one["verdict"] for one in report["statements"]}


def compare_with_inside(folder, report, *ids):
    """What the agent can test has the verdict of a run inside the test bench."""
    file = folder / "inside.json"
    subprocess.run([ROCI, "conform", *ENGINE, "--json", file,
                    *[word for one in ids for word in ("--id", one)]], capture_output=True,
                   check=True)
    inside = {one["title"]: one["verdict"] for one in json.loads(file.read_text())["tests"]}
    compared = [one for one in report["tests"] if one["verdict"] != "not testable here"]
    assert compared and {one["title"] for one in report["tests"]} == set(inside), inside
    for one in compared:
        assert one["verdict"] == inside[one["title"]], (one, inside[one["title"]])
    print(f"{len(compared)} of {len(inside)} tests have the same verdict as inside")


def sound(folder):
    """Our adapter has the same verdicts through the agent as inside: it breaks no statement."""
    with target_rig.Target(ROCI, AGENT, folder, "sound", ENGINE) as target:
        status, text, report = target.conform(*([] if EVERYTHING else QUICK_IDS))
        assert status == 0 and report["passed"], text
        assert report["target"].startswith("roci0, "), report["target"]
        words = set(verdicts(report).values())
        assert "FAIL" not in words and "pass" in words, text
        compare_with_inside(folder, report, *([] if EVERYTHING else QUICK_IDS))
        if EVERYTHING:
            print(text)
        # A test that the agent cannot run is never one that passes.
        status, text, report = target.conform("QP-20", "MR-15")
        assert status == 0 and set(verdicts(report).values()) == {"not testable here"}, text
        assert all(one["reason"] for one in report["tests"]), report


def faulty(folder, number):
    """A planted fault breaks a statement that it is about."""
    fault, broken = list(FAULTS.items())[number]
    with target_rig.Target(ROCI, AGENT, folder, f"fault{number}") as target:
        target.simulator.command("fault", "add", *fault.split())
        status, text, report = target.conform(*broken)
        assert status == 1 and set(verdicts(report).values()) == {"FAIL"}, f"{fault}: {text}"
        status, text, _ = target.conform("RSP-18")  # about something else
        assert status == 0, f"{fault}: {text}"


def dies(folder):
    """An agent that dies in the middle: an error, and a report of what ran before."""
    with target_rig.Target(ROCI, AGENT, folder, "dies") as target:
        report = folder / "dies.json"
        words = target_rig.command(ROCI, report, target.port, target.wire, "CQ-05", "RQ-34")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as run:
            session = pathlib.Path(f"/proc/{target.agent.pid}/task/{target.agent.pid}/children")
            processes.until(session.read_text, "no session", 20)
            # A test of RQ-34 takes longer than this: the session dies in the middle of it.
            threading.Timer(1.5, lambda: os.kill(int(session.read_text()), signal.SIGKILL)).start()
            text = "".join(run.communicate(timeout=60))
        assert run.returncode == 2 and "the agent at 127.0.0.1" in text, text
        found = json.loads(report.read_text())
        assert "the agent at" in found["lost"] and not found["passed"], found
        assert "the run ended before" in text, text
        # Goes on: what ran is taken over, and the test that it was in has failed.
        words = target_rig.command(ROCI, folder / "more.json", target.port, target.wire, "CQ-05",
                                   "RQ-34")
        more = subprocess.run([*words, "--resume", report], capture_output=True, text=True,
                              check=False)
        tests = json.loads((folder / "more.json").read_text())["tests"]
        assert more.returncode == 1 and len(tests) > len(found["tests"]), more
        assert [t["verdict"] for t in tests].count("FAIL") == 1, tests


def stops(folder):
    """An agent that no longer replies in the middle of a run is given up, and what ran is kept."""
    with target_rig.Target(ROCI, AGENT, folder, "stops") as target:
        report = folder / "stops.json"
        words = target_rig.command(ROCI, report, target.port, target.wire, "CQ-05", "RQ-34")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as run:
            children = pathlib.Path(f"/proc/{target.agent.pid}/task/{target.agent.pid}/children")
            processes.until(children.read_text, "no session", 20)
            session = int(children.read_text())
            threading.Timer(1.5, lambda: os.kill(session, signal.SIGSTOP)).start()
            text = "".join(run.communicate(timeout=60))
        os.kill(session, signal.SIGKILL)
        assert run.returncode == 2 and "does not reply within" in text, text
        found = json.loads(report.read_text())
        assert "does not reply within" in found["lost"] and found["tests"], found


@contextlib.contextmanager
def liar(reply):
    """Something at a port that is no agent; `reply` makes its reply to a request."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            with contextlib.suppress(OSError):
                connection = server.accept()[0]
                with connection:
                    while request := connection.recv(65536):
                        connection.sendall(reply(request))

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def bad_input(folder):
    """What is no agent, or no wire, gives one line and exit status 2."""
    wire = f"dgram:{folder}/nowhere-a,{folder}/nowhere-b"

    def rejected(words, port, wire=wire):
        report = folder / f"bad-{words[:5]}.json"
        status, text, _ = target_rig.judge(ROCI, report, port, wire, "RQ-01")
        assert status == 2 and words in text, (words, status, text)

    def version(request):
        tag = HEAD.unpack_from(request)[2]
        return HEAD.pack(MAGIC, 0, tag, 1, 0) + struct.pack("<Q", 99)

    def short(request):
        tag = HEAD.unpack_from(request)[2]
        return HEAD.pack(MAGIC, 0, tag, 1, 0) + struct.pack("<Q", VERSION)

    rejected("no agent at 127.0.0.1", free_port())
    rejected("is not the place of an agent", "")
    rejected("no port is called", free_port(), "wifi:0")
    for words, reply in {"the agent is of version 99": version, "too short": short,
                         "is no reply": lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n"}.items():
        with liar(reply) as port:
            rejected(words, port)
    done = subprocess.run([ROCI, "conform", "--target", "h:1"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and "--wire" in done.stderr, done
    done = subprocess.run([ROCI, "conform", "--target", "127.0.0.1:1", "--wire", wire, "--resume",
                           ROOT / "LICENSE"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "not a report of" in done.stderr, done


def silent(folder):
    """An agent that does not reply is given up after 10 s."""
    with liar(lambda _: b"") as port:
        status, text, _ = target_rig.judge(ROCI, folder / "silent.json", port,
                                f"dgram:{folder}/silent-a,{folder}/silent-b", "RQ-01")
        assert status == 2 and "does not reply within" in text, text


def silent_wire(folder):
    """A wire on which nobody replies is an error too."""
    with target_rig.Target(ROCI, AGENT, folder, "quiet") as target:
        status, text, _ = target.conform("RQ-01", wire=f"dgram:{folder}/x,{folder}/y")
        assert status == 2 and "the wire is silent: 10.0.0.1" in text, text


def main():
    with tempfile.TemporaryDirectory(dir="/tmp") as name, ThreadPoolExecutor(8) as pool:
        folder = pathlib.Path(name)
        if RTL:
            return sound(folder)
        jobs = [pool.submit(one, folder)
                for one in (sound, dies, stops, bad_input, silent, silent_wire)]
        jobs += [pool.submit(faulty, folder, number)
                 for number in range(len(FAULTS) if EVERYTHING else QUICK_FAULTS)]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main()
