// SPDX-License-Identifier: Apache-2.0
// The event queue in host memory, as a driver sets it up and reads it.
#pragma once
#include "rtl/control/bench.hpp"

namespace control_bench {

struct Eqe {
  EventKind kind;
  unsigned number;
  bool owner;
  bool operator==(const Eqe& o) const {
    return kind == o.kind && number == o.number && owner == o.owner;
  }
};
inline constexpr std::uint64_t kEq = 0x40000;
inline constexpr unsigned kEqPasid = 5;

/// Value of EqSize with the queue switched off.
inline std::uint32_t eq_size(unsigned log) {
  return layout::bits(reg::eq_size::log, log) | layout::bits(reg::eq_size::pasid, kEqPasid);
}
inline void start_eq(Bench& bench, unsigned log) {
  bench.write(reg::kEqBaseLo, kEq);
  bench.write(reg::kEqBaseHi, 0);
  const std::uint32_t size = eq_size(log);
  bench.write(reg::kEqSize, size);
  bench.write(reg::kEqSize, size | layout::bits(reg::eq_size::enable, 1));
}
inline Eqe eqe(const Bench& bench, unsigned index) {
  const auto bytes =
      bench.bytes_at(kEqPasid, kEq + layout::eqe::kBytes * index, layout::eqe::kBytes);
  return {EventKind{layout::get(bytes.data(), layout::eqe::kind)},
          layout::get(bytes.data(), layout::eqe::number),
          layout::get(bytes.data(), layout::eqe::owner)};
}
/// Block writes of a client.
inline unsigned count_of(const Bench& bench, Writer client) {
  unsigned n = 0;
  for (const auto& w : bench.writes) n += w.first == client;
  return n;
}

}  // namespace control_bench
