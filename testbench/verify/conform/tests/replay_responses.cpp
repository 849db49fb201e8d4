// SPDX-License-Identifier: Apache-2.0
// Replays captured responses, valid and invalid, of a test peer to requests of Linux Soft-RoCE: the
// adapter posts the same requests and gets the same responses. The outcome must be that of
// Soft-RoCE, except for the exchanges of `kOtherwise`, where it follows the statements instead.
#include <algorithm>
#include <set>

#include "testbench/verify/conform/replay.hpp"

namespace roci::conform {
using namespace packet;

namespace {

/// First failed completion instead of that of Soft-RoCE; several: any of them.
struct Otherwise {
  const char* name;
  std::vector<Status> statuses;
};
const std::vector<Otherwise>& otherwise() {
  static const std::vector<Status> kBad = {Status::kBadRespErr, Status::kLocLenErr};
  static const std::vector<Status> kReserved = {Status::kBadRespErr, Status::kRemOpErr};
  static const std::vector<Status> kIgnoredOrBad = {Status::kRetryExcErr, Status::kBadRespErr};
  static const std::vector<Otherwise> kAll = {
      {"q_ack_future_far", {Status::kRetryExcErr}},
      {"q_ack_payload", {Status::kRetryExcErr}},
      {"q_atomic_pay", kIgnoredOrBad},
      {"q_nak_inv_rd", kReserved},
      {"q_nak_reserved5", kReserved},
      {"q_nak_reserved31", kReserved},
      {"q_read_last_long", kBad},
      {"q_read_only_for_multi", kBad},
      {"q_read_ack", kIgnoredOrBad},
      {"q_write_read_resp", kIgnoredOrBad},
      {"q_read_resp_over_mtu", kBad},
      {"q_read_bad_aeth", {Status::kBadRespErr, Status::kRemAccessErr, Status::kRetryExcErr}},
      {"q_read_pad_mismatch", kBad},
      {"q_retry7", {Status::kRetryExcErr}},
  };
  return kAll;
}

void prepare(const std::string& name, Options& o) {
  o.path_mtu = name == "q_window_big" ? 1 : 3;
  o.sq_psn = 0x5000;
  o.rq_psn = 0x1000;
  o.retry_cnt = 2;
  o.rnr_retry = 2;
  o.timeout = 12;
  o.max_rd_atomic = name == "q_read_depth" ? 2 : name == "q_atomic_dup" ? 1 : 4;
  if (name == "q_timeout_10_2") o.timeout = 10;
  if (name == "q_timeout_13_3") o.timeout = 13, o.retry_cnt = 3;
  if (name == "q_timeout_15_1") o.timeout = 15, o.retry_cnt = 1;
  if (name == "q_retry_zero") o.retry_cnt = 0;
  if (name == "q_retry7") o.retry_cnt = 7;
  if (name == "q_rnr_zero") o.rnr_retry = 0;
  if (name == "q_rnr_inf") o.rnr_retry = 7;
  if (name.rfind("q_window", 0) == 0 || name == "q_read_depth") o.timeout = 0;
  o.peer_gid = driver::gid_of_ipv4(0x0A000009);
  o.qp.send_entries = 64;
}

struct Work {
  Opcode opcode;
  std::uint32_t bytes;
  std::uint32_t psn;
};

/// Derives the work requests from the packets that Soft-RoCE sent, followed by those that flushed
/// before they were sent.
std::vector<Work> work_of(const Exchange& e) {
  std::vector<Work> all;
  std::set<std::uint32_t> seen;
  for (const Exchange::Step& step : e.steps) {
    if (step.from_peer) continue;
    const Parsed p = packet::parse(step.frame);
    if (!p.ok() || !p.op->start || !seen.insert(p.bth().psn()).second) continue;
    switch (p.bth().opcode()) {
      case kRcWriteFirst:
      case kRcWriteOnly:
        all.push_back({Opcode::kWrite, p.reth().dma_length(), p.bth().psn()});
        break;
      case kRcReadRequest:
        // A request that resumes in the middle is a retry.
        if (p.reth().va() == 0x1000 &&
            (all.empty() || p.bth().psn() > all.back().psn + 1 ||
             all.back().opcode != Opcode::kRead || p.reth().dma_length() <= 1024)) {
          all.push_back({Opcode::kRead, p.reth().dma_length(), p.bth().psn()});
        }
        break;
      case kRcFetchAdd:
        all.push_back({Opcode::kFetchAdd, 8, p.bth().psn()});
        break;
      default:
        all.push_back({Opcode::kSend, static_cast<std::uint32_t>(p.payload.size), p.bth().psn()});
    }
  }
  const auto completions =
      static_cast<std::size_t>(std::count(e.sends.begin(), e.sends.end(), ':') / 2);
  if (e.name == "q_read_depth") all.resize(8, all.back());
  if (e.name == "q_read_then_write_implied") all.push_back({Opcode::kWrite, 64, 0x5003});
  while (all.size() < completions) all.push_back(all.back());
  return all;
}

std::string text_of(const std::vector<std::pair<std::uint64_t, Status>>& completions) {
  std::string all;
  for (const auto& [id, status] : completions) {
    all += std::to_string(id) + " " + driver::name_of(status) + "; ";
  }
  return all;
}

std::vector<std::pair<std::uint64_t, Status>> completions_of(const std::string& text) {
  std::vector<std::pair<std::uint64_t, Status>> all;
  std::size_t at = 0;
  while ((at = text.find("wr", at)) != std::string::npos) {
    const std::size_t colon = text.find(':', at), length = text.find(":len", colon);
    all.emplace_back(std::stoul(text.substr(at + 2, colon - at - 2)),
                     status_of(text.substr(colon + 1, length - colon - 1)));
    at = length;
  }
  return all;
}

void play(Fixture& dut, const Exchange& e) {
  Connection c(dut, [&](Options& o) { prepare(e.name, o); });
  const std::vector<Work> work = work_of(e);
  require(!work.empty(), e.name + ": requests in the capture", "none");
  // Requests of one PSN space that the capture shows only after a response are posted then.
  std::size_t posted = 0;
  const auto post = [&] {
    const Work& w = work[posted++];
    driver::SendRequest r = c.work(w.opcode, w.bytes);
    r.remote_address = 0x1000;
    r.remote_key = 7;
    r.swap_add = 1;
    c.post(r);
  };
  if (e.name != "q_ack_unsolicited") {
    while (posted < work.size()) post();
  }
  std::set<std::uint32_t> expected;
  bool nak_seen = false;
  const bool limited = e.name.rfind("q_window", 0) == 0;
  for (const Exchange::Step& step : e.steps) {
    if (step.from_peer) {
      // The number of no queue pair.
      constexpr std::uint32_t kNobody = 0xABCDEF;
      replay(dut, step.frame, e.name == "q_ack_wrong_qp" ? kNobody : c.number(), {});
      nak_seen = true;
      dut.sleep(2_us);
      continue;
    }
    const std::uint32_t psn = packet::parse(step.frame).bth().psn();
    const bool again = !expected.insert(psn).second;
    if (posted < work.size() && work[posted].psn == psn) post();
    // A retransmission depends on the timer; here its position may differ.
    const bool needed = !again && !nak_seen && (!limited || psn == 0x5000);
    const auto frame = again ? c.next(1500_ms) : needed ? c.next(1_ms) : c.next_if_any(1_ms);
    // Fewer requests may be outstanding than with Soft-RoCE, and an invalid response may have ended
    // the connection.
    if (needed) {
      require(frame.has_value(), e.name + ": a packet with PSN " + hex(psn), "silence");
    }
    if (limited && !frame) break;
  }
  if (e.name == "q_rnr_inf") {  // the capture ends before the ACK
    require(c.next(1_ms).has_value(), e.name + ": another try", "silence");
    c.ack(0x5000);
  }
  if (e.name == "q_read_depth") c.expect_silence(100_us);
  std::vector<std::pair<std::uint64_t, Status>> seen;
  while (seen.size() < posted) {
    const auto done = c.send_cq().wait(2000_ms);
    if (!done) break;
    seen.emplace_back(done->id, done->status);
  }
  c.no_completion(dut.adapter().in_bench() ? 2000_ms : 0);
  const QpState state = c.qp().query().state;

  std::vector<std::pair<std::uint64_t, Status>> wanted = completions_of(e.sends);
  const auto& others = otherwise();
  const auto other = std::find_if(others.begin(), others.end(),
                                  [&](const Otherwise& o) { return e.name == o.name; });
  if (other == others.end()) {
    // Requests after the failed one that never left flush too.
    while (!wanted.empty() && wanted.back().second != Status::kSuccess &&
           wanted.size() < work.size()) {
      wanted.emplace_back(wanted.size() + 1, Status::kWrFlushErr);
    }
    require(seen == wanted, e.name + ": " + text_of(wanted), text_of(seen));
    require((state == QpState::kErr) == (e.state == "ERR"), e.name + ": state " + e.state,
            "another");
    return;
  }
  require(!seen.empty() &&
              std::count(other->statuses.begin(), other->statuses.end(), seen[0].second) == 1,
          e.name + ": one of the errors for an invalid response first", text_of(seen));
  require(state == QpState::kErr, e.name + ": ERR", "another state");
}

void play_all(Fixture& dut, const char* capture) {
  for (const Exchange& e : exchanges_of(capture)) {
    // Its number of tries depends on the time that the peer takes; RQ-28 has a test of its own.
    if (e.name == "q_rnr_inf" && !dut.adapter().in_bench()) continue;
    play(dut, e);
  }
}

}  // namespace

TEST_THAT_NEEDS(
    mixed(),
    "RQ-12 RQ-16 RQ-17 RQ-18 RQ-19 RQ-51 RQ-53 WIRE-20 WIRE-24 WIRE-25 WIRE-27 WIRE-35 WIRE-40",
    "replay of rawq_ack: valid and invalid ACKs of Linux captures") {
  play_all(dut, "rawq_ack");
}
TEST_THAT_NEEDS(mixed(), "RQ-40 WIRE-33 WIRE-35", "replay of rawq_atomic: atomic responses") {
  play_all(dut, "rawq_atomic");
}
TEST_THAT_NEEDS(mixed(), "RQ-21 RQ-22 RQ-23 RQ-24 WC-09", "replay of rawq_nak: NAKs of all codes") {
  play_all(dut, "rawq_nak");
}
TEST_THAT_NEEDS(mixed(), "RQ-13 RQ-35 RQ-37 RQ-38 RQ-40 RQ-45",
                "replay of rawq_read: READ responses") {
  play_all(dut, "rawq_read");
}
TEST_THAT_NEEDS(mixed(), "RQ-27 RQ-28 RQ-29 RQ-31 RQ-33 RQ-34 WC-10",
                "replay of rawq_rnr_timeout: waits and retries") {
  play_all(dut, "rawq_rnr_timeout");
}
TEST_THAT_NEEDS(mixed(), "RQ-09 RQ-11",
                "replay of rawq_window_depth: the number of unacknowledged packets") {
  play_all(dut, "rawq_window_depth");
}

}  // namespace roci::conform
