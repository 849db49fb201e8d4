# SPDX-License-Identifier: Apache-2.0
"""Library of the Python tests of the repository.

    simulator   a simulator in the background (`roci up`), and programs on its nodes
    processes   commands, missing programs, processor time, waiting
    namespaces  network namespaces, and the runner of tests that need one
    check_pcap  a check of captures that uses no code of Rocinante; also a program

A test adds the root of the tree to sys.path and imports `testbench.tools.rocitest`.
"""
