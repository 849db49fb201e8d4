// SPDX-License-Identifier: Apache-2.0
// roci top: a live view of adapters and queue pairs of a simulator in the background.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "sim/commands/commands.hpp"
#include "sim/server/instance.hpp"
#include "sim/server/status.hpp"

namespace roci::sim {
namespace {

constexpr const char* kClear = "\033[H\033[2J";  // moves to the corner and clears the screen

struct TopOptions {
  std::string name = "default";
  double interval = 1;
  unsigned times = 0;
};

std::uint64_t count(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? 0 : found->get<std::uint64_t>();
}

/// Counts by their names, those of the view before, and the simulated time between the two.
class Rates {
 public:
  /// Begins a view.
  void begin(std::uint64_t now_ns) {
    last_.swap(now_);
    now_.clear();
    const auto real = std::chrono::steady_clock::now();
    real_seconds_ = std::chrono::duration<double>(real - last_real_).count();
    last_real_ = real;
    elapsed_ns_ = last_ns_ == 0 ? 0 : now_ns - last_ns_;
    last_ns_ = now_ns;
  }
  double seconds() const { return static_cast<double>(elapsed_ns_) / 1e9; }
  /// Simulated time by real time.
  double pace() const { return seconds() / real_seconds_; }
  /// The growth of a count in a second of simulated time.
  double per_second(const std::string& key, std::uint64_t value) {
    now_[key] = value;
    const auto before = last_.find(key);
    if (before == last_.end() || elapsed_ns_ == 0 || value < before->second) return 0;
    return static_cast<double>(value - before->second) / seconds();
  }

 private:
  std::map<std::string, std::uint64_t> now_, last_;
  std::uint64_t last_ns_ = 0, elapsed_ns_ = 0;
  std::chrono::steady_clock::time_point last_real_{};
  double real_seconds_ = 1;
};

std::uint64_t sum_of(const nlohmann::json& object) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : object.items()) sum += value.get<std::uint64_t>();
  return sum;
}

std::string adapters_text(const nlohmann::json& all, Rates& rates) {
  constexpr double kBitsPerGbit = 1e9 / 8;
  std::string text =
      fmt::format("{:<10} {:<4} {:>12} {:>12} {:>8} {:>8} {:>8} {:>8}\n", "ADAPTER", "LINK",
                  "FRAMES-IN", "FRAMES-OUT", "GBIT-IN", "GBIT-OUT", "LOST", "DROPPED");
  for (const auto& node : all["nodes"]) {
    const auto name = node["name"].get<std::string>();
    const auto& port = node["port"];
    const bool known = !port.is_null();  // an adapter that failed reports nothing
    const auto rate = [&](const char* bytes) {
      return known ? rates.per_second(name + bytes, count(port, bytes)) / kBitsPerGbit : 0;
    };
    text += fmt::format("{:<10} {:<4} {:>12} {:>12} {:>8.2f} {:>8.2f} {:>8} {:>8}\n", name,
                        node["link"]["up"].get<bool>() ? "up" : "down",
                        known ? count(port, "rx_frames") : 0, known ? count(port, "tx_frames") : 0,
                        rate("rx_bytes"), rate("tx_bytes"), count(node["link"], "lost"),
                        known ? sum_of(port["drops"]) : 0);
  }
  return text;
}

std::string queue_pairs_text(const nlohmann::json& all, Rates& rates) {
  std::string text = fmt::format(
      "{:<10} {:>5} {:>5} {:<5} {:>7} {:<16} {:>10} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8}\n",
      "ADAPTER", "QP", "PEER", "STATE", "PID", "PROGRAM", "OUT", "IN", "OUT/MS", "RETRIES",
      "TIMEOUTS", "NAKS-OUT", "NAKS-IN");
  for (const auto& node : all["nodes"]) {
    const auto name = node["name"].get<std::string>();
    for (const auto& pair : node["queue_pairs"]) {
      const auto& counts = pair["counters"];
      const auto number = [&](const char* key) {
        return counts.is_null() ? 0 : count(counts, key);
      };
      const std::string key =
          fmt::format("{} {} {}", name, count(pair, "number"), count(pair, "pid"));
      text += fmt::format(
          "{:<10} {:>5} {:>5} {:<5} {:>7} {:<16.16} {:>10} {:>10} {:>8.1f} {:>8} {:>8} {:>8} "
          "{:>8}\n",
          name, count(pair, "number"), count(pair, "peer"), pair["state"].get<std::string>(),
          count(pair, "pid"), pair["program"].get<std::string>(), number("tx_packets"),
          number("rx_packets"), rates.per_second(key, number("tx_packets")) / 1e3,
          number("retries"), number("timeouts"), number("naks_sent"), number("naks_received"));
    }
  }
  return text;
}

std::string faults_text(const nlohmann::json& all) {
  std::string text;
  for (const auto& fault : all["faults"]) {
    text += fmt::format("fault {} ({}): {} packets matched, {} hit\n", count(fault, "number"),
                        fault["action"].get<std::string>(), count(fault, "matched"),
                        count(fault, "fired"));
  }
  return text;
}

int run(const TopOptions& options) {
  const Instance instance(options.name);
  const bool screen = isatty(STDOUT_FILENO) != 0;
  Rates rates;
  for (unsigned i = 0;; ++i) {
    const nlohmann::json all = status_of(instance, true);
    const auto now_ns = count(all, "simulated_ns");
    rates.begin(now_ns);
    const std::string pace =
        rates.seconds() > 0 ? fmt::format(", {:.3f} of real time", rates.pace()) : "";
    fmt::print("{}{}: engine {}, {:.6f} s simulated{}\n{}\n{}{}", screen ? kClear : "",
               all["name"].get<std::string>(), all["engine"].get<std::string>(),
               static_cast<double>(now_ns) / 1e9, pace, adapters_text(all, rates),
               queue_pairs_text(all, rates), faults_text(all));
    std::fflush(stdout);
    if (i + 1 == options.times) return 0;
    if (!screen) fmt::print("\n");
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
  }
}

}  // namespace

void add_top(Command program, Action& action) {
  auto options = std::make_shared<TopOptions>();
  const Command command = program.add_command(
      "top", "show adapters and queue pairs of a simulator in the background, again and again");
  add_instance_name(command, options->name);
  command.add_option("--interval", options->interval, "seconds between two views")
      .range(0.05, 3600.0)
      .type_name("S")
      .show_default();
  command.add_option("--times", options->times, "number of views; 0: until it is interrupted")
      .type_name("N")
      .show_default();
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
