#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One side of a connection that stops in a state, for rdmacm_states.py.

usage: rdmacm_side.py server|client STATE PORT

Prints "reached" in the state, then each event. Reads "go" (does what comes next) and "end" from its
standard input.
"""
import select
import sys

from rdmacm_library import LIBRARY, Channels, Failed, accept, call, connect, make_queue_pair


class Side:
    def __init__(self, state, port):
        self.state, self.port = state, port
        self.channels = Channels()
        self.ids = []
        self.quiet = False  # events are left in the channel until "go"

    def report(self, text):
        print(text, flush=True)

    def follow(self):
        """Until "end": reports events."""
        self.report("reached")
        while True:
            sources = [sys.stdin] if self.quiet else [self.channels.fd, sys.stdin]
            ready = select.select(sources, [], [])[0]
            if self.channels.fd in ready:
                name, identifier, status = self.channels.event()
                if name == "CONNECT_REQUEST":
                    self.ids.append(identifier)
                self.report(f"event {name} {status}")
            if sys.stdin in ready:
                if sys.stdin.readline().strip() != "go":
                    break
                self.quiet = False
                try:
                    self.go()
                    self.report("went")
                except Failed as error:
                    self.report(f"failed {error}")
        for identifier in reversed(self.ids):
            if identifier.contents.qp:
                LIBRARY.rdma_destroy_qp(identifier)
            call("rdma_destroy_id", identifier)
        self.channels.destroy()
        self.report("done")


class Server(Side):
    def run(self):
        self.ids.append(self.channels.listen(self.port))
        self.report("listening")
        if self.state != "resolving":
            self.ids.append(self.channels.event("CONNECT_REQUEST")[1])
        if self.state in ("replied", "established", "disconnecting"):
            self.go()
        if self.state in ("established", "disconnecting"):
            self.channels.event("ESTABLISHED")
        if self.state == "disconnecting":
            self.channels.event("DISCONNECTED")
        self.follow()

    def go(self):
        make_queue_pair(self.ids[-1])
        accept(self.ids[-1])


class Client(Side):
    def run(self):
        self.ids.append(self.channels.resolve("10.0.0.1", self.port))
        if self.state != "resolving":
            self.go()
        self.quiet = self.state == "resolving"
        if self.state == "replied":
            self.channels.event("CONNECT_RESPONSE")
        if self.state in ("established", "disconnecting"):
            self.channels.event("ESTABLISHED")
        if self.state == "disconnecting":
            call("rdma_disconnect", self.ids[0])
        self.follow()

    def go(self):
        self.channels.route(self.ids[0])
        if self.state != "replied":  # with a queue pair the library sends the RTU
            make_queue_pair(self.ids[0])
        connect(self.ids[0])


def main():
    role, state, port = sys.argv[1:]
    (Server if role == "server" else Client)(state, int(port)).run()


if __name__ == "__main__":
    main()
