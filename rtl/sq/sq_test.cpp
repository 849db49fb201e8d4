#include <doctest/doctest.h>

#include "sq/sq_bench.hpp"

using namespace sq_bench;

namespace {

Work write_of(std::uint32_t len, std::uint64_t from = kDataBase, std::uint64_t to = 0) {
  Work w;
  w.op = kWrite;
  if (len) w.list = {{from, len}};
  w.remote = to;
  return w;
}
Work read_of(std::uint32_t len, std::uint64_t into = kDataBase, std::uint64_t from = 0) {
  Work w = write_of(len, into, from);
  w.op = kRead;
  return w;
}
Work add_of(std::uint64_t value, std::uint64_t into = kDataBase) {
  Work w = write_of(8, into, 64);
  w.op = kFetchAdd;
  w.swap_add = value;
  return w;
}
std::vector<unsigned> opcodes(const Bench& b) {
  std::vector<unsigned> v;
  for (const Packet& p : b.sent) v.push_back(p.opcode);
  return v;
}
std::vector<unsigned> psns(const Bench& b) {
  std::vector<unsigned> v;
  for (const Packet& p : b.sent) v.push_back(p.psn);
  return v;
}
using List = std::vector<unsigned>;

}  // namespace

TEST_CASE("sq: RQ-01, RQ-05, RQ-06: a WRITE of one packet and one of three, over the PSN wrap") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  a.psn = 0xFFFFFD;
  b.connect(5, a);
  b.post(5, write_of(256, kDataBase, 0x100));
  b.post(5, write_of(700, kDataBase + 999, 0x1000));
  b.ring(5);
  REQUIRE(b.until(2));
  CHECK(opcodes(b) == List{0x0A, 0x06, 0x07, 0x08});
  CHECK(psns(b) == List{0xFFFFFD, 0xFFFFFE, 0xFFFFFF, 0});
  CHECK(b.sent[1].ext_number(0, 8) == 0x1000);
  CHECK(b.sent[1].ext_number(8, 4) == 0x77777777);
  CHECK(b.sent[1].ext_number(12, 4) == 700);
  CHECK(b.sent[2].ext_len == 0);
  CHECK(std::equal(b.memory.begin() + kDataBase + 999, b.memory.begin() + kDataBase + 1699,
                   b.peers[5].memory.begin() + 0x1000));
  CHECK(b.done[0].index == 0);
  CHECK(b.done[1].index == 1);
  CHECK(b.done[1].status == kSuccess);
  CHECK(b.done[1].opcode == 1);
  const auto live = b.live(5);
  CHECK(live.psn == 1);
  CHECK(live.una == 1);
  CHECK(live.completed == 2);
  CHECK(live.idle);
  CHECK(b.wrong_places == 0);
}

TEST_CASE("sq: RQ-02, RQ-03: sequence numbers of READ, atomics and empty messages") {
  Bench b;
  Attr a;
  a.pmtu = 2;
  b.connect(1, a);
  b.post(1, read_of(3000));
  b.post(1, write_of(0));
  b.post(1, read_of(0));
  b.post(1, add_of(3));
  Work send = write_of(10);
  send.op = kSendImm;
  send.imm = 0x12345678;
  send.solicited = true;
  b.post(1, send);
  b.ring(1);
  REQUIRE(b.until(5));
  CHECK(opcodes(b) == List{0x0C, 0x0A, 0x0C, 0x14, 0x05});
  CHECK(psns(b) == List{0, 6, 7, 8, 9});
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(b.done[i].index == i);
    CHECK(b.done[i].status == kSuccess);
  }
  CHECK(b.done[0].byte_len == 3000);
  CHECK(b.done[3].byte_len == 8);
  CHECK(b.done[3].opcode == 4);
  CHECK(b.sent[4].se);
  CHECK(b.sent[4].ext_number(0, 4) == 0x12345678);
  CHECK(b.wrong_places == 0);
}

TEST_CASE("sq: RQ-36, RQ-41: READ data and the original value of an atomic land in memory") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(2, a);
  for (unsigned i = 0; i < 4096; ++i) b.peers[2].memory[i] = std::uint8_t(i * 3 + 1);
  b.post(2, read_of(1001, kDataBase + 5, 100));
  b.post(2, add_of(1, kDataBase + 0x2000));
  b.ring(2);
  REQUIRE(b.until(2));
  CHECK(std::equal(b.memory.begin() + kDataBase + 5, b.memory.begin() + kDataBase + 1006,
                   b.peers[2].memory.begin() + 100));
  for (unsigned i = 0; i < 8; ++i)
    CHECK(b.memory[kDataBase + 0x2000 + i] == std::uint8_t((64 + i) * 3 + 1));
  CHECK(b.peers[2].memory[64] == std::uint8_t(64 * 3 + 2));
  b.run(20);
  CHECK(b.counters[2] == 4 + 1);  // packets received
}

TEST_CASE("sq: WIRE-43, RQ-05: opcodes of a long solicited SEND with immediate") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(0, a);
  Work w = write_of(600);
  w.op = kSendImm;
  w.solicited = true;
  b.post(0, w);
  b.ring(0);
  REQUIRE(b.until(1));
  CHECK(opcodes(b) == List{0, 1, 3});
  CHECK_FALSE(b.sent[0].se);
  CHECK_FALSE(b.sent[1].se);
  CHECK(b.sent[2].se);
  CHECK(b.sent[2].ack);
  REQUIRE(b.peers[0].sends.size() == 1);
  CHECK(std::equal(b.peers[0].sends[0].begin(), b.peers[0].sends[0].end(),
                   b.memory.begin() + kDataBase));
}

TEST_CASE("sq: RQ-12, RQ-14, RQ-47: one ACK completes all before it; unsignaled ones are silent") {
  Bench b;
  b.connect(3);
  b.auto_peer = false;
  for (unsigned i = 0; i < 5; ++i) {
    Work w = write_of(64);
    w.signaled = i != 1;
    b.post(3, w);
  }
  b.ring(3);
  b.run(400);
  REQUIRE(b.sent.size() == 5);
  b.respond(3, 0x11, 2, 0x1F);
  b.run(100);
  REQUIRE(b.done.size() == 2);
  CHECK(b.done[1].index == 2);
  b.respond(3, 0x11, 9, 0x1F);  // beyond the last sent: RQ-16
  b.respond(3, 0x11, 1, 0x1F);  // old
  b.respond(3, 0x11, 7, 0x60);  // RQ-22
  b.run(100);
  CHECK(b.done.size() == 2);
  CHECK(b.ghosts == 3);
  b.respond(3, 0x11, 4, 0x1F);
  b.run(100);
  CHECK(b.done.size() == 4);
  CHECK(b.live(3).idle);
}

