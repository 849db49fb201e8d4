// SPDX-License-Identifier: Apache-2.0
// What reaches the responder of a stream, and what it sends.
#include <fmt/format.h>

#include <algorithm>

#include "model/transport/rules.hpp"
#include "testbench/verify/judge/path_stream.hpp"

namespace roci::judge {
namespace {

using namespace packet;
using layout::AethKind;

std::uint32_t psn_of(Place place) { return static_cast<std::uint32_t>(place) & 0xFFFFFF; }

}  // namespace

/// The next request that the responder takes. How many PSNs a READ takes may be learned later.
Place PathStream::expected(const RequestStream& requests) const {
  return responder_.awaited ? *responder_.awaited : place_after(responder_.last, requests);
}

void PathStream::request_reached(std::uint64_t now, const Parsed& packet,
                                 const RequestStream& requests) {
  if (ended_ || generation_ != requests.generation() || !packet.has_bth) return;
  const Place place = requests.place_of(packet.psn());
  Responder& is = responder_;
  if (!packet.ok()) {
    is.corrupt.insert(place);
    return;
  }
  const std::uint8_t opcode = packet.bth().opcode();
  const bool responds = packet.bth().ack_req() || opcode == kRcReadRequest || is_atomic(opcode);
  const Place next = expected(requests);
  if (place > next) {
    is.gaps.insert(next);
    if (!is.after_rnr && is.rejected.count(next) == 0) is.nak_due = next;
    return;
  }
  is.corrupt.erase(place);
  if (place < next) {
    // A duplicate READ or atomic may be dropped.
    if (packet.bth().ack_req() && !is_atomic(opcode) && opcode != kRcReadRequest) {
      is.due.push_back({place, now, true});
    }
    return;
  }
  if (is.nak_due == place) {
    is.closed = place;
    is.nak_due.reset();
  }
  is.after_rnr = false;
  is.awaited.reset();
  is.last = place;
  if (requests.next_is_known()) is.most = std::max(is.most, expected(requests));
  if (responds) is.due.push_back({place, now});
}

void PathStream::responded(std::uint64_t now, const Parsed& packet, const RequestStream& requests,
                           PathReport& report) {
  if (ended_ || generation_ != requests.generation()) return;
  const Place place = requests.place_of(packet.psn());
  Responder& is = responder_;
  const bool plain = packet.bth().opcode() == kRcAck;
  const AethKind kind = plain ? transport::aeth_kind(packet.aeth().syndrome()) : AethKind::kAck;
  const bool sequence =
      kind == AethKind::kNak && packet.aeth().syndrome() == layout::syndrome::kNakSequence;
  judge_missing(now, place, sequence, report);
  if (kind == AethKind::kAck) {
    judge_acknowledgement(place, requests, report);
  } else if (sequence) {
    judge_nak(place, report);
  } else if (kind == AethKind::kRnr) {
    is.awaited = place;
    is.after_rnr = true;
    is.nak_due.reset();
  } else {
    is.due.clear();
  }
}

/// A responder sends its responses in order: what should have come before this one is missing.
void PathStream::judge_missing(std::uint64_t now, Place place, bool is_nak, PathReport& report) {
  Responder& is = responder_;
  if (is.closed && is_nak && *is.closed == place) is.closed.reset();
  if (is.closed && !is_nak && place >= *is.closed) {
    report.find(false, "RSP-03",
                fmt::format("PSN {:#08x} was missing while a later request came, and no sequence "
                            "NAK named it",
                            psn_of(*is.closed)),
                false);
    is.closed.reset();
  }
  const auto done = [place](const Due& due) { return due.place <= place; };
  is.due.erase(std::remove_if(is.due.begin(), is.due.end(), done), is.due.end());
  // Its responses may wait for one that was late.
  const auto late = std::find_if(is.due.begin(), is.due.end(), [&](const Due& due) {
    return due.overdue != 0 && now > due.overdue + rules_.jitter_ns;
  });
  if (late == is.due.end()) return;
  report.find(false, late->duplicate ? "RSP-07" : "RSP-10",
              fmt::format("no response to PSN {:#08x}, which came {:.3f} ms before",
                          psn_of(late->place), static_cast<double>(now - late->since) / 1e6),
              false);
  is.due.erase(late);
}

void PathStream::judge_acknowledgement(Place place, const RequestStream& requests,
                                       PathReport& report) {
  Responder& is = responder_;
  if (!requests.next_is_known() || place >= requests.next()) return;
  is.most = std::max(is.most, expected(requests));
  if (place < is.most) return;
  const bool corrupt = is.corrupt.count(is.most) != 0;
  const bool gap = is.gaps.count(is.most) != 0;
  report.find(false,
              corrupt ? "WIRE-40"
              : gap   ? "RSP-03"
                      : "RSP-11",
              fmt::format("responds to PSN {:#08x}, but PSN {:#08x} {}", psn_of(place),
                          psn_of(is.most), corrupt ? "came with a wrong ICRC" : "did not come"),
              true);
  is.most = place + 1;
  is.last = place;
  is.awaited.reset();
}

void PathStream::judge_nak(Place place, PathReport& report) {
  Responder& is = responder_;
  if (is.after_rnr && is.awaited == place) {
    report.find(false, "RSP-05", "a sequence NAK after an RNR NAK of the same PSN", true);
  } else if (is.rejected.count(place) != 0) {
    report.find(false, "RSP-04", "a second sequence NAK of the same PSN", true);
  } else if (is.gaps.count(place) == 0) {
    report.find(false, "RSP-03", "a sequence NAK of a PSN that is not missing", true);
  }
  is.rejected.insert(place);
  if (is.nak_due == place) is.nak_due.reset();
}

}  // namespace roci::judge
