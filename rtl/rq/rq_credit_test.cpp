// SPDX-License-Identifier: Apache-2.0
// Credits in acknowledges.
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: ACKs carry the largest code not above the receives posted (RSP-14, RSP-15)") {
  const std::vector<unsigned> table = {
      // IBTA table 46
      0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
      256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
  Attr attr;
  attr.credits = true;
  attr.rq_log = 15;
  Rig b(attr);
  unsigned now = 0;
  for (unsigned code = 0; code < table.size(); ++code) {
    for (unsigned n : {table[code] - 1, table[code], table[code] + 1}) {
      if (n > 32768 || n < now) continue;
      CAPTURE(n);
      b.doorbell(3, now = n);
      b.run();
      b.write_only(Rig::pattern(4, n), 0x100000);
      b.run();
      unsigned expected = 0;
      while (expected + 1 < table.size() && table[expected + 1] <= n) ++expected;
      CHECK(b.responses.back().syndrome == expected);
      b.read(0x100000, 4);
      b.run();
      CHECK(b.responses.back().opcode == kRcReadRespOnly);
      CHECK(b.responses.back().syndrome == expected);
    }
  }
}

TEST_CASE("rq: credits follow receives used up; none with an SRQ or without the attribute") {
  Attr attr;
  attr.credits = true;
  Rig b(attr);
  for (int i = 0; i < 4; ++i) b.post(3, {});
  for (unsigned left : {3u, 2u, 1u, 0u}) {
    b.packet(kRcSendOnly, {});
    b.run();
    CHECK(b.responses.back().syndrome == left);
  }
  b.packet(kRcSendOnly, {});
  b.run();
  CHECK(b.responses.back().syndrome == kRnr12);
  attr.srq = true;
  b.srq_row(0, {});
  b.connect(3, attr);
  b.psn = attr.rq_psn;
  b.write_only(Rig::pattern(4, 1), 0x100000);
  b.run();
  CHECK(b.responses.back().syndrome == kAckNoCredits);
}

}  // namespace
