// SPDX-License-Identifier: Apache-2.0
#include "testbench/nic/reference.hpp"

#include <algorithm>
#include <cstring>

#include "model/packet/opcode.hpp"
#include "model/packet/parser.hpp"
#include "model/spec/layout/field.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::testbench {
namespace {

// The most that the firmware has objects for; the RTL engines are built as large (CMakeLists.txt).
constexpr unsigned kLogQps = 11, kLogKeys = 15, kLogCqs = 11, kLogSrqs = 8, kLogAhs = 11;
constexpr unsigned kBeat = 64;  // completions and events are reported as writes of at most one beat

std::string text_of(const char* what, std::uint32_t pasid, std::uint64_t address) {
  char text[96];
  std::snprintf(text, sizeof text, "%s at address 0x%llx of PASID 0x%x, which is not mapped", what,
                static_cast<unsigned long long>(address), pasid);
  return text;
}

BusUse use_of_write(nic::MemoryUse use) {
  switch (use) {
    case nic::MemoryUse::kCompletion:
      return BusUse::kCompletionWrite;
    case nic::MemoryUse::kEvent:
      return BusUse::kEventWrite;
    case nic::MemoryUse::kAtomic:
      return BusUse::kAtomicWrite;
    case nic::MemoryUse::kFirmware:
      return BusUse::kFirmwareWrite;
    case nic::MemoryUse::kPayload:
    case nic::MemoryUse::kPart:
    case nic::MemoryUse::kBlock:  // is read alone
      break;
  }
  return BusUse::kPayloadWrite;
}

}  // namespace

ReferenceNic::ReferenceNic(const char* name, const NicConfig& config, LinkDirection& egress,
                           LinkDirection& ingress, NicListener& listener)
    : Nic(sc_core::sc_module_name(name), egress, ingress, listener),
      model_(
          {kLogQps, kLogKeys, kLogCqs, kLogSrqs, kLogAhs}, *this,
          {[this](packet::Bytes&& frame) { outbox_.push_back(std::move(frame)); },
           [this](packet::ByteView frame) { listener_.ethernet_frame(frame.copy()); },
           config.observed ? [this](std::uint32_t qpn, bool responder) { stepped(qpn, responder); }
                           : std::function<void(std::uint32_t, bool)>()}),
      reports_(config.observed) {}

std::uint64_t ReferenceNic::wakes_at() const {
  std::uint64_t at = std::min(model_.next_deadline(), ingress_.next_frame_ns());
  if (!outbox_.empty() || !ethernet_out_.empty() || !model_.quiescent()) {
    at = std::min(at, egress_.ready_ns(now_ns_));
  }
  if (!accesses_.empty()) at = std::min(at, accesses_.front().arrives_ns);
  return at;
}

void ReferenceNic::perform(Access& access, std::uint64_t now_ns) {
  if (!access.write) {
    finish_access(model_.read32(access.offset));
    return;
  }
  if (is_queue_doorbell(access.offset)) {
    moments_.doorbell_ns = now_ns;
    moments_.first_tx_ns = kNever;
  }
  model_.write32(access.offset, access.value);
  finish_access(0);
}

void ReferenceNic::flush(std::uint64_t now_ns) {
  while (!outbox_.empty() && egress_.ready(now_ns)) {
    if (moments_.first_tx_ns == kNever) moments_.first_tx_ns = now_ns;
    egress_.send(now_ns, std::move(outbox_.front()));
    outbox_.pop_front();
  }
}

void ReferenceNic::clock(std::uint64_t now_ns) {
  ++clocks_;
  now_ns_ = now_ns;
  model_.set_time(now_ns);
  while (!accesses_.empty() && accesses_.front().arrives_ns <= now_ns) {
    perform(accesses_.front(), now_ns);
  }
  while (ingress_.receive(now_ns, arrived_)) {
    moments_.last_rx_ns = now_ns;
    moments_.first_write_ns = kNever;
    listener_.frame_received(arrived_);
    if (reports_) report_received(arrived_);
    model_.receive(arrived_);
  }
  for (; !ethernet_out_.empty(); ethernet_out_.pop_front()) {
    model_.send_ethernet(std::move(ethernet_out_.front()));
  }
  flush(now_ns);
  while (outbox_.empty() && egress_.ready(now_ns) && model_.step()) flush(now_ns);
  attention_ = model_.attention();
  interrupt_ = model_.interrupt();
}

const DirectRange* ReferenceNic::direct(std::uint32_t pasid, std::uint64_t address,
                                        AxiHost::Found* found) {
  if (pasid == by_call_) {
    *found = AxiHost::Found::kByCall;
    return nullptr;
  }
  const auto holds = [&](const DirectRange& range) { return range.holds(pasid, address, address); };
  const auto known = std::find_if(direct_.begin(), direct_.end(), holds);
  *found = AxiHost::Found::kMapped;
  if (known == direct_.begin() && known != direct_.end()) return &*known;
  if (known != direct_.end()) {
    std::iter_swap(known, std::prev(known));  // used ranges move to the front
    return &*std::prev(known);
  }
  DirectRange range;
  *found = look_up(pasid, address, range);
  if (*found == AxiHost::Found::kByCall) by_call_ = pasid;
  if (*found != AxiHost::Found::kMapped) return nullptr;
  direct_.push_back(range);
  return &direct_.back();
}

