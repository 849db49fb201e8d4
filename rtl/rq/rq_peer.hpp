// SPDX-License-Identifier: Apache-2.0
// A requester by 9.7, over a link that loses and repeats packets in both directions.
#pragma once

#include <cstring>

#include "rtl/rq/rq_bench.hpp"

namespace rq {

/// A queue pair of the peer. It uses 64 KiB of the memory from `home` on: 16 KiB to write, 16 KiB
/// to read, 4 KiB for atomics, the rest for receives.
class Peer {
 public:
  Peer(Bench& bench, unsigned qpn, const Attr& attr, std::uint64_t home, unsigned messages)
      : b_(bench),
        qpn_(qpn),
        attr_(attr),
        home_(home),
        mtu_(128u << attr.pmtu),
        model_(bench.memory.begin() + home, bench.memory.begin() + home + 0x10000) {
    for (std::uint32_t psn = attr.rq_psn; messages-- != 0;) psn = add_message(psn);
  }

  bool done() const { return una_ == packets_.size() && completed_ == expected_.size(); }
  unsigned retries() const { return retries_; }

  /// Sends a packet now and then, posts a receive now and then.
  void step() {
    const std::uint64_t now = b_.dut.cycle();
    if (posted_ < expected_.size() && posted_ - completed_ < 1u << attr_.rq_log && chance(30))
      post();
    if (una_ != packets_.size() && now - progress_ > 4000) retransmit();
    if (next_ == packets_.size() || now < not_before_ || b_.requests.size() > 2) return;
    if (next_ > una_ + 40) return;
    unsigned reads = 0;
    for (std::size_t i = una_; i < next_; ++i) reads += is_read(packets_[i]) && !packets_[i].done;
    if (is_read(packets_[next_]) && reads >= attr_.max_dest) return;
    transmit(packets_[next_]);
    ++next_;
    if (chance(3)) transmit(packets_[b_.random() % next_]);  // a late copy of any packet
  }

  void response(const Response& a) {
    if (chance(4)) return;  // lost
    REQUIRE(a.syndrome < kNakInvalid);
    if (una_ == packets_.size()) return;
    Packet& oldest = packets_[una_];
    const std::uint32_t ahead = (a.psn - first_psn(oldest)) & kPsnMask;
    if (ahead >= kPsnHalf) return;  // acknowledged before
    if (a.opcode >= kRcReadRespFirst && a.opcode <= kRcReadRespOnly) {
      acknowledge(a.psn);
      Packet& p = packets_[una_ == packets_.size() ? una_ - 1 : una_];
      if (p.request.opcode != kRcReadRequest || first_psn(p) != a.psn) return;
      const std::uint64_t from = p.request.va + std::uint64_t{p.got} * mtu_;
      CHECK(std::equal(a.payload.begin(), a.payload.end(), model_.begin() + (from - home_)));
      const bool last = ++p.got == p.psns;
      CHECK(a.payload.size() == (last ? p.request.length - (p.psns - 1) * mtu_ : mtu_));
      if (last) finish(p);
      progress_ = b_.dut.cycle();
    } else if (a.opcode == kRcAtomicAck) {
      acknowledge(a.psn);
      Packet& p = packets_[una_ == packets_.size() ? una_ - 1 : una_];
      if (p.request.psn != a.psn || !is_read(p)) return;
      CHECK(a.original == p.original);
      finish(p);
    } else if (a.syndrome == kAckNoCredits) {
      acknowledge(a.psn + 1);
      if (una_ != packets_.size() && ((a.psn - first_psn(packets_[una_])) & kPsnMask) < kPsnHalf)
        retransmit();  // the ACK skips a READ or atomic
    } else {
      acknowledge(a.psn);
      if (a.syndrome != kNakSequence) not_before_ = b_.dut.cycle() + b_.random() % 300;
      retransmit();
    }
  }

  void completion(const Completion& c) {
    REQUIRE(completed_ < expected_.size());
    const Expected& e = expected_[completed_];
    CHECK(c.status == Status::kSuccess);
    CHECK(c.index == (completed_ & 0xFFFF));
    CHECK(c.opcode == (e.write ? WcOp::kRecvWriteImm : WcOp::kRecv));
    CHECK(c.byte_len == e.length);
    CHECK(c.with_imm == e.with_imm);
    if (e.with_imm) CHECK(c.imm == e.imm);
    CHECK(c.solicited == e.solicited);
    ++completed_;
  }

  /// Checks that the memory is as if each message had been executed once, in order.
  void check_memory() const {
    CHECK(std::equal(model_.begin(), model_.begin() + 0x9000, b_.memory.begin() + home_));
    for (const Expected& e : expected_)
      if (!e.write && e.length != 0)
        CHECK(std::equal(e.data.begin(), e.data.end(), e.seen.begin()));
  }
  /// Copies the data of a receive before its buffer is used again.
  void keep(std::size_t index) {
    Expected& e = expected_[index];
    if (e.write) return;
    for (const auto& sge : e.list)
      e.seen.insert(e.seen.end(), b_.memory.begin() + sge.addr,
                    b_.memory.begin() + sge.addr + sge.length);
  }
  std::size_t completed() const { return completed_; }

 private:
  struct Packet {
    Request request;
    std::uint32_t psns = 1, got = 0;
    std::uint64_t original = 0;
    bool done = false;
  };
  struct Expected {
    bool write, with_imm, solicited;
    std::uint32_t length, imm;
    Bytes data, seen;
    std::vector<Bench::Sge> list;
  };

