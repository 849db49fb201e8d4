// SPDX-License-Identifier: Apache-2.0
#include "sim/peer/attach.hpp"

#include <fmt/format.h>

#include "sim/report/files.hpp"
#include "testbench/ports/neighbours.hpp"

namespace roci::sim {
namespace {

constexpr std::uint64_t kAskNs = 50'000'000;
constexpr unsigned kAsks = 60;

}  // namespace

void add_pace_options(Command command, std::string& eal, double& pace, std::string& clock,
                      unsigned& host) {
  command.add_option("--eal", eal, "arguments of the EAL of DPDK, instead of the default ones")
      .type_name("WORDS");
  command
      .add_option("--pace", pace,
                  "upper limit of simulated time per time of the other end on an external port; 0: "
                  "none")
      .range(0.0, 1000.0)
      .type_name("F")
      .show_default();
  command
      .add_option("--clock", clock,
                  "file with the time of the other end, itself a simulation: 8 bytes, ns [real "
                  "time]")
      .type_name("FILE");
  command
      .add_option(
          "--host", host,
          "last byte of the (first) node's addresses 10.0.0.N, fd00::N and 52:54:00:00:00:N")
      .range(1, 254)
      .type_name("N")
      .show_default();
}

void add_wire_options(Command command, WireOptions& options) {
  command
      .add_option("--wire", options.wire,
                  "external port of the node: dgram:LOCAL,REMOTE (one frame per datagram, as "
                  "QEMU's -netdev dgram), pcap:IN[,OUT], dpdk:DEVARGS")
      .type_name("WIRE");
  command
      .add_option("--netdev", options.netdev,
                  "TAP interface that joins the host's IP stack to the node's Ethernet path")
      .type_name("NAME");
  add_pace_options(command, options.eal, options.pace, options.clock, options.host);
}

Attachment::Attachment(const WireOptions& options) : options_(options) {
  using namespace testbench;
  try {
    port_ = ports::make_port(options.wire, options.eal);
    if (!options.clock.empty()) clock_ = ports::PeerClock(options.clock);
    if (!options.netdev.empty()) {
      tap_ = ports::make_tap(options.netdev, kNodeMac + options.host - 1);
    }
  } catch (const ports::PortError& error) {
    throw UserError(error.what());
  }
}

void Attachment::apply(testbench::Config& config) const {
  config.alone = true;
  config.first_host = options_.host;
  config.node_ports = {port_.get(), tap_.get(), options_.pace, clock_};
  config.delay_ns = 0;  // the wire has its own
  config.time_limit_ns = ~std::uint64_t{0};
}

std::uint64_t Attachment::resolve(testbench::Node& node, const driver::Gid& gid) const {
  if (tap_ == nullptr) return 0;
  for (unsigned i = 0; i < kAsks; ++i) {
    if (const auto mac = testbench::ports::neighbour_mac(options_.netdev, gid)) return *mac;
    testbench::ports::resolve_neighbour(options_.netdev, gid);
    node.sleep(kAskNs);
  }
  throw UserError(
      fmt::format("the host finds no neighbour for the peer's address on {}; has the "
                  "interface an address of that network?",
                  options_.netdev));
}

}  // namespace roci::sim
