// SPDX-License-Identifier: Apache-2.0
// Files of the kernel's RDMA subsystem that programs open by name: the part of LD_PRELOAD.
//
// libibverbs, librdmacm, perftest and UCX look for devices in /sys/class/infiniband* and
// /dev/infiniband. Names below those two classes lead to the tree in ROCI_SYSFS, which also links
// to the devices that the host has; the device file of roci0 is /dev/null, a character device that
// knows no command. Everything else passes through.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace {

constexpr char kClass[] = "/sys/class/infiniband";
constexpr char kDeviceFile[] = "/dev/infiniband/uverbs_roci0";

/// A path as the program gave it, and where it leads.
class Path {
 public:
  explicit Path(const char* path) : path_(path) {
    if (path == nullptr || path[0] != '/') return;
    if (strcmp(path, kDeviceFile) == 0) {
      path_ = "/dev/null";
      return;
    }
    if (strncmp(path, kClass, sizeof kClass - 1) != 0) return;
    const char* tree = getenv("ROCI_SYSFS");
    if (tree == nullptr) return;
    other_ = std::string(tree) + (path + strlen("/sys"));
    path_ = other_.c_str();
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  operator const char*() const { return path_; }

 private:
  const char* path_;
  std::string other_;
};

/// The same function of the C library.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define NEXT(name) static const auto real = next<decltype(name)>(#name)

#pragma GCC visibility push(default)
extern "C" {

// The C library declares some arguments as never null; programs pass null all the same.
#pragma GCC diagnostic ignored "-Wnonnull"

#define OPEN(name)                             \
  int name(const char* path, int flags, ...) { \
    NEXT(name);                                \
    va_list rest;                              \
    va_start(rest, flags);                     \
    const mode_t mode = va_arg(rest, mode_t);  \
    va_end(rest);                              \
    return real(Path(path), flags, mode);      \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                   \
  int name(int at, const char* path, int flags, ...) { \
    NEXT(name);                                        \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    const mode_t mode = va_arg(rest, mode_t);          \
    va_end(rest);                                      \
    return real(at, Path(path), flags, mode);          \
  }
OPENAT(openat)
OPENAT(openat64)

#define PATH_FIRST(type, name, parameters, ...) \
  type name parameters {                        \
    NEXT(name);                                 \
    return real(Path(path), ##__VA_ARGS__);     \
  }
PATH_FIRST(FILE*, fopen, (const char* path, const char* mode), mode)
PATH_FIRST(FILE*, fopen64, (const char* path, const char* mode), mode)
PATH_FIRST(DIR*, opendir, (const char* path))
PATH_FIRST(int, access, (const char* path, int mode), mode)
PATH_FIRST(int, stat, (const char* path, struct stat* out), out)
PATH_FIRST(int, stat64, (const char* path, struct stat64* out), out)
PATH_FIRST(int, lstat, (const char* path, struct stat* out), out)
PATH_FIRST(int, lstat64, (const char* path, struct stat64* out), out)
PATH_FIRST(ssize_t, readlink, (const char* path, char* out, size_t size), out, size)
PATH_FIRST(char*, realpath, (const char* path, char* out), out)

#define PATH_SECOND(type, name, parameters, ...) \
  type name parameters {                         \
    NEXT(name);                                  \
    return real(at, Path(path), ##__VA_ARGS__);  \
  }
PATH_SECOND(int, faccessat, (int at, const char* path, int mode, int flags), mode, flags)
PATH_SECOND(int, fstatat, (int at, const char* path, struct stat* out, int flags), out, flags)
PATH_SECOND(int, fstatat64, (int at, const char* path, struct stat64* out, int flags), out, flags)
PATH_SECOND(int, statx, (int at, const char* path, int flags, unsigned mask, struct statx* out),
            flags, mask, out)
PATH_SECOND(ssize_t, readlinkat, (int at, const char* path, char* out, size_t size), out, size)

/// Without RDMA netlink libibverbs lists the devices of sysfs, ours among them.
int socket(int domain, int type, int protocol) {
  NEXT(socket);
  if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
    errno = EPROTONOSUPPORT;
    return -1;
  }
  return real(domain, type, protocol);
}

}  // extern "C"
#pragma GCC visibility pop
