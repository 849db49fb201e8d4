# SPDX-License-Identifier: Apache-2.0
"""Commands and processes: running, waiting, TCP ports, processor time."""
import os
import pathlib
import random
import shutil
import socket
import subprocess
import time


class Missing(Exception):
    """Raised when a test needs something that this host does not have."""


def need(program, package):
    if not shutil.which(program):
        raise Missing(f"{program} is missing: apt-get install {package}")


def run(*command, check=True):
    """Runs a command to its end; with `check` an exit status other than 0 fails the test."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done


def free_port():
    """Returns a TCP port below the range that the kernel gives to clients, one of which could take
    it meanwhile."""
    while True:
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind(("::", random.SystemRandom().randrange(10000, 30000)))
                return probe.getsockname()[1]
            except OSError:
                pass


def listening(port):
    want = f":{port:04X} "
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as lines:
            if any(want in line and " 0A " in line for line in lines):
                return True
    return False


def until(condition, text, seconds=1.0):
    """Waits for a condition, and fails with `text` when it does not hold in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(text)
        time.sleep(0.02)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
