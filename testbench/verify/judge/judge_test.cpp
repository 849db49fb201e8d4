// SPDX-License-Identifier: Apache-2.0
// The judge on captures of Soft-RoCE, as they are and with violations planted in them.
#include "testbench/verify/judge/judge.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/packet/builder.hpp"
#include "model/packet/describe.hpp"

namespace roci::judge {
namespace {

using namespace packet;

std::vector<CapturedFrame> capture(const std::string& name) {
  return read_capture(CAPTURES "/" + name + ".pcap");
}

Report judged(const std::vector<CapturedFrame>& frames, bool connected_once = false) {
  Judge judge(connected_once);
  for (const CapturedFrame& frame : frames) judge.take(frame);
  return judge.report();
}

std::string text_of(const Report& report) {
  std::string text;
  for (const Finding& f : report.findings) {
    text += std::to_string(f.frame) + " " + f.statement + ": " + f.text + "\n";
  }
  return text;
}

/// Index of the frame that has the opcode, counted among those from 0 on.
std::size_t find(const std::vector<CapturedFrame>& frames, std::uint8_t opcode,
                 unsigned occurrence = 0) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Parsed p = parse(frames[i].bytes);
    if (p.has_bth && p.bth().opcode() == opcode && occurrence-- == 0) return i;
  }
  FAIL("no such frame");
  return 0;
}

/// A change of one frame of a capture; headers and ICRC are made right again.
void change(CapturedFrame& frame, const std::function<void(std::uint8_t* bth)>& edit) {
  edit(frame.bytes.data() + parse(frame.bytes).bth_at);
  REQUIRE(seal(&frame.bytes));
}

constexpr std::size_t kExt = Bth::kBytes;

/// All findings are of the statement, the first of them at the frame with this index.
void check_found(const std::vector<CapturedFrame>& frames, const char* statement,
                 std::size_t index) {
  const Report report = judged(frames);
  CAPTURE(text_of(report));
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings.front().frame == index + 1);
  for (const Finding& finding : report.findings) CHECK(finding.statement == statement);
  CHECK(report.findings.front().packet == describe(frames[index].bytes));
}

/// Changes the frame of a capture that has the opcode, as `find` counts; the judge finds it.
void check_planted(const std::string& name, std::uint8_t opcode, unsigned occurrence,
                   const std::function<void(std::uint8_t* bth)>& edit, const char* statement) {
  auto frames = capture(name);
  const std::size_t index = find(frames, opcode, occurrence);
  change(frames[index], edit);
  check_found(frames, statement, index);
}

}  // namespace

TEST_CASE("judge: nothing is found in what Soft-RoCE sends, with loss, duplicates and reordering") {
  unsigned captures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAPTURES)) {
    const std::string name = entry.path().stem();
    // raw*: packets made by hand.
    if (entry.path().extension() != ".pcap" || name.rfind("raw", 0) == 0) continue;
    ++captures;
    const Report report = judged(capture(name));
    CAPTURE(name);
    CHECK(text_of(report) == "");
    CHECK(report.truncated == 0);
    // Every stream of an RC connection has its responses, where the capture has any.
    if (name.rfind("rc_", 0) == 0) CHECK(report.paired == report.streams);
  }
  CHECK(captures > 100);
}

TEST_CASE("judge: frames made by hand are found by the rules of a frame") {
  const Report framing = judged(capture("raw_framing"));
  CHECK(framing.findings[0].statement == "WIRE-36");  // 1: an ICRC with a flipped bit
  const auto has = [&](std::size_t frame, const char* statement) {
    return std::any_of(framing.findings.begin(), framing.findings.end(), [&](const Finding& f) {
      return f.frame == frame && f.statement == statement;
    });
  };
  CHECK(has(8, "WIRE-20"));
  CHECK(has(11, "WIRE-21"));
}

TEST_CASE("judge: Soft-RoCE resumes a READ at its first address after an ACK of its PSN") {
  const Report report = judged(capture("rawq_read"));
  CHECK(
      text_of(report) ==
      "31 RQ-35: retransmitted, but not as it was: after 1 responses a READ requests 1976 bytes at "
      "0x1400\n"
      "32 RQ-35: retransmitted, but not as it was: after 1 responses a READ requests 1976 bytes at "
      "0x1400\n");
}

