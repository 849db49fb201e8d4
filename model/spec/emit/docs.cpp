// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "model/spec/emit/emit.hpp"
#include "model/spec/emit/tables.hpp"

namespace roci::spec {
namespace {

void page(const char* title, const char* text) {
  std::printf("<!-- Written by model/spec/emit from the tables of model/spec. -->\n\n# %s\n\n%s\n",
              title, text);
}

template <std::size_t N>
void markdown_table(const char* title, const Field (&fields)[N]) {
  std::printf("\n## %s\n\n| Bits | Field | Meaning |\n|---:|---|---|\n", title);
  unsigned offset = 0;
  for (const Field& field : fields) {
    std::printf("| %u:%u | `%s` | %s |\n", offset, offset + field.bits - 1, str(field.name).c_str(),
                str(field.doc).c_str());
    offset += field.bits;
  }
}

template <std::size_t N>
void markdown_codes(const char* title, const Code (&codes)[N]) {
  std::printf("\n## %s\n\n| Value | Name | Meaning |\n|---:|---|---|\n", title);
  for (const Code& code : codes) {
    std::printf("| %u | `%s` | %s |\n", code.value, str(code.name).c_str(), str(code.doc).c_str());
  }
}

auto to_markdown = [](const char*, const char* title, const auto& fields) {
  markdown_table(title, fields);
};

}  // namespace

void emit_wire_formats() {
  page("Wire formats", "Bits are counted from the first on the wire. All fields are big-endian.");
  each_wire_layout(to_markdown);
  std::printf(
      "\n## Opcodes\n\n| Value | Name | Extension bytes | Payload |\n|---:|---|---:|---|\n");
  auto rows = [](const auto& codes) {
    for (const Opcode& code : codes) {
      std::printf("| 0x%02X | `%s` | %u | %s |\n", code.value, str(code.name).c_str(),
                  code.ext_bytes, code.payload ? "yes" : "no");
    }
  };
  rows(kOpcodes);
  rows(kOtherOpcodes);
  markdown_codes("Syndromes", kSyndromes);
}

void emit_queues() {
  page("Queues, tables and commands",
       "Little-endian; bit 0 is the lowest bit of the lowest address. A block is 64 bytes; every\n"
       "ring starts on a 4 KiB boundary.");
  each_memory_layout(to_markdown);
  markdown_codes("Work request operations (`WrOp`)", kWrOps);
  markdown_codes("Completion status (`Status`)", kStatuses);
  markdown_codes("Completion opcode (`WcOp`)", kWcOps);
  markdown_codes("Events (`Event`)", kEvents);
  markdown_codes("Queue pair states (`QpState`)", kQpStates);
  markdown_codes("Transport services (`Service`)", kServices);
  markdown_codes("Options of an engine (`Option`)", kOptions);
  markdown_codes("Access rights (`Access`)", kAccess);
  markdown_codes("Kinds of keys (`KeyKind`)", kKeyKinds);
  each_table_row(to_markdown);
  markdown_codes("Admin commands (`AdminOp`)", kAdminOps);
  markdown_codes("Admin status (`AdminStatus`)", kAdminStatuses);
  each_command(to_markdown);
}

void emit_registers() {
  page("Registers", "32-bit registers of the AXI4-Lite slave, byte offsets.");
  std::printf("\n| Offset | Name | Access | Reset | Meaning |\n|---:|---|---|---:|---|\n");
  for (const Register& reg : kRegisters) {
    std::printf("| 0x%06X | `%s` | %s | 0x%08X | %s |\n", reg.offset, str(reg.name).c_str(),
                str(reg.access).c_str(), reg.reset, str(reg.doc).c_str());
  }
  std::printf("\n## Windows\n\n| Offset | Bytes | Name | Meaning |\n|---:|---:|---|---|\n");
  for (const Window& window : kWindows) {
    std::printf("| 0x%06X | %u | `%s` | %s |\n", window.offset, window.bytes,
                str(window.name).c_str(), str(window.doc).c_str());
  }
  std::printf(
      "\n## Fields of registers\n\n| Register | Bits | Field | Meaning |\n|---|---:|---|---|\n");
  each_register([](const char*, const char* title, const auto& fields) {
    unsigned offset = 0;
    for (const Field& field : fields) {
      std::printf("| %s | %u:%u | `%s` | %s |\n", title, offset, offset + field.bits - 1,
                  str(field.name).c_str(), str(field.doc).c_str());
      offset += field.bits;
    }
  });
  markdown_codes("Tables of the table port", kTables);
  markdown_codes("Port counters", kPortCounters);
  markdown_codes("Drop causes", kDropCauses);
  markdown_codes("Queue pair counters", kQpCounters);
}

}  // namespace roci::spec
