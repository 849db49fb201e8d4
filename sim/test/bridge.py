#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two simulators as foreign adapters, and `roci conform --bridge` between them.

usage: bridge.py ROCI [--all]

Each fault is on the bridge, which both ends must repair without a finding, or planted in the
packets of one end, which the bridge must name with the statement that it breaks. The transport
timer of --timeout is far above delays of a busy host, so that its retries differ from those after
a NAK. With --all: all that is planted.
"""
import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from python.roci.program import free_port, listening  # noqa: E402
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator  # noqa: E402

ROCI = sys.argv[1]
TIMEOUT = 18  # code: 1.07 s
JITTER = "500ms"
MESSAGES, PACKETS = 20, 4  # a message has 1000 bytes, the path MTU is 256
ALL = MESSAGES * PACKETS

RULES = """
[[fault]]
action = "drop"
node = "n0"
opcode = "request"
nth = 5

[[fault]]
action = "corrupt"
node = "n0"
opcode = "request"
nth = 20

[[fault]]
action = "reorder"
node = "n0"
opcode = "RcWriteMiddle"
nth = 12

[[fault]]
action = "duplicate"
node = "n1"
opcode = "ack"
nth = 2

[[fault]]
action = "mark_ecn"
node = "n0"
opcode = "request"
every = 7
"""

LOST = '[[fault]]\naction = "drop"\nnode = "n0"\nopcode = "request"\nnth = 5\n'
LAST = f'[[fault]]\naction = "drop"\nnode = "n0"\nopcode = "request"\nnth = {ALL}\n'
# What an end does wrong: the end, the fault of its simulator that makes it so, rules of the bridge,
# the finding, and further options: of the program, of the bridge, whether the program ends well.
PLANTED = {
    "the responder sends no NAK": (
        "second", ["action=drop node=n0 opcode=nak"], LOST, "RSP-03", {}),
    "the requester ignores a NAK": (
        "first", ["action=drop node=n0 direction=in opcode=nak"], LOST, "RQ-21", {}),
    "the responder sends a NAK twice": (
        "second", ["action=duplicate node=n0 opcode=nak"], LOST, "RSP-04", {}),
    "the responder counts messages wrongly": (
        "second", ["action=corrupt field=msn repair=true node=n0 opcode=ack nth=1"], "", "RSP-13",
        {}),
    "the requester changes what it retransmits": (
        "first", [f"action=corrupt repair=true node=n0 opcode=RcWriteFirst nth={MESSAGES + 1}"],
        '[[fault]]\naction = "drop"\nnode = "n0"\nopcode = "RcWriteFirst"\nnth = 3\n', "RQ-20",
        {"fails": True}),
    "the timer of the requester is short": ("first", [], LAST, "RQ-31", {"timeout": 14}),
    "the requester never retries": (
        "first", [f"action=drop node=n0 opcode=request from={ALL + 1}"], LAST, "RQ-31",
        {"fails": True}),
    "the requester does not wait after an RNR NAK": (
        "first", ["action=drop node=n0 direction=in opcode=nak"], "", "RQ-25",
        {"timeout": 15, "stated": 0, "rnr": True}),
}
QUICK = 2

class Rig:
    """Two simulators of one node each, at the two wires of a bridge."""

    def __init__(self, folder, name, rules="", stated=TIMEOUT):
        self.folder, self.name = folder, name
        self.stack = contextlib.ExitStack()
        self.report, script = folder / f"{name}.json", folder / f"{name}.toml"
        script.write_text(rules)
        self.options = ["--timeout", str(stated), "--jitter", JITTER, "--json", self.report,
                        "--record", folder / f"{name}.pcapng"]
        self.options += ["--rules", script] if rules else []

    def end(self, side):
        return f"{self.folder}/{self.name}-{side}"

    def __enter__(self):
        self.ends = {}
        for number, side in enumerate(("first", "second"), 1):
            self.ends[side] = self.stack.enter_context(Simulator(
                ROCI, f"{self.name}{number}",
                ["--engine", "model", "--nodes", "1", "--host", str(number), "--wire",
                 f"n0=dgram:{self.end(side)},{self.end(side)}-bridge"]))
        wires = [f"dgram:{self.end(side)}-bridge,{self.end(side)}" for side in self.ends]
        self.bridge = subprocess.Popen([ROCI, "conform", "--bridge", *wires, *self.options],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.stack.callback(self.bridge.kill)
        assert "the bridge is open" in self.bridge.stderr.readline()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def run(self, timeout=TIMEOUT):
        """WRITEs from the first end to the second one; whether both programs succeeded."""
        port = free_port()
        line = f"ib_write_bw -d roci0 -x 0 -m 256 -s 1000 -n {MESSAGES} -u {timeout} -p {port}"
        server = self.ends["second"].start("n0", line)
        processes.until(lambda: listening(port) or server.poll() is not None, "no server", 60)
        client = self.ends["first"].start("n0", f"{line} 127.0.0.1")
        codes = [one.wait(timeout=120) for one in (client, server)]
        return codes == [0, 0]

    def finish(self):
        """Exit status of the bridge, its output and its report."""
        self.bridge.send_signal(signal.SIGINT)
        text = "".join(self.bridge.communicate(timeout=60))
        return self.bridge.returncode, text, json.loads(self.report.read_text())


def sound(folder):
    """Both ends repair each fault, and the record has a comment for it."""
    with Rig(folder, "sound", RULES) as rig:
        assert rig.run()
        status, text, report = rig.finish()
    assert status == 0 and report["findings"] == [], text
    assert [fault["fired"] >= 1 for fault in report["faults"]] == [True] * 5, text
    first, second = report["ends"]
    assert first["addresses"] == ["10.0.0.1"] and second["addresses"] == ["10.0.0.2"], report
    assert first["requests"] > ALL and first["retransmitted"] > 0, report
    assert second["sequence_naks"] > 0 and second["marked"] >= ALL // 7, report
    assert "sent no CNP" in text, text
    record = (folder / "sound.pcapng").read_bytes()
    for word in (b"fault 1: lost", b"fault 2: corrupted", b"fault 5: marked"):
        assert word in record, word
    judged = subprocess.run([ROCI, "conform", "--pcap", folder / "sound.pcapng"], text=True,
                            capture_output=True, check=False)
    assert judged.returncode == 0 and " 0 findings" in judged.stdout, judged


def planted(folder, number):
    """The end that does wrong is named, with the statement, and the other end is not."""
    name, (end, faults, rules, statement, more) = list(PLANTED.items())[number]
    with Rig(folder, f"planted{number}", rules, more.get("stated", TIMEOUT)) as rig:
        for fault in faults:
            rig.ends[end].command("fault", "add", *fault.split())
        if more.get("rnr"):
            rig.ends["second"].command(
                "fault", "add", *"action=nak code=rnr timer=31 node=outside opcode=RcWriteFirst "
                "nth=3".split())
        assert rig.run(more.get("timeout", TIMEOUT)) or more.get("fails"), name
        status, text, report = rig.finish()
    found = {(one["end"], one["statement"]) for one in report["findings"]}
    assert status == 1 and found == {(end, statement)}, (name, found, text)
    print(f"{name}: {end} end, {statement}", flush=True)


def bad_input(folder):
    """One line and exit status 2."""
    def rejected(words, *options):
        done = subprocess.run([ROCI, "conform", *map(str, options)], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 2 and words in done.stderr, (words, done)

    wires = [f"dgram:{folder}/a,{folder}/b", f"dgram:{folder}/c,{folder}/d"]
    script = folder / "bad.toml"
    rejected("needs two ports", "--bridge", wires[0])
    rejected("no port is called", "--bridge", wires[0], "wifi:0")
    rejected("no RoCE frame came", "--bridge", *wires, "--seconds", "0.2")
    rejected("--bridge", "--bridge", *wires, "--target", "h:1", "--wire", wires[0])
    rejected("--rules requires --bridge", "--rules", script)
    for text, words in (('action = "kill"', "cannot apply action 'kill'"),
                        ('action = "drop"\nprogram = "x"', "a process, a program"),
                        ('action = "nak"\ncode = "rnr"', "cannot apply action 'nak'"),
                        ('action = "drop"\nnode = "n2"', "no node 'n2'"),
                        ('action = "melt"', "action")):
        script.write_text(f"[[fault]]\n{text}\n")
        rejected(words, "--bridge", *wires, "--rules", script)
        rejected("bad.toml:", "--bridge", *wires, "--rules", script)
    rejected("none.toml", "--bridge", *wires, "--rules", folder / "none.toml")
    rejected("/no/x", "--bridge", *wires, "--record", "/no/x")


def main():
    count = len(PLANTED) if "--all" in sys.argv[2:] else QUICK
    with tempfile.TemporaryDirectory(dir="/tmp") as name, ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        jobs = [pool.submit(one, folder) for one in (sound, bad_input)]
        jobs += [pool.submit(planted, folder, number) for number in range(count)]
        for job in jobs:
            job.result()


if __name__ == "__main__":
    main()
