# SPDX-License-Identifier: Apache-2.0
"""The layers: an #include or import names a file from the root of the tree, and points down."""
import re

# Folder -> folders that it may use; itself always.
ALLOWED = {
    "model/spec": [],
    "model/transport": ["model/spec"],
    "model/packet": ["model/spec", "model/transport"],
    "model/nic": ["model/spec", "model/packet", "model/transport"],
    "firmware": ["model/spec"],
    # Projects of their own on the installed libraries; before the folder that holds them.
    "driver/examples": ["model/spec", "driver", "testbench"],
    # The captures of Soft-RoCE are read with the codec of the model.
    "driver/cm/test": ["model/spec", "model/packet", "model/transport", "driver"],
    "driver": ["model/spec"],
    "rtl": ["model/spec", "model/packet", "model/transport"],
    # The two sides of a board's exchange, together.
    "testbench/litex/client": ["model/spec", "firmware", "driver/examples"],
    "testbench": ["model/spec", "model/packet", "model/transport", "model/nic", "driver",
                  "firmware", "rtl", "python"],
    "python": [],
    "sim": ["model/spec", "model/packet", "model/transport", "driver", "testbench",
            "python"],
}
# Folders of the root that hold Python modules.
ROOMS = ("testbench", "sim", "rtl", "model", "python")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
IMPORT = re.compile(r"^\s*(?:from\s+(\.*[\w.]*)\s+import|import\s+([\w.]+))")
PATH = re.compile(r"^\s*sys\.path\.(?:insert|append)\((.*)\)")
ROOT_PATH = re.compile(r"^(0, )?str\((ROOT|ROOT_DIR|REPOSITORY)\)$")
USER_TYPE = re.compile(r"\b[a-z0-9_]+_[te](\s*\[|\s+[a-z0-9_]+\s*\[)")


def layer_of(name):
    return next((layer for layer in ALLOWED if name.startswith(layer + "/")), None)


def lines_of(tree, name):
    return enumerate(tree.text(name).splitlines(), 1)


def upwards(layer, target):
    return target is not None and target != layer and target not in ALLOWED[layer]


def cpp(tree):
    known = set(tree.files)
    alone = tree.exceptions.get("includes", {})
    for name in tree.select(".cpp", ".hpp", ".h", ".in"):
        layer = layer_of(name) if name not in alone else None
        for number, line in lines_of(tree, name):
            match = INCLUDE.match(line)
            if not match or layer is None:
                continue
            quote, path = match.groups()
            here = f"{name}:{number}: "
            if upwards(layer, layer_of(path)):
                yield f"{here}{layer} must not include {path}"
            if quote == '"' and path not in known and f"{name.rpartition('/')[0]}/{path}" in known:
                yield f"{here}{path} is not named from the root of the tree"
            if ".." in path.split("/"):
                yield f"{here}{path} is not named from the root of the tree"
            systemc = path.startswith("systemc") or path == "tlm.h"
            if systemc and layer not in ("testbench", "sim"):
                yield f"{here}{layer} must not use SystemC"
            if path.startswith(("verilated", "Vroci")) and layer not in ("testbench", "rtl"):
                yield f"{here}{layer} must not use verilated models"


def module_files(tree):
    """Name of a Python module -> its files."""
    found = {}
    for name in tree.select(".py"):
        found.setdefault(name.rpartition("/")[2][:-3], []).append(name)
    return found


def python(tree):
    pending = tree.exceptions.get("python", {})
    modules = module_files(tree)
    known = set(tree.files)
    for name in tree.select(".py"):
        layer = layer_of(name)
        if layer is None or name in pending:
            continue
        folder = name.rpartition("/")[0]
        for number, line in lines_of(tree, name):
            here = f"{name}:{number}: "
            path = PATH.search(line)
            if path and not ROOT_PATH.match(path[1]):
                yield f"{here}only the root of the tree is added to sys.path, as ROOT"
            match = IMPORT.match(line)
            if not match:
                continue
            module = match[1] or match[2]
            if module.startswith("."):
                continue
            parts = module.split(".")
            if "/".join(parts) + ".py" in known or parts[0] in ROOMS:
                if upwards(layer, layer_of("/".join(parts) + "/")):
                    yield f"{here}{layer} must not import {module}"
            elif parts[0] in modules and f"{folder}/{parts[0]}.py" not in known:
                yield f"{here}{module} is not named from the root of the tree"
    for name in pending:
        if name not in known:
            yield f"testbench/tools/gates/exceptions.toml: no file {name}"


def user_type_arrays(tree):
    """Yosys 0.23 drops the dimension of an array whose element is a user type, without a word."""
    for name in tree.select(".sv", under="rtl/"):
        for number, line in lines_of(tree, name):
            code = line.split("//")[0]
            if USER_TYPE.search(code):
                yield f"{name}:{number}: array of a user type: {code.strip()}"


def layers(tree):
    """Includes and imports start at the root of the tree and point down."""
    yield from cpp(tree)
    yield from python(tree)
    yield from user_type_arrays(tree)
