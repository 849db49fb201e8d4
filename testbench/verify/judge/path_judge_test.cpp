// SPDX-License-Identifier: Apache-2.0
// The judge in the path: exchanges with faults, as they must be, and with violations of each end.
#include "testbench/verify/judge/path_judge.hpp"

#include <doctest/doctest.h>

#include "model/packet/builder.hpp"
#include "model/transport/rules.hpp"

namespace roci::judge {
namespace {

using namespace packet;
using namespace layout::syndrome;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint32_t kFirst = 0xFFFFFE;  // wraps
constexpr unsigned kTimeout = 15;           // 134 ms
enum class Fault { kNone, kLost, kCorrupt };
constexpr Fault kLost = Fault::kLost, kCorrupt = Fault::kCorrupt;

/// Two ends, of which 0 requests and 1 responds, and the path between them.
struct Path {
  PathJudge judge;
  std::uint64_t now = 1000 * kMs;
  std::uint32_t read_msn = 1;
  int read_more = 0;  ///< PSNs that READs took beyond one each

  static PathRules rules() {
    PathRules rules;
    rules.timeout = kTimeout;
    return rules;
  }
  explicit Path(const PathRules& rules = Path::rules()) : judge(rules) {}

  Path& wait(std::uint64_t ms) {
    for (std::uint64_t end = now + ms * kMs; now < end;) judge.look(now += kMs);
    return *this;
  }
  void pass(unsigned end, Bytes frame, Fault fault) {
    now += 1000;
    judge.sent(end, now, frame);
    if (fault == kLost) return;
    if (fault == kCorrupt) frame.back() ^= 1;
    judge.reached(1 - end, now, frame);
  }
  static Builder packet(unsigned end, std::uint8_t opcode, int n) {
    const std::uint32_t address[] = {0x0A000001, 0x0A000002};
    Builder builder;
    builder.ethernet(1, 2).ipv4(address[end], address[1 - end]);
    builder.bth(opcode, end == 0 ? 0x22 : 0x11, transport::Psn(kFirst + static_cast<unsigned>(n)));
    return builder;
  }
  /// The request of one packet with the n-th PSN.
  Path& send(int n, Fault fault = Fault::kNone) {
    const Bytes data(8, static_cast<std::uint8_t>(n));
    pass(0, packet(0, kRcSendOnly, n).ack_req().payload(data).build(), fault);
    return *this;
  }
  Path& read(int n, std::uint32_t bytes, Fault fault = Fault::kNone, std::uint64_t va = 0x1000) {
    pass(0, packet(0, kRcReadRequest, n).ack_req().reth(va, 7, bytes).build(), fault);
    return *this;
  }
  Path& ack(int n, std::uint8_t syndrome = kAckNoCredits, Fault fault = Fault::kNone) {
    const auto kind = transport::aeth_kind(syndrome);
    const int msn = (kind == layout::AethKind::kAck ? n + 1 : n) - read_more;
    pass(1, packet(1, kRcAck, n).aeth(syndrome, static_cast<std::uint32_t>(msn)).build(), fault);
    return *this;
  }
  Path& read_response(std::uint8_t opcode, int n, std::size_t bytes, Fault fault = Fault::kNone) {
    Builder builder = packet(1, opcode, n);
    if (opcode != kRcReadRespMiddle) builder.aeth(kAckNoCredits, read_msn);
    pass(1, builder.payload(Bytes(bytes, 1)).build(), fault);
    return *this;
  }

