// SPDX-License-Identifier: Apache-2.0
// Files of the kernel's RDMA subsystem that programs open by name: the part of LD_PRELOAD.
//
// libibverbs, librdmacm, perftest, UCX, hwloc and scripts look for devices in
// /sys/class/infiniband* and /dev/infiniband, and for the PCI function and the network interface of
// a device beside them. Those names lead to the tree in ROCI_SYSFS (paths.hpp); the device file of
// roci0 is /dev/null, a character device that accepts no command. In simulated time /proc/cpuinfo
// shows the frequency of its cycle counter. All other names pass through.
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
#include <sys/xattr.h>
#include <unistd.h>

#include <string>

#include "driver/time/process_clock.hpp"
#include "driver/verbs/cm_device.hpp"
#include "driver/verbs/paths.hpp"

namespace {

/// `at` is the root directory: hwloc names all files relative to it.
bool is_root(int at) {
  struct stat found {
  }, root{};
  return at >= 0 && fstat(at, &found) == 0 && stat("/", &root) == 0 &&
         found.st_dev == root.st_dev && found.st_ino == root.st_ino;
}

/// A path as the program gave it, and where it leads.
class Path {
 public:
  explicit Path(const char* path, int at = AT_FDCWD) : path_(path) {
    if (path == nullptr) return;
    std::string absolute;
    if (strncmp(path, "sys/", 4) == 0 && is_root(at)) {
      absolute = std::string("/") + path;
      path = absolute.c_str();
    }
    const char* tree = getenv("ROCI_SYSFS");
    if (strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/dev/", 5) == 0) {
      other_ = roci::verbs::redirected(path, tree).value_or("");
    } else if (tree != nullptr && roci::timing::ProcessClock::get() != nullptr &&
               strcmp(path, "/proc/cpuinfo") == 0) {
      other_ = roci::verbs::cpuinfo_of(tree);
    }
    if (other_.empty()) return;
    path_ = other_.c_str();
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  operator const char*() const { return path_; }
  bool leads_elsewhere() const { return !other_.empty(); }

 private:
  const char* path_;
  std::string other_;
};

/// The same function of the C library.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What realpath() gave for `path`, under its name below /sys; never longer.
char* published(const Path& path, char* resolved) {
  if (resolved != nullptr && path.leads_elsewhere()) {
    const std::string name = roci::verbs::public_name(resolved, getenv("ROCI_SYSFS"));
    memcpy(resolved, name.c_str(), name.size() + 1);
  }
  return resolved;
}

}  // namespace

#define NEXT(name) static const auto real = next<decltype(name)>(#name)

#pragma GCC visibility push(default)
extern "C" {

// The C library declares some arguments as never null; programs pass null all the same.
#pragma GCC diagnostic ignored "-Wnonnull"

namespace cm = roci::verbs::cm;

/// Takes the mode from the variable arguments; opens the device of the connection manager here.
#define OPEN_DEVICE                         \
  va_list rest;                             \
  va_start(rest, flags);                    \
  const mode_t mode = va_arg(rest, mode_t); \
  va_end(rest);                             \
  if (cm::is_device(path)) return cm::open_device(flags);

#define OPEN(name)                             \
  int name(const char* path, int flags, ...) { \
    NEXT(name);                                \
    OPEN_DEVICE                                \
    return real(Path(path), flags, mode);      \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                   \
  int name(int at, const char* path, int flags, ...) { \
    NEXT(name);                                        \
    OPEN_DEVICE                                        \
    return real(at, Path(path, at), flags, mode);      \
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
PATH_FIRST(int, euidaccess, (const char* path, int mode), mode)
PATH_FIRST(int, eaccess, (const char* path, int mode), mode)
PATH_FIRST(int, chdir, (const char* path))
PATH_FIRST(int, stat, (const char* path, struct stat* out), out)
PATH_FIRST(int, stat64, (const char* path, struct stat64* out), out)
PATH_FIRST(int, lstat, (const char* path, struct stat* out), out)
PATH_FIRST(int, lstat64, (const char* path, struct stat64* out), out)
PATH_FIRST(ssize_t, readlink, (const char* path, char* out, size_t size), out, size)
PATH_FIRST(ssize_t, getxattr, (const char* path, const char* name, void* out, size_t size), name,
           out, size)
PATH_FIRST(ssize_t, lgetxattr, (const char* path, const char* name, void* out, size_t size), name,
           out, size)
PATH_FIRST(ssize_t, listxattr, (const char* path, char* out, size_t size), out, size)
PATH_FIRST(ssize_t, llistxattr, (const char* path, char* out, size_t size), out, size)
PATH_FIRST(int, scandir,
           (const char* path, struct dirent*** out, int (*filter)(const struct dirent*),
            int (*compare)(const struct dirent**, const struct dirent**)),
           out, filter, compare)
PATH_FIRST(int, scandir64,
           (const char* path, struct dirent64*** out, int (*filter)(const struct dirent64*),
            int (*compare)(const struct dirent64**, const struct dirent64**)),
           out, filter, compare)

#define PATH_SECOND(type, name, first, parameters, ...) \
  type name parameters {                                \
    NEXT(name);                                         \
    return real(first, __VA_ARGS__);                    \
  }
#define PATH_AT(type, name, parameters, ...) \
  PATH_SECOND(type, name, at, parameters, Path(path, at), __VA_ARGS__)
PATH_AT(int, faccessat, (int at, const char* path, int mode, int flags), mode, flags)
PATH_AT(int, fstatat, (int at, const char* path, struct stat* out, int flags), out, flags)
PATH_AT(int, fstatat64, (int at, const char* path, struct stat64* out, int flags), out, flags)
PATH_AT(int, statx, (int at, const char* path, int flags, unsigned mask, struct statx* out), flags,
        mask, out)
PATH_AT(ssize_t, readlinkat, (int at, const char* path, char* out, size_t size), out, size)

char* realpath(const char* path, char* out) {
  NEXT(realpath);
  const Path where(path);
  return published(where, real(where, out));
}

char* canonicalize_file_name(const char* path) {
  NEXT(canonicalize_file_name);
  const Path where(path);
  return published(where, real(where));
}

// What the C library's headers make of the calls above in programs built with _FORTIFY_SOURCE, and
// what they made of stat() before glibc 2.33.
char* __realpath_chk(const char* path, char* out, size_t room) {
  NEXT(__realpath_chk);
  const Path where(path);
  return published(where, real(where, out, room));
}
PATH_FIRST(ssize_t, __readlink_chk, (const char* path, char* out, size_t size, size_t room), out,
           size, room)
PATH_AT(ssize_t, __readlinkat_chk, (int at, const char* path, char* out, size_t size, size_t room),
        out, size, room)
#define OPEN_2(name)                                        \
  int name(const char* path, int flags) {                   \
    NEXT(name);                                             \
    if (cm::is_device(path)) return cm::open_device(flags); \
    return real(Path(path), flags);                         \
  }
OPEN_2(__open_2)
OPEN_2(__open64_2)
PATH_AT(int, __openat_2, (int at, const char* path, int flags), flags)
PATH_AT(int, __openat64_2, (int at, const char* path, int flags), flags)
#define PATH_OF_VERSION(name, type) \
  PATH_SECOND(int, name, version, (int version, const char* path, type* out), Path(path), out)
PATH_OF_VERSION(__xstat, struct stat)
PATH_OF_VERSION(__xstat64, struct stat64)
PATH_OF_VERSION(__lxstat, struct stat)
PATH_OF_VERSION(__lxstat64, struct stat64)
PATH_SECOND(int, __fxstatat, version,
            (int version, int at, const char* path, struct stat* out, int flags), at,
            Path(path, at), out, flags)
PATH_SECOND(int, __fxstatat64, version,
            (int version, int at, const char* path, struct stat64* out, int flags), at,
            Path(path, at), out, flags)

// A descriptor of the connection manager is a socket here.
ssize_t write(int fd, const void* bytes, size_t size) {
  NEXT(write);
  if (auto* clock = roci::timing::ProcessClock::get()) clock->sent();
  return cm::is_open(fd) ? cm::write_command(fd, bytes, size) : real(fd, bytes, size);
}

#define FSTAT(name, type)                                                         \
  int name(int fd, type* out) {                                                   \
    NEXT(name);                                                                   \
    const int result = real(fd, out);                                             \
    if (result == 0 && cm::is_open(fd)) cm::describe(out->st_mode, out->st_rdev); \
    return result;                                                                \
  }
FSTAT(fstat, struct stat)
FSTAT(fstat64, struct stat64)
#define FXSTAT(name, type)                                                        \
  int name(int version, int fd, type* out) {                                      \
    NEXT(name);                                                                   \
    const int result = real(version, fd, out);                                    \
    if (result == 0 && cm::is_open(fd)) cm::describe(out->st_mode, out->st_rdev); \
    return result;                                                                \
  }
FXSTAT(__fxstat, struct stat)
FXSTAT(__fxstat64, struct stat64)

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
