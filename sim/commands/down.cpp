// roci down: ends a simulator in the background.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "driver/device/protocol.hpp"
#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/instance.hpp"

namespace roci::sim {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kStep{5};
constexpr milliseconds kPatience{5000};

bool wait_until_free(const Instance& instance) {
  for (milliseconds waited{0}; waited < kPatience; waited += kStep) {
    if (instance.free()) return true;
    std::this_thread::sleep_for(kStep);
  }
  return false;
}

int run(const std::string& name) {
  const Instance instance(name);
  const Descriptor socket(instance.connect());
  ucred peer{};
  socklen_t bytes = sizeof peer;
  getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
  try {
    const timeval patience{std::chrono::seconds(kPatience.count() / 1000).count(), 0};
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ask(socket.get(), static_cast<unsigned>(driver::protocol::Kind::kShutdown));
  } catch (const UserError&) {
    kill(peer.pid, SIGKILL);  // it does not answer: it hangs
  }
  if (!wait_until_free(instance)) {
    kill(peer.pid, SIGKILL);
    if (!wait_until_free(instance)) {
      throw UserError(fmt::format("process {} does not end", peer.pid));
    }
  }
  instance.remove();
  fmt::print("{} is down\n", name);
  return 0;
}

}  // namespace

void add_down(CLI::App& app, Action& action) {
  auto name = std::make_shared<std::string>("default");
  CLI::App* command = app.add_subcommand("down", "end a simulator in the background");
  add_instance_name(*command, *name);
  command->callback([name, &action] { action = [name] { return run(*name); }; });
}

}  // namespace roci::sim
