# SPDX-License-Identifier: Apache-2.0
"""Scenarios without the two `peer` programs: the ordinary Ethernet path."""
import re
import subprocess
import time

NODE_MAC, NODE_IPV4, NODE_IPV6 = "52:54:00:00:00:01", "10.0.0.1", "fd00::1"
TAP = "roci0"


class Failed(Exception):
    """A deviation of a run from its scenario."""


def host(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def forget(guest):
    guest.check("/usr/bin/ip neigh flush all dev wire")


def found(guest, address):
    """Checks that the guest knows the node's MAC address."""
    text = guest.check(f"/usr/bin/ip neigh show {address} dev wire")
    if NODE_MAC not in text or not re.search("REACHABLE|STALE|DELAY", text):
        raise Failed(f"the guest has for {address}: {text.strip() or 'nothing'}")


def request_address(guest, address, seconds=30):
    """Makes the guest resolve `address`; no reply to the datagram is expected."""
    end = time.monotonic() + seconds
    while True:
        guest.run(f"ping -c 1 -W 1 {address}")
        try:
            return found(guest, address)
        except Failed:
            if time.monotonic() > end:
                raise


def resolve(runner, node):
    """ARP and neighbour discovery of the guest, with replies from the node's firmware."""
    del node
    guest = runner.guest
    forget(guest)
    request_address(guest, NODE_IPV4)
    request_address(guest, NODE_IPV6)


def give_addresses(node=None):
    """Assigns the node's addresses to its TAP interface, once that exists."""
    shown = ["ip", "link", "show", TAP]
    for _ in range(600):
        if subprocess.run(shown, capture_output=True, check=False).returncode == 0:
            break
        if node is not None and node.poll() is not None:
            raise Failed(node.stdout.read())
        time.sleep(0.05)
    host("ip", "address", "replace", NODE_IPV4 + "/24", "dev", TAP)
    host("ip", "address", "replace", NODE_IPV6 + "/64", "dev", TAP, "nodad")


def check_ping(text):
    if " 0% packet loss" not in text:
        raise Failed(text)


def ping(runner, node):
    """The host's IP stack at a TAP and the guest ping each other over the node's link."""
    del node
    guest = runner.guest
    forget(guest)
    for address in ("10.0.0.2", "fd00::2"):
        check_ping(host("ping", "-c", "3", "-W", "10", address))
    check_ping(host("ping", "-c", "2", "-s", "4000", "-W", "10", "10.0.0.2"))  # in fragments
    for address in (NODE_IPV4, NODE_IPV6):
        check_ping(guest.check(f"ping -c 3 -W 10 {address}"))
        found(guest, address)
    text = host("ip", "neigh", "show", "dev", TAP)
    if text.count("52:54:00:00:00:02") < 2:
        raise Failed(f"the host has: {text}")


PROGRAMS = {"resolve": resolve, "ping": ping}
