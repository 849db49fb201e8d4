# SPDX-License-Identifier: Apache-2.0
"""What a run of the tests of conformance needs to know about time, and what it says."""
import dataclasses
import json


@dataclasses.dataclass
class Timing:
    """Times in ns; the tests state those of an adapter that responds within a microsecond or so.

    patience: a wait for something expected lasts this long at least
    quiet: likewise for what must not come
    jitter: error of the time between two frames
    look: how often a wait asks for completions
    settle: time that a post takes to reach the adapter
    least_timeout: least code of a transport timer
    calm_timeout: that of tests which do not wait for it; 0: as the tests have it
    """
    patience: int = 0
    quiet: int = 0
    jitter: int = 1000
    look: int = 500
    settle: int = 200
    least_timeout: int = 0
    calm_timeout: int = 0


class Report:
    """Outcomes of the tests, as roce_conform describes them."""

    def __init__(self):
        self.tests = []
        self.lost = None

    def verdicts(self):
        """Verdict by statement. A failed test leaves those undecided of which it does not show that
        they are broken."""
        found = {}
        for test in self.tests:
            for one in test["ids"]:
                verdict = test["verdict"]
                if verdict == "FAIL" and one not in test["broken"]:
                    verdict = "undecided"
                found.setdefault(one, set()).add(verdict)
        order = ("FAIL", "undecided", "not testable here", "skipped", "pass")
        return {one: next(word for word in order if word in seen)
                for one, seen in sorted(found.items())}

    @property
    def failed(self):
        return [test for test in self.tests if test["verdict"] == "FAIL"]

    def lines(self):
        for test in self.tests:
            why = test["reason"] or (f"expected {test['expected']}; seen {test['seen']}"
                                     if test["verdict"] == "FAIL" else "")
            yield f"{test['verdict']:<18} {' '.join(test['ids'])}: {test['title']}" \
                  f"{'; ' if why else ''}{why}"
        if self.lost:
            yield f"the run ended early: {self.lost}"

    def check(self, known=()):
        """Raises AssertionError when a test failed whose first statement is not `known`."""
        bad = [test for test in self.failed if test["ids"][0] not in known]
        assert not bad and not self.lost, "\n".join(self.lines())

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"tests": self.tests, "lost": self.lost or "",
                       "statements": self.verdicts()}, file, indent=1)
