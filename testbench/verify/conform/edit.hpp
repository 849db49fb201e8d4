// SPDX-License-Identifier: Apache-2.0
// Changes to a frame, in place; seal() recomputes its checksum and ICRC.
#pragma once

#include "model/packet/builder.hpp"
#include "model/packet/icrc.hpp"
#include "model/packet/parser.hpp"

namespace roci::conform {

class Edit {
 public:
  explicit Edit(const packet::Builder& builder) : Edit(builder.build()) {}
  explicit Edit(packet::Bytes frame) : frame_(std::move(frame)) {
    const packet::Parsed p = packet::parse(frame_);
    ip_at_ = p.ip_at;
    udp_at_ = p.udp_at;
    bth_at_ = p.bth_at;
    icrc_at_ = p.icrc_at;
  }

  packet::MutableEthernet ethernet() { return packet::MutableEthernet(frame_.data()); }
  packet::MutableIpv4 ipv4() { return packet::MutableIpv4(frame_.data() + ip_at_); }
  packet::MutableIpv6 ipv6() { return packet::MutableIpv6(frame_.data() + ip_at_); }
  packet::MutableUdp udp() { return packet::MutableUdp(frame_.data() + udp_at_); }
  packet::MutableBth bth() { return packet::MutableBth(frame_.data() + bth_at_); }
  std::size_t ip_at() const { return ip_at_; }
  std::size_t udp_at() const { return udp_at_; }
  std::size_t bth_at() const { return bth_at_; }
  std::size_t icrc_at() const { return icrc_at_; }
  packet::Bytes& frame() { return frame_; }

  bool is_ipv6() const { return udp_at_ - ip_at_ == packet::Ipv6::kBytes; }
  /// Recomputes IPv4 checksum and ICRC for any other content.
  packet::Bytes sealed() {
    const packet::ByteView view(frame_);
    if (!is_ipv6()) {
      ipv4().set_checksum(0);
      ipv4().set_checksum(packet::ipv4_checksum(view.sub(ip_at_, udp_at_ - ip_at_)));
    }
    const std::uint32_t icrc =
        packet::icrc(view.sub(ip_at_, icrc_at_ - ip_at_), bth_at_ - ip_at_,
                     is_ipv6() ? packet::Network::kIpv6 : packet::Network::kIpv4);
    for (std::size_t i = 0; i < 4; ++i) {
      frame_[icrc_at_ + i] = static_cast<std::uint8_t>(icrc >> 8 * i);
    }
    return frame_;
  }
  packet::Bytes as_it_is() const { return frame_; }

  /// Inserts (or, negative, removes) bytes before the ICRC and adjusts the lengths.
  Edit& resize_payload(std::ptrdiff_t by) {
    const auto at = frame_.begin() + static_cast<std::ptrdiff_t>(icrc_at_);
    if (by > 0) {
      frame_.insert(at, static_cast<std::size_t>(by), std::uint8_t{0xEE});
    } else {
      frame_.erase(at + by, at);
    }
    icrc_at_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(icrc_at_) + by);
    const auto add = [by](std::uint16_t length) { return static_cast<std::uint16_t>(length + by); };
    udp().set_length(add(udp().length()));
    if (is_ipv6()) {
      ipv6().set_payload_length(add(ipv6().payload_length()));
    } else {
      ipv4().set_total_length(add(ipv4().total_length()));
    }
    return *this;
  }

 private:
  packet::Bytes frame_;
  std::size_t ip_at_, udp_at_, bth_at_, icrc_at_;
};

}  // namespace roci::conform
