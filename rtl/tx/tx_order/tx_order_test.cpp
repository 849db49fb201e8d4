// SPDX-License-Identifier: Apache-2.0
// Packets of two sources and their segments in one order.
#include <doctest/doctest.h>

#include <cstdio>
#include <deque>
#include <random>

#include "Vroci_tx_order.h"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

/// A source of packets numbered by PSN, each with 0 to 3 segments.
struct Source {
  unsigned next = 0;                    // packet to offer
  std::deque<unsigned> segment_counts;  // segments still to offer, for each packet taken
  bool offered = false;
  unsigned count = 0;  // segments of the packet offered
};

}  // namespace

TEST_CASE(
    "tx_order: packets and segments leave in one order, each once, and the source learns what was "
    "sent") {
  const unsigned seed = 7;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  Dut<Vroci_tx_order> dut;
  Source sources[2];
  struct Expected {
    bool rq;
    unsigned number;
    unsigned segments;
  };
  std::deque<Expected> descs, segs;
  std::deque<Expected> on_way, left;
  unsigned done[2] = {0, 0};
  unsigned segment_number = 0;
  unsigned reported = 0;
  bool left_with_error = false, room = false;  // room: as a packet that is taken needs it
  while (done[0] + done[1] < 2000) {
    for (int s = 0; s < 2; ++s) {
      Source& source = sources[s];
      if (!source.offered && random() % 3 == 0) {
        source.offered = true;
        source.count = random() % 4;
      }
      auto& desc = s ? dut->rq_desc_i : dut->sq_desc_i;
      port::clear(desc);
      port::put(desc, layout::tx_desc::psn, source.next);
      port::put(desc, layout::tx_desc::qpn, s);
      port::put(desc, layout::tx_desc::payload_len, source.count);
      (s ? dut->rq_desc_valid_i : dut->sq_desc_valid_i) = source.offered;
      // Segments of the packet taken last are offered now and then.
      auto& seg = s ? dut->rq_seg_i : dut->sq_seg_i;
      port::clear(seg);
      const bool have = !source.segment_counts.empty() && random() % 2;
      if (have) {
        port::put(seg, layout::seg::addr, 16 * s + source.segment_counts.front());
        port::put(seg, layout::seg::len, random() % 2 ? 512 : 511);
        port::put(seg, layout::seg::last, source.segment_counts.front() == 1);
      }
      (s ? dut->rq_seg_valid_i : dut->sq_seg_valid_i) = have;
    }
    dut->desc_ready_i = random() % 2;
    dut->seg_ready_i = random() % 2;
    dut->sent_i = !on_way.empty() && random() % 2;
    dut->sent_error_i = random() % 8 == 0;
    dut.settle();
    for (int s = 0; s < 2; ++s) {
      Source& source = sources[s];
      const bool taken = s ? dut->rq_desc_valid_i && dut->rq_desc_ready_o
                           : dut->sq_desc_valid_i && dut->sq_desc_ready_o;
      if (taken) {
        CHECK(room);
        descs.push_back({s == 1, source.next, source.count});
        if (source.count) {
          segs.push_back({s == 1, 0, source.count});
          source.segment_counts.push_back(source.count);
        }
        ++source.next;
        source.offered = false;
      }
      const bool segment = s ? dut->rq_seg_valid_i && dut->rq_seg_ready_o
                             : dut->sq_seg_valid_i && dut->sq_seg_ready_o;
      if (segment && --source.segment_counts.front() == 0) source.segment_counts.pop_front();
    }
    if (dut->desc_valid_o && dut->desc_ready_i) {
      REQUIRE(!descs.empty());
      const Expected& want = descs.front();
      CHECK(port::get(dut->desc_o, layout::tx_desc::qpn) == want.rq);
      CHECK(port::get(dut->desc_o, layout::tx_desc::psn) == want.number);
      ++done[want.rq];
      on_way.push_back(want);
      descs.pop_front();
    }
    if (dut->seg_valid_o && dut->seg_ready_i) {
      REQUIRE(!segs.empty());
      CHECK(port::get(dut->seg_o, layout::seg::addr) ==
            16 * segs.front().rq + segs.front().segments - segment_number);
      const auto& offered = segs.front().rq ? dut->rq_seg_i : dut->sq_seg_i;
      CHECK(port::get(dut->seg_o, layout::seg::len) == port::get(offered, layout::seg::len));
      if (++segment_number == segs.front().segments) {
        segs.pop_front();
        segment_number = 0;
      }
    }
    // A packet that left is reported in the next clock, to its source.
    CHECK(dut->sent_sq_valid_o + dut->sent_rq_valid_o == left.size());
    if (!left.empty()) {
      CHECK(dut->sent_rq_valid_o == left.front().rq);
      CHECK(port::get(dut->sent_o, layout::sent::qpn) == left.front().rq);
      CHECK(port::get(dut->sent_o, layout::sent::psn) == left.front().number);
      CHECK(port::get(dut->sent_o, layout::sent::error) == left_with_error);
      left.pop_front();
      ++reported;
    }
    if (dut->sent_i) {
      left.push_back(on_way.front());
      left_with_error = dut->sent_error_i;
      on_way.pop_front();
    }
    room =
        dut->seg_ready_i && !(dut->seg_valid_o && port::get(dut->seg_o, layout::seg::len) >= 512);
    dut.tick();
  }
  CHECK(reported > 1000);
  CHECK(done[0] > 600);
  CHECK(done[1] > 600);
}
