// SPDX-License-Identifier: Apache-2.0
// Parts of `roci bench` and the table that they print.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/options.hpp"
#include "sim/report/svg.hpp"
#include "sim/scenarios/stream.hpp"

namespace roci::sim {

struct BenchOptions {
  WorldOptions world;
  std::string only;
  bool quick = false;
  unsigned largest = 65536;  ///< bytes of a message, of the part `sizes`
  unsigned seeds = 0;        ///< seeds of the spread under loss; 0: none
};

/// Prints the title and the column names of a table.
void print_header(const char* title);
/// Prints a row with `bound` in Gb/s beside the result, and returns it as JSON.
nlohmann::json print_row(const WorldOptions& world, const StreamPlan& plan,
                         const StreamResult& result, double bound);

/// Goodput against loss, and its spread over `options.seeds` seeds.
nlohmann::json bench_loss(const BenchOptions& options, Plot& plot);
nlohmann::json bench_spread(const BenchOptions& options, Plot& plot);

}  // namespace roci::sim
