// SPDX-License-Identifier: Apache-2.0
// What the parser says of frames: captured ones, each shape of good ones, and each way to be wrong.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_rx_parse.h"
#include "model/spec/records.hpp"
#include "rtl/common/test/roce_bench.hpp"

namespace {

using namespace roci::spec;
using roce::Bytes;
using roce::Fields;
using roce::kEveryOpcode;
using roce::kShapes;
using roce::random_bytes;
using roce::shape;

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 1492;
enum class Is { kGood, kMalformed, kOpcode, kEthernet };
constexpr unsigned kMalformed = 1, kOpcode = 6;  // DropCause

struct Bench {
  struct Sent {
    Bytes bytes;
    Is is;
    Fields fields;
  };
  Dut<Vroci_rx_parse> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0;  // percent
  std::deque<Sent> beats_of, icrc_of, sums_of;
  std::deque<bool> malformed;  // says the record
  Bytes bytes, payload, icrc;
  unsigned rows = 0;
  bool all_eth = true;
  std::uint64_t last_in = 0, last_out = 0, last_sums = 0;

  Bench() { dut->enable_i = 1; }

  void send(const Bytes& frame, Is is, const Fields& fields = {}) {
    const Sent sent{frame, is, fields};
    beats_of.push_back(sent);
    icrc_of.push_back(sent);
    sums_of.push_back(sent);
    for (std::size_t at = 0; at < frame.size(); at += kBytes) {
      while (gaps && random() % 100 < gaps) clock();
      const std::size_t left = frame.size() - at;
      for (unsigned i = 0; i < kBytes; ++i)
        port::put_byte(dut->s_axis_tdata_i, i,
                       i < left ? frame[at + i] : static_cast<std::uint8_t>(random()));
      port::put(dut->s_axis_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
      dut->s_axis_tlast_i = left <= kBytes;
      dut->s_axis_tvalid_i = 1;
      if (dut->s_axis_tlast_i) last_in = dut.cycle();
      clock();
      dut->s_axis_tvalid_i = 0;
    }
  }
  void send_good(const Fields& f) { send(roce::build(f), Is::kGood, f); }

  void finish() {
    for (unsigned i = 0; i < 20; ++i) clock();
    CHECK(beats_of.empty());
    CHECK(icrc_of.empty());
    CHECK(sums_of.empty());
    CHECK(dut->idle_o);
  }

  void clock() {
    dut.settle();
    if (dut->beat_valid_o) {
      const unsigned count = dut->beat_last_o ? dut->beat_end_o + 1u : kBytes;
      for (unsigned i = 0; i < count; ++i) bytes.push_back(port::byte(dut->beat_data_o, i));
      all_eth &= dut->eth_o;
      if (dut->pay_o) {
        CHECK(dut->pay_row_o == rows++);
        for (unsigned i = 0; i < kBytes; ++i) payload.push_back(port::byte(dut->beat_data_o, i));
      }
      if (dut->beat_last_o) end_of_frame();
    }
    if (dut->icrc_valid_o) {
      for (unsigned i = 0; i < kBytes; ++i)
        if (port::get(dut->icrc_keep_o, i, 1)) icrc.push_back(port::byte(dut->beat_data_o, i));
      if (dut->icrc_last_o) {
        REQUIRE(!icrc_of.empty());
        const Sent& sent = icrc_of.front();
        if (sent.is == Is::kGood) {
          CHECK(icrc == Bytes(sent.bytes.begin(), sent.bytes.begin() + size_of(sent.fields)));
          CHECK(bool(dut->icrc_ipv6_o) == sent.fields.ipv6);
          CHECK(bool(dut->icrc_roce_v1_o) == sent.fields.v1);
          CHECK(bool(dut->icrc_vlan_o) == sent.fields.vlan);
        }
        icrc.clear();
        icrc_of.pop_front();
      }
    }
    if (dut->sums_valid_o) {
      last_sums = dut.cycle();
      REQUIRE(!sums_of.empty());
      if (sums_of.front().is == Is::kGood) CHECK(dut->sums_ok_o);
      // Malformed is found in the record, or in the sums, or both.
      if (sums_of.front().is == Is::kMalformed) CHECK((malformed.front() || !dut->sums_ok_o));
      malformed.pop_front();
      sums_of.pop_front();
    }
    dut.tick();
  }

 private:
  static long size_of(const Fields& f) {
    return static_cast<long>(f.payload_at() + f.payload.size() + (4 - f.payload.size() % 4) % 4 +
                             4);
  }
  std::uint64_t field(const char* name) {
    return port::get(dut->frame_o, place_of(kRxFrame, name));
  }
  std::array<std::uint8_t, 16> address(const char* name) {
    const Place place = place_of(kRxFrame, name);
    std::array<std::uint8_t, 16> ip{};
    for (unsigned i = 0; i < 16; ++i)
      ip[i] = static_cast<std::uint8_t>(port::get(dut->frame_o, place.offset + 8 * (15 - i), 8));
    return ip;
  }

  void end_of_frame() {
    last_out = dut.cycle();
    REQUIRE(!beats_of.empty());
    const Sent& sent = beats_of.front();
    CHECK(bytes == sent.bytes);
    CHECK(dut->frame_bytes_o == sent.bytes.size());
    CHECK(field("roce") == (sent.is != Is::kEthernet));
    if (sent.is == Is::kEthernet) {
      CHECK(all_eth);
      CHECK(payload.empty());
    }
    if (sent.is == Is::kOpcode) {
      CHECK(field("bad"));
      CHECK(field("cause") == kOpcode);
      CHECK(payload.empty());
    }
    if (sent.is == Is::kGood) good(sent.fields);
    malformed.push_back(field("bad") && field("cause") == kMalformed);
    bytes.clear();
    payload.clear();
    rows = 0;
    all_eth = true;
    beats_of.pop_front();
  }

  void good(const Fields& f) {
    CHECK(!field("bad"));
    CHECK(field("ipv6") == f.ipv6);
    CHECK(field("roce_v1") == f.v1);
    CHECK(field("vlan") == f.vlan);
    if (f.vlan) CHECK(field("vid") == (f.tci & 0xFFF));
    CHECK(field("ecn") == (f.tc & 3u));
    CHECK(field("pkey") == f.pkey);
    CHECK(field("qpn") == f.qpn);
    CHECK(field("opcode") == f.opcode);
    CHECK(field("psn") == f.psn);
    CHECK(field("solicited") == f.solicited);
    CHECK(field("ack_req") == f.ack_req);
    CHECK(field("payload_len") == f.payload.size());
    auto ip = [&](std::array<std::uint8_t, 16> bytes_of) {
      if (!f.ipv6) std::fill(bytes_of.begin(), bytes_of.begin() + 12, 0);
      return bytes_of;
    };
    CHECK(address("src_ip") == ip(f.src_ip));
    CHECK(address("dst_ip") == ip(f.dst_ip));
    const Place ext = place_of(kRxFrame, "ext");
    for (unsigned i = 0; i < f.ext.size(); ++i)
      CHECK(port::get(dut->frame_o, ext.offset + ext.bits - 8 - 8 * i, 8) == f.ext[i]);
    const std::size_t from = f.payload_at() % kBytes;
    if (!f.payload.empty()) {
      CHECK(field("payload_offset") == f.payload_at());
      REQUIRE(payload.size() >= from + f.payload.size());
      CHECK(std::equal(f.payload.begin(), f.payload.end(), payload.begin() + long(from)));
    }
    const std::size_t want =
        f.payload.empty() ? 0 : (from + f.payload.size() + kBytes - 1) / kBytes;
    CHECK(rows == want);
    CHECK(dut->frame_rows_o == want);
  }
};

}  // namespace

TEST_CASE("rx_parse: the fields of captured Soft-RoCE packets (WIRE-19, 29..31)") {
  Bench bench;
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    CAPTURE(path.filename().string());
    for (const Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::captured_good(frame, f)) continue;
      bench.send(frame, Is::kGood, f);
      ++count;
    }
  }
  bench.finish();
  CHECK(count > 3000);
}

