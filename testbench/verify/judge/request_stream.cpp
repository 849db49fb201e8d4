// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/judge/request_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "model/transport/rules.hpp"

namespace roci::judge {
namespace {

using namespace packet;

constexpr std::size_t kKept = std::size_t{1} << 16;  // requests, the newest ones
// PSNs that are further away are of another connection: no packet is retransmitted so late, and no
// path loses so many in a row.
constexpr Place kNewConnection = kKept;
constexpr Place kFirst = Place{1} << 26;  // a multiple of 2^24; places stay above zero

bool is_read(std::uint8_t opcode) { return opcode == kRcReadRequest; }

/// The operation of a message of several packets: the first opcode of its group.
std::uint8_t kind_of(std::uint8_t opcode) {
  const auto rc = static_cast<std::uint8_t>(opcode & 0x1F);
  const std::uint8_t service = opcode & 0xE0;
  if (is_send(rc)) return service | kRcSendFirst;
  return rc <= kRcWriteOnlyImm ? service | kRcWriteFirst : opcode;
}

std::size_t digest_of(const Parsed& p) {
  const std::size_t begin = p.bth_at + Bth::kBytes;
  const ByteView bytes = p.frame.sub(begin, p.icrc_at - begin);
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(bytes.data), bytes.size});  // NOLINT: bytes as text
}

Request request_of(const Parsed& p) {
  Request request;
  request.opcode = p.bth().opcode();
  request.solicited = p.bth().solicited();
  request.digest = digest_of(p);
  request.ends = p.op->end;
  if (is_read(request.opcode)) {
    request.va = p.reth().va();
    request.rkey = p.reth().rkey();
    request.length = p.reth().dma_length();
  }
  return request;
}

}  // namespace

void RequestStream::begin(transport::Psn psn) {
  begun_ = true;
  ++generation_;
  complete_ = true;
  acknowledged_ = 0;
  next_ = after_ = psn.value() + kFirst;
  sent_.clear();
  open_read_.reset();
  mtus_ = {256, 512, 1024, 2048, 4096};
  ended_ = 0;
  position_ = Position::kUnknown;
  left_.reset();
  rejected_.reset();
}

Place RequestStream::place_of(transport::Psn psn) const {
  return next_ + psn.distance_from(transport::Psn(static_cast<std::uint32_t>(next_)));
}

const RequestStream::Sent::value_type* RequestStream::find(Place place) const {
  auto it = sent_.upper_bound(place);
  if (it == sent_.begin()) return nullptr;
  --it;
  return place < it->first + it->second.count ? &*it : nullptr;
}

std::optional<std::uint32_t> RequestStream::mtu() const {
  return mtus_.size() == 1 ? std::optional(mtus_.front()) : std::nullopt;
}

bool RequestStream::learn_mtu(std::size_t payload) {
  if (std::find(mtus_.begin(), mtus_.end(), payload) == mtus_.end()) return false;
  mtus_ = {static_cast<std::uint32_t>(payload)};
  if (open_read_) {
    Request& read = sent_.at(*open_read_);
    read.count = transport::packets_of(read.length, mtus_.front());
    next_ = *open_read_ + read.count;
    open_read_.reset();
  }
  return true;
}

/// The PSN after a READ shows how many responses its sender expects, and so the path MTU; as does
/// a READ resumed, by what it leaves out.
void RequestStream::settle_read(const Parsed& packet) {
  const Request& read = sent_.at(*open_read_);
  const std::uint32_t length = read.length;
  const Place count = place_of(packet.psn()) - *open_read_;
  if (count <= 0) return;
  if (is_read(packet.bth().opcode()) && packet.reth().dma_length() < length &&
      packet.reth().va() + packet.reth().dma_length() == read.va + length) {
    learn_mtu((length - packet.reth().dma_length()) / static_cast<std::size_t>(count));
    return;
  }
  std::vector<std::uint32_t> fitting;
  for (const std::uint32_t mtu : mtus_) {
    if (transport::packets_of(length, mtu) == count) fitting.push_back(mtu);
  }
  if (fitting.empty()) return;
  mtus_ = fitting;
  sent_.at(*open_read_).count = static_cast<std::uint32_t>(count);
  next_ = *open_read_ + count;
  open_read_.reset();
}

void RequestStream::take(std::size_t frame, const Parsed& packet, Report& report) {
  if (!begun_) begin(packet.psn());
  if (open_read_) settle_read(packet);
  Place place = place_of(packet.psn());
  if (std::abs(place - next_) > kNewConnection) {
    report.note(frame, "the PSNs begin anew: another connection");
    begin(packet.psn());
    place = next_;
  }
  if (place > next_) {
    report.note(frame, fmt::format("{} packets before it are not in the capture", place - next_));
    next_ = place;
    position_ = Position::kUnknown;
    complete_ = false;
  }
  if (place == next_) {
    take_new(frame, packet, place, report);
  } else {
    take_again(frame, packet, place, report);
  }
}

void RequestStream::take_new(std::size_t frame, const Parsed& packet, Place place, Report& report) {
  check_order(frame, packet, report);
  check_size(frame, packet, report);
  check_length(frame, packet, report);

  Request request = request_of(packet);
  request.ended_before = ended_;
  if (is_read(request.opcode)) {
    request.starts = {place};
    request.count = transport::packets_of(request.length, mtus_.back());
    if (request.count != transport::packets_of(request.length, mtus_.front())) open_read_ = place;
  }
  ended_ += request.ends ? 1 : 0;
  next_ = after_ = place + request.count;
  position_ = packet.op->end ? Position::kBetweenMessages : Position::kInMessage;
  kind_ = kind_of(request.opcode);
  sent_.insert_or_assign(place, std::move(request));
  if (sent_.size() > kKept) sent_.erase(sent_.begin());
}

