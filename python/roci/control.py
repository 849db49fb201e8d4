# SPDX-License-Identifier: Apache-2.0
"""Requests to a running simulator on its socket; driver/device/protocol.hpp has the messages."""
import fcntl
import json
import os
import socket
import struct

STATUS, SET_LINK, FAULTS, QUEUE_PAIRS = 7, 10, 13, 14
LIST, ADD, CLEAR = 0, 1, 2
HEADER = struct.Struct("=II")
SET_LINK_BODY = struct.Struct("=II")
FAULTS_BODY = struct.Struct("=II256s")
DONE = struct.Struct("=IIII")
SECONDS = 60  # that the simulator may take to reply


class Error(Exception):
    """A request that the simulator rejects, or a simulator that is not there."""


def directory_of(name):
    """The directory of an instance, as sim/server/README.md states it."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return f"{runtime}/roci-{name}"
    return f"/tmp/roci-{os.getuid()}-{name}"


def memory_file(text):
    """A descriptor of a file in memory, which the simulator reads without blocking."""
    file = os.memfd_create("roci-script", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(file, text.encode())
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    return file


class Control:
    """A simulator by its name."""

    def __init__(self, name="default"):
        self.name = name
        self.path = f"{directory_of(name)}/socket"

    def _exchange(self, kind, body=b"", file=None):
        """Sends a message; returns what the file of the reply holds, or None."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(SECONDS)
            try:
                connection.connect(self.path)
                message = HEADER.pack(kind, 1) + body
                socket.send_fds(connection, [message], [] if file is None else [file])
                reply, files, _, _ = socket.recv_fds(connection, DONE.size, 1)
            except OSError as error:
                raise Error(f"{self.path}: {error.strerror or error}") from error
        if len(reply) != DONE.size or DONE.unpack(reply)[2] != 0:
            raise Error("the simulator rejects the request")
        if not files:
            return None
        with open(files[0], "rb") as found:
            found.seek(0)
            return json.load(found)

    def status(self, queue_pairs=False):
        """What `roci status --json` prints; with `queue_pairs` each queue pair too."""
        return self._exchange(QUEUE_PAIRS if queue_pairs else STATUS)

    def set_link(self, adapter, up):
        """Sets the link of an adapter, such as "n0" or "n0/roci1", up or down."""
        names = [f"{node['node']}/{node['adapter']}" for node in self.status()["nodes"]]
        whole = adapter if "/" in adapter else f"{adapter}/roci0"
        if whole not in names:
            raise Error(f"no adapter '{adapter}'; there are {', '.join(names)}")
        self._exchange(SET_LINK, SET_LINK_BODY.pack(names.index(whole), int(up)))

    def _faults(self, request, number=0, source="", file=None):
        body = FAULTS_BODY.pack(request, number, source.encode()[:255])
        reply = self._exchange(FAULTS, body, file)
        if "error" in reply:
            raise Error(reply["error"])
        return reply

    def add_script(self, text, source="script"):
        """Adds the faults of a script (TOML); returns their numbers."""
        file = memory_file(text)
        try:
            return self._faults(ADD, source=source, file=file)["added"]
        finally:
            os.close(file)

    def add_fault(self, action, **fields):
        """Adds one fault, such as add_fault("drop", node="n1", nth=3); returns its number."""
        lines = [f"{name} = {json.dumps(value)}"
                 for name, value in {"action": action, **fields}.items()]
        return self.add_script("[[fault]] \n" + "\n".join(lines) + "\n", "add_fault")[0]

    def faults(self):
        """What `roci fault list --json` prints."""
        return self._faults(LIST)["faults"]

    def clear_faults(self, number=0):
        """Removes a fault, or all."""
        self._faults(CLEAR, number)