  bool chance(unsigned percent) { return b_.random() % 100 < percent; }
  static bool is_read(const Packet& p) {
    return p.request.opcode == kRcReadRequest || is_atomic(p.request.opcode);
  }
  static std::uint32_t first_psn(const Packet& p) { return (p.request.psn + p.got) & kPsnMask; }

  std::uint32_t add_message(std::uint32_t psn) {
    Packet p;
    p.request.qpn = qpn_;
    p.request.rkey = 0x100 + qpn_;
    p.request.psn = psn;
    const unsigned kind = b_.random() % 8;
    std::uint32_t length = b_.random() % 3 == 0 ? b_.random() % (5 * mtu_) : b_.random() % 100;
    if (chance(20)) length = length / mtu_ * mtu_;
    if (kind == 0) {
      p.request.opcode = kRcReadRequest;
      p.request.length = length;
      p.request.va = home_ + 0x4000 + b_.random() % (0x4000 - length);
      p.psns = std::max(1u, (length + mtu_ - 1) / mtu_);
      packets_.push_back(p);
    } else if (kind == 1) {
      p.request.opcode = chance(50) ? kRcCmpSwap : kRcFetchAdd;
      const std::uint64_t at = 0x8000 + 8 * (b_.random() % 4);
      std::memcpy(&p.original, &model_[at], sizeof p.original);
      p.request.va = home_ + at;
      p.request.swap_add = b_.random();
      p.request.compare = chance(50) ? p.original : b_.random();
      std::uint64_t result = p.original;
      if (p.request.opcode == kRcFetchAdd) {
        result += p.request.swap_add;
      } else if (p.request.compare == p.original) {
        result = p.request.swap_add;
      }
      std::memcpy(&model_[at], &result, sizeof result);
      packets_.push_back(p);
    } else {
      return add_data(p, kind < 5, length);
    }
    return (psn + p.psns) & kPsnMask;
  }

  std::uint32_t add_data(Packet p, bool write, std::uint32_t length) {
    const bool imm = chance(40), solicited = chance(50);
    Bytes data(length);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(b_.random());
    const std::uint64_t at = b_.random() % (0x4000 - length);
    if (write) std::copy(data.begin(), data.end(), model_.begin() + at);
    p.request.va = home_ + at;
    p.request.length = length;
    p.request.imm = static_cast<std::uint32_t>(b_.random());
    for (std::uint32_t from = 0; from == 0 || from < length; from += mtu_) {
      const std::uint32_t n = std::min(mtu_, length - from);
      const bool last = from + n == length;
      p.request.payload.assign(data.begin() + from, data.begin() + from + n);
      p.request.opcode = data_opcode(write, from == 0, last, last && imm);
      p.request.ack_req = last || chance(20);
      p.request.solicited = last && solicited;
      packets_.push_back(p);
      p.request.psn = (p.request.psn + 1) & kPsnMask;
    }
    if (!write || imm)
      expected_.push_back(
          {write, imm, solicited, length, p.request.imm, write ? Bytes() : data, {}, {}});
    return p.request.psn;
  }

  void post() {
    Expected& e = expected_[posted_];
    const unsigned most = (4u << attr_.stride) - 3;
    std::uint64_t at = home_ + 0x9000 + 0x1C00 * (posted_ & 3);
    std::uint32_t left = e.write ? 0 : e.length;
    for (unsigned i = 0; i < most && left != 0; ++i) {
      const std::uint32_t n =
          i + 1 == most ? left : static_cast<std::uint32_t>(b_.random() % (left + 1));
      e.list.push_back({at, n, 0x100 + qpn_});
      at += n + b_.random() % 9;
      left -= n;
    }
    if (left != 0) e.list.back().length += left;
    b_.post(qpn_, e.list);
    ++posted_;
  }

  void transmit(const Packet& p) {
    if (chance(4)) return;  // lost
    Request r = p.request;
    if (r.opcode == kRcReadRequest && p.got < p.psns) {  // the rest of the data
      r.psn = first_psn(p);
      r.va += std::uint64_t{p.got} * mtu_;
      r.length -= p.got * mtu_;
    }
    b_.send(r);
  }

  /// Everything before `psn` is acknowledged, up to a READ or atomic without its response.
  void acknowledge(std::uint32_t psn) {
    while (una_ != next_ && !is_read(packets_[una_]) &&
           ((psn - packets_[una_].request.psn - 1) & kPsnMask) < kPsnHalf) {
      ++una_;
      progress_ = b_.dut.cycle();
    }
  }
  void finish(Packet& p) {
    p.done = true;
    ++una_;
    next_ = std::max(next_, una_);
    progress_ = b_.dut.cycle();
  }
  void retransmit() {
    if (next_ != una_) ++retries_;
    next_ = una_;
    progress_ = b_.dut.cycle();
  }

  Bench& b_;
  unsigned qpn_;
  Attr attr_;
  std::uint64_t home_;
  std::uint32_t mtu_;
  Bytes model_;
  std::vector<Packet> packets_;
  std::vector<Expected> expected_;
  std::size_t una_ = 0, next_ = 0, posted_ = 0, completed_ = 0;
  std::uint64_t progress_ = 0, not_before_ = 0;
  unsigned retries_ = 0;
};

}  // namespace rq
