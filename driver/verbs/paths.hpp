// SPDX-License-Identifier: Apache-2.0
// Which names below /sys and /dev lead to the tree of the simulator (tree.hpp).
#pragma once

#include <optional>
#include <string>

namespace roci::verbs {

/// Where the absolute `path` leads when the tree is at `tree` (null: there is none); nothing when
/// it is left alone.
std::optional<std::string> redirected(const char* path, const char* tree);

/// What programs in simulated time see as /proc/cpuinfo: a file beside the trees of all nodes.
std::string cpuinfo_of(const std::string& tree);

/// The name below /sys of a file of the tree, for what realpath() gives; other paths as they are.
std::string public_name(const std::string& path, const char* tree);

}  // namespace roci::verbs
