// SPDX-License-Identifier: Apache-2.0
// One of two processes of up.py: executes the lines of standard input on driver objects over a
// RemoteDevice, and replies to each with a line.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "driver/device/remote.hpp"
#include "driver/queue_pair.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/registers.hpp"

namespace {

using namespace roci::driver;
namespace layout = roci::layout;

constexpr std::size_t kRegionBytes = 1 << 20;
constexpr std::uint64_t kPatienceNs = 200'000'000'000;  // a loaded machine is slow

std::uint8_t pattern(std::uint64_t seed, std::uint64_t offset) {
  std::uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15u + offset * 0xD6E8FEB86659FD93u;
  return static_cast<std::uint8_t>((x ^ x >> 29) >> 7);
}

class Peer {
 public:
  Peer()
      : device_(RemoteDevice::place_from_environment()),
        context_(device_),
        pd_(context_),
        send_cq_(context_, 256),
        receive_cq_(context_, 256),
        region_(pd_, kRegionBytes, access::kAll),
        qp_(pd_, send_cq_, receive_cq_) {}

  std::string hello() {
    const Gid gid = context_.query_gid(0);
    std::string text;
    for (const std::uint8_t byte : gid) text += fmt::format("{:02x}", byte);
    return fmt::format("ready {} {} {} {}", qp_.number(), text, region_.address(), region_.key());
  }

  std::string run(std::istringstream& line) {
    std::string word;
    line >> word;
    if (word == "connect") return connect(line);
    if (word == "fill" || word == "check") return bytes(line, word == "check");
    if (word == "receive") return receive(line);
    if (word == "send" || word == "write" || word == "read") return post(line, word);
    if (word == "sent") return completion(send_cq_);
    if (word == "received") return completion(receive_cq_);
    if (word == "stream") return stream(line);
    if (word == "arm") return arm();
    if (word == "event") return event();
    if (word == "steal") return steal(line);
    return "unknown " + word;
  }

 private:
  std::string connect(std::istringstream& line) {
    Endpoint peer;
    std::string gid;
    unsigned timeout = 0;
    line >> peer.qpn >> gid >> remote_address_ >> remote_key_ >> timeout;
    for (unsigned i = 0; i < peer.gid.size(); ++i) {
      peer.gid[i] = static_cast<std::uint8_t>(std::stoul(gid.substr(2 * i, 2), nullptr, 16));
    }
    peer.psn = 0xFFFFF0;
    ConnectOptions options;
    options.timeout = static_cast<std::uint8_t>(timeout);
    qp_.connect(peer, 0xFFFFF0, options);
    return "ok";
  }

  std::string bytes(std::istringstream& line, bool check) {
    std::size_t offset = 0, length = 0;
    std::uint64_t seed = 0;
    line >> offset >> length >> seed;
    for (std::size_t i = 0; i < length; ++i) {
      std::uint8_t& byte = region_.data()[offset + i];
      if (!check) byte = pattern(seed, i);
      if (byte != pattern(seed, i)) return fmt::format("wrong at {}", i);
    }
    return "ok";
  }

  std::string receive(std::istringstream& line) {
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    line >> offset >> length;
    ReceiveRequest request;
    request.id = ++id_;
    request.sges = {region_.sge(offset, length)};
    qp_.receive(request);
    return "ok";
  }

  std::string post(std::istringstream& line, const std::string& word) {
    std::uint64_t local = 0, remote = 0;
    std::uint32_t length = 0;
    line >> local >> length >> remote;
    SendRequest request;
    request.id = ++id_;
    request.opcode = word == "send"    ? Opcode::kSend
                     : word == "write" ? Opcode::kWrite
                                       : Opcode::kRead;
    request.sges = {region_.sge(local, length)};
    request.remote_address = remote_address_ + remote;
    request.remote_key = remote_key_;
    qp_.send(request);
    return "ok";
  }

  std::string completion(CompletionQueue& cq) {
    const auto done = cq.wait(kPatienceNs);
    if (!done) return "nothing";
    return fmt::format("{} {}", name_of(done->status), done->byte_len);
  }

  /// Writes `count` times 16 KiB, or until an error; returns the result as text.
  std::string stream(std::istringstream& line) {
    unsigned count = 0, posted = 0, done = 0;
    line >> count;
    SendRequest request;
    request.opcode = Opcode::kWrite;
    request.sges = {region_.sge(0, 16384)};
    request.remote_address = remote_address_;
    request.remote_key = remote_key_;
    while (done < count) {
      while (posted < count && posted - done < 8) {
        qp_.send(request);
        ++posted;
      }
      const auto one = send_cq_.wait(kPatienceNs);
      if (!one) return "nothing";
      if (!one->ok()) return name_of(one->status);
      ++done;
    }
    return "Success";
  }

  std::string arm() {
    receive_cq_.arm();
    return "ok";
  }

  std::string event() {
    const auto event = context_.events().wait(kPatienceNs);
    if (!event) return "nothing";
    return fmt::format("{} {}", static_cast<unsigned>(event->kind),
                       event->number == receive_cq_.number() ? "mine" : "other");
  }

  /// Sends commands and doorbells for a queue pair of another process.
  std::string steal(std::istringstream& line) {
    std::uint32_t number = 0;
    line >> number;
    device_.write32(layout::sq_doorbell_offset(number), 7);
    try {
      context_.execute(layout::AdminOp::kDestroyQp, Body().put(layout::destroy_qp::qpn, number),
                       "steal");
    } catch (const Error& error) {
      return error.status() == AdminStatus::kBadHandle ? "rejected" : error.what();
    }
    return "stolen";
  }

  RemoteDevice device_;
  Context context_;
  ProtectionDomain pd_;
  CompletionQueue send_cq_, receive_cq_;
  MemoryRegion region_;
  QueuePair qp_;
  std::uint64_t id_ = 0, remote_address_ = 0;
  std::uint32_t remote_key_ = 0;
};

}  // namespace

int main() {
  try {
    Peer peer;
    std::cout << peer.hello() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::cout << peer.run(words) << std::endl;
    }
  } catch (const std::exception& error) {
    std::cout << "error " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
