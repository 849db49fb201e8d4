// SPDX-License-Identifier: Apache-2.0
// Time, memory and news of a foreign adapter.
#include "testbench/verify/conform/target/device.hpp"

#include <algorithm>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::conform {
namespace {

/// Names come from the host of the agent and go into reports.
char printable(std::uint8_t byte) {
  return byte >= ' ' && byte <= '~' ? static_cast<char>(byte) : '?';
}

/// Events in the order in which the agent reports them.
class Events final : public driver::EventQueue {
 public:
  explicit Events(TargetDevice& device) : device_(device) {}
  std::optional<driver::Event> poll() override {
    if (device_.events().empty()) return {};
    const driver::Event event = device_.events().front();
    device_.events().pop_front();
    return event;
  }
  std::optional<driver::Event> wait(std::uint64_t timeout_ns) override {
    device_.wait([this] { return !device_.events().empty(); }, timeout_ns);
    return poll();
  }
  bool overflowed() override { return false; }

 private:
  TargetDevice& device_;
};

}  // namespace

TargetDevice::TargetDevice(Agent& agent, Wire& wire, const Timing& timing)
    : agent_(agent), wire_(wire), timing_(timing) {
  const AgentReply reply = agent_.request(kAgentHello, {kAgentVersion});
  if (reply.error != 0) throw TargetLost("the agent cannot query its device");
  hello_.version = reply.word(0);
  if (hello_.version != kAgentVersion) {
    throw TargetLost("the agent is of version " + std::to_string(hello_.version) +
                     " and this program of version " + std::to_string(kAgentVersion) +
                     ": build the agent from the same sources");
  }
  hello_ = reply.part<agent_hello>();
  for (const std::uint8_t byte : reply.bytes) text_ += printable(byte);
  constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 32;
  if (hello_.memory_bytes == 0 || hello_.memory_bytes > kMostMemory) {
    throw TargetLost("the agent has no memory for the tests");
  }
  memory_ = std::make_unique<Mirror>(hello_.memory, hello_.memory_bytes, agent_.memory());
  constexpr std::uint64_t kLinkLocal = 0xFE80;
  for (const bool ipv4 : {true, false}) {
    for (std::uint64_t i = 0; i < hello_.gids; ++i) {
      const auto one = reply.part<agent_gid>((sizeof(agent_hello) + i * sizeof(agent_gid)) /
                                             sizeof(std::uint64_t));
      const driver::Gid gid = driver::gid_of_halves(one.high, one.low);
      if (one.v2 == 0 || packet::is_ipv4(gid) != ipv4 || one.high >> 48 == kLinkLocal) continue;
      gids_.push_back(gid);
      gid_indices_.push_back(one.index);
      break;
    }
    if (gids_.empty()) throw TargetLost("the device of the agent has no GID of RoCE v2 over IPv4");
  }
}

std::unique_ptr<driver::EventQueue> TargetDevice::open_events() {
  return std::make_unique<Events>(*this);
}

driver::DmaMemory TargetDevice::allocate(std::size_t bytes, std::size_t alignment) {
  return memory_->allocate(bytes, alignment);
}

void TargetDevice::release(const driver::DmaMemory& memory) { memory_->release(memory); }

void TargetDevice::push() {
  memory_->push([this](std::uint64_t address, const std::uint8_t* data, std::size_t count) {
    agent_.request(kAgentWrite, {address}, data, count);
  });
}

void TargetDevice::settle() {
  push();
  // A doorbell may be on its way when its function returns. A command takes longer, in firmware or
  // kernel, and devices look at their doorbells in between.
  if (posted_ && !pairs_.empty()) {
    agent_.request(kAgentQueryQp, {pairs_.begin()->second.handle});
    wire_.wait(timing_.settle_ns);
  }
  posted_ = false;
}

/// One completion of each queue of which the test has few to take. The driver reports what it took
/// when that is a quarter of the ring.
TargetDevice::Words TargetDevice::kept() const {
  Words words = {1};
  for (const auto& [number, ring] : cqs_) {
    if (ring.producer - ring.consumer >= (1u << ring.log) / 4) words.push_back(ring.handle);
  }
  return words;
}

