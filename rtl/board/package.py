#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what tools need to take rtl/board/roci_core.sv into a design, next to it:

  roci_core.f     the sources, for simulators and synthesis
  roci_core.core  the same for FuseSoC, with the parameters
  component.xml   IP-XACT (IEEE 1685-2014): buses, ports, parameters, sources

usage: package.py [--check]

--check compares, and exits with status 1 when a file is not current. Sources, ports and parameters
are read from the modules, texts from their comments.
"""
import os
import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import yosys  # noqa: E402

TOP = "roci_core"
HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = yosys.RTL / "roci_pkg.sv"
INCLUDES = yosys.RTL / "common"
PARAMETER = re.compile(r"^\s*parameter int unsigned\s+(\w+)\s*=\s*([^,/]+?),?\s*//\s*(.*)$")
MORE = re.compile(r"^\s*//\s*(.*)$")
PORT = re.compile(r"^\s*(input|output)\s+logic\s*(\[[^\]]*\])?\s*(\w+),?\s*(?://.*)?$")
# Bus -> type in the library of AMBA, role, clock.
BUSES = {
    "s_axil": ("AMBA4", "AXI4Lite", "slave", "clk"),
    "m_axi": ("AMBA4", "AXI4", "master", "clk"),
    "s_axis_rx": ("AMBA4", "AXI4Stream", "slave", "mac_rx_clk"),
    "m_axis_tx": ("AMBA4", "AXI4Stream", "master", "mac_tx_clk"),
    "s_axis_host": ("AMBA4", "AXI4Stream", "slave", "clk"),
    "m_axis_host": ("AMBA4", "AXI4Stream", "master", "clk"),
}
CLOCKS = ("clk", "mac_rx_clk", "mac_tx_clk")


def relative(path):
    """A path as seen from the folder of the files."""
    return os.path.relpath(path, HERE)


def sources():
    """The package, which all use, and the modules."""
    return [PACKAGE, *sorted(yosys.sources(TOP))]


def interface():
    """(name, default, comment) of each parameter; (direction, range, name) of each port."""
    parameters, ports = [], []
    for line in (HERE / f"{TOP}.sv").read_text().split("\n);", 1)[0].splitlines():
        if match := PARAMETER.match(line):
            parameters.append((match[1], int(match[2]), match[3]))
        elif match := PORT.match(line):
            ports.append((match[1], match[2] or "", match[3]))
        elif parameters and not ports and (match := MORE.match(line)):
            name, default, comment = parameters[-1]
            parameters[-1] = (name, default, f"{comment} {match[1]}")
    return parameters, ports


def constants():
    """Numbers of the package that ranges of ports name."""
    return dict(re.findall(r"localparam int unsigned (\w+)\s*=\s*(\d+);", PACKAGE.read_text()))


def file_list():
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// Written from {TOP}.sv by package.py. Paths are those of this folder, as"
    yield "// verilator -F and slang -F read them; -f takes them from the current one."
    yield f"+incdir+{relative(INCLUDES)}"
    yield from map(relative, sources())


def fusesoc():
    parameters, _ = interface()
    yield "CAPI=2:"
    yield "# SPDX-License-Identifier: Apache-2.0"
    yield f"# Written from {TOP}.sv by package.py."
    yield "name: rocinante:roce:core:0.2.0"
    yield "description: RoCE v2 adapter with AXI4, AXI4-Lite and AXI4-Stream"
    yield "filesets:"
    yield "  rtl:"
    yield "    file_type: systemVerilogSource"
    yield "    files:"
    yield f"      - {relative(INCLUDES / 'assert.svh')}: " \
          f"{{is_include_file: true, include_path: {relative(INCLUDES)}}}"
    for path in sources():
        yield f"      - {relative(path)}"
    yield "targets:"
    yield "  default: &default"
    yield "    filesets: [rtl]"
    yield f"    toplevel: {TOP}"
    yield "    parameters:"
    for name, _default, _comment in parameters:
        yield f"      - {name}"
    yield "  lint:"
    yield "    <<: *default"
    yield "    default_tool: verilator"
    yield "    tools:"
    yield "      verilator:"
    yield "        mode: lint-only"
    yield "parameters:"
    for name, default, comment in parameters:
        yield f"  {name}:"
        yield "    datatype: int"
        yield "    paramtype: vlogparam"
        yield f"    default: {default}"
        yield f"    description: {comment!r}"


def bounds(width):
    """Left and right bound of a range as IP-XACT expressions."""
    text = width.strip("[]").replace("roci_pkg::", "")
    for name, value in constants().items():
        text = re.sub(rf"\b{name}\b", value, text)
    return text.split(":")


def bus_interface(bus, ports):
    library, kind, role, clock = BUSES[bus]
    yield "    <ipxact:busInterface>"
    yield f"      <ipxact:name>{bus}</ipxact:name>"
    yield (f'      <ipxact:busType vendor="amba.com" library="{library}" name="{kind}" '
           'version="r0p0_0"/>')
    yield "      <ipxact:abstractionTypes><ipxact:abstractionType>"
    yield (f'        <ipxact:abstractionRef vendor="amba.com" library="{library}" '
           f'name="{kind}_rtl" version="r0p0_0"/>')
    yield "        <ipxact:portMaps>"
    for _direction, _width, name in ports:
        if name.startswith(f"{bus}_"):
            logical = name.removeprefix(f"{bus}_").upper()
            yield (f"          <ipxact:portMap><ipxact:logicalPort><ipxact:name>{logical}"
                   f"</ipxact:name></ipxact:logicalPort><ipxact:physicalPort><ipxact:name>{name}"
                   "</ipxact:name></ipxact:physicalPort></ipxact:portMap>")
    yield "        </ipxact:portMaps>"
    yield "      </ipxact:abstractionType></ipxact:abstractionTypes>"
    yield f"      <ipxact:{role}/>"
    yield "      <ipxact:parameters><ipxact:parameter><ipxact:name>CLOCK</ipxact:name>"
    yield f"        <ipxact:value>{clock}</ipxact:value></ipxact:parameter></ipxact:parameters>"
    yield "    </ipxact:busInterface>"


def ipxact():
    parameters, ports = interface()
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<!-- SPDX-License-Identifier: Apache-2.0. Written from {TOP}.sv by package.py. -->"
    yield '<ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014">'
    yield "  <ipxact:vendor>rocinante</ipxact:vendor>"
    yield "  <ipxact:library>roce</ipxact:library>"
    yield "  <ipxact:name>core</ipxact:name>"
    yield "  <ipxact:version>0.2.0</ipxact:version>"
    yield "  <ipxact:busInterfaces>"
    for bus in BUSES:
        yield from bus_interface(bus, ports)
    yield "  </ipxact:busInterfaces>"
    yield "  <ipxact:model>"
    yield "    <ipxact:views><ipxact:view><ipxact:name>rtl</ipxact:name>"
    yield "      <ipxact:componentInstantiationRef>rtl</ipxact:componentInstantiationRef>"
    yield "    </ipxact:view></ipxact:views>"
    yield "    <ipxact:instantiations><ipxact:componentInstantiation>"
    yield "      <ipxact:name>rtl</ipxact:name>"
    yield "      <ipxact:language>SystemVerilog</ipxact:language>"
    yield f"      <ipxact:moduleName>{TOP}</ipxact:moduleName>"
    yield "      <ipxact:moduleParameters>"
    for name, _default, _comment in parameters:
        yield ('        <ipxact:moduleParameter dataType="int unsigned"><ipxact:name>'
               f"{name}</ipxact:name><ipxact:value>{name}</ipxact:value></ipxact:moduleParameter>")
    yield "      </ipxact:moduleParameters>"
    yield "      <ipxact:fileSetRef><ipxact:localName>rtl</ipxact:localName></ipxact:fileSetRef>"
    yield "    </ipxact:componentInstantiation></ipxact:instantiations>"
    yield "    <ipxact:ports>"
    for direction, width, name in ports:
        way = direction.removesuffix("put")
        yield f"      <ipxact:port><ipxact:name>{name}</ipxact:name>"
        if width:
            left, right = bounds(width)
            yield (f"        <ipxact:wire><ipxact:direction>{way}</ipxact:direction>"
                   f"<ipxact:vectors><ipxact:vector><ipxact:left>{left}</ipxact:left>"
                   f"<ipxact:right>{right}</ipxact:right></ipxact:vector></ipxact:vectors>")
        else:
            yield f"        <ipxact:wire><ipxact:direction>{way}</ipxact:direction>"
        yield "        </ipxact:wire></ipxact:port>"
    yield "    </ipxact:ports>"
    yield "  </ipxact:model>"
    yield "  <ipxact:fileSets><ipxact:fileSet><ipxact:name>rtl</ipxact:name>"
    for path in [INCLUDES / "assert.svh", *sources()]:
        include = " <ipxact:isIncludeFile>true</ipxact:isIncludeFile>" * (path.suffix == ".svh")
        yield (f"    <ipxact:file><ipxact:name>{relative(path)}</ipxact:name>"
               f"<ipxact:fileType>systemVerilogSource</ipxact:fileType>{include}</ipxact:file>")
    yield "  </ipxact:fileSet></ipxact:fileSets>"
    yield "  <ipxact:parameters>"
    for name, default, comment in parameters:
        yield (f'    <ipxact:parameter parameterId="{name}" resolve="user" type="int">'
               f"<ipxact:name>{name}</ipxact:name>")
        yield f"      <ipxact:description>{escape(comment)}</ipxact:description>"
        yield f"      <ipxact:value>{default}</ipxact:value></ipxact:parameter>"
    yield "  </ipxact:parameters>"
    yield "</ipxact:component>"


FILES = {"roci_core.f": file_list, "roci_core.core": fusesoc, "component.xml": ipxact}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stale = 0
    for name, write in FILES.items():
        text = "".join(f"{line}\n" for line in write())
        path = HERE / name
        if not sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path.relative_to(ROOT)} is not current: run rtl/board/package.py")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
