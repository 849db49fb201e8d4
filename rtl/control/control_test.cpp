// The control block over its register bus, as firmware, driver and engines see it.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "control/bench.hpp"

using namespace control_bench;

namespace {

const std::uint32_t kFlush = code(spec::kQpEvents, "Flush");
const std::uint32_t kInitRequester = code(spec::kQpEvents, "InitRequester");
const std::uint32_t kInitResponder = code(spec::kQpEvents, "InitResponder");

/// Bits of a register that keep what is written; the rest reads 0. From the field texts.
std::uint32_t kept_bits(std::string_view name) {
  if (name == "Control") return 0x3;
  if (name == "AdminSize") return 0xFFFFF00F;
  if (name == "EqSize") return 0xFFFFF01F;
  if (name == "AdminDoorbell" || name == "AdminDone" || name == "EqConsumer") return 0xFFFF;
  if (name == "MacHi") return 0xFFFF;
  if (name == "CounterSelect") return 0xF;
  return 0xFFFFFFFF;
}

/// Commands act when written; they have tests of their own.
bool is_command(std::string_view name) {
  return name == "TableCommand" || name == "FenceCommand" || name == "DmaCommand" ||
         name == "TxFrameCommand";
}

struct Eqe {
  unsigned kind, number;
  bool owner;
  bool operator==(const Eqe& o) const {
    return kind == o.kind && number == o.number && owner == o.owner;
  }
};
constexpr std::uint64_t kEq = 0x40000;
constexpr unsigned kEqPasid = 5;

void start_eq(Bench& bench, unsigned log) {
  bench.write("EqBaseLo", kEq);
  bench.write("EqBaseHi", 0);
  bench.write("EqSize", kEqPasid << 12 | log);
  bench.write("EqSize", kEqPasid << 12 | 1u << 4 | log);
}
Eqe eqe(const Bench& bench, unsigned index) {
  const auto bytes = bench.bytes_at(kEqPasid, kEq + 16 * index, 16);
  return {static_cast<unsigned>(get_memory(bytes.data(), place_of(spec::kEqe, "kind"))),
          static_cast<unsigned>(get_memory(bytes.data(), place_of(spec::kEqe, "number"))),
          get_memory(bytes.data(), place_of(spec::kEqe, "owner")) != 0};
}
unsigned count_of(const Bench& bench, unsigned client) {
  unsigned n = 0;
  for (const auto& w : bench.writes) n += w.first == client;
  return n;
}

std::vector<std::uint8_t> frame(std::initializer_list<std::pair<unsigned, unsigned>> bytes,
                                unsigned length, std::mt19937& random) {
  std::vector<std::uint8_t> out(length);
  for (auto& b : out) b = static_cast<std::uint8_t>(random() & 0x7F);
  for (const auto& [at, value] : bytes) out[at] = static_cast<std::uint8_t>(value);
  return out;
}

}  // namespace

TEST_CASE(
    "control: registers reset to their values, keep their bits and ignore what is not theirs") {
  Bench bench;
  for (const auto& r : spec::kRegisters) {
    INFO(std::string(r.name));
    if (r.name == "Parameters") {
      CHECK(bench.read(r.offset) == ((DATA_WIDTH / 8) | 4 << 8 | 5 << 16 | 4 << 24));
    } else if (r.name == "Parameters2") {
      CHECK(bench.read(r.offset) == 3);
    } else if (r.name != "TimeLo" && r.name != "TimeHi") {
      CHECK(bench.read(r.offset) == r.reset);
    }
  }
  for (const auto& r : spec::kRegisters) {
    if (r.access != "rw" || is_command(r.name)) continue;
    INFO(std::string(r.name));
    for (unsigned bit = 0; bit < 32; ++bit) {
      if (r.name == "EqSize" && bit == 4) continue;
      bench.write(r.offset, 1u << bit);
      CHECK(bench.read(r.offset) == (1u << bit & kept_bits(r.name)));
      bench.write(r.offset, ~(1u << bit) & ~(r.name == "EqSize" ? 1u << 4 : 0));
      CHECK(bench.read(r.offset) ==
            (~(1u << bit) & kept_bits(r.name) & ~(r.name == "EqSize" ? 1u << 4 : 0)));
    }
    bench.write(r.offset, 0);
  }
  for (const auto& r : spec::kRegisters) {  // read-only ones do not take writes
    if (r.access != "ro" || r.name == "TimeLo" || r.name == "TimeHi") continue;
    const std::uint32_t before = bench.read(r.offset);
    bench.write(r.offset, ~before);
    CHECK(bench.read(r.offset) == before);
  }
  bench.write("Control", 3);
  bench.write(reg("Control"), 0, 0x7);  // a byte is missing
  CHECK(bench.read("Control") == 3);
  CHECK(bench.dut->enable_o == 1);
  std::set<std::uint32_t> mapped;
  for (const auto& r : spec::kRegisters) mapped.insert(r.offset);
  for (std::uint32_t a = 0; a < 0x1100; a += 4) {
    if (mapped.count(a)) continue;
    bench.write(a, 0xFFFFFFFF);
    CHECK(bench.read(a) == 0);
  }
  for (std::uint32_t a :
       {0x1180u, 0x2600u, 0x27FCu, 0x3600u, 0x4000u, 0x100000u, 0x180004u, 0x3FFFFCu}) {
    bench.write(a, 0xFFFFFFFF);
    CHECK(bench.read(a) == 0);
  }
}

