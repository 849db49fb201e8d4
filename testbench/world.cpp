#include "testbench/world.hpp"

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <systemc>

#include "testbench/firmware/management.hpp"
#include "testbench/host/memory.hpp"
#include "testbench/host/waiters.hpp"
#include "testbench/lockstep/wire_log.hpp"
#include "testbench/nic/nic.hpp"
#include "testbench/scoreboard/counters.hpp"

namespace roci::testbench {
namespace {

constexpr std::uint32_t kPasid = 0x00101;            // of node 0; node 1 has the next
constexpr std::uint64_t kFirstAddress = 1ull << 40;  // of node 0; node 1 at twice that
constexpr std::uint32_t kIpv4 = 0x0A000000;          // 10.0.0.0, and the host
constexpr std::size_t kStackBytes = 1 << 20;
constexpr std::size_t kStepperStackBytes = 8 << 20;  // generated code runs on it
constexpr unsigned kOverflow = spec::code_of(spec::kDropCauses, "Overflow");
constexpr std::uint64_t kWatchdogNs = 1'000'000;

std::uint64_t ns_of(const sc_core::sc_time& time) {
  static const std::uint64_t kTicks = sc_core::sc_time(1, sc_core::SC_NS).value();
  return time.value() / kTicks;
}
driver::Gid gid_of_ipv6(unsigned host) {
  driver::Gid gid{};
  gid[0] = 0xFD;
  gid[15] = static_cast<std::uint8_t>(host);
  return gid;
}

/// SystemC keeps one simulation; this makes it a new one.
struct Simulation {
  Simulation() {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext();
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
  }
};

}  // namespace

/// The host side of one node.
class NodeModule final : public sc_core::sc_module,
                         public Node,
                         public driver::Device,
                         public NicListener {
 public:
  NodeModule(sc_core::sc_module_name name, unsigned index, const Config& config, Channel& egress,
             Channel& ingress, Report report, Report lockstep)
      : sc_module(name),
        port("port"),
        work(basename(), report),
        index_(index),
        config_(config),
        report_(std::move(report)),
        memory_("memory", kFirstAddress << index, config.seed + index) {
    NicConfig nic;
    nic.axi.bytes = config.width / 8;
    nic.axi.latency_ns = config.memory_ns;
    nic.axi.out_of_order = config.out_of_order;
    nic.axi.stall = config.stall;
    nic.axi.seed = config.seed * 2 + index;
    if (!config.trace.empty()) nic.trace = config.trace + "." + basename() + ".fst";
    nic.trace_from_ns = config.trace_from_ns;
    nic.trace_to_ns = config.trace_to_ns;
    nic_ = make_nic(config.engines[index], config.width, "nic", nic, egress, ingress, *this);
    if (config.lockstep && config.engines[index] == Engine::kRtl) {
      shadow_ = std::make_unique<Shadow>(
          basename(),
          [this](std::uint32_t space, std::uint64_t address, std::uint8_t* to, std::size_t bytes) {
            return memory_.peek(space, address, to, bytes);
          },
          std::move(lockstep));
    }
    port.bind(nic_->registers);
    nic_->memory.bind(memory_.socket);
    management_ = std::make_unique<Management>(
        mac(), [this](bool write, std::uint32_t offset, std::uint32_t value) {
          return access(write, offset, value, sc_core::SC_ZERO_TIME);
        });
  }

  /// Reads the counters of the port, as the management processor would.
  PortCounterValues port_counters() {
    constexpr std::uint32_t kSelect = driver::register_offset("CounterSelect");
    constexpr std::uint32_t kLow = driver::register_offset("CounterLo");
    constexpr std::uint32_t kHigh = driver::register_offset("CounterHi");
    PortCounterValues values{};
    for (unsigned i = 0; i < values.size(); ++i) {
      access(true, kSelect, i, sc_core::SC_ZERO_TIME);
      const std::uint64_t low = access(false, kLow, 0, sc_core::SC_ZERO_TIME);
      values[i] = low | std::uint64_t{access(false, kHigh, 0, sc_core::SC_ZERO_TIME)} << 32;
    }
    return values;
  }

  Nic& nic() { return *nic_; }
  Shadow* shadow() { return shadow_.get(); }
  Management& management() { return *management_; }
  HostMemory& memory() { return memory_; }

  // Node
  unsigned index() const override { return index_; }
  driver::Device& device() override { return *this; }
  driver::Context& context() override { return *context_; }
  driver::Gid gid() const override { return config_.ipv6 ? gid_of_ipv6(host()) : ipv4(); }
  std::uint64_t mac() const override { return kNodeMac + host() - 1; }
  void send_ethernet(const packet::Bytes& frame) override { nic_->send_ethernet(frame); }
  const std::vector<packet::Bytes>& received_ethernet() const override { return ethernet_; }
  void poison(std::uint64_t address, std::size_t bytes) override { memory_.poison(address, bytes); }
  bool interrupt() const override { return nic_->interrupt(); }
  Counts counts() const override {
    const AxiHost::Counts& dma = nic_->dma();
    return {nic_->clocks(),  dma.reads,      dma.read_bytes,  dma.writes,
            dma.write_bytes, dma.most_reads, dma.most_writes, work.completions()};
  }

  Moments moments() const override { return nic_->moments(); }

  // driver::Device
  std::uint32_t read32(std::uint32_t offset) override {
    const std::uint32_t value = access(false, offset, 0, time_of(config_.register_ns));
    if (config_.register_ns != 0) sc_core::wait(time_of(config_.register_ns));
    return value;
  }
  void write32(std::uint32_t offset, std::uint32_t value) override {
    access(true, offset, value, time_of(config_.register_ns));
  }
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override {
    return memory_.allocate(pasid(), bytes, alignment);
  }
  void release(const driver::DmaMemory& memory) override { memory_.release(pasid(), memory); }
  std::uint32_t pasid() const override { return kPasid + index_; }
  std::uint64_t now_ns() const override { return ns_of(sc_core::sc_time_stamp()); }
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override {
    return waiters_.wait(ready, timeout_ns);
  }
  void wake() override { waiters_.wake(); }

  /// After an edge that wrote host memory: threads whose condition holds now.
  void collect_woken(std::vector<sc_core::sc_event*>& woken) { waiters_.collect(woken); }
  void memory_changed() {
    if (shadow_) shadow_->memory_changed();
  }

  // NicListener
  void memory_written(std::uint64_t address, const std::uint8_t* host, unsigned bytes) override {
    work.memory_written(edge_ns, address, host, bytes);
    if (shadow_) shadow_->memory_written(edge_ns, address, host, bytes);
  }
  void register_written(std::uint32_t offset, std::uint32_t value) override {
    if (shadow_) shadow_->register_written(edge_ns, offset, value);
  }
  void frame_received(const packet::Bytes& frame) override {
    if (shadow_) shadow_->frame_received(edge_ns, frame);
  }
  void bus_fault(const std::string& text) override {
    report_("I6: " + std::string(basename()) + ": " + text);
  }
  void ethernet_frame(const packet::Bytes& frame) override {
    constexpr std::size_t kMost = 4096;  // a real wire brings them for ever
    if (line_ != nullptr && line_->from_ethernet(edge_ns, frame)) return;
    if (line_ == nullptr || ethernet_.size() < kMost) ethernet_.push_back(frame);
  }
  void join(wire::Line* line) { line_ = line; }

  void open() {
    driver::ContextOptions options;
    options.host_resolves = config_.ends.tap != nullptr;
    context_ = std::make_unique<driver::Context>(*this, options);
    context_->set_observer(&work);
    context_->set_gid(0, gid(), config_.vlan);
    context_->set_gid(1, config_.ipv6 ? ipv4() : gid_of_ipv6(host()), config_.vlan);
  }
  void close() { context_.reset(); }
  /// After a run that was cut short: nobody can talk to the adapter any more.
  void abandon() { static_cast<void>(context_.release()); }

  tlm_utils::simple_initiator_socket<NodeModule> port;
  WorkMonitor work;
  std::uint64_t edge_ns = 0;
  sc_core::sc_event firmware_wakes;
  bool firmware_sleeps = false;

 private:
  unsigned host() const { return config_.first_host + index_; }
  driver::Gid ipv4() const { return driver::gid_of_ipv4(kIpv4 + host()); }
  std::uint32_t access(bool write, std::uint32_t offset, std::uint32_t value,
                       sc_core::sc_time delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    port->b_transport(payload, delay);
    return value;
  }

  unsigned index_;
  const Config& config_;
  Report report_;
  HostMemory memory_;
  std::unique_ptr<Shadow> shadow_;
  std::unique_ptr<Nic> nic_;
  std::unique_ptr<Management> management_;
  std::unique_ptr<driver::Context> context_;
  Waiters waiters_;
  std::vector<packet::Bytes> ethernet_;
  wire::Line* line_ = nullptr;
};

struct World::Impl {
  explicit Impl(const Config& c) : config(c) {
    if (config.rate_gbps == 0) config.rate_gbps = config.width == 64 ? 10 : 100;
    for (unsigned i = 0; i < 2; ++i) {
      ChannelConfig channel;
      channel.node = i;
      channel.bytes = config.width / 8;
      channel.rate_gbps = config.rate_gbps;
      channel.delay_ns = config.delay_ns;
      channel.seed = config.seed * 1000003 + i;
      channel.faults = config.faults[i];
      channels[i] = std::make_unique<Channel>(channel);
    }
    for (unsigned i = 0; i < (config.alone ? 1 : 2); ++i) {
      nodes.push_back(std::make_unique<NodeModule>(
          sc_core::sc_module_name(i == 0 ? "n0" : "n1"), i, config, *channels[i], *channels[1 - i],
          [this](const std::string& text) { violate(text); },
          [this](const std::string& text) { diverge(text); }));
    }
    if (config.lockstep) {
      wire_log = std::make_unique<WireLog>([this](const FrameEvent& event) {
        if (Shadow* shadow = nodes[event.node]->shadow()) {
          shadow->frame_sent(now, event.parsed);
        }
      });
      for (auto& channel : channels) channel->add_tap(wire_log.get());
    }
    if (config.alone && config.ends.port != nullptr) {
      line = std::make_unique<wire::Line>(
          config.ends, *channels[0], *channels[1],
          [this](const packet::Bytes& frame) { nodes[0]->send_ethernet(frame); });
      nodes[0]->join(line.get());
    } else if (config.alone) {
      channels[0]->faults().blackouts.push_back({0, kNever});  // nobody takes frames out of it
      channels[0]->add_tap(&frame_sent);
    } else {
      egress = std::make_unique<EgressMonitor>(nodes[0]->work, nodes[1]->work,
                                               [this](const std::string& text) { violate(text); });
      for (auto& channel : channels) channel->add_tap(egress.get());
    }
    spawn("stepper", kStepperStackBytes, [this] { stepper(); });
    for (auto& node : nodes) {
      spawn("firmware", kStackBytes, [this, &node] { firmware(*node); });
    }
  }

