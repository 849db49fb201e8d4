// SPDX-License-Identifier: Apache-2.0
// Commands CreateSrq, ModifySrq, QuerySrq and DestroySrq.
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

constexpr uint32_t kMaxLog = 15;
constexpr uint32_t kIndexMask = 0xFFFF;

Block row_of(const SharedReceiveQueue& srq, uint32_t limit) {
  namespace row = layout::srq;
  Block block = {};
  block.put(row::valid, 1);
  block.put(row::pd, srq.pd);
  block.put(row::pasid, srq.pasid);
  block.put(row::base, srq.base);
  block.put(row::log, srq.log);
  block.put(row::stride_log, srq.stride_log);
  block.put(row::limit, limit);
  return block;
}

}  // namespace

Result create_srq(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::create_srq;
  Objects& objects = device->objects;
  if (objects.lacks(layout::Option::kSrq)) return unsupported();
  const uint32_t pd = command.get32(body::pd);
  const uint32_t log = command.get32(body::log);
  const uint32_t stride = command.get32(body::stride_log);
  const uint32_t limit = command.get32(body::limit);
  SharedReceiveQueue srq = {};
  srq.used = true;
  srq.pasid = command.get32(body::pasid);
  srq.base = command.get(body::base);
  if (!objects.has_pd(pd)) return bad_handle(body::pd);
  if (!is_pasid(srq.pasid)) return bad_parameter(body::pasid);
  if (log < 1 || log > kMaxLog) return bad_parameter(body::log);
  if (stride > layout::kMaxStrideLog) return bad_parameter(body::stride_log);
  if (!is_ring(srq.base, uint64_t{layout::kBlockBytes} << (log + stride))) {
    return bad_parameter(body::base);
  }
  if (limit > mask_of(log)) return bad_parameter(body::limit);
  if (objects.free_srqs.empty()) return no_resource();

  srq.pd = static_cast<uint16_t>(pd);
  srq.log = static_cast<uint8_t>(log);
  srq.stride_log = static_cast<uint8_t>(stride);
  const uint32_t srqn = objects.free_srqs.take();
  if (!device->port.write_row(layout::Table::kSrq, srqn, row_of(srq, limit))) {
    objects.free_srqs.give(srqn);
    return hardware_error();
  }
  objects.srq[srqn] = srq;
  ++objects.pd[pd].users;
  reply->put(layout::create_srq_reply::srqn, srqn);
  return ok();
}

Result modify_srq(Device* device, const Command& command, Reply*) {
  namespace body = layout::modify_srq;
  const uint32_t srqn = command.get32(body::srqn);
  const uint32_t limit = command.get32(body::limit);
  if (!device->objects.has_srq(srqn)) return bad_handle(body::srqn);
  const SharedReceiveQueue& srq = device->objects.srq[srqn];
  if (limit > mask_of(srq.log)) return bad_parameter(body::limit);
  return device->port.write_row(layout::Table::kSrq, srqn, row_of(srq, limit)) ? ok()
                                                                               : hardware_error();
}

Result query_srq(Device* device, const Command& command, Reply* reply) {
  const uint32_t srqn = command.get32(layout::query_srq::srqn);
  if (!device->objects.has_srq(srqn)) return bad_handle(layout::query_srq::srqn);
  namespace row = layout::srq_live;
  Block live = {};
  if (!device->port.read_row(layout::Table::kSrqLive, srqn, &live)) return hardware_error();
  reply->put(layout::query_srq_reply::limit, live.get(row::limit));
  reply->put(layout::query_srq_reply::filled,
             (live.get(row::producer) - live.get(row::consumer)) & kIndexMask);
  return ok();
}

Result destroy_srq(Device* device, const Command& command, Reply*) {
  namespace body = layout::destroy_srq;
  Objects& objects = device->objects;
  const uint32_t srqn = command.get32(body::srqn);
  if (!objects.has_srq(srqn)) return bad_handle(body::srqn);
  if (objects.srq[srqn].users != 0) return busy(body::srqn);
  if (!device->port.write_row(layout::Table::kSrq, srqn, Block()) || !device->port.fence()) {
    return hardware_error();
  }
  --objects.pd[objects.srq[srqn].pd].users;
  objects.srq[srqn] = SharedReceiveQueue();
  objects.free_srqs.give(srqn);
  return ok();
}

}  // namespace roci::fw