TEST_CASE("control: windows keep their words") {
  Bench bench;
  for (const char* name : {"TableData", "DmaData", "TxFrameData"}) {
    const std::uint32_t base = window(name);
    const unsigned words = std::string(name) == "TxFrameData" ? 384 : 16;
    std::vector<std::uint32_t> expect(words);
    for (unsigned i = 0; i < words; ++i) bench.write(base + 4 * i, expect[i] = bench.random());
    for (unsigned i = 0; i < words; ++i) CHECK(bench.read(base + 4 * i) == expect[i]);
  }
}

TEST_CASE("control: TimeLo latches TimeHi") {
  Bench bench;
  bench.dut->now_i = 0x1FFFFFFF0ull;
  bench.now_step = 0;
  CHECK(bench.read("TimeLo") == 0xFFFFFFF0u);
  bench.dut->now_i = 0x2000000000ull;
  CHECK(bench.read("TimeHi") == 1);
}

TEST_CASE("control: a doorbell is taken each clock and reaches its engine in order") {
  Bench bench;
  unsigned taken = 0;
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned qpn = i % (kNumQps + 4), receive = i / 4 % 2;
    bench.dut->s_axil_awaddr_i = window("QpDoorbell") + 16 * qpn + 4 * receive;
    bench.dut->s_axil_wdata_i = 1000 + i;
    bench.dut->s_axil_wstrb_i = 15;
    bench.dut->s_axil_awvalid_i = 1;
    bench.dut->s_axil_wvalid_i = 1;
    bench.dut.settle();
    taken += bench.dut->s_axil_awready_o && bench.dut->s_axil_wready_o;
    bench.step();
  }
  bench.dut->s_axil_awvalid_i = 0;
  bench.dut->s_axil_wvalid_i = 0;
  bench.run(10);
  CHECK(taken == 64);
  std::vector<unsigned> sq, rq;
  for (unsigned i = 0; i < 64; ++i) {
    if (i % (kNumQps + 4) < kNumQps) (i / 4 % 2 ? rq : sq).push_back(i);
  }
  REQUIRE(bench.sq_doorbells.size() == sq.size());
  REQUIRE(bench.rq_doorbells.size() == rq.size());
  for (std::size_t i = 0; i < sq.size(); ++i) {
    CHECK(bench.sq_doorbells[i].qpn == sq[i] % (kNumQps + 4));
    CHECK(bench.sq_doorbells[i].index == 1000 + sq[i]);
  }
  for (std::size_t i = 0; i < rq.size(); ++i) CHECK(bench.rq_doorbells[i].index == 1000 + rq[i]);
}

TEST_CASE("control: doorbells wait for an engine that is not ready, and none is lost") {
  Bench bench;
  std::vector<unsigned> sent;
  unsigned i = 0;
  while (sent.size() < 200) {
    bench.dut->sq_doorbell_ready_i = bench.random() % 3 == 0;
    const bool aw = bench.random() % 2, w = bench.random() % 2;
    bench.dut->s_axil_awvalid_i = bench.dut->s_axil_awvalid_i || aw;
    bench.dut->s_axil_wvalid_i = bench.dut->s_axil_wvalid_i || w;
    bench.dut->s_axil_bready_i = bench.random() % 2;
    bench.dut->s_axil_awaddr_i = window("QpDoorbell") + 16 * (i % kNumQps);
    bench.dut->s_axil_wdata_i = i;
    bench.dut->s_axil_wstrb_i = 15;
    bench.dut.settle();
    const bool taken = bench.dut->s_axil_awvalid_i && bench.dut->s_axil_awready_o;
    CHECK(taken == (bench.dut->s_axil_wvalid_i && bench.dut->s_axil_wready_o));
    bench.step();
    if (taken) {
      sent.push_back(i++);
      bench.dut->s_axil_awvalid_i = 0;
      bench.dut->s_axil_wvalid_i = 0;
    }
  }
  bench.dut->s_axil_awvalid_i = 0;
  bench.dut->s_axil_wvalid_i = 0;
  bench.dut->sq_doorbell_ready_i = 1;
  bench.run(20);
  REQUIRE(bench.sq_doorbells.size() == sent.size());
  for (std::size_t k = 0; k < sent.size(); ++k) CHECK(bench.sq_doorbells[k].index == k);
}

