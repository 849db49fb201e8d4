# SPDX-License-Identifier: Apache-2.0
"""Commands and processes: running, waiting, processor time."""
import os
import pathlib
import shutil
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


def until(condition, text, seconds=20.0):
    """Waits for a condition, and fails with `text` when it does not hold in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(text)
        time.sleep(0.02)


def ended(pid):
    """Whether a process has closed its files, which the last of its threads does; its parent may
    not have waited for it."""
    try:
        threads = [thread.read_text(encoding="utf-8")
                   for thread in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:
        return not pathlib.Path(f"/proc/{pid}").exists()
    return all(stat.rsplit(")", 1)[1].split()[0] == "Z" for stat in threads)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