TEST_CASE("sq: RQ-19, RQ-21: a NAK in the middle of a message sends from there, at once") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(3, a);
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.psn == 2 && lost++ == 0; };
  b.post(3, write_of(1100, kDataBase + 3));
  b.ring(3);
  const auto start = b.dut.cycle();
  REQUIRE(b.until(1));
  CHECK(b.dut.cycle() - start < 600);
  CHECK(opcodes(b) == List{6, 7, 7, 7, 8, 7, 7, 8});
  CHECK(psns(b) == List{0, 1, 2, 3, 4, 2, 3, 4});
  CHECK(std::equal(b.memory.begin() + kDataBase + 3, b.memory.begin() + kDataBase + 1103,
                   b.peers[3].memory.begin()));
  CHECK(b.counters[4] == 1);
  CHECK(b.counters[5] == 0);
  CHECK(b.counters[7] == 1);
}

TEST_CASE("sq: going on with a message and going back to it read the work request once") {
  Bench b;
  Attr a;
  a.pmtu = 3;
  b.connect(3, a);
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.psn == 70 && lost++ == 0; };
  b.post(3, write_of(100000, kDataBase + 3));  // several grants
  b.ring(3);
  REQUIRE(b.until(1));
  CHECK(lost == 2);
  CHECK(b.fetched == 1);
  CHECK(std::equal(b.memory.begin() + kDataBase + 3, b.memory.begin() + kDataBase + 100003,
                   b.peers[3].memory.begin()));
  // A new life has the same indices and other work requests.
  b.connect(3, a);
  b.post(3, write_of(10, kDataBase + 77, 0x3000));
  b.ring(3);
  REQUIRE(b.until(2));
  CHECK(b.fetched == 2);
  CHECK(b.sent.back().payload_len == 10);
}

TEST_CASE("sq: going back drops the packets that still wait, with their pieces") {
  Bench b;
  Attr a;
  a.pmtu = 3;
  b.connect(3, a);
  b.connect(4, a);
  b.desc_every = 60;  // the wire is slow, so packets wait
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.qpn == 3 && p.psn == 5 && lost++ == 0; };
  b.post(3, write_of(30000, kDataBase + 3));
  b.post(4, write_of(30000, kDataBase + 40000));
  b.ring(3);
  b.ring(4);
  REQUIRE(b.until(2));
  b.run(100);
  for (unsigned q : {3u, 4u}) {
    const unsigned from = q == 3 ? kDataBase + 3 : kDataBase + 40000;
    CHECK(std::equal(b.memory.begin() + from, b.memory.begin() + from + 30000,
                     b.peers[q].memory.begin()));
  }
  CHECK(b.counters[0] == b.sent.size());  // those dropped are not counted
  CHECK(b.counters[4] == 1);
  CHECK(b.wrong_places == 0);
  unsigned again = 0;
  for (const Packet& p : b.sent) again += p.qpn == 3 && p.psn == 6;
  CHECK(again == 2);
  // 20 clocks of wire each way are less than a packet: only what tx had taken left in vain.
  unsigned vain = 0;
  for (const Packet& p : b.sent) vain += p.qpn == 3;
  CHECK(vain <= 30 + 4);
  CHECK(b.dut->idle_o);
}

TEST_CASE(
    "sq: RQ-31, RQ-33: silence ends in RETRY_EXC_ERR after N + 1 transmissions, the rest flushes") {
  for (unsigned retries : {0u, 2u, 7u}) {
    Bench b;
    Attr a;
    a.retry = retries;
    b.connect(9, a);
    b.peers[9].mute = true;
    for (unsigned i = 0; i < 3; ++i) b.post(9, write_of(64));
    b.ring(9);
    REQUIRE(b.until(3));
    unsigned first = 0;
    for (const Packet& p : b.sent) first += p.psn == 0;
    CHECK(first == retries + 1);
    CHECK(b.done[0].status == kRetryExcErr);
    CHECK(b.done[0].vendor == 32);
    CHECK(b.done[1].status == kWrFlushErr);
    CHECK(b.done[2].status == kWrFlushErr);
    CHECK(b.fails == 1);
    // RQ-49: one more in ERR flushes too
    b.post(9, write_of(64));
    b.ring(9);
    REQUIRE(b.until(4));
    CHECK(b.done[3].status == kWrFlushErr);
    CHECK(b.done[3].index == 3);
  }
}

TEST_CASE("sq: RQ-25, RQ-28, RQ-30: RNR waits, resends from there, and runs out") {
  Bench b;
  Attr a;
  a.rnr_retry = 2;
  a.retry = 0;
  b.connect(4, a);
  Work w = write_of(64);
  w.op = kSend;
  for (unsigned i = 0; i < 4; ++i) {
    b.post(4, w);
  }
  b.peers[4].rnr = 2;
  b.ring(4);
  REQUIRE(b.until(4));
  CHECK(b.peers[4].sends.size() == 4);
  CHECK(b.dut.cycle() > 2 * b.rnr_time);
  for (const auto& c : b.done) CHECK(c.status == kSuccess);
  b.peers[4].rnr = 3;
  b.post(4, w);
  b.post(4, w);
  b.ring(4);
  REQUIRE(b.until(6));
  CHECK(b.done[4].status == kRnrRetryExcErr);
  CHECK(b.done[5].status == kWrFlushErr);
}

TEST_CASE("sq: RQ-35, RQ-37: a READ with a lost response is asked again from there") {
  Bench b;
  Attr a;
  a.pmtu = 2;
  b.connect(6, a);
  for (unsigned i = 0; i < 8192; ++i) b.peers[6].memory[i] = std::uint8_t(i * 5 + 3);
  unsigned lost = 0;
  b.lose_response = [&](const Packet& p) { return p.psn == 2 && p.opcode == 0x0E && lost++ == 0; };
  b.post(6, read_of(3000, kDataBase + 64, 10));
  b.ring(6);
  REQUIRE(b.until(1));
  REQUIRE(b.sent.size() == 2);
  CHECK(b.sent[1].psn == 2);
  CHECK(b.sent[1].ext_number(0, 8) == 10 + 1024);
  CHECK(b.sent[1].ext_number(12, 4) == 1976);
  CHECK(std::equal(b.memory.begin() + kDataBase + 64, b.memory.begin() + kDataBase + 3064,
                   b.peers[6].memory.begin() + 10));
  CHECK(b.done[0].status == kSuccess);
  CHECK(b.live(6).psn == 6);
}

TEST_CASE("sq: RQ-09, RQ-10: max_rd_atomic as given") {
  Bench b;
  Attr a;
  a.max_rd = 3;
  b.connect(6, a);
  b.auto_peer = false;
  for (unsigned i = 0; i < 8; ++i) b.post(6, read_of(64));
  b.ring(6);
  b.run(1500);
  CHECK(b.sent.size() == 3);
  b.auto_peer = true;
  REQUIRE(b.until(8));
  for (const auto& c : b.done) CHECK(c.status == kSuccess);
}