TEST_CASE("control: rows go out on the row bus and read back from the tables that keep them") {
  Bench bench;
  struct Table {
    const char* name;
    unsigned rows, bits;
    bool reads;
  };
  const Table tables[] = {{"QpAttr", kNumQps, spec::total_bits(spec::kQpAttr), true},
                          {"Av", kNumQps, spec::total_bits(spec::kAv), false},
                          {"Key", kNumKeys, spec::total_bits(spec::kKey), true},
                          {"Srq", kNumSrqs, spec::total_bits(spec::kSrq), true},
                          // `resize` is an order and reads 0
                          {"Cq", kNumCqs, place_of(spec::kCq, "resize").offset, true}};
  for (const Table& t : tables) {
    INFO(std::string(t.name));
    std::vector<Row> content(t.rows);
    bench.rows.clear();
    for (unsigned r = 0; r < t.rows; ++r) {
      for (int i = 0; i < 16; ++i) content[r][i] = bench.random();
      bench.table_write(table(t.name), r, content[r]);
    }
    REQUIRE(bench.rows.size() == t.rows);
    for (unsigned r = 0; r < t.rows; ++r) {
      CHECK(bench.rows[r].table == table(t.name));
      CHECK(bench.rows[r].index == r);
      CHECK(bench.rows[r].data == content[r]);
    }
    bench.table_write(table(t.name), t.rows, content[0]);  // out of range
    bench.table_write(table(t.name), 1u << 23, content[0]);
    CHECK(bench.rows.size() == t.rows);
    CHECK(bench.table_read(table(t.name), t.rows) == Row{});
    for (unsigned r = 0; r < t.rows; ++r) {
      Row expect;
      for (unsigned bit = 0; t.reads && bit < t.bits; ++bit) {
        expect[bit / 32] |= content[r][bit / 32] & 1u << bit % 32;
      }
      CHECK(bench.table_read(table(t.name), r) == expect);
    }
  }
}

TEST_CASE("control: live state comes from both engines") {
  Bench bench;
  port::clear(bench.dut->live_sq_i);
  port::clear(bench.dut->live_rq_i);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_psn"), 0x123456);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_una_psn"), 0x123450);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_completed"), 0xBEEF);
  port::put(bench.dut->live_sq_i, place_of(spec::kQpLive, "sq_idle"), 1);
  port::put(bench.dut->live_rq_i, place_of(spec::kQpLive, "rq_psn"), 0xABCDEF);
  port::put(bench.dut->live_rq_i, place_of(spec::kQpLive, "msn"), 0x777777);
  bench.table_start(table("QpLive"), 9, false);
  bench.run(10);
  CHECK(bench.dut->live_qpn_o == 9);
  CHECK(bench.dut->live_sq_valid_o == 1);
  CHECK(bench.dut->live_rq_valid_o == 1);
  CHECK((bench.read("TableCommand") >> kBusy) == 1);
  bench.dut->live_rq_ready_i = 1;
  bench.step();
  bench.dut->live_rq_ready_i = 0;
  port::clear(bench.dut->live_rq_i);
  CHECK(bench.dut->live_rq_valid_o == 0);
  bench.run(5);
  bench.dut->live_sq_ready_i = 1;
  bench.step();
  bench.dut->live_sq_ready_i = 0;
  bench.table_wait();
  Row row;
  for (int i = 0; i < 16; ++i) row[i] = bench.read(window("TableData") + 4 * i);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_psn")) == 0x123456);
  CHECK(port::get(row, place_of(spec::kQpLive, "rq_psn")) == 0xABCDEF);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_una_psn")) == 0x123450);
  CHECK(port::get(row, place_of(spec::kQpLive, "msn")) == 0x777777);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_completed")) == 0xBEEF);
  CHECK(port::get(row, place_of(spec::kQpLive, "sq_idle")) == 1);
}

TEST_CASE("control: states change on the row bus first and then the engines are told") {
  Bench bench;
  const unsigned path[] = {state("Init"), state("Rtr"), state("Rts"),  state("Sqd"),
                           state("Rts"),  state("Err"), state("Reset")};
  CHECK(bench.get_state(3) == state("Reset"));
  for (unsigned next : path) {
    bench.rows.clear();
    bench.sq_events.clear();
    bench.rq_events.clear();
    const unsigned before = bench.get_state(3);
    bench.set_state(3, next);
    bench.run(10);
    CHECK(bench.get_state(3) == next);
    REQUIRE(bench.rows.size() == 1);
    CHECK(bench.rows[0].table == table("QpState"));
    CHECK(bench.rows[0].index == 3);
    CHECK(bench.rows[0].data[0] == next);
    const bool responder = next == state("Rtr");
    const bool requester = next == state("Rts") && before == state("Rtr");
    const bool flush = next == state("Err");
    CHECK(bench.sq_events.size() == (requester || flush));
    CHECK(bench.rq_events.size() == (responder || flush));
    for (const auto* list : {&bench.sq_events, &bench.rq_events}) {
      for (const EventSeen& e : *list) {
        CHECK(e.qpn == 3);
        CHECK(e.kind == (flush                      ? kFlush
                         : list == &bench.sq_events ? kInitRequester
                                                    : kInitResponder));
        CHECK(e.cycle > bench.rows[0].cycle);
      }
    }
  }
  for (unsigned q = 0; q < kNumQps; ++q) CHECK(bench.get_state(q) == state("Reset"));
}

