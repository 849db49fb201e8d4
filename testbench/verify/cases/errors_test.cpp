// SPDX-License-Identifier: Apache-2.0
// Wrong keys, rights, lengths and states: the correct status at both ends, and no data moved.
#include "testbench/link/syndromes.hpp"
#include "testbench/verify/cases/pair.hpp"
#include "testbench/verify/conform/edit.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::Status;

namespace {

constexpr std::size_t kTarget = 4096;

/// Posts a bad request and a good one after it.
void expect(Status first,
            const std::function<void(driver::SendRequest&, Endpoint&, Endpoint&)>& damage,
            Opcode opcode, ConnectionOptions options = {}) {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    Pair pair(config, options);
    pair.run([&](Endpoint& self, Endpoint& peer) {
      const std::uint32_t bytes = opcode == Opcode::kFetchAdd ? 8 : 600;
      std::vector<std::uint8_t> before(peer.data(), peer.data() + peer.region.size());
      fill(self.data(), bytes, 1);
      driver::SendRequest bad = request(opcode, self, 0, bytes, peer, kTarget);
      bad.id = 1;
      bad.swap_add = 1;
      damage(bad, self, peer);
      driver::SendRequest good = request(Opcode::kWrite, self, 0, 100, peer, kTarget);
      good.id = 2;
      self.qp().send(bad);
      self.qp().send(good);
      const driver::Completion one = self.sent();
      CHECK(one.id == 1);
      CHECK(one.status == first);
      const driver::Completion two = self.sent();
      CHECK(two.id == 2);
      CHECK(two.status == Status::kWrFlushErr);
      CHECK(self.qp().query().state == driver::QpState::kErr);
      CHECK(std::memcmp(before.data(), peer.data(), before.size()) == 0);
    });
  }
}

}  // namespace

// RSP-30 to RSP-39: remote access
TEST_CASE("errors: wrong key, out of bounds, no right: NAK remote access") {
  for (const Opcode opcode : {Opcode::kWrite, Opcode::kRead, Opcode::kFetchAdd}) {
    CAPTURE(static_cast<int>(opcode));
    expect(
        Status::kRemAccessErr,
        [](driver::SendRequest& r, Endpoint&, Endpoint&) { r.remote_key ^= 1; }, opcode);
    expect(
        Status::kRemAccessErr,
        [](driver::SendRequest& r, Endpoint&, Endpoint& peer) {
          r.remote_address = peer.region.address() + peer.region.size() - 4;
          r.remote_address &= ~std::uint64_t{7};
          r.remote_address += 8;
        },
        opcode);
    ConnectionOptions options;
    options.region_access = driver::access::kLocalWrite;
    expect(
        Status::kRemAccessErr, [](driver::SendRequest&, Endpoint&, Endpoint&) {}, opcode, options);
  }
}

// RSP-24, RSP-41
TEST_CASE("errors: queue pair without the right, atomic not aligned: NAK invalid request") {
  ConnectionOptions options;
  options.connect.access = 0;
  expect(
      Status::kRemInvReqErr, [](driver::SendRequest&, Endpoint&, Endpoint&) {}, Opcode::kWrite,
      options);
  expect(
      Status::kRemInvReqErr, [](driver::SendRequest&, Endpoint&, Endpoint&) {}, Opcode::kRead,
      options);
  expect(
      Status::kRemInvReqErr,
      [](driver::SendRequest& r, Endpoint&, Endpoint&) { r.remote_address += 4; },
      Opcode::kFetchAdd);
}

// RQ-43
TEST_CASE("errors: local key, bounds: LOC_PROT_ERR and no packet") {
  expect(
      Status::kLocProtErr,
      [](driver::SendRequest& r, Endpoint&, Endpoint&) { r.sges[0].key ^= 0x100; }, Opcode::kWrite);
  expect(
      Status::kLocProtErr,
      [](driver::SendRequest& r, Endpoint& self, Endpoint&) {
        r.sges[0].address = self.region.address() + self.region.size() - 10;
      },
      Opcode::kSend);
}

// RSP-20
TEST_CASE("errors: a SEND longer than the receive: invalid request there, length error here") {
  Pair pair(Config{});
  pair.run([](Endpoint& self, Endpoint& peer) {
    std::memset(peer.data(), 0xEE, 8192);
    peer.qp().receive({5, {peer.region.sge(0, 600)}});
    self.qp().send(request(Opcode::kSend, self, 0, 1000, peer, 0));
    CHECK(self.sent().status == Status::kRemInvReqErr);
    const driver::Completion got = peer.received();
    CHECK(got.id == 5);
    CHECK(got.status == Status::kLocLenErr);
    for (int i = 600; i < 8192; ++i) REQUIRE(peer.data()[i] == 0xEE);
  });
}

