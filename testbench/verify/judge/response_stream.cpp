// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/judge/response_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/transport/rules.hpp"

namespace roci::judge {
namespace {

using namespace packet;
using layout::AethKind;

constexpr std::size_t kOriginalsKept = 4096;

}  // namespace

void ResponseStream::take(std::size_t frame, const Parsed& packet, RequestStream& requests,
                          Report& report) {
  const std::uint8_t opcode = packet.bth().opcode();
  const Place place = requests.place_of(packet.psn());
  bool sized = true;
  if (is_read_response(opcode) && !packet.op->end) {
    sized = requests.learn_mtu(packet.payload.size);
    if (!sized) {
      report.find(frame, "RSP-32",
                  fmt::format("a response that does not end its READ carries {} bytes",
                              packet.payload.size));
    }
  }
  const RequestStream::Sent::value_type* sent = requests.find(place);
  if (sent != nullptr && is_read_response(opcode) && sized) {
    check_read(frame, packet, place, *sent, requests, report);
  }
  if (place >= requests.next()) {
    if (!requests.next_is_known() || !requests.complete()) return;
    report.find(frame, "RSP-11",
                fmt::format("responds to a PSN that is {} after the newest request",
                            place - requests.next() + 1));
    return;
  }
  if (sent == nullptr) return;
  const Request& request = sent->second;
  if (opcode == kRcAtomicAck) check_atomic(frame, packet, place, request, report);
  if (!packet.has(Ext::kAeth)) return;
  const auto kind = transport::aeth_kind(packet.aeth().syndrome());
  const bool executed = kind == AethKind::kAck && opcode == kRcAck;
  check_msn(frame, packet, request.ended_before + (executed && request.ends ? 1 : 0), requests,
            report);
  if (executed) requests.acknowledge(place);
  if (packet.aeth().syndrome() == layout::syndrome::kNakSequence) requests.reject(place);
}

void ResponseStream::check_read(std::size_t frame, const Parsed& packet, Place place,
                                const RequestStream::Sent::value_type& sent,
                                const RequestStream& requests, Report& report) {
  if (!requests.next_is_known()) return;
  const std::uint8_t opcode = packet.bth().opcode();
  const auto& [first, read] = sent;
  if (read.opcode != kRcReadRequest) {
    report.find(frame, "RSP-32", fmt::format("a READ response to {}", opcode_name(read.opcode)));
    return;
  }
  const bool last = place == first + read.count - 1;
  const bool starts = read.starts.count(place) != 0;
  const bool continues = place > *read.starts.begin();
  if (!(starts && opcode == transport::read_response_opcode(true, last)) &&
      !(continues && opcode == transport::read_response_opcode(false, last))) {
    report.find(frame, "RSP-32",
                fmt::format("{} is response {} of {} to its READ", opcode_name(opcode),
                            place - first + 1, read.count));
    return;
  }
  if (!last) return;
  const std::optional<std::uint32_t> mtu = requests.mtu();
  if (read.count > 1 && !mtu) return;
  const std::uint32_t before = read.count > 1 ? (read.count - 1) * *mtu : 0;
  if (packet.payload.size != read.length - before) {
    report.find(frame, "RSP-32",
                fmt::format("the last response carries {} bytes, where {} are left of {}",
                            packet.payload.size, read.length - before, read.length));
  }
}

void ResponseStream::check_atomic(std::size_t frame, const Parsed& packet, Place place,
                                  const Request& request, Report& report) {
  if (!is_atomic(request.opcode)) {
    report.find(frame, "RSP-43",
                fmt::format("a response of an atomic to {}", opcode_name(request.opcode)));
    return;
  }
  const std::uint64_t original = packet.atomic_ack_eth().original();
  const auto [known, fresh] = originals_.emplace(place, original);
  if (!fresh && known->second != original) {
    report.find(frame, "RSP-43",
                fmt::format("the atomic returned {:#x} before and returns {:#x} now", known->second,
                            original));
  }
  if (originals_.size() > kOriginalsKept) originals_.erase(originals_.begin());
}

/// Between `least` messages and all that were sent are complete, so the MSN bounds the number that
/// it had when the stream began; bounds that contradict each other mean a wrong MSN.
void ResponseStream::check_msn(std::size_t frame, const Parsed& packet, std::int64_t least,
                               const RequestStream& requests, Report& report) {
  if (!requests.complete()) return;
  std::int64_t msn = packet.aeth().msn();
  if (base_) {  // the number that is nearest to what is expected, without its wrap
    const std::int64_t expected = base_->first + least;
    msn = expected + transport::Psn(static_cast<std::uint32_t>(msn))
                         .distance_from(transport::Psn(static_cast<std::uint32_t>(expected)));
  }
  const std::int64_t low = msn - requests.ended(), high = msn - least;
  if (!base_) {
    base_ = {low, high};
    return;
  }
  const std::int64_t lowest = std::max(low, base_->first), highest = std::min(high, base_->second);
  if (lowest > highest) {
    report.find(frame, "RSP-13",
                fmt::format("MSN {}, where {} to {} messages are complete", packet.aeth().msn(),
                            base_->first + least, base_->second + requests.ended()));
    return;
  }
  base_ = {lowest, highest};
}

}  // namespace roci::judge
