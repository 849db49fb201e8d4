// SPDX-License-Identifier: Apache-2.0
#include "testbench/lockstep/shadow.hpp"

#include <algorithm>

#include "model/nic/register_map.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::testbench {
namespace {

constexpr std::size_t kEventsKept = 32;
constexpr unsigned kStepsAtOnce = 1u << 16;
constexpr std::uint64_t kMoveNs = 5000;  // span in which completions still go to the former ring
constexpr std::uint64_t kForEverNs = ~std::uint64_t{0};
constexpr std::uint32_t kForEver = 7;  // retry count without limit

constexpr unsigned kQpAttr = layout::number(layout::Table::kQpAttr);
constexpr unsigned kAv = layout::number(layout::Table::kAv);
constexpr unsigned kQpState = layout::number(layout::Table::kQpState);
constexpr unsigned kCq = layout::number(layout::Table::kCq);
namespace table_command = layout::reg::table_command;
namespace word = layout::doorbell_word;
constexpr std::uint32_t kGoAndWrite = mask(table_command::go) | mask(table_command::write);
static_assert(kGoAndWrite ==
              (mask(layout::reg::dma_command::go) | mask(layout::reg::dma_command::write)));
using layout::window::kCqDoorbell, layout::window::kQpDoorbell, layout::window::kTableData;

}  // namespace

Shadow::Counts& Shadow::Counts::operator+=(const Counts& more) {
  requests += more.requests;
  responses += more.responses;
  completions += more.completions;
  writes += more.writes;
  late += more.late;
  full += more.full;
  left_out += more.left_out;
  diverged += more.diverged;
  return *this;
}

Shadow::Shadow(std::string node, Peek peek, Report report)
    : node_(std::move(node)),
      peek_(std::move(peek)),
      report_(std::move(report)),
      model_({}, *this, {[this](packet::Bytes&& frame) { model_sent(packet::parse(frame)); }, {}}) {
}

void Shadow::note(Pair& pair, std::uint64_t now_ns, const std::string& text) {
  pair.events.push_back(std::to_string(now_ns) + " ns " + text);
  if (pair.events.size() > kEventsKept) pair.events.pop_front();
}

void Shadow::diverged(std::uint32_t qpn, const Pair& pair, const std::string& text) {
  if (silent_) return;
  silent_ = true;
  ++counts_.diverged;
  std::string all = "lock-step: " + node_ + ", queue pair " + std::to_string(qpn) + ": " + text;
  for (const std::string& event : pair.events) all += "\n    " + event;
  report_(all);
}

/// Excludes the queue pair from the comparison until its RESET.
void Shadow::leave_out(std::uint32_t qpn, Pair& pair, const char* why) {
  note(pair, now_ns_, std::string("no longer compared: ") + why);
  ++counts_.left_out;
  pair.compared = false;
  for (unsigned queue : {0u, 1u}) {
    pair.model[queue].clear();
    pair.rtl[queue].clear();
  }
  pair.early.clear();
  drop_expected([&](const Expected& e) { return e.qpn == qpn; });
}

void Shadow::run(std::uint64_t now_ns) {
  now_ns_ = now_ns;
  model_.set_time(now_ns);
  for (unsigned i = 0; i < kStepsAtOnce && model_.step(); ++i) {
  }
}

void Shadow::new_generation(std::uint32_t qpn) {
  pairs_[qpn] = Pair{};
  pairs_[qpn].reset = true;
  peers_.erase(qpn);  // another queue pair may connect to the same one next
  drop_expected([&](const Expected& e) { return e.qpn == qpn; });
}

