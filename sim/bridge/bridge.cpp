// SPDX-License-Identifier: Apache-2.0
#include "sim/bridge/bridge.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "sim/report/files.hpp"
#include "testbench/ports/pace.hpp"
#include "testbench/ports/port_bridge.hpp"

namespace roci::sim {
namespace {

using testbench::LinkDirection;
using testbench::ports::PeerClock;

constexpr std::uint64_t kNever = LinkDirection::kNever;
constexpr std::uint64_t kLookNs = 1'000'000;  // how often the judge looks for what is due
constexpr int kUsageError = 2;

volatile sig_atomic_t ended = 0;

/// A signal ends the bridge, which then reports, instead of the program.
class EndBySignal {
 public:
  EndBySignal() {
    ended = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { ended = 1; };
    for (unsigned i = 0; i < 2; ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~EndBySignal() {
    for (unsigned i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  EndBySignal(const EndBySignal&) = delete;
  EndBySignal& operator=(const EndBySignal&) = delete;

 private:
  static constexpr int kSignals[2] = {SIGINT, SIGTERM};
  struct sigaction before_[2];
};

/// A bridge sees packets alone: what it cannot do of a script.
std::string excess_of(const faults::Rule& rule) {
  using faults::Action;
  switch (rule.action) {
    case Action::kNak:
    case Action::kUnplug:
    case Action::kKill:
    case Action::kFailMemory:
    case Action::kStopCompletions:
      return fmt::format("action '{}'", name_of(rule.action));
    default:
      return rule.needs_queue_pair() ? "a process, a program or a queue pair" : "";
  }
}

}  // namespace

Bridge::Bridge(const BridgeOptions& options)
    : options_(options),
      start_ns_(PeerClock().now_ns()),
      scripts_({kEnds, 1}, false),
      judge_(options.path) {
  scripts_.attach(*this, now_ns_);
  if (!options.rules.empty()) add_rules(options.rules);
  links_.reserve(kEnds);
  for (unsigned end = 0; end < kEnds; ++end) {
    try {
      ports_[end] = testbench::ports::make_port(options.wires.at(end), options.eal);
    } catch (const testbench::ports::PortError& error) {
      throw UserError(error.what(), kUsageError);
    }
    testbench::LinkConfig config;
    config.node = end;
    config.delay_ns = 0;
    config.script = &scripts_;
    links_.emplace_back(config).add_tap(this);
  }
  if (options.record.empty()) return;
  try {
    record_ = std::make_unique<packet::PcapngWriter>(options.record, "roci conform");
    for (unsigned end = 0; end < kEnds; ++end) record_->add_interface(name_of_end(end));
  } catch (const std::runtime_error& error) {
    throw UserError(error.what(), kUsageError);
  }
}

Bridge::~Bridge() = default;

void Bridge::add_rules(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, kUsageError);
  const std::string text(bytes.begin(), bytes.end());
  for (const faults::Rule& rule : faults::read_script(text, path, scripts_)) {
    if (const std::string excess = excess_of(rule); !excess.empty()) {
      throw UserError(fmt::format("{}:{}: a bridge sees packets alone, and cannot apply {}", path,
                                  rule.line, excess),
                      kUsageError);
    }
  }
  scripts_.add(text, path);
}

unsigned Bridge::owner(packet::Mac mac) const {
  const auto found = owners_.find(mac);
  return found == owners_.end() ? kEnds : found->second;
}

void Bridge::frame(const testbench::FrameEvent& event) {
  const packet::Bytes bytes(event.parsed.frame.data,
                            event.parsed.frame.data + event.parsed.frame.size);
  const std::size_t before = judge_.findings().size();
  judge_.sent(event.node, now_ns_, bytes);
  if (event.parsed.ok()) addresses_[event.node].insert(packet::to_string(event.parsed.src()));
  if (!record_) return;
  std::string comment = event.fault;
  for (std::size_t i = before; i < judge_.findings().size(); ++i) {
    const judge::PathFinding& one = judge_.findings()[i];
    comment += fmt::format("{}{} end, {}: {}", comment.empty() ? "" : "; ", name_of_end(one.end),
                           one.statement, one.text);
  }
  record_->write(event.node, now_ns_, bytes, comment);
}

void Bridge::pump() {
  packet::Bytes frame;
  for (unsigned end = 0; end < kEnds; ++end) {
    while (ports_[end]->receive(now_ns_, frame)) {
      owners_.emplace(packet::parse(frame).ethernet().src_mac(), end);
      links_[end].send(now_ns_, frame);
    }
  }
  for (unsigned end = 0; end < kEnds; ++end) {
    Leaving& leaving = leaving_[end];
    while (leaving.held || links_[1 - end].take_frame(now_ns_, leaving.frame)) {
      if (!leaving.held) judge_.reached(end, now_ns_, leaving.frame);
      leaving.held = !ports_[end]->send(now_ns_, leaving.frame);
      if (leaving.held) break;
    }
  }
}

void Bridge::sleep(std::uint64_t most_ns) {
  pollfd ready[kEnds];
  for (unsigned end = 0; end < kEnds; ++end) {
    ready[end] = {ports_[end]->descriptor(), POLLIN, 0};
    // Sockets do not signal when a busy receiver accepts more.
    if (ready[end].fd < 0 || leaving_[end].held) {
      most_ns = std::min(most_ns, testbench::ports::PortBridge::kAskingNs);
    }
    const std::uint64_t next = std::min(links_[end].next_ns(), ports_[end]->next_ns());
    if (next != kNever) most_ns = std::min(most_ns, next > now_ns_ ? next - now_ns_ : 0);
  }
  const timespec time{0, static_cast<long>(most_ns)};
  ppoll(ready, kEnds, &time, nullptr);
}

void Bridge::run() {
  const EndBySignal end_by_signal;
  const std::uint64_t end_ns =
      options_.seconds == 0 ? kNever : static_cast<std::uint64_t>(options_.seconds * 1e9);
  std::uint64_t looked_ns = 0;
  while (ended == 0 && now_ns_ < end_ns) {
    now_ns_ = PeerClock().now_ns() - start_ns_;
    pump();
    if (now_ns_ >= looked_ns + kLookNs) {
      judge_.look(now_ns_);
      looked_ns = now_ns_;
    }
    sleep(kLookNs);
  }
  judge_.finish(now_ns_);
  if (record_) record_->close();
}

}  // namespace roci::sim
