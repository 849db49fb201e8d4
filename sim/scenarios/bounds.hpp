// SPDX-License-Identifier: Apache-2.0
// Bounds of a link with go-back-N, for comparison with measurements.
#pragma once

#include "sim/options.hpp"
#include "testbench/link/widths.hpp"

namespace roci::sim {

/// Bytes of a packet on the link beside its payload: preamble 8, Ethernet 14, IP 20 or 40, UDP 8,
/// BTH 12, ICRC 4, FCS 4, gap 12.
inline double overhead(const WorldOptions& options) { return options.ipv6 ? 102 : 82; }
inline double rate_gbps(const WorldOptions& options) {
  return testbench::link_rate_gbps(options.width);
}

/// Goodput of full packets, the share of the link rate that is payload.
inline double bound_gbps(const WorldOptions& options) {
  return rate_gbps(options) * options.mtu / (options.mtu + overhead(options));
}
/// Go-back-N: (1-p)/(1+pW), W the packets sent between a loss and the first retransmission.
inline double go_back_n(double p, double window) { return (1 - p) / (1 + p * window); }

/// Goodput of go-back-N when the share `p` of data packets is lost.
inline double go_back_n_gbps(const WorldOptions& world, double p) {
  const double packet_ns = (world.mtu + overhead(world)) * 8 / rate_gbps(world);
  // A retransmitted packet is read from host memory again, work request and payload.
  const double repair_ns =
      2.0 * static_cast<double>(world.delay_ns) + 2 * 2.0 * static_cast<double>(world.memory_ns);
  return bound_gbps(world) * go_back_n(p, repair_ns / packet_ns);
}

}  // namespace roci::sim
