// SPDX-License-Identifier: Apache-2.0
// The link side of a connection: frames of the peer and of the adapter.
#include <algorithm>
#include <sstream>

#include "model/packet/describe.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/transport/rules.hpp"
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
namespace {

std::string psn_text(std::uint32_t psn) { return "PSN " + hex(psn); }

std::string syndrome_text(std::uint8_t syndrome) {
  if (transport::aeth_kind(syndrome) == layout::AethKind::kRnr) return "RNR NAK";
  const std::string_view name = spec::name_of(spec::kSyndromes, syndrome);
  return name.empty() ? "syndrome " + hex(syndrome) : std::string(name);
}

}  // namespace

Expected packet_of(std::uint8_t opcode, std::uint32_t psn) {
  return {std::string(packet::opcode_name(opcode)) + " with " + psn_text(psn),
          {packet::bth(packet::opcode(opcode), packet::psn(psn))}};
}

Expected acknowledge(std::uint8_t syndrome, std::uint32_t psn) {
  Expected what{syndrome_text(syndrome) + " with " + psn_text(psn),
                {packet::bth(packet::opcode(packet::kRcAck), packet::psn(psn))}};
  const layout::AethKind kind = transport::aeth_kind(syndrome);
  if (kind == layout::AethKind::kNak) {
    what.checks.push_back(packet::aeth(packet::syndrome(syndrome)));
  } else {
    what.checks.emplace_back([=](const packet::Parsed& p, packet::Verdict* verdict) {
      if (!p.has(packet::Ext::kAeth)) return;
      verdict->expect("kind", layout::number(transport::aeth_kind(p.aeth().syndrome())),
                      layout::number(kind));
    });
  }
  return what;
}

Builder Connection::from_peer(std::uint8_t opcode, std::uint32_t psn) {
  Builder builder;
  builder.ethernet(fixture_.adapter().mac(), kPeerMac);
  if (options_.vlan) builder.vlan(*options_.vlan);
  if (options_.roce_v1) builder.roce_v1();
  builder.gids(peer_gid_, gid_).src_port(0xC123).bth(opcode, number(), transport::Psn(psn));
  return builder;
}

Builder Connection::send_request(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload) {
  return from_peer(opcode, psn).ack_req().payload(payload);
}

Builder Connection::datagram(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload) {
  return from_peer(opcode, psn).deth(options_.qkey, peer_number_).payload(payload);
}

Builder Connection::write_request(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload,
                                  std::size_t offset, std::uint32_t total) {
  Builder builder = send_request(opcode, psn, payload);
  const packet::OpcodeInfo* info = packet::find_opcode(opcode);
  if (info != nullptr && info->has(packet::Ext::kReth)) {
    builder.reth(fixture_.target_address(offset), fixture_.memory().key(),
                 total != 0 ? total : static_cast<std::uint32_t>(payload.size()));
  }
  return builder;
}

Builder Connection::read_request(std::uint32_t psn, std::uint32_t bytes, std::size_t offset) {
  return from_peer(packet::kRcReadRequest, psn)
      .ack_req()
      .reth(fixture_.target_address(offset), fixture_.memory().key(), bytes);
}

Builder Connection::atomic_request(std::uint8_t opcode, std::uint32_t psn, std::uint64_t swap_add,
                                   std::uint64_t compare, std::size_t offset) {
  if (fixture_.context().limits().lacks(layout::Option::kAtomics)) {
    throw driver::Error(driver::AdminStatus::kUnsupported, 0, "the adapter has no atomics");
  }
  return from_peer(opcode, psn)
      .ack_req()
      .atomic_eth(fixture_.target_address(offset), fixture_.memory().key(), swap_add, compare);
}

void Connection::ack(std::uint32_t psn, std::uint8_t syndrome) {
  feed(from_peer(packet::kRcAck, psn).aeth(syndrome, 1));
}

void Connection::read_response(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload) {
  Builder builder = from_peer(opcode, psn).payload(payload);
  if (opcode != packet::kRcReadRespMiddle) builder.aeth(kAck, 1);
  feed(builder);
}

void Connection::atomic_response(std::uint32_t psn, std::uint64_t original) {
  feed(from_peer(packet::kRcAtomicAck, psn).aeth(kAck, 1).atomic_ack_eth(original));
}

std::size_t Connection::find_next() {
  const std::vector<Frame>& all = fixture_.adapter().sent();
  while (seen_ < all.size()) {
    const packet::Parsed parsed = all[seen_].parsed();
    if (parsed.has_bth && parsed.bth().dest_qp() == peer_number_) break;
    ++seen_;
  }
  return seen_;
}

std::optional<Frame> Connection::next(Time within) {
  fixture_.wait([&] { return find_next() < fixture_.adapter().sent().size(); }, within);
  if (find_next() == fixture_.adapter().sent().size()) return {};
  return fixture_.adapter().sent()[seen_++];
}

Frame Connection::expect(const Expected& what, Time within) {
  const std::optional<Frame> frame = next(within);
  if (!frame) {
    const auto bad = send_cq_->poll();
    throw Failure(
        what.text,
        "no packet in " + std::to_string(within) + " ns" +
            (bad ? std::string(", but the completion ") + driver::name_of(bad->status) : ""));
  }
  const packet::Verdict verdict = packet::check(frame->bytes, what.checks);
  if (!verdict) {
    std::ostringstream text;
    text << packet::describe(frame->bytes) << " (" << verdict << ")";
    throw Failure(what.text, text.str(), frame->bytes);
  }
  return *frame;
}

std::optional<Frame> Connection::next_if_any(Time within) {
  const std::vector<Frame>& all = fixture_.adapter().sent();
  if (!fixture_.wait_quietly([&] { return find_next() < all.size(); }, within)) return {};
  return all[seen_++];
}

void Connection::expect_silence(Time ns) {
  const std::optional<Frame> frame = next_if_any(ns);
  if (frame) throw Failure("silence", packet::describe(frame->bytes), frame->bytes);
}

Frame Connection::expect_acked(std::uint32_t psn, Time within) {
  for (;;) {
    const std::optional<Frame> frame = next(within);
    const std::string expected = "ACK up to PSN " + hex(psn);
    if (!frame) throw Failure(expected, "no packet in " + std::to_string(within) + " ns");
    const packet::Parsed p = frame->parsed();
    if (!p.ok() || p.bth().opcode() != packet::kRcAck ||
        transport::aeth_kind(p.aeth().syndrome()) != layout::AethKind::kAck ||
        p.psn().after(transport::Psn(psn))) {
      throw Failure(expected, packet::describe(frame->bytes), frame->bytes);
    }
    if (p.psn() == transport::Psn(psn)) return *frame;
  }
}

void Connection::ignore_packets() { seen_ = fixture_.adapter().sent().size(); }

void Connection::still_works(std::uint32_t rq, std::uint32_t sq) {
  const Bytes data = payload_of(100, rq);
  ignore_packets();
  receive(100, Fixture::kTarget - 256);
  feed(send_request(packet::kRcSendOnly, rq, data));
  same("byte_len", received().byte_len, 100);
  // The test may have posted a receive before.
  require(std::equal(data.begin(), data.end(), fixture_.local(Fixture::kTarget - 256)) ||
              std::equal(data.begin(), data.end(), fixture_.local()),
          "the payload of the SEND in memory");
  expect(acknowledge(kAck, rq));
  send(100);
  expect(packet_of(packet::kRcSendOnly, sq));
  ack(sq);
  sent();
}

}  // namespace roci::conform