TEST_CASE("sq: max_rd_atomic 0 refuses a READ") {
  Bench b;
  Attr a;
  a.max_rd = 0;
  b.connect(6, a);
  b.post(6, write_of(5));
  b.post(6, read_of(64));
  b.ring(6);
  REQUIRE(b.until(2));
  CHECK(b.done[0].status == kSuccess);
  CHECK(b.done[1].status == kLocQpOpErr);
}

TEST_CASE("sq: RQ-48: a fence waits for READs") {
  Bench b;
  b.connect(6);
  b.auto_peer = false;
  b.post(6, read_of(64));
  Work w = write_of(64);
  w.fence = true;
  b.post(6, w);
  b.ring(6);
  b.run(800);
  CHECK(b.sent.size() == 1);
  b.auto_peer = true;
  REQUIRE(b.until(2));
  CHECK(b.sent.back().opcode == 0x0A);
}

TEST_CASE("sq: RQ-13: an ACK behind a READ asks for the READ again, and completes nothing") {
  Bench b;
  b.connect(6);
  b.auto_peer = false;
  b.post(6, read_of(64));
  b.post(6, write_of(64));
  b.ring(6);
  b.run(400);
  REQUIRE(b.sent.size() == 2);
  b.respond(6, 0x11, 1, 0x1F);
  b.run(600);
  CHECK(b.done.empty());
  REQUIRE(b.sent.size() == 4);
  CHECK(b.sent[2].opcode == 0x0C);
  CHECK(b.sent[2].psn == 0);
}

TEST_CASE("sq: RQ-23, RQ-24: NAKs that end the work request") {
  struct Case {
    unsigned syndrome, status;
  };
  for (const Case c : {Case{0x61, kRemInvReqErr}, Case{0x62, kRemAccessErr}, Case{0x63, kRemOpErr},
                       Case{0x64, kBadRespErr}, Case{0x7F, kBadRespErr}, Case{0x40, kBadRespErr},
                       Case{0x80, kBadRespErr}}) {
    Bench b;
    b.connect(8);
    b.auto_peer = false;
    for (unsigned i = 0; i < 3; ++i) b.post(8, write_of(64));
    b.ring(8);
    b.run(400);
    b.respond(8, 0x11, 1, c.syndrome);
    REQUIRE(b.until(3));
    CHECK(b.done[0].status == kSuccess);
    CHECK(b.done[1].status == c.status);
    CHECK(b.done[2].status == kWrFlushErr);
  }
}

TEST_CASE("sq: RQ-38, RQ-39, RQ-40: responses that do not fit never complete good") {
  struct Case {
    unsigned opcode, psn, syndrome, len, status;
  };
  // READ of 600 bytes at PMTU 256: FIRST 256, MIDDLE 256, LAST 88
  for (const Case c : {Case{0x0D, 0, 0x1F, 252, kLocLenErr}, Case{0x0D, 0, 0x1F, 512, kLocLenErr},
                       Case{0x0E, 0, 0x1F, 256, kBadRespErr}, Case{0x10, 0, 0x1F, 256, kBadRespErr},
                       Case{0x0F, 0, 0x1F, 88, kBadRespErr}, Case{0x12, 0, 0x1F, 0, kBadRespErr},
                       Case{0x11, 0, 0x63, 0, kRemOpErr}, Case{0x0D, 0, 0x63, 256, kBadRespErr}}) {
    Bench b;
    Attr a;
    a.pmtu = 1;
    b.connect(8, a);
    b.auto_peer = false;
    b.post(8, read_of(600));
    b.ring(8);
    b.run(300);
    b.respond(8, c.opcode, c.psn, c.syndrome, Bytes(c.len));
    REQUIRE(b.until(1));
    CHECK(b.done[0].status == c.status);
    b.run(50);
    CHECK(b.dropped_segs == (c.len ? 1 : 0));
    CHECK(b.wrong_places == 0);
  }
  Bench b;  // READ response to a WRITE
  b.connect(8);
  b.auto_peer = false;
  b.post(8, write_of(64));
  b.ring(8);
  b.run(300);
  b.respond(8, 0x10, 0, 0x1F, Bytes(64));
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == kBadRespErr);
}

TEST_CASE("sq: RQ-43, F-85: bad work requests, no packet, the rest flushes") {
  struct Case {
    Work work;
    unsigned status;
  };
  std::vector<Case> cases;
  Work w = write_of(64);
  w.list[0].key = kBadKey;
  cases.push_back({w, kLocProtErr});
  w = read_of(64);
  w.list[0].key = kReadOnlyKey;
  cases.push_back({w, kLocProtErr});
  w = write_of(64, kQueueBase - 10);
  cases.push_back({w, kLocProtErr});
  for (unsigned op : {11u, 255u}) {  // no such operation
    w = write_of(64);
    w.op = op;
    cases.push_back({w, kLocQpOpErr});
  }
  for (unsigned op : {kLocalInv, kBindMw, kRegMr}) {  // with a list; with a length
    w = write_of(64);
    w.op = op;
    cases.push_back({w, kLocQpOpErr});
    w = write_of(0);
    w.op = op;
    w.length = 1;
    cases.push_back({w, kLocQpOpErr});
  }
  w = write_of(64);
  w.length = 100;
  cases.push_back({w, kLocLenErr});
  w = write_of(0);
  w.length = 100;
  cases.push_back({w, kLocLenErr});
  w = write_of(64);
  w.length = 0x80000001;
  cases.push_back({w, kLocLenErr});
  w = add_of(1);
  w.length = 16;
  cases.push_back({w, kLocLenErr});
  w = read_of(0);
  w.inlined = true;
  cases.push_back({w, kLocQpOpErr});
  w = write_of(64);
  w.list.push_back({kDataBase, 64});  // two entries in a stride of one block
  cases.push_back({w, kLocQpOpErr});
  for (const Case& c : cases) {
    Bench b;
    b.connect(8);
    b.post(8, write_of(64));
    b.post(8, c.work);
    b.post(8, write_of(64));
    b.ring(8);
    REQUIRE(b.until(3));
    b.run(200);
    CHECK(b.done[0].status == kSuccess);
    CHECK(b.done[1].status == c.status);
    CHECK(b.done[1].vendor != 0);
    CHECK(b.done[2].status == kWrFlushErr);
    CHECK(b.sent.size() == 1);
    CHECK(b.done.size() == 3);
  }
}

