#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "Vroci_tx.h"
#include "common/dut.hpp"
#include "rx/roce_frame.hpp"
#include "spec/context.hpp"
#include "spec/records.hpp"

namespace {

using namespace roci::spec;
using roce::Bytes;
using roce::Fields;

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 19770525;

struct Sent {
  Bytes bytes;
  std::uint64_t first = 0, last = 0;  // clocks of its first and last beat
};

/// The block with engines and gather in front and a MAC behind.
class Bench {
 public:
  Bench() { dut->m_axis_tready_i = 1; }

  void connect(unsigned row, const Fields& f) {
    port::clear(dut->row_data_i);
    auto set = [&](const char* name, std::uint64_t value) {
      port::put(dut->row_data_i, place_of(kAv, name), value);
    };
    auto set_ip = [&](const char* name, const std::array<std::uint8_t, 16>& ip) {
      const Place place = place_of(kAv, name);
      for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i)
        port::put(dut->row_data_i, place.offset + 8 * (15 - i), 8, ip[i]);
    };
    set("dst_mac", f.dst_mac);
    set("src_mac", f.src_mac);
    set_ip("src_ip", f.src_ip);
    set_ip("dst_ip", f.dst_ip);
    set("ipv6", f.ipv6);
    set("vlan", f.vlan);
    set("vlan_tci", f.tci);
    set("traffic_class", f.tc);
    set("hop_limit", f.hop);
    set("flow_label", f.flow);
    set("src_port", f.src_port);
    set("pkey", f.pkey);
    set("dest_qpn", f.qpn);
    dut->row_valid_i = 1;
    dut->row_table_i = 1;
    dut->row_index_i = row;
    clock();
    dut->row_valid_i = 0;
  }

  struct Job {
    unsigned row;
    Fields fields;
    bool spoil = false;
  };
  void desc(unsigned row, const Fields& f, bool spoil = false) {
    descs.push_back({row, f, spoil});
    want_desc.push_back({row, f, spoil});
    if (!f.payload.empty()) starts_.push_back({row, f, spoil});
  }
  void ack(unsigned row, const Fields& f) {
    acks.push_back({row, f});
    want_ack.push_back({row, f});
  }

  void drain() {
    unsigned quiet = 0;
    for (unsigned i = 0; i < 200000 && quiet < 10; ++i) {
      clock();
      quiet =
          dut->idle_o && descs.empty() && acks.empty() && eth.empty() && fw.empty() ? quiet + 1 : 0;
    }
    CHECK(quiet == 10);
  }

  /// What left must be what was asked for, source by source, in order.
  void finish() {
    drain();
    check();
  }
  void check() {
    std::size_t d = 0, a = 0, e = 0, w = 0;
    std::uint16_t id = 0;
    std::uint64_t bytes = 0;
    for (const Sent& frame : out) {
      bytes += frame.bytes.size();
      const Bytes& got = frame.bytes;
      const std::uint64_t type = roce::get(got, 12, 2);
      if (type == 0x88B5) {
        REQUIRE(e < want_eth.size());
        CHECK(got == want_eth[e++]);
        continue;
      }
      if (type == 0x88B6) {
        REQUIRE(w < want_fw.size());
        CHECK(got == want_fw[w++]);
        continue;
      }
      Fields f;
      REQUIRE(roce::dissect(got, f));
      const bool is_ack = f.opcode == 0x11;
      REQUIRE((is_ack ? a < want_ack.size() : d < want_desc.size()));
      const Job& job = is_ack ? want_ack[a++] : want_desc[d++];
      Fields want = job.fields;
      want.id = f.id;
      if (!f.ipv6) {
        CHECK((id == 0 || static_cast<std::uint16_t>(f.id - id) < 64 ||
               static_cast<std::uint16_t>(id - f.id) < 64));
        CHECK(!ids[f.id]);
        ids[f.id] = true;
        id = f.id;
      }
      Bytes expected = roce::build(want);
      if (job.spoil) {
        CHECK(got != expected);
        for (std::size_t i = expected.size() - 4; i < expected.size(); ++i) expected[i] = got.at(i);
      }
      CHECK(got == expected);
    }
    CHECK(d == want_desc.size());
    CHECK(a == want_ack.size());
    CHECK(e == want_eth.size());
    CHECK(w == want_fw.size());
    std::size_t sent_want = want_desc.size();
    CHECK(sent == sent_want);
    CHECK(frames_counted == out.size());
    CHECK(bytes_counted == bytes);
  }

