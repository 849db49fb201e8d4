// SPDX-License-Identifier: Apache-2.0
// Payload of datagrams and of other packets in, with the GRH in front out. The bytes of the GRH are
// those of whole frames.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_rx_grh.h"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"

namespace {

using roce::Bytes;
using roce::Fields;
using roce::kShapes;

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 40;
constexpr unsigned kReadClocks = 3;  // from admission to the first beat of rx_buffer

struct Bench {
  struct Beat {
    Bytes bytes;
    bool last;
    std::uint64_t from;  // clock from which on it may come
  };
  Dut<Vroci_rx_grh> dut;
  std::mt19937 random{kSeed};
  unsigned stalls = 0;  // percent
  bool hold = false;    // nothing leaves
  std::deque<Beat> beats;
  std::deque<std::pair<unsigned, Bytes>> want;  // place in the first beat, bytes
  Bytes got;
  bool open = false;
  std::uint64_t last_out = 0;

  /// Admits a packet; returns when its GRH was taken.
  void admit(const Fields& f) {
    const Bytes frame = roce::build(f);
    const bool datagram = roce::is_datagram(f.opcode);
    Bytes bytes = datagram ? roce::grh_of(frame, f) : Bytes();
    const std::size_t at = f.payload_at() - bytes.size();
    bytes.insert(bytes.end(), f.payload.begin(), f.payload.end());
    if (datagram) put_grh(f, frame);
    dut->grh_valid_i = datagram;
    for (dut.settle(); datagram && !dut->grh_ready_o; dut.settle()) clock();
    dut->next_i = !f.payload.empty();
    want.emplace_back(static_cast<unsigned>(at % kBytes), bytes);
    const std::size_t first = f.payload_at() / kBytes * kBytes;
    const std::size_t end = f.payload_at() + f.payload.size();
    for (std::size_t from = first; !f.payload.empty() && from < end; from += kBytes) {
      Bytes beat(frame.begin() + static_cast<long>(from),
                 frame.begin() + static_cast<long>(std::min(frame.size(), from + kBytes)));
      beat.resize(kBytes, 0xEE);
      beats.push_back({beat, from + kBytes >= end, dut.cycle() + kReadClocks});
    }
    clock();
    dut->grh_valid_i = 0;
    dut->next_i = 0;
  }

  void finish() {
    for (unsigned i = 0; i < 5000 && !(want.empty() && dut->idle_o); ++i) clock();
    CHECK(want.empty());
    CHECK(beats.empty());
    CHECK(dut->idle_o);
  }

  void clock() {
    auto go = [&] { return stalls == 0 || random() % 100 >= stalls; };
    held_ = !beats.empty() && dut.cycle() >= beats.front().from && (held_ || go());
    dut->in_tvalid_i = held_;
    for (unsigned i = 0; held_ && i < kBytes; ++i)
      port::put_byte(dut->in_tdata_i, i, beats.front().bytes[i]);
    dut->in_tlast_i = held_ && beats.front().last;
    dut->out_tready_i = !hold && go();
    dut.settle();
    if (dut->out_tvalid_o && dut->out_tready_i) {
      REQUIRE(!want.empty());
      const auto& [at, bytes] = want.front();
      for (unsigned i = open ? 0 : at; i < kBytes && got.size() < bytes.size(); ++i)
        got.push_back(port::byte(dut->out_tdata_o, i));
      open = true;
      CHECK(bool(dut->out_tlast_o) == (got.size() == bytes.size()));
      if (dut->out_tlast_o) {
        CHECK(got == bytes);
        got.clear();
        open = false;
        want.pop_front();
        last_out = dut.cycle();
      }
    }
    if (dut->in_tvalid_i && dut->in_tready_o) {
      beats.pop_front();
      held_ = false;
    }
    dut.tick();
  }

 private:
  void put_grh(const Fields& f, const Bytes& frame) {
    port::clear(dut->grh_i);
    for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) {
      port::put_byte(dut->grh_i, layout::grh::src_ip, i, f.src_ip[i]);
      port::put_byte(dut->grh_i, layout::grh::dst_ip, i, f.dst_ip[i]);
    }
    for (unsigned i = 0; i < 12; ++i)
      port::put_byte(dut->grh_i, layout::grh::ip_head, i, frame[f.ip_at() + i]);
    port::put(dut->grh_i, layout::grh::ipv6, f.ipv6);
    port::put(dut->grh_i, layout::grh::offset, f.payload_at());
    port::put(dut->grh_i, layout::grh::empty, f.payload.empty());
  }
  bool held_ = false;
};

Fields datagram(std::mt19937& random, unsigned which, std::size_t size) {
  return roce::packet(random, which, random() % 2 == 0 ? 0x64 : 0x65, size);
}

}  // namespace

TEST_CASE("rx_grh: each shape, immediate or not, and length (UD-05, UD-06, A17)") {
  for (const unsigned stalls : {0u, 50u}) {
    Bench bench;
    bench.stalls = stalls;
    for (unsigned which = 0; which < kShapes; ++which) {
      for (const unsigned opcode : {0x64u, 0x65u}) {
        for (unsigned size = 0; size < 2 * kBytes + 2; ++size)
          bench.admit(roce::packet(bench.random, which, opcode, size));
        bench.admit(roce::packet(bench.random, which, opcode, 4096));
        bench.finish();
      }
    }
  }
}

TEST_CASE("rx_grh: order among packets of connections, which pass without a wait") {
  for (const unsigned stalls : {0u, 30u, 80u}) {
    Bench bench;
    bench.stalls = stalls;
    for (unsigned n = 0; n < 1500; ++n) {
      const unsigned which = bench.random() % kShapes;
      if (bench.random() % 3 == 0) {
        bench.admit(datagram(bench.random, which, bench.random() % 3 * (bench.random() % 200)));
      } else if (bench.beats.size() < 16) {
        bench.admit(roce::packet(bench.random, which, 0x04, 1 + bench.random() % 300));
      } else {
        bench.clock();
      }
    }
    bench.finish();
  }
  Bench bench;
  bench.admit(roce::packet(bench.random, 0, 0x04, 1));
  const std::uint64_t admitted = bench.dut.cycle() - 1;
  bench.finish();
  CHECK(bench.last_out - admitted == kReadClocks);
}

TEST_CASE("rx_grh: a datagram every two to four clocks, where beats of 64 bytes leave (512 bits)") {
  if (DATA_WIDTH != 512) return;
  // IPv6 has a beat of the GRH alone, and what is optional is shifted in.
  for (unsigned which = 0; which < kShapes; ++which) {
    CAPTURE(which);
    Bench bench;
    const Fields first = roce::packet(bench.random, which, 0x64, 64);
    const std::uint64_t begin = bench.dut.cycle();
    for (unsigned n = 0; n < 100; ++n) bench.admit(roce::packet(bench.random, which, 0x64, 64));
    bench.finish();
    const double rate = static_cast<double>(bench.last_out - begin) / 100;
    MESSAGE("payload at " << first.payload_at() << ": " << rate << " clocks a datagram");
    CHECK(rate <= (first.payload_at() == 62 ? 2.1 : 4.1));
  }
}

TEST_CASE("rx_grh: datagrams are admitted while the first one waits for its place") {
  Bench bench;
  bench.hold = true;
  for (unsigned n = 0; n < RTL_Waiting; ++n)
    bench.admit(datagram(bench.random, n % kShapes, 10 * n));
  CHECK(bench.last_out == 0);
  CHECK_FALSE(bench.dut->idle_o);
  bench.hold = false;
  bench.finish();
}