TEST_CASE("sq: RQ-05, WIRE-43: SEND with invalidate carries the key in its last packet") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(8, a);
  Work w = write_of(600);
  w.op = kSendInv;
  w.imm = 0xABCDEF12;
  w.solicited = true;
  b.post(8, w);
  w.list = {{kDataBase, 3}};
  b.post(8, w);
  b.ring(8);
  REQUIRE(b.until(2));
  CHECK(opcodes(b) == List{0x00, 0x01, 0x16, 0x17});
  for (unsigned i : {2u, 3u}) {
    CHECK(b.sent[i].ext_len == 4);
    CHECK(b.sent[i].ext_number(0, 4) == 0xABCDEF12);
    CHECK(b.sent[i].se);
    CHECK(b.sent[i].ack);
  }
  CHECK(b.sent[1].ext_len == 0);
  CHECK_FALSE(b.sent[1].se);
  CHECK(b.done[1].opcode == 0);
  CHECK(b.done[1].status == kSuccess);
  CHECK(b.peers[8].sends.size() == 2);
}

namespace {
Work local_of(unsigned op, std::uint32_t key) {
  Work w;
  w.op = op;
  w.rkey = key;
  return w;
}
}  // namespace

TEST_CASE("sq: RQ-54, MR-13: local operations stand in the order of the queue") {
  Bench b;
  b.connect(8);
  b.operation_time = 300;
  b.post(8, read_of(64, kDataBase, 0x40));
  Work bind = local_of(kBindMw, 0x345);
  bind.remote = 0x123456789A;
  bind.swap_add = 0x20000;
  bind.compare = 0x2E;
  bind.region = 0x111;
  b.post(8, bind);
  b.post(8, write_of(64));
  Work reg = local_of(kRegMr, kFastKey);
  reg.remote = kDataBase;
  reg.swap_add = 4096;
  reg.compare = 1;
  b.post(8, reg);
  Work w = write_of(64);
  w.list[0].key = kFastKey;  // good only behind the registration
  b.post(8, w);
  Work inv = local_of(kLocalInv, kFastKey);
  inv.signaled = false;
  b.post(8, inv);
  b.post(8, write_of(5));
  b.ring(8);
  REQUIRE(b.until(6));
  b.run(300);
  REQUIRE(b.done.size() == 6);
  const unsigned index[] = {0, 1, 2, 3, 4, 6}, opcode[] = {2, 5, 1, 8, 1, 1};
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(b.done[i].index == index[i]);
    CHECK(b.done[i].opcode == opcode[i]);
    CHECK(b.done[i].status == kSuccess);
  }
  REQUIRE(b.operations.size() == 3);
  const KeyOperation& o = b.operations[0];
  CHECK(o.op == 1);
  CHECK(o.key == 0x345);
  CHECK(o.qpn == 8);
  CHECK(o.pd == 7);
  CHECK(o.region == 0x111);
  CHECK(o.va == 0x123456789A);
  CHECK(o.length == 0x20000);
  CHECK(o.access == 0x2E);
  CHECK(b.operations[1].op == 2);
  CHECK(b.operations[1].length == 4096);
  CHECK(b.operations[2].op == 0);
  CHECK(b.operations[2].key == kFastKey);
  // Packets before each answer: those of the work requests before it, no more
  CHECK(b.operations[0].sent == 1);
  CHECK(b.operations[1].sent == 2);
  CHECK(b.operations[2].sent == 3);
  CHECK(psns(b) == List{0, 1, 2, 3});  // no sequence numbers of their own
  CHECK(b.live(8).idle);
  CHECK(b.live(8).completed == 7);
  CHECK(b.wrong_places == 0);
}

TEST_CASE("sq: MR-11, MR-12, MR-14, MR-15: a local operation that is refused ends the queue pair") {
  for (unsigned op : {kLocalInv, kBindMw, kRegMr}) {
    Bench b;
    b.connect(8);
    b.refuse = true;
    b.post(8, write_of(64));
    Work w = local_of(op, 0x345);
    w.signaled = false;  // RQ-47: a bad one completes all the same
    b.post(8, w);
    b.post(8, write_of(64));
    b.ring(8);
    REQUIRE(b.until(3));
    b.run(100);
    CHECK(b.done.size() == 3);
    CHECK(b.done[0].status == kSuccess);
    CHECK(b.done[1].status == (op == kBindMw ? kMwBindErr : kLocQpOpErr));
    CHECK(b.done[1].vendor == 6);
    CHECK(b.done[2].status == kWrFlushErr);
    CHECK(b.fails == 1);
    CHECK(b.sent.size() == 1);
  }
}

