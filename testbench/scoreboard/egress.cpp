// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/egress.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "model/packet/lint.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/transport/rules.hpp"

namespace roci::testbench {
namespace {

using packet::is_atomic;
using packet::is_read_response;
using packet::is_send;
using packet::is_uc;
using packet::is_write;
using transport::packets_of;
using transport::pmtu_bytes;
using transport::Psn;

constexpr std::size_t kRemembered = 1u << 14;  // PSNs of a queue pair
constexpr unsigned kBetween = 0, kInSend = 1, kInWrite = 2;

std::size_t hash_of(packet::ByteView bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data), bytes.size});
}

/// Whether a queue pair takes no packets, as far as its program knows.
bool before_rtr(const WorkMonitor::Connection& connection) {
  return connection.attributes.state == driver::QpState::kReset ||
         connection.attributes.state == driver::QpState::kInit;
}

}  // namespace

void EgressMonitor::violate(const FrameEvent& event, const std::string& text) {
  std::string where = "node " + std::to_string(event.node);
  if (event.parsed.has_bth) {
    where += ", " + std::string(packet::opcode_name(event.parsed.bth().opcode())) + " to " +
             std::to_string(event.parsed.bth().dest_qp()) + ", PSN " +
             std::to_string(event.parsed.bth().psn());
  }
  report_("I12: " + where + ": " + text);
}

void EgressMonitor::frame(const FrameEvent& event) {
  const packet::Parsed& parsed = event.parsed;
  if (!parsed.has_bth) return;
  const std::uint32_t qpn = parsed.bth().dest_qp();
  WorkMonitor& receiver_work = *work_[1 - event.node];
  if (event.intact) receiver_work.progress(qpn, event.time_ns);
  if (event.injected) return;
  ++frames_;
  if (parsed.icrc_inverted()) {
    if (parsed.payload.size == 0) violate(event, "a wrong ICRC on a packet without payload");
    if (parsed.op == nullptr) return;  // it is checked as the others
  } else {
    for (const std::string& text : packet::lint(parsed.frame)) violate(event, text);
    if (!parsed.ok()) return;
  }
  if (!parsed.icrc_inverted() && payload_check_ && parsed.payload.size != 0 &&
      !payload_check_(event)) {
    report_("I7: node " + std::to_string(event.node) + " sent bytes that are not its own, PSN " +
            std::to_string(parsed.bth().psn()));
  }

  if (parsed.has(packet::Ext::kDeth)) return datagram(event);
  const WorkMonitor::Connection* receiver = receiver_work.find(qpn);
  // The receiver is unknown, or between two generations: no check is possible.
  if (receiver == nullptr || receiver->generation == 0 || before_rtr(*receiver)) {
    return;
  }
  const Key key{event.node, qpn};
  if (parsed.op->response) {
    Responses& a = responses_[key];
    if (a.generation != receiver->generation) {
      a = Responses{};
      a.generation = receiver->generation;
      a.inside.resize(kRemembered);
    }
    response(event, a, *receiver);
  } else {
    Requests& r = requests_[key];
    if (!r.known || r.generation != receiver->generation) {
      r = Requests{};
      r.known = true;
      r.generation = receiver->generation;
      r.next = receiver->attributes.rq_psn;
      r.sent.resize(kRemembered);
    }
    request(event, r, *receiver);
  }
}

/// A datagram is a message; its PSN is the next one of its sender, or after a failed send a later
/// one (UD-01).
void EgressMonitor::datagram(const FrameEvent& event) {
  const std::uint32_t from = event.parsed.deth().src_qp();
  const WorkMonitor::Connection* sender = work_[event.node]->find(from);
  if (sender == nullptr || sender->generation == 0) return;
  Datagrams& d = datagrams_[{event.node, from}];
  if (d.generation != sender->generation) {
    d = {sender->generation, sender->resumed, sender->attributes.sq_psn};
  }
  const std::int32_t ahead = event.parsed.psn().distance_from(Psn(d.next));
  if (ahead < 0) violate(event, "UD-01: was sent before");
  if (ahead > 0 && d.resumed == sender->resumed) {
    violate(event, "PSN " + std::to_string(d.next) + " is next");
  }
  d.resumed = sender->resumed;
  d.next = (event.parsed.psn() + 1).value();
}