  std::string found() {
    std::string text;
    for (const PathFinding& one : judge.findings()) {
      text += (one.end == 0 ? "requester " : "responder ") + one.statement + "; ";
    }
    return text;
  }
};

}  // namespace

TEST_CASE("path: losses that both ends repair are no finding") {
  SUBCASE("a gap") {
    CHECK(Path()
              .send(0)
              .ack(0)
              .send(1, kLost)
              .send(2)
              .ack(1, kNakSequence)
              .send(1)
              .send(2)
              .ack(2)
              .found() == "");
  }
  SUBCASE("a corrupt packet") {
    CHECK(Path().send(0, kCorrupt).send(1).ack(0, kNakSequence).send(0).send(1).ack(1).found() ==
          "");
  }
  SUBCASE("the last packet") {
    CHECK(Path().send(0, kLost).wait(300).send(0).ack(0).found() == "");
  }
  SUBCASE("an ACK") {
    CHECK(Path().send(0).ack(0, kAckNoCredits, kLost).wait(300).send(0).ack(0).found() == "");
  }
  SUBCASE("a NAK") {
    CHECK(Path()
              .send(0, kLost)
              .send(1)
              .ack(0, kNakSequence, kLost)
              .wait(300)
              .send(0)
              .send(1)
              .ack(1)
              .found() == "");
  }
  SUBCASE("RNR") {
    CHECK(Path().send(0).ack(0, kRnrNak | 30).send(1).wait(400).send(0).send(1).ack(1).found() ==
          "");
  }
  SUBCASE("READ responses") {
    Path path;
    path.send(0).ack(0);
    path.read_more = 2;
    path.read_msn = 2;
    path.read(1, 600).read_response(kRcReadRespFirst, 1, 256);
    path.read_response(kRcReadRespMiddle, 2, 256, kLost).read_response(kRcReadRespLast, 3, 88);
    path.read(2, 344, Fault::kNone, 0x1100).read_response(kRcReadRespFirst, 2, 256);
    path.read_response(kRcReadRespLast, 3, 88).send(4).ack(4);
    CHECK(path.found() == "");
  }
  SUBCASE("a READ whose number of responses is not known yet") {
    Path path;
    path.read_more = 2;
    path.read(0, 600).send(3).read_response(kRcReadRespFirst, 0, 256);
    path.read_response(kRcReadRespMiddle, 1, 256).read_response(kRcReadRespLast, 2, 88).ack(3);
    CHECK(path.found() == "");
  }
}

TEST_CASE("path: violations of the responder") {
  SUBCASE("no NAK") {
    CHECK(Path().send(0).ack(0).send(1, kLost).send(2).wait(300).send(1).send(2).ack(2).found() ==
          "responder RSP-03; ");
  }
  SUBCASE("two NAKs") {
    CHECK(Path()
              .send(0, kLost)
              .send(1)
              .ack(0, kNakSequence)
              .ack(0, kNakSequence)
              .send(0)
              .send(1)
              .ack(1)
              .found() == "responder RSP-04; ");
  }
  SUBCASE("a NAK of a packet that came") {
    CHECK(Path().send(0).ack(0).send(1).ack(1, kNakSequence).send(1).ack(1).found() ==
          "responder RSP-03; ");
  }
  SUBCASE("ACK across a gap") {
    CHECK(Path().send(0, kLost).send(1).ack(1).found() == "responder RSP-03; ");
  }
  SUBCASE("ACK of a corrupt packet") {
    CHECK(Path().send(0).ack(0).send(1, kCorrupt).ack(1).found() == "responder WIRE-40; ");
  }
  SUBCASE("ACK of a lost packet") {
    CHECK(Path().send(0).ack(0).send(1, kLost).ack(1).found() == "responder RSP-11; ");
  }
  SUBCASE("a NAK after an RNR NAK") {
    CHECK(Path()
              .send(0)
              .ack(0, kRnrNak | 30)
              .send(1)
              .ack(0, kNakSequence)
              .wait(400)
              .send(0)
              .send(1)
              .ack(1)
              .found() == "responder RSP-05; ");
  }
  SUBCASE("no response to a duplicate") {
    Path path;
    path.send(0).ack(0).send(1).ack(1, kAckNoCredits, kLost).wait(300).send(1).wait(200).ack(0);
    CHECK(path.found() == "responder RSP-07; ");
  }
}

TEST_CASE("path: violations of the requester") {
  SUBCASE("goes on after a NAK") {
    CHECK(Path().send(0, kLost).send(1).ack(0, kNakSequence).wait(100).send(2).found() ==
          "requester RQ-21; ");
  }
  SUBCASE("waits for its timer after a NAK") {
    CHECK(Path()
              .send(0, kLost)
              .send(1)
              .ack(0, kNakSequence)
              .wait(140)
              .send(0)
              .send(1)
              .ack(1)
              .found() == "requester RQ-21; ");
  }
  SUBCASE("too early") {
    CHECK(Path().send(0, kLost).wait(40).send(0).ack(0).found() == "requester RQ-31; ");
  }
  SUBCASE("too late") {
    CHECK(Path().send(0, kLost).wait(700).send(0).ack(0).found() == "requester RQ-31; ");
  }
  SUBCASE("does not wait after an RNR NAK") {
    CHECK(Path().send(0).ack(0, kRnrNak | 31).wait(100).send(0).ack(0).found() ==
          "requester RQ-25; ");
  }
  SUBCASE("sends others during an RNR wait") {
    CHECK(Path().send(0).ack(0, kRnrNak | 31).wait(100).send(1).found() == "requester RQ-25; ");
  }
  SUBCASE("retries too often") {
    Path path;
    for (int i = 0; i < 9; ++i) path.send(0, kLost).wait(200);
    CHECK(path.found() == "requester RQ-34; ");
  }
  SUBCASE("retries what is acknowledged") {
    CHECK(Path().send(0).send(1).ack(0).wait(200).send(0).send(1).ack(1).found() ==
          "requester RQ-19; ");
  }
  SUBCASE("leaves out a lost packet") {
    CHECK(Path().send(0, kLost).send(1, kLost).wait(200).send(1).found() == "requester RQ-19; ");
  }
  SUBCASE("READ again from its begin") {
    Path path;
    path.read(0, 600)
        .read_response(kRcReadRespFirst, 0, 256)
        .read_response(kRcReadRespMiddle, 1, 256, kLost);
    path.wait(300).read(0, 600);
    CHECK(path.found() == "requester RQ-35; ");
  }
}

TEST_CASE("path: congestion") {
  Path path;
  const auto cnp = [&] {
    path.pass(1, Path::packet(1, kCnp, 0).congestion(false, true).build(), Fault::kNone);
  };
  SUBCASE("a CNP without a mark") {
    path.send(0).ack(0);
    cnp();
    CHECK(path.found() == "responder CC-02; ");
  }
  SUBCASE("after one") {
    const Bytes data(8, 0);
    path.pass(0, Path::packet(0, kRcSendOnly, 0).ack_req().traffic_class(3).payload(data).build(),
              Fault::kNone);
    cnp();
    path.ack(0);
    CHECK(path.found() == "");
    CHECK(path.judge.counts(1).marked == 1);
    CHECK(path.judge.counts(1).cnps == 1);
  }
}

TEST_CASE("path: an end that stops is a note") {
  Path path;
  path.send(0).ack(0).send(1).wait(200);
  path.judge.finish(path.now);
  CHECK(path.found() == "");
  REQUIRE(path.judge.notes().size() == 1);
  CHECK(path.judge.notes()[0].text == "1 requests have no response: the responder may have ended");
}

}  // namespace roci::judge
