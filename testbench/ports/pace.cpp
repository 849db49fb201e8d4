// SPDX-License-Identifier: Apache-2.0
#include "testbench/ports/pace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "testbench/ports/port.hpp"

namespace roci::testbench::ports {

PeerClock::PeerClock(const std::string& file) {
  using Time = const std::atomic<std::uint64_t>;
  static_assert(sizeof(Time) == sizeof(std::uint64_t) && Time::is_always_lock_free);
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw PortError("clock: " + file + ": " + std::strerror(errno));
  const bool whole = lseek(fd, 0, SEEK_END) >= static_cast<off_t>(sizeof(Time));
  void* mapped = whole ? mmap(nullptr, sizeof(Time), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  close(fd);
  if (mapped == MAP_FAILED) throw PortError("clock: " + file + ": no time of 8 bytes");
  shown_ = std::shared_ptr<Time>(static_cast<Time*>(mapped), [](Time* time) {
    munmap(const_cast<std::atomic<std::uint64_t>*>(time), sizeof *time);
  });
}

}  // namespace roci::testbench::ports
