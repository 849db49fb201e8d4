// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/sweep_fixture.hpp"

#include "testbench/verify/faults/schedule_runner.hpp"

namespace roci::testbench::faults {
namespace {

constexpr unsigned kPattern = 1, kBackground = 16, kMarker = 32;
constexpr std::uint64_t kBoundNs = 2'000'000;

ConnectionOptions options_of(const driver::ConnectOptions& connect) {
  ConnectionOptions options;
  options.region_bytes = SweepFixture::kBytes;
  options.connect = connect;
  options.qp.send_entries = options.qp.receive_entries = 16;
  return options;
}

}  // namespace

SweepFixture::SweepFixture(World& w, LinkWatch& watch, const driver::ConnectOptions& connect)
    : world(w),
      self(w.node(0), options_of(connect)),
      peer(w.node(1), options_of(connect)),
      watch_(watch),
      connect_(connect) {}

void SweepFixture::begin(unsigned receives) {
  ++generation;
  fill(self.data(), kBytes, pattern_of(kBackground));
  fill(peer.data(), kBytes, pattern_of(kBackground));
  const std::uint32_t psn = (0xFFFFF0 + generation * 0x10007u) & 0xFFFFFF;
  watch_.connect(0, self.qp().number(), peer.qp().number(), psn);
  connect(self.qp(), peer.qp(), psn);
  for (unsigned i = 0; i < receives; ++i) receive(i);
}

void SweepFixture::connect(driver::QueuePair& a, driver::QueuePair& b) { connect(a, b, 0xFFFFFC); }

void SweepFixture::connect(driver::QueuePair& a, driver::QueuePair& b, std::uint32_t psn) {
  connect_both({self.node, a, psn}, {peer.node, b, psn}, connect_);
}

void SweepFixture::end() {
  self.qp().to_reset();
  peer.qp().to_reset();
  marks_.clear();
  for (Endpoint* side : {&self, &peer}) {
    while (side->receive_cq.poll()) {
    }
    INFO("I1: nothing left");
    CHECK_FALSE(side->send_cq.poll());
  }
}

void SweepFixture::prepare(std::uint8_t* memory) const {
  fill(memory, kBytes, pattern_of(kBackground));
  fill(memory + kRead, kReadBytes, pattern_of(2));
}

void SweepFixture::post(const Remote& remote) {
  if (remote.key == peer.region.key()) {
    fill(peer.data(kRead), kReadBytes, pattern_of(2));
    std::memcpy(&word_, peer.data(kWord), 8);
  }
  post(self.region, self.data(), remote);
}

void SweepFixture::post_from(driver::MemoryRegion& local, std::uint8_t* memory) {
  fill(peer.data(kRead), kReadBytes, pattern_of(2));
  post(local, memory, {peer.region.address(), peer.region.key()});
}

void SweepFixture::post(driver::MemoryRegion& local, std::uint8_t* memory, const Remote& remote) {
  const std::uint32_t to = peer.qp().number();
  for (const Message& m : {Message{Opcode::kWrite, kWriteBytes}, Message{Opcode::kRead, kReadBytes},
                           Message{Opcode::kFetchAdd, 8}, Message{Opcode::kSend, kSendBytes}}) {
    watch_.message(0, to, m, pattern_of(m.read() ? 2 : m.send() ? 3 : 1));
  }
  fill(memory + kWrite, kWriteBytes, pattern_of(1));
  fill(memory + kSend, kSendBytes, pattern_of(3));
  constexpr Opcode kOps[kMessages] = {Opcode::kWrite, Opcode::kRead, Opcode::kFetchAdd,
                                      Opcode::kSend};
  constexpr std::size_t kAt[kMessages] = {kWrite, kRead, kWord, kSend};
  constexpr std::uint32_t kLength[kMessages] = {kWriteBytes, kReadBytes, 8, kSendBytes};
  driver::SendRequest list[kMessages];
  for (unsigned i = 0; i < kMessages; ++i) {
    list[i].id = i;
    list[i].opcode = kOps[i];
    list[i].sges = {local.sge(kAt[i], kLength[i])};
    list[i].remote_address = remote.address + kAt[i];
    list[i].remote_key = remote.key;
    list[i].swap_add = 1;
  }
  posted_ns_ = world.now_ns();
  CHECK(self.qp().post_send(list, kMessages));
}

void SweepFixture::post_sends(unsigned count) {
  std::vector<driver::SendRequest> list;
  fill(self.data(kSend), kSendBytes, pattern_of(3));
  for (unsigned i = 0; i < count; ++i) {
    watch_.message(0, peer.qp().number(), {Opcode::kSend, kSendBytes}, pattern_of(3));
    list.push_back(request(Opcode::kSend, self, kSend, kSendBytes, peer, 0));
    list.back().id = i;
  }
  posted_ns_ = world.now_ns();
  CHECK(self.qp().post_send(list.data(), list.size()));
}

void SweepFixture::until(unsigned clock) {
  constexpr std::uint64_t kClock = 4;
  const std::uint64_t at = posted_ns_ + kClock * clock;
  if (at > self.node.now_ns()) self.node.sleep(at - self.node.now_ns());
}

unsigned SweepFixture::finish(const std::vector<Status>& first, bool landed) {
  unsigned good = 0;
  bool failed = false;
  for (unsigned i = 0; i < kMessages; ++i) {
    const auto done = self.send_cq.wait(kBoundNs);
    if (!done) throw Violation("I11: request " + std::to_string(i) + " does not complete");
    CHECK(done->id == i);
    if (failed) {
      CHECK(done->status == Status::kWrFlushErr);
    } else if (done->ok()) {
      ++good;
      if (i == 1 && landed)
        CHECK(first_wrong(self.data(kRead), kReadBytes, pattern_of(2)) == kReadBytes);
    } else {
      failed = true;
      const bool expected = std::find(first.begin(), first.end(), done->status) != first.end();
      INFO("status ", std::string(driver::name_of(done->status)));
      CHECK(expected);
    }
  }
  return good;
}

void SweepFixture::no_completion() {
  CHECK_FALSE(self.send_cq.poll());
  CHECK_FALSE(peer.receive_cq.poll());
}

unsigned SweepFixture::receives(bool flushed) {
  unsigned good = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const auto got = flushed ? peer.receive_cq.wait(kBoundNs) : peer.receive_cq.poll();
    if (!got) {
      CHECK_FALSE(flushed);
      break;
    }
    CHECK(got->id == i);
    if (got->ok()) {
      CHECK(i == good);
      ++good;
      CHECK(first_wrong(peer.data(kSend), kSendBytes, pattern_of(3)) == kSendBytes);
    } else {
      CHECK(got->status == Status::kWrFlushErr);
    }
  }
  return good;
}