TEST_CASE("control: a failure acts in INIT to SQD only, once, and firmware and host hear of it") {
  Bench bench;
  start_eq(bench, 6);
  const unsigned states[] = {state("Reset"), state("Init"), state("Rtr"),
                             state("Rts"),   state("Sqd"),  state("Err")};
  unsigned q = 0, expected = 0;
  for (unsigned s : states) {
    bench.set_state(q, s);
    bench.run(10);
    bench.sq_events.clear();
    bench.rq_events.clear();
    const bool acts = s != state("Reset") && s != state("Err");
    bench.fails[q % 2].push_back({event_kind("QpAccess"), q});
    bench.fails[1 - q % 2].push_back({event_kind("QpFatal"), q});
    bench.run(60);
    CHECK(bench.get_state(q) == (acts ? state("Err") : s));
    CHECK(bench.sq_events.size() == acts);
    CHECK(bench.rq_events.size() == acts);
    expected += acts;
    CHECK(count_of(bench, 1) == expected);
    if (acts) {
      const Eqe event = eqe(bench, expected - 1);
      CHECK((event.kind == event_kind("QpAccess") || event.kind == event_kind("QpFatal")));
      CHECK(event.number == q);
      CHECK(bench.dut->attention_o == 1);
      CHECK(bench.read("Attention") == 4);
      CHECK(bench.read("EngineEvent") == (1u << 31 | event.kind << 24 | q));
    }
    CHECK(bench.read("EngineEvent") == 0);
    CHECK(bench.dut->attention_o == 0);
    ++q;
  }
}

TEST_CASE("control: failures are taken while the engines do not take their orders") {
  Bench bench;
  for (unsigned q = 0; q < kNumQps; ++q) {
    bench.set_state(q, state("Init"));
    bench.set_state(q, state("Rtr"));
  }
  bench.run(20);
  bench.engines_ready = false;
  bench.sq_events.clear();
  for (unsigned q = 0; q < kNumQps; ++q) bench.fails[q % 2].push_back({event_kind("QpFatal"), q});
  bench.run(400);
  CHECK(bench.fails[0].empty());
  CHECK(bench.fails[1].empty());
  bench.table_start(table("QpState"), 0, true);  // firmware has to wait
  bench.run(50);
  CHECK((bench.read("TableCommand") >> kBusy) == 1);
  bench.engines_ready = true;
  bench.table_wait();
  CHECK(bench.sq_events.size() == kNumQps);
}

TEST_CASE("control: plain and posted events reach the host and change no state") {
  Bench bench;
  start_eq(bench, 4);
  CHECK(bench.dut->irq_o == 0);
  bench.set_state(2, state("Rtr"));
  bench.plain_events.push_back({event_kind("CommEst"), 2});
  bench.run(60);
  bench.write("EventPost", event_kind("SqDrained") << 24 | 0x123456);
  bench.run(60);
  CHECK(eqe(bench, 0) == Eqe{event_kind("CommEst"), 2, true});
  CHECK(eqe(bench, 1) == Eqe{event_kind("SqDrained"), 0x123456, true});
  CHECK(bench.get_state(2) == state("Rtr"));
  CHECK(bench.read("EngineEvent") == 0);
  CHECK(bench.dut->irq_o == 1);
  bench.write("EqConsumer", 1);
  CHECK(bench.dut->irq_o == 1);
  bench.write("EqConsumer", 2);
  CHECK(bench.dut->irq_o == 0);
}

TEST_CASE("control: CQ-12 a full event queue loses events, tells so and writes over nothing") {
  Bench bench;
  start_eq(bench, 2);
  for (unsigned i = 0; i < 7; ++i) bench.write("EventPost", 3u << 24 | i);
  bench.run(60);
  CHECK(count_of(bench, 1) == 4);
  CHECK(bench.read("EqStatus") == 1);
  for (unsigned i = 0; i < 4; ++i) CHECK(eqe(bench, i) == Eqe{3, i, true});
  bench.write("EqStatus", 0);
  CHECK(bench.read("EqStatus") == 1);
  bench.write("EqStatus", 1);
  CHECK(bench.read("EqStatus") == 0);
  bench.write("EqConsumer", 3);
  for (unsigned i = 0; i < 3; ++i) bench.write("EventPost", 3u << 24 | (10 + i));
  bench.run(60);
  for (unsigned i = 0; i < 3; ++i) CHECK(eqe(bench, i) == Eqe{3, 10 + i, false});
  CHECK(eqe(bench, 3) == Eqe{3, 3, true});
  CHECK(bench.read("EqStatus") == 0);
  for (unsigned i = 0; i < 64; ++i) CHECK(bench.byte_at(kEqPasid, kEq + 64 + i) == 0xEE);
  // Off, events go nowhere; on again, the ring starts over.
  bench.write("EqSize", kEqPasid << 12 | 2);
  bench.write("EventPost", 3u << 24 | 99);
  bench.run(40);
  CHECK(count_of(bench, 1) == 7);
  CHECK(bench.dut->irq_o == 0);
  start_eq(bench, 2);
  CHECK(bench.read("EqConsumer") == 0);
  CHECK(bench.dut->irq_o == 0);
  bench.write("EventPost", 3u << 24 | 77);
  bench.run(40);
  CHECK(eqe(bench, 0) == Eqe{3, 77, true});
}

