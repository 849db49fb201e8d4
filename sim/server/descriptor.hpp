// SPDX-License-Identifier: Apache-2.0
// A file descriptor that its owner closes.
#pragma once

#include <unistd.h>

#include <utility>

namespace roci::sim {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() { *this = Descriptor(); }

 private:
  int fd_;
};

}  // namespace roci::sim
