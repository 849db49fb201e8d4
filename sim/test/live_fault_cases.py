# SPDX-License-Identifier: Apache-2.0
"""The cases of live faults: those of live_faults.toml, and a case for each line of the tables of
TABLES, whose words stand for the names in {}. A ~ is a space within a word."""
import ctypes
import pathlib
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
TEXTS = ("shows", "why", "program", "listener", "script")
LISTS = ("client", "server")
TABLES = ("live_faults_repaired.toml", "live_faults_shown.toml")
# enum ibv_wc_status of infiniband/verbs.h.
STATUSES = {"IBV_WC_SUCCESS": 0, "IBV_WC_BAD_RESP_ERR": 7, "IBV_WC_REM_INV_REQ_ERR": 9,
            "IBV_WC_REM_ACCESS_ERR": 10, "IBV_WC_REM_OP_ERR": 11, "IBV_WC_RETRY_EXC_ERR": 12,
            "IBV_WC_RNR_RETRY_EXC_ERR": 13}


def status_text(name):
    """The text that libibverbs has for a status, and its number, as `requests` prints them."""
    text = ctypes.CDLL("libibverbs.so.1").ibv_wc_status_str
    text.restype = ctypes.c_char_p
    return f"{text(STATUSES[name]).decode()} ({STATUSES[name]})"


def rows_of(table):
    """A dictionary for each line; the last column takes the rest of a line."""
    names, *lines = [line.split() for line in table.strip().splitlines()]
    for words in lines:
        words = words[:len(names) - 1] + [" ".join(words[len(names) - 1:])]
        yield dict(zip(names, (word.replace("~", " ") for word in words)))


def expanded(family, step):
    for row in list(rows_of(family["table"]))[::step]:
        shows = family["shows"].format_map(row)
        row["status"] = status_text(shows) if shows in STATUSES else ""
        case = {key: value for key, value in family.items() if key != "table"}
        case |= {key: case[key].format_map(row) for key in TEXTS if key in case}
        case |= {key: [text.format_map(row) for text in case[key]]
                 for key in LISTS if key in case}
        yield case


def all_cases(step):
    """All cases; of each table every `step`-th line."""
    cases = tomllib.loads((FOLDER / "live_faults.toml").read_text())["case"]
    for table in TABLES:
        for family in tomllib.loads((FOLDER / table).read_text())["family"]:
            cases += expanded(family, step)
    return cases
