// SPDX-License-Identifier: Apache-2.0
#include "sim/peer/side.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "sim/options.hpp"

namespace roci::sim {
namespace {

constexpr unsigned kMostReceives = 256;  // receives posted on a queue pair
constexpr std::uint64_t kLookNs = 5'000'000;
// Late receives are posted after so many RNR NAKs, or after a time. A requester that does not wait
// for the RNR timer fills the link, and then simulated time passes slowly.
constexpr std::uint64_t kLateNaks = 8;
constexpr std::uint64_t kLateNs = 300'000'000;
constexpr std::uint64_t kLateLookNs = 100'000;
constexpr std::size_t kPage = 4096;

template <typename... Parts>
[[noreturn]] void fail(const char* format, const Parts&... parts) {
  throw std::runtime_error(fmt::format(fmt::runtime(format), parts...));
}

driver::QpOptions queue_options(const PeerPlan& plan) {
  driver::QpOptions options;
  options.send_entries = plan.depth;
  options.receive_entries = std::min(plan.messages(), kMostReceives);
  return options;
}

}  // namespace

std::size_t PeerSide::bytes() const {
  const std::size_t receive = plan_.receives() ? std::size_t{plan_.queue_pairs} * plan_.messages() *
                                                     (plan_.largest() + PeerPlan::kGuard)
                                               : 0;
  return receive_base_ + receive + plan_.queue_pairs * plan_.depth * PeerPlan::kWord + kPage;
}

PeerSide::PeerSide(driver::Context& context, const driver::Gid& gid, unsigned gid_index,
                   const PeerPlan& plan, TextConnection& link, Resolve resolve, Progress progress,
                   RnrNaks rnr_naks)
    : plan_(plan),
      link_(link),
      context_(context),
      gid_(gid),
      gid_index_(gid_index),
      resolve_(std::move(resolve)),
      progress_(std::move(progress)),
      rnr_naks_(std::move(rnr_naks)),
      receive_base_(plan.queue_pairs * plan.span() + kPage),
      domain_(context),
      queue_(context, plan.queue_pairs * (plan.depth + std::min(plan.messages(), kMostReceives))),
      region_(domain_, bytes(),
              plan.fault == PeerFault::kNoPermission ? driver::access::kLocalWrite
                                                     : driver::access::kAll),
      posted_receives_(plan.queue_pairs) {
  for (unsigned q = 0; q < plan_.queue_pairs; ++q) {
    pairs_.push_back(
        std::make_unique<driver::QueuePair>(domain_, queue_, queue_, queue_options(plan_)));
  }
}

void PeerSide::run() {
  if (plan_.requester != (plan_.op == driver::Opcode::kRead)) fill();
  exchange();
  const bool receiver = !plan_.requester && plan_.receives();
  if (receiver && plan_.fault == PeerFault::kNone) post_receives();
  link_.barrier("ready");
  if (plan_.requester) request();
  if (receiver && plan_.fault == PeerFault::kLateReceive) {
    for (std::uint64_t ns = 0; ns < kLateNs && rnr_naks_() < kLateNaks; ns += kLateLookNs)
      context_.device().wait([] { return false; }, kLateLookNs);
    post_receives();
  }
  if (receiver && plan_.fault != PeerFault::kNoReceive) receive();
  for (const auto& pair : pairs_) timeouts_ += pair->counters().timeouts;
  if (plan_.fault == PeerFault::kKilled) return;
  link_.barrier("done");
  if (!plan_.requester && plan_.expect == 0) verify();
  link_.barrier("good");
}

void PeerSide::exchange() {
  std::string text;
  for (const std::uint8_t byte : gid_) text += fmt::format("{:02x}", byte);
  link_.send_line(fmt::format("ends {} {} {} {} {}", plan_.queue_pairs, plan_.psn,
                              region_.address(), region_.key(), text));
  for (const auto& pair : pairs_) link_.send_line(fmt::format("qp {}", pair->number()));

  driver::Endpoint peer;
  const std::string line = link_.receive_line();
  std::istringstream in(line);
  std::string word;
  unsigned number = 0;
  in >> word >> number >> peer.psn >> peer_address_ >> peer_key_ >> text;
  if (!in || word != "ends" || number != plan_.queue_pairs || text.size() != 2 * peer.gid.size()) {
    fail("the other side sent '{}'", line);
  }
  for (std::size_t i = 0; i < peer.gid.size(); ++i) {
    peer.gid[i] = static_cast<std::uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  driver::ConnectOptions options;
  options.path_mtu = mtu_code(plan_.mtu);
  options.timeout = plan_.timeout;
  options.retry_cnt = plan_.retry;
  options.rnr_retry = plan_.rnr_retry;
  options.min_rnr_timer = plan_.rnr_timer;
  options.sgid_index = static_cast<std::uint8_t>(gid_index_);
  options.dst_mac = resolve_(peer.gid);
  for (const auto& pair : pairs_) {
    const std::string named = link_.receive_line();
    if (std::sscanf(named.c_str(), "qp %u", &peer.qpn) != 1) {
      fail("the other side sent '{}'", named);
    }
    pair->connect(peer, plan_.psn, options);
  }
}

driver::Completion PeerSide::next() {
  for (;;) {
    if (const auto completion = queue_.wait(kLookNs)) return *completion;
    if (plan_.fault != PeerFault::kKilled) link_.check();
  }
}

void PeerSide::fill() {
  for (unsigned q = 0; q < plan_.queue_pairs && !plan_.atomic(); ++q) {
    for (unsigned m = 0; m < plan_.messages(); ++m) {
      std::uint8_t* to = region_.data() + slot(q, m);
      for (std::size_t i = 0; i < plan_.size_of(m); ++i) to[i] = plan_.byte_of(q, m, i);
    }
  }
}

void PeerSide::compare(std::size_t at, unsigned q, unsigned m) const {
  const std::uint8_t* bytes = region_.data() + at;
  const std::size_t size = plan_.size_of(m);
  const bool known = !plan_.carries_file || plan_.file != nullptr;
  for (std::size_t i = known ? 0 : size; i < size + PeerPlan::kGuard; ++i) {
    const unsigned right = i < size ? plan_.byte_of(q, m, i) : 0;
    if (bytes[i] != right) {
      fail("queue pair {}, message {} of {} bytes: byte {} is {}, not {}", q, m, size, i, bytes[i],
           right);
    }
  }
}

void PeerSide::post(unsigned q, unsigned m) {
  driver::SendRequest request;
  request.id = std::uint64_t{q} << 32 | m;
  request.opcode = plan_.op;
  request.imm = m;
  request.remote_address = peer_address_ + slot(q, m);
  request.remote_key = peer_key_;
  if (plan_.fault == PeerFault::kBadRkey) request.remote_key ^= 0x10;
  if (plan_.fault == PeerFault::kOutOfBounds) request.remote_address += 2 * bytes();
  if (plan_.atomic()) {
    request.sges = {region_.sge(response_slot(q, m), PeerPlan::kWord)};
    const bool add = plan_.op == driver::Opcode::kFetchAdd;
    request.compare = PeerPlan::hits(m) ? plan_.before(m) : ~std::uint64_t{0};
    request.swap_add = add ? m + 1 : plan_.before(m) + 1;
  } else if (plan_.size_of(m) > 0) {
    request.sges = {region_.sge(slot(q, m), plan_.size_of(m))};
  }
  pairs_[q]->send(request);
}

void PeerSide::request() {
  std::vector<unsigned> next_message(plan_.queue_pairs);
  const unsigned all = plan_.queue_pairs * plan_.messages();
  unsigned outstanding = 0, done = 0;
  const auto post_next = [&](unsigned q) {
    if (next_message[q] >= plan_.messages()) return;
    post(q, next_message[q]++);
    ++outstanding;
  };
  for (unsigned round = 0; round < plan_.depth; ++round) {
    for (unsigned q = 0; q < plan_.queue_pairs; ++q) post_next(q);
  }
  bool failed = false;
  for (; outstanding > 0; --outstanding) {
    const driver::Completion completion = next();
    const auto q = static_cast<unsigned>(completion.id >> 32);
    const auto m = static_cast<unsigned>(completion.id);
    const auto status = static_cast<unsigned>(completion.status);
    // With a peer that exits, some messages complete before the failed one.
    const bool good_before = plan_.fault == PeerFault::kKilled && !failed && status == 0;
    const unsigned right =
        failed ? static_cast<unsigned>(driver::Status::kWrFlushErr) : plan_.expect;
    if (status != right && !good_before) {
      fail("message {} on queue pair {} ended with {}, not {}", m, q,
           driver::name_of(completion.status), driver::name_of(static_cast<driver::Status>(right)));
    }
    if (status != 0) {
      failed = true;
      continue;
    }
    if (plan_.op == driver::Opcode::kRead) compare(slot(q, m), q, m);
    if (plan_.atomic()) {
      std::uint64_t old = 0;
      std::memcpy(&old, region_.data() + response_slot(q, m), sizeof old);
      if (old != plan_.before(m)) {
        fail("atomic {} on queue pair {} found {}, not {}", m, q, old, plan_.before(m));
      }
    }
    progress_(++done, all);
    post_next(q);
  }
  if (plan_.expect != 0 && !failed)
    fail("all messages succeeded; status {} was expected", plan_.expect);
}

void PeerSide::post_receive(unsigned q, unsigned m) {
  driver::ReceiveRequest request;
  request.id = m;
  if (plan_.largest() > 0) request.sges = {region_.sge(receive_slot(q, m), plan_.largest())};
  pairs_[q]->receive(request);
}

void PeerSide::post_receives() {
  for (unsigned q = 0; q < plan_.queue_pairs; ++q) {
    for (unsigned m = 0; m < std::min(plan_.messages(), kMostReceives); ++m) post_receive(q, m);
    posted_receives_[q] = std::min(plan_.messages(), kMostReceives);
  }
}

void PeerSide::receive() {
  std::vector<unsigned> next_message(plan_.queue_pairs);
  const unsigned all = plan_.queue_pairs * plan_.messages();
  for (unsigned done = 0; done < all; ++done) {
    const driver::Completion completion = next();
    unsigned q = 0;
    while (q < plan_.queue_pairs && pairs_[q]->number() != completion.qpn) ++q;
    if (q == plan_.queue_pairs) fail("a completion of queue pair {}", completion.qpn);
    const unsigned m = next_message[q]++;
    if (!completion.ok()) {
      fail("receive {} on queue pair {} ended with {}", m, q, driver::name_of(completion.status));
    }
    if (completion.id != m || completion.byte_len != plan_.size_of(m)) {
      fail("message {} on queue pair {} was received as {} with {} bytes, not {}", m, q,
           completion.id, completion.byte_len, plan_.size_of(m));
    }
    if (completion.with_imm != plan_.with_imm() || (plan_.with_imm() && completion.imm != m)) {
      fail("message {} on queue pair {} carries immediate {}", m, q, completion.imm);
    }
    if (!plan_.writes()) compare(receive_slot(q, m), q, m);
    if (posted_receives_[q] < plan_.messages()) post_receive(q, posted_receives_[q]++);
    progress_(done + 1, all);
  }
}

void PeerSide::verify() const {
  for (unsigned q = 0; q < plan_.queue_pairs; ++q) {
    if (plan_.atomic()) {
      std::uint64_t value = 0;
      std::memcpy(&value, region_.data() + slot(q, 0), sizeof value);
      if (value != plan_.before(plan_.messages())) {
        fail("the word of queue pair {} is {}, not {}", q, value, plan_.before(plan_.messages()));
      }
    }
    for (unsigned m = 0; m < plan_.messages() && plan_.writes(); ++m) compare(slot(q, m), q, m);
  }
}

std::vector<std::uint8_t> PeerSide::received() const {
  std::vector<std::uint8_t> all;
  for (unsigned m = 0; m < plan_.messages(); ++m) {
    const std::size_t at = plan_.writes() ? slot(0, m) : receive_slot(0, m);
    all.insert(all.end(), region_.data() + at, region_.data() + at + plan_.size_of(m));
  }
  return all;
}

}  // namespace roci::sim
