// SPDX-License-Identifier: Apache-2.0
// The table port: rows that firmware writes and reads.
#include "model/nic/nic.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::nic {
namespace {

constexpr unsigned kQpAttr = layout::number(layout::Table::kQpAttr);
constexpr unsigned kAv = layout::number(layout::Table::kAv);
constexpr unsigned kQpService = layout::number(layout::Table::kQpService);
constexpr unsigned kAh = layout::number(layout::Table::kAh);
constexpr unsigned kGid = layout::number(layout::Table::kGid);
constexpr unsigned kMulticast = layout::number(layout::Table::kMulticast);
constexpr unsigned kQpState = layout::number(layout::Table::kQpState);
constexpr unsigned kKey = layout::number(layout::Table::kKey);
constexpr unsigned kCq = layout::number(layout::Table::kCq);
constexpr unsigned kQpCounters = layout::number(layout::Table::kQpCounters);
constexpr unsigned kQpLive = layout::number(layout::Table::kQpLive);
constexpr unsigned kSrq = layout::number(layout::Table::kSrq);
constexpr unsigned kSrqLive = layout::number(layout::Table::kSrqLive);
constexpr unsigned kCqLive = layout::number(layout::Table::kCqLive);

namespace table_command = layout::reg::table_command;

}  // namespace

void Nic::table(std::uint32_t command) {
  const std::uint32_t index = layout::get(command, table_command::row);
  const unsigned table = layout::get(command, table_command::table_id);
  if (layout::get(command, table_command::write)) {
    write_row(table, index);
  } else {
    read_row(table, index);
  }
}

void Nic::write_row(unsigned table, std::uint32_t index) {
  switch (table) {
    case kQpAttr:
      if (QueuePair* qp = make(index)) qp->set_attr(table_data_);
      break;
    case kAv:
      if (QueuePair* qp = make(index)) qp->set_av(table_data_);
      break;
    case kQpState:
      if (QueuePair* qp = make(index)) {
        qp->set_state(
            static_cast<QpState>(layout::get(table_data_.data(), layout::qp_state::state)));
        wake(qp);
      }
      break;
    case kQpService:
      if (QueuePair* qp = make(index)) qp->set_service(table_data_);
      break;
    case kAh:
      if (index < engine_.ahs.size()) {
        const Ah ah = decode_ah(table_data_);
        engine_.ahs[index] = {ah, FrameMaker(ah.av)};
      }
      break;
    case kGid:
      if (index < engine_.gids.size()) engine_.gids[index] = decode_gid(table_data_);
      break;
    case kMulticast:
      if (index < engine_.attachments.size()) {
        engine_.attachments[index] = decode_attachment(table_data_);
      }
      break;
    case kKey:
      if (engine_.keys.has(index)) engine_.keys.set(index, decode_key(table_data_));
      break;
    case kCq:
      if (engine_.cqs.has(index)) engine_.cqs.set(index, table_data_);
      break;
    case kSrq:
      if (engine_.srqs.has(index)) engine_.srqs.set(index, table_data_);
      break;
    default:
      break;  // the others are read only
  }
}

void Nic::read_row(unsigned table, std::uint32_t index) {
  table_data_ = Row{};
  const QueuePair* qp = find(index);
  switch (table) {
    case kQpAttr:
      if (qp != nullptr) table_data_ = qp->attr_row;
      break;
    case kQpState:
      if (qp != nullptr) {
        layout::put(table_data_.data(), layout::qp_state::state, qp->state);
      }
      break;
    case kKey:
      if (engine_.keys.has(index)) table_data_ = encode(engine_.keys.at(index));
      break;
    case kCq:
      if (engine_.cqs.has(index)) table_data_ = engine_.cqs.row(index);
      break;
    case kQpCounters:
      for (unsigned i = 0; qp != nullptr && i < qp->counters.size(); ++i) {
        layout::put_memory(table_data_.data(), {64 * i, 64}, qp->counters[i]);
      }
      break;
    case kQpLive:
      if (qp != nullptr) table_data_ = live(*qp);
      break;
    case kSrq:
      if (engine_.srqs.has(index)) table_data_ = engine_.srqs.row(index);
      break;
    case kSrqLive:
      if (engine_.srqs.has(index)) table_data_ = engine_.srqs.live(index);
      break;
    case kCqLive:
      if (engine_.cqs.has(index)) table_data_ = engine_.cqs.live(index);
      break;
    default:
      break;
  }
}

Row Nic::live(const QueuePair& qp) const {
  Row row{};
  const auto put = [&](auto field, std::uint64_t value) { layout::put(row.data(), field, value); };
  put(layout::qp_live::sq_psn, qp.requester.next_psn().value());
  put(layout::qp_live::rq_psn, qp.responder.expected_psn().value());
  put(layout::qp_live::sq_una_psn, qp.requester.oldest_psn().value());
  put(layout::qp_live::msn, qp.responder.msn());
  put(layout::qp_live::sq_completed, qp.requester.completed());
  put(layout::qp_live::sq_idle, qp.requester.idle());
  return row;
}

}  // namespace roci::nic
