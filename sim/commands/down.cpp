// SPDX-License-Identifier: Apache-2.0
// roci down: ends a simulator in the background.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "driver/device/protocol.hpp"
#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/faults_of.hpp"
#include "sim/server/instance.hpp"

namespace roci::sim {
namespace {

constexpr int kPatienceMs = 5000;
// A killed process ends when the kernel gets to it, which takes long on a machine that is
// overloaded.
constexpr int kKilledMs = 60000;

/// Waits for the end of the process.
bool ends(const Descriptor& process, int milliseconds) {
  pollfd poller{process.get(), POLLIN, 0};
  return poll(&poller, 1, milliseconds) == 1;
}

int run(const std::string& name) {
  const Instance instance(name);
  const Descriptor socket(instance.connect());
  ucred peer{};
  socklen_t bytes = sizeof peer;
  getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
  if (!process) throw UserError(fmt::format("process {}: {}", peer.pid, std::strerror(errno)));
  const timeval patience{kPatienceMs / 1000, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  bool reachable = true;
  nlohmann::json faults = nlohmann::json::array();
  try {
    faults = faults_of(socket);
    exchange(socket.get(), static_cast<unsigned>(driver::protocol::Kind::kShutdown));
  } catch (const UserError&) {
    reachable = false;
  }
  if (!reachable || !ends(process, kPatienceMs)) {
    kill(peer.pid, SIGKILL);  // it hangs
    if (!ends(process, kKilledMs))
      throw UserError(fmt::format("process {} does not exit", peer.pid));
  }
  instance.remove();
  print_silent_faults(faults);
  fmt::print("{} is down\n", name);
  return 0;
}

}  // namespace

void add_down(Command program, Action& action) {
  auto name = std::make_shared<std::string>("default");
  const Command command = program.add_command("down", "end a simulator in the background");
  add_instance_name(command, *name);
  command.callback([name, &action] { action = [name] { return run(*name); }; });
}

}  // namespace roci::sim
