// SPDX-License-Identifier: Apache-2.0
#include "sim/scenarios/spread.hpp"

#include <algorithm>
#include <vector>

#include "sim/scenarios/bounds.hpp"
#include "sim/scenarios/stream.hpp"

namespace roci::sim {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Spread spread(const WorldOptions& options, unsigned seeds, bool quick) {
  std::vector<double> measured, formula, shares;
  Spread s;
  for (unsigned i = 0; i < seeds; ++i) {
    WorldOptions world = options;
    world.seed = options.seed + i;
    world.delay_ns = 1000;
    // The shortest timeout that does not expire between ACKs; a packet lost twice waits for it.
    world.timeout = 1;
    StreamPlan plan;
    plan.spare_responses = true;  // the formula is for lost data packets only
    // At a loss of 1e-4 some packets must be lost: 12,000 packets of 1 KiB.
    plan.messages = quick ? 32 : world.loss >= 0.05 ? 64 : 192;
    const StreamResult result = stream(world, plan);
    measured.push_back(result.gbps);
    formula.push_back(go_back_n_gbps(world, result.loss));
    shares.push_back(measured.back() / formula.back());
    s.clocks += result.speed.clocks;
    s.seconds += result.speed.seconds;
  }
  s.least = *std::min_element(measured.begin(), measured.end());
  s.most = *std::max_element(measured.begin(), measured.end());
  s.median = median_of(measured);
  s.formula = median_of(formula);
  s.least_share = *std::min_element(shares.begin(), shares.end());
  s.most_share = *std::max_element(shares.begin(), shares.end());
  return s;
}

}  // namespace roci::sim