  static void spawn(const char* name, std::size_t stack, std::function<void()> body) {
    sc_core::sc_spawn_options options;
    options.set_stack_size(static_cast<int>(stack));
    sc_core::sc_spawn(std::move(body), sc_core::sc_gen_unique_name(name), &options);
  }

  void violate(const std::string& text) {
    constexpr std::size_t kMost = 100;
    if (violations.size() < kMost) {
      violations.push_back("at " + std::to_string(now) + " ns: " + text);
    }
  }

  /// Lock-step found a difference: all that is needed to look into it, and the end of the run.
  void diverge(const std::string& text) {
    const char* folder = std::getenv("ROCI_LOCKSTEP_DIR");
    const std::string path = (folder == nullptr ? std::string(".") : std::string(folder)) +
                             "/lockstep-" + std::to_string(config.seed) + ".pcapng";
    const std::string all = text + "\n  seed " + std::to_string(config.seed) + "; wire in " + path;
    wire_log->write(path);
    violate(all);
    if (config.strict) fail(all);
  }

  void fail(const std::string& text) {
    if (!failure) failure = std::make_exception_ptr(Violation(text));
    stop = true;
  }

  /// Runs clocks until a thread has something to do at the time reached, and lets it.
  void stepper() {
    for (;;) {
      const std::uint64_t synced = ns_of(sc_core::sc_time_stamp());
      const std::uint64_t pending = ns_of(sc_core::sc_time_to_pending_activity());
      const std::uint64_t limit = pending > kNever - synced ? kNever : synced + pending;
      const std::uint64_t reached = advance(limit);
      if (reached > synced) sc_core::wait(time_of(reached - synced));
      for (sc_core::sc_event* event : woken) event->notify(sc_core::SC_ZERO_TIME);
      woken.clear();
      if (stop || running == 0) {
        stop = false;
        sc_core::sc_pause();
      }
      sc_core::wait(sc_core::SC_ZERO_TIME);
    }
  }

