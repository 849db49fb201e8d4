// SPDX-License-Identifier: Apache-2.0
// Queue pairs and address handles.
#include "firmware/net/gid.hpp"
#include "testbench/cocotb/library/verbs_agent.hpp"
#include "testbench/verify/conform/target/attributes.hpp"

namespace roci::cocotb {
namespace {

constexpr std::uint64_t kRc = 2, kUc = 3, kUd = 4;  // ibv_qp_type

std::vector<driver::Sge> list_of(const std::vector<std::uint64_t>& words, std::size_t first) {
  std::vector<driver::Sge> list;
  for (std::size_t i = first; i + 2 < words.size(); i += 3) {
    list.push_back({words[i], static_cast<std::uint32_t>(words[i + 1]),
                    static_cast<std::uint32_t>(words[i + 2])});
  }
  return list;
}

}  // namespace

VerbsAgent::Words VerbsAgent::create_qp(const Words& words) {
  const auto want = struct_of<agent_create_qp>(words);
  driver::QpOptions options;
  switch (want.type) {
    case kRc:
      options.service = driver::Service::kRc;
      break;
    case kUc:
      options.service = driver::Service::kUc;
      break;
    case kUd:
      options.service = driver::Service::kUd;
      break;
    default:
      throw Rejected{EOPNOTSUPP};
  }
  options.send_entries = static_cast<unsigned>(want.send_entries);
  options.send_sges = static_cast<unsigned>(want.send_sges);
  options.max_inline = static_cast<unsigned>(want.max_inline);
  if (want.srq != kAgentNone) {
    options.srq = &get<driver::SharedReceiveQueue>({want.srq}, 0);
  } else {
    options.receive_entries = static_cast<unsigned>(want.receive_entries);
    options.receive_sges = static_cast<unsigned>(want.receive_sges);
  }
  auto pair = std::make_unique<driver::QueuePair>(
      get<driver::ProtectionDomain>({want.pd}, 0), get<driver::CompletionQueue>({want.send_cq}, 0),
      get<driver::CompletionQueue>({want.receive_cq}, 0), options);
  const std::uint64_t number = pair->number();
  return {add(std::move(pair)), number};
}

void VerbsAgent::modify_qp(const Words& words) {
  const auto is = struct_of<agent_attributes>(words);
  driver::QpAttributes a = conform::attributes_of(is);
  a.sqd_notify = is.sqd_notify != 0;
  a.dst_mac = options_.next_hop;
  get<driver::QueuePair>({is.qp}, 0).modify(a, static_cast<std::uint32_t>(is.mask));
}

VerbsAgent::Words VerbsAgent::query_qp(const Words& words) {
  const driver::QpAttributes a = get<driver::QueuePair>(words, 0).query();
  agent_attributes is{};
  is.state = layout::number(a.state);
  is.cur_state = layout::number(a.cur_state);
  is.path_mtu = a.path_mtu;
  is.access = a.access;
  is.pkey_index = a.pkey_index;
  is.port = a.port;
  is.timeout = a.timeout;
  is.retry_cnt = a.retry_cnt;
  is.rnr_retry = a.rnr_retry;
  is.min_rnr_timer = a.min_rnr_timer;
  is.max_rd_atomic = a.max_rd_atomic;
  is.max_dest_rd_atomic = a.max_dest_rd_atomic;
  is.dest_qpn = a.dest_qpn;
  is.sq_psn = a.sq_psn;
  is.rq_psn = a.rq_psn;
  is.qkey = a.qkey;
  is.sqd_notify = a.sq_draining ? 1 : 0;
  is.path = {a.sgid_index, driver::high_half(a.dgid), driver::low_half(a.dgid),
             a.hop_limit,  a.traffic_class,           a.sl,
             a.flow_label};
  return words_of(is);
}

VerbsAgent::Words VerbsAgent::create_ah(const Words& words) {
  const auto path = struct_of<agent_path>(words, 1);
  driver::Address address;
  address.dgid = driver::gid_of_halves(path.dgid_high, path.dgid_low);
  address.sgid_index = static_cast<std::uint8_t>(path.sgid_index);
  address.hop_limit = static_cast<std::uint8_t>(path.hop_limit);
  address.traffic_class = static_cast<std::uint8_t>(path.traffic_class);
  address.sl = static_cast<std::uint8_t>(path.sl);
  address.flow_label = static_cast<std::uint32_t>(path.flow_label);
  address.dst_mac = fw::Gid{path.dgid_high, path.dgid_low}.is_group() ? 0 : options_.next_hop;
  return {add(
      std::make_unique<driver::AddressHandle>(get<driver::ProtectionDomain>(words, 0), address))};
}

void VerbsAgent::post_send(const Words& words, const std::uint8_t* data, std::size_t bytes) {
  const auto want = struct_of<agent_send>(words);
  driver::SendRequest request;
  request.id = want.wr_id;
  request.opcode = static_cast<driver::Opcode>(want.operation);
  request.sges = list_of(words, sizeof want / sizeof(std::uint64_t));
  if ((want.flags & kAgentInline) != 0) {
    request.sges.clear();
    request.inline_data = data;
    request.inline_bytes = static_cast<std::uint32_t>(bytes);
  }
  request.imm = static_cast<std::uint32_t>(want.immediate);
  request.remote_address = want.remote_address;
  request.remote_key = static_cast<std::uint32_t>(want.remote_key);
  request.swap_add = want.swap_add;
  request.compare = want.compare;
  request.signaled = (want.flags & kAgentSignaled) != 0;
  request.solicited = (want.flags & kAgentSolicited) != 0;
  request.fence = (want.flags & kAgentFence) != 0;
  auto& pair = get<driver::QueuePair>(words, 0);
  if (pair.service() == driver::Service::kUd) {
    request.ah = get<driver::AddressHandle>({want.ah}, 0).number();
    request.remote_qpn = static_cast<std::uint32_t>(want.remote_qpn);
    request.qkey = static_cast<std::uint32_t>(want.qkey);
  }
  check(pair.post_send(&request, 1));
}

void VerbsAgent::change_group(const Words& words, bool attach) {
  auto& pair = get<driver::QueuePair>(words, 0);
  const driver::Gid group =
      driver::gid_of_halves(struct_of<std::uint64_t>(words, 1), struct_of<std::uint64_t>(words, 2));
  if (attach) {
    pair.attach(group);
  } else {
    pair.detach(group);
  }
}

void VerbsAgent::post_receive(const Words& words) {
  driver::ReceiveRequest request;
  request.id = struct_of<std::uint64_t>(words, 1);
  request.sges = list_of(words, 2);
  const std::uint64_t handle = words[0];
  const bool shared =
      handle < objects_.size() &&
      std::holds_alternative<std::unique_ptr<driver::SharedReceiveQueue>>(objects_[handle]);
  check(shared ? get<driver::SharedReceiveQueue>(words, 0).post_receive(&request, 1)
               : get<driver::QueuePair>(words, 0).post_receive(&request, 1));
}

}  // namespace roci::cocotb
