// SPDX-License-Identifier: Apache-2.0
// The event queue in host memory, as a driver sets it up and reads it.
#pragma once
#include "rtl/control/bench.hpp"

namespace control_bench {

struct Eqe {
  unsigned kind, number;
  bool owner;
  bool operator==(const Eqe& o) const {
    return kind == o.kind && number == o.number && owner == o.owner;
  }
};
inline constexpr std::uint64_t kEq = 0x40000;
inline constexpr unsigned kEqPasid = 5;

inline void start_eq(Bench& bench, unsigned log) {
  bench.write("EqBaseLo", kEq);
  bench.write("EqBaseHi", 0);
  bench.write("EqSize", kEqPasid << 12 | log);
  bench.write("EqSize", kEqPasid << 12 | 1u << 4 | log);
}
inline Eqe eqe(const Bench& bench, unsigned index) {
  const auto bytes = bench.bytes_at(kEqPasid, kEq + 16 * index, 16);
  return {static_cast<unsigned>(get_memory(bytes.data(), place_of(spec::kEqe, "kind"))),
          static_cast<unsigned>(get_memory(bytes.data(), place_of(spec::kEqe, "number"))),
          get_memory(bytes.data(), place_of(spec::kEqe, "owner")) != 0};
}
inline unsigned count_of(const Bench& bench, unsigned client) {
  unsigned n = 0;
  for (const auto& w : bench.writes) n += w.first == client;
  return n;
}

}  // namespace control_bench
