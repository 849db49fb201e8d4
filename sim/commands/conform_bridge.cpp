// SPDX-License-Identifier: Apache-2.0
#include "sim/commands/conform_bridge.hpp"

#include "sim/options.hpp"

namespace roci::sim {

void add_bridge(Command command, BridgeOptions& options) {
  const Option bridge = command.add_option(
      "--bridge", options.wires,
      "carry frames between two foreign adapters, and judge both: two ports as of --wire");
  bridge.type_name("KIND:ARGUMENTS");
  command
      .add_option("--rules", options.rules,
                  "faults on the way, as of docs/live_faults.md: n0 is the adapter at the first "
                  "port, n1 that at the second")
      .type_name("F.toml")
      .needs(bridge);
  command
      .add_option("--record", options.record,
                  "capture (pcapng) with faults and findings as comments of the packets")
      .type_name("FILE")
      .needs(bridge);
  command.add_option("--seconds", options.seconds, "end after this time, and not at Ctrl-C")
      .range(0.0, 1e6)
      .type_name("N")
      .needs(bridge);
  command
      .add_option("--timeout", options.path.timeout,
                  "code of the transport timer of the connections; 0: timers are not judged")
      .range(0u, 31u)
      .type_name("CODE")
      .needs(bridge);
  command.add_option("--retries", options.path.retries, "retry count of the connections")
      .range(0u, 7u)
      .type_name("N")
      .show_default()
      .needs(bridge);
  command
      .add_parsed(
          "--jitter",
          [&options](const std::string& text) { options.path.jitter_ns = parse_duration(text); },
          "from the bridge to an adapter and back, with all delays of the hosts [60ms]")
      .type_name("T")
      .needs(bridge);
  for (const char* other :
       {"--engine", "--firmware", "--width", "--seed", "--id", "--long", "--list", "--docs",
        "--target", "--junit", "--html", "--failures", "--baseline", "--compare", "--pcap"}) {
    bridge.excludes(command.option(other));
  }
}

}  // namespace roci::sim
