// SPDX-License-Identifier: Apache-2.0
// Commands while traffic runs: regions and windows that change, partitions.
#include <set>

#include "driver/memory_window.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "testbench/verify/cases/control.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::EventKind;
using driver::Opcode;
using driver::QpState;
using driver::Status;

TEST_CASE("control: MR-07 a changed region has its new attributes, an invalid key is rejected") {
  for (const unsigned how : {0u, 1u, 2u, 3u}) {
    CAPTURE(how);
    Pair pair(narrow());
    std::uint32_t key = 0;
    std::uint64_t address = 0;
    pair.run(
        [&](Endpoint& self, Endpoint& peer) {
          pair.meet(0);
          driver::SendRequest write = message(1, Opcode::kWrite, self, 600, peer);
          fill(self.data(), 600, 1);
          write.remote_key = key;
          write.remote_address = address;
          self.qp().send(write);
          CHECK(self.sent().status == Status::kSuccess);
          pair.meet(0);
          pair.meet(0);
          fill(self.data(), 600, 2);
          self.qp().send(write);
          CHECK(self.sent().status == Status::kRemAccessErr);
        },
        [&](Endpoint& self, Endpoint&) {
          const driver::DmaMemory memory = self.node.device().allocate(8192, 4096);
          driver::ProtectionDomain other(self.node.context());
          {
            driver::MemoryRegion region(self.pd, memory, driver::access::kAll, 0x1234567890);
            key = region.key();
            address = region.address();
            pair.meet(1);
            pair.meet(1);
            const std::uint32_t local = driver::access::kLocalWrite;
            const driver::DmaMemory half{memory.host + 4096, memory.dma + 4096, 4096};
            if (how == 0) region.deregister();
            if (how == 1) region.change(nullptr, 0, nullptr, &local);
            if (how == 2) region.change(nullptr, 0, &other, nullptr);
            if (how == 3) region.change(&half, address + 4096, nullptr, nullptr);
            pair.meet(1);
            self.node.sleep(200'000);
            CHECK(first_wrong(memory.host, 600, 1) == 600);  // no byte of the second
          }
          self.node.device().release(memory);
        });
  }
}

TEST_CASE("control: WIRE-23, WIRE-24 partition keys") {
  // P_Keys of both sides, and whether packets pass: one side must be a full member.
  const struct {
    std::uint16_t here, there;
    bool pass;
  } cases[] = {{0x8001, 0x8001, true},
               {0x8001, 0x0001, true},
               {0x0001, 0x0001, false},
               {0x8001, 0x8002, false}};
  for (const auto& one : cases) {
    CAPTURE(one.here);
    CAPTURE(one.there);
    ConnectionOptions options;
    options.connect.timeout = 6;
    options.connect.retry_cnt = 1;
    Pair pair(narrow(), options);
    const auto join = [](Endpoint& self, Endpoint& peer, std::uint16_t pkey) {
      self.node.context().set_pkey(5, pkey);
      CHECK(self.node.context().query_pkey(5) == pkey);
      driver::QpAttributes a;
      a.pkey_index = 5;
      a.access = driver::access::kAll;
      a.dest_qpn = peer.qp().number();
      a.dgid = peer.node.gid();
      a.dst_mac = peer.node.mac();
      a.timeout = 6;
      a.retry_cnt = 1;
      modify(self.qp(), QpState::kReset);
      a.state = QpState::kInit;
      self.qp().modify(a, driver::mask::kInit);
      a.state = QpState::kRtr;
      self.qp().modify(a, driver::mask::kRtr);
      a.state = QpState::kRts;
      self.qp().modify(a, driver::mask::kRts);
    };
    constexpr unsigned kPkeyDrops = layout::number(layout::DropCause::kPkey);
    pair.run(
        [&](Endpoint& self, Endpoint& peer) {
          join(self, peer, one.here);
          pair.meet(0);
          self.qp().send(message(1, Opcode::kWrite, self, 100, peer));
          CHECK(self.sent().status == (one.pass ? Status::kSuccess : Status::kRetryExcErr));
          pair.meet(0);
        },
        [&](Endpoint& self, Endpoint& peer) {
          join(self, peer, one.there);
          pair.meet(1);
          pair.meet(1);
          CHECK((self.node.context().port_counters().drops[kPkeyDrops] == 0) == one.pass);
        });
  }
}

TEST_CASE("control: MR-08 to MR-11 windows of both types through queue pairs") {
  for (const auto type : {driver::WindowType::kType1, driver::WindowType::kType2}) {
    CAPTURE(static_cast<int>(type));
    ConnectionOptions options;
    options.region_access = driver::access::kAll | driver::access::kMwBind;
    Pair pair(narrow(), options);
    std::uint32_t key = 0;
    pair.run(
        [&](Endpoint& self, Endpoint& peer) {
          pair.meet(0);
          fill(self.data(), 64, 3);
          driver::SendRequest write = message(1, Opcode::kWrite, self, 64, peer, 0);
          write.remote_address = peer.region.address() + 4096;
          write.remote_key = key;
          self.qp().send(write);
          CHECK(self.sent().status == Status::kSuccess);
          pair.meet(0);
          pair.meet(0);
          self.qp().send(write);  // the window is unbound, or bound anew
          CHECK(self.sent().status == Status::kRemAccessErr);
          pair.meet(0);
        },
        [&](Endpoint& self, Endpoint&) {
          driver::MemoryWindow window(self.pd, type);
          key = window.next_key();
          driver::SendRequest bind =
              driver::MemoryWindow::bind(key, self.region.key(), self.region.address() + 4096, 64,
                                         driver::access::kRemoteWrite);
          bind.id = 5;
          self.qp().send(bind);
          const driver::Completion bound = self.sent();
          CHECK(bound.status == Status::kSuccess);
          CHECK(bound.opcode == driver::WcOpcode::kBindMw);
          window.set_key(key);
          pair.meet(1);
          pair.meet(1);
          CHECK(first_wrong(self.data(4096), 64, 3) == 64);
          CHECK_THROWS_AS(self.region.deregister(), driver::Error);  // MR-08
          if (type == driver::WindowType::kType2) {
            driver::SendRequest free;
            free.opcode = Opcode::kLocalInv;
            free.remote_key = key;
            self.qp().send(free);
          } else {
            bind.remote_key = window.next_key();
            self.qp().send(bind);
            window.set_key(bind.remote_key);
          }
          CHECK(self.sent().status == Status::kSuccess);
          std::memset(self.data(4096), 0, 64);
          pair.meet(1);
          pair.meet(1);
          CHECK(self.data(4096)[0] == 0);
        });
  }
}
