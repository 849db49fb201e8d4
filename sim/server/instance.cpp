// SPDX-License-Identifier: Apache-2.0
#include "sim/server/instance.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "driver/device/passing.hpp"
#include "driver/device/protocol.hpp"
#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

constexpr mode_t kPrivate = 0700;
constexpr mode_t kForOthers = 0077;
constexpr std::size_t kLongestName = 32;

[[noreturn]] void fail_at(const std::string& path) {
  throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace

Instance::Instance(const std::string& name) : name_(name) {
  const bool good = !name.empty() && name.size() <= kLongestName &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return std::isalnum(c) != 0 || c == '-' || c == '_';
                    });
  if (!good) {
    throw UserError(fmt::format("'{}' is not a name: up to {} letters, digits, '-' and '_'", name,
                                kLongestName));
  }
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  directory_ = runtime != nullptr && runtime[0] == '/'
                   ? fmt::format("{}/roci-{}", runtime, name)
                   : fmt::format("/tmp/roci-{}-{}", getuid(), name);
  if (socket().size() >= sizeof sockaddr_un::sun_path) {
    throw UserError(fmt::format("{}: too long for a socket", socket()));
  }
}

bool Instance::check_directory() const {
  struct stat found {};
  if (lstat(directory_.c_str(), &found) != 0) {
    if (errno == ENOENT) return false;
    fail_at(directory_);
  }
  if (!S_ISDIR(found.st_mode)) throw UserError(directory_ + ": not a directory");
  if (found.st_uid != getuid()) throw UserError(directory_ + ": owned by another user");
  if ((found.st_mode & kForOthers) != 0) {
    throw UserError(directory_ + ": open to other users; its mode must be 0700");
  }
  return true;
}

int Instance::open_lock(int flags) const {
  return open((directory_ + "/lock").c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bool Instance::free() const {
  if (!check_directory()) return true;
  const int fd = open_lock(0);
  if (fd < 0) return true;
  const bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return !taken;
}

int Instance::claim() const {
  if (!check_directory() && mkdir(directory_.c_str(), kPrivate) != 0 && errno != EEXIST) {
    fail_at(directory_);
  }
  check_directory();
  const int fd = open_lock(O_CREAT);
  if (fd < 0) fail_at(directory_ + "/lock");
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    close(fd);
    if (taken) {
      throw UserError(
          fmt::format("'{}' is running already; see 'roci status --name {}'", name_, name_));
    }
    fail_at(directory_ + "/lock");
  }
  unlink(socket().c_str());
  std::error_code none;
  std::filesystem::remove_all(directory_ + "/sys", none);
  return fd;
}

void Instance::remove() const {
  std::error_code none;
  std::filesystem::remove_all(directory_ + "/sys", none);
  unlink(socket().c_str());
  unlink(log().c_str());
  unlink((directory_ + "/lock").c_str());
  rmdir(directory_.c_str());
}

int Instance::connect() const {
  const auto not_up = [this] {
    return UserError(fmt::format("no simulator '{}' is running; start it with 'roci up{}'", name_,
                                 name_ == "default" ? "" : " --name " + name_));
  };
  if (!check_directory()) throw not_up();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket();
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) fail_at(path);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(fd);
    if (error == ENOENT || error == ECONNREFUSED) throw not_up();
    errno = error;
    fail_at(path);
  }
  return fd;
}

int exchange(int socket, unsigned kind) {
  const driver::protocol::Header request{kind, 1};
  return exchange(socket, &request, sizeof request);
}

int exchange(int socket, const void* message, std::size_t bytes, int file) {
  using namespace driver::protocol;
  Header header{};
  std::memcpy(&header, message, sizeof header);
  Done done{};
  int fd = -1;
  if (driver::send_message(socket, message, bytes, file, MSG_NOSIGNAL) < 0 ||
      driver::receive_message(socket, &done, sizeof done, fd) != sizeof done ||
      done.header.kind != header.kind || done.rejection != 0) {
    throw UserError("the simulator does not reply");
  }
  return fd;
}

}  // namespace roci::sim
