// SPDX-License-Identifier: Apache-2.0
#include "driver/device/hangup.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace roci::driver {
namespace {

void watch(int socket, int stop, const std::function<void()>& report) {
  pollfd pollers[2] = {{socket, 0, 0}, {stop, POLLIN, 0}};
  for (;;) {
    if (poll(pollers, 2, -1) < 0 && errno != EINTR) return;
    if (pollers[1].revents != 0) return;
    if (pollers[0].revents != 0) return report();
  }
}

}  // namespace

Hangup::Hangup(int socket, std::function<void()> report)
    : process_(getpid()), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  // Signals are left to the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::make_unique<std::thread>(
        [socket, stop = stop_, report = std::move(report)] { watch(socket, stop, report); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(stop_);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Hangup::~Hangup() {
  if (getpid() != process_) {
    close(stop_);
    static_cast<void>(
        thread_.release());  // the thread of the parent, which a child can neither join nor detach
    return;
  }
  eventfd_write(stop_, 1);
  thread_->join();
  close(stop_);
}

}  // namespace roci::driver
