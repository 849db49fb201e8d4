#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong command lines of `roci`: one line on stderr, the right exit status, and no incomplete file
under the name of a result.

usage: bad_input.py ROCI
"""
import os
import pathlib
import subprocess
import sys
import tempfile


NUMBERS = ("N", "BITS", "BYTES", "CODE", "PORT", "T", "P")  # names of values in --help


def numeric_options(roci):
    """Pairs of a command and an option that holds a number, from the help of all commands."""
    def words(*arguments):
        text = subprocess.run([roci, *arguments, "--help"], stdout=subprocess.PIPE,
                              text=True).stdout
        return [line.split() for line in text.splitlines() if line.startswith("  ")]
    for line in words():
        if line[0].startswith("-"):
            continue
        for option in words(line[0]):
            if option[0].startswith("--") and option[1].split("=")[0] in NUMBERS:
                yield line[0], option[0]


def check_numbers(roci, folder):
    """No option accepts a number that its variable cannot hold: all end with status 2."""
    bad = 0
    tried = list(numeric_options(roci))
    for command, option in tried:
        for number in ("-1", "18446744073709551616", "-99999999999999999999"):
            done = subprocess.run([roci, command, option, number], stdout=subprocess.PIPE,
                                  cwd=folder,
                                  stderr=subprocess.PIPE, text=True, timeout=120)
            if done.returncode != 2 or option not in done.stderr:
                bad += 1
                print(f"FAIL {command} {option} {number}: exit {done.returncode}: {done.stderr}")
    print(f"{len(tried)} options with numbers tried")
    assert len(tried) > 20, tried
    return bad


def main():
    roci = sys.argv[1]
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        good = folder / "good"
        good.write_bytes(b"x" * 5000)
        plain = folder / "plain"
        plain.write_bytes(b"")
        g = str(good)
        cases = [
            # arguments, exit status, word of the message
            (["transfer", str(folder / "missing")], 1, "missing"),
            (["transfer", str(folder)], 1, "directory"),
            (["transfer", g, "--out", str(folder / "no" / "such")], 1, "cannot write"),
            (["transfer", g, "--json", str(folder)], 1, "cannot write"),
            (["transfer", g, "--pcap", str(plain / "under-a-file")], 1, "cannot write"),
            (["transfer", g, "--trace", str(folder / "no" / "such.fst")], 1, "cannot write"),
            (["transfer", g, "--out", "/dev/full"], 1, "No space"),
            (["transfer", g, "--pcap", "/dev/full"], 1, "No space"),
            (["transfer", g, "--mtu", "1000"], 2, "mtu"),
            (["transfer", g, "--firmware", "risc"], 2, "neither host nor rv32"),
            (["transfer", g, "--loss", "2"], 2, "0 and 1"),
            (["transfer", g, "--loss", "-0.1"], 2, "0 and 1"),
            (["transfer", g, "--loss", "nan"], 2, "0 and 1"),
            (["transfer", g, "--loss", "much"], 2, "much"),
            (["transfer", g, "--delay", "3 weeks"], 2, "weeks"),
            (["transfer", g, "--seed", "-1"], 2, "-1 is out of range"),
            (["transfer", g, "--qps", "0"], 2, "qps"),
            (["transfer", g, "--qps", "1000000"], 2, "qps"),
            (["transfer", g, "--op", "teleport"], 2, "op"),
            (["transfer", g, "--width", "96"], 2, "width"),
            (["transfer", g, "--engine", "steam"], 2, "steam"),
            (["bench", "--engine", ""], 2, "engine"),
            (["transfer", g, "--engine", "model", "--trace", str(folder / "t.fst")], 1,
             "waveforms"),
            (["bench", "--engine", "model", "--only", "latency"], 1, "clocks"),
            (["bench", "--only", "sizes", "--largest", "7"], 2, "largest"),
            (["transfer", g, "--no-such-option"], 2, "no-such-option"),
            (["transfer"], 2, "FILE"),
            (["transfer", g, "--loss", "1", "--timeout", "2"], 1, "RetryExcErr"),
            (["demo", "--dir", str(plain / "x")], 1, "cannot"),
            (["demo", str(folder / "missing")], 1, "missing"),
            (["bench", "--only", "luck"], 2, "only"),
            (["bench", "--seeds", "0"], 2, "seeds"),
            (["bench", "--seeds", "3"], 2, "--only loss"),
            (["devices", "--json", "/dev/full"], 1, "No space"),
            (["up", "--nodes", "17"], 2, "nodes"),
            (["up", "--engine", "steam"], 2, "engine"),
            (["up", "--name", "a/b"], 1, "is not a name"),
            (["up", "--name", "bad-input", "--pcap", str(folder / "no" / "x")], 1, "cannot write"),
            (["status", "--name", "nobody"], 1, "no simulator"),
            (["down", "--name", "nobody"], 1, "no simulator"),
            (["exec", "--name", "nobody", "n0", "--", "true"], 1, "no simulator"),
            (["exec", "--name", "nobody", "n0"], 2, "--env"),
            (["soak", "--minutes", "0"], 2, "minutes"),
            (["soak", "--minutes", "soon"], 2, "minutes"),
            (["soak", "--rounds", "0"], 2, "rounds"),
            (["soak", "--rounds", "3", "--minutes", "1"], 2, "excludes"),
            (["soak", "--round", "3"], 2, "seed"),
            (["soak", "--round", "-1", "--seed", "1"], 2, "round"),
            (["soak", "--seed", "luck", "--rounds", "1"], 2, "seed"),
            (["soak", "--lockstep", "--engine", "model", "--rounds", "1"], 1, "lockstep"),
            (["soak", "--lockstep", "--hostile"], 2, "excludes"),
            (["soak", "--qps", "65"], 2, "qps"),
            (["soak", "--qps", "0"], 2, "qps"),
            (["soak", "--loss", "2"], 2, "0 and 1"),
            (["soak", "--reorder", "some"], 2, "some"),
            (["soak", "--burst", "0"], 2, "burst"),
            (["soak", "--engine", "steam"], 2, "engine"),
            (["soak", "--width", "96"], 2, "width"),
            (["soak", "--mix", "nuts"], 2, "mix"),
            (["soak", "--messages", "0"], 2, "messages"),
            (["soak", "--hostile", "--packets", "0"], 2, "packets"),
            (["soak", "--packets", "5"], 2, "hostile"),
            (["soak", "--rounds", "1", "--json", str(folder / "no" / "such")], 1, "cannot write"),
            (["soak", "--rounds", "1", "--pcap", str(folder / "no" / "such")], 1, "cannot write"),
            (["levitate"], 2, "levitate"),
            ([], 2, "command"),
        ]
        for arguments, status, word in cases:
            before = sorted(os.listdir(folder))
            done = subprocess.run([roci] + arguments, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, cwd=folder, timeout=120)
            lines = done.stderr.strip().splitlines()
            trouble = []
            if done.returncode != status:
                trouble.append(f"exit {done.returncode}, not {status}")
            if len(lines) != 1 or not lines[0].startswith("roci: "):
                trouble.append(f"{len(lines)} lines on stderr")
            elif word.lower() not in lines[0].lower():
                trouble.append(f"'{word}' is not in the message")
            left = sorted(set(os.listdir(folder)) - set(before))
            if left:
                trouble.append(f"left {left}")
            bad += bool(trouble)
            shown = " ".join(arguments).replace(temporary, "...")
            print(f"{'FAIL' if trouble else 'ok  '} {shown}: {done.stderr.strip()}",
                  trouble or "")
        bad += check_numbers(roci, folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
