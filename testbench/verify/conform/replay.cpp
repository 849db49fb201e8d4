// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/replay.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/packet/capture.hpp"
#include "model/packet/icrc.hpp"
#include "testbench/verify/captures.hpp"

namespace roci::conform {
namespace {

constexpr std::uint64_t kSoftRoceMac = 0x525400000001;
constexpr std::uint32_t kSoftRoceAddress = 0x0A000001;
constexpr std::uint32_t kOwnNumbers = 0x1000;  ///< queue pairs of the captures are below

std::string text_of(const nlohmann::json& test, const char* key) {
  return test.contains(key) ? test.at(key).get<std::string>() : "";
}

void put_icrc(packet::Bytes& frame, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) frame[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

std::uint32_t reversed(std::uint32_t v) {
  return v >> 24 | (v >> 8 & 0xFF00) | (v << 8 & 0xFF0000) | v << 24;
}

/// Recomputes ICRC and UDP checksum after a change, correct or wrong as in `before`.
void repair(packet::Bytes& frame, const packet::Parsed& before) {
  const packet::ByteView view(frame);
  if (before.icrc_at == 0) return;  // no room for an ICRC
  const std::uint32_t right = packet::icrc(view.sub(before.ip_at, before.icrc_at - before.ip_at),
                                           before.bth_at - before.ip_at, before.network());
  const std::uint32_t was = before.icrc_sent();
  put_icrc(frame, before.icrc_at,
           before.icrc_ok                          ? right
           : was == 0                              ? 0
           : was == reversed(before.icrc_expected) ? reversed(right)
                                                   : right ^ was ^ before.icrc_expected);
  const std::uint16_t sum = before.udp().checksum();
  if (sum == 0) return;
  const std::size_t ip_bytes = before.udp_at - before.ip_at;
  const auto is_right = [&](packet::ByteView f) {
    return packet::udp_sum(f.sub(before.ip_at, ip_bytes),
                           f.sub(before.udp_at, before.udp().length()), before.ipv6) == 0xFFFF;
  };
  const bool was_right = is_right(before.frame);
  packet::MutableUdp udp(frame.data() + before.udp_at);
  udp.set_checksum(0);
  const std::uint16_t good = static_cast<std::uint16_t>(
      ~packet::udp_sum(view.sub(before.ip_at, ip_bytes),
                       view.sub(before.udp_at, before.udp().length()), before.ipv6));
  udp.set_checksum(was_right ? good : good ^ 0x1234);
}

}  // namespace

std::vector<Exchange> exchanges_of(const std::string& capture) {
  const std::string folder = testbench::captures_folder(CAPTURES) + "/";
  std::ifstream file(folder + "raw_index.json");
  const nlohmann::ordered_json index = nlohmann::ordered_json::parse(file);
  const std::vector<packet::CapturedFrame> frames =
      packet::read_capture(folder + capture + ".pcap");
  std::vector<Exchange> all;
  for (const auto& [name, test] : index.at(capture).items()) {
    Exchange e;
    e.name = name;
    e.responses = text_of(test, "tx");
    e.receives = text_of(test, "rcq");
    e.sends = text_of(test, "scq");
    e.state = text_of(test, "state");
    e.expected_psn = static_cast<std::uint32_t>(std::stoul(text_of(test, "epsn"), nullptr, 16));
    e.memory_untouched = text_of(test, "mem").rfind("diff=0 ", 0) == 0;
    const std::size_t first = test.at("frames").at(0), last = test.at("frames").at(1);
    for (std::size_t i = first; i <= last && i <= frames.size(); ++i) {
      const packet::Bytes& bytes = frames[i - 1].bytes;
      e.steps.push_back({packet::Ethernet(bytes.data()).src_mac() != kSoftRoceMac, bytes});
    }
    all.push_back(std::move(e));
  }
  return all;
}

namespace {

packet::Bytes rewrite(const packet::Bytes& frame, std::uint32_t qpn,
                      const std::map<std::uint32_t, std::uint32_t>& keys) {
  const packet::Parsed before = packet::parse(frame);
  packet::Bytes after = frame;
  // This includes packets truncated after the number.
  const std::size_t ip_bytes = frame.at(12) == 0x86 ? 40 : 20;
  const std::size_t bth_at = packet::Ethernet::kBytes + ip_bytes + packet::Udp::kBytes;
  if (frame.size() < bth_at + 8) return after;
  std::uint8_t* number = after.data() + bth_at + 5;
  const auto old = static_cast<std::uint32_t>(number[0] << 16 | number[1] << 8 | number[2]);
  if (old != 0 && old < kOwnNumbers) {
    for (unsigned i = 0; i < 3; ++i) number[i] = static_cast<std::uint8_t>(qpn >> (16 - 8 * i));
  }
  if (!before.has_bth) return after;
  const auto translate = [&](std::uint32_t key) {
    const auto found = keys.find(key);
    if (found != keys.end()) return found->second;
    // Another variant of a known key stays one; all others stay keys of no region.
    for (const auto& [from, to] : keys) {
      if (from >> 8 == key >> 8) return to ^ (from ^ key);
    }
    return 0xFFF00000u | (key & 0xFFFF);
  };
  const std::size_t ext_at = bth_at + packet::Bth::kBytes;
  if (before.op != nullptr && before.payload.data != nullptr &&
      before.op->has(packet::Ext::kReth)) {
    packet::MutableReth reth(after.data() + ext_at + before.op->offset_of(packet::Ext::kReth));
    reth.set_rkey(translate(reth.rkey()));
  }
  if (before.op != nullptr && before.payload.data != nullptr &&
      before.op->has(packet::Ext::kAtomicEth)) {
    packet::MutableAtomicEth atomic(after.data() + ext_at +
                                    before.op->offset_of(packet::Ext::kAtomicEth));
    atomic.set_rkey(translate(atomic.rkey()));
  }
  repair(after, before);
  return after;
}

}  // namespace

void replay(Fixture& dut, const packet::Bytes& frame, std::uint32_t qpn,
            const std::map<std::uint32_t, std::uint32_t>& keys) {
  if (dut.adapter().gid(0) != driver::gid_of_ipv4(kSoftRoceAddress)) {
    throw NotTestable("captured packets are for an adapter with the address 10.0.0.1");
  }
  packet::Bytes now = rewrite(frame, qpn, keys);
  packet::MutableEthernet(now.data()).set_dst_mac(dut.adapter().mac());
  dut.feed(now);
}

Status status_of(const std::string& text) {
  static const std::map<std::string, Status> kTexts = {
      {"success", Status::kSuccess},
      {"local length error", Status::kLocLenErr},
      {"local QP operation error", Status::kLocQpOpErr},
      {"local protection error", Status::kLocProtErr},
      {"Work Request Flushed Error", Status::kWrFlushErr},
      {"bad response error", Status::kBadRespErr},
      {"local access error", Status::kLocAccessErr},
      {"remote invalid request error", Status::kRemInvReqErr},
      {"remote access error", Status::kRemAccessErr},
      {"remote operation error", Status::kRemOpErr},
      {"transport retry counter exceeded", Status::kRetryExcErr},
      {"RNR retry counter exceeded", Status::kRnrRetryExcErr},
      {"fatal error", Status::kFatalErr},
  };
  const auto found = kTexts.find(text);
  if (found == kTexts.end()) throw std::runtime_error("no status is called " + text);
  return found->second;
}

}  // namespace roci::conform