TEST_CASE("control: a completion overflow fails the queue pair and raises CqError once (CQ-07)") {
  Bench bench;
  start_eq(bench, 6);
  const std::uint64_t ring = 0x10000;
  bench.make_cq(4, ring, 2);
  bench.set_state(6, state("Rts"));
  bench.run(10);
  bench.sq_events.clear();
  for (unsigned i = 0; i < 12; ++i) {
    Bench::Cqe c;
    c.cqn = 4;
    c.qpn = 6;
    c.wqe_index = i;
    bench.cqes[0].push_back(c);
  }
  bench.run(300);
  CHECK(count_of(bench, 0) == 4);
  for (unsigned i = 0; i < 4; ++i) {
    const auto bytes = bench.bytes_at(7, ring + 32 * i, 32);
    CHECK(get_memory(bytes.data(), place_of(spec::kCqe, "wqe_index")) == i);
    CHECK(get_memory(bytes.data(), place_of(spec::kCqe, "owner")) == 1);
  }
  CHECK(bench.byte_at(7, ring + 128) == 0xEE);
  CHECK(bench.get_state(6) == state("Err"));
  CHECK(bench.sq_events.size() == 1);
  REQUIRE(count_of(bench, 1) == 2);
  unsigned errors = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const Eqe e = eqe(bench, i);
    errors += e == Eqe{event_kind("CqError"), 4, true};
    if (e.kind != event_kind("CqError")) CHECK(e == Eqe{event_kind("QpFatal"), 6, true});
  }
  CHECK(errors == 1);
  std::set<std::uint32_t> told{bench.read("EngineEvent"), bench.read("EngineEvent")};
  CHECK(told == std::set<std::uint32_t>{1u << 31 | event_kind("CqError") << 24 | 4,
                                        1u << 31 | event_kind("QpFatal") << 24 | 6});
  CHECK(bench.read("EngineEvent") == 0);
  CHECK(bench.dut->idle_o == 1);
}

TEST_CASE("control: firmware reads and writes 64 bytes of host memory") {
  Bench bench;
  const std::uint64_t address = 0x123456789AC0ull;
  std::vector<std::uint32_t> words(16);
  for (unsigned i = 0; i < 16; ++i)
    bench.write(window("DmaData") + 4 * i, words[i] = bench.random());
  bench.write("DmaAddressLo", static_cast<std::uint32_t>(address) | 0x15);
  bench.write("DmaAddressHi", static_cast<std::uint32_t>(address >> 32));
  bench.percent_ready = 30;
  bench.write("DmaCommand", 1u << 31 | 1u << 30 | 0xABCDE);
  CHECK(bench.read("DmaCommand") == (1u << 31 | 1u << 30 | 0xABCDE));
  while (bench.read("DmaCommand") >> 31) {
  }
  for (unsigned i = 0; i < 64; ++i) {
    // A write goes to any address, a read to the block around it.
    CHECK(bench.byte_at(0xABCDE, address + 0x15 + i) == (words[i / 4] >> 8 * (i % 4) & 0xFF));
    bench.memory[Bench::key(0x12345, address + i)] = static_cast<std::uint8_t>(3 * i);
  }
  bench.write("DmaCommand", 1u << 31 | 0x12345);
  while (bench.read("DmaCommand") >> 31) {
  }
  CHECK(bench.read("DmaCommand") == 0x12345);
  for (unsigned i = 0; i < 16; ++i) {
    CHECK(bench.read(window("DmaData") + 4 * i) ==
          (12 * i | (12 * i + 3) << 8 | (12 * i + 6) << 16 | (12 * i + 9) << 24));
  }
  bench.read_error = true;
  bench.write("DmaCommand", 1u << 31 | 0x12345);
  while (bench.read("DmaCommand") >> 31) {
  }
  CHECK(bench.read("DmaCommand") == (1u << 29 | 0x12345));
}

TEST_CASE("control: firmware gets ARP and neighbour discovery, the host all else") {
  Bench bench;
  const std::vector<std::vector<std::uint8_t>> mine = {
      frame({{12, 8}, {13, 6}}, 60, bench.random),
      frame({{12, 0x81}, {13, 0}, {16, 8}, {17, 6}}, 64, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}, {54, 135}}, 86, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}, {54, 136}}, 1536, bench.random),
      frame({{12, 0x81}, {13, 0}, {16, 0x86}, {17, 0xDD}, {24, 58}, {58, 136}}, 90, bench.random),
      frame({{12, 8}, {13, 6}}, 42, bench.random)};
  const std::vector<std::vector<std::uint8_t>> theirs = {
      frame({{12, 8}, {13, 0}}, 60, bench.random),
      frame({{12, 8}, {13, 0}}, 14, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}, {54, 128}}, 86, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 17}, {54, 135}}, 86, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}}, 54, bench.random),
      frame({{12, 0x81}, {13, 0}, {16, 0x86}, {17, 0xDD}, {20, 58}, {24, 6}, {58, 136}, {54, 136}},
            90, bench.random),
      frame({{12, 0x88}, {13, 6}}, 9000, bench.random)};
  // Bit clear: all to the host.
  for (const auto& f : mine) bench.rx_frames.push_back(f);
  bench.run(3000);
  CHECK(bench.host_frames == mine);
  bench.host_frames.clear();
  bench.write("Control", 2);
  for (unsigned i = 0; i < mine.size(); ++i) {
    bench.rx_frames.push_back(theirs[i]);
    bench.rx_frames.push_back(mine[i]);
    bench.rx_frames.push_back(mine[0]);  // dropped: the buffer is full
    bench.run(700);
    CHECK(bench.read("Attention") == 2);
    REQUIRE(bench.read("RxFrameStatus") == (1u << 31 | mine[i].size()));
    for (unsigned k = 0; k < mine[i].size(); k += 4) {
      const std::uint32_t word = bench.read(window("RxFrameData") + k);
      for (unsigned b = 0; b < 4 && k + b < mine[i].size(); ++b) {
        CHECK((word >> 8 * b & 0xFF) == mine[i][k + b]);
      }
    }
    bench.write("RxFramePop", 1);
    CHECK(bench.read("RxFrameStatus") == 0);
    CHECK(bench.read("Attention") == 0);
  }
  bench.rx_frames.push_back(theirs.back());
  bench.rx_frames.push_back(frame({{12, 8}, {13, 6}}, 1537, bench.random));  // too long
  bench.run(3000);
  CHECK(bench.read("RxFrameStatus") == 0);
  CHECK(bench.host_frames == theirs);
  bench.write("CounterSelect", code(spec::kPortCounters, "RxEthernet"));
  CHECK(bench.read("CounterLo") == mine.size() * 3 + theirs.size() + 1);
  CHECK(bench.dut->quiet_o == 1);
}

