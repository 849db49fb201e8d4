// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace roci::sim::faults {
namespace {

using packet::OpcodeInfo;

constexpr unsigned kOpcodes = 256;

bool is_request(const OpcodeInfo& info) { return !info.response && info.name != "Cnp"; }

bool in_group(const std::string& group, std::uint8_t opcode, const OpcodeInfo& info) {
  const auto has = [&](const char* part) { return info.name.find(part) != std::string::npos; };
  if (group == "send") return has("Send");
  if (group == "write") return has("Write");
  if (group == "read") return opcode == packet::kRcReadRequest;
  if (group == "read_response") return packet::is_read_response(opcode);
  if (group == "atomic") return packet::is_atomic(opcode);
  if (group == "atomic_response") return opcode == packet::kRcAtomicAck;
  if (group == "ack" || group == "nak") return opcode == packet::kRcAck;
  if (group == "request") return is_request(info);
  if (group == "response") return info.response;
  return info.name == group;
}

/// The opcodes that all conditions on the opcode leave.
std::vector<std::uint8_t> possible(const Rule& rule) {
  std::vector<std::uint8_t> left;
  for (unsigned i = 0; i < kOpcodes; ++i) {
    const auto opcode = static_cast<std::uint8_t>(i);
    const OpcodeInfo* info = packet::find_opcode(opcode);
    if (info == nullptr) continue;
    if (rule.opcode &&
        !std::binary_search(rule.opcode->opcodes.begin(), rule.opcode->opcodes.end(), opcode)) {
      continue;
    }
    if (rule.position != Position::kAny && rule.position != position_of(*info)) continue;
    if (rule.message && info->name == "Cnp") continue;
    if (rule.cm_message && opcode != packet::kUdSendOnly) continue;
    if (rule.payload && !info->payload) continue;
    if (rule.field && !rule.field->is_in(*info)) continue;
    if (rule.action == Action::kNak && !(is_request(*info) && is_rc(opcode))) continue;
    left.push_back(opcode);
  }
  return left;
}

}  // namespace

Position position_of(const OpcodeInfo& info) {
  if (info.start && info.end) return Position::kOnly;
  if (info.start) return Position::kFirst;
  return info.end ? Position::kLast : Position::kMiddle;
}

const char* name_of(Action action) {
  static const char* const kNames[] = {"drop",    "delay",    "duplicate",       "reorder",
                                       "corrupt", "nak",      "unplug",          "fail_memory",
                                       "kill",    "mark_ecn", "stop_completions"};
  return kNames[static_cast<std::size_t>(action)];
}

std::vector<std::uint8_t> opcodes_of(const std::string& name) {
  std::vector<std::uint8_t> found;
  for (unsigned i = 0; i < kOpcodes; ++i) {
    const auto opcode = static_cast<std::uint8_t>(i);
    const OpcodeInfo* info = packet::find_opcode(opcode);
    if (info != nullptr && in_group(name, opcode, *info)) found.push_back(opcode);
  }
  return found;
}

std::string contradiction(const Rule& rule) {
  if (rule.from > rule.to) {
    return fmt::format("'from' {} is after 'to' {}: no packet can match", rule.from, rule.to);
  }
  if (rule.queue_pair && rule.nth_queue_pair) {
    return "'queue_pair' and 'nth_queue_pair' name it twice: give one of them";
  }
  if (rule.of_memory()) return {};
  if (rule.cm_message && rule.needs_queue_pair()) {
    return "messages of the connection manager belong to no process and no queue pair: no packet "
           "can match";
  }
  if (possible(rule).empty()) {
    return fmt::format("no opcode fulfils all conditions{}: no packet can match",
                       rule.action == Action::kNak ? " (a NAK responds to requests of RC)" : "");
  }
  return {};
}

}  // namespace roci::sim::faults
