#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests simulator and programs on another kernel: one with Yama, and with an RDMA device.

usage: guest.py ROCI CACHE [--engine E]

Boots the guest of testbench/verify/interop (a stock Debian kernel under QEMU; CACHE keeps it),
takes roci,
its library and the programs there, and runs them as a user without rights: for every ptrace_scope,
also without the library's PR_SET_PTRACER, and beside Soft-RoCE, which must stay visible and usable.
"""
import argparse
import functools
import http.server
import pathlib
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from testbench.verify.interop import image, machine  # noqa: E402

# Perftest does not run here: it compares two clocks of the machine first, and gives up ("Can't
# produce a report") in a guest that waits for processor time.
PROGRAMS = ["ibv_devices", "ibv_devinfo", "ibv_rc_pingpong"]
# Disables what the library does for Yama.
NO_PTRACER = """#include <errno.h>
int prctl(int what, ...) { (void)what; errno = EINVAL; return -1; }
"""
ROCI = "XDG_RUNTIME_DIR=/run/user /opt/bin/roci"


def pack(roci, folder):
    """An archive with all that the programs need."""
    (folder / "none.c").write_text(NO_PTRACER)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "none.so", folder / "none.c"],
                   check=True)
    library = roci.parent.parent / "driver" / "verbs" / "libroci-verbs.so"
    files = {roci: "opt/bin/roci", library: "opt/lib/libroci-verbs.so",
             folder / "none.so": "opt/none.so"}
    files |= {path: str(path)[1:] for path in map(image.find_program, PROGRAMS)}
    for path in list(files):
        files |= {found: str(found)[1:] for found in image.libraries(path)}
    with tarfile.open(folder / "files.tar", "w", dereference=True) as archive:
        for path, place in files.items():
            archive.add(path, place)


class User:
    """A user of the guest without rights."""

    def __init__(self, guest):
        self.guest = guest

    def run(self, command, seconds=120):
        status, text = self.guest.run(f"su user -c '{command}'", seconds)
        return status, text

    def good(self, command, *wanted):
        status, text = self.run(command)
        assert status == 0 and all(word in text for word in wanted), f"{command}: {status}: {text}"
        print(f"ok    {command}", flush=True)
        return text

    def rejected(self, command):
        status, text = self.run(command)
        assert status != 0 and "allow ptrace" in text, f"{command}: {status}: {text}"
        print(f"ok    rejected: {command}\n      {text.splitlines()[0]}", flush=True)

    def pair(self, line):
        """A server, and a client that is started again until the server listens."""
        self.good(f"{ROCI} exec n0 -- {line} >/tmp/server 2>&1 & "
                  f"for again in $(seq 20); do sleep 1; "
                  f"{ROCI} exec n1 -- {line} 127.0.0.1 && break; done; wait $!")


def check(guest, engine):
    user = User(guest)
    scopes = "/proc/sys/kernel/yama/ptrace_scope"
    for scope in (0, 1, 2):
        guest.check(f"echo {scope} >{scopes}")
        print(f"ptrace_scope {guest.check(f'cat {scopes}').strip()}", flush=True)
        user.good(f"{ROCI} up --engine {engine}")
        devinfo = f"{ROCI} exec n0 -- ibv_devinfo -d roci0"
        if scope == 2:
            user.rejected(devinfo)
        else:
            user.good(devinfo, "PORT_ACTIVE")
            user.pair("ibv_rc_pingpong -d roci0 -g 0 -n 100")
        if scope == 1:
            user.rejected(f"LD_PRELOAD=/opt/none.so {devinfo}")
        user.good(f"{ROCI} down")
    guest.check(f"echo 1 >{scopes}")
    user.good(f"{ROCI} up --engine {engine}")
    hidden = user.good(f"{ROCI} exec n0 -- ibv_devices", "roci0")
    assert "rxe0" not in hidden, hidden
    user.good(f"{ROCI} down")
    user.good(f"{ROCI} up --engine {engine} --host-devices")
    user.good(f"{ROCI} exec n0 -- ibv_devices", "roci0", "rxe0")
    user.pair("ibv_rc_pingpong -d rxe0 -g 1 -n 10")
    user.pair("ibv_rc_pingpong -d roci0 -g 0 -n 10")
    user.good(f"{ROCI} down")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roci", type=pathlib.Path)
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--engine", default="model")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pack(args.roci.resolve(), folder)
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=name)
        handler.log_message = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wire = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)  # no interface is configured
        wire.bind(f"{name}/peer")
        with machine.Guest(args.cache, folder / "guest", f"{name}/guest.sock",
                           f"{name}/peer") as guest:
            guest.check(f"cd / && wget -q -O - http://10.0.2.2:{server.server_address[1]}/files.tar"
                        " | tar x", 300)
            guest.check("mkdir -p /etc /run/user && chown 1000 /run/user && chmod 1777 /tmp && "
                        "echo user:x:1000:1000::/tmp:/bin/sh >/etc/passwd && "
                        "chmod 666 /dev/infiniband/* /dev/null")
            check(guest, args.engine)
        wire.close()
        server.shutdown()
    print("all good")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except image.Missing as missing:
        print(missing, file=sys.stderr)
        sys.exit(2)