TEST_CASE("control: a frame for the host keeps its order and bytes under back-pressure") {
  Bench bench(5);
  std::vector<std::vector<std::uint8_t>> sent;
  for (int i = 0; i < 60; ++i) {
    sent.push_back(frame({{12, 8}, {13, 0}}, 14 + bench.random() % 200, bench.random));
    bench.rx_frames.push_back(sent.back());
  }
  bench.write("Control", 2);
  for (int i = 0; i < 5000; ++i) {
    bench.dut->m_axis_host_tready_i = bench.random() % 2;
    bench.step();
  }
  CHECK(bench.host_frames == sent);
}

TEST_CASE("control: firmware sends frames, one beat a clock") {
  Bench bench;
  for (unsigned length : {1u, 14u, 60u, 64u, 65u, 127u, 128u, 1000u, 1536u}) {
    std::vector<std::uint8_t> bytes(length);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(bench.random());
    for (unsigned k = 0; k < length; k += 4) {
      std::uint32_t word = 0;
      for (unsigned b = 0; b < 4 && k + b < length; ++b)
        word |= std::uint32_t{bytes[k + b]} << 8 * b;
      bench.write(window("TxFrameData") + k, word);
    }
    bench.fw_frames.clear();
    bench.fw_beats = 0;
    bench.dut->m_axis_fw_tready_i = 0;
    bench.write("TxFrameCommand", length);
    CHECK(bench.read("TxFrameCommand") == (1u << 31 | length));
    bench.write("TxFrameCommand", 5);  // busy: ignored
    bench.dut->m_axis_fw_tready_i = 1;
    const unsigned beats = (length + DATA_WIDTH / 8 - 1) / (DATA_WIDTH / 8);
    bench.run(beats);
    CHECK(bench.fw_beats == beats);
    REQUIRE(bench.fw_frames.size() == 1);
    CHECK(bench.fw_frames[0] == bytes);
    CHECK(bench.read("TxFrameCommand") == length);
    for (unsigned i = 0; i < 2; ++i) {  // again, with pauses
      bench.write("TxFrameCommand", length);
      for (unsigned n = 0; n < 4 * beats + 20; ++n) {
        bench.dut->m_axis_fw_tready_i = bench.random() % 2;
        bench.step();
      }
      bench.dut->m_axis_fw_tready_i = 1;
      bench.run(beats);
    }
    REQUIRE(bench.fw_frames.size() == 3);
    CHECK(bench.fw_frames[2] == bytes);
  }
  bench.write("TxFrameCommand", 0);
  bench.write("TxFrameCommand", 1537);
  bench.run(100);
  CHECK(bench.fw_frames.size() == 3);
  CHECK((bench.read("TxFrameCommand") >> 31) == 0);
}

TEST_CASE("control: counters of queue pairs add up and start anew with a new life") {
  Bench bench(3);
  std::uint64_t expect[kNumQps][8] = {};
  for (unsigned i = 0; i < 600; ++i) {
    Bench::Count c{static_cast<unsigned>(bench.random() % 3),
                   static_cast<unsigned>(bench.random() % 8),
                   static_cast<unsigned>(bench.random() % 4097)};
    if (c.counter == 1 || c.counter == 3) c.counter = 0;  // bytes come with packets
    expect[c.qpn][c.counter] += 1;
    if (c.counter == 0 || c.counter == 2) expect[c.qpn][c.counter + 1] += c.bytes;
    bench.counts[i % 2].push_back(c);
  }
  bench.run(600 + 8);
  CHECK(bench.counts[0].empty());  // one every other clock from each side
  CHECK(bench.counts[1].empty());
  const auto check = [&](unsigned qpn) {
    const Row row = bench.table_read(table("QpCounters"), qpn);
    for (unsigned k = 0; k < 8; ++k) {
      CHECK((row[2 * k] | static_cast<std::uint64_t>(row[2 * k + 1]) << 32) == expect[qpn][k]);
    }
  };
  for (unsigned q = 0; q < 4; ++q) check(q);
  bench.set_state(1, state("Init"));
  bench.table_write(table("QpAttr"), 1, Row{});  // alive: counters stay
  check(1);
  bench.set_state(1, state("Reset"));
  bench.table_write(table("QpAttr"), 1, Row{});
  for (auto& v : expect[1]) v = 0;
  for (unsigned q = 0; q < 4; ++q) check(q);
}

