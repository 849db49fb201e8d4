// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "model/spec/emit/emit.hpp"
#include "model/spec/emit/tables.hpp"

namespace roci::spec {
namespace {

void open_header(const char* text, const char* include) {
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Written by model/spec/emit from the tables of model/spec. Change those.\n"
      "// %s\n#pragma once\n\n#include %s\n\n// clang-format off\n\nnamespace roci::layout {\n\n",
      text, include);
}

void close_header() { std::printf("}  // namespace roci::layout\n"); }

/// The smallest unsigned type of at least `bits` bits.
const char* type_of(unsigned bits) {
  return bits == 1    ? "bool"
         : bits <= 8  ? "uint8_t"
         : bits <= 16 ? "uint16_t"
         : bits <= 32 ? "uint32_t"
         : bits <= 64 ? "uint64_t"
                      : "void";
}

constexpr std::size_t kColumns = 100;

/// Writes a line with its comment: after it where there is room, else above it.
void line(const std::string& text, std::string_view doc) {
  if (doc.empty()) {
    std::printf("%s\n", text.c_str());
  } else if (text.size() + 7 + doc.size() <= kColumns) {
    std::printf("%s  ///< %s\n", text.c_str(), str(doc).c_str());
  } else {
    const std::string margin(text.find_first_not_of(' '), ' ');
    while (!doc.empty()) {
      const std::size_t room = kColumns - margin.size() - 4;
      const std::size_t end = doc.size() <= room ? doc.size() : doc.rfind(' ', room);
      std::printf("%s/// %s\n", margin.c_str(), str(doc.substr(0, end)).c_str());
      doc.remove_prefix(std::min(end + 1, doc.size()));
    }
    std::printf("%s\n", text.c_str());
  }
}

/// Writes a constant.
void constant(std::string_view type, std::string_view name, std::string_view value,
              std::string_view doc = {}) {
  line("inline constexpr " + str(type) + " " + str(name) + " = " + str(value) + ";", doc);
}

std::string hex(unsigned long long value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%04llX", value);
  return text;
}

template <std::size_t N>
void layout(const char* name, const char* title, const Field (&fields)[N], Order order) {
  const char* kind = order == Order::kWire ? "WireField" : "MemoryField";
  if (title[0] != '\0') std::printf("/// %s.\n", title);
  std::printf("namespace %s {\n", name);
  unsigned offset = 0;
  for (const Field& field : fields) {
    line("inline constexpr " + str(kind) + "<" + type_of(field.bits) + ", " +
             std::to_string(offset) + ", " + std::to_string(field.bits) + "> " + str(field.name) +
             ";",
         field.doc);
    offset += field.bits;
  }
  std::printf("inline constexpr unsigned kBits = %u, kBytes = %u;\n", offset, (offset + 7) / 8);
  std::printf("}  // namespace %s\n\n", name);
}

auto memory = [](const char* name, const char* title, const auto& fields) {
  layout(name, title, fields, Order::kMemory);
};

template <std::size_t N>
void codes(const Group& group, const Code (&table)[N]) {
  const char* type = group.kind == Kind::kBit ? "uint32_t" : type_of(group.bits);
  if (group.kind == Kind::kEnum) {
    std::printf("enum class %s : %s {\n", group.name, type);
  } else {
    std::printf("namespace %s {\n", group.name);
  }
  for (const Code& code : table) {
    const std::string name = "k" + str(code.name), value = std::to_string(code.value);
    switch (group.kind) {
      case Kind::kEnum:
        line("  " + name + " = " + value + ",", code.doc);
        break;
      case Kind::kBit:
        constant(type, name, "1u << " + value, code.doc);
        break;
      case Kind::kNumber:
        constant(type, name, value, code.doc);
        break;
      case Kind::kHex:
        constant(type, name, hex(code.value), code.doc);
        break;
    }
  }
  if (group.kind == Kind::kEnum) {
    std::printf("};\n\n");
  } else {
    std::printf("}  // namespace %s\n\n", group.name);
  }
}

void number(const char* name, unsigned value) { constant("unsigned", name, std::to_string(value)); }

/// Writes the function that gives the register of a doorbell from the number of its queue.
void doorbell(const char* name, const char* window, const char* word) {
  std::printf(
      "constexpr uint32_t %s(uint32_t number) {\n"
      "  return window::k%s.offset + doorbell_word::kStride * number + doorbell_word::k%s;\n}\n",
      name, window, word);
}

}  // namespace

