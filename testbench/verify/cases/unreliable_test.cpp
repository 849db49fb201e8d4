// SPDX-License-Identifier: Apache-2.0
// Unreliable connections and datagrams between two adapters, with and without losses.
#include "driver/address_handle.hpp"
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::Status;
using driver::WcOpcode;

namespace {

constexpr unsigned kMessages = 120;
constexpr std::uint32_t kMost = 3000;      // bytes of a message
constexpr std::size_t kHalf = 1 << 19;     // the second half of a region is target
constexpr std::size_t kRoom = 4096;        // bytes of the target of each message
constexpr unsigned kReceives = 40;         // posted at a time
constexpr std::uint64_t kQuiet = 200'000;  // ns without a completion: no more comes

std::uint32_t bytes_of(unsigned message) { return message % 7 == 0 ? 0 : 389 * message % kMost; }
Opcode opcode_of(unsigned message) {
  constexpr Opcode kOpcodes[] = {Opcode::kSendImm, Opcode::kWriteImm, Opcode::kWrite};
  return kOpcodes[message % 3];
}

/// Sends messages of every kind, and counts those that arrive. Each must be whole, in the order of
/// sending, and stand in the next receive.
unsigned carry(unsigned width, double loss) {
  CAPTURE(width);
  CAPTURE(loss);
  Config config;
  config.width = width;
  config.seed = 5;
  config.faults[0].loss = loss;
  ConnectionOptions options;
  options.qp.service = driver::Service::kUc;
  options.connect.path_mtu = 1;
  Pair pair(config, options);
  unsigned arrived = 0;
  const auto target = [](unsigned receive) { return kHalf + receive % kReceives * kRoom; };
  const auto sender = [&](Endpoint& self, Endpoint& peer) {
    pair.meet(0);  // receives are posted
    for (unsigned i = 0; i < kMessages; ++i) {
      fill(self.data(i % 16 * kRoom), bytes_of(i), i);
      // WRITEs go to places of their own, after those of the receives.
      const std::size_t to =
          opcode_of(i) == Opcode::kSendImm ? 0 : kHalf + (kReceives + i % 80) * kRoom;
      driver::SendRequest r = request(opcode_of(i), self, i % 16 * kRoom, bytes_of(i), peer, to);
      r.id = r.imm = i;
      self.qp().send(r);
      const driver::Completion done = self.sent();
      CHECK(done.status == Status::kSuccess);
      CHECK(done.id == i);
    }
  };
  const auto receiver = [&](Endpoint& self, Endpoint&) {
    unsigned posted = 0;
    const auto post = [&] {
      self.qp().receive({posted, {self.region.sge(target(posted), kRoom)}});
      ++posted;
    };
    while (posted < kReceives) post();
    pair.meet(1);
    std::int64_t newest = -1;
    while (const auto got = self.receive_cq.wait(kQuiet)) {
      CHECK(got->status == Status::kSuccess);
      CHECK(got->id == arrived);
      CHECK(static_cast<std::int64_t>(got->imm) > newest);
      newest = got->imm;
      REQUIRE(got->imm < kMessages);
      CHECK(got->byte_len == bytes_of(got->imm));
      const bool send = opcode_of(got->imm) == Opcode::kSendImm;
      CHECK(got->opcode == (send ? WcOpcode::kRecv : WcOpcode::kRecvWriteImm));
      const std::size_t at = send ? target(arrived) : kHalf + (kReceives + got->imm % 80) * kRoom;
      CHECK(first_wrong(self.data(at), bytes_of(got->imm), got->imm) == bytes_of(got->imm));
      ++arrived;
      post();
    }
  };
  pair.run(sender, receiver);
  return arrived;
}

constexpr unsigned kWithReceive = kMessages / 3 * 2;

constexpr std::uint32_t kQkey = 0x01234567;
constexpr std::size_t kGrh = 40;

/// Sends datagrams of any length both ways; those that arrive are whole, in order, each in the next
/// receive, and name their sender. Returns how many arrived at side 1.
unsigned exchange(unsigned width, double loss) {
  CAPTURE(width);
  CAPTURE(loss);
  Config config;
  config.width = width;
  config.seed = 7;
  for (auto& faults : config.faults) faults.loss = loss;
  World world(with_engines(config));
  std::array<Endpoint*, 2> sides{};
  std::array<unsigned, 2> steps{}, arrived{};
  const auto meet = [&](unsigned me) {
    ++steps[me];
    world.node(1 - me).device().wake();
    world.node(me).device().wait([&] { return steps[1 - me] >= steps[me]; },
                                 driver::Device::kForever);
  };
  world.run([&](Node& node) {
    const unsigned me = node.index();
    ConnectionOptions options;
    options.qp.service = driver::Service::kUd;
    Endpoint self(node, options);
    sides[me] = &self;
    self.qp().open(kQkey, 0xFFFFF0);
    meet(me);
    Endpoint& peer = *sides[1 - me];
    driver::Address address;
    address.dgid = peer.node.gid();
    address.dst_mac = peer.node.mac();
    const driver::AddressHandle handle(self.pd, address);
    unsigned posted = 0;
    const auto target = [](unsigned receive) { return kHalf + receive % kReceives * kRoom; };
    const auto post = [&] {
      self.qp().receive({posted, {self.region.sge(target(posted), kRoom)}});
      ++posted;
    };
    while (posted < kReceives) post();
    meet(me);
    std::int64_t newest = -1;
    const auto take = [&](const driver::Completion& got) {
      CHECK(got.status == Status::kSuccess);
      CHECK(got.id == arrived[me]);
      CHECK(static_cast<std::int64_t>(got.imm) > newest);
      newest = got.imm;
      REQUIRE(got.imm < kMessages);
      CHECK(got.byte_len == kGrh + bytes_of(got.imm));
      CHECK(got.with_grh);
      CHECK(got.src_qp == peer.qp().number());
      const std::size_t at = target(arrived[me]) + kGrh;
      CHECK(first_wrong(self.data(at), bytes_of(got.imm), got.imm) == bytes_of(got.imm));
      ++arrived[me];
      post();
    };
    for (unsigned i = 0; i < kMessages; ++i) {
      fill(self.data(i % 16 * kRoom), bytes_of(i), i);
      driver::SendRequest r = request(Opcode::kSendImm, self, i % 16 * kRoom, bytes_of(i), peer, 0);
      r.id = r.imm = i;
      r.ah = handle.number();
      r.remote_qpn = peer.qp().number();
      r.qkey = kQkey;
      self.qp().send(r);
      const driver::Completion done = self.sent();
      CHECK(done.status == Status::kSuccess);
      CHECK(done.id == i);
      while (const auto got = self.receive_cq.poll()) take(*got);
    }
    while (const auto got = self.receive_cq.wait(kQuiet)) take(*got);
    meet(me);
  });
  for (const std::string& violation : world.violations()) FAIL_CHECK(violation);
  return arrived[1];
}

}  // namespace

TEST_CASE("unreliable: UC: all messages arrive, at 64 and 512 bits") {
  CHECK(carry(64, 0) == kWithReceive);
  CHECK(carry(512, 0) == kWithReceive);
}

// UC-02, UC-03, UC-07: what arrives is whole, whatever was lost before it.
TEST_CASE("unreliable: UC: with 5% loss whole messages arrive, and the others leave no trace") {
  for (const unsigned width : {64u, 512u}) {
    const unsigned arrived = carry(width, 0.05);
    CHECK(arrived < kWithReceive);
    CHECK(arrived > kWithReceive / 2);
  }
}

// UD-01, UD-05, UD-07
TEST_CASE("unreliable: UD: all datagrams arrive, at 64 and 512 bits") {
  CHECK(exchange(64, 0) == kMessages);
  CHECK(exchange(512, 0) == kMessages);
}

TEST_CASE("unreliable: UD: with 5% loss datagrams arrive whole") {
  for (const unsigned width : {64u, 512u}) {
    const unsigned arrived = exchange(width, 0.05);
    CHECK(arrived < kMessages);
    CHECK(arrived > kMessages / 2);
  }
}
