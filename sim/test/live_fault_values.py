#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the cases of live faults to the headers of rdma-core: each value of ibv_wc_status,
ibv_event_type and rdma_cm_event_type has a case that expects it, or a reason why it has none.

usage: live_fault_values.py VERBS_H RDMA_CMA_H
"""
import pathlib
import re
import sys
import tomllib

import live_fault_cases

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a program prints when it meets value N: a status or an event by its number.
STATUS = ("({number})", "Failed status {number}")
EVENT = ("event {number}: ",)


def values(path, enum):
    """{name: number} of an enum in a header."""
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(path).read_text(), flags=re.S)
    body, = re.findall(rf"enum {enum} \{{(.*?)\}};", text, flags=re.S)
    names = [entry.strip() for entry in body.split(",") if entry.strip()]
    assert names and all(re.fullmatch(r"[A-Z_]+", name) for name in names), names
    return {name: number for number, name in enumerate(names)}


def expects(case, name, number):
    """Whether a text that the case requires of an output has the value."""
    if name == "IBV_WC_SUCCESS":
        return bool(case.get("client"))
    forms = (name,) if name.startswith("RDMA") else STATUS if name.startswith("IBV_WC") else EVENT
    wanted = [form.format(number=number) for form in forms]
    return any(form in text for text in case.get("client", []) + case.get("server", [])
               for form in wanted)


def check(headers, cases, reasons):
    """What is wrong; empty: nothing."""
    wrong, shown = [], {}
    for case in cases:
        for name in case["shows"].split(", "):
            shown.setdefault(name, []).append(case)
            # Not all programs of rdma_cm print each event.
            if name in headers and not name.startswith("RDMA") and \
                    not expects(case, name, headers[name]):
                wrong.append(f"no text of the case has {name}: {case['script']}")
    wrong += [f"no case has {name} in a text" for name in shown if name in headers
              and not any(expects(case, name, headers[name]) for case in shown[name])]
    explained = [name for entry in reasons for name in entry["names"]]
    for name in headers:
        if (name in shown) + explained.count(name) != 1:
            wrong.append(f"{name}: {len(shown.get(name, []))} cases, "
                         f"{explained.count(name)} reasons; it has either cases or one reason")
    wrong += [f"{name} stands in no header" for name in [*shown, *explained]
              if name not in headers]
    for entry in reasons:
        if "test" in entry:
            text = (ROOT / entry["test"]).read_text()
            wrong += [f"{entry['test']} has no {name}" for name in entry["names"]
                      if entry.get("word", name) not in text]
    return wrong


def main():
    verbs, cma = sys.argv[1:]
    headers = (values(verbs, "ibv_wc_status") | values(verbs, "ibv_event_type")
               | values(cma, "rdma_cm_event_type"))
    cases = live_fault_cases.all_cases(1)
    reasons = tomllib.loads((live_fault_cases.FOLDER / "live_fault_values.toml").read_text())
    wrong = check(headers, cases, reasons["value"])
    print("\n".join(wrong) or f"{len(headers)} values, {len(cases)} cases")
    # The check itself: without the cases of a value, without its reason, with a name of no header.
    planted = [([case for case in cases if "SRQ_ERR" not in case["shows"]], reasons["value"]),
               (cases, reasons["value"][1:]),
               (cases, [*reasons["value"], {"names": ["IBV_WC_NONE"], "why": ""}]),
               ([{**cases[0], "client": ["nothing"]}, *cases[1:]], reasons["value"])]
    missed = [number for number, plant in enumerate(planted) if not check(headers, *plant)]
    assert not missed, f"planted errors are not found: {missed}"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
