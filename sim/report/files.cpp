// SPDX-License-Identifier: Apache-2.0
#include "sim/report/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace roci::sim {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int status = 1) {
  throw UserError(fmt::format("{} {}: {}", what, path, std::strerror(errno)), status);
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path, int status) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, "cannot read", status);
  struct stat info {};
  if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    close(fd);
    fail(path, "cannot read", status);
  }
  std::vector<std::uint8_t> bytes;
  std::uint8_t chunk[1 << 16];
  for (;;) {
    const ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0) {
      const int error = errno;
      close(fd);
      errno = error;
      fail(path, "cannot read", status);
    }
    if (got == 0) break;
    bytes.insert(bytes.end(), chunk, chunk + got);
  }
  close(fd);
  return bytes;
}

OutputFile::OutputFile(const std::string& path)
    : path_(path), temporary_(fmt::format("{}.{}.part", path, getpid())) {
  struct stat info {};
  // Devices and pipes cannot be renamed onto; they are written directly.
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) temporary_ = path_;
  fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(path_, "cannot write");
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (temporary_ != path_) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      fail(path_, "cannot write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void OutputFile::commit() {
  if (temporary_ != path_) {
    if (fsync(fd_) != 0 && errno != EINVAL) fail(path_, "cannot write");
    if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot write");
  }
  if (close(fd_) != 0) {
    fd_ = -1;
    fail(path_, "cannot write");
  }
  fd_ = -1;
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace roci::sim