TEST_CASE("sq: RQ-54: local operations execute once, whatever is lost") {
  for (unsigned seed : {51u, 52u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    b.random.seed(seed);
    b.loss = 0.1;
    std::mt19937 random(seed);
    std::vector<unsigned> expected;
    std::size_t count = 0;
    Attr a;
    a.sq_log = 8;
    a.pmtu = 1;
    for (unsigned q = 0; q < 4; ++q) b.connect(q, a);
    std::vector<std::vector<unsigned>> keys(4);
    for (unsigned i = 0; i < 60; ++i) {
      for (unsigned q = 0; q < 4; ++q) {
        if (random() % 3 == 0) {
          keys[q].push_back(0x1000 + i);
          b.post(q, local_of(random() % 2 ? kBindMw : kLocalInv, 0x1000 + i));
        } else {
          b.post(q, random() % 2 ? write_of(random() % 1000)
                                 : read_of(random() % 1000, kDataBase + q * 0x10000));
        }
        ++count;
      }
    }
    for (unsigned q = 0; q < 4; ++q) b.ring(q);
    REQUIRE(b.until(count, 3000000));
    std::vector<unsigned> next(4);
    for (const Completion& c : b.done) {
      CHECK(c.status == kSuccess);
      CHECK(c.index == next[c.qpn]++);
    }
    for (unsigned q = 0; q < 4; ++q) {
      std::vector<unsigned> got;
      for (const KeyOperation& o : b.operations) {
        if (o.qpn == q) got.push_back(o.key);
      }
      CHECK(got == keys[q]);
    }
  }
}

TEST_CASE("sq: QP-12: SQD finishes a local operation that waits, and then is idle") {
  // The state changes at each of many clocks; what was seen must be finished, the rest not begun.
  for (unsigned at = 60; at < 400; at += 7) {
    CAPTURE(at);
    Bench b;
    b.connect(8);
    b.post(8, write_of(64));
    b.post(8, local_of(kLocalInv, 0x345));
    b.post(8, write_of(64));
    b.ring(8);
    b.run(at);
    b.set_state(8, 4);
    b.dut->pause_i = 1;
    b.run(600);
    b.dut->pause_i = 0;
    bool idle = false;
    std::size_t done = 0;
    for (unsigned i = 0; i < 200; ++i) {
      b.run(10);
      if (idle) CHECK(b.done.size() == done);  // idle is for good
      idle = b.live(8).idle;
      done = b.done.size();
    }
    CHECK(idle);
    b.set_state(8, 3);
    REQUIRE(b.until(3));
    CHECK(b.operations.size() == 1);
  }
}

TEST_CASE("sq: RQ-50, F-70: credits limit SENDs; one probe goes beyond") {
  Work send = write_of(64);
  send.op = kSend;
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  for (unsigned i = 0; i < 3; ++i) b.post(8, send);
  b.ring(8, 1);
  b.run(400);
  REQUIRE(b.sent.size() == 1);
  b.peers[8].msn = 1;
  b.respond(8, 0x11, 0, 0x00);  // acknowledged, no credits
  b.run(100);
  b.ring(8, 3);
  b.run(1500);
  CHECK(b.sent.size() == 2);  // one probe
  CHECK(b.sent[1].ack);
  // Credits come by repeating the newest acknowledgement: MSN 1 and 2 credits is SSN 3.
  b.respond(8, 0x11, 0, 0x02);
  b.run(600);
  CHECK(b.sent.size() == 3);
  b.peers[8].msn = 3;
  b.respond(8, 0x11, 2, 0x00);
  REQUIRE(b.until(3));
  for (const Completion& c : b.done) CHECK(c.status == kSuccess);

  // WRITE and READ need no credits, WRITE with immediate does; code 31 lifts the limit.
  b.post(8, write_of(64));
  b.post(8, read_of(64));
  Work imm = write_of(64);
  imm.op = kWriteImm;
  for (unsigned i = 0; i < 4; ++i) b.post(8, imm);
  b.ring(8);
  b.run(1500);
  CHECK(b.sent.size() == 5);  // the WRITE and the READ; something is in flight, so no probe
  b.peers[8].msn = 4;
  b.respond(8, 0x11, 3, 0x00);
  b.run(1500);
  CHECK(b.sent.size() == 5);
  b.peers[8].msn = 5;
  b.respond(8, 0x10, 4, 0x00, Bytes(64));
  b.run(1500);
  CHECK(b.sent.size() == 6);
  b.peers[8].msn = 6;
  b.respond(8, 0x11, 5, 0x1F);
  b.run(1500);
  CHECK(b.sent.size() == 9);
  b.respond(8, 0x11, 8, 0x1F);
  REQUIRE(b.until(9));
}

TEST_CASE("sq: RQ-50: what each credit code allows") {
  const unsigned credits[] = {0,  1,  2,  3,  4,  6,  8,  12, 16, 24, 32, 48, 64, 96, 128, 192,
                              256};
  for (unsigned code = 0; code < 17; ++code) {
    CAPTURE(code);
    Bench b;
    b.latency = 5;
    b.transport_time = 100000;
    Attr a;
    a.sq_log = 9;
    b.connect(8, a);
    b.auto_peer = false;
    Work send = write_of(1);
    send.op = kSend;
    send.signaled = false;
    for (unsigned i = 0; i < 300; ++i) b.post(8, send);
    b.ring(8, 1);
    b.run(100);
    b.peers[8].msn = 1;
    b.respond(8, 0x11, 0, code);
    b.run(50);
    b.ring(8);
    // Each packet is acknowledged with an MSN that stays, so the limit stays; the last one is not.
    std::size_t seen = 1;
    for (unsigned i = 0; i < 6000; ++i) {
      b.tick();
      if (b.sent.size() > seen && seen < credits[code]) b.respond(8, 0x11, unsigned(seen), code);
      if (b.sent.size() > seen) ++seen;
    }
    // a probe when nothing is in flight, and so for no credits only
    CHECK(b.sent.size() == 1 + (code == 0 ? 1 : credits[code]));
  }
}

TEST_CASE("sq: RQ-26: the transport timer that expires with an RNR NAK does not end the wait") {
  for (unsigned at = 0; at < 60; ++at) {
    CAPTURE(at);
    Bench b;
    b.wire = 0;
    b.connect(8);
    b.auto_peer = false;
    Work send = write_of(64);
    send.op = kSend;
    b.post(8, send);
    b.ring(8);
    while (b.sent.empty()) b.tick();
    b.run(b.transport_time - 35 + at);
    b.respond(8, 0x11, 0, 0x21);
    const std::size_t before = b.sent.size();
    b.run(b.rnr_time + 600);
    CHECK(b.sent.size() >= before + 1);
    b.respond(8, 0x11, 0, 0x1F);
    CHECK(b.until(1, 8000));
  }
}

TEST_CASE("sq: F-71: RNR NAKs to a READ, an atomic and a plain WRITE are obeyed") {
  for (unsigned kind = 0; kind < 3; ++kind) {
    Bench b;
    b.connect(8);
    b.auto_peer = false;
    b.post(8, kind == 0 ? read_of(64) : kind == 1 ? add_of(1) : write_of(64));
    b.ring(8);
    b.run(300);
    REQUIRE(b.sent.size() == 1);
    b.respond(8, 0x11, 0, 0x21);
    b.run(b.rnr_time - 100);
    CHECK(b.sent.size() == 1);
    b.auto_peer = true;
    REQUIRE(b.until(1));
    CHECK(b.done[0].status == kSuccess);
    CHECK(b.sent.size() == 2);
  }
}

TEST_CASE("sq: F-68: a NAK and an old ACK in turn end in an error") {
  Bench b;
  Attr a;
  a.retry = 3;
  b.connect(8, a);
  b.auto_peer = false;
  b.post(8, write_of(64));
  b.post(8, write_of(64));
  b.ring(8);
  b.run(300);
  b.respond(8, 0x11, 0, 0x1F);
  b.run(100);
  for (unsigned i = 0; i < 400 && b.done.size() < 2; ++i) {
    b.respond(8, 0x11, 1, 0x60);
    b.respond(8, 0x11, 0, 0x1F);
    b.run(200);
  }
  REQUIRE(b.done.size() == 2);
  CHECK(b.done[1].status == kRetryExcErr);
}

TEST_CASE("sq: F-69: one packet of progress in each timeout is progress") {
  Bench b;
  Attr a;
  a.retry = 1;
  a.pmtu = 1;
  b.connect(8, a);
  b.transport_time = 400;
  unsigned last = 0;
  b.lose_request = [&](const Packet& p) { return p.psn != last; };
  b.lose_response = [&](const Packet& p) {
    if (p.ext[0] == 0x1F && p.psn == last) ++last;
    return p.ext[0] == 0x60;
  };
  for (unsigned i = 0; i < 30; ++i) b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(30, 200000));
  for (const Completion& c : b.done) CHECK(c.status == kSuccess);
  CHECK(b.counters[5] >= 25);  // timeouts
}

TEST_CASE("sq: a work request that cannot be read ends the queue pair") {
  Bench b;
  b.connect(8);
  b.read_error = true;
  b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == kFatalErr);
  b.run(10);
  CHECK(b.fails == 1);
}

