// SPDX-License-Identifier: Apache-2.0
#include "testbench/world.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "testbench/link/widths.hpp"
#include "testbench/lockstep/repeat.hpp"
#include "testbench/world_impl.hpp"

namespace roci::testbench {
namespace {

constexpr std::size_t kStackBytes = 1 << 20;
constexpr std::size_t kStepperStackBytes = 8 << 20;  // generated code runs on it
constexpr unsigned kOverflow = layout::number(layout::DropCause::kOverflow);

void spawn(const char* name, std::size_t stack, std::function<void()> body) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(static_cast<int>(stack));
  sc_core::sc_spawn(std::move(body), sc_core::sc_gen_unique_name(name), &options);
}

}  // namespace

Simulation::Simulation() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_curr_simcontext = new sc_core::sc_simcontext();
  sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
}

World::Impl::Impl(Config c) : config(std::move(c)) {
  if (config.lockstep) {
    number = lockstep::next_world();
    const auto& retrace = lockstep::retrace();
    if (retrace && retrace->world == number) {
      config.trace = retrace->path;
      config.trace_from_ns = retrace->from_ns;
    }
  }
  if (config.rate_gbps == 0) config.rate_gbps = link_rate_gbps(config.width);
  for (unsigned i = 0; i < 2; ++i) {
    LinkConfig link;
    link.node = i;
    link.bytes = config.width / 8;
    link.rate_gbps = config.rate_gbps;
    link.delay_ns = config.delay_ns;
    link.seed = config.seed * 1000003 + i;
    link.faults = config.faults[i];
    links[i] = std::make_unique<LinkDirection>(link);
  }
  for (unsigned i = 0; i < (config.alone ? 1 : 2); ++i) {
    nodes.push_back(std::make_unique<NodeModule>(
        sc_core::sc_module_name(i == 0 ? "n0" : "n1"), i, config, *links[i], *links[1 - i],
        [this](const std::string& text) { violate(text); },
        [this](const std::string& text) { diverge(text); }));
  }
  if (config.lockstep) {
    link_log = std::make_unique<LinkLog>([this](const FrameEvent& event) {
      if (Shadow* shadow = nodes[event.node]->shadow()) {
        shadow->frame_sent(now, event.parsed);
      }
    });
    for (auto& link : links) link->add_tap(link_log.get());
  }
  if (config.alone && config.node_ports.port != nullptr) {
    bridge = std::make_unique<ports::PortBridge>(
        config.node_ports, *links[0], *links[1],
        [this](const packet::Bytes& frame) { nodes[0]->send_ethernet(frame); });
    nodes[0]->join(bridge.get());
  } else if (config.alone) {
    links[0]->faults().blackouts.push_back({0, kNever});  // no receiver takes frames from it
    links[0]->add_tap(&frame_sent);
  } else {
    egress = std::make_unique<EgressMonitor>(nodes[0]->work, nodes[1]->work,
                                             [this](const std::string& text) { violate(text); });
    for (auto& link : links) link->add_tap(egress.get());
  }
  if (config.tap != nullptr) {
    std::vector<std::string> names;
    for (const auto& node : nodes) names.emplace_back(node->basename());
    config.tap->begin(names, config.rate_gbps);
    for (auto& link : links) link->add_tap(config.tap);
  }
  spawn("stepper", kStepperStackBytes, [this] { stepper(); });
  for (auto& node : nodes) {
    spawn("firmware", kStackBytes, [this, &node] { firmware(*node); });
  }
}

void World::Impl::violate(const std::string& text) {
  constexpr std::size_t kMost = 100;
  if (violations.size() < kMost) {
    violations.push_back("at " + std::to_string(now) + " ns: " + text);
  }
}

void World::Impl::diverge(const std::string& text) {
  const char* folder = std::getenv("ROCI_LOCKSTEP_DIR");
  const std::string path = (folder == nullptr ? std::string(".") : std::string(folder)) +
                           "/lockstep-" + std::to_string(config.seed);
  link_log->write(path + ".pcapng");
  const std::string all = text + "\n  seed " + std::to_string(config.seed) + "; frames in " + path +
                          ".pcapng; " + waveforms(path, text);
  violate(all);
  if (config.strict) fail(all);
}

std::string World::Impl::waveforms(const std::string& path, const std::string& text) {
  constexpr std::uint64_t kBefore = 100'000;
  if (!config.trace.empty()) {
    for (auto& node : nodes) node->nic().close_trace();
    if (lockstep::retrace()) lockstep::repeated(text);
    return "waveforms in " + config.trace + ".n*.fst";
  }
  if (lockstep::retrace()) return "no waveforms: this is a repetition";
  const lockstep::Retrace retrace{number, now > kBefore ? now - kBefore : 0, path};
  if (has_nic(config.width, true)) return lockstep::repeat(retrace, text);
  return "no waveforms: this build has no adapter " + std::to_string(config.width) +
         "_traced (ROCI_NICS); with it: " + lockstep::command(retrace);
}

void World::Impl::fail(const std::string& text) {
  if (!failure) failure = std::make_exception_ptr(Violation(text));
  stop = true;
}

