// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdio>
#include <deque>
#include <random>

#include "Vroci_tx_order.h"
#include "model/spec/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using roci::spec::kSeg;
using roci::spec::kTxDesc;
using roci::spec::place_of;

/// One source: hands out packets numbered by PSN, each with 0 to 3 segments named by address.
struct Source {
  std::uint64_t tag = 0;
  unsigned next = 0;                  // packet to offer
  std::deque<std::uint64_t> pieces;   // addresses to offer
  std::deque<unsigned> piece_counts;  // of packets taken, segments still to offer
  bool offered = false;
  unsigned count = 0;  // segments of the packet on offer
};

}  // namespace

TEST_CASE("tx_order: packets and pieces come out in one order, each once, and report back") {
  const unsigned seed = 7;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  Dut<Vroci_tx_order> dut;
  Source sources[2];
  sources[1].tag = 1;
  struct Expected {
    bool rq;
    unsigned number;
    unsigned pieces;
  };
  std::deque<Expected> descs, segs;
  std::deque<bool> on_way;
  unsigned done[2] = {0, 0};
  unsigned piece_number = 0;
  unsigned sq_sent = 0, rq_sent = 0, rq_expected = 0, sent = 0;
  while (done[0] + done[1] < 2000) {
    for (int s = 0; s < 2; ++s) {
      Source& source = sources[s];
      if (!source.offered && random() % 3 == 0) {
        source.offered = true;
        source.count = random() % 4;
      }
      auto& desc = s ? dut->rq_desc_i : dut->sq_desc_i;
      port::clear(desc);
      port::put(desc, place_of(kTxDesc, "psn"), source.next);
      port::put(desc, place_of(kTxDesc, "qpn"), s);
      port::put(desc, place_of(kTxDesc, "payload_len"), source.count);
      (s ? dut->rq_desc_valid_i : dut->sq_desc_valid_i) = source.offered;
      // Segments of the packet taken last, offered lazily.
      auto& seg = s ? dut->rq_seg_i : dut->sq_seg_i;
      port::clear(seg);
      const bool have = !source.piece_counts.empty() && random() % 2;
      if (have) {
        port::put(seg, place_of(kSeg, "addr"), s);
        port::put(seg, place_of(kSeg, "len"), source.piece_counts.front());
        port::put(seg, place_of(kSeg, "last"), source.piece_counts.front() == 1);
      }
      (s ? dut->rq_seg_valid_i : dut->sq_seg_valid_i) = have;
    }
    dut->desc_ready_i = random() % 2;
    dut->seg_ready_i = random() % 2;
    dut->sent_i = !on_way.empty() && random() % 2;
    dut.settle();
    for (int s = 0; s < 2; ++s) {
      Source& source = sources[s];
      const bool taken = s ? dut->rq_desc_valid_i && dut->rq_desc_ready_o
                           : dut->sq_desc_valid_i && dut->sq_desc_ready_o;
      if (taken) {
        descs.push_back({s == 1, source.next, source.count});
        if (source.count) {
          segs.push_back({s == 1, 0, source.count});
          source.piece_counts.push_back(source.count);
        }
        ++source.next;
        source.offered = false;
      }
      const bool piece = s ? dut->rq_seg_valid_i && dut->rq_seg_ready_o
                           : dut->sq_seg_valid_i && dut->sq_seg_ready_o;
      if (piece && --source.piece_counts.front() == 0) source.piece_counts.pop_front();
    }
    if (dut->desc_valid_o && dut->desc_ready_i) {
      REQUIRE(!descs.empty());
      const Expected& want = descs.front();
      CHECK(port::get(dut->desc_o, place_of(kTxDesc, "qpn")) == want.rq);
      CHECK(port::get(dut->desc_o, place_of(kTxDesc, "psn")) == want.number);
      ++done[want.rq];
      on_way.push_back(want.rq);
      descs.pop_front();
    }
    if (dut->seg_valid_o && dut->seg_ready_i) {
      REQUIRE(!segs.empty());
      CHECK(port::get(dut->seg_o, place_of(kSeg, "addr")) == segs.front().rq);
      CHECK(port::get(dut->seg_o, place_of(kSeg, "len")) == segs.front().pieces - piece_number);
      if (++piece_number == segs.front().pieces) {
        segs.pop_front();
        piece_number = 0;
      }
    }
    if (dut->sent_i) {
      ++sent;
      rq_expected += on_way.front();
      on_way.pop_front();
    }
    sq_sent += dut->sent_sq_valid_o;
    rq_sent += dut->sent_rq_valid_o;
    dut.tick();
  }
  CHECK(rq_sent == rq_expected);
  CHECK(sq_sent == sent - rq_expected);
  CHECK(done[0] > 600);
  CHECK(done[1] > 600);
}