  /// Evaluates edges before `limit` until one wakes a thread; the time up to which all is done.
  std::uint64_t advance(std::uint64_t limit) {
    while (now < limit) {
      if (stop || running == 0) return std::min(now, limit);
      if (line) line->pump_sometimes(now);
      bool evaluated = false;
      std::uint64_t next = limit;
      for (auto& node : nodes) {
        const std::uint64_t at = node->nic().wakes_at();
        if (at > now) {
          next = std::min(next, at);
          continue;
        }
        evaluated = true;
        node->edge_ns = now;
        node->nic().clock(now);
        const bool wrote = node->nic().memory_changed();
        if (wrote) node->memory_changed();
        if (wrote || std::exchange(frame_sent.seen, false)) {
          node->collect_woken(woken);
        }
        auto& accesses = node->nic().woken();
        if (!accesses.empty()) {
          woken.insert(woken.end(), accesses.begin(), accesses.end());
          accesses.clear();
        }
        if (node->nic().attention() && node->firmware_sleeps) {
          node->firmware_sleeps = false;
          woken.push_back(&node->firmware_wakes);
        }
      }
      const std::uint64_t edge = now;
      if (evaluated) {
        ++clocks;
        now += kClockNs;
        if (clocks >= next_tick) {
          next_tick += tick_clocks;
          if (tick) tick(now);
        }
      } else if (line) {
        leap(*line, next);
      } else if (next == kNever) {
        fail(describe_stall());
        return edge;
      } else {
        const std::uint64_t to =
            std::max(now + kClockNs, (next + kClockNs - 1) / kClockNs * kClockNs);
        skipped += to - now;
        now = to;
      }
      if (now >= next_watch) watch();
      if (!woken.empty()) return edge;
    }
    return limit;
  }

