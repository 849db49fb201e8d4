// SPDX-License-Identifier: Apache-2.0
#include "sim/time_options.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <stdexcept>

#include "sim/options.hpp"

namespace roci::sim {
namespace {

/// "doorbell=200ns,post=40ns,poll=15ns".
void parse_costs(const std::string& text, TimeOptions& options) {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::map<std::string, std::uint64_t*> costs = {
        {"doorbell", &options.doorbell_ns}, {"post", &options.post_ns}, {"poll", &options.poll_ns}};
    const std::size_t sign = word.find('=');
    const auto cost = costs.find(word.substr(0, sign));
    if (sign == std::string::npos || cost == costs.end()) {
      throw std::invalid_argument(fmt::format("'{}' is none of doorbell=T, post=T, poll=T", word));
    }
    *cost->second = parse_duration(word.substr(sign + 1));
  }
}

}  // namespace

void add_time_options(Command command, TimeOptions& options) {
  command
      .add_parsed(
          "--time",
          [&options](const std::string& word) {
            if (word != "real" && word != "simulated") {
              throw std::invalid_argument(fmt::format("'{}' is neither real nor simulated", word));
            }
            options.simulated = word == "simulated";
          },
          "which clock programs see: docs/simulated_time.md [real]")
      .type_name("CLOCK");
  command
      .add_parsed(
          "--cpu", [&options](const std::string& text) { parse_costs(text, options); },
          "simulated time that a doorbell takes to the adapter, and that calls cost a program: a "
          "post, a poll that finds completions [doorbell=0,post=0,poll=0]")
      .type_name("NAME=T,...")
      .needs(command.option("--time"));
  command
      .add_parsed(
          "--grace",
          [&options](const std::string& text) { options.grace_ns = parse_duration(text); },
          "processor time after which a program that makes no calls is taken to look at its memory "
          "in a loop [2ms]")
      .type_name("T")
      .needs(command.option("--time"));
}

}  // namespace roci::sim