TEST_CASE("rx_parse: each shape, opcode and length, with bytes behind (WIRE-18, 21, 22, 32)") {
  for (const unsigned gaps : {0u, 40u}) {
    Bench bench;
    bench.gaps = gaps;
    for (unsigned n = 0; n < 1500; ++n) {
      const Fields f = roce::random_good(bench.random);
      Bytes frame = roce::build(f);
      if (n % 2) frame.resize(frame.size() + bench.random() % 90, 0xEE);
      bench.send(frame, Is::kGood, f);
    }
    bench.finish();
  }
}

TEST_CASE("rx_parse: malformed packets (WIRE-05, 06, 16, 17, 20, 33, 34, 35)") {
  Bench bench;
  for (unsigned which = 0; which < kShapes; ++which) {
    CAPTURE(which);
    Fields good = shape(which);
    good.payload = random_bytes(bench.random, 64);
    auto bad = [&](auto change) {
      Fields f = good;
      change(f);
      bench.send(roce::build(f), Is::kMalformed);
      good.psn += 1;
      bench.send_good(good);
    };
    bad([](Fields& f) { f.udp_length = 4; });
    bad([](Fields& f) { f.ip_length = 4; });
    bad([](Fields& f) { f.udp_length = 8; });  // longer than the frame
    bad([](Fields& f) { f.udp_length = 4000; });
    bad([](Fields& f) { f.version = 1; });
    bad([](Fields& f) { f.version = 8; });
    bad([](Fields& f) { f.payload.resize(61), f.pad = 0; });
    bad([](Fields& f) { f.payload.resize(62), f.pad = 0; });
    bad([](Fields& f) { f.payload.clear(), f.pad = 3, f.pad_bytes = 0; });
    bad([](Fields& f) { f.payload.resize(4100); });
    bad([](Fields& f) { f.opcode = 0x0A, f.payload.clear(), f.ext.assign(8, 1); });
    for (const std::uint8_t opcode : {0x0C, 0x11, 0x12, 0x13, 0x14}) {
      for (const std::size_t extra : {1u, 4u, 8u}) {
        bad([&](Fields& f) {
          f.opcode = opcode;
          f.ext.assign(static_cast<std::size_t>(roce::ext_bytes(opcode)), 1);
          f.payload.resize(extra);
        });
      }
    }
    bad([](Fields& f) { f.payload.clear(), f.udp_length = -4; });
    bad([](Fields& f) { f.payload.clear(), f.udp_length = -16; });
    if (good.v1) {
      bad([](Fields& f) { f.protocol = 6; });  // no BTH behind the GRH
      Bytes frame = roce::build(good);
      frame[good.ip_at()] ^= 0x20;  // no GRH
      bench.send(frame, Is::kMalformed);
    } else {
      bad([](Fields& f) { f.ip_length = -4; });
      bad([](Fields& f) { f.udp_length = -4, f.ip_length = 4; });
      for (const int error : {1, 0x100, 0x8000}) {
        bad([&](Fields& f) { f.udp_sum = true, f.udp_sum_error = error; });
      }
    }
    if (!good.ipv6) {
      bad([](Fields& f) { f.ip_sum = 1; });
      bad([](Fields& f) { f.ip_sum = 0x100; });
      bad([](Fields& f) { f.flags = 3; });  // more fragments
      bad([](Fields& f) { f.flags = 1; });
    }
    const Bytes whole = roce::build(good);
    for (std::size_t size = good.bth_at() + 2; size < whole.size(); ++size)
      bench.send(Bytes(whole.begin(), whole.begin() + static_cast<long>(size)), Is::kMalformed);
  }
  bench.finish();
}