bool SweepFixture::new_at(const std::uint8_t* base, std::size_t at, std::size_t bytes,
                          unsigned what) const {
  const std::size_t start = what == 3 ? kSend : kWrite;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (base[at + i] != pattern(pattern_of(what), at + i - start)) return false;
  }
  return true;
}
bool SweepFixture::old_at(const std::uint8_t* base, std::size_t at, std::size_t bytes) const {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (base[at + i] != pattern(pattern_of(kBackground), at + i)) return false;
  }
  return true;
}

void SweepFixture::targets_whole(const std::uint8_t* target) {
  bool before = true;
  for (const auto& [start, bytes, what] :
       {std::tuple<std::size_t, std::uint32_t, unsigned>{kWrite, kWriteBytes, 1},
        {kSend, kSendBytes, 3}}) {
    for (std::size_t at = 0; at < bytes; at += kPmtu) {
      const std::size_t size = std::min<std::size_t>(kPmtu, bytes - at);
      const bool is_new = new_at(target, start + at, size, what);
      INFO("packet at byte ", at, " of ", what == 1 ? "the WRITE" : "the SEND");
      CHECK((is_new || old_at(target, start + at, size)));
      CHECK((before || !is_new));
      before = is_new;
    }
  }
}

void SweepFixture::mark(std::uint8_t* at, std::size_t bytes) {
  fill(at, bytes, pattern_of(kMarker) + marks_.size());
  marks_.push_back({at, bytes});
}

void SweepFixture::marks_hold() {
  constexpr std::uint64_t kLateNs = 12'000;
  self.node.sleep(kLateNs);
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    INFO("I5, I15: nothing writes after the end, range ", i);
    CHECK(first_wrong(marks_[i].at, marks_[i].bytes, pattern_of(kMarker) + i) == marks_[i].bytes);
  }
}

void SweepFixture::works() {
  begin();
  post();
  CHECK(finish({}) == kMessages);
  CHECK(first_wrong(peer.data(kWrite), kWriteBytes, pattern_of(1)) == kWriteBytes);
  CHECK(receives(false) == 1);
  std::uint64_t original, now;
  std::memcpy(&original, self.data(kWord), 8);
  std::memcpy(&now, peer.data(kWord), 8);
  CHECK(original == word_);
  CHECK(now == word_ + 1);
  end();
}

void sweep(const Sweep& plan, const std::function<void(SweepFixture&, unsigned)>& body) {
  ScheduleRunner runner(plan.config);
  sweep_on(runner, plan, body);
}

void sweep_on(ScheduleRunner& runner, const Sweep& plan,
              const std::function<void(SweepFixture&, unsigned)>& body) {
  Witness witness(runner.world());
  unsigned generations = 0;
  if (!runner.run({{0,
                    [&](Node&) {
                      SweepFixture fixture(runner.world(), runner.watch(), plan.connect);
                      const unsigned count = thorough() ? plan.clocks : plan.quick;
                      for (unsigned i = 0; i < count; ++i) {
                        const unsigned clock =
                            i * plan.clocks / count + (count < plan.clocks ? i % 7 : 0);
                        INFO("clock ", clock);
                        body(fixture, clock);
                        constexpr unsigned kLook = 8;
                        if (i % kLook == 0) fixture.works();
                      }
                      fixture.works();
                      generations = fixture.generation;
                      witness.stop();
                    }},
                   {0, [&](Node&) { witness.run(300'000); }}})) {
    return;
  }
  CHECK(witness.rounds() >= 2);
  const World::Speed speed = runner.world().speed();
  if (plan.clocks > 1)
    MESSAGE("generations ", generations, ", clocks evaluated ", speed.clocks, ", seconds ",
            speed.seconds);
}

}  // namespace roci::testbench::faults