TEST_CASE("judge: a retransmission with other contents") {
  check_planted(
      "loss_write_middle", kRcWriteMiddle, 6, [](std::uint8_t* bth) { bth[kExt] ^= 1; }, "RQ-20");
}

TEST_CASE("judge: a retry that begins after what the NAK names") {
  auto frames = capture("loss_write_middle");
  std::size_t retry = find(frames, kRcAck);
  REQUIRE(parse(frames[retry].bytes).aeth().syndrome() == layout::syndrome::kNakSequence);
  const transport::Psn named = parse(frames[retry].bytes).psn();
  while (parse(frames[retry].bytes).psn() != named || parse(frames[retry].bytes).op->response) {
    ++retry;
  }
  frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(retry));
  check_found(frames, "RQ-21", retry);
}

TEST_CASE("judge: opcodes out of order") {
  auto frames = capture("rc_write_mtu1024");
  const std::size_t middle = find(frames, kRcWriteMiddle);
  change(frames[middle], [](std::uint8_t* bth) { MutableBth(bth).set_opcode(kRcSendMiddle); });
  const Report report = judged(frames);
  CHECK(report.findings.front().statement == "RQ-05");
  CHECK(report.findings.front().frame == middle + 1);

  frames = capture("rc_write_mtu1024");
  const std::size_t last = find(frames, kRcWriteLast);
  const std::size_t next = find(frames, kRcWriteOnly, 0);
  REQUIRE(next < last);
  change(frames[last], [](std::uint8_t* bth) { MutableBth(bth).set_opcode(kRcSendOnly); });
  const Report ended = judged(frames);
  CHECK(ended.findings.front().statement == "RQ-04");
}

TEST_CASE("judge: a WRITE shorter than its RETH says") {
  auto frames = capture("rc_write_mtu1024");
  const std::size_t first = find(frames, kRcWriteFirst);
  change(frames[first], [](std::uint8_t* bth) {
    MutableReth reth(bth + kExt);
    reth.set_dma_length(reth.dma_length() + 1);
  });
  check_found(frames, "RQ-06", find(frames, kRcWriteLast));
}

TEST_CASE("judge: a path MTU that changes") {
  auto frames = capture("rc_write_mtu256");
  const std::size_t first = find(frames, kRcWriteFirst, 1);
  const Bytes frame = frames[first].bytes;
  const Parsed p = parse(frame);
  Builder builder;
  builder.ethernet(p.ethernet().dst_mac(), p.ethernet().src_mac())
      .gids(p.src(), p.dst())
      .src_port(p.udp().src_port())
      .bth(kRcWriteFirst, p.bth().dest_qp(), p.psn())
      .pkey(p.bth().pkey())
      .reth(p.reth().va(), p.reth().rkey(), p.reth().dma_length())
      .payload(Bytes(512));
  frames[first].bytes = builder.build();
  frames[first].length = frames[first].bytes.size();
  const Report report = judged(frames);
  CHECK(report.findings.front().statement == "WIRE-41");
  CHECK(report.findings.front().frame == first + 1);
}

TEST_CASE("judge: an ACK of what was never sent, and a wrong MSN") {
  const auto ahead = [](std::uint8_t* bth) {
    MutableBth view(bth);
    view.set_psn(view.psn() + 100);
  };
  check_planted("rc_write_mtu1024", kRcAck, 3, ahead, "RSP-11");
  const auto more = [](std::uint8_t* bth) {
    MutableAeth aeth(bth + kExt);
    aeth.set_msn(aeth.msn() + 5);
  };
  check_planted("rc_write_mtu1024", kRcAck, 3, more, "RSP-13");
}

TEST_CASE("judge: READ responses out of place, and a READ resumed elsewhere") {
  const auto only = [](std::uint8_t* bth) { MutableBth(bth).set_opcode(kRcReadRespOnly); };
  check_planted("rc_read_mtu1024", kRcReadRespLast, 0, only, "RSP-32");
  const auto elsewhere = [](std::uint8_t* bth) {
    MutableReth reth(bth + kExt);
    reth.set_va(reth.va() + 8);
  };
  check_planted("loss_read_middle", kRcReadRequest, 1, elsewhere, "RQ-35");
}

