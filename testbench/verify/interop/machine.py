# SPDX-License-Identifier: Apache-2.0
"""A guest under QEMU: `run` executes a command in it and returns its status and output.

The first network device is the wire, one Ethernet frame per Unix datagram. The second is QEMU's
user
network: ports of the guest that `forward` names are reached at 127.0.0.1, and the guest reaches
services of the host's loopback at 10.0.2.2.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

from python.roci.program import free_port

from . import image

WIRE_MAC, CONTROL_MAC = "52:54:00:00:00:02", "52:54:00:00:01:02"
IPV4, IPV6 = "10.0.0.2", "fd00::2"


class GuestError(Exception):
    """A command of the guest failed."""


class Monitor:
    """Control of QEMU (QMP)."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rb")
        self.stream.readline()  # who it is
        self.do("qmp_capabilities")

    def do(self, command):
        """`stop` and `cont`, for one: while a guest is stopped, so is its clock."""
        self.socket.sendall(json.dumps({"execute": command}).encode() + b"\n")
        while True:
            line = json.loads(self.stream.readline() or "{}")
            if "return" in line:
                return
            if "event" not in line:
                raise GuestError(f"QEMU does not {command}: {line}")


class Guest:
    """Boots in the constructor; use as a context manager."""

    def __init__(self, cache, folder, local, remote, forward=(), boot_seconds=300, host=2):
        """`host`: last byte of the addresses of the wire."""
        qemu = shutil.which("qemu-system-x86_64")
        if not qemu:
            raise image.Missing("qemu-system-x86_64 is missing: apt-get install qemu-system-x86")
        kernel, initramfs, self.release = image.build(cache)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.console = self.folder / "console.log"
        # The path of a socket must be short; that of a build folder may be long.
        path, monitor = (f"/tmp/roci-{what}-{os.getpid()}.sock" for what in ("guest", "monitor"))
        for one in (path, monitor):
            pathlib.Path(one).unlink(missing_ok=True)
        self.ports = {port: free_port() for port in forward}
        forwards = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{there}"
                           for there, here in self.ports.items())
        settings = " ".join(f"roci.{name}={value}" for name, value in {
            "wire_mac": WIRE_MAC[:-1] + str(host), "control_mac": CONTROL_MAC,
            "wire_ipv4": f"{IPV4[:-1]}{host}/24", "wire_ipv6": f"{IPV6[:-1]}{host}/64"}.items())
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [qemu, "-accel", "tcg", "-M", "pc,vmport=off,usb=off", "-cpu", "max", "-smp", "1",
             "-m", "512M", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
             "-serial", f"file:{self.console}", "-kernel", kernel, "-initrd", initramfs, "-append",
             # On a busy host the kernel's check of its timer fails, and it stops.
             "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check "
             f"random.trust_cpu=on {settings}",
             # Unix sockets delay a sender where UDP would drop: TCG is slow.
             "-netdev", f"dgram,id=wire,local.type=unix,local.path={local},remote.type=unix,"
                        f"remote.path={remote}",
             "-device", f"virtio-net-pci,netdev=wire,mac={WIRE_MAC[:-1]}{host},romfile=",
             "-netdev", f"user,id=control{forwards}",
             "-device", f"virtio-net-pci,netdev=control,mac={CONTROL_MAC},romfile=",
             "-device", "virtio-serial-pci", "-chardev",
             f"socket,id=agent,path={path},server=on,wait=off", "-device",
             "virtserialport,chardev=agent,name=agent",
             "-qmp", f"unix:{monitor},server=on,wait=off"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.folder / "qemu.log", "wb"))
        try:
            self.agent = self.connect(path, boot_seconds)
            self.monitor = Monitor(monitor)
        except BaseException:
            self.kill()
            raise
        finally:
            for one in (path, monitor):
                pathlib.Path(one).unlink(missing_ok=True)
        self.boot_seconds = time.monotonic() - self.started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def connect(self, path, seconds):
        end = time.monotonic() + seconds
        agent = socket.socket(socket.AF_UNIX)
        while True:
            try:
                agent.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                self.check_alive()
                if time.monotonic() > end:
                    raise GuestError("QEMU did not open its control port") from None
                time.sleep(0.05)
        self.stream = agent.makefile("rb")
        agent.settimeout(max(1.0, end - time.monotonic()))
        try:
            line = self.stream.readline()
        except TimeoutError:
            line = b""
        if line != b"ready\n":
            raise GuestError(f"the guest did not boot, see {self.console}")
        return agent

    def check_alive(self):
        if self.process.poll() is not None:
            text = (self.folder / "qemu.log").read_text(errors="replace").strip()
            raise GuestError(f"QEMU ended with status {self.process.returncode}: {text}")

    def run(self, command, seconds=60):
        """(exit status, output) of a shell command."""
        self.check_alive()
        self.agent.settimeout(seconds)
        try:
            self.agent.sendall(base64.b64encode(command.encode()) + b"\n")
            head = self.stream.readline().split()
            if len(head) != 2:
                raise GuestError(f"the guest is gone, see {self.console}")
            return int(head[0]), self.stream.read(int(head[1])).decode(errors="replace")
        except TimeoutError:
            raise GuestError(f"no reply within {seconds} s to: {command}") from None

    def check(self, command, seconds=60):
        """Output of a command that must succeed."""
        status, output = self.run(command, seconds)
        if status:
            raise GuestError(f"status {status} of: {command}\n{output}")
        return output

    def kill(self):
        """Ends the guest at once, as when a machine loses power."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
