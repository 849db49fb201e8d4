// SPDX-License-Identifier: Apache-2.0
// Command ModifyQp.
#include "firmware/commands/commands.hpp"
#include "firmware/commands/qp_rows.hpp"
#include "firmware/commands/transitions.hpp"

namespace roci::fw {
namespace {

namespace body = layout::qp_attributes;

constexpr uint32_t kOnlyPort = 1;
constexpr uint32_t kFlagNotify = mask_of(0);
constexpr uint32_t kMaxTimer = 31;
constexpr uint32_t kMaxRetry = 7;
constexpr uint32_t kMaxServiceLevel = 7;
constexpr uint32_t kAllRights = 0xF;
constexpr uint32_t kNumberMask = 0xFFFFFF;  // width of PSNs and queue pair numbers
constexpr uint32_t kMaxFlowLabel = 0xFFFFF;

/// Takes a number from the command when its mask bit is set.
class Taker {
 public:
  Taker(const Command& command, uint32_t mask) : command_(command), mask_(mask) {}

  template <typename Number>
  void take(uint32_t attribute, Place place, uint32_t min, uint32_t max, Number* to) {
    if ((mask_ & attribute) == 0 || result_.status != layout::AdminStatus::kOk) return;
    const uint32_t value = command_.get32(place);
    if (value < min || value > max) {
      result_ = bad_parameter(place);
      return;
    }
    *to = static_cast<Number>(value);
  }
  /// Takes a PSN; only its low 24 bits count (QP-07).
  void take_psn(uint32_t attribute, Place place, uint32_t* to) {
    if ((mask_ & attribute) != 0) *to = command_.get32(place) & kNumberMask;
  }
  Result result() const { return result_; }

