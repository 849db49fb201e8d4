#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests several simulators at once, the options of `roci up`, other users, and idle processor time.

usage: sides.py ROCI FOLDER [--engine E] [--width N]

FOLDER has verbs_crowd: threads and children of one process.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.tools.rocitest import processes  # noqa: E402
from testbench.tools.rocitest.simulator import Simulator, argument_parser  # noqa: E402

NOBODY = 65534


def talk(simulator, line="ibv_rc_pingpong -g 0 -n 50 -c"):
    end = time.monotonic() + 240
    for process in simulator.start_pair(line, 240):
        status, text = Simulator.finish(process, end)
        assert status == 0, text


def check_crowd(roci, options, folder):
    with Simulator(roci, "sides", options) as simulator:
        before = simulator.holdings()
        status, text = simulator.run("n0", f"{folder}/verbs_crowd", 1800)
        print(text, flush=True)
        assert status == 0, "threads or children"
        processes.until(lambda: simulator.holdings() == before, "objects are not destroyed")


def check_side_by_side(roci, options):
    """Each has its processes, and the end of one is not that of the other."""
    with Simulator(roci, "", options, f"a-{os.getpid()}") as one:
        with Simulator(roci, "", options + ["--nodes", "3"], f"b-{os.getpid()}") as other:
            assert len(one.status()["nodes"]) == 2 and len(other.status()["nodes"]) == 3
            watcher = other.start("n2", "ibv_asyncwatch -d roci0")
            Simulator.first_line(watcher)
            talk(one)
            talk(other)
            assert [len(n["processes"]) for n in other.status()["nodes"]] == [0, 0, 1]
            assert all(not n["processes"] for n in one.status()["nodes"])
            watcher.kill()
            watcher.wait()
        talk(one)


def check_faults(roci, options):
    faults = ["--loss", "1%", "--reorder", "1%", "--duplicate", "1%", "--corrupt", "1%",
              "--delay", "2us", "--seed", "5"]
    with Simulator(roci, "sides", options + faults) as simulator:
        talk(simulator, "ib_write_bw -n 20 -s 65536")
        links = [node["link"] for node in simulator.status()["nodes"]]
        for what in ("lost", "delayed", "duplicated", "corrupted"):
            assert sum(link[what] for link in links) > 0, f"nothing {what}: {links}"


def check_capture(roci, options):
    """Checks with tshark what --pcap wrote: the messages of a pingpong, both ways."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "wire.pcapng"
        with Simulator(roci, "sides", options + ["--pcap", file]) as simulator:
            talk(simulator, "ibv_rc_pingpong -g 0 -n 20 -s 512 -m 1024")
        sends = subprocess.run(
            ["tshark", "-r", file, "-Y", "infiniband.bth.opcode == 4", "-T", "fields", "-e",
             "ip.src"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.split()
        assert {a: sends.count(a) for a in set(sends)} == {"10.0.0.1": 20, "10.0.0.2": 20}, sends


def check_trace(roci, options):
    """Checks the waveform, or the error text where the engine that writes it was not built."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "wave.fst"
        try:
            with Simulator(roci, "sides", options + ["--trace", file]) as simulator:
                talk(simulator, "ibv_rc_pingpong -g 0 -n 2 -s 64")
        except AssertionError as error:
            assert "trac" in str(error) or "no waveforms" in str(error), error
            print(f"trace: {error}", flush=True)
            return
        written = [f for f in pathlib.Path(folder).iterdir() if f.stat().st_size > 1000]
        assert len(written) == 2, list(pathlib.Path(folder).iterdir())


def as_nobody(call):
    """Runs `call` as another user in a child; returns its result as text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            text = str(call())
        except BaseException as error:  # also SystemExit: the child must not continue as the parent
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def check_strangers(roci, options):
    if os.getuid() != 0:
        print("other users: not tested, root is needed")
        return
    with Simulator(roci, "sides", options) as simulator:
        path = simulator.status()["socket"]
        directory = os.path.dirname(path)

        def connect():
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
                one.settimeout(5)
                one.connect(path)
                try:
                    one.send(b"\7\0\0\0\1\0\0\0")  # the status, for which no Hello is needed
                    return f"{len(one.recv(256))} bytes"
                except OSError:
                    return "0 bytes"
        modes = [os.stat(p).st_mode & 0o777 for p in (directory, path)]
        assert modes == [0o700, 0o600], modes
        for file in ("log", "lock", "sys", "socket"):
            output = as_nobody(lambda: os.listdir(f"{directory}/{file}")
                             if file == "sys" else open(f"{directory}/{file}").read())
            assert "PermissionError" in output, f"{file}: {output}"
        assert "PermissionError" in as_nobody(connect)
        os.chmod(directory, 0o711)
        os.chmod(path, 0o666)
        assert as_nobody(connect) == "0 bytes", "another user is served"
        os.chmod(directory, 0o700)
        os.chmod(path, 0o600)
        talk(simulator)


def check_replaced(roci, options):
    """A program and its library that a build replaces by rename do not disturb a simulator that
    runs, and the new ones work with it."""
    library = pathlib.Path(roci).parent.parent / "driver" / "verbs" / "libroci-verbs.so"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copies = {folder / "bin" / "roci": roci, folder / "lib" / library.name: library}
        for copy, origin in copies.items():
            copy.parent.mkdir()
            shutil.copy2(origin, copy)
        with Simulator(folder / "bin" / "roci", "sides", options) as simulator:
            process = simulator.status()["pid"]
            watcher = simulator.start("n0", "ibv_asyncwatch -d roci0")
            Simulator.first_line(watcher)
            for _ in range(2):
                for copy, origin in copies.items():
                    shutil.copy2(origin, f"{copy}.new")
                    os.rename(f"{copy}.new", copy)
                talk(simulator)
                simulator.command("link", "n1", "down")
                simulator.command("link", "n1", "up")
                assert simulator.status()["pid"] == process
            assert "(deleted)" in os.readlink(f"/proc/{process}/exe"), "nothing was replaced"
            assert watcher.poll() is None, watcher.communicate()[0]
            watcher.kill()
            watcher.wait()


def check_rest(roci, options):
    """Two seconds with programs that wait for events cost no processor time."""
    with Simulator(roci, "sides", options) as simulator:
        talk(simulator)
        watcher = simulator.start("n0", "ibv_asyncwatch -d roci0")
        Simulator.first_line(watcher)
        pid = simulator.status()["pid"]
        time.sleep(0.5)
        before, clocks = processes.cpu_seconds(pid), simulator.status()["clocks"]
        time.sleep(2)
        spent = processes.cpu_seconds(pid) - before
        clocks = simulator.status()["clocks"] - clocks
        print(f"rest: {spent:.2f} s of processor time, {clocks} clocks in 2 s",
              "with two `roci status`",
              flush=True)
        assert spent <= 0.05, spent
        watcher.kill()
        watcher.wait()


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder")
    args = parser.parse_args()
    options = ["--engine", args.engine, "--width", args.width]
    roci = os.path.abspath(args.roci)
    for check, more in ((check_crowd, [os.path.abspath(args.folder)]), (check_side_by_side, []),
                        (check_faults, []), (check_capture, []), (check_trace, []),
                        (check_strangers, []), (check_replaced, []),
                        (check_rest, [])):
        start = time.monotonic()
        check(roci, options, *more)
        print(f"ok {time.monotonic() - start:6.1f} s  {check.__name__}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