void EgressMonitor::request(const FrameEvent& event, Requests& r,
                            const WorkMonitor::Connection& receiver) {
  const bool uc = is_uc(event.parsed.bth().opcode());
  const WorkMonitor::Connection* sender = work_[event.node]->find(receiver.attributes.dest_qpn);
  if (uc && event.parsed.op->start && sender != nullptr && sender->resumed != r.resumed) {
    // After a message that failed, UC begins the next one at a PSN that was not used before.
    r.resumed = sender->resumed;
    r.open = kBetween;
    if (Psn(r.next).before(event.parsed.psn())) r.next = event.parsed.psn().value();
  }
  const std::int32_t ahead = event.parsed.psn().distance_from(Psn(r.next));
  if (ahead > 0) {
    violate(event, "PSN " + std::to_string(r.next) + " is next");
  } else if (ahead == 0) {
    fresh(event, r, receiver);
  } else {
    if (uc) violate(event, "UC-01: was sent before");
    ++repeated_;
    again(event, r, pmtu_bytes(receiver.attributes.path_mtu));
  }
}

void EgressMonitor::fresh(const FrameEvent& event, Requests& r,
                          const WorkMonitor::Connection& receiver) {
  const packet::Parsed& parsed = event.parsed;
  // An operation of UC has the number of that of RC in its own class.
  const std::uint8_t sent = parsed.bth().opcode();
  const std::uint8_t op =
      is_uc(sent) ? static_cast<std::uint8_t>(sent - packet::kUcSendFirst) : sent;
  const packet::OpcodeInfo& info = *parsed.op;
  const std::uint32_t pmtu = pmtu_bytes(receiver.attributes.path_mtu);
  const auto bytes = static_cast<std::uint32_t>(parsed.payload.size);
  std::uint32_t packets = 1;

  if (info.start != (r.open == kBetween) ||
      (!info.start && (r.open == kInSend ? !is_send(op) : !is_write(op)))) {
    violate(event, "does not follow what was sent before");
  }
  if (!info.end && bytes != pmtu) violate(event, "a packet inside a message is not of PMTU size");
  if (bytes > pmtu) violate(event, "longer than the path MTU");
  if (info.end && !info.start && bytes == 0) violate(event, "an empty last packet");

  if (is_write(op)) {
    if (info.start) r.to_come = parsed.reth().dma_length();
    if (bytes > r.to_come || (info.end && bytes != r.to_come)) {
      violate(event, "DMALen of the message and its payload disagree");
    }
    r.to_come -= std::min<std::uint64_t>(bytes, r.to_come);
  }
  r.open = info.end ? kBetween : is_send(op) ? kInSend : kInWrite;

  std::uint32_t noted = bytes;
  if (op == packet::kRcReadRequest) {
    noted = parsed.reth().dma_length();
    packets = packets_of(noted, pmtu);
  }
  const std::uint32_t psn = parsed.bth().psn();
  r.sent[psn % kRemembered] = {psn, op, noted, hash_of(parsed.payload), parsed.icrc_inverted()};
  if (op == packet::kRcReadRequest || is_atomic(op)) {
    r.reads.push_back({psn, (Psn(psn) + (packets - 1)).value(), is_atomic(op)});
    const WorkMonitor::Connection* sender = work_[event.node]->find(receiver.attributes.dest_qpn);
    if (sender != nullptr && sender->attributes.max_rd_atomic != 0 &&
        r.reads.size() > sender->attributes.max_rd_atomic) {
      violate(event, std::to_string(r.reads.size()) +
                         " READs and atomics are outstanding, allowed are " +
                         std::to_string(sender->attributes.max_rd_atomic));
    }
  }
  r.next = (Psn(psn) + packets).value();
}