// RSP-21
TEST_CASE("errors: a receive with a bad key: remote operation error") {
  Pair pair(Config{});
  pair.run([](Endpoint& self, Endpoint& peer) {
    driver::ReceiveRequest receive{5, {peer.region.sge(0, 600)}};
    receive.sges[0].key ^= 1;
    peer.qp().receive(receive);
    self.qp().send(request(Opcode::kSend, self, 0, 100, peer, 0));
    CHECK(self.sent().status == Status::kRemOpErr);
    CHECK(peer.received().status == Status::kLocProtErr);
  });
}

// RQ-38, WC-02
TEST_CASE("errors: a READ response of a wrong length: length error here") {
  for (const std::ptrdiff_t by : {-4, 4}) {
    CAPTURE(by);
    Pair pair(Config{});
    FaultRule rule;
    rule.kind = FaultKind::kReplace;
    rule.opcode = packet::kRcReadRespOnly;
    rule.replace = [by](const packet::Parsed& p) {
      return conform::Edit(p.frame.copy()).resize_payload(by).sealed();
    };
    pair.world.link(1).faults().rules.push_back(rule);
    pair.run([](Endpoint& self, Endpoint& peer) {
      self.qp().send(request(Opcode::kRead, self, 0, 600, peer, kTarget));
      CHECK(self.sent().status == Status::kLocLenErr);
      CHECK(self.qp().query().state == driver::QpState::kErr);
    });
  }
}

// QP-10, QP-11, RQ-49
TEST_CASE("errors: entering ERR flushes both queues in order, and later posts") {
  Pair pair(Config{});
  pair.run([](Endpoint& self, Endpoint&) {
    for (unsigned i = 0; i < 3; ++i) self.qp().receive({i, {self.region.sge(0, 100)}});
    self.qp().to_error();
    self.qp().receive({3, {}});
    driver::SendRequest late;
    late.id = 9;
    late.signaled = false;
    self.qp().send(late);
    for (unsigned i = 0; i < 4; ++i) {
      const driver::Completion c = self.received();
      CHECK(c.id == i);
      CHECK(c.status == Status::kWrFlushErr);
    }
    CHECK(self.sent().id == 9);
  });
}

// QP-09, I15
TEST_CASE("errors: after RESET the queue pair works in a new generation") {
  Pair pair(Config{});
  pair.run(
      [&](Endpoint& self, Endpoint& peer) {
        for (unsigned generation = 0; generation < 3; ++generation) {
          fill(self.data(), 3000, generation);
          self.qp().send(request(Opcode::kWrite, self, 0, 3000, peer, kTarget));
          CHECK(self.sent().ok());
          CHECK(first_wrong(peer.data(kTarget), 3000, generation) == 3000);
          self.qp().to_reset();
          pair.meet(0);
          driver::ConnectOptions options;
          options.dst_mac = peer.node.mac();
          self.qp().connect({peer.qp().number(), 1000 * generation, peer.node.gid()},
                            5000 * generation, options);
          pair.meet(0);
        }
      },
      [&](Endpoint& self, Endpoint& peer) {
        for (unsigned generation = 0; generation < 3; ++generation) {
          pair.meet(1);
          self.qp().to_reset();
          driver::ConnectOptions options;
          options.dst_mac = peer.node.mac();
          self.qp().connect({peer.qp().number(), 5000 * generation, peer.node.gid()},
                            1000 * generation, options);
          pair.meet(1);
        }
      });
}

// F-80: gathering fails
TEST_CASE("errors: a packet whose payload cannot be read is never accepted") {
  Pair pair(Config{});
  pair.run([](Endpoint& self, Endpoint& peer) {
    std::memset(peer.data(kTarget), 0x77, 4096);
    self.node.poison(self.region.address() + 2048, 64);
    driver::SendRequest r = request(Opcode::kWrite, self, 2048, 64, peer, kTarget);
    self.qp().send(r);
    CHECK(self.sent().status == Status::kLocProtErr);
    for (int i = 0; i < 64; ++i) REQUIRE(peer.data(kTarget)[i] == 0x77);
  });
}

