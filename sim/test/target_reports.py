#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reports of `roci conform` about an adapter with a planted fault: JUnit XML read by
junitparser, the page by parsers of HTML and XML, captures by tshark, baseline and comparison.

usage: target_reports.py ROCI AGENT
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import junitparser

import target_rig

ROCI, AGENT = sys.argv[1:3]
FAULT = ("action=corrupt", "field=msn", "repair=true", "node=n0", "opcode=ack")
BROKEN = "RSP-13"
IDS = (BROKEN, "CQ-05", "QP-20")  # fails, holds, not testable
FIELDS = ("infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "udp.srcport")


def conform(*words):
    return subprocess.run([ROCI, "conform", *map(str, words)], capture_output=True, text=True,
                          timeout=60, check=False)


def check_junit(path, report, known=0):
    """What junitparser counts is what the JSON report has, and its own sums agree."""
    suites = junitparser.JUnitXml.fromfile(str(path))
    verdicts = [one["verdict"] for one in report["tests"]]
    failed, skipped = verdicts.count("FAIL"), verdicts.count("not testable here")
    assert skipped and (suites.tests, suites.failures, suites.skipped, suites.errors) == (
        len(verdicts), failed - known, skipped + known, 0), path.read_text()
    written = [(one.name, one.tests, one.failures, one.skipped) for one in suites]
    suites.update_statistics()
    assert written == [(one.name, one.tests, one.failures, one.skipped) for one in suites]
    cases = {case.name: case for suite in suites for case in suite}
    for one in report["tests"]:
        results = cases[f"{' '.join(one['ids'])}: {one['title']}"].result
        kinds = [type(result) for result in results]
        if one["verdict"] == "FAIL" and not known:
            assert kinds == [junitparser.Failure] and one["seen"] in results[0].text, one
        else:
            assert kinds == ([] if one["verdict"] == "pass" else [junitparser.Skipped]), one
    assert {p.value for suite in suites for p in suite.properties()} >= {report["target"]}


class Page(html.parser.HTMLParser):
    """Identifiers, links and everything that a browser would load."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.open = set(), set(), [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs["id"]} if "id" in attrs else set()
        self.links |= {attrs["href"]} if "href" in attrs else set()
        self.loads += [tag] if tag in ("script", "img", "link", "iframe") or "src" in attrs else []
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag == "meta", f"<{tag}/> is no element of HTML"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def check_page(path, report):
    text = path.read_text()
    page = Page(text)
    assert not page.loads and "url(" not in text and "@import" not in text
    assert all(link[0] == "#" and link[1:] in page.ids for link in page.links), page.links
    assert page.ids >= {one["id"] for one in report["statements"]}
    root = xml.etree.ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))
    words = "".join(root.itertext())
    for one in [report["target"], f"roci {report['suite']}"]:
        assert one in words, one
    for one in report["tests"]:
        assert one["title"] in words and one.get("seen", "") in words, one
        assert one.get("reason", "") in words
    return root


def failures_of(report):
    return [one for one in report["tests"] if one["verdict"] == "FAIL"]


def packets_of_page(root, title):
    """(opcode, queue pair, PSN, source port) of the frames of a test, as the page dissects them."""
    test = next(one for one in root.iter("details")
                if title in "".join(one.find("summary").itertext()) and "test-" in one.get("id"))
    all_of = []
    for packet in test.iter("details"):
        if not (packet.get("class") or "").startswith("packet"):
            continue
        rows = {row[0].text: row[1].text for row in packet.find("table")}

        def field(header, name, rows=rows):
            return int(re.search(rf"\b{name} (\d+)", rows[header])[1])
        all_of.append((field("bth", "opcode"), field("bth", "dest_qp"), field("bth", "psn"),
                       field("udp", "src_port")))
    return all_of


def check_captures(folder, report, root):
    """A file for each failed test; tshark sees the packets that the page has. Returns the files."""
    failed = failures_of(report)
    files = {file: one for file in folder.iterdir() for one in failed
             if file.name == re.sub("[^A-Za-z0-9]+", "-", f"{one['ids'][0]}-{one['title']}")[:80]
             + ".pcapng"}
    assert failed and len(files) == len(failed) == len(list(folder.iterdir())), (files, failed)
    for file, test in files.items():
        seen = subprocess.run(
            ["tshark", "-r", file, "-T", "fields",
             *[word for field in (*FIELDS, "frame.comment", "frame.interface_name")
               for word in ("-e", field)]],
            capture_output=True, text=True, check=True).stdout.splitlines()
        rows = [line.split("\t") for line in seen]
        numbers = [tuple(int(text, 0) for text in row[:4]) for row in rows]
        assert numbers and numbers == packets_of_page(root, test["title"]), numbers
        notes = [row for row in rows if row[4]]
        assert len(notes) == 1 and notes[0][4].startswith(f"expected {test['expected']}"), notes
        assert notes[0][5] == "adapter" and {row[5] for row in rows} == {"adapter", "peer"}
        assert [frame["from"] for frame in test["frames"]] == [row[5] for row in rows]
    return list(files)


def check_comparison(sound, faulty):
    count = len(failures_of(json.loads(faulty.read_text())))
    done = conform("--compare", sound, faulty)
    assert done.returncode == 1 and f"{count} tests are worse, 0 better" in done.stdout, done
    assert re.search(rf"worse +{BROKEN}.*: pass -> FAIL\n +expected ", done.stdout), done
    done = conform("--compare", faulty, sound)
    assert done.returncode == 0 and f"0 tests are worse, {count} better" in done.stdout, done
    done = conform("--compare", faulty, faulty)
    assert done.returncode == 0 and "0 tests are worse, 0 better" in done.stdout, done
    done = conform("--compare", sound, faulty, "--id", "QP")
    assert done.returncode == 0 and "0 tests are worse" in done.stdout, done
    # What held and has no verdict any more is worse, too.
    short = json.loads(sound.read_text())
    short["tests"] = [one for one in short["tests"] if "CQ-05" not in one["ids"]]
    part = sound.with_name("part.json")
    part.write_text(json.dumps(short))
    done = conform("--compare", sound, part)
    assert done.returncode == 1 and "pass -> not in the report" in done.stdout, done
    assert conform("--compare", part, sound).returncode == 0


def check_errors(folder, good):
    bad = folder / "bad.json"
    text = good.read_text()
    for content in ("", "{}", "[]", text[:-20], text.replace('"title": "', '"title": 1, "t": "'),
                    text.replace('"bytes": "52', '"bytes": "5x')):
        bad.write_text(content)
        for words in (("--compare", good, bad), ("--compare", bad, good),
                      ("--engine", "model", "--id", "CQ-05", "--baseline", bad)):
            done = conform(*words)
            assert done.returncode == 2 and done.stdout == "", done
            assert done.stderr.startswith(f"roci: {bad}: not a report of"), done
            assert done.stderr.count("\n") == 1, done
    for words, reason in {("--compare", good): "needs two reports",
                          ("--compare", good, folder / "none"): "No such file",
                          ("--baseline", folder): "Is a directory",
                          ("--junit", folder / "no" / "x"): "cannot write",
                          ("--failures", good): "cannot make the folder"}.items():
        done = conform(*words)
        assert done.returncode != 0 and reason in done.stderr, done
        assert done.stderr.count("\n") == 1 and done.stdout == "", done


def main():
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = pathlib.Path(name)
        outputs = {option: folder / option for option in ("junit", "html", "failures")}
        options = [word for option, path in outputs.items() for word in (f"--{option}", path)]
        with target_rig.Target(ROCI, AGENT, folder, "reports") as target:
            status, text, report = target.conform(*IDS)
            assert status == 0, text
            sound, faulty = folder / "sound.json", folder / "faulty.json"
            (folder / "reports.json").rename(sound)
            target.simulator.command("fault", "add", *FAULT)
            status, text, report = target.conform(*IDS, options=options)
            assert status == 1 and report["target"].startswith("roci0, "), text
            check_junit(outputs["junit"], report)
            captures = check_captures(outputs["failures"], report,
                                      check_page(outputs["html"], report))
            count = len(captures)
            (folder / "reports.json").rename(faulty)
            # A known deviation may fail; one that holds again is named, and its capture goes.
            known = ["--baseline", faulty, *options]
            status, text, report = target.conform(*IDS, options=known)
            assert status == 0 and f"{count} of {count} failed tests are known" in text, text
            check_junit(outputs["junit"], report, known=count)
            status, text, report = target.conform(*IDS, options=["--baseline", sound])
            assert status == 1 and f"0 of {count} failed tests are known" in text, text
            target.simulator.command("fault", "clear")
            status, text, report = target.conform(*IDS, options=known)
            assert status == 0 and f"{BROKEN}" in text and "now pass, a deviation in" in text, text
            assert not any(capture.exists() for capture in captures)
        check_comparison(sound, faulty)
        check_errors(folder, sound)


if __name__ == "__main__":
    main()
