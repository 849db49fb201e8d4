# SPDX-License-Identifier: Apache-2.0
"""The catalogue of faults under live programs, from the cases that its test runs."""
import tomllib


def table_region(tree, _page, _argument):
    """A row for each case of sim/test/live_faults.toml."""
    yield "| shows | by | program | fault |"
    yield "|---|---|---|---|"
    for case in tomllib.loads(tree.text("sim/test/live_faults.toml"))["case"]:
        yield f"| {case['shows']} | {case['why']} | `{case['program']}` | `{case['script']}` |"
