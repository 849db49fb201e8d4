// SPDX-License-Identifier: Apache-2.0
// Reports that the other end of a socket was closed.
#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace roci::driver {

/// A thread that sleeps until the other end of `socket` is closed, and then calls `report` once. It
/// handles no signals.
class Hangup {
 public:
  Hangup(int socket, std::function<void()> report);
  /// Ends the thread, without a call of `report` unless that has begun. Not to be called from
  /// `report`.
  ~Hangup();
  Hangup(const Hangup&) = delete;
  Hangup& operator=(const Hangup&) = delete;

 private:
  int process_;  ///< in a child made by fork() there is no thread
  int stop_;     ///< eventfd
  std::unique_ptr<std::thread> thread_;
};

}  // namespace roci::driver
