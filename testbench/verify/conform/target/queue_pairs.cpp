// SPDX-License-Identifier: Apache-2.0
// Commands of queue pairs, shared receive queues and address handles of a foreign adapter.
#include <algorithm>

#include "driver/attributes.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "testbench/verify/conform/target/attributes.hpp"
#include "testbench/verify/conform/target/device.hpp"

namespace roci::conform {
namespace {

using driver::AdminStatus;
using driver::Body;
using driver::CommandReply;

constexpr std::uint64_t kNotify = 1, kDraining = 2;  // bits of the flags of ModifyQp and QueryQp

agent_path path_of(const driver::QpAttributes& a) {
  agent_path path{};
  path.dgid_high = driver::high_half(a.dgid);
  path.dgid_low = driver::low_half(a.dgid);
  path.hop_limit = a.hop_limit;
  path.traffic_class = a.traffic_class;
  path.sl = a.sl;
  path.flow_label = a.flow_label;
  return path;
}

}  // namespace

CommandReply TargetDevice::create_qp(const Body& body) {
  namespace r = layout::create_qp;
  constexpr std::uint64_t kTypes[] = {2, 3, 4};  // ibv_qp_type of RC, UC and UD
  const bool shared = body.get(r::srq) != 0;
  if (body.get(r::credits) != 0) {
    throw NotTestable("libibverbs has no choice of end-to-end credits");
  }
  Pair pair;
  pair.datagrams = body.get(r::service) == layout::number(driver::Service::kUd);
  pair.send = {body.get(r::sq_base), body.get(r::sq_log), body.get(r::sq_stride_log), 0};
  pair.receive = {body.get(r::rq_base), body.get(r::rq_log), body.get(r::rq_stride_log), 0};
  agent_create_qp want{};
  want.type = kTypes[body.get(r::service)];
  want.pd = body.get(r::pd);
  want.send_cq = cqs_.at(body.get(r::send_cqn)).handle;
  want.receive_cq = cqs_.at(body.get(r::recv_cqn)).handle;
  want.srq = shared ? srqs_.at(body.get(r::srqn)).handle : std::uint64_t{kAgentNone};
  want.send_entries = 1ull << pair.send.log;
  want.send_sges = list_entries(pair.send.stride_log);
  want.max_inline = ((1ull << pair.send.stride_log) - 1) * layout::kBlockBytes;
  if (!shared) {
    want.receive_entries = 1ull << pair.receive.log;
    want.receive_sges = list_entries(pair.receive.stride_log);
  }
  const AgentReply reply = agent_.request(kAgentCreateQp, Agent::words_of(want));
  return result(reply, [&](Body& to) {
    pair.handle = reply.word(0);
    const auto number = static_cast<std::uint32_t>(reply.word(1));
    pairs_[number] = pair;
    to.put(layout::create_qp_reply::qpn, number);
  });
}

CommandReply TargetDevice::modify_qp(const Body& body) {
  Pair& pair = pairs_.at(body.get(layout::qp_attributes::qpn));
  const driver::QpAttributes a = driver::attributes_of(body);
  agent_attributes to{};
  to.qp = pair.handle;
  to.mask = body.get(layout::qp_attributes::attr_mask);
  to.state = layout::number(a.state);
  to.cur_state = body.get(layout::qp_attributes::cur_state);
  to.path_mtu = a.path_mtu;
  to.access = a.access;
  to.pkey_index = a.pkey_index;
  to.port = a.port;
  to.timeout = a.timeout;
  to.retry_cnt = a.retry_cnt;
  to.rnr_retry = a.rnr_retry;
  to.min_rnr_timer = a.min_rnr_timer;
  to.max_rd_atomic = a.max_rd_atomic;
  to.max_dest_rd_atomic = a.max_dest_rd_atomic;
  to.dest_qpn = a.dest_qpn;
  to.sq_psn = a.sq_psn;
  to.rq_psn = a.rq_psn;
  to.qkey = a.qkey;
  to.sqd_notify = body.get(layout::qp_attributes::flags) & kNotify;
  to.path = path_of(a);
  const bool with_path = (to.mask & driver::mask::kAv) != 0;
  if (with_path && a.sgid_index >= gids_.size()) return rejection(AdminStatus::kBadHandle);
  if (with_path) to.path.sgid_index = gid_indices_[a.sgid_index];
  push();
  const AgentReply reply = agent_.request(kAgentModifyQp, Agent::words_of(to));
  const bool reset = (to.mask & driver::mask::kState) != 0 && a.state == driver::QpState::kReset;
  if (reply.error == 0 && reset) pair.send.tail = pair.receive.tail = 0;
  exchange_news();
  return result(reply);
}

CommandReply TargetDevice::query_qp(const Body& body) {
  const std::uint32_t number = body.get(layout::query_qp::qpn);
  const AgentReply reply = agent_.request(kAgentQueryQp, {pairs_.at(number).handle});
  return result(reply, [&](Body& to) {
    const auto is = reply.part<agent_attributes>();
    driver::QpAttributes a = attributes_of(is);
    a.sq_psn &= 0xFFFFFF;
    a.rq_psn &= 0xFFFFFF;
    const auto index = std::find(gid_indices_.begin(), gid_indices_.end(), is.path.sgid_index);
    a.sgid_index = static_cast<std::uint8_t>(index - gid_indices_.begin());
    to = driver::body_of(number, a, 0);
    to.put(layout::qp_attributes::flags, is.sqd_notify != 0 ? kDraining : 0);
  });
}

CommandReply TargetDevice::create_srq(const Body& body) {
  namespace r = layout::create_srq;
  Shared shared;
  shared.ring = {body.get(r::base), body.get(r::log), body.get(r::stride_log), 0};
  const AgentReply reply =
      agent_.request(kAgentCreateSrq, {body.get(r::pd), 1ull << shared.ring.log,
                                       list_entries(shared.ring.stride_log), body.get(r::limit)});
  return result(reply, [&](Body& to) {
    shared.handle = reply.word(0);
    srqs_[static_cast<std::uint32_t>(shared.handle)] = shared;
    to.put(layout::create_srq_reply::srqn, shared.handle);
  });
}

CommandReply TargetDevice::create_ah(const Body& body) {
  namespace r = layout::create_ah;
  if (body.get(r::sgid_index) >= gids_.size()) return rejection(AdminStatus::kBadHandle);
  agent_path path{};
  path.sgid_index = gid_indices_[body.get(r::sgid_index)];
  path.dgid_high = body.get(r::dgid_hi);
  path.dgid_low = body.get(r::dgid_lo);
  path.hop_limit = body.get(r::hop_limit);
  path.traffic_class = body.get(r::traffic_class);
  path.sl = body.get(r::sl);
  path.flow_label = body.get(r::flow_label);
  Words words = {body.get(r::pd)};
  const Words more = Agent::words_of(path);
  words.insert(words.end(), more.begin(), more.end());
  const AgentReply reply = agent_.request(kAgentCreateAh, words);
  return result(reply, [&](Body& to) { to.put(layout::create_ah_reply::ah, reply.word(0)); });
}

}  // namespace roci::conform
