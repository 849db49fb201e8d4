// SPDX-License-Identifier: Apache-2.0
// Reads scripts of faults.
#include <fmt/format.h>

#include <set>

#include "model/spec/layout/codes.hpp"
#include "sim/faults/fields.hpp"
#include "sim/faults/names.hpp"
#include "sim/faults/rule.hpp"

namespace roci::sim::faults {
namespace {

constexpr std::uint32_t kPsnEnd = 1u << 24, kQpEnd = 1u << 24;
constexpr std::uint64_t kMost = 1'000'000'000;
constexpr unsigned kMostCopies = 1000, kRnrCodes = 32;
constexpr std::uint64_t kNakDelayNs = 10'000;  // see decision 0010
constexpr std::size_t kMostFaults = 1000;
constexpr std::uint64_t kMostCompletions = 0xFFFF;  // more than a completion queue holds

class Reader : Fields {
 public:
  Reader(const toml::table& table, const std::string& source, const Existing& existing)
      : Fields(table, source), existing_(existing) {}

  Rule read() {
    Rule rule;
    rule.source = source_;
    rule.line = table_.source().begin.line;
    rule.action = required_choice("action", kActions);
    check_names(rule.action);
    rule.name = text("name");
    read_match(rule);
    read_count(rule);
    read_action(rule);
    if (const std::string wrong = contradiction(rule); !wrong.empty()) fail(rule.line, wrong);
    check_existing(rule);
    return rule;
  }

 private:
  void check_names(Action action) const {
    const std::set<std::string>& own = kOfAction.at(action);
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      const bool known = kAlways.count(name) != 0 || own.count(name) != 0 ||
                         (!Rule::of_memory(action) && kOfPackets.count(name) != 0);
      if (!known) {
        fail(node.source().begin.line,
             fmt::format("action '{}' has no field '{}'", name_of(action), name));
      }
    }
  }

  std::vector<unsigned> adapters(const std::string& name) const {
    std::vector<unsigned> found;
    const std::string wanted = text(name);
    if (wanted.empty()) return found;
    if (wanted == "outside") {
      if (existing_.has_outside()) return {kOutside};
      fail(line_of(name), "there is no outside: no node has an external port");
    }
    const Nodes& nodes = existing_.nodes();
    for (unsigned i = 0; i < nodes.adapters(); ++i) {
      const std::string node = node_name(nodes.node_of(i));
      if (wanted == node || wanted == node + "/" + verbs::device_name(nodes.place_of(i))) {
        found.push_back(i);
      }
    }
    if (found.empty()) {
      fail(line_of(name), fmt::format("no node '{}'; there are n0 to {}", wanted,
                                      nodes.name_of(nodes.adapters() - 1)));
    }
    return found;
  }

  void read_match(Rule& rule) const {
    rule.adapters = adapters("node");
    rule.peers = adapters("peer");
    rule.direction = choice("direction", kDirections, Direction::kOut);
    if (const auto pid = number("process", 1, kMost)) rule.process = static_cast<int>(*pid);
    rule.program = text("program");
    if (const auto qp = number("queue_pair", 0, kQpEnd - 1)) {
      rule.queue_pair = static_cast<std::uint32_t>(*qp);
    }
    if (const auto nth = number("nth_queue_pair", 1, kQpEnd)) {
      rule.nth_queue_pair = static_cast<unsigned>(*nth);
    }
    if (has("opcode")) {
      const std::string name = text("opcode");
      rule.opcode = OpcodeGroup{name, opcodes_of(name), name == "nak"};
      if (rule.opcode->opcodes.empty()) {
        fail(line_of("opcode"),
             fmt::format("no opcode '{}'; there are send, write, read, read_response, atomic, "
                         "atomic_response, ack, nak, request, response and names such as "
                         "RcWriteFirst",
                         name));
      }
    }
    if (has("cm")) rule.cm_message = required_choice("cm", kCmMessages);
    rule.position = choice("position", kPositions, Position::kAny);
    if (const auto offset = number("psn_offset", 0, kPsnEnd - 1)) {
      rule.psn_offset = static_cast<std::uint32_t>(*offset);
    }
    rule.message = number("message", 1, kMost);
    rule.access = choice("access", kAccesses, Access::kAny);
    rule.area = choice("area", kAreas, Area::kAny);
  }

