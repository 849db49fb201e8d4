// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "sim/server/fabric.hpp"

#include <algorithm>
#include <stdexcept>

namespace roci::sim {
namespace {

using testbench::kClockNs;
using testbench::kNever;

constexpr std::size_t kStackBytes = 1 << 20;
constexpr std::size_t kStepperStackBytes = 8 << 20;  // generated code runs on it
constexpr unsigned kLookClocks = 16;
constexpr unsigned kClocksOfGap = 4;  // that a gap counts as, which is passed over

std::uint64_t ns_of(const sc_core::sc_time& time) {
  static const std::uint64_t kTicks = sc_core::sc_time(1, sc_core::SC_NS).value();
  return time.value() / kTicks;
}

void spawn(const char* name, std::size_t stack, std::function<void()> body) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(static_cast<int>(stack));
  sc_core::sc_spawn(std::move(body), sc_core::sc_gen_unique_name(name), &options);
}

}  // namespace

Fabric::Fabric(const FabricConfig& config, testbench::AddressSpaces& processes,
               const FabricAdapter::OnFault& on_fault)
    : names_(config.nodes) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  testbench::LinkConfig uplink;
  uplink.bytes = config.width / 8;
  uplink.rate_gbps = config.rate_gbps;
  uplink.delay_ns = config.delay_ns;
  uplink.faults = config.faults;
  uplink.seed = config.seed;
  uplink.script = config.script;
  switch_ = std::make_unique<Switch>(adapters(), uplink);
  for (unsigned i = 0; i < adapters(); ++i) {
    std::string name = names_.name_of(i);
    std::replace(name.begin(), name.end(), '/', '-');  // modules and files have such names
    testbench::NicConfig nic;
    nic.axi.bytes = config.width / 8;
    nic.axi.latency_ns = config.memory_ns;
    nic.axi.seed = config.seed * adapters() + i;
    nic.observed = config.tap != nullptr;
    if (!config.trace.empty()) nic.trace = config.trace + "." + name + ".fst";
    adapters_.push_back(std::make_unique<FabricAdapter>(
        sc_core::sc_module_name(name.c_str()), i,
        AdapterAddress{config.first_host + names_.node_of(i), names_.place_of(i)}, config.engine,
        config.width, config.firmware, nic, switch_->from(i), switch_->to(i), processes, on_fault,
        config.tap));
    switch_->set_mac(i, adapters_[i]->mac());
    lines_.emplace_back();
    if (i < config.ports.size()) connect(i, config.ports[i]);
  }
  if (config.tap != nullptr) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < adapters(); ++i) {
      names.push_back(names_.name_of(i));
      switch_->from(i).add_tap(config.tap);
    }
    config.tap->begin(names, uplink.rate_gbps);
  }
  spawn("stepper", kStepperStackBytes, [this] { step(); });
  for (auto& adapter : adapters_) {
    spawn("firmware", kStackBytes, [&adapter] { adapter->run_firmware(); });
    spawn("jobs", kStackBytes, [&adapter] { adapter->run_jobs(); });
    spawn("events", kStackBytes, [&adapter] { adapter->run_events(); });
  }
}

Fabric::~Fabric() {
  for (auto& adapter : adapters_) adapter->abandon();
}

void Fabric::connect(unsigned adapter, const testbench::ports::NodePorts& ports) {
  if (ports.port == nullptr && ports.tap == nullptr) return;
  switch_->add_external_port(adapter);
  lines_[adapter] = std::make_unique<testbench::ports::PortBridge>(
      ports, switch_->leaving(adapter), switch_->arriving(adapter),
      [this, adapter](const packet::Bytes& frame) {
        adapters_[adapter]->nic().send_ethernet(frame);
      });
  adapters_[adapter]->join(lines_[adapter].get());
}

void Fabric::pump() {
  for (const auto& line : lines_) {
    if (line) line->pump(now_);
  }
}

void Fabric::open() { sc_core::sc_start(); }

void Fabric::run(Surroundings& surroundings) {
  surroundings_ = &surroundings;
  sc_core::sc_start();
}

void Fabric::submit(unsigned adapter, FabricAdapter::Job job) {
  woken_.push_back(&adapters_[adapter]->submit(std::move(job)));
}

/// Runs clocks until a thread has work at the time reached, and runs that thread.
void Fabric::step() {
  for (;;) {
    const std::uint64_t synced = ns_of(sc_core::sc_time_stamp());
    const std::uint64_t pending = ns_of(sc_core::sc_time_to_pending_activity());
    const std::uint64_t limit = pending > kNever - synced ? kNever : synced + pending;
    const std::uint64_t reached = advance(limit);
    if (reached > synced) {
      sc_core::wait(sc_core::sc_time(static_cast<double>(reached - synced), sc_core::SC_NS));
    }
    for (sc_core::sc_event* event : woken_) event->notify(sc_core::SC_ZERO_TIME);
    woken_.clear();
    const bool up = surroundings_ != nullptr || std::all_of(adapters_.begin(), adapters_.end(),
                                                            [](auto& n) { return n->ready(); });
    if (stop_ || (up && surroundings_ == nullptr)) {
      stop_ = false;
      sc_core::sc_pause();
    }
    sc_core::wait(sc_core::SC_ZERO_TIME);
  }
}

/// Evaluates edges before `limit` until one wakes a thread; returns the time reached.
std::uint64_t Fabric::advance(std::uint64_t limit) {
  while (now_ < limit) {
    if (stop_) return now_;
    if (surroundings_ != nullptr && (--until_look_ == 0 || now_ >= surroundings_->look_at_ns)) {
      until_look_ = kLookClocks;
      surroundings_->look(now_);
      pump();
      if (stop_ || !woken_.empty()) return now_;
    }
    const std::uint64_t edge = now_;
    switch_->forward(edge);
    bool evaluated = false;
    std::uint64_t next = std::min(limit, switch_->next_ns());
    for (auto& adapter : adapters_) {
      const std::uint64_t at = adapter->nic().wakes_at();
      if (at > edge) {
        next = std::min(next, at);
        continue;
      }
      evaluated = true;
      adapter->edge_ns = edge;
      adapter->nic().clock(edge);
      adapter->collect_woken(woken_);
    }
    if (evaluated) {
      ++clocks_;
      now_ += kClockNs;
      if (!woken_.empty()) return edge;
      continue;
    }
    if (surroundings_ != nullptr) {
      for (const auto& line : lines_) {
        if (line) next = std::min(next, line->next_ns());
      }
      next = std::max(next, edge);
      if (next - edge > surroundings_->near_ns) {
        next = surroundings_->rest(edge, next);
        until_look_ = 1;
      } else {
        until_look_ = until_look_ > kClocksOfGap ? until_look_ - kClocksOfGap : 1;
      }
    }
    if (next == kNever) throw std::logic_error("nothing can happen any more");
    now_ = std::max(edge + kClockNs, (next + kClockNs - 1) / kClockNs * kClockNs);
    if (!woken_.empty()) return std::min(now_, limit);
  }
  return limit;
}

}  // namespace roci::sim
