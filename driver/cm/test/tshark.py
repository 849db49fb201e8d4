#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the datagrams of the connection manager with what tshark reads in the same frames: those
that our encoder wrote, and those of Soft-RoCE that our decoder read.

usage: tshark.py FRAMES CAPTURES [SEED]     FRAMES: the program cm_mad_frames
"""
import ipaddress
import pathlib
import random
import subprocess
import sys
import tempfile

CM = "infiniband.cm."
COUNT = 100  # frames of each message
ATTRIBUTES = {"req": 0x10, "mra": 0x11, "rej": 0x12, "rep": 0x13, "rtu": 0x14, "dreq": 0x15,
              "drep": 0x16, "sidr_req": 0x17, "sidr_rep": 0x18, "lap": 0x19, "apr": 0x1A}

# Our names and those of tshark 4.0, which dissects the messages of a connection except MRA. Flow
# label and rate of a path are left out: tshark 4.0 reads their 32 bits a byte too early. cm.mad
# confirms the flow label by the UDP source port that follows from it.
PATH = {"local_lid": "locallid", "remote_lid": "remotelid", "local_gid": "localgid",
        "remote_gid": "remotegid", "traffic_class": "tfcclass", "hop_limit": "hoplim",
        "service_level": "sl", "subnet_local": "subnetlocal", "ack_timeout": "localacktout"}
NAMES = {
    "req": {"local_id": "req", "service_id": "req.serviceid", "ca_guid": "req.localcaguid",
            "qkey": "req.localqkey", "qpn": "req.localqpn",
            "responder_resources": "req.responderres", "local_eecn": "req.localeecn",
            "initiator_depth": "req.initdepth", "remote_eecn": "req.remoteeecn",
            "remote_timeout": "req.remoteresptout", "transport": "req.transpsvctype",
            "flow_control": "req.e2eflowctrl", "psn": "req.startpsn",
            "local_timeout": "req.localresptout", "retries": "req.retrcount", "pkey": "req.pkey",
            "mtu": "req.pppmtu", "rdc_exists": "req.rdcexist", "rnr_retries": "req.rnrretrcount",
            "cm_retries": "req.maxcmretr", "srq": "req.srq",
            "extended_transport": "req.ext_transport", "private_data": "req.private",
            **{f"primary.{ours}": f"req.prim_{theirs}" for ours, theirs in PATH.items()},
            **{f"alternate.{ours}": f"req.alt_{theirs}" for ours, theirs in PATH.items()}},
    "rep": {"local_id": "rep", "remote_id": "rep.remotecommid", "qkey": "rep.localqkey",
            "qpn": "rep.localqpn", "eecn": "rep.localeecn", "psn": "rep.startpsn",
            "responder_resources": "rep.respres", "initiator_depth": "rep.initdepth",
            "target_ack_delay": "rep.tgtackdelay", "failover": "rep.failoveracc",
            "flow_control": "rep.e2eflowctrl", "rnr_retries": "rep.rnrretrcount", "srq": "rep.srq",
            "ca_guid": "rep.localcaguid", "private_data": "rep.private"},
    "rtu": {"local_id": "rtu.localcommid", "remote_id": "rtu.remotecommid",
            "private_data": "rtu.private"},
    "rej": {"local_id": "rej.localcommid", "remote_id": "rej.remotecommid", "about": "rej.msgrej",
            "info_length": "rej.rejinfolen", "reason": "rej.reason", "info": "rej.ari",
            "private_data": "rej.private"},
    "dreq": {"local_id": "dreq.localcommid", "remote_id": "dreq.remotecommid",
             "remote_qpn": "req.remoteqpneecn", "private_data": "dreq.private"},
    "drep": {"local_id": "drsp.localcommid", "remote_id": "drsp.remotecommid",
             "private_data": "drsp.private"},
}
MAD = {"mad.transaction_id": "infiniband.mad.transactionid",
       "mad.modifier": "infiniband.mad.attributemodifier"}
# What tshark calls the addresses, and what it makes of the private data, with an IP service ID.
OTHER_NAMES = {"req.primary.local_gid": CM + "req.prim_localgid_ipv4",
               "req.primary.remote_gid": CM + "req.prim_remotegid_ipv4",
               "req.private_data": CM + "req.ip_cm"}
ALWAYS = ["frame.number", "infiniband.mad.attributeid", "infiniband.mad.baseversion",
          "infiniband.mad.mgmtclass", "infiniband.mad.classversion", "infiniband.mad.method",
          "infiniband.bth.destqp", "infiniband.deth.q_key", "infiniband.deth.srcqp",
          "infiniband.invariant.crc", "_ws.malformed", "_ws.expert.message"]


def our_fields(command):
    """Number of a frame -> its fields as our program prints them."""
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    frames = {}
    for line in output.splitlines():
        number, name, value = line.split()
        frames.setdefault(int(number), {})[name] = value
    return frames


def their_fields(file):
    """Number of a frame to QP1 -> field of tshark -> its text; fields that are not there are left
    out."""
    names = [*ALWAYS, *MAD.values(), *OTHER_NAMES.values(),
             *(CM + name for table in NAMES.values() for name in table.values())]
    command = ["tshark", "-r", file, "-Y", "infiniband.mad", "-T", "fields", "-E", "separator=/t"]
    for name in names:
        command += ["-e", name]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            check=True).stdout
    rows = (dict(zip(names, line.split("\t"))) for line in output.splitlines())
    return {int(row["frame.number"]): {name: text for name, text in row.items() if text}
            for row in rows}


def number(text, digits):
    """Value of a field of tshark that has `digits` hexadecimal digits on our side."""
    if digits == 32 and (":" in text or "." in text):
        return int(ipaddress.ip_address(text))
    if digits > 16:
        return int(text.replace(":", ""), 16)
    return int(text, 0)


def shown(value, text):
    """In IPv4 frames tshark shows the last four bytes of a GID alone."""
    return value & 0xFFFFFFFF if text.count(".") == 3 else value


def compare(number_of_frame, ours, theirs):
    """Differences between the fields of one frame; and how many fields tshark confirmed."""
    kind = next(name for name in ours if not name.startswith("mad.")).split(".")[0]
    expected = {"infiniband.mad.attributeid": ATTRIBUTES[kind], "infiniband.mad.baseversion": 1,
                "infiniband.mad.mgmtclass": 7, "infiniband.mad.classversion": 2,
                "infiniband.mad.method": 3, "infiniband.bth.destqp": 1,
                "infiniband.deth.q_key": 0x80010000, "infiniband.deth.srcqp": 1}
    wrong = [f"{name} is {theirs.get(name)}" for name, value in expected.items()
             if name not in theirs or int(theirs[name], 0) != value]
    wrong += [f"tshark: {theirs[name]}" for name in ("_ws.malformed", "_ws.expert.message")
              if name in theirs]
    names = {**MAD, **{f"{kind}.{our}": CM + their for our, their in NAMES.get(kind, {}).items()}}
    confirmed = 0
    for name, their_name in names.items():
        text = theirs.get(their_name) or theirs.get(OTHER_NAMES.get(name))
        if text is None:
            wrong.append(f"tshark has no {their_name}")
        elif number(text, len(ours[name])) != shown(int(ours[name], 16), text):
            wrong.append(f"{name} is {ours[name]}, tshark: {text}")
        confirmed += 1
    return [f"frame {number_of_frame}: {text}" for text in wrong], confirmed


def compare_file(file, ours):
    theirs = their_fields(file)
    assert sorted(ours) == sorted(theirs), f"{file}: {len(ours)} frames, tshark: {len(theirs)}"
    wrong, confirmed = [], 0
    for frame in ours:
        found, count = compare(frame, ours[frame], theirs[frame])
        wrong += found
        confirmed += count
    assert not wrong, "\n".join([f"{file}:", *wrong[:20]])
    print(f"{file.name}: {len(ours)} datagrams, {confirmed} fields", flush=True)


def main(program, captures, seed):
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "encoded.pcapng"
        compare_file(file, our_fields([program, "encode", str(seed), str(COUNT), file]))
        wrong = our_fields([program, "encode", str(seed), "1", file])
        wrong[1]["req.qpn"] = f"{int(wrong[1]['req.qpn'], 16) ^ 1:06x}"
        try:
            compare_file(file, wrong)
        except AssertionError as error:
            assert "req.qpn" in str(error), error
        else:
            raise AssertionError("a wrong field was not found")
    for file in sorted(captures.glob("cm_*.pcap")):
        compare_file(file, our_fields([program, "decode", file]))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]),
         int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32))
