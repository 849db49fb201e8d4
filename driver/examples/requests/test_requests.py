# SPDX-License-Identifier: Apache-2.0
"""Tests of the program `requests` under faults: what a test of any verbs program looks like.

usage: REQUESTS=./requests pytest test_requests.py
"""
import os

import pytest

REQUESTS = os.path.abspath(os.environ.get("REQUESTS", "requests"))  # as built
OPERATIONS = ("send", "write", "write_imm", "read", "atomic")


def packets_of(simulator, opcode):
    """Packets that n1, the client, has sent with an opcode."""
    return [packet for packet in simulator.packets()
            if packet.sender == "n1" and packet.opcode.startswith(opcode)]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_succeeds(roci_pair, operation):
    client, _ = roci_pair.run_pair(REQUESTS, "-o", operation)
    assert client.status == 0
    assert "8 requests, 8 completions, 0 errors" in client.output


@pytest.mark.parametrize("operation", OPERATIONS)
def test_survives_a_lost_packet(roci_pair, operation):
    roci_pair.add_fault("drop", node="n1", program="requests", opcode="request", nth=4)
    client, _ = roci_pair.run_pair(REQUESTS, "-o", operation)
    assert client.status == 0
    assert roci_pair.faults()[0]["fired"] == 1


def test_survives_rnr(roci_pair):
    """The peer has no receive ready for the fourth packet; later it has."""
    roci_pair.add_fault("nak", code="rnr", timer=1, node="n1", program="requests", opcode="send",
                        nth=4)
    client, _ = roci_pair.run_pair(REQUESTS)
    assert "8 completions, 0 errors" in client.output
    roci_pair.stop()
    # Eight messages of three packets; the first packet of the second message was sent twice.
    sent = packets_of(roci_pair, "RcSend")
    assert len({packet.psn for packet in sent}) == 24
    stopped = [packet for packet in sent if "RNR" in packet.fault]
    assert [packet.opcode for packet in stopped] == ["RcSendFirst"]
    assert sum(packet.psn == stopped[0].psn for packet in sent) == 2


def test_gets_every_completion(roci_pair):
    """After an error the queue pair flushes what it still has; each request completes."""
    roci_pair.add_fault("nak", code="access", node="n1", program="requests", opcode="send",
                        position="first", nth=2)
    client, server = roci_pair.run_pair(REQUESTS)
    assert "completion 1: remote access error (10)" in client.output
    assert client.output.count("Work Request Flushed Error (5)") == 6
    assert "8 requests, 8 completions, 7 errors" in client.output
    # The adapter of the server has not NAKed: its queue pair knows of nothing.
    assert "Flushed" not in server.output


def test_sees_the_cable(roci_pair):
    roci_pair.add_fault("unplug", time="200us", node="n1", program="requests", opcode="send",
                        nth=7)
    client, _ = roci_pair.run_pair(REQUESTS)
    assert client.status == 0
    assert "event 10: port error" in client.output and "event 9: port active" in client.output


def test_three_nodes(roci_fabric):
    """Two clients of two servers at the same time; a fault hits one of them only."""
    simulator = roci_fabric(nodes=3, adapters=2)
    simulator.add_fault("drop", node="n2", program="requests", opcode="request")
    first, _ = simulator.run_pair(REQUESTS, server="n0", client="n1")
    second, _ = simulator.run_pair(REQUESTS, server="n0", client="n2")
    assert first.status == 0
    assert second.status == 1
    assert "transport retry counter exceeded (12)" in second.output
