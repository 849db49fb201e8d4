# SPDX-License-Identifier: Apache-2.0
"""Tests of `requests` under faults; OPTIONS="-r 0", which forgets to retry after an RNR NAK, is found.

usage: ROCI=roci REQUESTS=./requests pytest test_requests.py
"""
import os
REQUESTS = os.environ["REQUESTS"]  # the program requests, as built
PORT = iter(range(18700, 18800))

def pair(simulator, *options):
    port = next(PORT)
    server = simulator.run("n0", REQUESTS, "-p", port, *options)
    client = simulator.run("n1", REQUESTS, "-p", port, *options, "127.0.0.1")
    client.wait()
    server.wait()
    return client, server

def test_succeeds(roci_pair):
    client, _ = pair(roci_pair)
    assert "8 completions, 0 errors" in client.output

def test_survives_rnr(roci_pair):
    roci_pair.add_fault("nak", code="rnr", timer=1, node="n1", program="requests", opcode="send", nth=4)
    client, _ = pair(roci_pair, *os.environ.get("OPTIONS", "").split())
    assert "8 completions, 0 errors" in client.output
    assert roci_pair.faults()[0]["fired"] == 1

def test_counts_flushed(roci_pair):
    roci_pair.add_fault("nak", code="access", node="n1", program="requests", opcode="send", nth=4)
    client, _ = pair(roci_pair)
    assert "8 requests, 8 completions" in client.output