  void send_eth(Bytes frame) {
    frame[12] = 0x88, frame[13] = 0xB5;
    want_eth.push_back(frame);
    eth.push_back(frame);
  }
  void send_fw(Bytes frame) {
    frame[12] = 0x88, frame[13] = 0xB6;
    want_fw.push_back(frame);
    fw.push_back(frame);
  }

  void clock() {
    auto chance = [&](unsigned percent) { return percent != 0 && random() % 100 < percent; };
    if (!desc_held_) desc_held_ = !descs.empty() && !chance(gaps);
    dut->desc_valid_i = desc_held_;
    if (desc_held_) fill(dut->desc_i, descs.front());
    if (!ack_held_) ack_held_ = !acks.empty() && !chance(gaps);
    dut->ack_valid_i = ack_held_;
    if (ack_held_) fill(dut->ack_i, acks.front());
    stream(eth, eth_at_, eth_held_, chance(gaps), dut->s_axis_eth_tdata_i, dut->s_axis_eth_tkeep_i,
           dut->s_axis_eth_tlast_i, dut->s_axis_eth_tvalid_i);
    stream(fw, fw_at_, fw_held_, chance(gaps), dut->s_axis_fw_tdata_i, dut->s_axis_fw_tkeep_i,
           dut->s_axis_fw_tlast_i, dut->s_axis_fw_tvalid_i);
    dut->gather_start_ready_i = !chance(gaps);
    // gather: beats that were prepared, some clocks after the start
    if (!pay_held_)
      pay_held_ =
          !beats_.empty() && beats_.front().when <= dut.cycle() && !hold_payload && !chance(gaps);
    dut->pay_tvalid_i = pay_held_;
    if (pay_held_) {
      const Beat& beat = beats_.front();
      for (unsigned i = 0; i < kBytes; ++i) port::put_byte(dut->pay_tdata_i, i, beat.bytes[i]);
      dut->pay_tlast_i = beat.last;
      dut->pay_terror_i = beat.last && beat.error;
    }
    dut->m_axis_tready_i = !chance(stalls);
    dut.settle();

    if (dut->desc_valid_i && dut->desc_ready_o) {
      if (first_desc == 0) first_desc = dut.cycle();
      descs.pop_front(), desc_held_ = false;
    }
    if (dut->ack_valid_i && dut->ack_ready_o) acks.pop_front(), ack_held_ = false;
    taken(eth, eth_at_, eth_held_, dut->s_axis_eth_tvalid_i && dut->s_axis_eth_tready_o);
    taken(fw, fw_at_, fw_held_, dut->s_axis_fw_tvalid_i && dut->s_axis_fw_tready_o);
    if (dut->pay_tvalid_i && dut->pay_tready_o) beats_.pop_front(), pay_held_ = false;
    if (dut->gather_start_valid_o && dut->gather_start_ready_i) start();
    sent += dut->sent_o;
    if (dut->tx_frame_o) ++frames_counted, bytes_counted += dut->tx_bytes_o;
    if (dut->m_axis_tvalid_o && dut->m_axis_tready_i) {
      if (!open_) out.push_back({{}, dut.cycle(), 0});
      open_ = !dut->m_axis_tlast_o;
      unsigned count = 0;
      for (unsigned i = 0; i < kBytes; ++i) {
        if (!(static_cast<std::uint64_t>(dut->m_axis_tkeep_o) >> i & 1)) continue;
        CHECK(count++ == i);
        out.back().bytes.push_back(port::byte(dut->m_axis_tdata_o, i));
      }
      CHECK((dut->m_axis_tlast_o || count == kBytes));
      out.back().last = dut.cycle();
    }
    dut.tick();
  }