TEST_CASE("sq: inline data leave from the queue entry") {
  Bench b;
  Attr a;
  a.stride = 2;
  b.connect(8, a);
  Work w;
  w.op = kSend;
  w.inlined = true;
  for (unsigned i = 0; i < 150; ++i) w.inline_data.push_back(std::uint8_t(i ^ 0x5A));
  b.post(8, w);
  b.ring(8);
  REQUIRE(b.until(1));
  REQUIRE(b.peers[8].sends.size() == 1);
  CHECK(b.peers[8].sends[0] == w.inline_data);
}

TEST_CASE("sq: F-84: hostile doorbells") {
  Bench b;
  b.connect(8);
  b.post(8, write_of(64));
  b.ring(8);
  b.ring(8);
  b.ring(8, 0);  // going back
  REQUIRE(b.until(1));
  b.run(200);
  CHECK(b.done.size() == 1);
  CHECK(b.fails == 0);
  b.ring(8, 1 + 33);  // the ring has 32 entries
  b.run(300);
  CHECK(b.fails == 1);
  CHECK(b.sent.size() == 1);
}

TEST_CASE("sq: QP-09, RQ-52: a new life starts at its own PSN and index") {
  Bench b;
  b.connect(8);
  for (unsigned i = 0; i < 5; ++i) b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(5));
  Attr a;
  a.psn = 0x123456;
  b.connect(8, a);
  b.responses.clear();
  b.respond(8, 0x11, 4, 0x1F);
  b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(6));
  CHECK(b.done[5].index == 0);
  CHECK(b.done[5].status == kSuccess);
  CHECK(b.sent.back().psn == 0x123456);
}

TEST_CASE("sq: QP-12: SQD finishes what was begun and holds the rest") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  b.connect(8, a);
  b.post(8, write_of(100000));
  b.ring(8);
  b.run(150);
  b.set_state(8, 4);
  b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(1));
  b.run(500);
  CHECK(b.done.size() == 1);
  CHECK(b.live(8).idle);
  b.set_state(8, 3);
  REQUIRE(b.until(2));
}

TEST_CASE("sq: QP-10: ERR with work in flight flushes everything once, in order") {
  Bench b;
  b.connect(8);
  b.auto_peer = false;
  for (unsigned i = 0; i < 20; ++i) b.post(8, write_of(64));
  b.ring(8);
  b.run(200);
  b.set_state(8, 6);
  b.event(8, 2);
  REQUIRE(b.until(20));
  b.run(300);
  REQUIRE(b.done.size() == 20);
  for (unsigned i = 0; i < 20; ++i) {
    CHECK(b.done[i].index == i);
    CHECK(b.done[i].status == kWrFlushErr);
  }
}

TEST_CASE("sq: F-67: a sequence NAK for ever ends in RETRY_EXC_ERR") {
  Bench b;
  Attr a;
  a.retry = 3;
  a.timeout = 1;
  b.connect(8, a);
  b.auto_peer = false;
  b.post(8, write_of(64));
  b.ring(8);
  std::size_t seen = 0;
  // Going back for a NAK and for the timer in turn, since the second NAK of a gap is a stale one.
  for (unsigned i = 0; i < 20000 && b.done.empty(); ++i) {
    if (b.sent.size() > seen) {
      seen = b.sent.size();
      b.respond(8, 0x11, 0, 0x60);
    }
    b.tick();
  }
  REQUIRE(b.done.size() == 1);
  CHECK(b.done[0].status == kRetryExcErr);
  CHECK(b.done[0].vendor == 32);
  CHECK(b.sent.size() == 4);
}

TEST_CASE("sq: F-10: a copy of a NAK that comes between sending again and the ACK costs nothing") {
  for (unsigned late = 0; late <= 1000; late += 50) {
    CAPTURE(late);
    Bench b;
    Attr a;
    a.retry = 1;
    b.connect(8, a);
    unsigned lost = 0;
    b.lose_request = [&](const Packet& p) { return p.psn == 0 && lost++ == 0; };
    b.lose_response = [&](const Packet& p) {
      if ((p.ext[0] >> 5) == 3) {
        b.responses.push_back(p);
        b.responses.push_back(p);
        b.responses.back().at += late;
        return true;
      }
      return false;
    };
    for (unsigned i = 0; i < 4; ++i) b.post(8, write_of(64));
    b.ring(8);
    REQUIRE(b.until(4));
    for (const auto& c : b.done) CHECK(c.status == kSuccess);
    CHECK(b.counters[4] == 1);
  }
}

TEST_CASE("sq: F-10: copies of a NAK cost one going back") {
  Bench b;
  Attr a;
  a.retry = 1;
  b.connect(8, a);
  unsigned lost = 0;
  b.lose_request = [&](const Packet& p) { return p.psn == 0 && lost++ == 0; };
  b.lose_response = [&](const Packet& p) {
    if ((p.ext[0] >> 5) == 3)
      for (int i = 0; i < 10; ++i) b.responses.push_back(p);
    return false;
  };
  for (unsigned i = 0; i < 4; ++i) b.post(8, write_of(64));
  b.ring(8);
  REQUIRE(b.until(4));
  for (const auto& c : b.done) CHECK(c.status == kSuccess);
  CHECK(b.counters[4] == 1);
}

TEST_CASE("sq: 64-byte WRITEs of 64 queue pairs") {
  Bench b;
  b.latency = 200;
  b.wire = 125;
  for (unsigned q = 0; q < kQps; ++q) b.connect(q);
  for (unsigned i = 0; i < 32; ++i) {
    for (unsigned q = 0; q < kQps; ++q) b.post(q, write_of(64));
  }
  for (unsigned q = 0; q < kQps; ++q) b.ring(q);
  REQUIRE(b.until(kQps * 4));
  const auto from = b.dut.cycle();
  REQUIRE(b.until(kQps * 28));
  const double clocks = double(b.dut.cycle() - from) / (kQps * 24);
  std::printf("clocks per 64-byte WRITE over 64 queue pairs: %.2f\n", clocks);
  CHECK(clocks < 8);
  REQUIRE(b.until(kQps * 32));
}

TEST_CASE("sq: 64-byte WRITEs of 64 queue pairs, a doorbell each") {
  Bench b;
  b.latency = 200;
  b.wire = 125;
  for (unsigned q = 0; q < kQps; ++q) b.connect(q);
  std::size_t posted = 0;
  std::vector<std::size_t> open(kQps);
  std::size_t seen = 0;
  std::uint64_t from = 0;
  while (seen < 4000) {
    for (; seen < b.done.size(); ++seen) {
      --open[b.done[seen].qpn];
      if (seen == 1000) from = b.dut.cycle();
    }
    // the host posts one at a time, in turn
    const unsigned q = posted % kQps;
    if (open[q] < 16) {
      b.post(q, write_of(64));
      b.ring(q);
      ++open[q];
      ++posted;
    }
    b.run(3);
  }
  const double clocks = double(b.dut.cycle() - from) / 3000;
  std::printf("the same, posted one by one: %.2f\n", clocks);
  CHECK(clocks < 8);
}

