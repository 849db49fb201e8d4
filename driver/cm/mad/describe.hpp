// SPDX-License-Identifier: Apache-2.0
// Text of datagrams, for logs and tests.
#pragma once

#include "driver/cm/mad/message.hpp"
#include "driver/cm/mad/visit.hpp"

namespace roci::cm {

/// All fields of a message: "req.qpn" = "000011" and so on.
inline std::vector<NamedValue> values_of(const Message& message) {
  return std::visit(
      [](const auto& m) {
        using M = std::decay_t<decltype(m)>;
        Printer printer(std::string(M::kName) + ".");
        M::layout(printer, m);
        return std::move(printer.values);
      },
      message);
}

}  // namespace roci::cm