  Dut<Vroci_tx> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  unsigned gather_latency = 2;
  bool hold_payload = false;
  std::deque<Job> descs, acks;
  std::deque<Bytes> eth, fw;
  std::vector<Job> want_desc, want_ack;
  std::vector<Bytes> want_eth, want_fw;
  std::vector<Sent> out;
  std::array<bool, 65536> ids{};
  std::size_t sent = 0, frames_counted = 0;
  std::uint64_t bytes_counted = 0, first_desc = 0;

 private:
  struct Beat {
    std::array<std::uint8_t, kBytes> bytes{};
    bool last = false, error = false;
    std::uint64_t when = 0;
  };

  template <typename Port>
  void fill(Port& desc, const Job& job) {
    port::clear(desc);
    auto set = [&](const char* name, std::uint64_t value) {
      port::put(desc, place_of(kTxDesc, name), value);
    };
    set("qpn", job.row);
    set("opcode", job.fields.opcode);
    set("psn", job.fields.psn);
    set("solicited", job.fields.solicited);
    set("ack_req", job.fields.ack_req);
    set("ext_len", job.fields.ext.size());
    set("payload_len", job.fields.payload.size());
    const Place ext = place_of(kTxDesc, "ext");
    for (unsigned i = 0; i < 28; ++i)  // what lies behind ext_len must not matter
      port::put(desc, ext.offset + ext.bits - 8 - 8 * i, 8,
                i < job.fields.ext.size() ? job.fields.ext[i] : 0xE5);
  }

  template <typename Data, typename Keep, typename Bit>
  void stream(const std::deque<Bytes>& frames, std::size_t at, bool& held, bool gap, Data& data,
              Keep& keep, Bit& last, Bit& valid) {
    if (!held) held = !frames.empty() && !gap;
    valid = held;
    if (!held) return;
    const std::size_t left = frames.front().size() - at;
    for (unsigned i = 0; i < kBytes && i < left; ++i)
      port::put_byte(data, i, frames.front()[at + i]);
    port::put(keep, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
    last = left <= kBytes;
  }
  static void taken(std::deque<Bytes>& frames, std::size_t& at, bool& held, bool taken) {
    if (!taken) return;
    held = false;
    at += kBytes;
    if (at < frames.front().size()) return;
    frames.pop_front();
    at = 0;
  }

  void start() {
    REQUIRE(!starts_.empty());
    const Job job = starts_.front();
    starts_.pop_front();
    CHECK(dut->gather_len_o == job.fields.payload.size());
    CHECK(dut->gather_pos_o == job.fields.payload_at() % kBytes);
    unsigned at = dut->gather_pos_o;
    for (std::size_t i = 0; i < job.fields.payload.size();) {
      Beat beat;
      for (; at < kBytes && i < job.fields.payload.size(); ++at)
        beat.bytes[at] = job.fields.payload[i++];
      at = 0;
      beat.last = i == job.fields.payload.size();
      beat.error = job.spoil;
      beat.when = dut.cycle() + gather_latency;
      beats_.push_back(beat);
    }
  }

  bool desc_held_ = false, ack_held_ = false, eth_held_ = false, fw_held_ = false,
       pay_held_ = false, open_ = false;
  std::size_t eth_at_ = 0, fw_at_ = 0;
  std::deque<Job> starts_;
  std::deque<Beat> beats_;
};

Bytes random_bytes(std::mt19937& random, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

constexpr std::uint8_t kEveryOpcode[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                         0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
                                         0x10, 0x12, 0x13, 0x14, 0x16, 0x17};

/// Four connections: untagged and tagged, IPv4 and IPv6.
Fields shape(unsigned which) {
  std::mt19937 random(kSeed + which);
  Fields f;
  f.dst_mac = random() * 65536ull + which;
  f.src_mac = random() * 65536ull + 7;
  f.vlan = which & 1;
  f.tci = f.vlan ? 0x6064 : 0;
  f.ipv6 = which & 2;
  for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) {
    f.src_ip[i] = static_cast<std::uint8_t>(random());
    f.dst_ip[i] = static_cast<std::uint8_t>(random());
  }
  f.tc = static_cast<std::uint8_t>(random());
  f.hop = static_cast<std::uint8_t>(random());
  f.flow = f.ipv6 ? random() & 0xFFFFF : 0;
  f.src_port = static_cast<std::uint16_t>(0xC000 | random());
  f.pkey = 0xFFFF;
  f.qpn = random() & 0xFFFFFF;
  return f;
}
void connect_shapes(Bench& bench) {
  for (unsigned which = 0; which < 4; ++which) bench.connect(16 + which, shape(which));
}
Fields packet(std::mt19937& random, unsigned which, unsigned opcode, std::size_t size) {
  Fields f = shape(which);
  f.opcode = static_cast<std::uint8_t>(opcode);
  f.psn = random() & 0xFFFFFF;
  f.solicited = random() & 1;
  f.ack_req = random() & 1;
  f.ext = random_bytes(random, static_cast<std::size_t>(roce::ext_bytes(opcode)));
  if (roce::has_payload(opcode)) f.payload = random_bytes(random, size);
  return f;
}

}  // namespace

