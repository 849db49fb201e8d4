// SPDX-License-Identifier: Apache-2.0
// The system calls by which a process reaches hardware, so that tests can take the kernel's place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace roci::driver {

/// Calls return what the system call of their name does, errno included.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual int open(const std::string& path, int flags) = 0;
  virtual void close(int file) = 0;
  virtual int ioctl(int file, unsigned long request, void* argument) = 0;
  /// mmap for reading and writing; MAP_FAILED: not mapped.
  virtual void* map(std::size_t bytes, int flags, int file, std::uint64_t offset) = 0;
  virtual void unmap(void* address, std::size_t bytes) = 0;
  virtual bool pread(int file, void* to, std::size_t bytes, std::uint64_t offset) = 0;
  virtual bool pwrite(int file, const void* from, std::size_t bytes, std::uint64_t offset) = 0;
  /// Reads or writes the count of an interrupt.
  virtual bool read(int file, void* to, std::size_t bytes) = 0;
  virtual bool write(int file, const void* from, std::size_t bytes) = 0;
  virtual int eventfd() = 0;
  /// Waits until a file can be read, or for a time.
  virtual bool poll(int file, std::uint64_t timeout_ns) = 0;
  /// Target of a symbolic link; empty: there is none.
  virtual std::string link(const std::string& path) = 0;
  /// First line of a file; empty: there is none.
  virtual std::string line(const std::string& path) = 0;
};

/// The calls themselves.
Kernel& linux_kernel();

/// An open file, closed at the end.
class KernelFile {
 public:
  KernelFile(Kernel& kernel, int file) : kernel_(kernel), file_(file) {}
  ~KernelFile() {
    if (file_ >= 0) kernel_.close(file_);
  }
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;
  int number() const { return file_; }
  explicit operator bool() const { return file_ >= 0; }

 private:
  Kernel& kernel_;
  int file_;
};

/// A mapping, ended at the end.
class KernelMap {
 public:
  KernelMap(Kernel& kernel, std::size_t bytes, int flags, int file, std::uint64_t offset);
  ~KernelMap();
  KernelMap(const KernelMap&) = delete;
  KernelMap& operator=(const KernelMap&) = delete;
  /// nullptr: the kernel has not mapped it.
  std::uint8_t* host() const { return host_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Kernel& kernel_;
  std::size_t bytes_;
  std::uint8_t* host_;
};

}  // namespace roci::driver