  /// As far towards `next` as someone in real time allows, and no further than the next frame.
  void leap(wire::Line& line, std::uint64_t next) {
    line.pump(now);
    next = std::min({next, nodes[0]->nic().wakes_at(), line.next_ns()});
    if (next == kNever && !line.live()) return fail(describe_stall());
    const std::uint64_t reached = next <= now ? now + kClockNs : line.wait(now, next);
    const std::uint64_t to = (reached + kClockNs - 1) / kClockNs * kClockNs;
    skipped += to - now;
    now = to;
    line.pump(now);
  }

  void watch() {
    next_watch = now + kWatchdogNs;
    if (!config.alone) watch_progress();
    if (config.strict && !violations.empty()) fail(violations.front());
    if (now > config.time_limit_ns) fail("simulated time is over its limit");
  }

  void watch_progress() {
    const std::uint64_t slack =
        1'000'000 + 4 * config.delay_ns + 8 * config.memory_ns + 2 * config.register_ns;
    for (unsigned i = 0; i < 2; ++i) {
      nodes[i]->work.check_progress(now, slack, nodes[1 - i]->work.rnr_ns());
    }
  }

  std::string describe_stall() const {
    std::string text = "I11: nothing can happen any more, but programs wait";
    for (const auto& node : nodes) {
      text += "; " + std::string(node->basename()) + " has completed " +
              std::to_string(node->work.completions());
    }
    return text;
  }

  /// The management processor of a node.
  void firmware(NodeModule& node) {
    for (;;) {
      const std::uint64_t again = node.management().run();
      if (node.nic().attention()) {
        // What it did is not in the adapter yet; or a command waits for an address.
        constexpr std::uint64_t kPollNs = 1000;
        sc_core::wait(time_of(node.management().idle() ? kPollNs : kClockNs));
        continue;
      }
      node.firmware_sleeps = true;
      if (again == kNever) {
        sc_core::wait(node.firmware_wakes);
      } else {
        const std::uint64_t now_ns = node.now_ns();
        sc_core::wait(time_of(again > now_ns ? again - now_ns : kClockNs), node.firmware_wakes);
      }
      node.firmware_sleeps = false;
    }
  }

  void run(const std::vector<Task>& tasks) {
    if (broken) throw Violation("the world has failed before");
    perform(tasks);
    for (auto& node : nodes) {
      for (const std::string& text : node->memory().check_guards()) violate("I6: " + text);
    }
    if (!broken) check_counters();
    // What a program stumbled over may be the consequence of what a monitor saw.
    const std::exception_ptr failed = std::exchange(failure, nullptr);
    if (config.strict && !violations.empty()) throw Violation(violations.front());
    if (failed) std::rethrow_exception(failed);
  }

  /// Nothing is on the wire, nor about to be.
  bool wire_empty() const {
    for (const auto& node : nodes) {
      if (node->nic().wakes_at() == 0) return false;
    }
    return channels[0]->empty() && channels[1]->empty();
  }

