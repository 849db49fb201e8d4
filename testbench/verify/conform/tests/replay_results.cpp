// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/tests/replay_results.hpp"

#include <map>
#include <sstream>
#include <utility>

namespace roci::conform {
using namespace packet;

/// Format: "RC_ACK@1000:61/msn0 RC_READ_RESP_MIDDLE@1001len1024 ..." without MSN of all but plain
/// ACKs.
Responses responses_of(const std::string& text) {
  Responses all;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "silent") continue;
    const std::size_t at = word.find('@'), colon = word.find(':'), slash = word.find('/');
    const std::size_t length = word.find("len");
    const std::string name = word.substr(0, at);
    const std::string psn = word.substr(at + 1, std::min(colon, length) - at - 1);
    const std::string syndrome =
        colon == std::string::npos ? "" : word.substr(colon + 1, slash - colon - 1);
    if (name == "RC_ACK" && syndrome == "1f") {
      all.newest_ack = psn;
    } else {
      std::string other = name;
      other.append("@").append(psn).append(":").append(syndrome);
      if (length != std::string::npos) other.append(word, length);
      all.others.push_back(std::move(other));
    }
  }
  return all;
}

/// Describes the packets that the adapter sent in the same way.
Responses responses_of(Connection& c) {
  const std::map<std::uint8_t, std::string> names = {
      {kRcAck, "RC_ACK"},
      {kRcAtomicAck, "RC_ATOMIC_ACK"},
      {kRcReadRespFirst, "RC_READ_RESP_FIRST"},
      {kRcReadRespMiddle, "RC_READ_RESP_MIDDLE"},
      {kRcReadRespLast, "RC_READ_RESP_LAST"},
      {kRcReadRespOnly, "RC_READ_RESP_ONLY"},
  };
  const auto plain_hex = [](std::uint32_t value) { return hex(value).substr(2); };
  Responses all;
  while (const auto frame = c.next(0)) {
    const Parsed p = frame->parsed();
    const auto name = names.find(p.bth().opcode());
    require(name != names.end(), "only responses", std::string(opcode_name(p.bth().opcode())));
    const std::string psn = plain_hex(p.bth().psn());
    const bool aeth = p.has(Ext::kAeth);
    if (name->first == kRcAck && p.aeth().syndrome() == kAck) {
      all.newest_ack = psn;
    } else {
      const bool data = packet::is_read_response(name->first);
      all.others.push_back(name->second + "@" + psn + ":" +
                           (aeth ? plain_hex(p.aeth().syndrome()) : "") +
                           (data ? "len" + std::to_string(p.payload.size) : ""));
    }
  }
  return all;
}

/// Describes receive completions as "100 0 64 101 5 0" (number, status, length when good).
std::string receives_of(const std::string& text) {
  std::string all;
  std::size_t at = 0;
  while ((at = text.find("wr", at)) != std::string::npos) {
    const std::size_t colon = text.find(':', at), length = text.find(":len", colon);
    const Status status = status_of(text.substr(colon + 1, length - colon - 1));
    all += text.substr(at + 2, colon - at - 2) + " " + driver::name_of(status);
    const std::size_t end = text.find(' ', length);
    if (status == Status::kSuccess) all += " " + text.substr(length + 4, end - length - 4);
    all += "; ";
    at = length;
  }
  return all;
}
std::string receives_of(Connection& c) {
  std::string all;
  while (const auto done = c.receive_cq().poll()) {
    all += std::to_string(done->id) + " " + driver::name_of(done->status);
    if (done->ok()) all += " " + std::to_string(done->byte_len);
    all += "; ";
  }
  return all;
}

}  // namespace roci::conform