TEST_CASE("control: port counters count drops, frames and bytes") {
  Bench bench(4);
  std::uint64_t expect[16] = {};
  for (unsigned i = 0; i < 500; ++i) {
    const unsigned rx = bench.random() & bench.random() & 0x3FF;
    const unsigned rq =
        bench.random() & bench.random() & 0x3FF & ~(1u << code(spec::kDropCauses, "Ghost"));
    bench.dut->drop_rx_i = rx;
    bench.dut->drop_rq_i = rq;
    bench.dut->drop_ghost_i = i % 3 == 0;
    bench.dut->rx_ok_i = i % 2;
    bench.dut->tx_frame_i = i % 5 == 0;
    bench.dut->tx_bytes_i = i;
    bench.dut->mac_rx_tvalid_i = i % 4 != 0;
    bench.dut->mac_rx_tlast_i = i % 4 == 3;
    const unsigned last_bytes = 1 + i % (DATA_WIDTH / 8);
    port::put(bench.dut->mac_rx_tkeep_i, 0, DATA_WIDTH / 8,
              last_bytes == 64 ? ~0ull : (1ull << last_bytes) - 1);
    for (unsigned k = 0; k < 10; ++k) expect[k] += (rx >> k & 1) + (rq >> k & 1);
    expect[code(spec::kDropCauses, "Ghost")] += i % 3 == 0;
    expect[10] += i % 4 == 3;
    expect[11] += i % 4 == 3 ? last_bytes : i % 4 != 0 ? DATA_WIDTH / 8 : 0;
    expect[12] += i % 5 == 0;
    expect[13] += i % 5 == 0 ? i : 0;
    expect[14] += i % 2;
    bench.step();
  }
  bench.dut->drop_rx_i = bench.dut->drop_rq_i = bench.dut->drop_ghost_i = 0;
  bench.dut->rx_ok_i = bench.dut->tx_frame_i = bench.dut->mac_rx_tvalid_i = 0;
  for (unsigned k = 0; k < 16; ++k) {
    bench.write("CounterSelect", k);
    CHECK(bench.read("CounterLo") == expect[k]);
    CHECK(bench.read("CounterHi") == 0);
  }
}

TEST_CASE("control: a fence waits for silence of every block") {
  Bench bench;
  bench.dut->all_idle_i = 0;
  bench.write("FenceCommand", 1);
  CHECK(bench.dut->pause_o == 1);
  bench.run(100);
  CHECK(bench.read("FenceCommand") == 1);
  bench.dut->all_idle_i = 1;
  bench.run(3);
  bench.dut->all_idle_i = 0;
  bench.run(20);
  CHECK(bench.dut->pause_o == 1);
  bench.dut->all_idle_i = 1;
  bench.run(20);
  CHECK(bench.dut->pause_o == 0);
  CHECK(bench.read("FenceCommand") == 0);
  bench.write("FenceCommand", 0);
  CHECK(bench.dut->pause_o == 0);
}

TEST_CASE("control: the admin doorbell calls firmware until it has caught up") {
  Bench bench;
  bench.write("AdminDoorbell", 3);
  CHECK(bench.read("Attention") == 1);
  bench.write("AdminDone", 2);
  CHECK(bench.read("Attention") == 1);
  bench.write("AdminDone", 3);
  CHECK(bench.read("Attention") == 0);
}

TEST_CASE("control: doorbells and rows of shared receive queues, and their live state") {
  Bench bench;
  for (unsigned n = 0; n < 2 * kNumSrqs; ++n) {
    bench.write(window("QpDoorbell") + 16 * n + 8, 0xABC0 + n);
  }
  REQUIRE(bench.srq_doorbells.size() == kNumSrqs);
  for (unsigned n = 0; n < kNumSrqs; ++n) {
    CHECK(bench.srq_doorbells[n].qpn == n);
    CHECK(bench.srq_doorbells[n].index == 0xABC0 + n);
  }
  CHECK(bench.rq_doorbells.empty());
  Row row;
  port::put(row, place_of(spec::kSrq, "valid"), 1);
  port::put(row, place_of(spec::kSrq, "base"), 0x123456789000);
  port::put(row, place_of(spec::kSrq, "log"), 9);
  port::put(row, place_of(spec::kSrq, "limit"), 77);
  bench.rows.clear();
  bench.table_write(table("Srq"), 5, row);
  REQUIRE(bench.rows.size() == 1);
  CHECK(bench.rows[0].table == table("Srq"));
  CHECK(bench.rows[0].index == 5);
  CHECK(bench.rows[0].data == row);
  CHECK(bench.table_read(table("Srq"), 5) == row);
  bench.table_write(table("Srq"), kNumSrqs, row);  // out of range
  CHECK(bench.rows.size() == 1);

  port::clear(bench.dut->live_srq_i);
  port::put(bench.dut->live_srq_i, place_of(spec::kSrqLive, "producer"), 0x1234);
  port::put(bench.dut->live_srq_i, place_of(spec::kSrqLive, "consumer"), 0x1230);
  port::put(bench.dut->live_srq_i, place_of(spec::kSrqLive, "limit"), 3);
  bench.table_start(table("SrqLive"), 5, false);
  bench.run(20);
  CHECK(bench.dut->live_srq_valid_o == 1);
  CHECK(bench.dut->live_qpn_o == 5);
  bench.dut->live_srq_ready_i = 1;
  bench.table_wait();
  CHECK(bench.read(window("TableData")) == 0x12301234);
  CHECK(bench.read(window("TableData") + 4) == 3);
}

