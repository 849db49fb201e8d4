// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/hostile/forge.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "model/packet/capture.hpp"
#include "model/packet/parser.hpp"
#include "testbench/verify/captures.hpp"

namespace roci::soak {
namespace {

using packet::Bytes;

constexpr std::uint8_t kRcOpcodes = 0x20;

}  // namespace

const char* name_of(Forgery forgery) {
  constexpr const char* kNames[] = {"right", "fields", "captured", "sessions", "noise"};
  return kNames[static_cast<unsigned>(forgery)];
}

Forge::Forge(const Addresses& addresses, std::vector<Victim>& victims,
             std::vector<std::uint32_t> spared, std::uint64_t seed)
    : random_(seed),
      addresses_(addresses),
      ipv6_(packet::parse(start(packet::kRcSendOnly, 0, {}).build()).ipv6),
      udp_at_(kIpAt + (ipv6_ ? packet::Ipv6::kBytes : packet::Ipv4::kBytes)),
      bth_at_(udp_at_ + packet::Udp::kBytes),
      victims_(victims),
      spared_(std::move(spared)) {
  const std::string folder = testbench::captures_folder(ROCI_CAPTURES);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".pcap") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // directory order is undefined
  constexpr std::size_t kOfFile = 400;
  unsigned session = 0;
  for (const std::string& file : files) {
    std::size_t taken = 0;
    for (const packet::CapturedFrame& frame : packet::read_capture(file)) {
      const packet::Parsed p = packet::parse(frame.bytes);
      if (!p.has_bth || p.roce_v1 || frame.bytes.size() > kLongest || taken == kOfFile) continue;
      ++taken;
      captured_.push_back({Bytes(frame.bytes.begin() + static_cast<std::ptrdiff_t>(p.bth_at),
                                 frame.bytes.begin() + static_cast<std::ptrdiff_t>(p.icrc_at)),
                           p.op != nullptr && p.op->response, p.bth().psn(), session});
    }
    ++session;
  }
  if (captured_.empty()) throw std::runtime_error("no captures in " + folder);
}

Victim& Forge::victim() {
  // Queue pairs in RTS are preferred.
  for (unsigned tries = 0; tries < 8; ++tries) {
    Victim& v = victims_[below(victims_.size())];
    if (v.alive) return v;
  }
  return victims_[below(victims_.size())];
}

packet::Builder Forge::start(std::uint8_t opcode, std::uint32_t qpn, transport::Psn psn) {
  packet::Builder b;
  b.ethernet(addresses_.to_mac, addresses_.from_mac)
      .gids(addresses_.from, addresses_.to)
      .bth(opcode, qpn, psn)
      .ack_req(below(2) == 0);
  return b;
}

/// Builds a packet that a correct peer might send now: the next request, or a response to an
/// outstanding one.
Bytes Forge::right(Victim& v) {
  constexpr std::uint8_t kKinds = 23;
  std::uint8_t opcode = static_cast<std::uint8_t>(below(kKinds + 2));
  if (opcode >= 0x15) opcode = static_cast<std::uint8_t>(0x16 + below(2));  // invalidate
  const packet::OpcodeInfo& info = *packet::find_opcode(opcode);
  const std::uint32_t open = v.next.steps_from(v.oldest);
  const transport::Psn psn =
      info.response ? v.oldest + static_cast<std::uint32_t>(below(std::max(open, 1u))) : v.expected;
  packet::Builder b = start(opcode, v.qpn, psn);
  const std::uint32_t length = !info.payload ? 0
                               : !info.end   ? v.pmtu
                                             : static_cast<std::uint32_t>(below(v.pmtu + 1));
  const std::uint32_t total = info.end ? length : length + static_cast<std::uint32_t>(below(2000));
  const std::uint64_t offset = below(v.bytes / 2) & ~7ull;
  if (info.has(packet::Ext::kReth)) {
    b.reth(v.address + offset, v.key,
           opcode == packet::kRcReadRequest ? static_cast<std::uint32_t>(below(3000)) : total);
  }
  if (info.has(packet::Ext::kAtomicEth)) {
    b.atomic_eth(v.address + offset, v.key, random_(), below(2));
  }
  if (info.has(packet::Ext::kAeth)) {
    constexpr std::uint8_t kSyndromes[] = {0x1F, 0x00, 0x60, 0x61, 0x62, 0x63, 0x64, 0x21};
    const bool kind = below(2) == 0;  // else a plain ACK
    b.aeth(kind ? kSyndromes[below(8)] : kSyndromes[0], static_cast<std::uint32_t>(below(1 << 24)));
  }
  if (info.has(packet::Ext::kAtomicAckEth)) b.atomic_ack_eth(random_());
  if (info.has(packet::Ext::kImmDt)) b.imm_dt(static_cast<std::uint32_t>(random_()));
  if (info.has(packet::Ext::kIeth)) b.ieth(v.key ^ (below(2) == 0 ? 0x100 : 1));
  Bytes payload(length);
  for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random_());
  b.payload(payload);
  if (!info.response) v.expected += 1;
  return b.build();
}