 private:
  const Command& command_;
  uint32_t mask_;
  Result result_ = ok();
};

Result take_address(const Device& device, const Command& command, uint32_t mask, QpAttributes* to) {
  if ((mask & layout::qp_mask::kAv) == 0) return ok();
  Taker taker(command, mask);
  taker.take(layout::qp_mask::kAv, body::hop_limit, 0, 0xFF, &to->hop_limit);
  taker.take(layout::qp_mask::kAv, body::traffic_class, 0, 0xFF, &to->traffic_class);
  taker.take(layout::qp_mask::kAv, body::flow_label, 0, kMaxFlowLabel, &to->flow_label);
  taker.take(layout::qp_mask::kAv, body::sl, 0, kMaxServiceLevel, &to->sl);
  if (taker.result().status != layout::AdminStatus::kOk) return taker.result();
  const uint32_t index = command.get32(body::sgid_index);
  if (!device.gids.valid(index)) return bad_handle(body::sgid_index);
  to->sgid_index = static_cast<uint8_t>(index);
  to->dgid = {command.get(body::dgid_hi), command.get(body::dgid_lo)};
  to->dst_mac = command.get(body::dst_mac);
  if (to->dgid.is_zero() || to->dgid.is_multicast() ||
      to->dgid.is_ipv4() != device.gids.entry[index].gid.is_ipv4()) {
    return bad_parameter(body::dgid_hi);
  }
  if (to->dst_mac != 0 && !is_unicast(to->dst_mac)) return bad_parameter(body::dst_mac);
  return ok();
}

Result take_attributes(const Device& device, const Command& command, uint32_t mask,
                       QpAttributes* to) {
  Taker taker(command, mask);
  taker.take(layout::qp_mask::kPathMtu, body::path_mtu, 1, active_mtu(device), &to->path_mtu);
  taker.take(layout::qp_mask::kAccessFlags, body::access, 0, kAllRights, &to->access);
  taker.take(layout::qp_mask::kPkeyIndex, body::pkey_index, 0, kMaxPkeys - 1, &to->pkey_index);
  taker.take(layout::qp_mask::kPort, body::port, kOnlyPort, kOnlyPort, &to->port);
  taker.take(layout::qp_mask::kTimeout, body::timeout, 0, kMaxTimer, &to->timeout);
  taker.take(layout::qp_mask::kRetryCnt, body::retry_cnt, 0, kMaxRetry, &to->retry_cnt);
  taker.take(layout::qp_mask::kRnrRetry, body::rnr_retry, 0, kMaxRetry, &to->rnr_retry);
  taker.take(layout::qp_mask::kMinRnrTimer, body::min_rnr_timer, 0, kMaxTimer, &to->min_rnr_timer);
  taker.take(layout::qp_mask::kMaxQpRdAtomic, body::max_rd_atomic, 0, kMaxRdAtomic,
             &to->max_rd_atomic);
  taker.take(layout::qp_mask::kMaxDestRdAtomic, body::max_dest_rd_atomic, 0, kMaxRdAtomic,
             &to->max_dest_rd_atomic);
  taker.take(layout::qp_mask::kDestQpn, body::dest_qpn, 0, kNumberMask, &to->dest_qpn);
  if ((mask & layout::qp_mask::kQkey) != 0) to->qkey = command.get32(body::qkey);
  taker.take_psn(layout::qp_mask::kSqPsn, body::sq_psn, &to->sq_psn);
  taker.take_psn(layout::qp_mask::kRqPsn, body::rq_psn, &to->rq_psn);
  if (taker.result().status != layout::AdminStatus::kOk) return taker.result();
  if ((mask & layout::qp_mask::kPkeyIndex) != 0 && device.objects.pkey[to->pkey_index] == 0) {
    return bad_parameter(body::pkey_index);
  }
  return take_address(device, command, mask, to);
}

/// Checks the rules of the transition that need no value.
Result check_transition(const Command& command, uint32_t mask, layout::Service service,
                        layout::QpState now, layout::QpState next) {
  if ((mask & ~kKnownAttributes) != 0) return bad_parameter(body::attr_mask);
  if ((mask & layout::qp_mask::kCurState) != 0 && command.get32(body::cur_state) != number(now)) {
    return bad_state(body::cur_state);
  }
  const Attributes* attributes = find_transition(service, now, next);
  if (attributes == nullptr) return bad_state(body::state);
  const uint32_t given = mask & ~layout::qp_mask::kState;
  const uint32_t allowed = attributes->required | attributes->optional;
  if ((given & attributes->required) != attributes->required || (given & ~allowed) != 0) {
    return bad_state(body::attr_mask);
  }
  return ok();
}

/// Enters RESET, which clears all attributes; no event of the old generation follows it (QP-09).
Result reset(Device* device, uint32_t qpn) {
  if (!device->port.write_state(qpn, layout::QpState::kReset) || !device->port.fence()) {
    return hardware_error();
  }
  QueuePair& qp = device->objects.qp[qpn];
  forget_drain(&device->objects, &qp);
  qp.attributes = QpAttributes();
  qp.has_av = false;
  qp.has_sq = false;
  return ok();
}

}  // namespace

Result modify_qp(Device* device, const Command& command, Reply*) {
  const uint32_t qpn = command.get32(body::qpn);
  if (!device->objects.has_qp(qpn)) return bad_handle(body::qpn);
  QueuePair& qp = device->objects.qp[qpn];
  Port& port = device->port;
  layout::QpState now = {};
  if (!port.read_state(qpn, &now)) return hardware_error();

  const uint32_t mask = command.get32(body::attr_mask);
  const bool changes_state = (mask & layout::qp_mask::kState) != 0;
  const layout::QpState next =
      changes_state ? static_cast<layout::QpState>(command.get32(body::state)) : now;
  Result result = check_transition(command, mask, qp.service, now, next);
  if (result.status != layout::AdminStatus::kOk) return result;
  if (now == layout::QpState::kSqd &&
      (next == layout::QpState::kRts || next == layout::QpState::kSqd)) {
    Block live = {};
    if (!port.read_row(layout::Table::kQpLive, qpn, &live)) return hardware_error();
    if (live.get(layout::qp_live::sq_idle) == 0) return bad_state(body::state);  // QP-13
  }
  if (next == layout::QpState::kReset) return reset(device, qpn);

  QpAttributes attributes = qp.attributes;
  result = take_attributes(*device, command, mask, &attributes);
  if (result.status != layout::AdminStatus::kOk) return result;
  const bool datagrams = qp.service == layout::Service::kUd;
  if (datagrams) attributes.path_mtu = static_cast<uint8_t>(active_mtu(*device));
  const bool has_av = (mask & layout::qp_mask::kAv) != 0;
  Mac dst_mac = attributes.dst_mac;
  if (has_av && dst_mac == 0) {
    result = next_hop(device, attributes.sgid_index, attributes.dgid, body::dgid_hi, &dst_mac);
    if (result.status != layout::AdminStatus::kOk) return result;
    attributes.dst_mac = dst_mac;
  }

  // The P_Key of the index is part of the address vector; the table may have changed since.
  const bool writes_av = has_av || (qp.has_av && (mask & layout::qp_mask::kPkeyIndex) != 0);

  // The state is written last: with it the engines begin to use the rows.
  if (mask != 0 && !port.write_row(layout::Table::kQpAttr, qpn, attribute_row(qp, attributes))) {
    return hardware_error();
  }
  if (writes_av &&
      !port.write_row(layout::Table::kAv, qpn, address_row(*device, qpn, attributes, dst_mac))) {
    return hardware_error();
  }
  if (datagrams && (!port.write_row(layout::Table::kAv, qpn, partition_row(*device, attributes)) ||
                    !write_service(device, qpn, qp, attributes))) {
    return hardware_error();
  }
  if (next != now) {
    // All that was posted before is flushed (10.3.1); what is posted from now on is sent.
    if (now == layout::QpState::kSqe && next == layout::QpState::kRts && !port.fence()) {
      return hardware_error();
    }
    // A queue pair that failed in the meantime stays in ERR: the adapter leaves ERR by RESET only.
    if (!port.write_state(qpn, next)) return hardware_error();
    // After the fence all doorbells have reached the requester, so that its idle state is reliable.
    if (next == layout::QpState::kSqd && !port.fence()) return hardware_error();
    forget_drain(&device->objects, &qp);
    if (next == layout::QpState::kSqd && (mask & layout::qp_mask::kEnSqdAsyncNotify) != 0 &&
        (command.get32(body::flags) & kFlagNotify) != 0) {
      qp.notify = true;
      ++device->objects.drains;
    }
  }
  qp.attributes = attributes;
  qp.has_av |= has_av;
  qp.has_sq |= next == layout::QpState::kRts;
  return ok();
}

}  // namespace roci::fw
