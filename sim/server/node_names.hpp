// SPDX-License-Identifier: Apache-2.0
// The names of nodes, n0, n1 and so on, and of their adapters: n0/roci0, n0/roci1.
#pragma once

#include <string>

#include "driver/verbs/tree.hpp"

namespace roci::sim {

inline std::string node_name(unsigned node) { return "n" + std::to_string(node); }

/// Nodes that have the same number of adapters each. Adapters have an index: those of n0 come
/// first, then those of n1.
struct Nodes {
  unsigned nodes = 2;
  unsigned adapters_each = 1;

  unsigned adapters() const { return nodes * adapters_each; }
  unsigned node_of(unsigned index) const { return index / adapters_each; }
  /// Number of the adapter in its node.
  unsigned place_of(unsigned index) const { return index % adapters_each; }

  /// "n0" where nodes have one adapter, otherwise "n0/roci1".
  std::string name_of(unsigned index) const {
    const std::string node = node_name(node_of(index));
    return adapters_each == 1 ? node : node + "/" + verbs::device_name(place_of(index));
  }
  /// The adapter of that name, where "n0" is n0/roci0; adapters() when there is none.
  unsigned index_of(const std::string& name) const {
    unsigned index = 0;
    while (index < adapters() &&
           name != node_name(node_of(index)) + "/" + verbs::device_name(place_of(index)) &&
           !(place_of(index) == 0 && name == node_name(node_of(index)))) {
      ++index;
    }
    return index;
  }
  /// The node of that name; `nodes` when there is none.
  unsigned node_named(const std::string& name) const {
    unsigned node = 0;
    while (node < nodes && name != node_name(node)) ++node;
    return node;
  }
};

}  // namespace roci::sim