TEST_CASE("rx_parse: opcodes outside the table are named, whatever their length (WIRE-45, 46)") {
  Bench bench;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    if (roce::ext_bytes(opcode) >= 0) continue;
    Fields f = shape(opcode % kShapes);
    f.opcode = static_cast<std::uint8_t>(opcode);
    f.payload = random_bytes(bench.random, opcode % 100 * 60);
    bench.send(roce::build(f), Is::kOpcode);
  }
  bench.finish();
}

TEST_CASE("rx_parse: what is not RoCE stays Ethernet (WIRE-05, 07, 12)") {
  Bench bench;
  for (unsigned size = 1; size < 200; ++size) {
    Bytes frame = random_bytes(bench.random, size);
    if (size > 12) frame[12] = 0x77;
    bench.send(frame, Is::kEthernet);
  }
  for (unsigned n = 0; n < 200; ++n) bench.send(roce::random_ethernet(bench.random), Is::kEthernet);
  for (unsigned which = 0; which < 4; ++which) {
    Fields f = shape(which);
    f.payload = random_bytes(bench.random, 77);
    auto ethernet = [&](auto change) {
      Fields g = f;
      change(g);
      bench.send(roce::build(g), Is::kEthernet);
    };
    ethernet([](Fields& g) { g.dst_port = 4790; });
    for (const std::uint8_t protocol : {0, 6, 0x1B, 44, 60})  // hop by hop, fragment, options
      ethernet([&](Fields& g) { g.protocol = protocol; });
    if (!f.ipv6) {
      ethernet([](Fields& g) { g.ihl = 6; });
      ethernet([](Fields& g) { g.fragment = 1; });
      ethernet([](Fields& g) { g.fragment = 0x1000; });
    }
    Bytes frame = roce::build(f);
    if (f.vlan) frame[16] = 0x81, frame[17] = 0x00;  // a second tag
    if (!f.vlan) frame[14] ^= 0x10;                  // another version of IP
    bench.send(frame, Is::kEthernet);
    bench.send_good(f);
  }
  bench.finish();
  bench.dut->enable_i = 0;
  for (unsigned which = 0; which < kShapes; ++which)
    bench.send(roce::build(shape(which)), Is::kEthernet);
  bench.finish();
}

