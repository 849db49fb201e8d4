// SPDX-License-Identifier: Apache-2.0
// Read data into packets, from their first byte on.
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vroci_gather.h"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kBeat = DATA_WIDTH / 8;

struct Slice {
  std::vector<std::uint8_t> beat;
  unsigned start, bytes;
  bool last, error;
};
struct Packet {
  unsigned pos, len;
  bool error;
  std::vector<std::uint8_t> bytes;
};

TEST_CASE("gather: each packet starts at its byte and reports whether a read failed") {
  std::mt19937 random(3);
  MESSAGE("seed 3");
  Dut<Vroci_gather> dut;
  std::deque<Slice> slices;
  std::deque<Packet> starts, packets;
  for (int p = 0; p < 400; ++p) {
    Packet packet{static_cast<unsigned>(random()) % kBeat, 0, false, {}};
    for (bool last = false; !last && packet.len < 4096 - kBeat;) {
      Slice slice{std::vector<std::uint8_t>(kBeat), static_cast<unsigned>(random()) % kBeat, 0,
                  random() % 5 == 0, random() % 40 == 0};
      if (random() % 2) slice.start = 0;
      slice.bytes = random() % 2 ? kBeat - slice.start : 1 + random() % (kBeat - slice.start);
      for (auto& byte : slice.beat) byte = static_cast<std::uint8_t>(random());
      packet.len += slice.bytes;
      packet.error |= slice.error;
      packet.bytes.insert(packet.bytes.end(), &slice.beat[slice.start],
                          &slice.beat[slice.start] + slice.bytes);
      slice.last = last = slice.last || packet.len >= 4096 - kBeat;
      slices.push_back(slice);
    }
    starts.push_back(packet);
    packets.push_back(packet);
  }
  unsigned beat = 0;
  bool start_up = false, slice_up = false;
  for (int i = 0; i < 100000 && !packets.empty(); ++i) {
    dut->gather_start_valid_i = start_up = !starts.empty() && (start_up || random() % 4);
    if (start_up) {
      dut->gather_pos_i = starts[0].pos;
      dut->gather_len_i = starts[0].len;
    }
    dut->in_valid_i = slice_up = !slices.empty() && (slice_up || random() % 8);
    if (slice_up) {
      for (unsigned b = 0; b < kBeat; ++b) port::put_byte(dut->in_data_i, b, slices[0].beat[b]);
      dut->in_start_i = slices[0].start;
      dut->in_bytes_i = slices[0].bytes;
      dut->in_last_i = slices[0].last;
      dut->in_error_i = slices[0].error;
    }
    dut->pay_tready_i = random() % 8 != 0;
    dut.settle();
    if (start_up && dut->gather_start_ready_o) {
      starts.pop_front();
      start_up = false;
    }
    if (slice_up && dut->in_ready_o) {
      slices.pop_front();
      slice_up = false;
    }
    if (dut->pay_tvalid_o && dut->pay_tready_i) {
      const Packet& packet = packets.front();
      bool same = true;
      for (unsigned b = 0; b < kBeat; ++b) {
        const unsigned at = kBeat * beat + b;
        const bool inside = at >= packet.pos && at < packet.pos + packet.len;
        same &= port::byte(dut->pay_tdata_o, b) == (inside ? packet.bytes[at - packet.pos] : 0);
      }
      REQUIRE(same);
      const bool last = kBeat * ++beat >= packet.pos + packet.len;
      REQUIRE(dut->pay_tlast_o == last);
      REQUIRE(dut->pay_terror_o == (last && packet.error));
      if (last) {
        packets.pop_front();
        beat = 0;
      }
    }
    dut.tick();
  }
  CHECK(packets.empty());
  dut->gather_start_valid_i = dut->in_valid_i = 0;
  dut.settle();
  CHECK(dut->idle_o == 1);
}

TEST_CASE("gather: waits for the place of a packet") {
  Dut<Vroci_gather> dut;
  dut->in_valid_i = 1;
  dut->in_bytes_i = 5;
  dut->in_last_i = 1;
  dut->pay_tready_i = 1;
  for (int i = 0; i < 10; ++i) {
    dut.settle();
    REQUIRE(dut->in_ready_o == 0);
    dut.tick();
  }
  dut->gather_pos_i = 2;
  dut->gather_len_i = 5;
  dut->gather_start_valid_i = 1;
  dut.tick();
  dut->gather_start_valid_i = 0;
  dut.settle();
  CHECK(dut->in_ready_o == 1);
  dut.tick();
  CHECK(dut->pay_tvalid_o == 1);
}

}  // namespace
