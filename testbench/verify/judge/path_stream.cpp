// SPDX-License-Identifier: Apache-2.0
// What the requester of a stream does, and what reaches it.
#include "testbench/verify/judge/path_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/transport/rules.hpp"

namespace roci::judge {
namespace {

using namespace packet;
using layout::AethKind;

double ms(std::uint64_t ns) { return static_cast<double>(ns) / 1e6; }

/// Acknowledged by its own responses alone.
bool has_response(std::uint8_t opcode) { return opcode == kRcReadRequest || is_atomic(opcode); }

}  // namespace

Place PathStream::place_after(Place place, const RequestStream& requests) const {
  const RequestStream::Sent::value_type* sent = requests.find(place);
  return sent == nullptr ? place + 1 : sent->first + sent->second.count;
}

void PathStream::requested(std::uint64_t now, const Parsed& packet, const RequestStream& requests,
                           PathReport& report) {
  const Place place = requests.place_of(packet.psn());
  if (generation_ != requests.generation()) {
    generation_ = requests.generation();
    ended_ = false;
    responder_ = {};
    requester_ = {};
    responder_.awaited = responder_.most = requester_.first = requester_.end = place;
    requester_.timer = now;
  }
  if (ended_) return;
  const bool again = place < requester_.end;
  retransmitted_ += again ? 1 : 0;
  judge_wait(now, place, report);
  judge_restart(now, place, report);
  if (!again && requester_.first == requester_.end) requester_.timer = now;
  if (again && place != requester_.after) judge_retry(now, place, requests, report);
  requester_.after = place_after(place, requests);
  requester_.end = std::max(requester_.end, requester_.after);
}

/// After an RNR NAK the queue pair waits. What was on its way may still come.
void PathStream::judge_wait(std::uint64_t now, Place place, PathReport& report) {
  if (!requester_.wait) return;
  const Wait wait = *requester_.wait;
  const bool retry = place == wait.place;
  if (now < wait.until && (retry || now > wait.since + rules_.jitter_ns)) {
    report.find(true, "RQ-25",
                fmt::format("sent {:.3f} ms after an RNR NAK that asks for {:.3f} ms",
                            ms(now - wait.since), ms(wait.until - wait.since)),
                true);
    requester_.wait.reset();
  } else if (retry) {
    requester_.wait.reset();
    requester_.timer = now;
    requester_.after = place;  // this retry costs none of the others
  }
}

/// After a sequence NAK the next packet is the one that it names.
void PathStream::judge_restart(std::uint64_t now, Place place, PathReport& report) {
  if (!requester_.retry) return;
  const std::uint64_t since = requester_.retry->since;
  if (now > since + rules_.jitter_ns) {
    report.find(
        true, "RQ-21",
        place == requester_.retry->place
            ? fmt::format("the retry begins {:.3f} ms after the sequence NAK", ms(now - since))
            : fmt::format("{} packets after the one that a sequence NAK named {:.3f} ms "
                          "before",
                          place - requester_.retry->place, ms(now - since)),
        true);
    requester_.retry.reset();
    requester_.explained = true;
  }
}

void PathStream::judge_retry(std::uint64_t now, Place place, const RequestStream& requests,
                             PathReport& report) {
  Requester& is = requester_;
  const bool by_nak = is.retry && place == is.retry->place;
  if (place > is.first && !is.retry) {
    report.find(true, "RQ-19",
                fmt::format("a retry begins {} packets after the first without acknowledgement",
                            place - is.first),
                true);
  } else if (place < is.first && now > is.progress + rules_.jitter_ns) {
    const RequestStream::Sent::value_type* sent = requests.find(place);
    const bool read = sent != nullptr && sent->second.opcode == kRcReadRequest;
    report.find(
        true, read ? "RQ-35" : "RQ-19",
        fmt::format("a retry begins {} packets before the first without {}, {:.3f} ms after "
                    "it reached the requester",
                    is.first - place, read ? "response" : "acknowledgement", ms(now - is.progress)),
        true);
  }
  const std::uint64_t timer = transport::timeout_ns(rules_.timeout);
  if (!by_nak && !is.explained && now - is.timer + rules_.jitter_ns < timer) {
    report.find(true, "RQ-31",
                fmt::format("a retry after {:.3f} ms without a NAK, where the timer is {:.3f} ms",
                            ms(now - is.timer), ms(timer)),
                true);
  }
  if (++is.tries == rules_.retries + 1) {
    report.find(true, rules_.retries == 7 ? "RQ-34" : "RQ-33",
                fmt::format("retry {} without progress", is.tries), true);
  }
  is.timer = now;
  is.explained = is.silent = false;
  is.retry.reset();
}

void PathStream::response_reached(std::uint64_t now, const Parsed& packet,
                                  const RequestStream& requests) {
  if (ended_ || generation_ != requests.generation() || !packet.ok()) return;
  const Place place = requests.place_of(packet.psn());
  if (packet.bth().opcode() != kRcAck) {
    acknowledge(now, place, requests);
    if (place == requester_.first) {
      advance(now, place + 1);
    } else if (place > requester_.first) {
      requester_.explained = true;  // a gap in the responses
    }
    return;
  }
  const std::uint8_t syndrome = packet.aeth().syndrome();
  const AethKind kind = transport::aeth_kind(syndrome);
  acknowledge(now, kind == AethKind::kAck ? place + 1 : place, requests);
  const bool outstanding = place >= requester_.first && place < requester_.end;
  if (kind == AethKind::kRnr && outstanding) {
    requester_.retry.reset();
    requester_.wait = Wait{place, now, now + transport::rnr_ns(syndrome & 0x1F)};
  } else if (kind == AethKind::kNak && syndrome != layout::syndrome::kNakSequence) {
    ended_ = true;
  } else if (kind == AethKind::kNak && outstanding && !requester_.wait) {
    requester_.retry = Due{place, now};
  }
}

/// All before `end` is done, except for READs and atomics whose responses did not come.
void PathStream::acknowledge(std::uint64_t now, Place end, const RequestStream& requests) {
  while (requester_.first < std::min(end, requester_.end)) {
    const RequestStream::Sent::value_type* sent = requests.find(requester_.first);
    if (sent != nullptr && has_response(sent->second.opcode)) {
      requester_.explained = true;
      return;
    }
    advance(now, requester_.first + 1);
  }
}

void PathStream::advance(std::uint64_t now, Place to) {
  Requester& is = requester_;
  is.first = to;
  is.timer = is.progress = now;
  is.tries = 0;
  is.silent = false;
  if (is.retry && is.retry->place < to) is.retry.reset();
  if (is.wait && is.wait->place < to) is.wait.reset();
}

void PathStream::look(std::uint64_t now, PathReport& report) {
  for (Due& due : responder_.due) {
    if (due.overdue == 0 && now > due.since + rules_.jitter_ns) due.overdue = now;
  }
  Requester& is = requester_;
  const std::uint64_t most = 4 * transport::timeout_ns(rules_.timeout);
  if (most == 0 || ended_ || is.wait || is.silent || is.first >= is.end) return;
  if (is.tries >= rules_.retries || now < is.timer + most + rules_.jitter_ns) return;
  is.silent = true;
  report.find(true, "RQ-31",
              fmt::format("no retry for {:.3f} ms with {} packets outstanding, where 4 T are "
                          "{:.3f} ms",
                          ms(now - is.timer), is.end - is.first, ms(most)),
              false);
}

void PathStream::finish(PathReport& report) const {
  if (ended_) return;
  if (!responder_.due.empty()) {
    report.note(fmt::format("{} requests have no response: the responder may have ended",
                            responder_.due.size()));
  } else if (requester_.first < requester_.end) {
    report.note(fmt::format("{} packets have no acknowledgement: the requester may have ended",
                            requester_.end - requester_.first));
  }
}

}  // namespace roci::judge
