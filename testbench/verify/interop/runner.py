# SPDX-License-Identifier: Apache-2.0
"""One run of a scenario: our node, the guest, and their results."""
import contextlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time

from python.roci.program import free_port, listening
from testbench.tools.rocitest import check_pcap
from testbench.verify.interop import cm, machine, programs, stock
from testbench.verify.interop.programs import Failed

# Options of both programs, and those of our side of the link.
SHARED = ["op", "count", "depth", "qps", "mtu", "family", "psn", "timeout", "retry", "rnr_retry",
          "rnr_timer", "expect"]
OURS = ["loss", "duplicate", "reorder", "seed", "pace", "width"]
KNOWN = {*SHARED, *OURS, "roles", "sizes", "fault", "srq", "seconds", "quick", "garbage",
         "kill_after", "program", "netdev", "stock", "cm", "lost", "nodes", "engine",
         "neighbours"}


def shared_options(scenario):
    options = []
    for key in SHARED:
        if key in scenario:
            options += ["--" + key.replace("_", "-"), str(scenario[key])]
    options += ["--sizes", ",".join(map(str, scenario["sizes"]))]
    if "fault" in scenario:
        options += ["--fault", scenario["fault"]]
    return options


class Garbage:
    """Sends invalid frames to a port until it is stopped."""

    def __init__(self, path):
        self.path, self.stopped = path, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        dice = random.Random(7)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            while not self.stopped.is_set():
                frame = dice.randbytes(dice.choice([0, 5, 14, 60, 200, 1500, 9300]))
                if dice.random() < 0.5:  # begins like IPv4, UDP, RoCE
                    frame = (bytes.fromhex("525400000001525400000002080045000064000040004011"
                                           "26c00a0000020a000001c00012b7") + frame)
                with contextlib.suppress(OSError):  # not open yet, or closed
                    sender.sendto(frame, self.path)
                time.sleep(0.005)

    def stop(self):
        self.stopped.set()
        self.thread.join()


class Runner:
    def __init__(self, options):
        self.options = options
        self.guest = None
        self.sockets = tempfile.TemporaryDirectory(prefix="roci-interop-")  # short paths
        self.wire = None  # our end and the guest's
        self.boots = []

    def need_guest(self):
        if self.guest is not None and self.guest.process.poll() is None:
            return self.guest
        self.wire = [f"{self.sockets.name}/{end}{len(self.boots)}" for end in ("node", "guest")]
        folder = self.options.out / f"guest{len(self.boots)}"
        self.guest = machine.Guest(self.options.cache, folder, self.wire[1], self.wire[0],
                                   forward=[stock.GUEST_PORT])
        self.boots.append(self.guest.boot_seconds)
        print(f"guest: Linux {self.guest.release}, booted in {self.guest.boot_seconds:.1f} s",
              flush=True)
        return self.guest

    def close(self):
        if self.guest is not None:
            self.guest.kill()

    def run(self, name, scenario, role):
        """Raises Failed, or returns the results of a successful run."""
        guest = self.need_guest()
        folder = self.options.out / f"{name}.{role}"
        folder.mkdir(parents=True, exist_ok=True)
        if "stock" in scenario:
            pcap = stock.run(self, scenario, role, folder)
            return {"frames": self.check_capture(pcap, roce=True)}
        if "cm" in scenario:
            pcap = cm.run(self, scenario, role, folder)
            return {"frames": self.check_capture(pcap, roce=True)}
        pcap = folder / "wire.pcapng"
        pcap.unlink(missing_ok=True)
        port = free_port()
        ours = [self.options.roci, "peer", "--wire", f"dgram:{self.wire[0]},{self.wire[1]}",
                "--pcap", pcap]
        if "op" in scenario:
            ours += ["--listen", str(port), "--role", role, "--progress",
                     *shared_options(scenario)]
        else:
            ours.append("--idle")
        for key in OURS:
            if key in scenario:
                ours += ["--" + key, str(scenario[key])]
        if scenario.get("netdev"):
            ours += ["--netdev", programs.TAP]
        theirs = self.guest_command(scenario, role, port)
        seconds = scenario["seconds"]
        garbage = Garbage(self.wire[0]) if scenario.get("garbage") else None
        node = subprocess.Popen(ours, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            if scenario.get("netdev"):
                programs.give_addresses(node)
            if "op" in scenario:
                self.wait_for_port(port, node)
            if "program" in scenario:
                programs.PROGRAMS[scenario["program"]](self, node)
                node.send_signal(signal.SIGINT)
                status, guest_text, output = 0, "", node.communicate(timeout=seconds)[0]
            elif "kill_after" in scenario:
                output = self.kill_guest(guest, theirs, node, scenario["kill_after"])
                status, guest_text = 0, "killed\n"
            else:
                # The output is read while the guest works, so that the pipe does not become full.
                lines = []
                reader = threading.Thread(target=lambda: lines.extend(node.stdout), daemon=True)
                reader.start()
                status, guest_text = guest.run(theirs, seconds)
                reader.join(seconds)
                output = "".join(lines)
            node.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"our side did not end within {seconds} s") from None
        finally:
            if garbage:
                garbage.stop()
            node.kill()
            node.wait()
        output = "\n".join(line for line in output.splitlines() if not line.startswith("done "))
        (folder / "node.log").write_text(output + "\n")
        (folder / "guest.log").write_text(guest_text)
        if node.returncode or status:
            why = [line for line in output.splitlines() if line.startswith("roci:")]
            raise Failed(f"our side: {why[-1] if why else 'good'}; "
                         f"guest: {guest_text.strip() or 'good'}")
        frames = self.check_capture(pcap, roce="op" in scenario)
        return {"frames": frames, "output": output}

    @staticmethod
    def guest_command(scenario, role, port):
        if "op" not in scenario:
            return ""
        words = ["peer", "--connect", f"10.0.2.2:{port}", "--role",
                 "responder" if role == "requester" else "requester", *shared_options(scenario)]
        return " ".join(words + ["--srq"] * bool(scenario.get("srq")))

    @staticmethod
    def wait_for_port(port, node):
        """Waits until our side listens; a probe that connects would be taken for the peer."""
        for _ in range(1200):
            if node.poll() is not None:
                raise Failed(f"our side ended at once: {node.stdout.read().strip()}")
            if listening(port):
                return
            time.sleep(0.05)
        raise Failed("our side does not listen")

    @staticmethod
    def kill_guest(guest, theirs, node, after):
        guest.check(theirs + " >/tmp/peer.log 2>&1 &")
        output = []
        for line in node.stdout:
            output.append(line)
            if line.startswith(f"done {after} "):
                guest.kill()
        return "".join(output)

    @staticmethod
    def check_capture(pcap, roce):
        """Returns the number of RoCE frames that we sent; all must be legal."""
        good = 0
        for number, frame in enumerate(check_pcap.frames(pcap, interface=0), 1):
            wrong = check_pcap.complaints(frame)
            if wrong:
                raise Failed(f"{pcap}: frame {number} of ours: {', '.join(wrong)}")
            good += wrong is not None
        ours = "frame.interface_id == 0 && udp.port == 4791"
        for line in check_pcap.tshark_complaints(pcap, ours):
            raise Failed(f"{pcap}: tshark: {line}")
        if good == 0 and roce:
            raise Failed(f"{pcap}: no RoCE frame of ours")
        return good