TEST_CASE("tx: each opcode, shape and size (WIRE-01..04, 07..12, 16, 17, 19..22, 29..32)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < 4; ++which) {
    for (const std::uint8_t opcode : kEveryOpcode) {
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 8u, 61u, 64u, 127u}) {
        bench.desc(16 + which, packet(random, which, opcode, size));
        if (!roce::has_payload(opcode)) break;
      }
    }
    for (unsigned size = 1; size < 140; ++size)
      bench.desc(16 + which, packet(random, which, 0x02, size));
    bench.desc(16 + which, packet(random, which, 0x01, 4096));
    bench.ack(16 + which, packet(random, which, 0x11, 0));
  }
  bench.finish();
}

TEST_CASE(
    "tx: given the fields of Soft-RoCE, sends what Soft-RoCE sent but for MigReq and "
    "identification") {
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    const std::string name = path.filename().string();
    // Packets that someone made up, or rewrote on the way, are not what an adapter sends.
    if (name.rfind("raw", 0) == 0 || name.rfind("hop_", 0) == 0 || name.rfind("ecn_", 0) == 0)
      continue;
    CAPTURE(name);
    Bench bench;
    for (Bytes frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::dissect(frame, f) || f.udp_sum || f.version || f.congestion || f.resv7) continue;
      f.mig_req = true;
      Bytes expected = frame;
      expected[f.udp_at() + 9] |= 0x40;
      expected.resize(expected.size() - 4);
      roce::append_icrc(expected, f.ip_at(), f.udp_at(), f.ipv6);
      REQUIRE(roce::build(f) == expected);  // the fields say it all
      bench.connect(1, f);
      if (f.opcode == 0x11)
        bench.ack(1, f);
      else
        bench.desc(1, f);
      bench.drain();
      ++count;
    }
    bench.finish();
  }
  CHECK(count > 2500);
  MESSAGE("captured packets: " << count);
}

TEST_CASE("tx: random traffic of all sources with random stalls") {
  for (unsigned round = 0; round < 6; ++round) {
    CAPTURE(round);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed + round);
    bench.gaps = round % 2 ? 40 : 0;
    bench.stalls = (round / 2) * 30;
    bench.gather_latency = 1 + 10 * (round % 3);
    for (unsigned i = 0; i < 400; ++i) {
      const unsigned which = random() % 4;
      const unsigned size = random() % 3 ? random() % 200 : random() % 1100;
      if (random() % 3)
        bench.desc(16 + which,
                   packet(random, which, kEveryOpcode[random() % std::size(kEveryOpcode)], size));
      if (random() % 3 == 0) bench.ack(16 + which, packet(random, which, 0x11, 0));
      if (random() % 5 == 0) bench.send_eth(random_bytes(random, 14 + random() % 400));
      if (random() % 9 == 0) bench.send_fw(random_bytes(random, 14 + random() % 100));
      for (unsigned k = random() % 12; k-- > 0;) bench.clock();
    }
    bench.finish();
  }
}

TEST_CASE("tx: a failed read spoils the ICRC of that packet only (F-80)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned size = 1; size < 200; ++size) {
    bench.desc(16 + size % 4, packet(random, size % 4, 0x04, size), size % 3 == 0);
  }
  bench.finish();
}