bool ReferenceNic::move(bool write, std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
                        std::size_t bytes, bool goes_on) {
  const bool small = bytes <= kBeat;
  while (bytes != 0) {
    AxiHost::Found found;
    const DirectRange* range = direct(pasid, address, &found);
    std::size_t count = bytes;
    const std::uint8_t* landed = data;
    bool done = range != nullptr;
    if (found == AxiHost::Found::kByCall) {
      done = transfer(write, pasid, address, data, count, goes_on);
      if (!done) {  // the address space may be gone
        by_call_.reset();
        DirectRange now;
        found = look_up(pasid, address, now);
      }
    } else if (done) {
      count = std::min<std::uint64_t>(count, range->last - address + 1);
      std::uint8_t* host = range->host + (address - range->first);
      std::memcpy(write ? host : data, write ? data : host, count);
      landed = host;
    }
    if (!done) {
      if (found == AxiHost::Found::kNothing) {
        listener_.bus_fault(text_of(write ? "write" : "read", pasid, address));
      }
      return false;
    }
    if (write && small) listener_.memory_written(address, landed, static_cast<unsigned>(count));
    data += count;
    address += count;
    bytes -= count;
  }
  return true;
}

bool ReferenceNic::read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to,
                        std::size_t bytes, nic::MemoryUse use) {
  ++counts_.reads;
  counts_.read_bytes += bytes;
  const bool good = move(false, pasid, address, to, bytes);
  if (reports_) {
    report(use == nic::MemoryUse::kPayload ? BusUse::kPayloadRead : BusUse::kBlockRead, pasid,
           address, to, bytes, good);
  }
  return good;
}

bool ReferenceNic::write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
                         std::size_t bytes, nic::MemoryUse use) {
  ++counts_.writes;
  counts_.write_bytes += bytes;
  if (moments_.first_write_ns == kNever) moments_.first_write_ns = now_ns_;
  wrote_ = true;
  const bool good = move(true, pasid, address, const_cast<std::uint8_t*>(from), bytes,
                         use == nic::MemoryUse::kPart);
  if (reports_ && good && use == nic::MemoryUse::kCompletion) {
    for (std::size_t at = 0; at + layout::cqe::kBytes <= bytes; at += layout::cqe::kBytes) {
      report_completion(from + at);
    }
  }
  if (reports_) report(use_of_write(use), pasid, address, from, bytes, good);
  return good;
}

/// Nothing waits inside the model.
void ReferenceNic::report_record(EngineRecordKind kind, std::uint32_t queue_pair, std::uint8_t code,
                                 std::uint64_t number) {
  listener_.record_taken({kind, now_ns_, now_ns_, queue_pair, code, number});
}

void ReferenceNic::report_packet(EngineRecordKind kind, std::uint32_t queue_pair,
                                 const packet::Parsed& packet) {
  const bool ack = kind == EngineRecordKind::kAck;
  report_record(kind, queue_pair, ack ? packet.aeth().syndrome() : packet.bth().opcode(),
                packet.bth().psn());
}

void ReferenceNic::report_received(packet::ByteView frame) {
  const packet::Parsed packet = packet::parse(frame);
  if (!packet.has_bth || packet.op == nullptr) return;
  report_packet(packet.op->response ? EngineRecordKind::kResponse : EngineRecordKind::kRequest,
                packet.bth().dest_qp(), packet);
}

void ReferenceNic::stepped(std::uint32_t queue_pair, bool responder) {
  if (outbox_.empty()) return;  // work without a packet
  const packet::Parsed packet = packet::parse(outbox_.back());
  if (!packet.has_bth) return;
  const bool ack = packet.bth().opcode() == packet::kRcAck;
  report_packet(!responder ? EngineRecordKind::kRequestPacket
                : ack      ? EngineRecordKind::kAck
                           : EngineRecordKind::kResponsePacket,
                queue_pair, packet);
}

void ReferenceNic::report_completion(const std::uint8_t* entry) {
  constexpr std::uint8_t kReceive = 0x80;  // bit of cqe::opcode
  const bool receive = (get(entry, layout::cqe::opcode) & kReceive) != 0;
  report_record(receive ? EngineRecordKind::kReceiveCompletion : EngineRecordKind::kSendCompletion,
                get(entry, layout::cqe::qpn), get(entry, layout::cqe::status),
                get(entry, layout::cqe::wqe_index));
}

/// An access takes no time.
void ReferenceNic::report(BusUse use, std::uint32_t pasid, std::uint64_t address,
                          const std::uint8_t* data, std::size_t bytes, bool good) {
  listener_.bus_access({use, pasid, address, bytes, now_ns_, now_ns_, now_ns_, data, !good});
}

}  // namespace roci::testbench