/// Handles a row that firmware writes; the model's copy of some is changed so that it follows the
/// RTL.
void Shadow::table_written(std::uint64_t now_ns, std::uint32_t command) {
  const std::uint32_t index = get(command, table_command::row);
  const unsigned table = get(command, table_command::table_id);
  const auto put = [&](auto field, std::uint64_t value) {
    layout::put(table_data_.data(), field, value);
  };
  if (table == kQpAttr) {
    // Timers and retries are not compared.
    put(layout::qp_attr::timeout, 0);
    put(layout::qp_attr::retry_cnt, kForEver);
    put(layout::qp_attr::rnr_retry, kForEver);
    for (unsigned i = 0; i < table_data_.size(); i += 4) {
      model_.write32(kTableData.offset + i,
                     static_cast<std::uint32_t>(layout::get_memory(&table_data_[i], {0, 32})));
    }
  } else if (table == kAv) {
    peers_[index] = nic::decode_av(table_data_);
  } else if (table == kCq) {
    const nic::Cq cq = nic::decode_cq(table_data_);
    const auto before = rings_.find(cq.base);
    const bool same = before != rings_.end() && before->second.cqn == index;
    if (!cq.resize && !same) written_[index] = {};
    for (auto at = rings_.begin(); at != rings_.end();) {
      if (at->second.cqn == index && cq.resize) at->second.until_ns = now_ns + kMoveNs;
      const bool gone = at->second.cqn == index ? !cq.resize : at->second.until_ns < now_ns;
      at = gone ? rings_.erase(at) : std::next(at);
    }
    if (cq.valid) rings_[cq.base] = {layout::cqe::kBytes << cq.log, index, kForEverNs};
  } else if (table == kQpState) {
    const auto state = nic::QpState(layout::get(table_data_.data(), layout::qp_state::state));
    Pair& pair = pairs_[index];
    note(pair, now_ns, "firmware writes state " + std::to_string(layout::number(state)));
    pair.reset = false;
    if (state == nic::QpState::kReset) new_generation(index);
    if (state == nic::QpState::kErr) pair.error_ns = now_ns;
  }
}

void Shadow::register_written(std::uint64_t now_ns, std::uint32_t offset, std::uint32_t value) {
  if (silent_) return;
  run(now_ns);
  in_frame_ = false;
  if (kTableData.has(offset)) {
    layout::put_memory(&table_data_[offset - kTableData.offset], {0, 32}, value);
  } else if (offset == layout::reg::kTableCommand && (value & kGoAndWrite) == kGoAndWrite) {
    table_written(now_ns, value);
  } else if (offset == layout::reg::kDmaAddressLo) {
    dma_address_ = (dma_address_ >> 32 << 32) | value;
  } else if (offset == layout::reg::kDmaAddressHi) {
    dma_address_ = (dma_address_ & 0xFFFFFFFF) | std::uint64_t{value} << 32;
  } else if (offset == layout::reg::kEqBaseLo) {
    eq_base_ = (eq_base_ >> 32 << 32) | value;
  } else if (offset == layout::reg::kEqBaseHi) {
    eq_base_ = (eq_base_ & 0xFFFFFFFF) | std::uint64_t{value} << 32;
  } else if (offset == layout::reg::kEqSize) {
    eq_bytes_ = layout::eqe::kBytes << get(value, layout::reg::eq_size::log);
  } else if (kQpDoorbell.has(offset)) {
    const std::uint32_t which = offset % word::kStride;
    const std::uint32_t row = (offset - kQpDoorbell.offset) / word::kStride;
    if (which == word::kRq) pairs_[row].receive_posted_ns = now_ns;
    if (which == word::kSrq) {
      for (auto& [qpn, pair] : pairs_) pair.receive_posted_ns = now_ns;
    }
  }
  if (kCqDoorbell.has(offset) && offset % word::kStride == word::kCqConsumer) {
    value = consumed((offset - kCqDoorbell.offset) / word::kStride, value);
  }
  // When a ring moves, firmware copies its unread entries.
  copying_ = offset == layout::reg::kDmaCommand;
  if (copying_ && (value & kGoAndWrite) == kGoAndWrite) copies_.insert(dma_address_);
  model_.write32(offset, value);
  copying_ = false;
  run(now_ns);
  for (auto& [qpn, pair] : pairs_) {
    compare_completions(qpn, pair, 0);
    compare_completions(qpn, pair, 1);
  }
}

void Shadow::frame_received(std::uint64_t now_ns, packet::ByteView frame) {
  if (silent_) return;
  run(now_ns);
  const packet::Parsed packet = packet::parse(frame);
  in_frame_ = packet.ok();
  if (in_frame_) {
    frame_qpn_ = packet.bth().dest_qp();
    frame_psn_ = packet.bth().psn();
    frame_is_response_ = packet.op->response;
    frame_is_send_ = packet::is_send(packet.bth().opcode());
    Pair& pair = pairs_[frame_qpn_];
    if (!frame_is_response_) pair.requested_ns.emplace(frame_psn_, now_ns);
    note(pair, now_ns,
         "gets " + std::string(packet.op->name) + " PSN " + std::to_string(frame_psn_));
  }
  model_.receive(frame);
  in_frame_ = false;
  run(now_ns);
  if (!packet.ok()) return;
  const auto found = pairs_.find(packet.bth().dest_qp());
  if (found == pairs_.end()) return;
  retry_early(found->first, found->second);
  compare_completions(found->first, found->second, 0);
  compare_completions(found->first, found->second, 1);
}

