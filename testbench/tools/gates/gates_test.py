#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one violation at a time in a clean tree; each gate must report its own, and no other."""
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from testbench.tools.gates import layers, names, text, tree  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HASH = "# SPDX-License-Identifier: Apache-2.0\n"
CLEAN = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 100\n",
    "model/spec/field.hpp": SPDX + "#pragma once\n",
    "model/transport/psn.hpp": SPDX + '#pragma once\n\n#include "model/spec/field.hpp"\n',
    "testbench/world.hpp": SPDX + "#pragma once\n",
    "testbench/tool.py": HASH + "import sys\n",
    "sim/main.cpp": SPDX + '#include "testbench/world.hpp"\n\nint main() {}\n',
    "sim/net.cpp": SPDX + "// A wrapped comment, whose second line\n"
                          "// of two is no start: ECONNREFUSED.\nint refused;\n",
    "sim/run.py": HASH + "import testbench.tool\n",
    "rtl/roci_a.sv": SPDX + "module roci_a; endmodule  // F-01\n",
    "docs/conformance.md": "| RQ-21 | x |\n",
    "docs/faults.md": "| F-01 | x |\n",
    "docs/invariants.md": "# Invariants\n| I1 | x |\n",
    "README.md": "[list](docs/invariants.md#invariants)\n",
    "testbench/tools/gates/exceptions.toml":
        HASH + '[words]\nrooms = ["docs/", "sim/", "testbench/"]\n'
        'not = ["testbench/tools/gates/"]\n'
        'instead = [["sent again", "retransmitted"], ["answer(?:s|ed)?", "response"],\n'
        '           ["refused", "rejected"]]\n'
        '[words.allowed]\n"sim/net.cpp" = [["refused"], "the error of a library"]\n',
}
PLANTED = [
    (text.layout, "sim/main.cpp", SPDX + "int  main(){}\n"),
    (text.columns, "testbench/tool.py", HASH + "# " + "x" * 100 + "\n"),
    (text.licence, "rtl/roci_a.sv", "module roci_a; endmodule\n"),
    (text.licence, "rtl/CMakeLists.txt", "project(x)\n"),
    (text.modes, "sim/script.py", "#!/usr/bin/env python3\n" + HASH),
    (text.sizes, "docs/picture.png", b"\x89PNG\0"),
    (text.sizes, "rtl/testdata/large.bin", b"\0" * (512 * 1024 + 1)),
    (text.lengths, "testbench/tool.py", HASH + "x = 1\n" * 300),
    (text.lengths, "testbench/tools/gates/exceptions.toml",
     HASH + '[lengths]\n"rtl/roci_a.sv" = [400, "x"]\n'),
    (text.lengths, "testbench/tools/gates/exceptions.toml",
     HASH + '[lengths]\n"gone.sv" = [400, "x"]\n'),
    (layers.layers, "testbench/world.hpp", SPDX + '#pragma once\n\n#include "sim/main.hpp"\n'),
    (layers.layers, "model/transport/psn.hpp",
     SPDX + '#pragma once\n\n#include "../spec/field.hpp"\n'),
    (layers.layers, "sim/other.cpp", SPDX + '#include "main.cpp"\n'),
    (layers.layers, "model/spec/field.hpp", SPDX + "#pragma once\n\n#include <systemc>\n"),
    (layers.layers, "testbench/tool.py", HASH + "import sim.run\n"),
    (layers.layers, "testbench/tool.py", HASH + "from sim.run import x\n"),
    (layers.layers, "testbench/tool.py", HASH + "import run\n"),
    (layers.layers, "testbench/tool.py", HASH + 'import sys\nsys.path.insert(0, "../sim")\n'),
    (layers.layers, "rtl/roci_a.sv", SPDX + "module roci_a; state_e q [4]; endmodule\n"),
    (names.ids, "rtl/roci_a.sv", SPDX + "module roci_a; endmodule  // F-02\n"),
    (names.ids, "docs/note.md", "I2 and RQ-21\n"),
    (names.links, "README.md", "[list](docs/invariant.md)\n"),
    (names.links, "README.md", "![picture](docs/none.svg)\n"),
    (names.links, "README.md", "[list](docs/invariants.md#list)\n"),
    (names.words, "docs/note.md", "A packet is sent again.\n"),
    (names.words, "docs/note.md", "The peer answered.\n"),
    (names.words, "sim/net.cpp", SPDX + "// ECONNREFUSED\n"),
    (names.words, "sim/other.cpp", SPDX + "int kFirstAnswer;\n"),
    (names.words, "testbench/tool.py", HASH + "next_answers = 1\n"),
    (names.comments, "sim/other.cpp", SPDX + "int bytes;  // of the frame\n"),
    (names.comments, "sim/other.cpp", SPDX + "\n/// Of the sender.\nint node;\n"),
    (names.comments, "testbench/tool.py", HASH + "SHARE = 1  # of the link\n"),
]
GATES = (text.layout, text.columns, text.licence, text.modes, text.sizes, text.lengths,
         layers.layers, names.ids, names.links, names.words, names.comments)


class GatesTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="roci-gates-"))
        self.addCleanup(shutil.rmtree, self.root)
        for name, content in CLEAN.items():
            self.write(name, content)

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def red(self):
        seen = tree.Tree(self.root)
        return [gate.__name__ for gate in GATES if list(gate(seen))]

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.red(), [])

    def test_each_planted_violation_is_reported_by_its_gate(self):
        for gate, name, content in PLANTED:
            with self.subTest(gate=gate.__name__, file=name, content=content[:200]):
                self.write(name, content)
                red = self.red()
                (self.root / name).unlink()
                if name in CLEAN:
                    self.write(name, CLEAN[name])
                self.assertEqual(red, [gate.__name__])

    def test_an_executable_that_is_no_script_is_reported(self):
        (self.root / "README.md").chmod(0o755)
        self.assertEqual(self.red(), ["modes"])


if __name__ == "__main__":
    unittest.main()
