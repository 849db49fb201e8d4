// SPDX-License-Identifier: Apache-2.0
// The variants in which a schedule runs: operation, direction, position of the PSN wrap.
#pragma once

#include "testbench/verify/faults/schedule_runner.hpp"

namespace roci::testbench::faults {

inline constexpr std::uint32_t kMiddle = 0x3A5F10;

inline std::vector<Opcode> every_operation() {
  return {Opcode::kSend, Opcode::kSendImm,  Opcode::kWrite,  Opcode::kWriteImm,
          Opcode::kRead, Opcode::kFetchAdd, Opcode::kCmpSwap};
}

/// One message of six packets (atomics: one) of each operation, from either node, far from the PSN
/// wrap and over it. The short run uses a diagonal: every operation, and each direction and PSN
/// with some of them.
template <typename Body>
void each(const std::vector<Opcode>& operations, const Body& body) {
  unsigned count = 0;
  for (const Opcode op : operations) {
    for (const unsigned from : {0u, 1u}) {
      for (const std::uint32_t psn : {kMiddle, 0xFFFFFEu}) {
        const bool taken = (from == 0) == (psn == kMiddle) ? count % 2 == from : false;
        if (!thorough() && !taken) continue;
        SchedulePlan plan;
        plan.messages = {{op, op == Opcode::kFetchAdd || op == Opcode::kCmpSwap ? 8u : 1500u}};
        plan.from = from;
        plan.psn = psn;
        body(plan);
      }
    }
    ++count;
  }
}

}  // namespace roci::testbench::faults