TEST_CASE("control: CqLive tells the indices; a resize keeps them and is not kept in the row") {
  Bench bench;
  start_eq(bench, 4);
  bench.make_cq(3, 0x10000, 2);
  for (unsigned i = 0; i < 3; ++i) {
    Bench::Cqe c;
    c.cqn = 3;
    c.wqe_index = i;
    bench.cqes[0].push_back(c);
  }
  bench.run(100);
  bench.write(window("CqDoorbell") + 16 * 3, 1);
  bench.run(20);
  Row live = bench.table_read(table("CqLive"), 3);
  CHECK(port::get(live, place_of(spec::kCqLive, "producer")) == 3);
  CHECK(port::get(live, place_of(spec::kCqLive, "consumer")) == 1);
  CHECK(port::get(live, place_of(spec::kCqLive, "overflowed")) == 0);
  Row row = bench.table_read(table("Cq"), 3);
  port::put(row, place_of(spec::kCq, "base"), 0x20000);
  port::put(row, place_of(spec::kCq, "log"), 3);
  Row order = row;
  port::put(order, place_of(spec::kCq, "resize"), 1);
  bench.table_write(table("Cq"), 3, order);
  CHECK(bench.table_read(table("Cq"), 3) == row);
  live = bench.table_read(table("CqLive"), 3);
  CHECK(port::get(live, place_of(spec::kCqLive, "producer")) == 3);
  Bench::Cqe c;
  c.cqn = 3;
  c.wqe_index = 0x77;
  bench.cqes[0].push_back(c);
  bench.run(100);
  CHECK(bench.byte_at(7, 0x20000 + 3 * 32) == 0x77);
}

TEST_CASE("control: rows of key operations go to the bus and into what firmware reads") {
  Bench bench;
  Row row;
  port::put(row, place_of(spec::kKey, "variant"), 0x5A);
  port::put(row, place_of(spec::kKey, "iova"), 0x123456789ABCDEF0);
  for (int w = 0; w < 10; ++w) port::put(bench.dut->key_row_i, 32 * w, w < 9 ? 32 : 6, row[w]);
  bench.dut->key_row_index_i = 7;
  // While an operation is under way, firmware's row of the same table waits; others do not.
  bench.dut->key_busy_i = 1;
  for (int i = 0; i < 16; ++i) bench.write(window("TableData") + 4 * i, i == 0 ? 1 : 0);
  bench.table_start(table("Key"), 9, true);
  bench.run(50);
  CHECK(bench.rows.empty());
  bench.fails[0].push_back({event_kind("QpFatal"), 2});  // states go on
  bench.dut->key_row_valid_i = 1;
  while (!bench.dut->key_row_ready_o) bench.step();
  bench.step();
  bench.dut->key_row_valid_i = 0;
  bench.run(2);
  REQUIRE(bench.rows.size() == 1);
  CHECK(bench.rows[0].table == table("Key"));
  CHECK(bench.rows[0].index == 7);
  CHECK(bench.rows[0].data == row);
  bench.dut->key_busy_i = 0;
  bench.table_wait();
  REQUIRE(bench.rows.size() == 2);
  CHECK(bench.rows[1].index == 9);
  CHECK(bench.table_read(table("Key"), 7) == row);
}

TEST_CASE("control: firmware leaves ERR by RESET only") {
  Bench bench;
  bench.set_state(4, state("Init"));
  bench.fails[1].push_back({event_kind("QpAccess"), 4});
  bench.run(20);
  for (const char* to : {"Init", "Rtr", "Rts", "Sqd", "Err"}) {
    bench.set_state(4, state(to));
    CHECK(bench.get_state(4) == state("Err"));
  }
  bench.set_state(4, state("Reset"));
  CHECK(bench.get_state(4) == state("Reset"));
}

TEST_CASE("control: CQ-12 a full event queue loses no unread entry and tells; a failed write tells too") {
  Bench bench;
  start_eq(bench, 2);
  for (unsigned i = 0; i < 6; ++i) bench.plain_events.push_back({event_kind("CommEst"), i});
  bench.run(300);
  for (unsigned i = 0; i < 4; ++i) CHECK(eqe(bench, i) == Eqe{event_kind("CommEst"), i, true});
  CHECK(bench.read("EqStatus") == 1);
  bench.write("EqStatus", 1);
  CHECK(bench.read("EqStatus") == 0);
  CHECK(bench.dut->irq_o == 1);
  bench.write("EqConsumer", 4);
  bench.run(5);
  CHECK(bench.dut->irq_o == 0);
  bench.plain_events.push_back({event_kind("CommEst"), 9});
  bench.run(100);
  CHECK(eqe(bench, 0) == Eqe{event_kind("CommEst"), 9, false});
  CHECK(bench.read("EqStatus") == 0);
  bench.dut->bw_eq_error_i = 1;
  bench.plain_events.push_back({event_kind("CommEst"), 10});
  bench.run(100);
  CHECK(bench.read("EqStatus") == 1);
}
