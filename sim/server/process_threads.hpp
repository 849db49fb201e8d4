// SPDX-License-Identifier: Apache-2.0
// Whether the threads of another process run or sleep, as /proc shows them.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <memory>

namespace roci::sim {

class ProcessThreads {
 public:
  explicit ProcessThreads(pid_t pid);

  /// Number of threads; 0: the process has ended.
  unsigned count() const;

  /// All threads at nearly one time.
  struct Picture {
    bool asleep = true;      ///< each sleeps in the kernel and can be woken, or has ended
    std::uint64_t runs = 0;  ///< how often they were given a processor, all together
  };
  /// When two pictures are equal and all sleep in them, no thread ran between them.
  Picture look() const;

  /// Processor time that the process has used, in nanoseconds.
  std::uint64_t cpu_ns() const;

 private:
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::unique_ptr<DIR, Close> tasks_;
  clockid_t clock_ = 0;
};

}  // namespace roci::sim
