// SPDX-License-Identifier: Apache-2.0
// roci devices: the adapters of a simulation, as their driver sees them.
#include <fmt/format.h>

#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/report/files.hpp"
#include "sim/scenarios/transfer.hpp"
#include "testbench/link/widths.hpp"

namespace roci::sim {
namespace {

/// As ibv_devinfo prints it: IPv4-mapped GIDs as IPv4 addresses.
std::string text_of(const driver::Gid& gid) {
  bool mapped = gid[10] == 0xFF && gid[11] == 0xFF;
  for (int i = 0; i < 10; ++i) mapped = mapped && gid[i] == 0;
  if (mapped) return fmt::format("::ffff:{}.{}.{}.{}", gid[12], gid[13], gid[14], gid[15]);
  std::string text;
  for (int i = 0; i < 16; i += 2) {
    text += fmt::format("{}{:x}", i == 0 ? "" : ":", gid[i] << 8 | gid[i + 1]);
  }
  return text;
}

int run(const WorldOptions& options, const std::string& json_path) {
  std::unique_ptr<OutputFile> json;
  if (!json_path.empty()) json = std::make_unique<OutputFile>(json_path);
  testbench::World world(config_of(options));
  struct Row {
    driver::PortStatus port;
    driver::DeviceLimits limits;
    std::vector<std::string> gids;
  };
  Row rows[2];
  world.run([&](testbench::Node& node) {
    Row& row = rows[node.index()];
    row.port = node.context().query_port();
    row.limits = node.context().limits();
    for (unsigned i = 0; i < row.limits.max_gid; ++i) {
      const driver::Gid gid = node.context().query_gid(i);
      if (gid != driver::Gid{}) row.gids.push_back(text_of(gid));
    }
  });
  nlohmann::json all = nlohmann::json::array();
  fmt::print("{:<6} {:<8} {:<8} {:>5} {:>9} {:<5} {:>4} {:>4} {}\n", "name", "driver", "state",
             "MTU", "speed", "node", "QPs", "MRs", "GIDs");
  for (unsigned n = 0; n < 2; ++n) {
    const Row& row = rows[n];
    const unsigned mtu = 128u << row.port.active_mtu;
    const unsigned speed = testbench::link_rate_gbps(options.width);
    const char* state = row.port.active ? "ACTIVE" : "DOWN";
    fmt::print("{:<6} {:<8} {:<8} {:>5} {:>4} Gb/s {:<5} {:>4} {:>4} {}\n", "roci0", "roci", state,
               mtu, speed, fmt::format("n{}", n), row.limits.max_qp, row.limits.max_mr,
               fmt::join(row.gids, " "));
    all.push_back({{"name", "roci0"},
                   {"driver", "roci"},
                   {"state", state},
                   {"mtu", mtu},
                   {"speed_gbps", speed},
                   {"node", fmt::format("n{}", n)},
                   {"max_qp", row.limits.max_qp},
                   {"max_mr", row.limits.max_mr},
                   {"gids", row.gids}});
  }
  if (json) {
    json->write(all.dump(2) + "\n");
    json->commit();
  }
  return 0;
}

}  // namespace

void add_devices(Command program, Action& action) {
  auto options = std::make_shared<WorldOptions>();
  const Command command = program.add_command("devices", "list the adapters of a simulation");
  add_width(command, options->width);
  command.add_option("--json", options->json, "write the results as JSON").type_name("FILE");
  command.callback(
      [options, &action] { action = [options] { return run(*options, options->json); }; });
}

}  // namespace roci::sim