void World::Impl::run(const std::vector<Task>& tasks) {
  if (broken) throw Violation("the world has failed before");
  perform(tasks);
  for (auto& node : nodes) {
    for (const std::string& text : node->memory().check_guards()) violate("I6: " + text);
  }
  if (!broken) check_counters();
  // An exception of a program may be the consequence of a violation that a monitor reported.
  const std::exception_ptr failed = std::exchange(failure, nullptr);
  if (config.strict && !violations.empty()) throw Violation(violations.front());
  if (failed) std::rethrow_exception(failed);
}

bool World::Impl::links_empty() const {
  for (const auto& node : nodes) {
    if (node->nic().wakes_at() == 0) return false;
  }
  return links[0]->empty() && links[1]->empty();
}

void World::Impl::check_counters() {
  const auto frames = [&] { return links[0]->counts().frames + links[1]->counts().frames; };
  std::uint64_t seen = frames();
  if (seen == frames_checked) return;
  const std::uint64_t settle_ns = 1000 + 2 * config.delay_ns + 4 * config.memory_ns;
  bool silent = false;
  PortCounterValues counters[2];
  perform({{0, [&](Node& node) {
              node.sleep(settle_ns);
              silent = links_empty();
              for (auto& each : nodes) {
                if (silent && each->shadow() != nullptr) each->shadow()->finish(now);
              }
              seen = frames();
              for (unsigned i = 0; silent && i < nodes.size(); ++i) {
                counters[i] = nodes[i]->port_counters();
              }
            }}});
  // A timer may have sent a packet meanwhile.
  if (broken || !silent || frames() != seen) return;
  if (!links[0]->empty() || !links[1]->empty()) return;
  frames_checked = seen;
  ++counter_checks;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    const auto wrong = check_port_counters(counters[i], links[i]->counts(), links[1 - i]->counts());
    for (const std::string& text : wrong) violate("node " + std::to_string(i) + ": " + text);
    const Shadow* shadow = nodes[i]->shadow();
    if (shadow != nullptr && shadow->counts().full > counters[i][kOverflow]) {
      violate("lock-step: node " + std::to_string(i) + " sent " +
              std::to_string(shadow->counts().full) +
              " NAKs for gaps that the model did not have, and its buffer was full " +
              std::to_string(counters[i][kOverflow]) + " times");
    }
  }
}

void World::Impl::perform(const std::vector<Task>& tasks) {
  running = static_cast<unsigned>(tasks.size());
  now = std::max(now, ns_of(sc_core::sc_time_stamp()));
  now = (now + kClockNs - 1) / kClockNs * kClockNs;
  for (const Task& task : tasks) {
    spawn("program", kStackBytes, [this, task] {
      try {
        task.program(*nodes[task.node]);
      } catch (const sc_core::sc_unwind_exception&) {
        throw;
      } catch (...) {
        if (!failure) failure = std::current_exception();
        stop = true;
      }
      --running;
    });
  }
  const std::clock_t before = std::clock();
  sc_core::sc_start();
  seconds += static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  if (running != 0) broken = true;
}

void World::Impl::on_each(void (NodeModule::*step)()) {
  std::vector<Task> tasks;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    tasks.push_back({i, [this, i, step](Node&) { (*nodes[i].*step)(); }});
  }
  run(tasks);
}

World::World(const Config& config) : impl_(std::make_unique<Impl>(config)) {}

World::~World() {
  if (impl_->opened && !impl_->broken) {
    try {
      impl_->violations.clear();
      impl_->on_each(&NodeModule::close);
    } catch (const std::exception&) {  // run() has thrown the first error
    }
  }
  for (auto& node : impl_->nodes) node->abandon();
}

void World::run(const std::vector<Task>& tasks) {
  if (!impl_->opened) {
    impl_->opened = true;
    impl_->on_each(&NodeModule::open);
  }
  impl_->run(tasks);
}

const Config& World::config() const { return impl_->config; }
Node& World::node(unsigned index) { return *impl_->nodes[index]; }
LinkDirection& World::link(unsigned from) { return *impl_->links[from]; }
EgressMonitor& World::egress() { return *impl_->egress; }
WorkMonitor& World::work(unsigned node) { return impl_->nodes[node]->work; }
std::uint64_t World::counter_checks() const { return impl_->counter_checks; }
std::uint64_t World::now_ns() const { return impl_->now; }
void World::add_tap(FrameTap* tap) {
  for (auto& link : impl_->links) link->add_tap(tap);
}
void World::on_tick(std::uint64_t clocks, std::function<void(std::uint64_t)> tick) {
  impl_->tick_clocks = clocks;
  impl_->next_tick = impl_->clocks + clocks;
  impl_->tick = std::move(tick);
}
Shadow::Counts World::lockstep() const {
  Shadow::Counts sum;
  for (const auto& node : impl_->nodes) {
    if (node->shadow() != nullptr) sum += node->shadow()->counts();
  }
  return sum;
}
const std::vector<std::string>& World::violations() const { return impl_->violations; }
World::Speed World::speed() const { return {impl_->clocks, impl_->skipped, impl_->seconds}; }

}  // namespace roci::testbench

// SystemC's library requests it; programs here have a main of their own and start SystemC by World.
int sc_main(int, char**) { return 1; }