void EgressMonitor::again(const FrameEvent& event, Requests& r, std::uint32_t pmtu) {
  const packet::Parsed& parsed = event.parsed;
  const std::uint32_t psn = parsed.bth().psn();
  const std::uint8_t op = parsed.bth().opcode();
  if (op == packet::kRcReadRequest) {
    // The request may be for the rest of an earlier READ, from any of its packets on.
    const Psn last = Psn(psn) + (packets_of(parsed.reth().dma_length(), pmtu) - 1);
    const auto matches = [&](const Outstanding& read) {
      return !read.atomic && !Psn(psn).before(Psn(read.first)) && last.value() == read.last;
    };
    if (std::none_of(r.reads.begin(), r.reads.end(), matches) &&
        std::none_of(r.old_reads.begin(), r.old_reads.end(), matches)) {
      violate(event, "repeats no READ that was sent");
    }
    return;
  }
  Sent& before = r.sent[psn % kRemembered];
  if (before.psn != psn) {
    const auto covers = [psn](const Outstanding& read) {
      return !Psn(psn).before(Psn(read.first)) && !Psn(psn).after(Psn(read.last));
    };
    if (std::any_of(r.reads.begin(), r.reads.end(), covers)) {
      violate(event, "this PSN belongs to a READ");
    }
    return;  // older than the recorded packets
  }
  if (before.opcode != op || before.bytes != parsed.payload.size) {
    violate(event, "was " + std::string(packet::opcode_name(before.opcode)) + " with " +
                       std::to_string(before.bytes) + " bytes when first sent");
  }
  if (parsed.icrc_inverted()) return;
  const std::size_t hash = hash_of(parsed.payload);
  if (!before.poisoned && before.hash != hash) {
    violate(event, "RQ-20: carries other bytes than before");
  }
  before.hash = hash;
  before.poisoned = false;
}

void EgressMonitor::response(const FrameEvent& event, Responses& a,
                             const WorkMonitor::Connection& receiver) {
  const packet::Parsed& parsed = event.parsed;
  const std::uint8_t op = parsed.bth().opcode();
  const std::uint32_t psn = parsed.bth().psn();
  const std::uint32_t pmtu = pmtu_bytes(receiver.attributes.path_mtu);

  // The requests of the receiver to which this packet responds.
  const auto found = requests_.find({1 - event.node, receiver.attributes.dest_qpn});
  constexpr std::uint8_t kNakSequence = layout::syndrome::kNakSequence;
  if (parsed.has(packet::Ext::kAeth) && parsed.aeth().syndrome() == kNakSequence) {
    if (a.nak == psn) violate(event, "RSP-04: this gap was NAKed before");
    a.nak = psn;
  } else if (a.nak && !parsed.psn().before(Psn(*a.nak))) {
    a.nak.reset();
  }
  const WorkMonitor::Connection* sender = work_[event.node]->find(receiver.attributes.dest_qpn);
  // The adapter may respond to late packets before the program knows that its queue pair is in RTR.
  const bool same_generation =
      found != requests_.end() && found->second.known &&
      (sender == nullptr ||
       (!before_rtr(*sender) && found->second.generation == sender->generation));
  if (same_generation) {
    Requests& r = found->second;
    // A NAK names the PSN that is missing, which may be the next one (lost before it).
    if (!parsed.psn().before(Psn(r.next))) violate(event, "responds to a PSN that was not sent");
    const bool completes = op == packet::kRcReadRespLast || op == packet::kRcReadRespOnly ||
                           op == packet::kRcAtomicAck;
    if (completes || op == packet::kRcAck) {
      constexpr std::size_t kOldReads = 64;
      for (auto at = r.reads.begin(); at != r.reads.end();) {
        const bool done = completes ? !Psn(at->last).after(parsed.psn()) : false;
        if (done) {
          r.old_reads.push_back(*at);
          at = r.reads.erase(at);
        } else {
          ++at;
        }
      }
      if (r.old_reads.size() > kOldReads) {
        r.old_reads.erase(r.old_reads.begin(), r.old_reads.end() - kOldReads);
      }
    }
  }

  if (is_read_response(op)) {
    const bool starts = op == packet::kRcReadRespFirst || op == packet::kRcReadRespOnly;
    const bool ends = op == packet::kRcReadRespLast || op == packet::kRcReadRespOnly;
    // An older response that is requested again may come between two packets of a newer one.
    if (!starts && !a.inside[psn % kRemembered]) violate(event, "continues no READ response");
    if (!ends && parsed.payload.size != pmtu) {
      violate(event, "a packet inside a READ response is not of PMTU size");
    }
    if (parsed.payload.size > pmtu) violate(event, "longer than the path MTU");
    if (ends && !starts && parsed.payload.size == 0) violate(event, "an empty last packet");
    a.inside[(psn + 1) % kRemembered] = !ends;
  }
}

}  // namespace roci::testbench
