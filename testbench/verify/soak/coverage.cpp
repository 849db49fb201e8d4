// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/coverage.hpp"

namespace roci::soak {

const char* name_of(Phase phase) {
  constexpr const char* kNames[] = {"first", "after NAK", "after timeout", "after RNR"};
  return kNames[static_cast<unsigned>(phase)];
}
const char* name_of(Fault fault) {
  constexpr const char* kNames[] = {"loss", "burst", "corruption", "duplication", "reordering"};
  return kNames[static_cast<unsigned>(fault)];
}
const char* name_of(Position position) {
  constexpr const char* kNames[] = {"FIRST",      "MIDDLE",      "LAST",      "ONLY",
                                    "RESP_FIRST", "RESP_MIDDLE", "RESP_LAST", "RESP_ONLY",
                                    "ATOMIC_ACK", "ACK",         "NAK",       "RNR_NAK"};
  return kNames[static_cast<unsigned>(position)];
}

void Coverage::add(const Coverage& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::uint64_t Coverage::of(Fault fault) const {
  std::uint64_t sum = 0;
  for (const Cell& cell : cells()) {
    if (cell.fault == fault) sum += count(cell);
  }
  return sum;
}

bool Coverage::exists(Kind kind, Position position) {
  const bool request = position <= Position::kOnly;
  const bool read_response = position >= Position::kReadFirst && position <= Position::kReadOnly;
  switch (kind) {
    case Kind::kRead:
      return position == Position::kOnly || read_response || position == Position::kNak;
    case Kind::kCmpSwap:
    case Kind::kFetchAdd:
      return position == Position::kOnly || position == Position::kAtomicResponse ||
             position == Position::kNak;
    case Kind::kWrite:
      return request || position == Position::kAck || position == Position::kNak;
    default:
      return request || position >= Position::kAck;
  }
}

std::vector<Cell> Coverage::cells() {
  std::vector<Cell> all;
  for (unsigned phase = 0; phase < kPhases; ++phase) {
    for (unsigned fault = 0; fault < kFaults; ++fault) {
      for (unsigned kind = 0; kind < kKinds; ++kind) {
        for (unsigned position = 0; position < kPositions; ++position) {
          if (!exists(static_cast<Kind>(kind), static_cast<Position>(position))) continue;
          for (const bool wrapped : {false, true}) {
            all.push_back({static_cast<Phase>(phase), static_cast<Fault>(fault),
                           static_cast<Kind>(kind), static_cast<Position>(position), wrapped});
          }
        }
      }
    }
  }
  return all;
}

std::string Coverage::text(const Cell& cell) {
  return std::string(name_of(cell.phase)) + " x " + name_of(cell.fault) + " x " +
         name_of(cell.kind) + " x " + name_of(cell.position) +
         (cell.wrapped ? " x wrapped" : " x not wrapped");
}

}  // namespace roci::soak