// F-82, RSP-56: the MSN of the NAK is compared in lock-step
TEST_CASE("errors: a write that fails is NAKed with the MSN of the messages before it") {
  Pair pair(Config{});
  struct Tap : FrameTap {
    std::vector<std::uint32_t> naks;  ///< MSNs
    void frame(const FrameEvent& event) override {
      const packet::Parsed& p = event.parsed;
      const bool nak = p.ok() && p.bth().opcode() == packet::kRcAck &&
                       p.aeth().syndrome() == syndromes::kNakOperational;
      if (nak) naks.push_back(p.aeth().msn());
    }
  } tap;
  pair.world.add_tap(&tap);
  pair.run([](Endpoint& self, Endpoint& peer) {
    peer.node.poison(peer.region.address() + kTarget, 64);
    for (unsigned i = 0; i < 5; ++i) {
      self.qp().send(request(Opcode::kWrite, self, 0, 100, peer, i == 2 ? kTarget : 0));
    }
    for (unsigned i = 0; i < 5; ++i) {
      const Status wanted = i == 2 ? Status::kRemOpErr : Status::kWrFlushErr;
      CHECK(self.sent().status == (i < 2 ? Status::kSuccess : wanted));
    }
  });
  CHECK(tap.naks == std::vector<std::uint32_t>{2});
}

// The read fails at the first, a middle and the last packet, without retries, as no packet is lost.
TEST_CASE("errors: F-80: a message whose payload cannot be read ends in LOC_PROT_ERR, in order") {
  constexpr std::uint32_t kPacket = 1024, kBytes = 4 * kPacket + 300;
  for (const unsigned width : {512u, 64u}) {
    for (const Opcode opcode : {Opcode::kWrite, Opcode::kSend, Opcode::kWriteImm}) {
      for (const unsigned bad : {0u, 2u, 4u}) {
        for (const unsigned before : {0u, 1u, 3u}) {
          CAPTURE(width);
          CAPTURE(static_cast<int>(opcode));
          CAPTURE(bad);
          CAPTURE(before);
          Config config;
          config.width = width;
          ConnectionOptions options;
          options.connect.path_mtu = 3;
          options.connect.retry_cnt = 0;
          Pair pair(config, options);
          pair.run([&](Endpoint& self, Endpoint& peer) {
            std::memset(peer.data(kTarget), 0x77, 8 * kBytes);
            for (unsigned i = 0; i < 6; ++i) {
              peer.qp().receive({i, {peer.region.sge(kTarget + i * kBytes, kBytes)}});
            }
            std::vector<driver::SendRequest> list;
            for (unsigned i = 0; i < before + 3; ++i) {
              fill(self.data(i * kBytes), kBytes, i);
              list.push_back(request(opcode, self, i * kBytes, kBytes, peer, kTarget + i * kBytes));
              list.back().id = i;
            }
            self.node.poison(self.region.address() + before * kBytes + bad * kPacket + 128, 64);
            REQUIRE(self.qp().post_send(list.data(), static_cast<unsigned>(list.size())));
            for (unsigned i = 0; i < list.size(); ++i) {
              const driver::Completion done = self.sent();
              CHECK(done.id == i);
              CHECK(done.status == (i < before    ? Status::kSuccess
                                    : i == before ? Status::kLocProtErr
                                                  : Status::kWrFlushErr));
            }
            CHECK(self.qp().query().state == driver::QpState::kErr);
            CHECK(self.qp().counters().retries == 0);
            self.node.sleep(100'000);
            for (unsigned i = 0; i < before; ++i) {
              CHECK(first_wrong(peer.data(kTarget + i * kBytes), kBytes, i) == kBytes);
            }
            // Only the part of the message before the failed read may have arrived.
            const std::uint8_t* target = peer.data(kTarget + before * kBytes);
            for (std::uint32_t i = 0; i < kBytes; ++i) {
              const bool may_be = i < bad * kPacket;
              REQUIRE((target[i] == 0x77 || (may_be && target[i] == pattern(before, i))));
            }
            for (std::uint32_t i = 0; i < 2 * kBytes; ++i) REQUIRE(target[kBytes + i] == 0x77);
            unsigned received = 0;
            while (const auto done = peer.receive_cq.poll()) received += done->ok();
            CHECK(received == (opcode == Opcode::kWrite ? 0 : before));
          });
        }
      }
    }
  }
}