void emit_layout_codes() {
  open_header("Opcodes, statuses, states and other named numbers.", "<stdint.h>");
  each_code_group([](const Group& group, const auto& table) { codes(group, table); });
  std::printf("/// Opcodes of the base transport header (9.2.1).\nnamespace opcode {\n");
  const auto opcodes = [](const auto& table) {
    for (const Opcode& code : table) {
      std::printf("inline constexpr uint8_t k%s = 0x%02X;\n", str(code.name).c_str(), code.value);
    }
  };
  opcodes(kOpcodes);
  opcodes(kOtherOpcodes);
  std::printf("}  // namespace opcode\n\n");
  close_header();
}

void emit_layout_headers() {
  open_header("Headers on the wire.", "\"model/spec/layout/field.hpp\"");
  each_wire_layout([](const char* name, const char* title, const auto& fields) {
    layout(name, title, fields, Order::kWire);
  });
  close_header();
}

void emit_layout_queues() {
  open_header("Entries of the queues in host memory.", "\"model/spec/layout/field.hpp\"");
  number("kBlockBytes", kBlockBytes);
  number("kSgeBytes", kSgeBytes);
  number("kMaxSge", kMaxSge);
  number("kMaxInline", kMaxInline);
  number("kMaxStrideLog", kMaxStrideLog);
  constant("uint64_t", "kMaxMessage", hex(kMaxMessage));
  std::printf("\n");
  each_memory_layout(memory);
  close_header();
}

void emit_layout_context() {
  open_header("Rows of the tables inside the adapter.", "\"model/spec/layout/field.hpp\"");
  number("kRowBits", kRowBits);
  number("kRowBytes", kRowBits / 8);
  std::printf("\n");
  each_table_row(memory);
  close_header();
}

void emit_layout_commands() {
  open_header("Admin commands and their replies.", "\"model/spec/layout/field.hpp\"");
  number("kCommandBytes", kCommandBytes);
  number("kCommandBodyOffset", kCommandBodyOffset);
  number("kCommandBodyBytes", kCommandBytes - kCommandBodyOffset);
  std::printf("\n");
  each_command(memory);
  close_header();
}

void emit_layout_records() {
  open_header("Records that travel between blocks of the RTL.", "\"model/spec/layout/field.hpp\"");
  each_record(memory);
  close_header();
}

void emit_layout_registers() {
  open_header("Register map.", "\"model/spec/layout/field.hpp\"");
  std::printf("/// Offsets of registers.\nnamespace reg {\n");
  for (const Register& reg : kRegisters) {
    constant("uint32_t", "k" + str(reg.name), hex(reg.offset), reg.doc);
    if (reg.reset != 0) constant("uint32_t", "k" + str(reg.name) + "Reset", hex(reg.reset));
  }
  std::printf("\n");
  each_register(memory);
  std::printf(
      "}  // namespace reg\n\n"
      "/// An array of registers: words of 32 bits from `offset` on.\n"
      "struct Window {\n  uint32_t offset;\n  uint32_t bytes;\n"
      "  constexpr bool has(uint32_t at) const { return at >= offset && at - offset < bytes; "
      "}\n};\n\nnamespace window {\n");
  for (const Window& window : kWindows) {
    constant("Window", "k" + str(window.name),
             "{" + hex(window.offset) + ", " + hex(window.bytes) + "}", window.doc);
  }
  std::printf("}  // namespace window\n\n/// Words of a doorbell.\nnamespace doorbell_word {\n");
  number("kStride", kDoorbellStride);
  for (const Code& word : kDoorbells) {
    constant("uint32_t", "k" + str(word.name), std::to_string(word.value), word.doc);
  }
  constant("uint32_t", "kArmSolicited", "layout::bits(reg::cq_arm::solicited, 1)",
           "In CqArm: only a solicited or failed completion raises an event");
  std::printf("}  // namespace doorbell_word\n\n");
  doorbell("sq_doorbell_offset", "QpDoorbell", "Sq");
  doorbell("rq_doorbell_offset", "QpDoorbell", "Rq");
  doorbell("srq_doorbell_offset", "QpDoorbell", "Srq");
  doorbell("cq_doorbell_offset", "CqDoorbell", "CqConsumer");
  doorbell("cq_arm_doorbell_offset", "CqDoorbell", "CqArm");
  std::printf("\n");
  constant("uint32_t", "kPostBytes", std::to_string(kPostBytes), "QpPost: bytes of a queue pair");
  std::printf(
      "constexpr uint32_t post_offset(uint32_t number) {\n"
      "  return window::kQpPost.offset + kPostBytes * number;\n}\n");
  std::printf("\n");
  close_header();
}

}  // namespace roci::spec