TEST_CASE("sq: latency of a doorbell with memory that answers at once") {
  Bench b;
  b.latency = 1;
  b.wire = 0;
  b.auto_peer = false;
  b.connect(1);
  b.run(100);
  b.post(1, write_of(64));
  b.ring(1);
  const auto from = b.dut.cycle();
  while (b.sent.empty() && b.dut.cycle() < from + 200) b.tick();
  std::printf("doorbell to packet described: %lu clocks\n", b.dut.cycle() - from);
  CHECK(b.dut.cycle() - from < 40);
}

TEST_CASE("sq: one queue pair with long messages keeps the wire busy") {
  for (unsigned pmtu : {3u, 5u}) {
    Bench b;
    b.latency = 200;
    b.wire = 125;
    b.desc_every = pmtu == 3 ? 22 : 83;  // clocks of such a packet at 512 bits and 100 Gb/s
    Attr a;
    a.pmtu = pmtu;
    b.connect(1, a);
    for (unsigned i = 0; i < 8; ++i) b.post(1, write_of(200000));
    b.ring(1);
    REQUIRE(b.until(1));
    const auto from = b.dut.cycle();
    const std::size_t sent = b.sent.size();
    REQUIRE(b.until(7));
    const double clocks = double(b.dut.cycle() - from) / double(b.sent.size() - sent);
    std::printf("clocks per packet of %u bytes, one queue pair: %.2f (wire %u)\n", b.mtu(1), clocks,
                b.desc_every);
    CHECK(clocks < 1.02 * b.desc_every);
  }
}

TEST_CASE("sq: a long message does not starve short ones") {
  Bench b;
  b.latency = 200;
  b.desc_every = 22;
  b.connect(1);
  b.connect(2);
  for (unsigned i = 0; i < 8; ++i) b.post(1, write_of(250000));
  b.ring(1);
  b.run(2000);
  b.post(2, write_of(64));
  b.ring(2);
  const auto from = b.dut.cycle();
  while (b.done.empty() || b.done.back().qpn != 2) b.tick();
  CHECK(b.dut.cycle() - from < 2000);
}

TEST_CASE("sq: READs over a lossy wire bring the right bytes") {
  for (unsigned seed : {21u, 22u, 23u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    std::mt19937 random(seed);
    b.random.seed(seed);
    b.loss = 0.04;
    std::vector<unsigned> at(4), len(4);
    std::size_t count = 0;
    for (unsigned q = 0; q < 4; ++q) {
      Attr a;
      a.pmtu = 1 + q % 3;
      a.psn = 0xFFFFF0;
      a.max_rd = 1 + random() % 4;
      b.connect(q, a);
      for (auto& byte : b.peers[q].memory) byte = std::uint8_t(random());
    }
    struct Piece {
      unsigned q;
      std::uint64_t into, from;
      unsigned len;
    };
    std::vector<Piece> pieces;
    for (unsigned i = 0; i < 20; ++i) {
      for (unsigned q = 0; q < 4; ++q) {
        const Piece p{q, kDataBase + q * 0x100000 + i * 0x4000, random() % 0x10000,
                      unsigned(random() % 0x3000)};
        pieces.push_back(p);
        b.post(q, read_of(p.len, p.into, p.from));
        ++count;
      }
    }
    for (unsigned q = 0; q < 4; ++q) b.ring(q);
    REQUIRE(b.until(count, 3000000));
    b.run(100);
    for (const Completion& c : b.done) CHECK(c.status == kSuccess);
    for (const Piece& p : pieces) {
      CHECK(std::equal(b.memory.begin() + long(p.into), b.memory.begin() + long(p.into + p.len),
                       b.peers[p.q].memory.begin() + long(p.from)));
    }
    CHECK(b.wrong_places == 0);
  }
}

TEST_CASE("sq: F-42, F-18: lost atomics execute once") {
  Bench b;
  b.random.seed(31);
  b.loss = 0.1;
  Attr a;
  a.max_rd = 4;
  a.sq_log = 8;
  b.connect(1, a);
  for (unsigned i = 0; i < 200; ++i) b.post(1, add_of(1, kDataBase + 8 * i));
  b.ring(1);
  REQUIRE(b.until(200, 3000000));
  b.run(20);
  std::uint64_t sum = 0;
  std::memcpy(&sum, &b.peers[1].memory[64], 8);
  CHECK(sum == 200);
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::uint64_t old = 0;
    std::memcpy(&old, &b.memory[kDataBase + 8 * i], 8);
    CHECK(old == i);
  }
}

TEST_CASE("sq: work request indices and ring wrap") {
  Bench b;
  b.latency = 10;
  Attr a;
  a.sq_log = 2;
  b.connect(1, a);
  for (unsigned i = 0; i < 66000; i += 4) {
    for (unsigned k = 0; k < 4; ++k) {
      Work w = write_of(k);
      w.signaled = k == 3;
      b.post(1, w);
    }
    b.ring(1);
    REQUIRE(b.until(i / 4 + 1));
    REQUIRE(b.done.back().index == ((i + 3) & 0xFFFF));
    b.sent.clear();
  }
}

TEST_CASE("sq: a pause ends with everything at rest, and nothing is lost") {
  Bench b;
  for (unsigned q = 0; q < 8; ++q) b.connect(q);
  for (unsigned i = 0; i < 20; ++i) {
    for (unsigned q = 0; q < 8; ++q) b.post(q, write_of(3000));
  }
  for (unsigned q = 0; q < 8; ++q) b.ring(q);
  for (unsigned k = 0; k < 20; ++k) {
    b.run(37);
    b.dut->pause_i = 1;
    b.run(3000);
    CHECK(b.dut->idle_o);
    const std::size_t sent = b.sent.size();
    b.run(100);
    CHECK(b.sent.size() == sent);
    b.dut->pause_i = 0;
  }
  REQUIRE(b.until(160));
  b.run(100);
  CHECK(b.dut->idle_o);
  for (const Completion& c : b.done) CHECK(c.status == kSuccess);
}

TEST_CASE("sq: RQ-07: lists are gathered in order, empty entries included") {
  for (unsigned pmtu : {1u, 5u}) {
    Bench b;
    Attr a;
    a.pmtu = pmtu;
    a.stride = 2;
    b.connect(1, a);
    Work w;
    w.op = kSend;
    const std::uint32_t sizes[] = {7, 0, 300, 301, 1, 1, 64, 0, 900, 2, 3, 4, 0};
    Bytes want;
    for (unsigned i = 0; i < 13; ++i) {
      w.list.push_back({kDataBase + i * 5000 + i, sizes[i]});
      want.insert(want.end(), b.memory.begin() + long(w.list[i].addr),
                  b.memory.begin() + long(w.list[i].addr + sizes[i]));
    }
    for (unsigned i = 0; i < 3; ++i) b.post(1, w);
    b.post(1, write_of(50));
    b.post(1, w);
    b.ring(1);
    REQUIRE(b.until(5));
    REQUIRE(b.peers[1].sends.size() == 4);
    for (const Bytes& got : b.peers[1].sends) CHECK(got == want);
    CHECK(b.wrong_places == 0);
  }
}

