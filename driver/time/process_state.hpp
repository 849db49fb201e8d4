// SPDX-License-Identifier: Apache-2.0
// State that a child made by fork() does not take over.
#pragma once

#include <unistd.h>

namespace roci::timing {

/// The `State` of this process: that of a child made by fork() begins anew. That of the parent is
/// left where it is, since a thread that does not exist in the child may hold its locks.
template <typename State>
State& state_of_process() {
  static auto* current = new State;
  static pid_t process = getpid();
  if (process != getpid()) {
    current = new State;
    process = getpid();
  }
  return *current;
}

}  // namespace roci::timing