  void read_count(Rule& rule) const {
    if (has("nth") && (has("from") || has("to") || has("every"))) {
      fail(line_of("nth"), "'nth' stands alone, without 'from', 'to' and 'every'");
    }
    if (const auto nth = number("nth", 1, kMost)) rule.from = rule.to = *nth;
    rule.every = number("every", 1, kMost).value_or(1);
    if (has("every")) rule.from = rule.every;
    rule.from = number("from", 1, kMost).value_or(rule.from);
    rule.to = number("to", 1, kMost).value_or(rule.to);
  }

  void read_action(Rule& rule) const {
    switch (rule.action) {
      case Action::kDelay:
        rule.delay_ns = time("delay", {});
        break;
      case Action::kDuplicate:
        rule.copies = static_cast<unsigned>(number("copies", 1, kMostCopies).value_or(1));
        break;
      case Action::kReorder:
        rule.after = static_cast<unsigned>(number("after", 1, kMost).value_or(1));
        break;
      case Action::kCorrupt:
        read_corruption(rule);
        break;
      case Action::kNak:
        rule.syndrome = required_choice("code", kCodes);
        if (has("timer") && rule.syndrome != layout::syndrome::kRnrNak) {
          fail(line_of("timer"), "'timer' is for the code rnr");
        }
        rule.syndrome = static_cast<std::uint8_t>(rule.syndrome |
                                                  number("timer", 0, kRnrCodes - 1).value_or(0));
        rule.delay_ns = time("delay", kNakDelayNs);
        break;
      case Action::kUnplug:
        rule.time_ns = time("time", {});
        break;
      case Action::kStopCompletions:
        rule.time_ns = time("time", 0);
        rule.completions = number("completions", 2, kMostCompletions).value_or(0);
        break;
      case Action::kDrop:
      case Action::kFailMemory:
      case Action::kKill:
      case Action::kMarkEcn:
        break;
    }
  }

  void read_corruption(Rule& rule) const {
    const std::string name = text("field");
    rule.payload = name.empty() || name == "payload";
    if (!rule.payload && name != "icrc") {
      const auto found = kFields.find(name);
      if (found == kFields.end()) {
        fail(line_of("field"), fmt::format("no field '{}' to corrupt; there are payload, icrc, {}",
                                           name, names_in(kFields)));
      }
      rule.field = found->second;
    }
    if (has("value") && !rule.field) fail(line_of("value"), "'value' is for fields of headers");
    if (has("offset") && !rule.payload) fail(line_of("offset"), "'offset' is for the payload");
    rule.value = number("value", 0, kMostNumber);
    rule.offset = number("offset", 0, kMost).value_or(0);
    if (has("repair")) {
      const auto repair = table_["repair"].value_exact<bool>();
      if (!repair) fail(line_of("repair"), "'repair' must be true or false");
      if (name == "icrc") fail(line_of("repair"), "a repaired ICRC is not corrupt");
      rule.repair = *repair;
    }
  }

  void check_existing(const Rule& rule) const {
    if (rule.queue_pair && !existing_.has_queue_pair(rule.adapters, *rule.queue_pair)) {
      fail(line_of("queue_pair"),
           fmt::format("no queue pair {} exists{}; 'nth_queue_pair' names one that is not made yet",
                       *rule.queue_pair, has("node") ? " on " + text("node") : ""));
    }
    if (rule.process && !existing_.has_process(*rule.process)) {
      fail(line_of("process"),
           fmt::format("no process {}; 'program' names one that does not run yet", *rule.process));
    }
  }

  const Existing& existing_;
};

}  // namespace

std::vector<Rule> read_script(const std::string& text, const std::string& source,
                              const Existing& existing) {
  toml::table all;
  try {
    all = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}: {}", source, error.source().begin.line,
                                std::string(error.description())),
                    2);
  }
  for (const auto& [key, node] : all) {
    if (key.str() != "fault") {
      throw UserError(fmt::format("{}:{}: a script has tables [[fault]] alone, not '{}'", source,
                                  node.source().begin.line, std::string(key.str())),
                      2);
    }
  }
  const toml::array* faults = all.get_as<toml::array>("fault");
  if (faults == nullptr || faults->empty() || faults->size() > kMostFaults ||
      !faults->is_homogeneous(toml::node_type::table)) {
    throw UserError(fmt::format("{}:1: a script has 1 to {} tables [[fault]]", source, kMostFaults),
                    2);
  }
  std::vector<Rule> rules;
  for (const toml::node& fault : *faults) {
    rules.push_back(Reader(*fault.as_table(), source, existing).read());
  }
  return rules;
}

}  // namespace roci::sim::faults
