// SPDX-License-Identifier: Apache-2.0
// A fault of a script: what it matches and what it does (decision 0010).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/cm/mad/values.hpp"
#include "model/packet/opcode.hpp"
#include "model/spec/layout/field.hpp"
#include "sim/server/node_names.hpp"

namespace roci::sim::faults {

enum class Action {
  kDrop,
  kDelay,
  kDuplicate,
  kReorder,
  kCorrupt,
  kNak,
  kUnplug,
  kFailMemory,
  kKill,
  kMarkEcn,
  kStopCompletions
};
enum class Direction { kOut, kIn, kBoth };
enum class Position { kAny, kFirst, kMiddle, kLast, kOnly };
enum class Access { kAny, kRead, kWrite };
enum class Area { kAny, kPayload, kQueue, kCompletion };

/// Whether the opcode is one of reliable connections.
constexpr bool is_rc(std::uint8_t opcode) { return opcode <= packet::kRcSendOnlyInv; }

/// A set of opcodes by one name, such as "write" or "RcWriteLast".
struct OpcodeGroup {
  std::string name;
  std::vector<std::uint8_t> opcodes;  ///< sorted; never empty
  bool nak_only = false;              ///< only the ACKs with a NAK or RNR NAK
};

/// A field of a header that a fault changes.
struct HeaderField {
  std::string name;
  std::optional<packet::Ext> ext;  ///< none: of the BTH
  layout::Place place{0, 0};
  std::optional<packet::Ext> other = {};  ///< another header that has it at the same place

  /// The header of a packet that has the field, if any.
  template <typename Packet>
  std::optional<packet::Ext> header_in(const Packet& packet) const {
    return other && packet.has(*other) ? other : ext;
  }
  /// Whether a packet has the field.
  template <typename Packet>
  bool is_in(const Packet& packet) const {
    const auto header = header_in(packet);
    return !header || packet.has(*header);
  }
};

struct Rule {
  // Where the script says it.
  std::string source;
  unsigned line = 0;
  std::string name;

  // Match. Adapters by index; an empty list matches any.
  std::vector<unsigned> adapters;
  std::vector<unsigned> peers;
  Direction direction = Direction::kOut;
  std::optional<int> process;
  std::string program;
  std::optional<std::uint32_t> queue_pair;  ///< by number
  std::optional<unsigned> nth_queue_pair;   ///< among those of its process, from 1
  std::optional<OpcodeGroup> opcode;
  std::optional<cm::Attribute> cm_message;
  Position position = Position::kAny;
  std::optional<std::uint32_t> psn_offset;
  std::optional<std::uint64_t> message;  ///< its number in its queue pair, from 1
  Access access = Access::kAny;
  Area area = Area::kAny;

  // Count of what matches, from 1.
  std::uint64_t from = 1, to = ~std::uint64_t{0}, every = 1;

  // Action.
  Action action = Action::kDrop;
  std::uint64_t delay_ns = 0;  ///< delay: of the frame; nak: of the NAK
  unsigned copies = 1;
  unsigned after = 1;
  std::optional<HeaderField> field;  ///< corrupt: none means payload or ICRC
  bool payload = false;
  std::uint64_t offset = 0;  ///< byte of the payload
  std::optional<std::uint64_t> value;
  bool repair = false;  ///< recompute the ICRC
  std::uint8_t syndrome = 0;
  std::uint64_t time_ns = 0;      ///< unplug, stop_completions; 0: for ever
  std::uint64_t completions = 0;  ///< stop_completions: the queue goes on after these; 0: never

  static bool of_memory(Action action) {
    return action == Action::kFailMemory || action == Action::kStopCompletions;
  }
  bool of_memory() const { return of_memory(action); }
  /// Whether the match needs the queue pair of the subject.
  bool needs_queue_pair() const {
    return process || !program.empty() || queue_pair || nth_queue_pair || psn_offset || message;
  }
  bool hits(std::uint64_t seen) const {
    return seen >= from && seen <= to && (seen - from) % every == 0;
  }
};

/// Facts of the running simulator by which a script is checked.
class Existing {
 public:
  virtual ~Existing() = default;
  virtual const Nodes& nodes() const = 0;
  /// Whether a node has an external port.
  virtual bool has_outside() const = 0;
  virtual bool has_process(int pid) const = 0;
  /// Whether a queue pair of that number exists on one of the adapters.
  virtual bool has_queue_pair(const std::vector<unsigned>& adapters,
                              std::uint32_t number) const = 0;
};

const char* name_of(Action action);

/// All opcodes that a name means; empty: no such name.
std::vector<std::uint8_t> opcodes_of(const std::string& name);

/// What an opcode is in its message.
Position position_of(const packet::OpcodeInfo& info);

/// Index of "outside", the peers of an external port, in Rule::adapters and Rule::peers.
inline constexpr unsigned kOutside = ~0u;

/// Reads a script. Throws UserError with status 2 and one line, "F.toml:7: ...".
std::vector<Rule> read_script(const std::string& text, const std::string& source,
                              const Existing& existing);

/// Checks that a packet or access can match and that the action fits. Returns what is wrong; empty:
/// nothing.
std::string contradiction(const Rule& rule);

}  // namespace roci::sim::faults