TEST_CASE("judge: an atomic that is retransmitted or replayed with another value") {
  auto frames = capture("loss_cas_ack");
  const std::size_t request = find(frames, kRcCmpSwap, 1);
  change(frames[request], [](std::uint8_t* bth) {
    MutableAtomicEth atomic(bth + kExt);
    atomic.set_swap_add(atomic.swap_add() + 1);
  });
  const Report report = judged(frames);
  // The request is the first of its connection: one with other operands may begin another one.
  CHECK(report.findings.empty());
  CHECK(report.notes.size() == 1);
  const Report once = judged(frames, true);
  CHECK(once.notes.empty());
  REQUIRE(once.findings.size() == 1);
  CHECK(once.findings.front().frame == request + 1);
  CHECK(once.findings.front().statement == "RQ-42");

  const auto other = [](std::uint8_t* bth) { bth[kExt + Aeth::kBytes] ^= 1; };
  check_planted("loss_cas_ack", kRcAtomicAck, 1, other, "RSP-43");
}

TEST_CASE("judge: queue pairs connected again have another path MTU, and PSNs further on") {
  const auto joined = [](std::uint32_t ahead) {
    std::vector<CapturedFrame> frames = capture("rc_write_mtu1024");
    const std::uint32_t to = parse(frames[find(frames, kRcWriteFirst)].bytes).bth().dest_qp();
    const std::uint32_t back = parse(frames[find(frames, kRcAck)].bytes).bth().dest_qp();
    const transport::Psn last = parse(frames[find(frames, kRcWriteLast)].bytes).psn();
    std::vector<CapturedFrame> again = capture("rc_write_mtu256");
    const transport::Psn first = parse(again[find(again, kRcWriteFirst)].bytes).psn();
    for (CapturedFrame& frame : again) {
      change(frame, [&](std::uint8_t* at) {
        MutableBth bth(at);
        const std::uint32_t gap = transport::Psn(bth.psn()).steps_from(first);
        bth.set_dest_qp(bth.opcode() == kRcAck ? back : to);
        bth.set_psn((last + ahead + gap).value());
      });
      frames.push_back(frame);
    }
    return frames;
  };
  for (const std::uint32_t ahead : {70'000U, 1'000'000U, 8'000'000U}) {
    CAPTURE(ahead);
    const Report report = judged(joined(ahead));
    CHECK(text_of(report) == "");
    REQUIRE(report.notes.size() == 1);
    CHECK(report.notes.front().text == "the PSNs begin anew: another connection");
  }
}

TEST_CASE("judge: CNPs for a queue pair are apart by the interval that is stated") {
  const std::uint32_t a = 0x0A000001, b = 0x0A000002;
  std::vector<CapturedFrame> frames;
  const auto add = [&](std::uint64_t us, std::uint32_t from, std::uint32_t to, std::uint32_t qp) {
    Builder builder;
    builder.ethernet(1, 2).ipv4(from, to).bth(kCnp, qp, transport::Psn(0));
    const Bytes frame = builder.congestion(false, true).build();
    frames.push_back({us * 1000, frame, frame.size()});
  };
  add(100, a, b, 7);
  add(110, a, b, 8);  // each queue pair has its own interval
  add(120, b, a, 7);
  add(150, a, b, 7);
  add(199, a, b, 7);
  add(200, a, b, 8);
  add(269, b, a, 7);
  const auto found = [&](std::uint64_t interval_ns) {
    Judge judge(false, interval_ns);
    for (const CapturedFrame& frame : frames) judge.take(frame);
    CHECK(judge.report().cnps == frames.size());
    return std::to_string(judge.report().cnp_interval_ns) + " ns\n" + text_of(judge.report());
  };
  CHECK(found(0) == "49000 ns\n");
  CHECK(found(49'000) == "49000 ns\n");
  CHECK(found(50'000) ==
        "49000 ns\n5 CC-02: a CNP 49.000 us after another one for the queue pair, which is less "
        "than 50.000 us\n");
  std::swap(frames[3], frames[4]);  // a capture of several interfaces is not sorted by time
  CHECK(found(50'000) == "90000 ns\n");
}

TEST_CASE("judge: frames that a capture truncated are counted, not judged") {
  auto frames = capture("rc_write_mtu1024");
  for (CapturedFrame& frame : frames) {
    if (frame.bytes.size() > 200) frame.bytes.resize(200);
  }
  const Report report = judged(frames);
  CHECK(report.truncated > 3);
  CHECK(report.roce + report.truncated == frames.size());
  for (const Finding& finding : report.findings) CHECK(finding.statement != "WIRE-33");
}

}  // namespace roci::judge