TEST_CASE("sq: RQ-43: a bad entry in a list stops the packet that needs it") {
  Bench b;
  Attr a;
  a.pmtu = 1;
  a.stride = 1;
  b.connect(1, a);
  Work w = write_of(300);
  w.list.push_back({kDataBase + 4000, 300});
  w.list.push_back({kDataBase + 8000, 300, kBadKey});
  b.post(1, write_of(10));
  b.post(1, w);
  b.post(1, write_of(10));
  b.ring(1);
  REQUIRE(b.until(3));
  b.run(100);
  CHECK(b.done[0].status == kSuccess);
  CHECK(b.done[1].status == kLocProtErr);
  CHECK(b.done[2].status == kWrFlushErr);
  CHECK(opcodes(b) == List{0x0A, 6, 7});
}

TEST_CASE("sq: a list shorter than the message") {
  Bench b;
  Attr a;
  a.pmtu = 5;
  a.stride = 1;
  b.connect(1, a);
  Work w = write_of(300);
  w.list.push_back({kDataBase + 4000, 300});
  w.length = 700;
  b.post(1, w);
  b.ring(1);
  REQUIRE(b.until(1));
  CHECK(b.done[0].status == kLocLenErr);
  CHECK(b.sent.empty());
}

TEST_CASE("sq: READs into lists, of two queue pairs at once, over a lossy wire") {
  for (unsigned seed : {41u, 42u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    std::mt19937 random(seed);
    b.random.seed(seed);
    b.loss = 0.03;
    Attr a;
    a.pmtu = 1;
    a.stride = 2;
    struct Piece {
      unsigned q;
      std::uint64_t into, from;
      unsigned len;
    };
    std::vector<Piece> pieces;
    for (unsigned q = 0; q < 2; ++q) {
      b.connect(q, a);
      for (auto& byte : b.peers[q].memory) byte = std::uint8_t(random());
    }
    for (unsigned i = 0; i < 10; ++i) {
      for (unsigned q = 0; q < 2; ++q) {
        Work w = read_of(0, 0, random() % 0x10000);
        std::uint64_t from = w.remote;
        const unsigned entries = 1 + random() % 13;
        for (unsigned e = 0; e < entries; ++e) {
          const std::uint32_t len = random() % 4 == 0 ? 0 : random() % 400;
          const std::uint64_t into =
              kDataBase + q * 0x100000 + i * 0x8000 + e * 512 + random() % 100;
          w.list.push_back({into, len});
          pieces.push_back({q, into, from, len});
          from += len;
        }
        b.post(q, w);
      }
    }
    b.ring(0);
    b.ring(1);
    REQUIRE(b.until(20, 2000000));
    b.run(100);
    for (const Completion& c : b.done) CHECK(c.status == kSuccess);
    for (const Piece& p : pieces) {
      CHECK(std::equal(b.memory.begin() + long(p.into), b.memory.begin() + long(p.into + p.len),
                       b.peers[p.q].memory.begin() + long(p.from)));
    }
    CHECK(b.wrong_places == 0);
  }
}

TEST_CASE(
    "sq: soak over a lossy wire: every work request completes once, in order, with its data") {
  for (unsigned seed : {11u, 12u, 13u, 14u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return unsigned(random() % n); };
    b.random.seed(seed);
    b.loss = seed == 11 ? 0 : 0.03;
    b.desc_every = 1 + seed % 3;
    const unsigned qps = 8;
    std::vector<std::vector<Work>> works(qps);
    for (unsigned q = 0; q < qps; ++q) {
      Attr a;
      a.pmtu = 1 + pick(3);
      a.psn = pick(3) == 0 ? 0xFFFFF0 : random() & 0xFFFFFF;
      a.max_rd = 1 + pick(16);
      b.connect(q, a);
      b.peers[q].rnr = int(pick(3));
    }
    std::vector<unsigned> finished(qps);
    std::vector<std::uint64_t> added(qps);
    std::size_t seen = 0, total = 0;
    const unsigned each = 60;
    for (unsigned clock = 0; clock < 3000000 && total < qps * each; ++clock) {
      const unsigned q = pick(qps);
      if (works[q].size() < each && works[q].size() - finished[q] < 32 && pick(20) == 0) {
        const std::uint64_t local = kDataBase + q * 0x40000 + pick(0x10000);
        const unsigned sizes[] = {0, 1, 3, 255, 256, 257, 1024, 1500, 5000, 20000, 40000};
        const std::uint32_t len = sizes[pick(11)];
        Work w = write_of(len, local, pick(0x8000) + 0x1000);
        const unsigned kind = pick(10);
        w.op = kind < 3    ? kWrite
               : kind < 5  ? kRead
               : kind < 7  ? kSend
               : kind == 7 ? kWriteImm
               : kind == 8 ? kSendImm
                           : kFetchAdd;
        if (w.op == kFetchAdd) {
          w = add_of(1 + pick(5), kDataBase + q * 0x40000 + 0x30000 + 8 * works[q].size());
          added[q] += w.swap_add;
        } else if (w.op == kRead && len) {
          w.list[0].addr = kDataBase + q * 0x40000 + 0x20000;
        }
        w.fence = pick(8) == 0;
        works[q].push_back(w);
        b.post(q, w);
        b.ring(q);
      }
      b.tick();
      for (; seen < b.done.size(); ++seen) {
        const Completion& c = b.done[seen];
        REQUIRE(c.status == kSuccess);
        REQUIRE(c.index == finished[c.qpn]);
        ++finished[c.qpn];
        ++total;
      }
    }
    REQUIRE(total == qps * each);
    b.loss = 0;
    b.run(500);
    CHECK(b.done.size() == qps * each);
    CHECK(b.wrong_places == 0);
    for (unsigned q = 0; q < qps; ++q) {
      std::size_t send = 0;
      for (const Work& w : works[q]) {
        if (w.op != kSend && w.op != kSendImm) continue;
        REQUIRE(send < b.peers[q].sends.size());
        const Bytes& got = b.peers[q].sends[send++];
        const std::uint64_t from = w.list.empty() ? kDataBase : w.list[0].addr;
        const std::size_t len = w.list.empty() ? 0 : w.list[0].length;
        REQUIRE(got.size() == len);
        CHECK(std::equal(got.begin(), got.end(), b.memory.begin() + long(from)));
      }
      CHECK(send == b.peers[q].sends.size());
      std::uint64_t sum = 0;
      std::memcpy(&sum, &b.peers[q].memory[64], 8);
      CHECK(sum == added[q]);
      CHECK(b.live(q).idle);
    }
  }
}