Bytes Forge::captured(Victim& v, const Captured& from, transport::Psn psn) {
  // The link's own headers replace those around the captured transport headers and payload.
  Bytes envelope = start(packet::kRcSendOnly, v.qpn, psn).build();
  Bytes frame(envelope.begin(), envelope.begin() + static_cast<std::ptrdiff_t>(bth_at_));
  frame.insert(frame.end(), from.bytes.begin(), from.bytes.end());
  frame.resize(frame.size() + kIcrc);
  packet::MutableBth bth(frame.data() + bth_at_);
  bth.set_dest_qp(v.qpn);
  bth.set_psn(psn.value());
  bth.set_pkey(0xFFFF);
  set_length(frame);
  const packet::OpcodeInfo* info = packet::find_opcode(bth.opcode());
  std::uint8_t* ext = frame.data() + bth_at_ + packet::Bth::kBytes;
  const bool room =
      info != nullptr && frame.size() >= bth_at_ + packet::Bth::kBytes + info->ext_bytes + kIcrc;
  const std::uint64_t address = v.address + (below(v.bytes / 2) & ~7ull);
  if (room && info->has(packet::Ext::kReth)) {
    packet::MutableReth reth(ext + info->offset_of(packet::Ext::kReth));
    reth.set_rkey(v.key);
    reth.set_va(address);
  }
  if (room && info->has(packet::Ext::kAtomicEth)) {
    packet::MutableAtomicEth atomic(ext + info->offset_of(packet::Ext::kAtomicEth));
    atomic.set_rkey(v.key);
    atomic.set_va(address);
  }
  return frame;
}

/// Replays captured requests in order, with one change in one of them.
Bytes Forge::session() {
  if (session_at_ == session_end_) {
    session_victim_ = &victim();
    session_at_ = below(captured_.size());
    const unsigned session = captured_[session_at_].session;
    session_end_ = session_at_ + 1;
    const std::size_t most = session_at_ + 2 + below(12);
    while (session_end_ < captured_.size() && session_end_ < most &&
           captured_[session_end_].session == session) {
      ++session_end_;
    }
    session_changed_ = session_at_ + below(session_end_ - session_at_);
    const bool responses = captured_[session_at_].response;
    session_base_ = (responses ? session_victim_->oldest : session_victim_->expected) -
                    captured_[session_at_].psn;
  }
  const Captured& from = captured_[session_at_];
  Bytes frame = captured(*session_victim_, from, session_base_ + from.psn);
  if (session_at_ == session_changed_) change(frame);
  if (!from.response) session_victim_->expected = session_base_ + (from.psn + 1);
  ++session_at_;
  return frame;
}

Bytes Forge::noise(Victim& v) {
  Bytes frame = right(v);
  const bool headers = below(2) == 0;  // with valid lower headers, or without any
  const std::size_t from = headers ? bth_at_ : below(2) == 0 ? 0 : 6;
  if (!headers) frame.resize(14 + below(200));
  for (std::size_t i = from; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(random_());
  return frame;
}

Bytes Forge::next() {
  const std::uint64_t dice = below(100);
  const Forgery what = session_at_ != session_end_ ? Forgery::kSession
                       : dice < 10                 ? Forgery::kRight
                       : dice < 60                 ? Forgery::kFields
                       : dice < 80                 ? Forgery::kCaptured
                       : dice < 84                 ? Forgery::kSession
                                                   : Forgery::kNoise;
  ++counts_[static_cast<unsigned>(what)];
  Victim& v = victim();
  Bytes frame;
  switch (what) {
    case Forgery::kRight:
      frame = right(v);
      break;
    case Forgery::kFields:
      frame = right(v);
      for (std::uint64_t n = 1 + below(3); n > 0; --n) change(frame);
      if (below(8) == 0) change_length(frame);
      break;
    case Forgery::kCaptured:
      frame = captured(v, captured_[below(captured_.size())],
                       v.expected + static_cast<std::uint32_t>(below(3)) - 1);
      change(frame);
      break;
    case Forgery::kSession:
      frame = session();
      break;
    case Forgery::kNoise:
      frame = noise(v);
      aim(frame);
      return frame;
  }
  aim(frame);
  seal(frame);
  return frame;
}

}  // namespace roci::soak
