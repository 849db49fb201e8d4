// SPDX-License-Identifier: Apache-2.0
// The names of nodes: n0, n1 and so on.
#pragma once

#include <string>

namespace roci::sim {

inline std::string node_name(unsigned node) { return "n" + std::to_string(node); }

/// The node of that name among the first `nodes`; `nodes` when there is none.
inline unsigned node_of(const std::string& name, unsigned nodes) {
  unsigned node = 0;
  while (node < nodes && name != node_name(node)) ++node;
  return node;
}

}  // namespace roci::sim