TEST_CASE("rx_parse: any bytes at all get one verdict of each kind, in time (WIRE-48)") {
  Bench bench;
  std::size_t beats = 0, icrcs = 0, sums = 0;
  for (unsigned n = 0; n < 4000; ++n) {
    Bytes frame = roce::build(roce::random_good(bench.random));
    for (unsigned k = bench.random() % 4; k-- > 0;)
      frame[12 + bench.random() % std::min<std::size_t>(frame.size() - 12, 80)] =
          static_cast<std::uint8_t>(bench.random());
    frame.resize(1 + bench.random() % frame.size());
    for (std::size_t at = 0; at < frame.size() + 10 * kBytes; at += kBytes) {
      bench.dut->s_axis_tvalid_i = at < frame.size();
      const std::size_t left = at < frame.size() ? frame.size() - at : 0;
      for (unsigned i = 0; i < kBytes && i < left; ++i)
        port::put_byte(bench.dut->s_axis_tdata_i, i, frame[at + i]);
      port::put(bench.dut->s_axis_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
      bench.dut->s_axis_tlast_i = left <= kBytes;
      bench.dut.settle();
      beats += bench.dut->beat_valid_o && bench.dut->beat_last_o;
      icrcs += bench.dut->icrc_valid_o && bench.dut->icrc_last_o;
      sums += bench.dut->sums_valid_o;
      bench.dut.tick();
    }
    bench.dut->s_axis_tvalid_i = 0;
    CHECK(beats == n + 1);
    CHECK(icrcs == n + 1);
    CHECK(sums == n + 1);
  }
}

TEST_CASE("rx_parse: beats after two clocks, sums after five") {
  Bench bench;
  bench.send_good(shape(0));
  const std::uint64_t last = bench.last_in;
  bench.finish();
  CHECK(bench.last_out - last == 2);
  CHECK(bench.last_sums - last == 5);
}
