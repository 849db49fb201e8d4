// SPDX-License-Identifier: Apache-2.0
#include "driver/device/kernel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <fstream>

#include "driver/device/clock.hpp"

namespace roci::driver {
namespace {

bool whole(ssize_t done, std::size_t wanted) { return done == static_cast<ssize_t>(wanted); }

class Linux final : public Kernel {
 public:
  int open(const std::string& path, int flags) override {
    return ::open(path.c_str(), flags | O_CLOEXEC);
  }
  void close(int file) override { ::close(file); }
  int ioctl(int file, unsigned long request, void* argument) override {
    return ::ioctl(file, request, argument);
  }
  void* map(std::size_t bytes, int flags, int file, std::uint64_t offset) override {
    return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
  }
  void unmap(void* address, std::size_t bytes) override { ::munmap(address, bytes); }
  bool pread(int file, void* to, std::size_t bytes, std::uint64_t offset) override {
    return whole(::pread(file, to, bytes, static_cast<off_t>(offset)), bytes);
  }
  bool pwrite(int file, const void* from, std::size_t bytes, std::uint64_t offset) override {
    return whole(::pwrite(file, from, bytes, static_cast<off_t>(offset)), bytes);
  }
  bool read(int file, void* to, std::size_t bytes) override {
    return whole(::read(file, to, bytes), bytes);
  }
  bool write(int file, const void* from, std::size_t bytes) override {
    return whole(::write(file, from, bytes), bytes);
  }
  int eventfd() override { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
  bool poll(int file, std::uint64_t timeout_ns) override {
    pollfd one{file, POLLIN, 0};
    const timespec time = timespec_of(timeout_ns);
    return ::ppoll(&one, file >= 0 ? 1 : 0, &time, nullptr) == 1 && (one.revents & POLLIN) != 0;
  }
  std::string link(const std::string& path) override {
    char target[PATH_MAX];
    const ssize_t bytes = ::readlink(path.c_str(), target, sizeof target);
    return bytes > 0 ? std::string(target, static_cast<std::size_t>(bytes)) : std::string();
  }
  std::string line(const std::string& path) override {
    std::string text;
    std::ifstream file(path);
    std::getline(file, text);
    return text;
  }
};

}  // namespace

Kernel& linux_kernel() {
  static Linux kernel;
  return kernel;
}

KernelMap::KernelMap(Kernel& kernel, std::size_t bytes, int flags, int file, std::uint64_t offset)
    : kernel_(kernel), bytes_(bytes) {
  void* host = kernel.map(bytes, flags, file, offset);
  host_ = host == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(host);
}

KernelMap::~KernelMap() {
  if (host_ != nullptr) kernel_.unmap(host_, bytes_);
}

}  // namespace roci::driver