void TargetDevice::exchange_news() {
  wire_.pump();
  push();
  for (agent_news news{.completions = 0, .events = 0, .runs = 0, .more = 1}; news.more != 0;) {
    const AgentReply reply = agent_.request(kAgentPoll, keep_ ? kept() : Words());
    news = reply.part<agent_news>();
    std::size_t at = sizeof news / sizeof(std::uint64_t), byte = 0;
    const auto next = [&](auto* part) {
      *part = reply.part<std::decay_t<decltype(*part)>>(at);
      at += sizeof *part / sizeof(std::uint64_t);
    };
    for (std::uint64_t i = 0; i < news.completions; ++i) {
      agent_completion completion;
      next(&completion);
      add_completion(completion);
    }
    for (std::uint64_t i = 0; i < news.events; ++i) {
      agent_event event;
      next(&event);
      add_event(event);
    }
    for (std::uint64_t i = 0; i < news.runs; ++i) {
      agent_run run;
      next(&run);
      if (run.bytes > reply.bytes.size() - byte) throw TargetLost("the agent reports half a run");
      memory_->pull(run.address, reply.bytes.data() + byte, run.bytes);
      byte += run.bytes;
    }
  }
}

void TargetDevice::add_completion(const agent_completion& completion) {
  const auto found = cqs_.find(number_of_cq(completion.cq));
  // A completion of a queue pair that was destroyed is none for its program.
  if (found == cqs_.end() || pairs_.count(static_cast<std::uint32_t>(completion.qpn)) == 0) return;
  CompletionRing& ring = found->second;
  if (ring.producer - ring.consumer == 1u << ring.log) {
    throw NotTestable("the agent empties completion queues at once: they do not overflow");
  }
  namespace cqe = layout::cqe;
  constexpr std::uint64_t kReceive = std::uint64_t{1} << 16;  // in wr_id, above the index
  std::uint8_t* to =
      memory_->host(ring.base) + (ring.producer & ((1u << ring.log) - 1)) * cqe::kBytes;
  const bool owner = (ring.producer >> ring.log & 1) == 0;
  std::fill(to, to + cqe::kBytes, std::uint8_t{0});
  // An unsuccessful completion has no valid opcode: the request has the queue.
  const bool receive = (completion.wr_id & kReceive) != 0;
  const bool good = completion.status == 0;
  layout::put(to, cqe::wqe_index, completion.wr_id & 0xFFFF);
  layout::put(to, cqe::status, completion.status);
  layout::put(to, cqe::opcode, good ? completion.opcode : receive ? 128 : 0);
  layout::put(to, cqe::byte_len, completion.byte_len);
  layout::put(to, cqe::imm, completion.immediate);
  layout::put(to, cqe::qpn, completion.qpn);
  layout::put(to, cqe::vendor_err, completion.vendor_err & 0xFF);
  layout::put(to, cqe::with_imm, good && (completion.flags & kAgentWithImm) != 0);
  layout::put(to, cqe::with_inv, good && (completion.flags & kAgentWithInv) != 0);
  if (good && (completion.flags & kAgentWithGrh) != 0) {
    layout::put(to, layout::ud_cqe::with_grh, true);
    layout::put(to, layout::ud_cqe::src_qp, completion.src_qp);
  }
  layout::put(to, cqe::owner, owner);
  ++ring.producer;
}

void TargetDevice::add_event(const agent_event& event) {
  const auto kind = static_cast<driver::EventKind>(event.kind);
  const bool of_cq = kind == driver::EventKind::kCompletion || kind == driver::EventKind::kCqError;
  events_.push_back(
      {kind, of_cq ? number_of_cq(event.number) : static_cast<std::uint32_t>(event.number)});
}

bool TargetDevice::wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
  return wait_exactly(ready, timeout_ns == 0 ? 0 : std::max(timeout_ns, timing_.patience_ns));
}

bool TargetDevice::wait_exactly(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
  const std::uint64_t start = wire_.now_ns();
  for (;;) {
    const std::uint64_t waited = wire_.now_ns() - start;
    exchange_news();
    if (ready()) return true;
    if (waited >= timeout_ns) return false;
    wire_.wait(std::min(timeout_ns - waited, timing_.look_ns));
  }
}

}  // namespace roci::conform
