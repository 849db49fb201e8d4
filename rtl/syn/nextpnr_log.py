# SPDX-License-Identifier: Apache-2.0
"""What a log of nextpnr says of clocks, and of how router2 gets on."""
import collections
import re

# Iterations without fewer shared wires after which router2 will never end, when there are at most
# so many of them. An iteration with many takes a minute, one with few no time.
LAST, TENACITY = 50, 200
SOME, PATIENCE = 1000, 20
HASTE = 5       # with more
ROUNDED = 0.01  # the last digit of a clock in a log, MHz

Clock = collections.namedtuple("Clock", "reached needed")  # MHz


def clocks(log):
    """The clocks at the end of a log, by net. One that fails is slower, even if rounding hides it.
    """
    found = {}
    for net, reached, verdict, needed in re.findall(
            r"clock +'([^']+)': +([\d.]+) MHz \((\w+) at ([\d.]+) MHz\)", log):
        most = float(needed) - ROUNDED if verdict == "FAIL" else float(reached)
        found[net] = Clock(min(float(reached), most), float(needed))
    return found


def missed(found):
    """Those that are too slow."""
    return {net: clock for net, clock in found.items() if clock.reached < clock.needed}


def least(found):
    """What the slowest clock reaches of what it needs, at most 1."""
    return min([1.0, *(clock.reached / clock.needed for clock in found.values())])


def timed(found):
    """Whether a placement with such clocks is to be routed by timing.

    router2 takes each wire of a clock that is met for critical, and no care that others have it
    too. A block with one clock has wires enough.
    """
    return len(found) < 2 or len(missed(found)) == len(found)


def frequencies(found, part=1.0):
    """Constraints of clocks, where missed ones need less, for a run that begins with a placement.

    Such a run does not have those of ports, and does not derive those of PLLs.
    """
    late = missed(found)
    return "".join(
        f'FREQUENCY NET "{net}" {clock.needed * (part if net in late else 1):.2f} MHz;\n'
        for net, clock in found.items())


def iterations(log, *names):
    """Counts of each iteration of router2, by a log that may not be there yet."""
    pattern = r"iter=\d+ wires=\d+ " + ".*".join(rf"{name}=(\d+)" for name in names)
    found = re.finditer(pattern, log.read_text() if log.exists() else "")
    return [tuple(map(int, match.groups())) for match in found]


def since_best(counts):
    """How many iterations came after the one with the least counts."""
    return len(counts) - 1 - counts.index(min(counts))


def stuck(log):
    """Whether router2 will not end: for long it has come to no fewer shared wires."""
    shared = iterations(log, "overused")
    if not shared:
        return False
    fewest = min(shared)[0]
    return since_best(shared) >= (TENACITY if fewest <= LAST else PATIENCE if fewest <= SOME
                                  else HASTE)


def hopeless(log):
    """Whether router2 that routes late nets again has not come to fewer of them for long."""
    found = [(late, shared) for shared, late in iterations(log, "overused", "tmgfail")]
    return bool(found) and since_best(found) >= PATIENCE
