// SPDX-License-Identifier: Apache-2.0
#include "sim/server/process_threads.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "driver/device/clock.hpp"
#include "sim/server/descriptor.hpp"

namespace roci::sim {
namespace {

constexpr nlink_t kLinksOfNone = 2;  // links of a folder of tasks without any

/// A file of a thread as a text that ends with 0; empty: the thread has ended.
template <std::size_t Size>
bool read_file(int tasks, const char* thread, const char* name, char (&text)[Size]) {
  char path[NAME_MAX + 16];
  std::snprintf(path, sizeof path, "%s/%s", thread, name);
  const Descriptor file(openat(tasks, path, O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? read(file.get(), text, Size - 1) : 0;
  text[got > 0 ? got : 0] = 0;
  return got > 0;
}

}  // namespace

ProcessThreads::ProcessThreads(pid_t pid)
    : tasks_(opendir(("/proc/" + std::to_string(pid) + "/task").c_str())) {
  clock_getcpuclockid(pid, &clock_);
}

unsigned ProcessThreads::count() const {
  struct stat found {};
  if (!tasks_ || fstat(dirfd(tasks_.get()), &found) != 0 || found.st_nlink < kLinksOfNone) return 0;
  return static_cast<unsigned>(found.st_nlink - kLinksOfNone);
}

ProcessThreads::Picture ProcessThreads::look() const {
  Picture picture;
  if (!tasks_) return picture;
  rewinddir(tasks_.get());
  while (const dirent* entry = readdir(tasks_.get())) {
    if (entry->d_name[0] == '.') continue;
    char text[512];
    // "pid (name) state ...": the name may contain anything.
    if (!read_file(dirfd(tasks_.get()), entry->d_name, "stat", text)) continue;
    const char* name_end = std::strrchr(text, ')');
    const char state = name_end != nullptr && name_end[1] == ' ' ? name_end[2] : 'R';
    if (std::strchr("SIZX", state) == nullptr) picture.asleep = false;
    // "run time, waiting time, times it was given a processor"
    char counts[128];
    if (!read_file(dirfd(tasks_.get()), entry->d_name, "schedstat", counts)) continue;
    if (const char* last = std::strrchr(counts, ' ')) {
      picture.runs += std::strtoull(last, nullptr, 10);
    }
  }
  return picture;
}

std::uint64_t ProcessThreads::cpu_ns() const {
  timespec used{};
  if (clock_gettime(clock_, &used) != 0) return 0;
  return driver::ns_of(used);
}

}  // namespace roci::sim
