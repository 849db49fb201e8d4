// SPDX-License-Identifier: Apache-2.0
// Numbers of messages, against the MSNs in captures of Soft-RoCE (testdata/captures).
#include "sim/faults/messages.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/packet/capture.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/transport/rules.hpp"

using namespace roci;
using sim::faults::FlowName;
using sim::faults::Messages;
using sim::faults::Requester;

namespace {

struct Conversation {
  std::vector<packet::CapturedFrame> frames;
  std::vector<packet::Parsed> packets;  ///< those of RC, from one side to a queue pair and back
  unsigned mtu;
};

Conversation conversation_of(const std::string& name, unsigned mtu) {
  Conversation found{packet::read_capture(std::string(CAPTURES "/") + name + ".pcap"), {}, mtu};
  for (const packet::CapturedFrame& frame : found.frames) {
    const packet::Parsed parsed = packet::parse(frame.bytes);
    if (!parsed.ok() || parsed.bth().opcode() > packet::kRcSendOnlyInv) continue;
    if (found.packets.empty() && parsed.op->response) continue;
    const bool there = found.packets.empty() || parsed.src() == found.packets[0].src();
    if (there != parsed.op->response) found.packets.push_back(parsed);
  }
  REQUIRE(!found.packets.empty());
  return found;
}

/// Feeds the packets from `from` on. Returns how many ACKs had the number of their message as MSN.
unsigned agree(const Conversation& conversation, std::size_t from, bool first_known) {
  const FlowName flow{0, 1, 7};
  const Requester requester{1, conversation.packets[0].psn() - (first_known ? 0 : 1),
                            conversation.mtu, 1};
  Messages messages;
  unsigned agreed = 0;
  transport::Psn newest_end;
  for (std::size_t i = from; i < conversation.packets.size(); ++i) {
    const packet::Parsed& parsed = conversation.packets[i];
    if (!parsed.op->response) {
      messages.sent(flow, requester, parsed);
      if (parsed.op->end) newest_end = parsed.psn() + (span_of(requester, parsed) - 1);
      continue;
    }
    messages.responded(flow, requester, parsed);
    if (parsed.bth().opcode() != packet::kRcAck || parsed.psn() != newest_end ||
        transport::aeth_kind(parsed.aeth().syndrome()) != layout::AethKind::kAck) {
      continue;
    }
    const auto number = messages.number(flow, requester, parsed.psn());
    REQUIRE(number);
    CHECK(*number == parsed.aeth().msn());
    ++agreed;
  }
  return agreed;
}

}  // namespace

TEST_CASE("messages: their numbers are the MSNs with which Soft-RoCE acknowledges them") {
  const std::pair<const char*, unsigned> kCaptures[] = {
      {"rc_write_mtu256", 256},    {"rc_send_mtu1024", 1024},      {"rc_writeimm_mtu1024", 1024},
      {"rc_psn_wrap_send", 1024},  {"rc_send_ipv6_mtu1024", 1024}, {"rc_write_64k_mtu256", 256},
      {"loss_write_middle", 1024}, {"loss_write_last", 1024},      {"loss_send_ack_x3", 1024}};
  for (const auto& capture : kCaptures) {
    const char* name = capture.first;
    const unsigned mtu = capture.second;
    CAPTURE(name);
    const Conversation conversation = conversation_of(name, mtu);
    const unsigned all = agree(conversation, 0, true);
    CHECK(all != 0);
    // Found in the middle: unknown until the first ACK, and the same from there on.
    std::size_t middle = 0;
    while (conversation.packets[middle].op->response || middle == 0) ++middle;
    CHECK(agree(conversation, middle, false) + 1 >= all);
  }
}

TEST_CASE("messages: a PSN names its message, in retransmissions and responses too") {
  const Conversation conversation = conversation_of("rc_read_mtu1024", 1024);
  const FlowName flow{0, 1, 7};
  const Requester requester{1, conversation.packets[0].psn(), conversation.mtu, 1};
  Messages messages;
  std::uint64_t reads = 0;
  for (const packet::Parsed& parsed : conversation.packets) {
    if (!parsed.op->response) {
      messages.sent(flow, requester, parsed);
      messages.sent(flow, requester, parsed);  // once more
      ++reads;
      CHECK(messages.number(flow, requester, parsed.psn()) == reads);
    } else {
      CHECK(messages.number(flow, requester, parsed.psn()) == reads);
    }
  }
  CHECK(reads != 0);
  CHECK_FALSE(messages.number(flow, requester, requester.first_psn - 1));
  // The queue pair was connected anew with the same first PSN.
  const Requester again{1, requester.first_psn, requester.mtu, 2};
  CHECK_FALSE(messages.number(flow, again, requester.first_psn));
  messages.sent(flow, again, conversation.packets[0]);
  CHECK(messages.number(flow, again, requester.first_psn) == 1);
}

TEST_CASE("messages: without a known first PSN nothing has a number before an ACK") {
  const Conversation conversation = conversation_of("rc_send_mtu1024", 1024);
  const FlowName flow{0, 1, 7};
  const Requester requester{1, conversation.packets[0].psn() - 1, conversation.mtu, 1};
  Messages messages;
  messages.sent(flow, requester, conversation.packets[0]);
  CHECK_FALSE(messages.number(flow, requester, conversation.packets[0].psn()));
}
