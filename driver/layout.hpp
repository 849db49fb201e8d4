// SPDX-License-Identifier: Apache-2.0
// Order of accesses to memory that is shared with the adapter.
#pragma once

#include <atomic>

namespace roci::driver {

/// Between writing queue entries and ringing the doorbell that hands them over: the adapter that
/// reads the entry sees all of it.
inline void entries_before_doorbell() { std::atomic_thread_fence(std::memory_order_release); }

/// Between seeing the owner bit of an entry and reading the rest of it: the adapter wrote the
/// owner bit last.
inline void owner_before_entry() { std::atomic_thread_fence(std::memory_order_acquire); }

}  // namespace roci::driver
