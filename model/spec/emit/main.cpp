// SPDX-License-Identifier: Apache-2.0
// Writes the tables of model/spec in the other languages of the project:
//   emit sv                rtl/roci_pkg.sv
//   emit layout_<table>    model/spec/layout/<table>.hpp
//   emit wire              docs/wire_formats.md
//   emit memory            docs/queues.md
//   emit registers         docs/registers.md
//   emit python            python/roci/wire.py
#include <cstdio>
#include <cstring>

#include "model/spec/emit/emit.hpp"

int main(int argc, char** argv) {
  using namespace roci::spec;
  struct {
    const char* name;
    void (*write)();
  } const outputs[] = {{"sv", emit_sv},
                       {"layout_codes", emit_layout_codes},
                       {"layout_headers", emit_layout_headers},
                       {"layout_queues", emit_layout_queues},
                       {"layout_context", emit_layout_context},
                       {"layout_commands", emit_layout_commands},
                       {"layout_records", emit_layout_records},
                       {"layout_registers", emit_layout_registers},
                       {"wire", emit_wire_formats},
                       {"memory", emit_queues},
                       {"registers", emit_registers},
                       {"python", emit_python}};
  for (const auto& output : outputs) {
    if (argc == 2 && std::strcmp(argv[1], output.name) == 0) {
      output.write();
      return 0;
    }
  }
  std::fprintf(stderr, "usage: emit OUTPUT; outputs:");
  for (const auto& output : outputs) std::fprintf(stderr, " %s", output.name);
  std::fprintf(stderr, "\n");
  return 2;
}
