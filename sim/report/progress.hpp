// SPDX-License-Identifier: Apache-2.0
// A progress line that is rewritten in place; only on a terminal.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace roci::sim {

class Progress {
 public:
  explicit Progress(std::string what)
      : what_(std::move(what)), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::size_t all, std::uint64_t now_ns) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    fmt::print(stderr, "\r{:<16} [{:3}%]  {}/{} messages  {:.1f} us simulated\033[K", what_,
               all == 0 ? 100 : done * 100 / all, done, all, static_cast<double>(now_ns) / 1000);
    std::fflush(stderr);
    drawn_ = true;
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  }

 private:
  std::string what_;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace roci::sim