TEST_CASE("tx: acknowledgements pass packets that wait for payload, and do not starve others") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.hold_payload = true;
  for (unsigned i = 0; i < 12; ++i) bench.desc(16, packet(random, 0, 0x04, 64));
  for (unsigned i = 0; i < 20; ++i) bench.ack(16, packet(random, 0, 0x11, 0));
  for (unsigned i = 0; i < 1000; ++i) bench.clock();
  CHECK(bench.out.size() == 20);
  for (unsigned i = 0; i < 200; ++i) bench.ack(16, packet(random, 0, 0x11, 0));
  for (unsigned i = 0; i < 10; ++i) bench.clock();
  bench.hold_payload = false;
  for (unsigned i = 0; i < 5; ++i) bench.send_eth(random_bytes(random, 64));
  const std::size_t before = bench.out.size();
  bench.finish();
  // From when payload and frames are there, every second one is something else, to their end.
  unsigned run = 0, others = 0;
  for (std::size_t i = before; i < bench.out.size() && others < 17; ++i) {
    Fields f;
    const bool is_ack = roce::dissect(bench.out[i].bytes, f) && f.opcode == 0x11;
    run = is_ack ? run + 1 : 0;
    others += !is_ack;
    if (i >= before + 8) CHECK(run <= 3);  // gather may need a moment for the next packet
  }
  CHECK(others == 17);
  CHECK(bench.out.size() == 20 + 200 + 12 + 5);
}

TEST_CASE("tx: an acknowledgement waits for at most one packet") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned i = 0; i < 40; ++i) {
    bench.desc(16, packet(random, 0, 0x01, 1024));
    bench.send_eth(random_bytes(random, 1000));
    bench.send_fw(random_bytes(random, 200));
  }
  for (unsigned i = 0; i < 10; ++i) {
    for (unsigned k = 0; k < 100 + random() % 100; ++k) bench.clock();
    const std::size_t before = bench.out.size();  // the last of these is on its way
    bench.ack(16, packet(random, 0, 0x11, 0));
    std::size_t others = 0;
    for (bool seen = false; !seen;) {
      bench.clock();
      others = bench.out.size() - before;
      Fields f;
      seen = others && roce::dissect(bench.out.back().bytes, f) && f.opcode == 0x11;
      REQUIRE(others < 10);
    }
    CHECK(others <= 3);  // at most one chosen meanwhile, one in the ICRC pipeline, and itself
  }
  bench.finish();
}

TEST_CASE("tx: back to back without bubbles") {
  struct {
    const char* what;
    unsigned opcode, size;
  } const cases[] = {{"ACK", 0x11, 0},          {"WRITE of 8", 0x0A, 8},
                     {"WRITE of 64", 0x0A, 64}, {"WRITE of 256", 0x0A, 256},
                     {"READ request", 0x0C, 0}, {"MIDDLE of 1024", 0x07, 1024}};
  for (const auto& c : cases) {
    CAPTURE(c.what);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed);
    const unsigned count = 200;
    for (unsigned i = 0; i < count; ++i) {
      const Fields f = packet(random, 0, c.opcode, c.size);
      if (c.opcode == 0x11)
        bench.ack(16, f);
      else
        bench.desc(16, f);
    }
    bench.finish();
    const std::size_t beats = (bench.out[0].bytes.size() + kBytes - 1) / kBytes;
    const double rate =
        static_cast<double>(bench.out.back().last - bench.out[20].last) / (count - 21);
    MESSAGE(std::string(c.what) << ": " << beats << " beats, clocks per packet: " << rate);
    CHECK(rate <= static_cast<double>(beats) + 0.01);
  }
  Bench bench;
  std::mt19937 random(kSeed);
  for (unsigned i = 0; i < 100; ++i) bench.send_eth(random_bytes(random, 2 * kBytes));
  bench.finish();
  CHECK(bench.out.back().last - bench.out.front().first == 199);
}

TEST_CASE("tx: latency") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.gather_latency = 1;
  SUBCASE("without payload") { bench.desc(16, packet(random, 0, 0x0C, 0)); }
  SUBCASE("with payload, a clock after gather_start") {
    bench.desc(16, packet(random, 0, 0x0A, 64));
  }
  bench.finish();
  MESSAGE("desc to first beat: " << bench.out[0].first - bench.first_desc);
  CHECK(bench.out[0].first - bench.first_desc <= 14);
}
