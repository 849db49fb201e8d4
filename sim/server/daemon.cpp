// SPDX-License-Identifier: Apache-2.0
#include "sim/server/daemon.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "driver/verbs/tree.hpp"
#include "sim/report/files.hpp"
#include "sim/report/timeline.hpp"
#include "sim/server/capture.hpp"
#include "sim/server/instance.hpp"
#include "sim/server/server.hpp"
#include "testbench/link/widths.hpp"

namespace roci::sim {
namespace {

constexpr char kReady = 'R', kFailed = 'E', kMisused = 'M';
constexpr int kBacklog = 64;

Descriptor listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(socket.get(), kBacklog) != 0) {
    throw UserError(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  return socket;
}

/// Raises the limit of descriptors, for many processes with many channels.
void raise_limits() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void leave_terminal(const Instance& instance) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int log =
      open(instance.log().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close(nothing);
  close(log);
}

void log_line(const std::string& text) { fmt::print(stderr, "{}\n", text); }

/// Limits the log lines of an error that may occur in every clock.
class FewLines {
 public:
  void operator()(const std::string& text) {
    constexpr unsigned kMost = 100;
    if (count_ < kMost) log_line(text);
    if (++count_ == kMost) log_line("further messages of this kind are not logged");
  }

 private:
  unsigned count_ = 0;
};

std::string trace_prefix(const std::string& file) {
  if (file.empty()) return file;
  std::filesystem::path path = std::filesystem::absolute(file);
  if (path.extension() == ".fst") path.replace_extension();
  return path.string();
}

/// Writes the files by which programs of libibverbs find the adapter.
void write_device_files(const std::string& directory, const FabricAdapter& adapter, unsigned place,
                        unsigned rate_gbps, const std::string& netdev) {
  verbs::TreeFacts facts;
  facts.place = place;
  if (!netdev.empty()) facts.netdev = netdev;
  const std::uint32_t version = adapter.limits().fw_version;
  facts.guid = verbs::guid_of_mac(adapter.mac());
  facts.fw_version = fmt::format("{}.{}.{}", version >> 16, version >> 8 & 0xFF, version & 0xFF);
  facts.rate_gbps = rate_gbps;
  for (const NodeGid& entry : adapter.gids()) facts.gids.push_back({entry.gid, entry.roce_v1});
  facts.pkeys = adapter.pkeys();
  verbs::write_tree(directory, facts);
}

/// Runs the simulator; `ready` signals the process that started it.
void serve(const UpOptions& options, const Instance& instance, Descriptor& ready) {
  raise_limits();
  const ExternalPorts external_ports(options.external_ports, options.nodes, options.host);
  std::vector<std::string> senders;  // names in a capture
  for (unsigned i = 0; i < options.nodes.adapters(); ++i)
    senders.push_back(options.nodes.name_of(i));
  for (unsigned i = 0; i < options.nodes.adapters(); ++i) {
    senders.push_back("outside of " + options.nodes.name_of(i));
  }
  if (options.external_ports.wires.empty()) senders.resize(options.nodes.adapters());
  Capture capture(options.world.pcap, senders);
  FabricConfig config;
  config.first_host = options.host;
  for (unsigned i = 0; i < options.nodes.adapters(); ++i)
    config.ports.push_back(external_ports.ports(i));
  config.nodes = options.nodes;
  config.engine = options.world.engine;
  config.firmware = options.world.firmware;
  config.width = options.world.width;
  config.rate_gbps =
      options.rate_gbps != 0 ? options.rate_gbps : testbench::link_rate_gbps(options.world.width);
  config.faults.loss = options.world.loss;
  config.faults.duplicate = options.world.duplicate;
  config.faults.reorder = options.world.reorder;
  config.faults.corrupt = options.world.corrupt;
  config.delay_ns = options.world.delay_ns;
  config.memory_ns = options.world.memory_ns;
  config.seed = options.world.seed;
  config.trace = trace_prefix(options.world.trace);

  const bool has_outside = !options.external_ports.wires.empty();
  faults::Scripts scripts(options.nodes, has_outside);
  if (!options.faults.empty()) {
    const std::vector<std::uint8_t> text = read_file(options.faults);
    scripts.add({text.begin(), text.end()}, options.faults);
  }
  config.script = &scripts;
  const auto timeline = Timeline::open(options.world.timeline);
  config.tap = timeline.get();

  ClientMemory memory;
  Fabric fabric(config, memory, FewLines());
  memory.follow(fabric.now_ns());
  for (unsigned i = 0; capture.on() && i < fabric.adapters(); ++i) {
    fabric.middle().from(i).add_tap(&capture);
    if (fabric.middle().has_external_port(i)) fabric.middle().arriving(i).add_tap(&capture);
  }
  fabric.open();
  const auto files_of = [&](unsigned i) {
    return instance.device_files(node_name(fabric.names().node_of(i)));
  };
  for (unsigned i = 0; i < fabric.adapters(); ++i) {
    write_device_files(files_of(i), fabric.adapter(i), fabric.names().place_of(i), config.rate_gbps,
                       external_ports.plan(i).netdev);
  }
  if (options.time.simulated) verbs::write_cpuinfo(files_of(0), driver::protocol::kCycleMhz);

  const nlohmann::json about = {{"name", instance.name()},
                                {"pid", getpid()},
                                {"engine", name_of(options.world.engine)},
                                {"width", options.world.width},
                                {"loss", options.world.loss},
                                {"seed", options.world.seed},
                                {"host_devices", options.host_devices},
                                {"simulated_time", options.time.simulated},
                                {"socket", instance.socket()}};
  const unsigned width = config.engine == testbench::Engine::kRtl ? options.world.width : 0;
  Server server(fabric, memory, external_ports, width, scripts, options.time,
                listen_at(instance.socket()), about, log_line);
  server.faults().set_on_memory([&](bool watched) {
    memory.set_decide(!watched ? ClientMemory::Decide()
                               : [&](const auto& access) { return scripts.access(access); });
  });
  fabric.middle().set_silence([&](unsigned adapter) { return memory.dying(adapter); });
  for (unsigned i = 0; i < fabric.adapters(); ++i) {
    server.counters().follow(i, verbs::port_directory(files_of(i), fabric.names().place_of(i)));
  }
  server.set_on_link([&](unsigned adapter, bool up) {
    try {
      verbs::write_port_state(files_of(adapter), fabric.names().place_of(adapter), up);
    } catch (const std::exception& error) {  // a full disk must not end the simulator
      log_line(error.what());
    }
  });
  if (write(ready.get(), &kReady, 1) != 1)
    throw UserError("the process that started the simulator is gone");
  ready.reset();
  server.run();
  capture.commit();
  if (timeline) timeline->commit();
}

[[noreturn]] void child(const UpOptions& options, const Instance& instance, Descriptor ready) {
  int status = 0;
  try {
    leave_terminal(instance);
    serve(options, instance, ready);
  } catch (const std::exception& error) {
    const auto* user = dynamic_cast<const UserError*>(&error);
    const char cause = user != nullptr && user->status == 2 ? kMisused : kFailed;
    const std::string text = cause + std::string(error.what());
    if (ready && write(ready.get(), text.data(), text.size()) < 0) status = 2;
    log_line(error.what());
    status = 1;
  }
  instance.remove();
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

int start_in_background(const UpOptions& options) {
  plan_external_ports(options.external_ports, options.nodes);
  const Instance instance(options.name);
  const Descriptor lock(instance.claim());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw UserError(std::strerror(errno));
  Descriptor from(ends[0]), to(ends[1]);
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) {
    instance.remove();
    throw UserError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    from.reset();
    child(options, instance, std::move(to));
  }
  to.reset();
  std::string text;
  char buffer[256];
  ssize_t got = 0;
  while ((got = read(from.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  if (text == std::string(1, kReady)) return pid;
  waitpid(pid, nullptr, 0);
  instance.remove();
  if (text.size() > 1) throw UserError(text.substr(1), text[0] == kMisused ? 2 : 1);
  throw UserError("the simulator exited before it was ready");
}

}  // namespace roci::sim