/// Finds the queue pair that sent a frame of this node, by its peer.
Shadow::Pair* Shadow::pair_of(const packet::Parsed& packet, std::uint32_t* qpn) {
  for (const auto& [number, av] : peers_) {
    if (av.dest_qpn != packet.bth().dest_qp() || av.src_port != packet.udp().src_port()) continue;
    if (av.dst != packet.dst() || av.src != packet.src()) continue;
    *qpn = number;
    return &pairs_[number];
  }
  return nullptr;
}

void Shadow::model_sent(const packet::Parsed& packet) {
  if (!packet.ok() || packet.roce_v1) return;
  std::uint32_t qpn = 0;
  Pair* pair = pair_of(packet, &qpn);
  if (pair == nullptr) return;
  const std::uint32_t psn = packet.bth().psn();
  if (packet.bth().opcode() == packet::kRcAck) {
    const std::uint8_t syndrome = packet.aeth().syndrome();
    if (syndrome < nic::syndrome::kRnrNak) return;
    const nic::QueuePair* model = model_.queue_pair(qpn);
    auto& msn = pair->naks[{psn, syndrome}];
    msn.reset();
    if (model != nullptr && packet.psn() == model->responder.expected_psn()) {
      msn = packet.aeth().msn();
    }
    note(*pair, now_ns_,
         "the model NAKs PSN " + std::to_string(psn) + ", syndrome " + std::to_string(syndrome));
    // The failed queue pair ends its own requests too.
    if (syndrome > nic::syndrome::kNakSequence) pair->error_ns = now_ns_;
    if (syndrome < nic::syndrome::kNakSequence) pair->rnr_ns = now_ns_;
    return;
  }
  Sent sent;
  sent.digest = digest_of(packet);
  if (packet.op->response) {
    sent.source = last_read_;
    sent.source_pasid = last_read_pasid_;
    sent.payload = packet.payload.copy();
    pair->responses[psn] = std::move(sent);
    return;
  }
  if (packet.has(packet::Ext::kReth)) {
    sent.va = packet.reth().va();
    sent.bytes = packet.reth().dma_length();
  }
  // A READ request for the rest is compared with the one for the whole.
  if (packet.bth().opcode() == packet::kRcReadRequest) {
    sent.read = true;
    pair->requests.emplace(psn, sent);
  } else {
    pair->requests[psn] = sent;
  }
  constexpr std::size_t kRemembered = 1u << 14;
  if (pair->requests.size() > kRemembered) pair->requests.erase(pair->requests.begin());
  if (pair->responses.size() > kRemembered) pair->responses.erase(pair->responses.begin());
}

void Shadow::frame_sent(std::uint64_t now_ns, const packet::Parsed& packet) {
  if (silent_ || !packet.ok() || packet.roce_v1) return;
  run(now_ns);
  std::uint32_t qpn = 0;
  Pair* pair = pair_of(packet, &qpn);
  if (pair == nullptr || !pair->compared) return;
  note(*pair, now_ns,
       "sends " + std::string(packet.op->name) + " PSN " + std::to_string(packet.bth().psn()));
  if (packet.op->response) {
    check_response(now_ns, qpn, *pair, packet);
  } else {
    request_sent(qpn, *pair, packet);
  }
}

void Shadow::memory_written(std::uint64_t now_ns, std::uint64_t address, const std::uint8_t* host,
                            unsigned bytes) {
  std::uint32_t cqn = 0;
  if (silent_) return;
  run(now_ns);
  if (copies_.erase(address) != 0 || bytes != layout::cqe::kBytes) return;
  if (!ring_of(address, &cqn)) return;
  ++written_[cqn].rtl;
  const Entry entry = entry_of(host);
  Pair& pair = pairs_[entry.qpn];
  if (pair.reset) return;
  note(pair, now_ns, entry.text());
  if (entry.out_of_retries()) {
    // Retries are not modelled: the model's queue pair follows the RTL into ERR.
    pair.failed = true;
    model_.write32(kTableData.offset, static_cast<std::uint32_t>(nic::QpState::kErr));
    model_.write32(layout::reg::kTableCommand,
                   entry.qpn | bits(table_command::table_id, kQpState) | kGoAndWrite);
    model_.write32(kTableData.offset,
                   static_cast<std::uint32_t>(layout::get_memory(table_data_.data(), {0, 32})));
  }
  pair.rtl[entry.queue].push_back({entry, packet::Bytes(host, host + bytes), 0});
  compare_completions(entry.qpn, pair, 0);
  compare_completions(entry.qpn, pair, 1);
}

}  // namespace roci::testbench
