// SPDX-License-Identifier: Apache-2.0
// Coverage of a soak: phase of the requester x fault x operation x position of the packet x
// PSN wrapped or not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/verify/soak/round_plan.hpp"

namespace roci::soak {

/// State of the requester when a fault applies to one of its packets or responses.
enum class Phase : std::uint8_t { kFirst, kAfterNak, kAfterTimer, kAfterRnr };
inline constexpr unsigned kPhases = 4;

enum class Fault : std::uint8_t { kLoss, kBurst, kCorrupt, kDuplicate, kReorder };
inline constexpr unsigned kFaults = 5;

/// Position of a packet in a message or in its response.
enum class Position : std::uint8_t {
  kFirst,
  kMiddle,
  kLast,
  kOnly,
  kReadFirst,
  kReadMiddle,
  kReadLast,
  kReadOnly,
  kAtomicResponse,
  kAck,
  kNak,
  kRnrNak
};
inline constexpr unsigned kPositions = 12;

const char* name_of(Phase phase);
const char* name_of(Fault fault);
const char* name_of(Position position);

struct Cell {
  Phase phase;
  Fault fault;
  Kind kind;
  Position position;
  bool wrapped;
};

class Coverage {
 public:
  void hit(const Cell& cell) { ++counts_[index(cell)]; }
  void add(const Coverage& other);
  std::uint64_t count(const Cell& cell) const { return counts_[index(cell)]; }
  std::uint64_t of(Fault fault) const;

  /// Whether such packets exist: a WRITE without immediate has no RNR NAK, a READ one request
  /// packet.
  static bool exists(Kind kind, Position position);
  /// Returns every cell that exists, in order.
  static std::vector<Cell> cells();
  static std::string text(const Cell& cell);

 private:
  static std::size_t index(const Cell& c) {
    return (((static_cast<std::size_t>(c.phase) * kFaults + static_cast<std::size_t>(c.fault)) *
                 kKinds +
             static_cast<std::size_t>(c.kind)) *
                kPositions +
            static_cast<std::size_t>(c.position)) *
               2 +
           (c.wrapped ? 1 : 0);
  }
  std::array<std::uint64_t, std::size_t{kPhases} * kFaults * kKinds * kPositions * 2> counts_{};
};

}  // namespace roci::soak