  /// I13, when there were frames since the last time and the wire falls silent soon.
  void check_counters() {
    const auto frames = [&] { return channels[0]->counts().frames + channels[1]->counts().frames; };
    std::uint64_t seen = frames();
    if (seen == frames_checked) return;
    const std::uint64_t settle_ns = 1000 + 2 * config.delay_ns + 4 * config.memory_ns;
    bool silent = false;
    PortCounterValues counters[2];
    perform({{0, [&](Node& node) {
                node.sleep(settle_ns);
                silent = wire_empty();
                for (auto& each : nodes) {
                  if (silent && each->shadow() != nullptr) each->shadow()->finish(now);
                }
                seen = frames();
                for (unsigned i = 0; silent && i < nodes.size(); ++i) {
                  counters[i] = nodes[i]->port_counters();
                }
              }}});
    // A timer may have sent something meanwhile.
    if (broken || !silent || frames() != seen) return;
    if (!channels[0]->empty() || !channels[1]->empty()) return;
    frames_checked = seen;
    ++counter_checks;
    for (unsigned i = 0; i < nodes.size(); ++i) {
      const auto wrong =
          check_port_counters(counters[i], channels[i]->counts(), channels[1 - i]->counts());
      for (const std::string& text : wrong) violate("node " + std::to_string(i) + ": " + text);
      const Shadow* shadow = nodes[i]->shadow();
      if (shadow != nullptr && shadow->counts().full > counters[i][kOverflow]) {
        violate("lock-step: node " + std::to_string(i) + " sent " +
                std::to_string(shadow->counts().full) +
                " NAKs for gaps that the model had not, and its buffer was full " +
                std::to_string(counters[i][kOverflow]) + " times");
      }
    }
  }

  void perform(const std::vector<Task>& tasks) {
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

  /// The same on all nodes.
  void on_each(void (NodeModule::*step)()) {
    std::vector<Task> tasks;
    for (unsigned i = 0; i < nodes.size(); ++i) {
      tasks.push_back({i, [this, i, step](Node&) { (*nodes[i].*step)(); }});
    }
    run(tasks);
  }

  /// Notes that a frame of node 0 entered the wire, for programs that wait for one.
  struct FrameSent final : FrameTap {
    void frame(const FrameEvent&) override { seen = true; }
    bool seen = false;
  };

  Simulation simulation;
  Config config;
  FrameSent frame_sent;
  std::unique_ptr<Channel> channels[2];
  std::vector<std::unique_ptr<NodeModule>> nodes;
  std::unique_ptr<wire::Line> line;  ///< to the real world
  std::unique_ptr<EgressMonitor> egress;
  std::unique_ptr<WireLog> wire_log;
  std::vector<std::string> violations;

  std::uint64_t now = 0;  ///< next edge
  std::uint64_t clocks = 0, skipped = 0;
  std::uint64_t counter_checks = 0, frames_checked = 0;
  std::uint64_t next_watch = kWatchdogNs;
  std::uint64_t tick_clocks = kNever, next_tick = kNever;
  std::function<void(std::uint64_t)> tick;
  std::vector<sc_core::sc_event*> woken;
  unsigned running = 0;
  bool stop = false;
  bool broken = false;  ///< programs were left half way
  bool opened = false;
  double seconds = 0;
  std::exception_ptr failure;
};

World::World(const Config& config) : impl_(std::make_unique<Impl>(config)) {}

World::~World() {
  if (impl_->opened && !impl_->broken) {
    try {
      impl_->violations.clear();
      impl_->on_each(&NodeModule::close);
    } catch (const std::exception&) {  // what matters was thrown by run()
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
Channel& World::channel(unsigned from) { return *impl_->channels[from]; }
EgressMonitor& World::egress() { return *impl_->egress; }
WorkMonitor& World::work(unsigned node) { return impl_->nodes[node]->work; }
std::uint64_t World::counter_checks() const { return impl_->counter_checks; }
std::uint64_t World::now_ns() const { return impl_->now; }
void World::add_tap(FrameTap* tap) {
  for (auto& channel : impl_->channels) channel->add_tap(tap);
}
void World::on_tick(std::uint64_t clocks, std::function<void(std::uint64_t)> tick) {
  impl_->tick_clocks = clocks;
  impl_->next_tick = impl_->clocks + clocks;
  impl_->tick = std::move(tick);
}
Shadow::Counts World::lockstep() const {
  Shadow::Counts sum;
  for (const auto& node : impl_->nodes) {
    if (node->shadow() == nullptr) continue;
    const Shadow::Counts& counts = node->shadow()->counts();
    sum.requests += counts.requests;
    sum.responses += counts.responses;
    sum.completions += counts.completions;
    sum.writes += counts.writes;
    sum.late += counts.late;
    sum.left_out += counts.left_out;
  }
  return sum;
}
const std::vector<std::string>& World::violations() const { return impl_->violations; }
World::Speed World::speed() const { return {impl_->clocks, impl_->skipped, impl_->seconds}; }

}  // namespace roci::testbench

// SystemC's library asks for it; programs here have a main of their own and start SystemC by World.
int sc_main(int, char**) { return 1; }