void RequestStream::check_order(std::size_t frame, const Parsed& packet, Report& report) const {
  const std::uint8_t opcode = packet.bth().opcode();
  if (position_ == Position::kInMessage && packet.op->start) {
    report.find(
        frame, "RQ-04",
        fmt::format("{} begins a message before the one in progress ended", opcode_name(opcode)));
  } else if (position_ == Position::kInMessage && kind_of(opcode) != kind_) {
    report.find(frame, "RQ-05",
                fmt::format("{} continues a message that began as {}", opcode_name(opcode),
                            opcode_name(kind_)));
  } else if (position_ == Position::kBetweenMessages && !packet.op->start) {
    report.find(
        frame, "RQ-05",
        fmt::format("{} continues a message, but none is in progress", opcode_name(opcode)));
  }
}

void RequestStream::check_size(std::size_t frame, const Parsed& packet, Report& report) {
  if (!packet.op->payload) return;
  const std::size_t bytes = packet.payload.size;
  if (!packet.op->end) {
    if (!learn_mtu(bytes)) {
      report.find(frame, "WIRE-41",
                  fmt::format("a packet that does not end its message carries {} bytes, where the "
                              "path MTU is {}",
                              bytes, mtus_.front()));
    }
    return;
  }
  if (bytes > mtus_.back()) {
    report.find(frame, "WIRE-41",
                fmt::format("{} bytes of payload exceed the path MTU, {}", bytes, mtus_.back()));
    return;
  }
  mtus_.erase(
      std::remove_if(mtus_.begin(), mtus_.end(), [&](std::uint32_t mtu) { return mtu < bytes; }),
      mtus_.end());
}

void RequestStream::check_length(std::size_t frame, const Parsed& packet, Report& report) {
  if (packet.op->start) left_.reset();
  if (packet.has(Ext::kReth) && packet.op->payload) left_ = packet.reth().dma_length();
  if (position_ == Position::kUnknown && !packet.op->start) left_.reset();
  if (!left_) return;
  const std::size_t bytes = packet.payload.size;
  if (bytes > *left_ || (packet.op->end && bytes != *left_)) {
    report.find(frame, "RQ-06",
                fmt::format("{} bytes, where the length in the RETH leaves {}", bytes, *left_));
    left_.reset();
    return;
  }
  *left_ -= bytes;
}

void RequestStream::take_again(std::size_t frame, const Parsed& packet, Place place,
                               Report& report) {
  if (is_uc(packet.bth().opcode())) return;  // the path duplicates or reorders
  check_retry(frame, place, report);
  const Sent::value_type* sent = find(place);
  after_ = sent == nullptr ? place + 1 : sent->first + sent->second.count;
  if (sent == nullptr) {  // sent before the capture began, or missing in it
    complete_ = false;
    if (!is_read(packet.bth().opcode())) sent_.emplace(place, request_of(packet));
    return;
  }
  const auto& [first, known] = *sent;
  const std::string difference = difference_of(known, packet, place - first);
  if (difference.empty()) {
    if (is_read(known.opcode)) sent_.at(first).starts.insert(place);
  } else if (!connected_once_ && packet.op->start &&
             (place <= acknowledged_ || place == sent_.begin()->first)) {
    report.note(frame, "begins anew with other contents: another connection");
    begin(packet.psn());
    take_new(frame, packet, next_, report);
  } else {
    report.find(frame,
                is_read(known.opcode)     ? "RQ-35"
                : is_atomic(known.opcode) ? "RQ-42"
                                          : "RQ-20",
                "retransmitted, but not as it was: " + difference);
  }
}

/// What a retransmission has that it must not have; nothing when it is right. A READ may be resumed
/// `skipped` packets after its first.
std::string RequestStream::difference_of(const Request& known, const Parsed& packet,
                                         Place skipped) const {
  const std::uint8_t opcode = packet.bth().opcode();
  if (opcode != known.opcode) {
    return fmt::format("{} was {}", opcode_name(opcode), opcode_name(known.opcode));
  }
  if (!is_read(opcode)) {
    const bool same =
        packet.bth().solicited() == known.solicited && digest_of(packet) == known.digest;
    return same ? "" : fmt::format("{} with other contents", opcode_name(opcode));
  }
  if (skipped != 0 && !mtu()) return "";
  const std::uint64_t bytes = skipped == 0 ? 0 : static_cast<std::uint64_t>(skipped) * *mtu();
  const Reth reth = packet.reth();
  if (reth.va() == known.va + bytes && reth.dma_length() == known.length - bytes &&
      reth.rkey() == known.rkey) {
    return "";
  }
  return fmt::format("after {} responses a READ requests {} bytes at {:#x}", skipped,
                     known.length - bytes, known.va + bytes);
}

/// What a sequence NAK names is sent first. A retry that began before the NAK came may go on.
void RequestStream::check_retry(std::size_t frame, Place place, Report& report) {
  if (!rejected_ || place < *rejected_) return;
  if (place > *rejected_ && place != after_) {
    report.find(frame, "RQ-21",
                fmt::format("the retry begins {} packets after the one that the NAK names",
                            place - *rejected_));
  }
  rejected_.reset();
}

}  // namespace roci::judge
