// SPDX-License-Identifier: Apache-2.0
// Connections of UC and UD for tests.
#pragma once

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

inline const Needs kUc{false, 4200, driver::Service::kUc};
inline const Needs kUd{false, 4200, driver::Service::kUd};
inline const Needs kGroups{false, 4200, driver::Service::kUd, 0, 0, nullptr, true};

/// A connection whose queue pair has the service.
template <driver::Service kService>
class Unreliable : public Connection {
 public:
  explicit Unreliable(Fixture& fixture, const std::function<void(Options&)>& change = {})
      : Connection(fixture, [&](Options& o) {
          o.qp.service = kService;
          if (change) change(o);
        }) {}
};

}  // namespace roci::conform
