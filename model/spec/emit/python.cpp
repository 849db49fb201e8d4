// SPDX-License-Identifier: Apache-2.0
// Names of opcodes and syndromes, with which the Python package describes packets of a capture.
#include <cstdio>

#include "model/spec/codes.hpp"
#include "model/spec/emit/emit.hpp"

namespace roci::spec {
namespace {

template <std::size_t N>
void opcodes(const Opcode (&table)[N]) {
  for (const Opcode& opcode : table) {
    std::printf("    0x%02X: \"%s\",\n", opcode.value, str(opcode.name).c_str());
  }
}

template <std::size_t N>
void codes(const char* name, const Code (&table)[N]) {
  std::printf("%s = {\n", name);
  for (const Code& code : table) {
    std::printf("    0x%02X: \"%s\",\n", static_cast<unsigned>(code.value), str(code.name).c_str());
  }
  std::printf("}\n");
}

}  // namespace

void emit_python() {
  std::printf(
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Written by model/spec/emit from the tables of model/spec. Change those.\n"
      "\"\"\"Numbers of the wire and their names.\"\"\"\n\nOPCODES = {\n");
  opcodes(kOpcodes);
  opcodes(kOtherOpcodes);
  std::printf("}\n");
  codes("AETH_KINDS", kAethKinds);
  codes("SYNDROMES", kSyndromes);
}

}  // namespace roci::spec
